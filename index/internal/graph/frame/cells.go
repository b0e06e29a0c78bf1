package frame

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// A Mark is what an evaluation has done to a cell: a slice by cell, in which an older
// number means nothing, where a map would have to be cleared for each unit.
type Mark struct {
	read, wrote uint32 // the evaluation that did it last
	part        uint32 // the part that read it last
	Added       pointsto.Set
}

func (fr *Frame) mark(at uint32) *Mark {
	fr.Marks.Extend(int(at) + 1)
	return fr.Marks.At(at)
}

// Cell reads a cell.
func (fr *Frame) Cell(key pointsto.CellKey) pointsto.Set {
	if fr.UnitNumber == 0 {
		return 0
	}
	at := fr.Family.Cell(key)
	if fr.Family.Entering != nil {
		fr.Family.Entering(at)
	}
	m := fr.mark(at)
	if m.read != fr.round {
		m.read = fr.round
		fr.Reads = append(fr.Reads, at)
	}
	s := fr.Family.Cells.At(at).Value
	if m.part != fr.part {
		m.part = fr.part
		fr.now.Reads = append(fr.now.Reads, program.Reading{At: at, Value: s})
	}
	return s
}

// Write adds to the cell of a key.
func (fr *Frame) Write(key pointsto.CellKey, s pointsto.Set) {
	if s == 0 || !fr.Writes() {
		return
	}
	at := fr.Family.Cell(key)
	m := fr.mark(at)
	if m.wrote != fr.round {
		m.wrote, m.Added = fr.round, 0
		fr.Written = append(fr.Written, at)
	}
	m.Added = fr.Family.Values.Union(m.Added, s)
}

// Stored are the elements of a container of a form, those stored elsewhere
// included.
func (fr *Frame) Stored(form uint32, elems pointsto.Set) pointsto.Set {
	g := fr.Family
	if !fr.File.Lang.SharedStores {
		return elems
	}
	out := elems
	for _, v := range g.Values.Elems(elems) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Decl {
			if c := g.ClassOf(v); c != nil && g.AbstractType(c) {
				out = g.Union(out, fr.Cell(pointsto.CellKey{Kind: pointsto.StoreCell, ID: c.ID, Sub: form}))
			}
		}
	}
	return out
}

// StoreAs keeps values by the type of a container.
func (fr *Frame) StoreAs(i pointsto.Info, s pointsto.Set) {
	g := fr.Family
	args := g.Values.Args(i.Args)
	if len(args) == 0 {
		return
	}
	for _, v := range g.Values.Elems(args[len(args)-1]) {
		if c := g.ClassOf(v); c != nil && g.AbstractType(c) {
			fr.Write(pointsto.CellKey{Kind: pointsto.StoreCell, ID: c.ID, Sub: i.ID}, s)
		}
	}
}

// FormsOf are the built-in forms of containers.
func (fr *Frame) FormsOf(containers pointsto.Set) []intern.Name {
	g := fr.Family
	var out []intern.Name
	add := func(i pointsto.Info) {
		if i.Kind != pointsto.Generic || !program.BuiltinForms[g.Names.Text[i.ID]] {
			return
		}
		for _, n := range out {
			if n == intern.Name(i.ID) {
				return
			}
		}
		out = append(out, intern.Name(i.ID))
	}
	for _, v := range g.Values.Elems(containers) {
		add(g.Values.Info[v])
		if c := g.ClassOf(v); c != nil {
			for _, w := range g.Values.Elems(c.Target) {
				add(g.Values.Info[w])
			}
		}
	}
	return out
}

// PutItem puts values under a key of a literal.
func (fr *Frame) PutItem(id edge.ID, key string, s pointsto.Set) {
	if s == 0 {
		return
	}
	fr.Write(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(fr.Family.Names.Intern(key))}, s)
	fr.Write(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(fr.Family.Names.Intern(pointsto.AnyItem))}, s)
}

// GetItem is what lies under a key of a literal.
func (fr *Frame) GetItem(id edge.ID, key string) pointsto.Set {
	if key == pointsto.SomeItem {
		return fr.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(fr.Family.Names.Intern(pointsto.AnyItem))})
	}
	return fr.Family.Union(fr.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(fr.Family.Names.Intern(key))}),
		fr.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(fr.Family.Names.Intern(pointsto.SomeItem))}))
}

// UnderAnyKey reports whether a literal has a name by keys alone that are computed: then
// what lies there may be what the name means, among all that lies under such keys.
func (fr *Frame) UnderAnyKey(id edge.ID, n intern.Name) bool {
	g := fr.Family
	if fr.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(n)}) != 0 || len(g.Find(g.Foreign[g.Entities[id].Name], n)) > 0 {
		return false
	}
	for _, from := range g.Elems(fr.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(g.Names.Intern("copy"))})) {
		if fr.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: edge.ID(g.Values.Info[from].ID), Sub: uint32(n)}) != 0 {
			return false
		}
	}
	return true
}

// Undeclared are the values of a field that is assigned and never declared.
func (fr *Frame) Undeclared(mro []program.Ancestor, n intern.Name) pointsto.Set {
	out := pointsto.Set(0)
	for _, s := range mro {
		if l := s.Class.File.Lang; l.Dynamic {
			out = fr.Family.Union(out, fr.Cell(pointsto.CellKey{Kind: pointsto.AttrCell, ID: s.Class.ID, Sub: uint32(n)}))
			if !l.SplitsStatic && !l.ClassMethodsApart { // an instance has what its class has
				out = fr.Family.Union(out, fr.Cell(pointsto.CellKey{Kind: pointsto.StaticCell, ID: s.Class.ID, Sub: uint32(n)}))
			}
		}
	}
	return out
}

// DecoratedMember is what the decorators of a method leave in its place. Without
// evaluation, in declarations, it is the method.
func (fr *Frame) DecoratedMember(m program.Entry) pointsto.Set {
	if fr.UnitNumber == 0 {
		return fr.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)})
	}
	return fr.Cell(pointsto.CellKey{Kind: pointsto.StaticCell, ID: fr.Family.CanonicalID(fr.Family.Entities[m.ID].Outer), Sub: uint32(m.Name)})
}
