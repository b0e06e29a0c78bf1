package graph

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

var rustFamily = langFamily{
	name:   "rust",
	names:  map[string]string{"rust": "rust"},
	config: func(base string) bool { return base == "Cargo.toml" },
	make:   newRust,
}

// rust is the Language.
type rust struct {
	Default
	crates  []crate // of the root, made at the first use
	read    bool    // that they were
	parents map[ID][]parentModule
	macros  map[name][]ID
}

func newRust() map[string]*lang {
	var t traits
	t.closedModules, t.callMakes = true, true
	return map[string]*lang{"rust": {traits: t, Language: &rust{}}}
}

// Forget lets go of modules, macros and packages.
func (l *rust) Forget() { l.crates, l.read, l.parents, l.macros = nil, false, nil, nil }

// A parentModule is where a file of Rust is declared to be a module.
type parentModule struct {
	file   *file
	inline []string // the inline modules around the declaration
}

// parentsOf are the modules that declare each file to be a module of theirs.
func (l *rust) parentsOf(g *family) map[ID][]parentModule {
	if l.parents == nil {
		l.parents = map[ID][]parentModule{}
		for _, p := range g.paths() {
			f := g.files[p]
			for i := 1; i < len(f.ir.Imports); i++ {
				info := &f.ir.Imports[i]
				if info.Flags&ir.Mod == 0 {
					continue
				}
				module := f.ir.String(info.Module)
				if child := childModule(g, f, module); child != 0 && child != f.id {
					parent := parentModule{file: f}
					if inline := strings.Split(module, "::"); !strings.HasSuffix(module, ".rs") {
						parent.inline = inline[:len(inline)-1]
					}
					l.parents[child] = append(l.parents[child], parent)
				}
			}
		}
	}
	return l.parents
}

// Dirty are the heads of paths where the modules that a file declares have changed, or it
// is new or gone: for those, crate and super mean something else then.
func (*rust) Dirty(old *file, f *ir.File) []string {
	if (old == nil) != (f == nil) || modulesDiffer(old, f) {
		return []string{"crate", "super", "self"}
	}
	return nil
}

func modulesDiffer(old *file, f *ir.File) bool {
	if old == nil || f == nil {
		return false
	}
	list := func(f *ir.File) (out []string) {
		for _, i := range f.Imports {
			if i.Flags&ir.Mod != 0 {
				out = append(out, f.String(i.Module))
			}
		}
		return out
	}
	return !slices.Equal(list(old.ir), list(f))
}

// childModule returns the file of a module that a file declares: "tcp", "inline::tcp",
// or a path that an attribute gives.
func childModule(g *family, f *file, module string) ID {
	if strings.HasSuffix(module, ".rs") {
		return g.fileAt(path.Join(f.dir, module))
	}
	name := strings.ReplaceAll(module, "::", "/")
	dirs := []string{f.dir}
	switch base := path.Base(f.path); base {
	case "mod.rs", "lib.rs", "main.rs":
	default:
		// Other roots (tests, programs) have their modules next to them.
		dirs = []string{path.Join(f.dir, strings.TrimSuffix(base, ".rs")), f.dir}
	}
	for _, dir := range dirs {
		for _, p := range []string{path.Join(dir, name) + ".rs", path.Join(dir, name, "mod.rs")} {
			if id := g.fileAt(p); id != 0 {
				return id
			}
		}
	}
	return 0
}

// around returns the modules around one: most have one, the root of a crate none.
func (l *rust) around(g *family, module ID) []ID {
	at := &g.entities[module]
	if at.kind == NamespaceNode {
		return []ID{at.outer}
	}
	if at.kind != FileNode || at.file == nil {
		return nil
	}
	var out []ID
	for _, p := range l.parentsOf(g)[module] {
		id := p.file.id
		for _, segment := range p.inline {
			id = g.subspace(id, g.names.intern(segment))
		}
		out = append(out, id)
	}
	return out
}

