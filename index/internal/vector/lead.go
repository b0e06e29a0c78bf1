package vector

import "math"

// A lead holds what a block's vectors are by their leading places alone, brought to unit
// length. So a question can leave out the others, and plain vectors and better ones are
// compared by the same measure.
type lead struct {
	lift  [blockRows]float32 // 1 / length of the leading places, 0 where that is less than leastLead
	scale [blockRows]float32 // lift times that of the block
	rest  [blockRows]float32 // length of the rest in these places, times lift; -Inf if the slot is free
}

// leastLead is how much of a vector its leading places must be to stand for it.
const leastLead = 0.5

// set notes the leading places of the p-th vector, whose codes and scales are given.
func (l *lead) set(p int, scale, fineScale float32, woven []uint8) {
	x, y := float64(scale), float64(fineScale)
	cc, cf, ff := squares(woven)
	l.lift[p] = 0
	if length := math.Sqrt(x*x*cc + 2*x*y*cf + y*y*ff); length >= leastLead {
		l.lift[p] = float32(1 / length)
	}
	lift := l.lift[p]
	l.scale[p] = scale * lift
	l.rest[p] = float32((math.Abs(y)*math.Sqrt(ff) + roundedRest) * float64(lift) * (1 + 1e-6))
}

// leads reports whether a query is of the leading places alone.
func (a *arena) leads(q []float32) bool { return a.Rounded && a.Plain > 0 && len(q) == a.Plain }

// lift returns what a product of a query with the vector in slot is multiplied by.
func (a *arena) lift(q []float32, slot uint32) float64 {
	if len(q) == a.Dim {
		return 1
	}
	return float64(a.blocks[slot/blockRows].lead.lift[slot%blockRows])
}
