package intern

import "slices"

// A Pool interns sequences of numbers in one slice, with an open hash table of
// four bytes a slot: a map of strings would cost ten times the numbers themselves.
type Pool[T ~uint32] struct {
	data  []T
	Ends  []uint32 // ends[i] is where sequence i ends in data; i-1's end is where it begins
	table []uint32 // numbers, at their hashes; 0: empty
}

// Init empties the pool.
func (p *Pool[T]) Init() {
	p.data, p.Ends, p.table = nil, make([]uint32, 1), make([]uint32, 64)
}

// Get returns a sequence; that of 0 is empty.
func (p *Pool[T]) Get(n uint32) []T {
	if n == 0 {
		return nil
	}
	return p.data[p.Ends[n-1]:p.Ends[n]:p.Ends[n]]
}

// Put interns a sequence, which is not empty.
func (p *Pool[T]) Put(seq []T) uint32 {
	mask := uint32(len(p.table) - 1)
	at := hashOf(seq) & mask
	for ; p.table[at] != 0; at = (at + 1) & mask {
		if slices.Equal(p.Get(p.table[at]), seq) {
			return p.table[at]
		}
	}
	n := uint32(len(p.Ends))
	p.data = append(p.data, seq...)
	p.Ends = append(p.Ends, uint32(len(p.data)))
	p.table[at] = n
	if len(p.Ends)*4 > len(p.table)*3 {
		p.grow()
	}
	return n
}

func (p *Pool[T]) grow() {
	p.table = make([]uint32, len(p.table)*2)
	mask := uint32(len(p.table) - 1)
	for n := uint32(1); n < uint32(len(p.Ends)); n++ {
		at := hashOf(p.Get(n)) & mask
		for p.table[at] != 0 {
			at = (at + 1) & mask
		}
		p.table[at] = n
	}
}

// hashOf is FNV-1a over whole numbers, mixed at the end.
func hashOf[T ~uint32](seq []T) uint32 {
	h := uint64(14695981039346656037)
	for _, x := range seq {
		h = (h ^ uint64(x)) * 1099511628211
	}
	return uint32(h ^ h>>32)
}
