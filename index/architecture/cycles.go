package architecture

import (
	"cmp"
	"math/bits"
	"slices"
)

// maxExact is how many modules a cycle may have for the cheapest cut to be found for certain.
const maxExact = 14

// maxPaths bounds the modules from which the shortest way around is sought.
const maxPaths = 200

// A Cycle is modules of which each depends on each other, directly or through others.
type Cycle struct {
	Modules  []string `json:"modules"`
	Path     []string `json:"path"`                // a shortest way around; the last depends on the first
	Edges    int      `json:"edges"`               // dependencies between them
	TypeOnly bool     `json:"type_only,omitempty"` // without type imports and types there is none of these
	TestOnly bool     `json:"test_only,omitempty"` // without test code there is none
	Cut      []Cell   `json:"cut"`                 // without these dependencies there is none
	Weight   int      `json:"weight"`              // imports, types and calls of the cut together
	Exact    bool     `json:"exact"`               // no cut has less weight
}

// cycles lists them, the largest first.
func (s *system) cycles() []Cycle {
	all := []Cycle{}
	for _, part := range s.parts {
		if len(part) > 1 {
			all = append(all, s.cycle(part))
		}
	}
	slices.SortStableFunc(all, func(a, b Cycle) int {
		return cmp.Or(len(b.Modules)-len(a.Modules), slices.Compare(a.Modules, b.Modules))
	})
	return all
}

func (s *system) cycle(part []int32) Cycle {
	c := Cycle{TypeOnly: !s.goesRound(part, func(e *edge) bool { return e.runs > 0 }), TestOnly: !s.goesRound(part, func(e *edge) bool { return e.plain > 0 })}
	c.Modules = s.namesOf(part)
	inside := s.inside(part, func(e *edge) bool { return e.depends > 0 })
	c.Path = s.namesOf(shortest(part, inside))
	var cut []*edge
	if c.Exact = len(part) <= maxExact; c.Exact {
		cut = exactCut(part, inside)
	} else {
		cut = greedyCut(part, inside)
	}
	for _, list := range inside {
		c.Edges += len(list)
	}
	for _, e := range cut {
		c.Weight += e.depends
		c.Cut = append(c.Cut, s.cell(e))
	}
	slices.SortFunc(c.Cut, byEnds)
	return c
}

func (s *system) namesOf(list []int32) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = s.names[n]
	}
	return out
}

// inside returns the edges between modules of a part, by where they come from, numbered as in the part.
func (s *system) inside(part []int32, is func(*edge) bool) [][]*edge {
	out := make([][]*edge, len(part))
	for i, n := range part {
		for _, e := range s.edges[n] {
			if s.part[e.to] == s.part[n] && is(e) {
				out[i] = append(out[i], e)
			}
		}
	}
	return out
}

// place returns the number of a module in a part.
func place(part []int32, n int32) int32 {
	at, _ := slices.BinarySearch(part, n)
	return int32(at)
}

// goesRound reports whether there is a cycle among some edges of a part.
func (s *system) goesRound(part []int32, is func(*edge) bool) bool {
	edges := s.inside(part, is)
	list := components(len(part), func(n int32, yield func(int32)) {
		for _, e := range edges[n] {
			yield(place(part, e.to))
		}
	})
	return len(list) < len(part)
}

// shortest returns a shortest way around in a part, the one that begins with the first module in order.
func shortest(part []int32, edges [][]*edge) (best []int32) {
	for start := range part[:min(len(part), maxPaths)] {
		from := make([]int32, len(part))
		for i := range from {
			from[i] = -1
		}
		queue := []int32{int32(start)}
		for found := false; len(queue) > 0 && !found; queue = queue[1:] {
			for _, e := range edges[queue[0]] {
				to := place(part, e.to)
				if to == int32(start) {
					var way []int32
					for at := queue[0]; at != int32(start); at = from[at] {
						way = append(way, part[at])
					}
					way = append(way, part[start])
					slices.Reverse(way)
					if best == nil || len(way) < len(best) {
						best = way
					}
					found = true
					break
				}
				if from[to] < 0 {
					from[to] = queue[0]
					queue = append(queue, to)
				}
			}
		}
		if len(best) == 2 {
			break
		}
	}
	return best
}

