package dependents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// TestFrom compares what is reached in random graphs with a search over their edges one by one: all of
// it, a few steps, and no more than a few nodes.
func TestFrom(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		nodes := 2 + r.IntN(40)
		id := func(n int) edge.ID { return edge.ID(1 + n*37%101) }
		m := Maker{Node: func(id edge.ID) Node {
			return Node{ID: id, Path: fmt.Sprint(id % 3), Pos: ir.At(int(id%7)+1, 1), Name: fmt.Sprint(id)}
		}}
		type pair struct{ to, from edge.ID }
		edges := map[pair]edge.Confidence{}
		for range r.IntN(4 * nodes) {
			to, from, c := id(r.IntN(nodes)), id(r.IntN(nodes)), edge.Confidence(r.IntN(3))
			m.Add(to, from, c)
			if was, ok := edges[pair{to, from}]; !ok || c < was {
				edges[pair{to, from}] = c
			}
		}
		seeds := []edge.ID{id(0)}
		known := map[edge.ID]bool{seeds[0]: true}
		most, depth := 1+r.IntN(nodes), 2+r.IntN(6)
		step := func(frontier []Step, now int) (level []Step) {
			best := map[edge.ID]Step{}
			for _, to := range frontier {
				for e, c := range edges {
					if e.to != to.ID || known[e.from] {
						continue
					}
					s := Step{ID: e.from, Via: to.ID, Depth: now, Confidence: max(c, to.Confidence)}
					if was, ok := best[s.ID]; !ok || s.Confidence < was.Confidence {
						best[s.ID] = s
					}
				}
			}
			for id, s := range best {
				level, known[id] = append(level, s), true
			}
			slices.SortFunc(level, func(a, b Step) int {
				if a.Confidence != b.Confidence {
					return int(a.Confidence) - int(b.Confidence)
				}
				x, y := m.Node(a.ID), m.Node(b.ID)
				return compare(&x, &y)
			})
			return level
		}
		first := step([]Step{{ID: seeds[0]}}, 1)
		first = first[:min(len(first), most)]
		want, more := slices.Clone(first), false
		for level, now := first, 2; len(level) > 0; now++ {
			if level = step(level, now); now > depth {
				more = len(level) > 0
				break
			}
			if more = len(want)+len(level) > most; more {
				want = append(want, level[:most-len(want)]...)
				break
			}
			want = append(want, level...)
		}
		got, further := m.Made(1).From(t.Context(), seeds, slices.Clone(first), most, depth, nil)
		if !slices.Equal(got, want) || further != more {
			t.Fatalf("seed %d, %d nodes in %d steps\n%v, more %v, want\n%v, more %v", seed, most, depth, got, further, want, more)
		}
	}
}
