package vector

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// tileRows is the number of slots that are multiplied and compared at a time.
// Their codes, 8 KB for 256 dimensions, stay in the L1 cache from one query of a
// batch to the next.
const tileRows = 64

// scan multiplies every slot with every selection's query.
func (a *arena) scan(batch []*selection) {
	for first := 0; first < len(a.ids); first += tileRows {
		codes := a.codes(first)
		next := codes
		if first+tileRows < len(a.ids) {
			next = a.codes(first + tileRows)
		}
		for _, sel := range batch {
			sel.take(a, first, codes, next)
		}
	}
}

// A selection finds the best k. A scan fills in the products and notes the k
// that look best; finish does the rest.
type selection struct {
	query   *query
	k       int
	keep    func(uint32) bool
	leading bool // the query is of the leading places alone

	dots  []int32     // of every slot with the query
	asked []uint64    // a bit for each slot that keep was asked for
	found []candidate // what looks best so far
	floor float32     // the k-th best approximate score so far

	order  []float32 // for nthGreatest
	slots  []uint32  // for finish
	narrow []bound   // as above
	exact  measure
}

type candidate struct {
	slot  uint32
	score float32
}

// noFloor is below every score, and above what free and refused slots have.
const noFloor = -4

// refused is the product of a slot that keep refused: an approximate score of
// -70 at most, since scale*step is at least 1/(127*maxCode*MaxDim).
const refused = math.MinInt32

// reset makes s ready for a search. Its memory is used again: the products of a
// large store are more than is well allocated for each search.
func (s *selection) reset(a *arena, q *query, k int, keep func(uint32) bool) {
	s.query, s.k, s.keep, s.floor, s.leading = q, k, keep, noFloor, a.leads(q.exact)
	tiles := (len(a.ids) + tileRows - 1) / tileRows
	s.dots = slices.Grow(s.dots[:0], tiles*tileRows)[:tiles*tileRows]
	s.found = slices.Grow(s.found[:0], max(512, 4*k))
	s.asked = s.asked[:0]
	s.exact.reset(a, q.exact, q.norm)
	if keep != nil {
		s.asked = slices.Grow(s.asked, tiles)[:tiles]
		clear(s.asked)
	}
}

// take computes the products of the tile that begins with slot first.
func (s *selection) take(a *arena, first int, codes, next []uint8) {
	dots := (*[tileRows]int32)(s.dots[first:])
	a.kernel.dots(dots, codes, next, s.query)
	scale, _ := a.tile(first, s.leading)
	for m := s.over(a, first, 0, s.floor); m != 0; m &= m - 1 {
		j := bits.TrailingZeros64(m)
		score := approx(dots[j], scale[j], s.query.step)
		if score < s.floor || !s.allows(a, first+j) {
			continue // the floor has risen since the tile was compared
		}
		s.found = append(s.found, candidate{uint32(first + j), score})
		if len(s.found) == cap(s.found) {
			s.thin()
		}
	}
}

// over returns the set of a tile's slots that are taken and have an approximate
// score of at least floor, plus onRest times the rest.
func (s *selection) over(a *arena, first int, onRest, floor float32) uint64 {
	scale, rest := a.tile(first, s.leading)
	return a.kernel.over((*[tileRows]int32)(s.dots[first:]), scale, rest, s.query.step, onRest, floor)
}

// allows says whether slot may be returned, and asks for that only once.
func (s *selection) allows(a *arena, slot int) bool {
	if s.keep == nil {
		return true
	}
	word, bit := &s.asked[slot/tileRows], uint64(1)<<(slot%tileRows)
	if *word&bit == 0 {
		*word |= bit
		if !s.keep(a.ids[slot]) {
			s.dots[slot] = refused
		}
	}
	return s.dots[slot] != refused
}

// thin keeps the k of found that look best, and raises the floor to their worst.
func (s *selection) thin() {
	if len(s.found) <= s.k {
		return
	}
	s.order = s.order[:0]
	for _, c := range s.found {
		s.order = append(s.order, c.score)
	}
	s.floor = nthGreatest(s.order, s.k)
	equal := s.k // how many of those that are at the floor may stay
	for _, c := range s.found {
		if c.score > s.floor {
			equal--
		}
	}
	kept := s.found[:0]
	for _, c := range s.found {
		if c.score == s.floor {
			equal--
		}
		if c.score > s.floor || c.score == s.floor && equal >= 0 {
			kept = append(kept, c)
		}
	}
	s.found = kept
}

