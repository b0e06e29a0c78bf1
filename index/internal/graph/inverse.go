package graph

import "slices"

// inverse lists, for each node, the units with an edge to it, in order. Most lists have
// one unit or two and never change: they lie in one slice, where a map of slices takes
// fifty bytes for each node. A list that an edit has changed is on the side.
type inverse struct {
	base    lists
	changed map[ID][]uint32
}

// newInverse makes the inverse of the edges that each calls yield with, unit by unit in
// order, over nodes below bound.
func newInverse(bound int, each func(yield func(to ID, unit uint32))) *inverse {
	v := &inverse{base: lists{ends: make([]uint32, bound)}, changed: map[ID][]uint32{}}
	last := make([]uint32, bound) // the unit that a node was last entered for
	count := func(to ID, unit uint32) {
		if last[to] != unit {
			last[to] = unit
			v.base.ends[to]++
		}
	}
	each(count)
	v.base.data = make([]uint32, summed(v.base.ends))
	clear(last)
	each(func(to ID, unit uint32) {
		if last[to] != unit {
			last[to] = unit
			v.base.data[v.base.ends[to]] = unit
			v.base.ends[to]++
		}
	})
	return v
}

// of returns the units with an edge to a node. They must not be changed.
func (v *inverse) of(id ID) []uint32 {
	if list, ok := v.changed[id]; ok {
		return list
	}
	return v.base.of(uint32(id))
}

func (v *inverse) insert(id ID, unit uint32) { v.set(id, insert(v.own(id), unit)) }

func (v *inverse) remove(id ID, unit uint32) { v.set(id, without(v.own(id), unit)) }

// own returns a list that may be changed.
func (v *inverse) own(id ID) []uint32 {
	if list, ok := v.changed[id]; ok {
		return list
	}
	return slices.Clone(v.base.of(uint32(id)))
}

func (v *inverse) set(id ID, list []uint32) {
	if len(list) == 0 && len(v.base.of(uint32(id))) == 0 {
		delete(v.changed, id)
		return
	}
	v.changed[id] = list
}

// bytes is what the lists take, about.
func (v *inverse) bytes() int64 {
	if v == nil {
		return 0
	}
	const entry = 48 // of the map, with a short list
	return sizeOf(v.base.ends) + sizeOf(v.base.data) + entry*int64(len(v.changed))
}