// exactCut returns the edges of the least weight without which a part has no cycle. An order of the
// modules has as its cost the weight of the edges that lead back in it, and the cheapest order of each
// set of modules follows from those of the sets with one less (E. Lawler, "A comment on minimum
// feedback arc sets", 1964).
func exactCut(part []int32, edges [][]*edge) []*edge {
	n := len(part)
	weight := make([][]int, n)
	for i, list := range edges {
		weight[i] = make([]int, n)
		for _, e := range list {
			weight[i][place(part, e.to)] = e.depends
		}
	}
	cost, last := make([]int, 1<<n), make([]int8, 1<<n)
	for set := 1; set < 1<<n; set++ {
		cost[set] = -1
		for rest := set; rest != 0; rest &= rest - 1 {
			v := bits.TrailingZeros(uint(rest))
			before := set &^ (1 << v)
			total := cost[before]
			for u := before; u != 0; u &= u - 1 {
				total += weight[v][bits.TrailingZeros(uint(u))]
			}
			if cost[set] < 0 || total < cost[set] {
				cost[set], last[set] = total, int8(v)
			}
		}
	}
	rank := make([]int, n)
	for set, at := 1<<n-1, n-1; set != 0; at-- {
		rank[last[set]] = at
		set &^= 1 << last[set]
	}
	return backward(part, edges, rank)
}

// backward returns the edges that lead back in an order.
func backward(part []int32, edges [][]*edge, rank []int) (cut []*edge) {
	for i, list := range edges {
		for _, e := range list {
			if rank[place(part, e.to)] < rank[i] {
				cut = append(cut, e)
			}
		}
	}
	return cut
}

// greedyCut returns edges without which a part has no cycle, of which none can be left: those that
// lead back in an order by how much more leads out of a module than into it (after P. Eades, X. Lin and
// W. Smyth, "A fast and effective heuristic for the feedback arc set problem", 1993).
func greedyCut(part []int32, edges [][]*edge) []*edge {
	n := len(part)
	in, out := make([]int, n), make([]int, n)
	into := make([][]*edge, n)
	for i, list := range edges {
		for _, e := range list {
			to := place(part, e.to)
			out[i] += e.depends
			in[to] += e.depends
			into[to] = append(into[to], e)
		}
	}
	rank, done := make([]int, n), make([]bool, n)
	first, last := 0, n-1
	for range n {
		best, sink := -1, false
		for v := range n {
			switch {
			case done[v]:
			case out[v] == 0:
				best, sink = v, true
			case sink:
			case best < 0 || out[v]-in[v] > out[best]-in[best]:
				best = v
			}
		}
		if done[best] = true; sink {
			rank[best] = last
			last--
		} else {
			rank[best] = first
			first++
		}
		for _, e := range edges[best] {
			in[place(part, e.to)] -= e.depends
		}
		for _, e := range into[best] {
			out[place(part, e.from)] -= e.depends
		}
	}
	return needed(part, edges, backward(part, edges, rank))
}

// needed leaves out of a cut what closes no cycle with what is not cut, the heaviest first.
func needed(part []int32, edges [][]*edge, cut []*edge) []*edge {
	slices.SortStableFunc(cut, func(a, b *edge) int {
		return cmp.Or(b.depends-a.depends, cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	gone := map[*edge]bool{}
	for _, e := range cut {
		gone[e] = true
	}
	var left []*edge
	seen := make([]int, len(part))
	for i, e := range cut {
		if i < maxNeeded && !leads(part, edges, gone, seen, i+1, place(part, e.to), place(part, e.from)) {
			delete(gone, e)
			continue
		}
		left = append(left, e)
	}
	return left
}

// maxNeeded bounds how many edges of a cut are asked whether they are needed.
const maxNeeded = 1000

// leads reports whether a way leads from one module to another over edges that are not gone.
func leads(part []int32, edges [][]*edge, gone map[*edge]bool, seen []int, mark int, from, to int32) bool {
	stack := []int32{from}
	seen[from] = mark
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v == to {
			return true
		}
		for _, e := range edges[v] {
			if next := place(part, e.to); !gone[e] && seen[next] != mark {
				seen[next] = mark
				stack = append(stack, next)
			}
		}
	}
	return false
}
