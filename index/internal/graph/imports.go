package graph

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// IsConfig reports whether a file decides what imports lead to.
func IsConfig(p string) bool { return configures(p) != "" }

// configures returns the name of the family whose imports a file decides; "": none.
func configures(p string) string {
	for _, f := range langFamilies {
		if f.config != nil && f.config(path.Base(p)) {
			return f.name
		}
	}
	return ""
}

// configure enters a file for which IsConfig holds, or takes it out when text is nil.
func (g *family) configure(p string, text []byte) {
	if before, ok := g.configs[p]; ok == (text != nil) && bytes.Equal(before, text) {
		return
	}
	if text == nil {
		delete(g.configs, p)
	} else {
		g.configs[p] = slices.Clone(text)
	}
	g.stale = true
}

func split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == ':' || r == '\\' })
}

// resolveImports finds what each import of a file leads to.
func (g *family) resolveImports(f *file) {
	f.targets = make([]target, len(f.ir.Imports))
	for i := 1; i < len(f.ir.Imports); i++ {
		f.targets[i] = f.lang.Resolve(g, f, &f.ir.Imports[i])
	}
	g.nameImports(f)
}

// nameImports notes the local names of imports that do not say them.
func (g *family) nameImports(f *file) {
	f.imports = nil
	for i := 1; i < len(f.ir.Imports); i++ {
		if n := f.lang.ImportName(g, f, &f.ir.Imports[i], f.targets[i]); n != "" {
			if f.imports == nil {
				f.imports = map[name]ir.Import{}
			}
			f.imports[g.names.intern(n)] = ir.Import(i)
		}
	}
}

// outsideOf is the target of something that is not in the index.
func (g *family) outsideOf(module string) target {
	return target{external: g.names.intern(module)}
}

// fileAt returns the node of a file, or 0.
func (g *family) fileAt(p string) ID {
	if f := g.files[p]; f != nil {
		return f.id
	}
	return 0
}

// resolveNamed is for languages whose packages are declared in the files: Java,
// Kotlin, C#, PHP.
func (g *family) resolveNamed(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	id := g.lookEntity(entityKey{kind: NamespaceNode, name: g.names.intern(f.lang.family)})
	at := id
	parts := split(module)
	for n, segment := range parts {
		next := g.lookspace(at, g.names.intern(segment))
		if next == 0 {
			// The rest may be classes: import a.B.C, import static a.B.m.
			if c := g.nestedClass(at, parts[n:]); c != 0 {
				return target{in: []ID{c}}
			}
			return g.outsideOf(module)
		}
		at = next
	}
	if at == 0 {
		return g.outsideOf(module)
	}
	if n := f.ir.String(i.Name); n != "" && n != "*" && n != "=" {
		if len(g.find(g.bag(at), f.names[i.Name])) == 0 && g.lookspace(at, f.names[i.Name]) == 0 {
			return g.outsideOf(module)
		}
	}
	return target{in: []ID{at}}
}

// nestedClass follows a path of class names from a namespace.
func (g *family) nestedClass(at ID, parts []string) ID {
	b := g.bag(at)
	id := ID(0)
	for _, segment := range parts {
		id = 0
		for _, m := range g.find(b, g.names.intern(segment)) {
			if m.kind == ir.ClassMember {
				id = m.id
				break
			}
		}
		if id == 0 {
			return 0
		}
		e := &g.entities[id]
		nb := &bag{}
		if e.file != nil {
			for _, m := range e.file.ir.Classes[e.ref].Members {
				nb.add(e.file.entryOf(m))
			}
		}
		b = nb
	}
	return id
}

// bySuffix returns the files whose path ends with the segments of another path.
func (g *family) bySuffix(p string) []string {
	p = strings.TrimPrefix(path.Clean(strings.TrimLeft(p, "./")), "/")
	if g.suffixes == nil {
		g.suffixes = map[string][]string{}
		for _, q := range g.paths() {
			g.suffixes[path.Base(q)] = append(g.suffixes[path.Base(q)], q)
		}
	}
	var out []string
	for _, q := range g.suffixes[path.Base(p)] {
		if q == p || strings.HasSuffix(q, "/"+p) {
			out = append(out, q)
		}
	}
	return out
}

// nearest returns the path that shares the most folders with a file's.
func (g *family) nearest(f *file, paths []string) ID {
	best, shared := "", -1
	for _, p := range paths {
		n := 0
		for n < len(p) && n < len(f.path) && p[n] == f.path[n] {
			n++
		}
		if n > shared {
			best, shared = p, n
		}
	}
	if best == "" {
		return 0
	}
	return g.fileAt(best)
}

// resolveByName is for languages without rules of their own: the file whose path
// ends like the imported one.
func (g *family) resolveByName(f *file, i *ir.ImportInfo) target {
	module := strings.Join(split(f.ir.String(i.Module)), "/")
	ext := path.Ext(f.path)
	for _, p := range []string{f.ir.String(i.Module), module + ext} {
		if p == "" || p == ext {
			continue
		}
		if id := g.nearest(f, g.bySuffix(p)); id != 0 {
			return target{in: []ID{id}}
		}
	}
	return g.outsideOf(f.ir.String(i.Module))
}

// parent returns the folder that a folder is in, "" for the root.
func parent(dir string) string {
	if d := path.Dir(dir); d != "." {
		return d
	}
	return ""
}