// finish returns the best k by their exact scores. Those that look best reach a
// floor, k of them, so that a slot whose upper bound lies below it is not among
// the best; the fine codes do the same once more, with narrower bounds.
func (s *selection) finish(a *arena) []Hit {
	floor, low := float32(noFloor), float32(noFloor)
	if len(s.found) >= s.k {
		s.slots = s.slots[:0]
		for _, c := range s.found {
			s.slots = append(s.slots, c.slot)
		}
		low = s.reached(a)
		floor = low - s.query.extra
	}
	s.slots = s.slots[:0]
	for first := 0; first < len(s.dots); first += tileRows {
		for m := s.over(a, first, s.query.onRest, floor); m != 0; m &= m - 1 {
			if slot := first + bits.TrailingZeros64(m); s.allows(a, slot) {
				s.slots = append(s.slots, uint32(slot))
			}
		}
	}
	if a.kernel != plain && len(s.slots) > s.k {
		s.refine(a, low)
	}
	return best(s.measure(a), s.k)
}

// reached returns a number that k of s.slots reach with their scores: the k-th
// best of their lower bounds by the fine codes, or, in plain Go, where those take
// as long, of the scores themselves.
func (s *selection) reached(a *arena) float32 {
	s.order = s.order[:0]
	if a.kernel == plain {
		for _, h := range s.measure(a) {
			s.order = append(s.order, h.Score)
		}
	} else {
		s.bound(a)
		for _, b := range s.narrow {
			s.order = append(s.order, b.low)
		}
	}
	return nthGreatest(s.order, s.k)
}

// refine drops the slots whose upper bound by the fine codes lies below what k are known
// to reach: low, and then the k-th best lower bound, which few are left to be found among.
func (s *selection) refine(a *arena, low float32) {
	s.bound(a)
	s.order = s.order[:0]
	near := s.narrow[:0]
	for _, b := range s.narrow {
		if b.high >= low {
			near = append(near, b)
			s.order = append(s.order, b.low)
		}
	}
	low = nthGreatest(s.order, s.k)
	s.slots = s.slots[:0]
	for _, b := range near {
		if b.high >= low {
			s.slots = append(s.slots, b.slot)
		}
	}
}

// A bound holds the score of a slot.
type bound struct {
	slot      uint32
	low, high float32
}

// bound fills in narrow with the bounds of s.slots by their fine codes, in order.
func (s *selection) bound(a *arena) {
	s.narrow = s.narrow[:0]
	step, onRest, extra := float64(s.query.step), float64(s.query.onRest), float64(s.query.extra)
	rest, lift := float64(roundedRest), 1.0
	for i, slot := range s.slots {
		if i+ahead < len(s.slots) {
			next := s.slots[i+ahead]
			a.kernel.fetchFine(a.fine(next))
			a.kernel.fetch(a.blocks[next/blockRows].fineScale[next%blockRows:][:1])
		}
		b, p := a.blocks[slot/blockRows], slot%blockRows
		if s.leading {
			lift = float64(b.lead.lift[p])
		}
		if !a.Rounded {
			rest = float64(b.fineRest[p])
		}
		fine := a.kernel.fine(a.fine(slot), s.query)
		score := step * lift * (float64(b.scale[p])*float64(s.dots[slot]) + float64(b.fineScale[p])*float64(fine))
		off := rest*lift*onRest + extra
		s.narrow = append(s.narrow, bound{slot, float32(score - off), float32(score + off)})
	}
}

// ahead is how many rows ahead measure and bounds have them fetched: they lie far
// apart.
const ahead = 8

// measure returns s.slots with their exact scores.
func (s *selection) measure(a *arena) []Hit {
	hits := make([]Hit, len(s.slots))
	for i, slot := range s.slots {
		if i+ahead < len(s.slots) {
			a.fetch(s.slots[i+ahead])
		}
		hits[i] = Hit{a.ids[slot], a.score(&s.exact, slot)}
	}
	return hits
}

// best sorts hits and cuts them off after k. It throws out most of what does not
// belong to the best before it sorts.
func best(hits []Hit, k int) []Hit {
	if len(hits) > k {
		scores := make([]float32, len(hits))
		for i, h := range hits {
			scores[i] = h.Score
		}
		least := nthGreatest(scores, k)
		hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < least })
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return slices.Clip(hits[:min(k, len(hits))])
}

// nthGreatest returns the n-th greatest of x, n in 1 to len(x), and leaves x in
// another order. It is quickselect; a sort takes over when the pivots are bad.
func nthGreatest(x []float32, n int) float32 {
	lo, hi, at := 0, len(x)-1, n-1
	for tries := 0; lo < hi; tries++ {
		if tries == 64 {
			slices.SortFunc(x[lo:hi+1], func(a, b float32) int { return cmp.Compare(b, a) })
			break
		}
		a, b, c := x[lo], x[lo+(hi-lo)/2], x[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for x[i] > pivot {
				i++
			}
			for x[j] < pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case at <= j:
			hi = j
		case at >= i:
			lo = i
		default:
			return x[at]
		}
	}
	return x[at]
}
