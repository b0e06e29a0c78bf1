package graph

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/solver"
)

// Resolve brings the edges up to date with what was put in and taken out.
//
// Families that have changes are solved side by side, as many as there are processors,
// those first that have the most to do. What one has does not depend on another, so that
// the order does not matter. A panic in one is one of the caller's, when all are done.
func (g *Graph) Resolve() {
	g.mustChange()
	changed := g.changed()
	kept := g.keeper(changed)
	var next atomic.Int32
	var crew fault.Group
	for range min(runtime.GOMAXPROCS(0), len(changed)) {
		crew.Go(func() {
			between := func() {}
			if g.settings.Begin != nil {
				between = g.settings.Begin()
			}
			for n := next.Add(1); int(n) <= len(changed); n = next.Add(1) {
				kept.add(changed[n-1], g.solved(changed[n-1], between))
			}
		})
	}
	crew.Wait()
	left := g.settings.Keep
	for _, f := range g.families {
		f.Unload(left)
		left -= f.Nodes
	}
}

// solved returns a family that is brought up to date.
func (g *Graph) solved(n int, between func()) *program.Family {
	f := g.families[n]
	if f.Frozen != nil {
		f = solver.Thaw(f)
	}
	if !solver.Resolve(f, between) {
		f = solver.Afresh(f)
		g.families[n] = f // what the old one has is not needed while it is solved
		solver.Resolve(f, between)
	}
	return solver.Reduced(f)
}

// changed returns the numbers of the families that have changes, in the order in which
// they are solved. It gives each its share of the expressions that may be at hand: all
// have in common what one may have alone, so that it takes no more memory to solve them
// at once.
func (g *Graph) changed() (numbers []int) {
	work, sum := map[int]int{}, 0
	for n, f := range g.families {
		if len(f.Pending) > 0 || f.Stale {
			numbers = append(numbers, n)
			work[n] = solver.Expressions(f) + 1
			sum += work[n]
		}
	}
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Or(cmp.Compare(work[b], work[a]), cmp.Compare(a, b)) })
	most := g.settings.Room()
	if sum > 2*most {
		most /= 4
	}
	for _, n := range numbers {
		share := float64(work[n]) / float64(sum)
		g.families[n].Most = int(float64(most) * share)
	}
	return numbers
}
