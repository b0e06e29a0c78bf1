package vector

import "slices"

// Clone returns an independent copy of the Store. It copies every vector, and leaves
// chromem out: it scans at every size, which gives the same answer. It needs the same
// access as Search.
func (s *Store) Clone() *Store {
	a := &s.arena
	c := &Store{arena: newArena(a.Options), flatAbove: -1, slack: s.slack}
	c.arena.blocks = make([]*block, len(a.blocks))
	for i, b := range a.blocks {
		c.arena.blocks[i] = &block{
			vectors: slices.Clone(b.vectors), // nil of nil
			codes:   slices.Clone(b.codes), scale: b.scale, rest: b.rest,
			fine: slices.Clone(b.fine), fineScale: b.fineScale, fineRest: b.fineRest, marks: slices.Clone(b.marks),
			tokens: slices.Clone(b.tokens), // nil of nil
		}
		if b.lead != nil {
			own := *b.lead
			c.arena.blocks[i].lead = &own
		}
	}
	c.arena.ids, c.arena.slots, c.arena.free = slices.Clone(a.ids), slices.Clone(a.slots), slices.Clone(a.free)
	c.arena.live, c.arena.marked = a.live, a.marked
	return c
}
