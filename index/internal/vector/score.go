package vector

import (
	"math"
	"slices"
)

// score is the one definition of a score: of a stored vector v, which has unit
// length, with q of length norm. lift is 1, or what brings the leading places of v that q
// is of to unit length.
func (k kernel) score(q, v []float32, norm, lift float64) float32 {
	return float32(k.dot(q, v) * lift / norm)
}

// A measure is a query that exact scores are made of.
type measure struct {
	query []float32
	norm  float64   // length of query
	wide  []float64 // query with zeros up to narrow; empty where rows are made to be multiplied
	row   []float32 // room for one
}

// reset makes m ready for a query of length norm. Its memory is used again.
func (m *measure) reset(a *arena, q []float32, norm float64) {
	m.query, m.norm = q, norm
	m.row = slices.Grow(m.row[:0], a.narrow)[:a.narrow]
	m.wide = m.wide[:0]
	if a.Rounded && a.kernel == vnni {
		for _, x := range q {
			m.wide = append(m.wide, float64(x))
		}
		m.wide = append(m.wide, make([]float64, a.narrow-len(q))...)
	}
}

// score returns the score of the vector in slot.
func (a *arena) score(m *measure, slot uint32) float32 {
	if len(m.wide) > 0 {
		b, p := a.blocks[slot/blockRows], slot%blockRows
		if dot, ok := a.kernel.fastCoded(m.wide, a.both(slot), b.scale[p], b.fineScale[p]); ok {
			return float32(dot * a.lift(m.query, slot) / m.norm)
		}
	}
	return a.kernel.score(m.query, a.row(slot, m.row), m.norm, a.lift(m.query, slot))
}

// dot adds the products of equal places in 16 sums, place i in sum i modulo 16,
// and those pairwise. The products of float32 numbers are exact in float64, so a
// fused multiply-add gives the same sums: every machine and every kernel has the
// same result, bit by bit.
func (k kernel) dot(x, y []float32) float64 {
	var sums [16]float64
	y = y[:len(x)]
	whole := len(x) / 16
	if whole > 0 && !k.fastDot(&sums, x, y, whole) {
		plainDot(&sums, x, y, whole)
	}
	for i := whole * 16; i < len(x); i++ {
		sums[i%16] += float64(x[i]) * float64(y[i])
	}
	for n := 8; n > 0; n /= 2 {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	return sums[0]
}

// plainDot adds the products of the first 16*whole places to sums.
func plainDot(sums *[16]float64, x, y []float32, whole int) {
	for i := 0; i < whole*16; i += 16 {
		a, b := x[i:i+16], y[i:i+16]
		for j := range 16 {
			sums[j] += float64(a[j]) * float64(b[j])
		}
	}
}

// length returns the Euclidean length of v.
func (k kernel) length(v []float32) float64 { return math.Sqrt(k.dot(v, v)) }
