package architecture

import (
	"math/rand/v2"
	"testing"
)

// TestCuts compares the cuts of random cycles with the cheapest of all orders.
func TestCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 13))
	exactly := 0
	for range 400 {
		n := 2 + r.IntN(5)
		edges := make([][]*edge, n)
		for from := range n {
			for to := range n {
				if from != to && r.IntN(2) == 0 {
					edges[from] = append(edges[from], &edge{from: int32(from), to: int32(to), depends: 1 + r.IntN(9)})
				}
			}
		}
		part := make([]int32, n)
		for i := range part {
			part[i] = int32(i)
		}
		best := cheapest(edges, make([]bool, n), 0)
		for name, cut := range map[string][]*edge{"exact": exactCut(part, edges), "greedy": greedyCut(part, edges)} {
			gone, weight := map[*edge]bool{}, 0
			for _, e := range cut {
				gone[e] = true
				weight += e.depends
			}
			left := components(n, func(v int32, yield func(int32)) {
				for _, e := range edges[v] {
					if !gone[e] {
						yield(e.to)
					}
				}
			})
			switch {
			case len(left) < n:
				t.Fatalf("%s: a cycle is left of %d modules", name, n)
			case name == "exact" && weight != best, weight < best:
				t.Fatalf("%s: %d, the cheapest is %d", name, weight, best)
			case name == "greedy" && weight == best:
				exactly++
			}
		}
	}
	if exactly < 300 {
		t.Errorf("the greedy cut is the cheapest in %d of 400", exactly)
	}
}

// cheapest is the least weight of the edges that lead back in an order which begins with those placed.
func cheapest(edges [][]*edge, placed []bool, count int) int {
	if count == len(placed) {
		return 0
	}
	best := -1
	for v := range placed {
		if placed[v] {
			continue
		}
		weight := 0
		for _, e := range edges[v] {
			if placed[e.to] {
				weight += e.depends
			}
		}
		placed[v] = true
		weight += cheapest(edges, placed, count+1)
		placed[v] = false
		if best < 0 || weight < best {
			best = weight
		}
	}
	return best
}
