package vector

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Code is a vector of a Rounded Store in CodeBytes bytes: the scale and the fine
// scale (float32, little-endian), then of each dimension the code in the lower and the
// fine code in the upper half of a byte, codeZero added to each.
type Code []byte

// CodeBytes is the length of a Code of dim dimensions.
func CodeBytes(dim int) int { return 8 + dim }

// AppendCode appends the Code of an id's vector to dst, nothing where it has none or
// the Store is not Rounded.
func (s *Store) AppendCode(dst []byte, id uint32) Code {
	slot, ok := s.arena.slot(id)
	if !ok || !s.arena.round {
		return dst
	}
	b, p := s.arena.blocks[slot/blockRows], int(slot%blockRows)
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(b.scale[p]))
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(b.fineScale[p]))
	n := len(dst)
	dst = append(dst, make([]byte, s.arena.dim)...)
	both := s.arena.both(slot)
	fine, codes := both[:len(both)/2], both[len(both)/2:]
	const half = fineDims / 2
	for i := range s.arena.dim {
		at, shift := i/fineDims*half+i%half, i%fineDims/half*4
		dst[n+i] = codes[at]>>shift&0xf | fine[at]>>shift<<4
	}
	return dst
}

// AddCode is Add of a vector that AppendCode gave. Bytes that it cannot have given are
// an error.
func (s *Store) AddCode(id uint32, code Code) error {
	a := &s.arena
	if !a.round || len(code) != CodeBytes(a.dim) {
		return fmt.Errorf("vector: id %d: a code of %d bytes, want %d", id, len(code), CodeBytes(a.dim))
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(code))
	fineScale := math.Float32frombits(binary.LittleEndian.Uint32(code[4:]))
	codes, fine := a.scratch[:len(a.scratch)-a.narrow], a.scratch[len(a.scratch)-a.narrow:]
	square := 0.0
	for i, b := range code[8:] {
		codes[i], fine[i] = int8(b&0xf)-codeZero, int8(b>>4)-codeZero
		x := float64(scale)*float64(codes[i]) + float64(fineScale)*float64(fine[i])
		square += x * x
	}
	if !(math.Abs(square-1) <= 1e-5) { // also catches NaN
		return fmt.Errorf("vector: id %d has a code of length %g, want 1", id, math.Sqrt(square))
	}
	slot, known := s.place(id)
	b, p := a.blocks[slot/blockRows], int(slot%blockRows)
	b.scale[p], b.fineScale[p] = scale, fineScale
	pack(b.codes, p, codes[:a.width])
	packFine(a.fine(slot), fine)
	a.settle(slot, codes, fine)
	return s.enter(id, a.written, known)
}

// unitScales returns the scales that give codes unit length.
func unitScales(scale, fineScale float32, codes, fine []int8) (float32, float32) {
	square := 0.0
	for i := range fine {
		x := float64(scale)*float64(codes[i]) + float64(fineScale)*float64(fine[i])
		square += x * x
	}
	length := math.Sqrt(square)
	return float32(float64(scale) / length), float32(float64(fineScale) / length)
}

// settle writes the row that a slot's codes and scales say to a.written, and notes
// what they leave out. codes is 0 beyond dim and at least narrow long.
func (a *arena) settle(slot uint32, codes, fine []int8) {
	b, p := a.blocks[slot/blockRows], int(slot%blockRows)
	packFine(a.both(slot)[a.narrow/2:], codes)
	row := a.written
	s, t := float64(b.scale[p]), float64(b.fineScale[p])
	var rest, least float64
	for i := range row {
		coarse := s * float64(codes[i])
		row[i] = float32(coarse + t*float64(fine[i]))
		x := float64(row[i]) - coarse
		y := x - t*float64(fine[i])
		rest += x * x
		least += y * y
	}
	// The same allowances as in quantize.
	b.rest[p] = float32(math.Sqrt(rest+1e-10) * (1 + 1e-6))
	b.fineRest[p] = float32(math.Sqrt(least+1e-10) * (1 + 1e-6))
}
