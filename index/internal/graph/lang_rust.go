package graph

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// cargo notes the crate of a Cargo.toml.
func (m *modules) cargo(dir string, text []byte) {
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		if k, v, ok := strings.Cut(line, "="); ok && section == "[package]" && strings.TrimSpace(k) == "name" {
			name := strings.ReplaceAll(strings.Trim(strings.TrimSpace(v), `"'`), "-", "_")
			m.crates[name] = path.Join(dir, "src/lib.rs")
		}
	}
}

// resolveRust follows a path of modules.
func (g *Graph) resolveRust(f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if i.Flags&ir.Mod != 0 {
		if id := g.rustChild(f, module); id != 0 {
			return target{in: []ID{id}}
		}
		return target{}
	}
	e := g.static(f, 1, 0)
	at := set(0)
	for n, segment := range split(module) {
		if n == 0 {
			s, ok := specialRust(e, segment)
			if !ok {
				if list := g.find(g.bag(f.id), g.names.intern(segment)); len(list) > 0 {
					s = e.entries(list, 1)
				} else if root, ok := g.config().crates[segment]; ok {
					s = e.moduleSet(g.fileAt(root))
				}
			}
			at = s
			continue
		}
		at = e.attrValues(at, g.names.intern(segment))
	}
	var t target
	for _, v := range g.elems(at) {
		switch x := g.values.info[v]; x.kind {
		case vModule, vClass:
			t.in = append(t.in, ID(x.id))
		}
	}
	if len(t.in) == 0 {
		return g.outsideOf(module)
	}
	return t
}

func (e *eval) moduleSet(id ID) set {
	if id == 0 {
		return 0
	}
	return e.single(valueInfo{kind: vModule, id: uint32(id)})
}

// rustChild returns the file of a module that a file declares.
func (g *Graph) rustChild(f *file, name string) ID {
	dir := f.dir
	switch base := path.Base(f.path); base {
	case "mod.rs", "lib.rs", "main.rs":
	default:
		dir = path.Join(dir, strings.TrimSuffix(base, ".rs"))
	}
	if id := g.fileAt(path.Join(dir, name) + ".rs"); id != 0 {
		return id
	}
	return g.fileAt(path.Join(dir, name, "mod.rs"))
}

// rustParent returns the file of the module that declares a file's.
func (g *Graph) rustParent(f *file) ID {
	dir := f.dir
	if path.Base(f.path) == "mod.rs" {
		dir = path.Dir(dir)
	}
	for _, p := range []string{"mod.rs", "lib.rs", "main.rs"} {
		if id := g.fileAt(path.Join(dir, p)); id != 0 && id != f.id {
			return id
		}
	}
	return g.fileAt(dir + ".rs")
}

// specialRust gives the heads of paths: crate, self, super.
func specialRust(e *eval, n string) (set, bool) {
	g := e.g
	switch n {
	case "self":
		return e.moduleSet(e.f.id), true
	case "super":
		return e.moduleSet(g.rustParent(e.f)), true
	case "crate":
		f := e.f
		for range maxNesting {
			up := g.rustParent(f)
			if up == 0 || g.entities[up].file == nil || up == f.id {
				break
			}
			if b := path.Base(f.path); b == "lib.rs" || b == "main.rs" {
				break
			}
			f = g.entities[up].file
		}
		return e.moduleSet(f.id), true
	}
	return 0, false
}

// specialSelf gives the words for the enclosing class (PHP).
func specialSelf(e *eval, n string) (set, bool) {
	switch n {
	case "self", "static":
		return e.classesOf(e.self(e.fn)), true
	}
	return 0, false
}
