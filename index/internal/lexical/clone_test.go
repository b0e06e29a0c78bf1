package lexical

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestClone changes an Index and a clone of it in random ways, each against an Index that
// is made of what it should hold.
func TestClone(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var b Builder
	doc := func() Doc {
		for range 1 + r.IntN(12) {
			b.Add(fmt.Appendf(nil, "word%d ", min(r.IntN(4000), r.IntN(4000))), 1)
		}
		return b.Doc()
	}
	type side struct {
		x    *Index
		docs map[uint32]Doc
		next uint32
	}
	change := func(s *side, n int) {
		for range n {
			if r.IntN(3) == 0 {
				for id, d := range s.docs {
					s.x.Remove(id, d)
					delete(s.docs, id)
					break
				}
				continue
			}
			if r.IntN(40) == 0 {
				s.x.Purge(func() bool { return r.IntN(2) == 0 }) // the ids are not used again
			}
			d := doc()
			if err := s.x.Add(s.next, d); err != nil {
				t.Fatal(err)
			}
			s.docs[s.next] = d
			s.next++
		}
	}
	check := func(what string, s *side) {
		t.Helper()
		want := New()
		var ids []uint32
		for id := range s.docs {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			if err := want.Add(id, s.docs[id]); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		if _, _, err := Compare(t.Context(), s.x, want, ids, ids, func(d Difference) { n++ }); err != nil || n > 0 || s.x.Len() != want.Len() {
			t.Fatalf("%s: %d differences, %v", what, n, err)
		}
	}
	base := &side{x: New(), docs: map[uint32]Doc{}}
	for round := range 20 {
		change(base, 100)
		clone := &side{x: base.x.Clone(), docs: map[uint32]Doc{}, next: base.next}
		for id, d := range base.docs {
			clone.docs[id] = d
		}
		for range 5 {
			change(clone, 30)
			change(base, 30)
		}
		check(fmt.Sprintf("round %d, the clone", round), clone)
		check(fmt.Sprintf("round %d, the base", round), base)
	}
}
