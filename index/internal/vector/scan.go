package vector

import (
	"cmp"
	"math/bits"
	"slices"
)

// tileRows is the number of slots that are multiplied and compared at a time.
// The codes of 64 slots of 256 dimensions are 16 KB, which stay in the L1 cache
// from one query of a batch to the next.
const tileRows = 64

// scan offers every slot to every selection.
func (a *arena) scan(batch []*selection) {
	var dots [tileRows]int32
	for i, b := range a.blocks {
		// The last tile may hold slots never used; they are marked free.
		rows := min(blockRows, len(a.ids)-i*blockRows)
		for p := 0; p < rows; p += tileRows {
			codes := b.codes[p/4*a.stride:]
			scale, rest := (*tile)(b.scale[p:]), (*tile)(b.rest[p:])
			for _, sel := range batch {
				a.kernel.dots(dots[:], codes, sel.query, a.stride)
				m := a.kernel.over(&dots, scale, rest, sel.query, sel.floor)
				for ; m != 0; m &= m - 1 {
					j := bits.TrailingZeros64(m)
					sel.offer(a, uint32(i*blockRows+p+j), dots[j], scale[j], rest[j])
				}
			}
		}
	}
}

// A candidate's score is in low to high.
type candidate struct {
	slot      uint32
	low, high float32
}

// A selection collects the candidates for the best k. It holds every slot
// offered whose upper bound reaches the k-th best lower bound; the others have
// k vectors that are better for certain. Instead of a heap operation for each
// slot, candidates are appended and thrown out many at a time.
type selection struct {
	query *query
	k     int
	keep  func(uint32) bool

	found []candidate
	limit int     // found is thinned when it has so many
	floor float32 // what high must reach: the k-th best low so far, less the extras of both
	lows  []float32
}

// noFloor is below every score, and above the -Inf of free slots.
const noFloor = -2

func newSelection(q *query, k int, keep func(uint32) bool) *selection {
	limit := max(1024, 4*k)
	return &selection{query: q, k: k, keep: keep, limit: limit, floor: noFloor,
		found: make([]candidate, 0, limit)}
}

// approx returns the approximate score and the bound of its error but for
// query.extra. The kernels compute the same in the same order.
func (q *query) approx(dot int32, scale, rest float32) (score, err float32) {
	score = float32(float32(float32(dot)*scale) * q.step)
	return score, float32(rest * q.onRest)
}

func (s *selection) offer(a *arena, slot uint32, dot int32, scale, rest float32) {
	score, err := s.query.approx(dot, scale, rest)
	if score+err < s.floor {
		return // the floor has risen since the block was compared
	}
	if s.keep != nil && !s.keep(a.ids[slot]) {
		return
	}
	s.found = append(s.found, candidate{slot, score - err, score + err})
	if len(s.found) >= s.limit {
		s.thin()
		s.limit = max(s.limit, 2*len(s.found))
	}
}

// thin raises the floor and throws out what does not reach it.
func (s *selection) thin() {
	if len(s.found) <= s.k {
		return
	}
	s.lows = s.lows[:0]
	for _, c := range s.found {
		s.lows = append(s.lows, c.low)
	}
	s.floor = max(s.floor, nthGreatest(s.lows, s.k)-2*s.query.extra)
	kept := s.found[:0]
	for _, c := range s.found {
		if c.high >= s.floor {
			kept = append(kept, c)
		}
	}
	s.found = kept
}

// finish returns the best k by their exact scores.
func (s *selection) finish(a *arena) []Hit {
	s.thin()
	hits := make([]Hit, len(s.found))
	for i, c := range s.found {
		hits[i] = Hit{a.ids[c.slot], a.kernel.score(s.query.exact, a.row(c.slot), s.query.norm)}
	}
	return best(hits, s.k)
}

// best sorts hits and cuts them off after k.
func best(hits []Hit, k int) []Hit {
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
