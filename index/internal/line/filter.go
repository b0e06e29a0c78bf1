package line

import (
	"math/bits"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// PartSize is how much of a text one column of postings stands for, in bytes.
const PartSize = 4 << 10

// window is how much of a literal is looked for in postings, in bytes: so many more than
// it has, less one, a part knows of the one after it, so that none is cut in two.
const window = 32

// A Filter says which trigrams (triples of bytes) each part of a text may contain, so that
// most texts need not be searched for a literal that they do not have, and of a long one
// only some parts. ASCII letters count as lower case, so that one filter serves both kinds
// of search. It never says no if there is a match. It never changes.
//
// Its bits are in blocks, which it may have in common with other texts: see Pack.
type Filter struct {
	parts []column
	whole *Block // of all of the text; nil: there is none
}

// A column of a block is one part.
type column struct {
	block *Block
	n     uint8
}

// maxColumns is how many parts a block has at most: the bits of a word.
const maxColumns = 64

// A Block is the postings of up to 64 parts: for each place that trigrams are hashed to,
// the parts that have one of them. It never changes.
type Block struct {
	// rows has one word for each place, with a bit for each part; that of one part
	// alone one bit for each place.
	rows    []uint64
	columns int
	wide    uint64 // parts of texts that have more than ASCII
}

// density is how many places a part gets for each of its trigrams. One place in three is
// taken then: of a literal of ten bytes one part in 7,000 is wrongly admitted. Of 10,761 files
// of the Go distribution, 96 MB, filters take 10.3 MB, blocks of whole texts included; posting
// lists of trigram and file, in bytes of differences, would take 15, and know no parts.
const density = 2.5

// someParts are so many that their text has a block of its own, besides theirs: a fifth more.
const someParts = 4

// sizes are the numbers of words in the blocks of parts that are alone. Parts of one size
// can be packed. Each is a fourth more than the one before, or less.
var sizes = []int{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128}

// NewFilter returns the filter of a text.
func NewFilter(text []byte) *Filter {
	f := &Filter{parts: make([]column, max((len(text)+PartSize-1)/PartSize, 1))}
	var seen [1 << partHash / 64]uint64
	var all byte
	for i := range f.parts {
		from := i * PartSize
		clear(seen[:])
		all |= mark(seen[:], text[from:min(from+PartSize+window-1, len(text))], spread, partHash)
		at, _ := slices.BinarySearch(sizes, words(seen[:]))
		f.parts[i].block = &Block{rows: shrink(seen[:], sizes[min(at, len(sizes)-1)], partHash), columns: 1}
	}
	if len(f.parts) >= someParts {
		f.whole = newWhole(text, 1)
	}
	if all >= utf8.RuneSelf {
		for _, c := range f.parts {
			c.block.wide = 1
		}
	}
	return f
}

// NewDense is NewFilter for a text that is not in memory: the filter is seldom wrong, since
// to read the text takes long.
func NewDense(text []byte) *Filter {
	f := NewFilter(text)
	f.whole = newWhole(text, 3)
	return f
}

// newWhole returns the block of a whole text, some times as large as those of parts.
func newWhole(text []byte, times int) *Block {
	seen, _ := wholeSeen.Get().(*[1 << wholeHash / 64]uint64)
	if seen == nil {
		seen = new([1 << wholeHash / 64]uint64)
	}
	defer wholeSeen.Put(seen)
	clear(seen[:])
	mark(seen[:], text, spreadWhole, wholeHash)
	return &Block{rows: shrink(seen[:], times*words(seen[:])+1, wholeHash), columns: 1}
}

// wholeSeen are the memory of newWhole, 128 KB each.
var wholeSeen sync.Pool

// What hashes trigrams. That of whole texts is another one, so that those which meet in a
// part do not meet there.
const (
	spread      = 0x9E3779B1 // Fibonacci hashing
	spreadWhole = 0x85EBCA6B // a constant of MurmurHash3
	partHash    = 15         // bits of a hash: so many that few trigrams of a part meet
	wholeHash   = 20
)

// mark sets the bits of the hashes of all trigrams of a text, and returns all bits that its
// bytes have.
func mark(seen []uint64, text []byte, spread uint32, hash int) (all byte) {
	var triple uint32
	for i, c := range text {
		all |= c
		if triple = triple<<8 | uint32(lower[c]); i >= 2 {
			bit := triple << 8 * spread >> (32 - hash) // the shift drops the fourth byte
			seen[bit/64] |= 1 << (bit % 64)
		}
	}
	return all
}

// words is how many those of a block are for what has been marked.
func words(seen []uint64) int {
	n := 0
	for _, word := range seen {
		n += bits.OnesCount64(word)
	}
	return int(float64(n) * density / 64)
}

// shrink makes so many words of what has been marked.
func shrink(seen []uint64, words, hash int) []uint64 {
	rows := make([]uint64, words)
	for i, word := range seen {
		for ; word != 0; word &= word - 1 {
			bit := (i*64 + bits.TrailingZeros64(word)) * words * 64 >> hash
			rows[bit/64] |= 1 << (bit % 64)
		}
	}
	return rows
}

// place is the place of the triple in the low three bytes, of n.
func place(triple, spread uint32, hash int, n uint64) uint64 {
	return uint64(triple<<8*spread>>(32-hash)) * n >> hash
}

// lower are the bytes with the capital letters of ASCII made small.
var lower = func() (table [256]byte) {
	for c := range table {
		table[c] = small(byte(c))
	}
	return table
}()

func small(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// triples returns the trigrams of each literal. Where one has none, nothing can be ruled
// out: nil.
func (l literals) triples() (all [][]uint32) {
	if l.shortest() < 3 {
		return nil
	}
	for _, literal := range l.any {
		literal = literal[:min(len(literal), window)]
		var list []uint32
		var triple uint32
		for i := range len(literal) {
			if triple = triple<<8 | uint32(lower[literal[i]]); i >= 2 {
				list = append(list, triple)
			}
		}
		all = append(all, list)
	}
	return all
}

// In returns the parts of a block that may have a literal that every match holds, or all
// that may be in a text with a match.
func (p *Pattern) In(b *Block) (parts uint64) {
	all := ^uint64(0) >> (maxColumns - b.columns)
	if p.wide {
		all &= b.wide
	}
	if p.trigrams == nil || all == 0 {
		return all
	}
	for _, list := range p.trigrams {
		parts |= b.all(list, spread, partHash, all)
	}
	return parts
}

// all returns which of some parts may have all trigrams of a list.
func (b *Block) all(triples []uint32, spread uint32, hash int, parts uint64) uint64 {
	if b.columns == 1 {
		n := uint64(len(b.rows)) * 64
		for _, t := range triples {
			if bit := place(t, spread, hash, n); b.rows[bit/64]&(1<<(bit%64)) == 0 {
				return 0
			}
		}
		return parts
	}
	n := uint64(len(b.rows))
	for _, t := range triples {
		if parts &= b.rows[place(t, spread, hash, n)]; parts == 0 {
			return 0
		}
	}
	return parts
}

// May reports whether a text with this filter may hold a match. If no literal of three
// bytes is in every match, every text may.
func (p *Pattern) May(f *Filter) bool {
	return p.MayWhole(f) && slices.ContainsFunc(f.parts, func(c column) bool { return p.In(c.block)>>c.n&1 != 0 })
}

// MayWhole is May without a look at the parts of a text.
func (p *Pattern) MayWhole(f *Filter) bool {
	return f.whole == nil || p.trigrams == nil ||
		slices.ContainsFunc(p.trigrams, func(list []uint32) bool { return f.whole.all(list, spreadWhole, wholeHash, 1) != 0 })
}

// Parts appends the numbers of those parts of a text in which a literal may begin that
// every match holds. several says that these are so few of many that it is worth while to
// look into them first, with Holds.
func (p *Pattern) Parts(f *Filter, dst []int) (parts []int, several bool) {
	if !p.MayWhole(f) {
		return dst, false
	}
	for i, c := range f.parts {
		if p.In(c.block)>>c.n&1 != 0 {
			dst = append(dst, i)
		}
	}
	return dst, p.trigrams != nil && len(dst)*3 <= len(f.parts)
}

// Reach is how far beyond a part a literal of p may go, in bytes.
func (p *Pattern) Reach() int {
	n := 0
	for _, text := range p.literal.any {
		n = max(n, len(text))
	}
	return n
}

// Holds reports whether a text has a literal that every match holds.
func (s *Searcher) Holds(text []byte) bool {
	l := &s.pattern.literal
	if l.fold {
		text = fold(&s.folded, text)
	}
	return l.finder(text)(0) >= 0
}

// Selective reports whether May can say no at all.
func (p *Pattern) Selective() bool { return p.wide || p.trigrams != nil }

// Blocks calls yield with the block of each part, and the part's number in that.
func (f *Filter) Blocks(yield func(b *Block, n uint8)) {
	for _, c := range f.parts {
		yield(c.block, c.n)
	}
}

// Columns is how many parts a block has.
func (b *Block) Columns() int { return b.columns }

// Bytes returns the memory that a block takes.
func (b *Block) Bytes() int64 { return int64(unsafe.Sizeof(*b)) + int64(cap(b.rows))*8 }

// Whole reports whether MayWhole can say no.
func (f *Filter) Whole() bool { return f.whole != nil }

// Bytes returns the memory that the filter takes, without the blocks of its parts.
func (f *Filter) Bytes() int64 {
	n := int64(unsafe.Sizeof(*f)) + int64(cap(f.parts))*int64(unsafe.Sizeof(column{}))
	if f.whole != nil {
		n += f.whole.Bytes()
	}
	return n
}

// wide reports whether every match holds a rune beyond ASCII.
func wide(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return slices.ContainsFunc(re.Rune, func(r rune) bool {
			// k and s have a third form beyond ASCII, of which they are folded.
			return r >= utf8.RuneSelf && (re.Flags&syntax.FoldCase == 0 || !foldsToASCII(r))
		})
	case syntax.OpCharClass:
		return len(re.Rune) > 0 && re.Rune[0] >= utf8.RuneSelf
	case syntax.OpCapture, syntax.OpPlus:
		return wide(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min > 0 && wide(re.Sub[0])
	case syntax.OpConcat:
		return slices.ContainsFunc(re.Sub, wide)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !wide(sub) })
	}
	return false
}

func foldsToASCII(r rune) bool {
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f < utf8.RuneSelf {
			return true
		}
	}
	return false
}
