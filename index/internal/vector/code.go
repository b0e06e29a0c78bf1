package vector

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Code is a vector of a Rounded Store: the scale and the fine scale (float32,
// little-endian), then of each dimension the code in the lower and the fine code in the
// upper half of a byte, codeZero added to each; then, where the Store keeps tokens and the
// vector is not to be replaced, the codes of its tokens.
type Code []byte

// zeroCodes is what the byte of a dimension is whose number is 0.
const zeroCodes = codeZero | codeZero<<4

// IsPlain reports whether a Code is of a vector that is to be replaced by a better one, see
// Options.Plain: all places from there on are 0.
func (o *Options) IsPlain(c Code) bool {
	return o.Plain > 0 && !slices.ContainsFunc(c[8+o.Plain:8+o.Dim], func(w uint8) bool { return w != zeroCodes })
}

// CodeBytes returns the length of the Code that some bytes begin with; more than there are
// where that is cut off.
func (o *Options) CodeBytes(data []byte) int {
	n := 8 + o.Dim
	if len(data) >= n && !o.IsPlain(data) {
		n += o.tokenBytes()
	}
	return n
}

// AppendCode appends the Code of an id's vector to dst, nothing where it has none or
// the Store is not Rounded.
func (s *Store) AppendCode(dst []byte, id uint32) Code {
	slot, ok := s.arena.slot(id)
	if !ok || !s.arena.Rounded {
		return dst
	}
	b, p := s.arena.blocks[slot/blockRows], int(slot%blockRows)
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(b.scale[p]))
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(b.fineScale[p]))
	n := len(dst)
	dst = append(dst, make([]byte, s.arena.Dim)...)
	both := s.arena.both(slot)
	fine, codes := both[:len(both)/2], both[len(both)/2:]
	const half = fineDims / 2
	for i := range s.arena.Dim {
		at, shift := i/fineDims*half+i%half, i%fineDims/half*4
		dst[n+i] = codes[at]>>shift&0xf | fine[at]>>shift<<4
	}
	return append(dst, s.arena.tokens(slot)...)
}

// AddCode is Add of a vector that AppendCode or a Coder gave. Bytes that they cannot have
// given are an error.
func (s *Store) AddCode(id uint32, code Code) error {
	a := &s.arena
	if len(code) == 0 {
		s.Remove(id)
		return nil
	}
	if want := a.CodeBytes(code); !a.Rounded || len(code) != want {
		return fmt.Errorf("vector: id %d: a code of %d bytes, want %d", id, len(code), want)
	}
	code, tokens := code[:8+a.Dim], code[8+a.Dim:]
	if !areTokens(tokens) {
		return fmt.Errorf("vector: id %d has a token of no code", id)
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(code))
	fineScale := math.Float32frombits(binary.LittleEndian.Uint32(code[4:]))
	x, y := float64(scale), float64(fineScale)
	cc, cf, ff := squares(code[8:])
	if square := x*x*cc + 2*x*y*cf + y*y*ff; !(math.Abs(square-1) <= 1e-5) { // also catches NaN
		return fmt.Errorf("vector: id %d has a code of length %g, want 1", id, math.Sqrt(square))
	}
	slot, known := s.place(id)
	b, p := a.blocks[slot/blockRows], int(slot%blockRows)
	b.scale[p], b.fineScale[p] = scale, fineScale
	// All that the row adds to its codes is that its numbers, of at most 1, are float32.
	b.rest[p] = float32((math.Abs(y)*math.Sqrt(ff) + roundedRest) * (1 + 1e-6))
	b.fineRest[p] = roundedRest
	woven := a.pad(code[8:])
	packCodes(b.codes, p, woven[:a.width])
	packRow(a.both(slot), woven)
	if b.lead != nil {
		b.lead.set(p, scale, fineScale, code[8:][:a.Plain])
	}
	a.mark(slot, a.IsPlain(code))
	if len(tokens) > 0 {
		a.putTokens(slot, tokens)
	}
	return s.enter(id, slot, known)
}

// roundedRest is more than the length of what is lost when the numbers of a vector of unit
// length are rounded to float32, 2^-24 of each at most.
const roundedRest = 1e-7

// squares returns the squares of the lengths of codes and of fine codes, and their product.
func squares(woven []uint8) (cc, cf, ff float64) {
	var a, b, d int
	for _, w := range woven {
		c, f := int(w&0xf)-codeZero, int(w>>4)-codeZero
		a += c * c
		b += c * f
		d += f * f
	}
	return float64(a), float64(b), float64(d)
}

// pad returns woven codes with zeros up to narrow.
func (a *arena) pad(woven []uint8) []uint8 {
	if len(woven) == a.narrow {
		return woven
	}
	return append(slices.Grow(slices.Clone(woven), a.narrow-len(woven)), bytes.Repeat([]byte{zeroCodes}, a.narrow-len(woven))...)
}
