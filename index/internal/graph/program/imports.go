package program

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Configure enters a file for which IsConfig holds, or takes it out when text is nil.
func (g *Family) Configure(p string, text []byte) {
	if before, ok := g.Configs[p]; ok == (text != nil) && bytes.Equal(before, text) {
		return
	}
	if text == nil {
		delete(g.Configs, p)
	} else {
		g.Configs[p] = slices.Clone(text)
	}
	g.Stale = true
}

// Split cuts a path of names into its segments.
func Split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == ':' || r == '\\' })
}

// ResolveImports finds what each import of a file leads to.
func (g *Family) ResolveImports(f *File) {
	f.Targets = make([]Target, len(f.IR.Imports))
	for i := 1; i < len(f.IR.Imports); i++ {
		f.Targets[i] = f.Lang.Resolve(g, f, &f.IR.Imports[i])
	}
	g.NameImports(f)
}

// NameImports notes the local names of imports that do not say them.
func (g *Family) NameImports(f *File) {
	f.Imports = nil
	for i := 1; i < len(f.IR.Imports); i++ {
		if n := f.Lang.ImportName(g, f, &f.IR.Imports[i], f.Targets[i]); n != "" {
			if f.Imports == nil {
				f.Imports = map[intern.Name]ir.Import{}
			}
			f.Imports[g.Names.Intern(n)] = ir.Import(i)
		}
	}
}

// OutsideOf is the target of something that is not in the index.
func (g *Family) OutsideOf(module string) Target {
	return Target{External: g.Names.Intern(module)}
}

// FileAt returns the node of a file, or 0.
func (g *Family) FileAt(p string) edge.ID {
	if f := g.Files[p]; f != nil {
		return f.ID
	}
	return 0
}

// ResolveNamed is for languages whose packages are declared in the files: Java,
// Kotlin, C#, PHP.
func (g *Family) ResolveNamed(f *File, i *ir.ImportInfo) Target {
	module := f.IR.String(i.Module)
	id := g.lookEntity(EntityKey{Kind: edge.NamespaceNode, Name: g.Names.Intern(f.Lang.Family)})
	at := id
	parts := Split(module)
	for n, segment := range parts {
		next := g.Lookspace(at, g.Names.Intern(segment))
		if next == 0 {
			// The rest may be classes: import a.B.C, import static a.B.m.
			if c := g.nestedClass(at, parts[n:]); c != 0 {
				return Target{In: []edge.ID{c}}
			}
			return g.OutsideOf(module)
		}
		at = next
	}
	if at == 0 {
		return g.OutsideOf(module)
	}
	if n := f.IR.String(i.Name); n != "" && n != "*" && n != "=" {
		if len(g.Find(g.Bag(at), f.Names[i.Name])) == 0 && g.Lookspace(at, f.Names[i.Name]) == 0 {
			return g.OutsideOf(module)
		}
	}
	return Target{In: []edge.ID{at}}
}

// nestedClass follows a path of class names from a namespace.
func (g *Family) nestedClass(at edge.ID, parts []string) edge.ID {
	b := g.Bag(at)
	id := edge.ID(0)
	for _, segment := range parts {
		id = 0
		for _, m := range g.Find(b, g.Names.Intern(segment)) {
			if m.Kind == ir.ClassMember {
				id = m.ID
				break
			}
		}
		if id == 0 {
			return 0
		}
		e := &g.Entities[id]
		nb := &Bag{}
		if e.File != nil {
			for _, m := range e.File.IR.Classes[e.Ref].Members {
				nb.Add(e.File.entryOf(m))
			}
		}
		b = nb
	}
	return id
}

// BySuffix returns the files whose path ends with the segments of another path.
func (g *Family) BySuffix(p string) []string {
	p = strings.TrimPrefix(path.Clean(strings.TrimLeft(p, "./")), "/")
	if g.Suffixes == nil {
		g.Suffixes = map[string][]string{}
		for _, q := range g.Paths() {
			g.Suffixes[path.Base(q)] = append(g.Suffixes[path.Base(q)], q)
		}
	}
	var out []string
	for _, q := range g.Suffixes[path.Base(p)] {
		if q == p || strings.HasSuffix(q, "/"+p) {
			out = append(out, q)
		}
	}
	return out
}

// Nearest returns the path that shares the most folders with a file's.
func (g *Family) Nearest(f *File, paths []string) edge.ID {
	best, shared := "", -1
	for _, p := range paths {
		n := 0
		for n < len(p) && n < len(f.Path) && p[n] == f.Path[n] {
			n++
		}
		if n > shared {
			best, shared = p, n
		}
	}
	if best == "" {
		return 0
	}
	return g.FileAt(best)
}

// resolveByName is for languages without rules of their own: the file whose path
// ends like the imported one.
func (g *Family) resolveByName(f *File, i *ir.ImportInfo) Target {
	module := strings.Join(Split(f.IR.String(i.Module)), "/")
	ext := path.Ext(f.Path)
	for _, p := range []string{f.IR.String(i.Module), module + ext} {
		if p == "" || p == ext {
			continue
		}
		if id := g.Nearest(f, g.BySuffix(p)); id != 0 {
			return Target{In: []edge.ID{id}}
		}
	}
	return g.OutsideOf(f.IR.String(i.Module))
}

// Parent returns the folder that a folder is in, "" for the root.
func Parent(dir string) string {
	if d := path.Dir(dir); d != "." {
		return d
	}
	return ""
}

// MaxChain bounds the length of a chain of imports and re-exports.
const MaxChain = 16

// Folder returns the folder of a path, "" for the root.
func Folder(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}
