package vector

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Late interaction (the MaxSim of ColBERT; Khattab and Zaharia, SIGIR 2020): each token of a
// question is compared with the nearest token of a document, instead of one vector with one.
// A Store keeps the vectors of a document's tokens in codes of 4 bits, one after the other,
// in words of eight as the codes of a block have them (see blockRows): so they make a tile,
// and the kernel that scans the vectors compares them, too.

// tokenStep is what a code is worth in the vector of a token. All have the same one: their
// lengths say how much a token counts. A number of such a vector is seldom more than half.
// Another one needs another persist.ContentVersion.
const tokenStep = 0.5 / maxCode

// checkTokens returns an error where a Store cannot have such tokens.
func (o *Options) checkTokens() error {
	if o.Tokens == 0 && o.TokenDim == 0 {
		return nil
	}
	if o.Tokens < 1 || o.Tokens > tileRows || o.TokenDim < wordDims || o.TokenDim > MaxDim || o.TokenDim%wordDims != 0 || !o.Rounded {
		return fmt.Errorf("vector: %d tokens of %d numbers cannot be kept", o.Tokens, o.TokenDim)
	}
	return nil
}

// tokenBytes is what the codes of a vector's tokens take.
func (o *Options) tokenBytes() int { return o.Tokens * o.TokenDim / 2 }

// appendTokens appends the codes of the vectors of tokens, and then those of tokens that are 0.
func (o *Options) appendTokens(dst []byte, tokens []float32) ([]byte, error) {
	if len(tokens) > o.Tokens*o.TokenDim || o.TokenDim > 0 && len(tokens)%o.TokenDim != 0 {
		return dst, fmt.Errorf("vector: tokens of %d numbers, want %d of %d", len(tokens), o.Tokens, o.TokenDim)
	}
	at := len(dst)
	dst = slices.Grow(dst, o.tokenBytes())[:at+o.tokenBytes()]
	for i := range dst[at:] {
		dst[at+i] = zeroCodes
	}
	for i, x := range tokens {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return dst[:at], fmt.Errorf("vector: a token with the number %v", x)
		}
		code := uint8(int(nearest(float64(x)/tokenStep, maxCode)) + codeZero)
		to, shift := tokenAt(i)
		dst[at+to] = dst[at+to]&^(0xf<<shift) | code<<shift
	}
	return dst, nil
}

// tokenAt is where the code of a number is among those of tokens: in which byte, and in which
// half of it.
func tokenAt(i int) (at, shift int) {
	return i/wordDims*wordBytes + i%wordBytes, i % wordDims / wordBytes * 4
}

// areTokens reports whether appendTokens can have given some bytes: no half of them is 0.
func areTokens(codes []byte) bool {
	for ; len(codes) >= 8; codes = codes[8:] {
		if w := binary.LittleEndian.Uint64(codes); (w-lowestBits)&^w&highestBits != 0 {
			return false
		}
	}
	return !slices.ContainsFunc(codes, func(b byte) bool { return b&0xf == 0 || b>>4 == 0 })
}

// Of each half of eight bytes.
const (
	lowestBits  = 0x11111111_11111111
	highestBits = 0x88888888_88888888
)

// putTokens keeps the codes of a slot's tokens. Memory for them is taken a block at a time, so
// that vectors without tokens need none.
func (a *arena) putTokens(slot uint32, codes []byte) {
	b := a.blocks[slot/blockRows]
	if b.tokens == nil {
		b.tokens = make([]uint8, blockRows*a.tokenBytes())
	}
	copy(b.tokens[int(slot%blockRows)*a.tokenBytes():], codes)
}

// tokens returns the codes of a slot's tokens, nil where it has none.
func (a *arena) tokens(slot uint32) []uint8 {
	if a.Tokens == 0 || a.isMarked(slot) {
		return nil
	}
	n := a.tokenBytes()
	return a.blocks[slot/blockRows].tokens[int(slot%blockRows)*n:][:n]
}

// Tokens returns the vectors of the tokens of id, one after the other, as they are kept; nil
// where there are none.
func (s *Store) Tokens(id uint32) []float32 {
	slot, ok := s.arena.slot(id)
	if !ok {
		return nil
	}
	codes := s.arena.tokens(slot)
	if codes == nil {
		return nil
	}
	all := make([]float32, 2*len(codes))
	for i := range all {
		at, shift := tokenAt(i)
		all[i] = tokenStep * float32(int(codes[at]>>shift&0xf)-codeZero)
	}
	return all
}

// A Late compares the tokens of a question with those of a Store's vectors. It is used by one
// goroutine, under the conditions of Store.Search.
type Late struct {
	arena  *arena
	tokens []query // digits, stream and offset of each
	step   float64 // a number of a token is so many times its digit
	total  float64 // of the lengths of the tokens
	tile   []uint8 // room for the tokens of a vector
	dots   [tileRows]int32
}

// Late begins a comparison with the tokens of a question, vectors of Options.TokenDim numbers
// one after the other. There may be none.
func (s *Store) Late(tokens []float32) *Late {
	l := &Late{arena: &s.arena}
	var most float64
	for _, x := range tokens {
		most = max(most, math.Abs(float64(x)))
	}
	dim := s.arena.TokenDim
	if dim == 0 || !(most > 0) || math.IsInf(most, 0) { // also catches NaN
		return l
	}
	l.step = most / maxDigit
	width := roundUp(dim)
	stream := width / wordDims * groupBytes
	l.tile = make([]uint8, tileRows/groupRows*stream)
	digits := make([]int8, len(tokens)/dim*width)
	for token := range slices.Chunk(tokens, dim) {
		q := query{digits: digits[:width], stream: stream}
		digits = digits[width:]
		for i, x := range token {
			q.digits[i] = int8(nearest(float64(x)/l.step, maxDigit))
			q.offset += codeZero * int32(q.digits[i])
		}
		l.tokens = append(l.tokens, q)
		l.total += plain.length(token)
	}
	return l
}

// With returns how near the tokens of the question are to those of id: the mean of the product
// of each with the token whose product is greatest, by their lengths. It is 0 where either
// has none.
func (l *Late) With(id uint32) float64 {
	slot, ok := l.arena.slot(id)
	if !ok || len(l.tokens) == 0 {
		return 0
	}
	codes := l.arena.tokens(slot)
	if codes == nil {
		return 0
	}
	l.lay(codes)
	sum := 0
	for i := range l.tokens {
		l.arena.kernel.dots(&l.dots, l.tile, l.tile, &l.tokens[i])
		sum += int(slices.Max(l.dots[:l.arena.Tokens]))
	}
	return float64(sum) * l.step * tokenStep / l.total
}

// lay writes tokens to the tile as the slots of a block lie in one. What was in its other
// slots, and where the digits of a question are 0, stays there.
func (l *Late) lay(codes []uint8) {
	words := l.arena.TokenDim / wordDims
	for i := 0; len(codes) > 0; i, codes = i+1, codes[wordBytes:] {
		t, w := i/words, i%words
		at := t/groupRows*l.tokens[0].stream + w*groupBytes + t%groupRows*wordBytes
		copy(l.tile[at:at+wordBytes], codes)
	}
}
