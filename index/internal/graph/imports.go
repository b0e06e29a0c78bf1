package graph

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// modules is what the configuration files of the root say about names of modules.
type modules struct {
	go_     []prefix // module paths of go.mod files, longest first
	scripts *scripts
	crates  []crate // packages of Cargo
}

func newModules(configs map[string][]byte) *modules {
	m := &modules{scripts: newScripts(configs)}
	for p, text := range configs {
		dir := folder(p)
		switch path.Base(p) {
		case "go.mod":
			if name := modulePath(text); name != "" {
				m.go_ = append(m.go_, prefix{name, []string{dir}})
			}
		case "Cargo.toml":
			m.cargo(dir, text)
		}
	}
	slices.SortFunc(m.go_, func(a, b prefix) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.dirs[0], b.dirs[0]))
	})
	return m
}

// A prefix maps the beginning of an import path to folders.
type prefix struct {
	text string
	dirs []string
}

// IsConfig reports whether a file decides what imports lead to.
func IsConfig(p string) bool {
	switch base := path.Base(p); base {
	case "go.mod", "package.json", "Cargo.toml":
		return true
	default:
		return strings.HasPrefix(base, "tsconfig") && strings.HasSuffix(base, ".json") || base == "jsconfig.json"
	}
}

// configures returns the name of the part whose imports a file for which IsConfig holds
// decides.
func configures(p string) string {
	switch path.Base(p) {
	case "go.mod":
		return "go"
	case "Cargo.toml":
		return "rust"
	}
	return "javascript"
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
		f.targets[i] = f.lang.resolve(g, f, &f.ir.Imports[i])
	}
	g.nameImports(f)
}

// nameImports notes the local names of imports that do not say them.
func (g *family) nameImports(f *file) {
	if f.lang.importName == nil {
		return
	}
	f.imports = map[name]ir.Import{}
	for i := 1; i < len(f.ir.Imports); i++ {
		if n := f.lang.importName(g, f, &f.ir.Imports[i], f.targets[i]); n != "" {
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

// globalImports are the namespaces that global using directives of other files
// bring into every file (C#).
func (g *family) globalImports(f *file) []ID {
	if f.lang.family != "csharp" {
		return nil
	}
	if g.globals == nil {
		g.globals = []ID{}
		for _, p := range g.paths() {
			o := g.files[p]
			if o.lang.family != "csharp" {
				continue
			}
			for i := 1; i < len(o.ir.Imports); i++ {
				if o.ir.Imports[i].Flags&ir.Global == 0 || o.targets == nil {
					continue
				}
				for _, in := range o.targets[i].in {
					if !slices.Contains(g.globals, in) {
						g.globals = append(g.globals, in)
					}
				}
			}
		}
	}
	return g.globals
}

// resolveInclude is for C and C++: the file whose path ends like the included one,
// the nearest to the including file where there are several.
func (g *family) resolveInclude(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if i.Flags&ir.Include == 0 {
		return g.resolveUsing(f, i)
	}
	if id := g.fileAt(path.Join(f.dir, module)); id != 0 && i.Flags&ir.System == 0 {
		return target{in: []ID{id}}
	}
	if i.Flags&ir.System != 0 && libraryHeader(module) {
		return g.outsideOf(module)
	}
	if id := g.nearest(f, g.bySuffix(module)); id != 0 {
		return target{in: []ID{id}}
	}
	return g.outsideOf(module)
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

// resolveRuby finds required files. Constants are found by name in any case.
func (g *family) resolveRuby(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if strings.HasPrefix(module, "./") || strings.HasPrefix(module, "../") {
		if id := g.fileAt(path.Join(f.dir, module) + ".rb"); id != 0 {
			return target{in: []ID{id}}
		}
		if id := g.fileAt(path.Join(f.dir, module)); id != 0 {
			return target{in: []ID{id}}
		}
		return target{}
	}
	if id := g.nearest(f, g.bySuffix(strings.TrimSuffix(module, ".rb")+".rb")); id != 0 {
		return target{in: []ID{id}}
	}
	return g.outsideOf(module)
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

// modulePath returns the path in the module line of a go.mod file, "" where there is none.
func modulePath(text []byte) string {
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("module"))
		name := bytes.TrimSpace(rest)
		if !ok || len(name) == 0 || len(name) == len(rest) {
			continue
		}
		if name[0] == '"' || name[0] == '`' {
			path, err := strconv.Unquote(string(name))
			if err != nil {
				return ""
			}
			return path
		}
		return string(name)
	}
	return ""
}
