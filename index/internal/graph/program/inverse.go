package program

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
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
