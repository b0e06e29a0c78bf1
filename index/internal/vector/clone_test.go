package vector

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestClone changes a Store and a clone of it, each against its own map.
func TestClone(t *testing.T) {
	const dim = 24
	r := rand.New(rand.NewPCG(5, 5))
	vs := make([][]float32, 1500)
	for i := range vs {
		vs[i] = random(r, dim)
	}
	base := build(t, Options{Dim: dim, FlatAbove: 1 << 30, Rounded: true}, vs)
	clone := base.Clone()
	q := random(r, dim)
	same(t, "at first", clone.Search(q, 50, nil), base.Search(q, 50, nil))
	for round := range 5 {
		for range 300 {
			id := uint32(r.IntN(2000))
			s := []*Store{base, clone}[r.IntN(2)]
			if r.IntN(2) == 0 {
				s.Remove(id)
			} else if err := s.Add(id, random(r, dim)); err != nil {
				t.Fatal(err)
			}
		}
		for i, s := range []*Store{base, clone} {
			same(t, fmt.Sprintf("round %d, store %d", round, i), s.Search(q, 50, nil), brute(s, q, 50, nil))
		}
	}
	if base.Len() == clone.Len() || base.coll.Count() != base.Len() {
		t.Errorf("%d vectors and %d, chromem has %d", base.Len(), clone.Len(), base.coll.Count())
	}
	code := base.AppendCode(nil, 1999)
	for id := uint32(0); code == nil; id++ {
		code = base.AppendCode(nil, id)
	}
	if err := clone.AddCode(5000, code); err != nil || string(clone.AppendCode(nil, 5000)) != string(code) {
		t.Errorf("a code of the base does not come back from the clone: %v", err)
	}
}
