package rank

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestNear ranks chunks of which some number near to the cosine is known as it ranks those whose
// cosines are.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 27))
	for round := range 300 {
		within := []float64{0.001, 0.01, 0.2}[round%3]
		files := make([]File, 1+r.IntN(12))
		var exact, near []Evidence
		var cosines []float64
		for f := range files {
			files[f] = File{Path: fmt.Sprintf("%03d.go", f), Meaning: r.Float64() / 2}
			for n := range r.IntN(30) {
				c := Evidence{
					ID: uint32(len(exact)), File: f, Nth: n, Line: 1 + 40*n, Size: r.IntN(2000), Words: float64(r.IntN(4)),
					Coverage: r.Float64(), Proposed: r.IntN(4) == 0, Head: r.IntN(9) == 0, Function: r.IntN(2) == 0,
				}
				if r.IntN(5) > 0 {
					c.Meaning = r.Float64() - 0.3
				}
				cosines = append(cosines, c.Meaning)
				exact = append(exact, c)
				if c.Meaning != 0 {
					if r.IntN(20) == 0 { // as good as not to be told apart from none
						cosines[len(cosines)-1], exact[len(exact)-1].Meaning = 0, 0
					}
					c.Meaning += within * (2*r.Float64() - 1)
					c.Near = true
				}
				near = append(near, c)
			}
		}
		text := []string{"connection pool", "what happens when a peer no longer answers, so that it is given up", "closeIdle"}[r.IntN(3)]
		opt := Options{PerFile: r.IntN(4), Limit: 1 + r.IntN(20), LookAt: r.IntN(50)}
		if r.IntN(2) == 0 {
			opt.Look = func(c *Evidence) { c.Alike, c.NamesAlike = float64(c.ID%7)/10, float64(c.ID%5)/10 }
		}
		if r.IntN(4) == 0 {
			opt.Without = Meaning()
		}
		var a, b Ranker
		want := a.Rank(Parse(text), exact, files, opt)
		opt.Within, opt.Exact = within, func(c *Evidence) { c.Meaning = cosines[c.ID] }
		got := b.Rank(Parse(text), near, files, opt)
		if len(got) != len(want) || a.Found() != b.Found() {
			t.Fatalf("round %d: %d chunks of %d, want %d of %d", round, len(got), b.Found(), len(want), a.Found())
		}
		for i := range want {
			w, g := want[i], got[i]
			if *g.Values != *w.Values {
				t.Fatalf("round %d, %d: values\n%v, want\n%v", round, i, *g.Values, *w.Values)
			}
			if g.Values, w.Values = nil, nil; g != w {
				t.Fatalf("round %d, %d:\n%+v, want\n%+v", round, i, g, w)
			}
		}
	}
}
