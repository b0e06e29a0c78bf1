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
	named   bool
	score   float64
}

// filling reports whether a chunk only fills a place that no other file takes.
func (p *pick) filling(several int) bool { return p.another >= several && !p.named }

// choose fills in picks with the best chunks of each file. With named, the definition of a name
// that the question spells is among them although a neighbour in its file has more of the other
// words.
func (r *Ranker) choose(chunks []Evidence, perFile int, named bool) {
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
		another, own := 1, -1
		if named && chunks[best].Identifier == 0 {
			if own = definer(chunks, rest, better); own >= 0 {
				r.picks = append(r.picks, pick{chunk: own, another: another, named: true})
				another++
			}
		}
		if perFile == 1 {
			continue
		}
		slices.SortFunc(rest, better)
		for ; another < perFile && len(rest) > 0; rest = rest[1:] {
			if rest[0] != best && rest[0] != own {
				r.picks = append(r.picks, pick{chunk: rest[0], another: another})
				another++
			}
		}
	}
}

// definer returns the best of some chunks that define a name of the question, -1 for none.
func definer(chunks []Evidence, of []int, better func(a, b int) int) int {
	found := -1
	for _, i := range of {
		if chunks[i].Identifier > 0 && (found < 0 || better(i, found) < 0) {
			found = i
		}
	}
	return found
}

// further reports whether a chunk may be given that is not the best of its file.
func further(c *Evidence) bool { return c.Proposed && !c.Head }
