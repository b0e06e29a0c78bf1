package vector

import (
	"context"
	"math"
	"strconv"
)

// chromemSlack bounds the difference between chromem's score and ours. chromem
// adds dim float32 products one after the other: by the classical bound the sum
// is off by at most dim*u/(1-dim*u) times the sum of the products' sizes, which
// is at most 1 for unit vectors, with u = 2^-24. The rest covers the rounding of
// the query to unit length.
func chromemSlack(dim int) float64 {
	u := float64(dim+2) / (1 << 24)
	return u/(1-u) + 2e-6
}

// ask is Search by chromem, for k in 1 to the number of vectors. chromem returns
// equal scores in random order and cuts anywhere between them, so ask goes on
// asking for more until what chromem left out is certain to be worse than the
// k-th by our own score. ok is false if chromem fails.
func (s *Store) ask(q []float32, norm float64, k int) (hits []Hit, ok bool) {
	unit := make([]float32, len(q))
	for i, x := range q {
		unit[i] = float32(float64(x) / norm)
	}
	n := s.arena.live
	for want := min(n, k+k/4+16); ; want = min(n, 4*want) {
		// nResults above the number of documents would be an error.
		found, err := s.coll.QueryEmbedding(context.Background(), unit, want, nil, nil)
		if err != nil || len(found) != want {
			return nil, false
		}
		hits = make([]Hit, 0, want)
		least := math.Inf(1)
		for _, f := range found {
			id, err := strconv.ParseUint(f.ID, 10, 32)
			if err != nil {
				return nil, false
			}
			hits = append(hits, Hit{uint32(id), s.arena.kernel.score(q, f.Embedding, norm, 1)})
			least = min(least, float64(f.Similarity))
		}
		hits = best(hits, k)
		if want == n || least+2*s.slack < float64(hits[k-1].Score) {
			return hits, true
		}
	}
}
