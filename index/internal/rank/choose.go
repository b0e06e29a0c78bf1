package rank

import (
	"cmp"
	"slices"
)

// pick is a chunk that is given. What is known of it is only copied when their order is: that is
// hundreds of bytes.
type pick struct {
	chunk   int // position in the evidence
	another int // as in Scored
	score   float64
}

// choose fills in picks with the best chunks of each file.
func (r *Ranker) choose(chunks []Evidence, perFile int) {
	r.picks, r.found = r.picks[:0], 0
	better := func(a, b int) int {
		return cmp.Or(cmp.Compare(r.totals[b], r.totals[a]), cmp.Compare(chunks[a].Line, chunks[b].Line))
	}
	for _, s := range r.spans {
		if s.to == 0 {
			continue
		}
		best, rest := s.from, r.order[:0]
		for i := s.from; i < s.to; i++ {
			if r.totals[i] > r.totals[best] || r.totals[i] == r.totals[best] && chunks[i].Line < chunks[best].Line {
				best = i
			}
			if further(&chunks[i]) {
				rest = append(rest, i)
			}
		}
		r.order = rest
		if r.found += len(rest); !further(&chunks[best]) {
			r.found++
		}
		r.picks = append(r.picks, pick{chunk: best})
		if perFile == 1 {
			continue
		}
		slices.SortFunc(rest, better)
		for another := 1; another < perFile && len(rest) > 0; rest = rest[1:] {
			if rest[0] != best {
				r.picks = append(r.picks, pick{chunk: rest[0], another: another})
				another++
			}
		}
	}
}

// further reports whether a chunk may be given that is not the best of its file.
func further(c *Evidence) bool { return c.Proposed && !c.Head }
