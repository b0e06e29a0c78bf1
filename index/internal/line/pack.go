package line

import "slices"

// Pack moves parts that are alone, and those of blocks most of whose parts belong to none
// of the filters, into blocks of 64. It returns, for each filter, the one to put in its
// place, nil where it can stay. A word of a full block says of 64 parts whether they have a
// trigram, so that to rule out all texts of a tree takes microseconds; what Pack takes is
// in proportion to what it moves, some 10 µs for a block.
func Pack(filters []*Filter) (packed []*Filter) {
	live := map[*Block]int{}
	for _, f := range filters {
		for _, c := range f.parts {
			if c.block.columns > 1 {
				live[c.block]++
			}
		}
	}
	type spot struct{ filter, part int }
	loose := map[int][]spot{} // by size
	at := func(s spot) column { return filters[s.filter].parts[s.part] }
	packed = make([]*Filter, len(filters))
	put := func(s spot, c column) {
		if packed[s.filter] == nil {
			packed[s.filter] = &Filter{parts: slices.Clone(filters[s.filter].parts), whole: filters[s.filter].whole}
		}
		packed[s.filter].parts[s.part] = c
	}
	for i, f := range filters {
		for j, c := range f.parts {
			if c.block.columns > 1 && live[c.block]*2 >= c.block.columns {
				continue
			}
			size := c.block.size()
			group := append(loose[size], spot{i, j})
			if len(group) == maxColumns {
				columns := make([]column, len(group))
				for n, s := range group {
					columns[n] = at(s)
				}
				b := join(size, columns)
				for n, s := range group {
					put(s, column{b, uint8(n)})
				}
				group = group[:0]
			}
			loose[size] = group
		}
	}
	for _, group := range loose {
		for _, s := range group {
			if c := at(s); c.block.columns > 1 { // or a whole block lives on for it
				put(s, column{c.block.single(c.n), 0})
			}
		}
	}
	return packed
}

// size is that of the blocks of its parts, if they were alone.
func (b *Block) size() int {
	if b.columns == 1 {
		return len(b.rows)
	}
	return len(b.rows) / 64
}

// single returns one part of a block alone.
func (b *Block) single(n uint8) *Block {
	if b.columns == 1 {
		return b
	}
	s := &Block{rows: make([]uint64, len(b.rows)/64), columns: 1, wide: b.wide >> n & 1}
	for i, row := range b.rows {
		s.rows[i/64] |= (row >> n & 1) << (i % 64)
	}
	return s
}

// join returns a block of 64 parts of one size.
func join(size int, columns []column) *Block {
	b := &Block{rows: make([]uint64, size*64), columns: len(columns)}
	for n, c := range columns {
		s := c.block.single(c.n)
		b.wide |= s.wide << n
		for i, word := range s.rows {
			b.rows[i*64+n] = word
		}
	}
	for i := range size {
		transpose((*[64]uint64)(b.rows[i*64:]))
	}
	return b
}

// transpose makes bit j of word i bit i of word j (Hacker's Delight, 2nd edition, 7-3, from
// the low bit up).
func transpose(m *[64]uint64) {
	mask := uint64(0x00000000FFFFFFFF)
	for width := 32; width != 0; width >>= 1 {
		for i := 0; i < 64; i = (i + width + 1) &^ width {
			swap := (m[i]>>width ^ m[i+width]) & mask
			m[i] ^= swap << width
			m[i+width] ^= swap
		}
		mask ^= mask << (width >> 1)
	}
}
