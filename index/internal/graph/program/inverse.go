package program

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Inverse lists, for each node, the units with an edge to it, in order. Most lists have
// one unit or two and never change: they lie in one slice, where a map of slices takes
// fifty bytes for each node. A list that an edit has changed is on the side.
type Inverse struct {
	base    intern.Lists
	changed map[edge.ID][]uint32
}

// NewInverse makes the inverse of the edges that each calls yield with, unit by unit in
// order, over nodes below bound.
func NewInverse(bound int, each func(yield func(to edge.ID, unit uint32))) *Inverse {
	v := &Inverse{base: intern.Lists{Ends: make([]uint32, bound)}, changed: map[edge.ID][]uint32{}}
	last := make([]uint32, bound) // the unit that a node was last entered for
	count := func(to edge.ID, unit uint32) {
		if last[to] != unit {
			last[to] = unit
			v.base.Ends[to]++
		}
	}
	each(count)
	v.base.Data = make([]uint32, intern.Summed(v.base.Ends))
	clear(last)
	each(func(to edge.ID, unit uint32) {
		if last[to] != unit {
			last[to] = unit
			v.base.Data[v.base.Ends[to]] = unit
			v.base.Ends[to]++
		}
	})
	return v
}

// Of returns the units with an edge to a node. They must not be changed.
func (v *Inverse) Of(id edge.ID) []uint32 {
	if list, ok := v.changed[id]; ok {
		return list
	}
	return v.base.Of(uint32(id))
}

// Insert enters a number.
func (v *Inverse) Insert(id edge.ID, unit uint32) { v.set(id, Insert(v.own(id), unit)) }

// Remove takes a number out.
func (v *Inverse) Remove(id edge.ID, unit uint32) { v.set(id, Without(v.own(id), unit)) }

// own returns a list that may be changed.
func (v *Inverse) own(id edge.ID) []uint32 {
	if list, ok := v.changed[id]; ok {
		return list
	}
	return slices.Clone(v.base.Of(uint32(id)))
}

func (v *Inverse) set(id edge.ID, list []uint32) {
	if len(list) == 0 && len(v.base.Of(uint32(id))) == 0 {
		delete(v.changed, id)
		return
	}
	v.changed[id] = list
}

// bytes is what the lists take, about.
func (v *Inverse) bytes() int64 {
	if v == nil {
		return 0
	}
	const entry = 48 // of the map, with a short list
	return v.base.Bytes() + entry*int64(len(v.changed))
}

// Insert puts a number into a list in order.
func Insert(list []uint32, n uint32) []uint32 {
	if at, ok := slices.BinarySearch(list, n); !ok {
		return slices.Insert(list, at, n)
	}
	return list
}

// Without takes a number out of a list in order.
func Without(list []uint32, n uint32) []uint32 {
	if at, ok := slices.BinarySearch(list, n); ok {
		return slices.Delete(list, at, at+1)
	}
	return list
}

// StaticBelow adds to what is read of an instance the static methods below its class that hide
// those that were found: which class the instance is of is not known.
func (g *Family) StaticBelow(s, recv pointsto.Set, anyCount bool) pointsto.Set {
	out := s
	for _, r := range g.Elems(recv) {
		k := g.ClassOf(r)
		if k == nil || g.Values.Info[r].Kind != pointsto.Decl {
			continue
		}
		for _, v := range g.Elems(s) {
			i := g.Values.Info[v]
			if i.Kind != pointsto.Func {
				continue
			}
			if fn := g.Func(edge.ID(i.ID)); fn == nil || fn.Flags&ir.Static == 0 {
				continue
			}
			for _, o := range g.Overrides(Dispatch{Class: k.ID, Method: edge.ID(i.ID), AnyCount: anyCount}) {
				i.ID = uint32(o.ID)
				out = g.Union(out, g.Values.Single(g.Values.Intern(i)))
			}
		}
	}
	return out
}

// Promised are the methods of the traits that a block around a method is written for, in place of
// which it runs.
func (g *Family) Promised(method edge.ID) (list []edge.ID) {
	part := g.Classes[g.Entities[method].Outer]
	if part == nil || part.Info.Kind != ir.Extends || len(part.Own) == 0 {
		return nil
	}
	for _, v := range g.Elems(part.Own[0].Values) {
		k := g.ClassOf(v)
		if k == nil || k.Info.Kind != ir.Trait {
			continue
		}
		for _, m := range g.Declared(k, g.Entities[method].Name) {
			if m.Kind == ir.FuncMember && m.ID != method {
				list = append(list, m.ID)
			}
		}
	}
	return list
}

// DeclaredOnly reports whether a function is the signature of another one of the list, which
// is no value: what a decorator for overloads leaves.
func (g *Family) DeclaredOnly(m Entry, list []Entry) bool {
	fn, f := g.Func(m.ID), g.Entities[m.ID].File
	if m.Kind != ir.FuncMember || fn == nil || fn.Flags&ir.Prototype == 0 || f == nil || !f.Lang.Decorates {
		return false
	}
	return slices.ContainsFunc(list, func(o Entry) bool {
		other := g.Func(o.ID)
		return o.Kind == ir.FuncMember && other != nil && other.Flags&ir.Prototype == 0 && g.Entities[o.ID].File == f
	})
}
