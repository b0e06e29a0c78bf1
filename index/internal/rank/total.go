package rank

import (
	"math"
	"slices"
	"sort"
)

// nearest returns the three greatest cosines of the chunks of a file, of which it is given those
// within Within of them.
func (o *Options) nearest(chunks []Evidence, near top3) (exact top3) {
	least := math.Inf(-1)
	if near.n > len(near.best3) {
		least = near.best3[2] - 2*o.Within
	}
	for i := range chunks {
		c := &chunks[i]
		if c.Meaning == 0 || c.Near && c.Meaning < least {
			continue
		}
		if o.fix(c); c.Meaning != 0 {
			exact.add(c.Meaning)
		} else if !math.IsInf(least, -1) {
			return o.nearest(chunks, top3{}) // it does not count, so that another may
		}
	}
	return exact
}

// fix has the cosine of a chunk filled in.
func (o *Options) fix(c *Evidence) {
	if c.Near {
		o.Exact(c)
		c.Near = false
	}
}

// add fills in the totals of the chunks, those that the best have when they have been
// looked at, and the scores of the files. Of a chunk that stays Near, which is not the best of its
// file, the total is more than it has.
func (r *Ranker) add(chunks []Evidence, opt *Options) {
	slack := math.Abs(r.weights.chunk[chunkMeaning])*opt.Within + rounded
	r.totals = slices.Grow(r.totals[:0], len(chunks))[:len(chunks)]
	for i := range chunks {
		c := &chunks[i]
		if further(c) {
			opt.fix(c)
		}
		if r.total(c, i); c.Near {
			r.totals[i] += slack
		}
	}
	if opt.Look != nil {
		for _, i := range r.best(opt.LookAt, chunks, opt) {
			c := &chunks[i]
			opt.Look(c)
			r.total(c, i)
		}
	}
	for f, s := range r.spans {
		if s.to == 0 {
			continue
		}
		least := math.Inf(-1) // that the best has
		for i := s.from; i < s.to; i++ {
			total := r.totals[i]
			if chunks[i].Near {
				total -= 2 * slack
			}
			least = max(least, total)
		}
		for i := s.from; i < s.to; i++ {
			if c := &chunks[i]; c.Near && r.totals[i] >= least {
				opt.fix(c)
				r.total(c, i)
			}
		}
		r.scores[f] = slices.Max(r.totals[s.from:s.to])
	}
}

// rounded is more than all that is lost in a total by rounding.
const rounded = 1e-9

// total fills in the total of the i-th chunk.
func (r *Ranker) total(c *Evidence, i int) {
	own := r.chunk(c)
	r.totals[i] = r.scores[c.File] + own.sum(&r.weights.chunk)
}

// best returns the positions of the n chunks with the highest totals, the highest first;
// equal ones stay as they were. None of them stays Near. It is valid until the next call.
func (r *Ranker) best(n int, chunks []Evidence, opt *Options) []int {
	for {
		all := true
		for _, i := range r.highestTotals(n) {
			if c := &chunks[i]; c.Near {
				opt.fix(c)
				r.total(c, i)
				all = false
			}
		}
		if all {
			return r.order
		}
	}
}

// highestTotals is best by the totals as they are.
func (r *Ranker) highestTotals(n int) []int {
	r.order = r.order[:0]
	for i, total := range r.totals {
		if len(r.order) == n {
			if n == 0 || total <= r.totals[r.order[n-1]] {
				continue
			}
			r.order = r.order[:n-1]
		}
		at := sort.Search(len(r.order), func(k int) bool { return r.totals[r.order[k]] < total })
		r.order = slices.Insert(r.order, at, i)
	}
	return r.order
}

// top3 holds the three greatest of some numbers.
type top3 struct {
	best3 [3]float64
	n     int
}

func (t *top3) add(x float64) {
	t.n++
	if t.n <= 3 {
		t.best3[t.n-1] = x
	} else if least := &t.best3[2]; x > *least {
		*least = x
	} else {
		return
	}
	for i := min(t.n, 3) - 1; i > 0 && t.best3[i] > t.best3[i-1]; i-- {
		t.best3[i], t.best3[i-1] = t.best3[i-1], t.best3[i]
	}
}

func (t *top3) best() float64 { return t.best3[0] }
func (t *top3) sum() float64  { return t.best3[0] + t.best3[1] + t.best3[2] }
func (t *top3) mean() float64 { return t.sum() / float64(max(min(t.n, 3), 1)) }
