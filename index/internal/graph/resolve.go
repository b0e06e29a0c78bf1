package graph

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/graph/lang"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/solver"
)

// Resolve brings the edges up to date with what was put in and taken out.
//
// Families that have changes are solved side by side, as many as there are processors,
// those first that have the most to do. What one has does not depend on another, so that
// the order does not matter. One in which there is a fault has no files from then on, and
// takes none; the others have theirs. The faults are returned.
func (g *Graph) Resolve() []error {
	g.mustChange()
	changed := g.changed()
	kept := g.keeper(changed)
	var next atomic.Int32
	faults := make([]error, len(changed))
	var crew fault.Group
	for range min(runtime.GOMAXPROCS(0), len(changed)) {
		crew.Go(func() {
			between := func() {}
			if g.settings.Begin != nil {
				between = g.settings.Begin()
			}
			for n := next.Add(1); int(n) <= len(changed); n = next.Add(1) {
				number := changed[n-1]
				var f *program.Family
				if faults[n-1] = fault.Try(func() { f = g.solved(number, between) }); faults[n-1] != nil {
					f = g.failed(number)
				}
				kept.add(number, f)
			}
		})
	}
	crew.Wait()
	left := g.settings.Keep
	for _, f := range g.families {
		f.Unload(left)
		left -= f.Nodes
	}
	return slices.DeleteFunc(faults, func(err error) bool { return err == nil })
}

// failed returns what stands for a family in which there was a fault.
func (g *Graph) failed(n int) *program.Family {
	of := g.families[n].Name
	f := program.NewFamily(of, lang.Maker(of), g.settings)
	f.Failed = true
	return f
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