// roots returns the roots of the crates that a file is a module of.
func (l *rust) roots(g *family, f *file) []ID {
	var out []ID
	open := []ID{f.id}
	for n := 0; n < len(open) && n < maxNesting; n++ {
		up := l.around(g, open[n])
		if len(up) == 0 && !slices.Contains(out, open[n]) {
			out = append(out, open[n])
		}
		for _, id := range up {
			if !slices.Contains(open, id) {
				open = append(open, id)
			}
		}
	}
	return out
}

// Resolve follows a path of modules.
func (l *rust) Resolve(g *family, f *file, i *ir.ImportInfo) target {
	return (&rustPath{l: l, g: g}).target(f, i)
}

// A rustPath follows one path. It reads no resolved import, for it serves to
// resolve them, and looks for a name in a module once, for modules import one
// another.
type rustPath struct {
	l    *rust
	g    *family
	seen []rustLook
}

type rustLook struct {
	in ID
	n  name
}

func (r *rustPath) target(f *file, i *ir.ImportInfo) target {
	g := r.g
	module := f.ir.String(i.Module)
	if i.Flags&ir.Mod != 0 {
		if id := childModule(g, f, module); id != 0 {
			return target{in: []ID{id}}
		}
		return target{}
	}
	if module == "" { // use a; extern crate a;
		name := f.ir.String(i.Name)
		if in := r.head(f, name); len(in) > 0 {
			return target{in: in, whole: true}
		}
		return target{external: g.names.intern(name), whole: true}
	}
	first, rest, _ := strings.Cut(module, "::")
	in := r.head(f, first)
	if len(in) == 0 {
		switch first {
		case "crate", "self", "super":
			return target{}
		}
		return g.outsideOf(strings.ReplaceAll(module, "::", "."))
	}
	for rest != "" && len(in) > 0 {
		first, rest, _ = strings.Cut(rest, "::")
		var next []ID
		for _, id := range in {
			if first == "super" {
				next = append(next, r.l.around(g, id)...)
			} else {
				next = append(next, r.named(id, g.names.intern(first))...)
			}
		}
		in = next
	}
	return target{in: in}
}

// head is what a path in a file begins with.
func (r *rustPath) head(f *file, name string) []ID {
	g := r.g
	switch name {
	case "self":
		return []ID{f.id}
	case "super":
		return r.l.around(g, f.id)
	case "crate":
		return r.l.roots(g, f)
	}
	if in := r.named(f.id, g.names.intern(name)); len(in) > 0 {
		return in
	}
	if id := r.l.externCrate(g, f, name); id != 0 {
		return []ID{id}
	}
	return nil
}

