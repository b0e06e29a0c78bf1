package tokenizer

import "math/bits"

// windowBytes is the length of a window: a bit of a word for each byte.
const windowBytes = 64

// window adds the known pieces that begin and end in the 64 bytes of s from at on, where
// no piece is under way, and returns how many bytes are done with: up to the piece that
// goes on behind them. 0: that is the first.
//
// Where pieces begin and end is found for all bytes at once, without a branch for each
// that nobody can guess.
func (t *Identifiers) window(bag *Bag, s string, at int) int {
	lower, upper := letters(s[at : at+windowBytes])
	all := lower | upper
	begin := upper&^(upper<<1) | upper&(upper<<1)&(lower>>1) | lower&^(all<<1)
	end := all << 1 & (begin | ^all)
	for end != 0 {
		if bag.total >= bag.limit {
			return windowBytes
		}
		i, j := bits.TrailingZeros64(begin), bits.TrailingZeros64(end)
		begin, end = begin&(begin-1), end&(end-1)
		if n := j - i; n >= minLetters && n <= maxLetters {
			if id := t.lookup(makeKey(s, at+i, n)); id >= 0 {
				bag.add(id)
			}
		}
	}
	return bits.TrailingZeros64(begin) // 64 of none
}

// letters returns the sets of lower-case and of upper-case letters of the 64 bytes of s.
func letters(s string) (lower, upper uint64) {
	const (
		every = 0x01010101_01010101
		top   = 0x80 * every
		last  = 0x01020408_10204080 // gathers the lowest bits of eight bytes in the top one
	)
	for i := 0; i < windowBytes; i += 8 {
		x := load(s[i:])
		// Seven bits and what makes a carry of them from 'a' on, and from behind 'z'.
		y := x&^top | 0x20*every
		letter := (y + (0x80-'a')*every) &^ (y + (0x7f-'z')*every) &^ x & top
		small := letter & (x << 2) // 0x20, which tells them apart
		lower |= small >> 7 * last >> 56 << i
		upper |= (letter &^ small) >> 7 * last >> 56 << i
	}
	return lower, upper
}
