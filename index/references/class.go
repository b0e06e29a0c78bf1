package references

import (
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/texts"
	"github.com/quarry-search/quarry/index/references/typing"
)

// maxAncestors bounds how many classes above one are looked at.
const maxAncestors = 64

// inClass says whether the instance that code on a line belongs to has the target.
func (f *file) inClass(line int) string {
	for i := f.Innermost(line); i >= 0; i = f.Record.Around(i) {
		t := &f.Record.Symbols[i]
		name := typing.LastPart(t.Parent)
		if store.Runs(t.Kind()) && name == f.s.parent {
			return f.ofClass()
		}
		if store.Runs(t.Kind()) && name != "" && f.Lang == "rust" && f.s.has(name) {
			return ""
		}
		if !typing.IsType(string(t.Kind())) {
			continue
		}
		if t.Name == f.s.parent {
			return f.ofClass()
		}
		if f.s.has(t.Name) {
			if f.s.holds && f.s.hasKin(t.Name) {
				return byName
			}
			return ""
		}
		for _, id := range f.s.G.Named(f.Path, t.Name, int(t.NameLine)) {
			if f.s.class != 0 && f.descends(id) {
				return scoped
			}
		}
		return byName
	}
	return byName
}

// inModule says whether self, on a line of Ruby, is the module that the target is in, or may be.
func (f *file) inModule(line int) string {
	for i := f.Innermost(line); i >= 0; i = f.Record.Around(i) {
		switch t := &f.Record.Symbols[i]; {
		case store.Runs(t.Kind()):
		case t.Qualified() == f.s.at.Sym().Parent:
			return scoped
		case f.s.has(t.Name):
			return ""
		case typing.IsType(string(t.Kind())) || t.Kind() == syntax.Module:
			return byName
		}
	}
	return ""
}

// descends reports whether a class inherits from the target's.
func (f *file) descends(id graph.ID) bool { return f.s.inherits(id, f.s.class) }

// inherits reports whether a class inherits from another.
func (s *search) inherits(id, from graph.ID) bool {
	seen := map[graph.ID]bool{id: true}
	next := []graph.ID{id}
	for len(next) > 0 && len(seen) < maxAncestors {
		id, next = next[0], next[1:]
		if id == from {
			return true
		}
		s.G.Out(id, func(e graph.Edge) bool {
			if (e.Kind == graph.Inherits || e.Kind == graph.Implements) && !seen[e.To] {
				seen[e.To] = true
				next = append(next, e.To)
			}
			return true
		})
	}
	return false
}

// hasKin reports whether a class of a name is above or below that of the target.
func (s *search) hasKin(name string) bool {
	if s.class == 0 {
		return false
	}
	for _, d := range s.index.Definitions(name) {
		t := &d.Record.Symbols[d.Symbol]
		if !typing.IsType(string(t.Kind())) || !store.SameCode(d.Record.Lang, s.lang) {
			continue
		}
		for _, id := range s.G.Named(d.Record.Path, t.Name, int(t.NameLine)) {
			if id != s.class && (s.inherits(id, s.class) || s.inherits(s.class, id)) {
				return true
			}
		}
	}
	return false
}

// leading says how sure it is that a type of a name is the target's class if it has that name. at is
// where the name stands, in this file or another one.
func (f *file) leading(name string, at typing.Declared) string {
	if name == "" {
		return ""
	}
	g := f
	if at.File != f.File {
		g = f.s.opened(at.File)
	}
	switch e := &g.IR.Exprs[at.X]; e.Op {
	case ir.Name:
		if info := g.ImportOf(g.IR.String(e.Name)); info != nil && info.Name != 0 {
			return g.leads(info)
		} else if name == f.s.parent {
			return g.bind(name)
		}
	case ir.Attr:
		of := &g.IR.Exprs[e.A]
		switch info := g.ImportOf(g.IR.String(of.Name)); {
		case name != f.s.parent:
		case of.Op == ir.Imported:
			return g.leads(&g.IR.Imports[of.Ref])
		case info != nil:
			return g.leads(info)
		default:
			return byName
		}
	case ir.ClassX:
		if g.Path == f.s.at.Record.Path {
			return exact
		}
	case ir.Imported:
		return g.leads(&g.IR.Imports[e.Ref])
	}
	return ""
}

// opened returns a file in which types are declared as one whose places are looked at.
func (s *search) opened(t *typing.File) *file {
	f := s.files[t]
	if f == nil {
		f = fileOf(s, &texts.Source{Path: t.Path, Record: t.Record, Traits: t.Record.Traits}, nil, t.Lang)
		f.File = t
		if s.files == nil {
			s.files = map[*typing.File]*file{}
		}
		s.files[t] = f
	}
	return f
}

// ofGoType says whether a member of a type of Go is the target. known is false where the type is not.
func (s *search) ofGoType(t *typing.GoType, name string) (confidence string, known bool) {
	if t == nil {
		return "", false
	}
	found, _ := s.types.Members(t, name)
	for _, d := range found {
		if d.Record == s.at.Record && int32(d.Symbol) == s.at.Symbol {
			return scoped, true
		}
	}
	return "", len(found) > 0
}

// has reports whether a type has a member of the target's name itself.
func (s *search) has(of string) bool {
	for _, d := range s.index.Definitions(s.name) {
		if parent := d.Record.Symbols[d.Symbol].Parent; typing.LastPart(parent) == of && graph.SameFamily(d.Record.Lang, s.lang) {
			return true
		}
	}
	return false
}