// named finds a module or type of a name in a module: written there, declared
// there, or brought by a use.
func (r *rustPath) named(in ID, n name) []ID {
	g := r.g
	if slices.Contains(r.seen, rustLook{in, n}) {
		return nil
	}
	r.seen = append(r.seen, rustLook{in, n})
	var out []ID
	list := g.find(g.bag(in), n)
	for _, m := range list {
		f := g.entities[m.id].file
		switch {
		case f == nil:
		case m.kind == ir.ClassMember && f.ir.Classes[m.ref].Kind == ir.Namespace:
			out = append(out, g.spaceOf(f, ir.Class(m.ref)))
		case m.kind == ir.ClassMember:
			out = append(out, m.id)
		case m.kind == ir.ImportMember && f.ir.Imports[m.ref].Flags&ir.Mod != 0:
			if id := childModule(g, f, f.ir.String(f.ir.Imports[m.ref].Module)); id != 0 {
				out = append(out, id)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range list {
		if f := g.entities[m.id].file; f != nil && m.kind == ir.ImportMember {
			out = append(out, r.brought(f, &f.ir.Imports[m.ref], n)...)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range globs(g, in) {
		f := g.entities[m.id].file
		out = append(out, r.brought(f, &f.ir.Imports[m.ref], n)...)
	}
	return out
}

// brought finds what an import brings under a name.
func (r *rustPath) brought(f *file, i *ir.ImportInfo, n name) []ID {
	t := r.target(f, i)
	if t.whole {
		return t.in
	}
	if f.ir.String(i.Name) != "*" {
		n = f.names[i.Name]
	}
	var out []ID
	for _, in := range t.in {
		out = append(out, r.named(in, n)...)
	}
	return out
}

// globs are the imports of everything in a module of Rust: those of an inline
// module are members of it, those of a file stand in none.
func globs(g *family, in ID) []entry {
	if g.entities[in].kind == NamespaceNode {
		return g.find(g.bag(in), g.names.intern("*"))
	}
	f := g.entities[in].file
	if f == nil || g.entities[in].kind != FileNode {
		return nil
	}
	var out []entry
	for i := 1; i < len(f.ir.Imports); i++ {
		if info := &f.ir.Imports[i]; f.ir.String(info.Name) == "*" && info.Alias == 0 {
			out = append(out, entry{kind: ir.ImportMember, id: f.id, ref: uint32(i)})
		}
	}
	return out
}

// Within finds a name in a module, as rustWithin.
func (*rust) Within(e *eval, in ID, n name, chain int) (s set, found, ok bool) {
	s, found = e.rustWithin(in, n, chain, nil)
	return s, found, true
}

// rustWithin finds a name in a module of Rust: what is defined there, what a use
// brings, and what globs do. seen are the modules that were looked in.
func (e *eval) rustWithin(in ID, n name, chain int, seen []ID) (set, bool) {
	g := e.g
	if chain > maxChain || slices.Contains(seen, in) {
		return 0, false
	}
	if g.entities[in].kind == ClassNode {
		return e.within(in, n, chain)
	}
	if list := g.find(g.bag(in), n); len(list) > 0 {
		return e.entries(list, chain), true
	}
	if sub := g.lookspace(in, n); sub != 0 {
		return e.moduleSet(sub), true
	}
	return e.fromGlobs(in, n, chain, append(seen, in))
}

// fromGlobs finds a name in what the globs of a module bring.
func (e *eval) fromGlobs(in ID, n name, chain int, seen []ID) (set, bool) {
	g := e.g
	for _, m := range globs(g, in) {
		f := g.entities[m.id].file
		if f == nil || int(m.ref) >= len(f.targets) {
			continue
		}
		for _, next := range f.targets[m.ref].in {
			if s, ok := e.rustWithin(next, n, chain+1, seen); ok {
				return s, true
			}
		}
	}
	return 0, false
}

// InModule finds a name at the top of a file or inline module, and last among the
// libraries of the workspace.
func (l *rust) InModule(e *eval, in ID, n name) (s set, found bool, rule Rule) {
	g := e.g
	if s, ok := e.rustWithin(in, n, 0, nil); ok {
		if list := g.find(g.bag(in), n); len(list) > 0 && list[0].kind != ir.ImportMember {
			return s, true, ByScope
		}
		return s, true, ByImport
	}
	if id := l.externCrate(g, e.f, g.names.text[n]); id != 0 {
		return e.moduleSet(id), true, ByImport
	}
	return e.external(n), false, 0
}

// Unknown is a value's name that nothing has: most likely a macro has made it.
// The few that the language has itself are outside, and so is what else a glob can
// have brought from outside.
func (*rust) Unknown(e *eval, s set, n name) set {
	text := e.g.names.text[n]
	if text == "" || text[0] < 'a' || text[0] > 'z' || text == "drop" {
		return s
	}
	return e.starExternal(e.f, n)
}

func (e *eval) moduleSet(ids ...ID) set {
	out := set(0)
	for _, id := range ids {
		out = e.g.union(out, e.single(valueInfo{kind: vModule, id: uint32(id)}))
	}
	return out
}

// Special gives the heads of paths: crate, self, super.
func (l *rust) Special(e *eval, n string) (set, bool) {
	switch n {
	case "self":
		return e.moduleSet(e.f.id), true
	case "super":
		return e.moduleSet(l.around(e.g, e.f.id)...), true
	case "crate":
		return e.moduleSet(l.roots(e.g, e.f)...), true
	}
	return 0, false
}
