// Package resolve has what is special about Rust: modules and crates, traits, macros, and what
// its standard library does with closures.
package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A parentModule is where a file of Rust is declared to be a module.
type parentModule struct {
	file   *program.File
	inline []string // the inline modules around the declaration
}

// parentsOf are the modules that declare each file to be a module of theirs.
func (l *language) parentsOf(g *program.Family) map[edge.ID][]parentModule {
	if l.parents == nil {
		l.parents = map[edge.ID][]parentModule{}
		for _, p := range g.Paths() {
			f := g.Files[p]
			for i := 1; i < len(f.IR.Imports); i++ {
				info := &f.IR.Imports[i]
				if info.Flags&ir.Mod == 0 {
					continue
				}
				module := f.IR.String(info.Module)
				if child := childModule(g, f, module); child != 0 && child != f.ID {
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
func (*language) Dirty(old *program.File, f *ir.File) []string {
	if (old == nil) != (f == nil) || modulesDiffer(old, f) {
		return []string{"crate", "super", "self"}
	}
	return nil
}

func modulesDiffer(old *program.File, f *ir.File) bool {
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
	return !slices.Equal(list(old.IR), list(f))
}

// childModule returns the file of a module that a file declares: "tcp", "inline::tcp",
// or a path that an attribute gives.
func childModule(g *program.Family, f *program.File, module string) edge.ID {
	if strings.HasSuffix(module, ".rs") {
		return g.FileAt(path.Join(f.Dir, module))
	}
	name := strings.ReplaceAll(module, "::", "/")
	dirs := []string{f.Dir}
	switch base := path.Base(f.Path); base {
	case "mod.rs", "lib.rs", "main.rs":
	default:
		// Other roots (tests, programs) have their modules next to them.
		dirs = []string{path.Join(f.Dir, strings.TrimSuffix(base, ".rs")), f.Dir}
	}
	for _, dir := range dirs {
		for _, p := range []string{path.Join(dir, name) + ".rs", path.Join(dir, name, "mod.rs")} {
			if id := g.FileAt(p); id != 0 {
				return id
			}
		}
	}
	return 0
}

// around returns the modules around one: most have one, the root of a crate none.
func (l *language) around(g *program.Family, module edge.ID) []edge.ID {
	at := &g.Entities[module]
	if at.Kind == edge.NamespaceNode {
		return []edge.ID{at.Outer}
	}
	if at.Kind != edge.FileNode || at.File == nil {
		return nil
	}
	var out []edge.ID
	for _, p := range l.parentsOf(g)[module] {
		id := p.file.ID
		for _, segment := range p.inline {
			id = g.Subspace(id, g.Names.Intern(segment))
		}
		out = append(out, id)
	}
	return out
}

// roots returns the roots of the crates that a file is a module of.
func (l *language) roots(g *program.Family, f *program.File) []edge.ID {
	var out []edge.ID
	open := []edge.ID{f.ID}
	for n := 0; n < len(open) && n < program.MaxNesting; n++ {
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
func (l *language) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	return (&rustPath{l: l, g: g, found: map[rustLook][]edge.ID{}}).target(f, i)
}

// A rustPath follows one path. It reads no resolved import, for it serves to
// resolve them, and looks for a name in a module once, for modules import one
// another.
type rustPath struct {
	l     *language
	g     *program.Family
	found map[rustLook][]edge.ID // what names are, none while they are looked for
}

type rustLook struct {
	in edge.ID
	n  intern.Name
}

func (r *rustPath) target(f *program.File, i *ir.ImportInfo) program.Target {
	g := r.g
	module := f.IR.String(i.Module)
	if i.Flags&ir.Mod != 0 {
		if id := childModule(g, f, module); id != 0 {
			return program.Target{In: []edge.ID{id}}
		}
		return program.Target{}
	}
	if module == "" { // use a; extern crate a;
		name := f.IR.String(i.Name)
		if in := r.head(f, name); len(in) > 0 {
			return program.Target{In: in, Whole: true}
		}
		return program.Target{External: g.Names.Intern(name), Whole: true}
	}
	first, rest, _ := strings.Cut(module, "::")
	in := r.head(f, first)
	if len(in) == 0 {
		switch first {
		case "crate", "self", "super":
			return program.Target{}
		}
		return g.OutsideOf(strings.ReplaceAll(module, "::", "."))
	}
	for rest != "" && len(in) > 0 {
		first, rest, _ = strings.Cut(rest, "::")
		var next []edge.ID
		for _, id := range in {
			if first == "super" {
				next = append(next, r.l.around(g, id)...)
			} else {
				next = append(next, r.named(id, g.Names.Intern(first))...)
			}
		}
		in = next
	}
	return program.Target{In: in}
}

// head is what a path in a file begins with.
func (r *rustPath) head(f *program.File, name string) []edge.ID {
	g := r.g
	switch name {
	case "self":
		return []edge.ID{f.ID}
	case "super":
		return r.l.around(g, f.ID)
	case "crate":
		return r.l.roots(g, f)
	}
	if in := r.named(f.ID, g.Names.Intern(name)); len(in) > 0 {
		return in
	}
	if id := r.l.externCrate(g, f, name); id != 0 {
		return []edge.ID{id}
	}
	return nil
}

// named finds a module or type of a name in a module: written there, declared
// there, or brought by a use.
func (r *rustPath) named(in edge.ID, n intern.Name) []edge.ID {
	look := rustLook{in, n}
	out, seen := r.found[look]
	if !seen {
		r.found[look] = nil
		out = r.look(in, n)
		r.found[look] = out
	}
	return out
}

// look is named, for the first time.
func (r *rustPath) look(in edge.ID, n intern.Name) []edge.ID {
	g := r.g
	var out []edge.ID
	list := g.Find(g.Bag(in), n)
	for _, m := range list {
		f := g.Entities[m.ID].File
		switch {
		case f == nil:
		case m.Kind == ir.ClassMember && f.IR.Classes[m.Ref].Kind == ir.Namespace:
			out = append(out, g.SpaceOf(f, ir.Class(m.Ref)))
		case m.Kind == ir.ClassMember:
			out = append(out, m.ID)
		case m.Kind == ir.ImportMember && f.IR.Imports[m.Ref].Flags&ir.Mod != 0:
			if id := childModule(g, f, f.IR.String(f.IR.Imports[m.Ref].Module)); id != 0 {
				out = append(out, id)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range list {
		if f := g.Entities[m.ID].File; f != nil && m.Kind == ir.ImportMember {
			out = append(out, r.brought(f, &f.IR.Imports[m.Ref], n)...)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range globs(g, in) {
		f := g.Entities[m.ID].File
		out = append(out, r.brought(f, &f.IR.Imports[m.Ref], n)...)
	}
	return out
}

// brought finds what an import brings under a name.
func (r *rustPath) brought(f *program.File, i *ir.ImportInfo, n intern.Name) []edge.ID {
	t := r.target(f, i)
	if t.Whole {
		return t.In
	}
	if f.IR.String(i.Name) != "*" {
		n = f.Names[i.Name]
	}
	var out []edge.ID
	for _, in := range t.In {
		out = append(out, r.named(in, n)...)
	}
	return out
}

// globs are the imports of everything in a module of Rust: those of an inline
// module are members of it, those of a file stand in none.
func globs(g *program.Family, in edge.ID) []program.Entry {
	if g.Entities[in].Kind == edge.NamespaceNode {
		return g.Find(g.Bag(in), g.Names.Intern("*"))
	}
	f := g.Entities[in].File
	if f == nil || g.Entities[in].Kind != edge.FileNode {
		return nil
	}
	var out []program.Entry
	for i := 1; i < len(f.IR.Imports); i++ {
		if info := &f.IR.Imports[i]; f.IR.String(info.Name) == "*" && info.Alias == 0 {
			out = append(out, program.Entry{Kind: ir.ImportMember, ID: f.ID, Ref: uint32(i)})
		}
	}
	return out
}

// rustWithin finds a name in a module of Rust: what is defined there, what a use
// brings, and what globs do. seen are the modules that were looked in.
func rustWithin(e *eval.Evaluator, in edge.ID, n intern.Name, chain int, seen []edge.ID) (pointsto.Set, bool) {
	g := e.Family
	if chain > program.MaxChain || slices.Contains(seen, in) {
		return 0, false
	}
	if g.Entities[in].Kind == edge.ClassNode {
		return e.Within(in, n, chain)
	}
	if list := g.Find(g.Bag(in), n); len(list) > 0 {
		s := e.Entries(list, chain)
		if !slices.ContainsFunc(list, func(m program.Entry) bool { return !conditional(g, m) }) {
			more, _ := fromGlobs(e, in, n, chain, append(seen, in))
			s = g.Union(s, more) // other builds may have it from a glob
		}
		return g.Union(s, ofBuilds(e, in, n, chain)), true
	}
	if sub := g.Lookspace(in, n); sub != 0 {
		return moduleSet(e, sub), true
	}
	return fromGlobs(e, in, n, chain, append(seen, in))
}

// conditional reports whether a member is an import that only some builds have.
func conditional(g *program.Family, m program.Entry) bool {
	f := g.Owner(m)
	return f != nil && m.Kind == ir.ImportMember && f.IR.Imports[m.Ref].Flags&ir.Conditional != 0
}

// fromGlobs finds a name in what the globs of a module bring: the first that has it.
func fromGlobs(e *eval.Evaluator, in edge.ID, n intern.Name, chain int, seen []edge.ID) (pointsto.Set, bool) {
	g := e.Family
	for _, m := range globs(g, in) {
		f := g.Entities[m.ID].File
		if f == nil || int(m.Ref) >= len(f.Targets) {
			continue
		}
		for _, next := range f.Targets[m.Ref].In {
			if s, ok := rustWithin(e, next, n, chain+1, seen); ok {
				return g.Union(s, ofBuilds(e, in, n, chain)), true
			}
		}
	}
	return 0, false
}

// ofBuilds is what is defined under a name in the modules of which a module has everything in
// some builds: any of them may be meant, also where the module defines the name, for other
// builds. What these import is not followed: it leads back, and that for each of them.
func ofBuilds(e *eval.Evaluator, in edge.ID, n intern.Name, chain int) (out pointsto.Set) {
	g := e.Family
	f := g.Entities[in].File
	if f == nil || !slices.ContainsFunc(f.IR.Imports, func(i ir.ImportInfo) bool { return i.Flags&ir.Conditional != 0 && i.Flags&ir.Mod == 0 }) {
		return 0
	}
	for _, m := range globs(g, in) {
		if !conditional(g, m) || int(m.Ref) >= len(f.Targets) {
			continue
		}
		for _, next := range f.Targets[m.Ref].In {
			defined := slices.DeleteFunc(slices.Clone(g.Find(g.Bag(next), n)), func(m program.Entry) bool { return m.Kind == ir.ImportMember })
			if next != in && len(defined) > 0 {
				out = g.Union(out, e.Entries(defined, chain+1))
			}
		}
	}
	return out
}

func moduleSet(e *eval.Evaluator, ids ...edge.ID) pointsto.Set {
	out := pointsto.Set(0)
	for _, id := range ids {
		out = e.Family.Union(out, e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(id)}))
	}
	return out
}
