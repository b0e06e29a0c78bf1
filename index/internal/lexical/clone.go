package lexical

import (
	"maps"
	"slices"
)

// Clone returns an independent copy of the Index. The postings, which are most of an Index,
// belong to both: neither writes to what it had when the clone was made. It needs the same
// access as Search; with 1.3 million terms it takes some 40 ms.
func (x *Index) Clone() *Index {
	c := New()
	c.dict = maps.Clone(x.dict)
	c.lists = slices.Clone(x.lists)
	for i := range c.lists {
		c.lists[i].postings = slices.Clip(c.lists[i].postings) // to append makes a copy
	}
	c.words = slices.Clone(x.words)
	c.docs, c.total, c.live, c.gone = x.docs, x.total, x.live, x.gone
	c.dead, c.purging, c.purged = slices.Clone(x.dead), slices.Clone(x.purging), x.purged
	c.idle, c.vacant = slices.Clone(x.idle), slices.Clone(x.vacant)
	return c
}
