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

// A Gauge compares one query with vectors by their ids. It is used by one goroutine, under the
// conditions of Store.Search.
type Gauge struct {
	store  *Store
	exact  measure
	query  *query // nil: there are no codes that are worth to be compared first
	within float32
}

// Gauge returns what compares q with vectors, nil where q has no direction. It must be closed.
func (s *Store) Gauge(q []float32) *Gauge {
	norm := s.norm(q)
	if norm == 0 {
		return nil
	}
	g, ok := s.gauges.Get().(*Gauge)
	if !ok {
		g = &Gauge{store: s}
	}
	a := &s.arena
	g.exact.reset(a, q, norm)
	g.query, g.within = nil, 0
	if a.Rounded && a.kernel != plain {
		g.query = newQuery(q, norm, a.width, a.narrow)
		g.within = roundedRest/leastLead*g.query.onRest + g.query.extra
	}
	return g
}

// Close gives the Gauge's memory back.
func (g *Gauge) Close() {
	if g != nil {
		g.exact.query, g.query = nil, nil // they are the caller's
		g.store.gauges.Put(g)
	}
}

// Score is Store.Score, 0 where there is no vector.
func (g *Gauge) Score(id uint32) float32 {
	slot, ok := g.store.arena.slot(id)
	if !ok {
		return 0
	}
	return g.store.arena.score(&g.exact, slot)
}

// Within is how far what Near gives may be from the scores.
func (g *Gauge) Within() float32 { return g.within }

// Near appends to dst what is Within of the score of each id, 0 where there is no vector and
// of no other: by the codes, in a fifth of the time that the scores take.
func (g *Gauge) Near(dst []float32, ids []uint32) []float32 {
	a := &g.store.arena
	for i, id := range ids {
		if i+ahead < len(ids) {
			if slot, ok := a.slot(ids[i+ahead]); ok {
				a.fetch(slot)
			}
		}
		slot, ok := a.slot(id)
		switch {
		case !ok:
			dst = append(dst, 0)
		case g.query == nil:
			dst = append(dst, a.score(&g.exact, slot))
		default:
			dst = append(dst, g.near(a, slot))
		}
	}
	return dst
}

func (g *Gauge) near(a *arena, slot uint32) float32 {
	b, p := a.blocks[slot/blockRows], slot%blockRows
	lift := a.lift(g.query.exact, slot)
	if lift == 0 {
		return 0 // as the score is
	}
	both := a.both(slot)
	half := len(both) / 2
	fine, coarse := a.kernel.fine(both[:half], g.query), a.kernel.fine(both[half:], g.query)
	near := float32(float64(g.query.step) * lift * (float64(b.scale[p])*float64(coarse) + float64(b.fineScale[p])*float64(fine)))
	if near == 0 {
		return math.SmallestNonzeroFloat32
	}
	return near
}
