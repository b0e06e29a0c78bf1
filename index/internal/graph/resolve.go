package graph

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/fault"
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
			if g.begin != nil {
				between = g.begin()
			}
			for n := next.Add(1); int(n) <= len(changed); n = next.Add(1) {
				kept.add(changed[n-1], g.solved(changed[n-1], between))
			}
		})
	}
	crew.Wait()
	left := g.keep
	for _, f := range g.families {
		f.unload(left)
		left -= f.nodes
	}
}

// solved returns a family that is brought up to date.
func (g *Graph) solved(n int, between func()) *family {
	f := g.families[n]
	if f.frozen != nil {
		f = f.thaw()
	}
	if !f.resolve(between) {
		f = f.afresh()
		g.families[n] = f // what the old one has is not needed while it is solved
		f.resolve(between)
	}
	return f.reduced()
}

// changed returns the numbers of the families that have changes, in the order in which
// they are solved. It gives each its share of the expressions that may be at hand: all
// have in common what one may have alone, so that it takes no more memory to solve them
// at once.
func (g *Graph) changed() (numbers []int) {
	work, sum := map[int]int{}, 0
	for n, f := range g.families {
		if len(f.pending) > 0 || f.stale {
			numbers = append(numbers, n)
			work[n] = f.expressions() + 1
			sum += work[n]
		}
	}
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Or(cmp.Compare(work[b], work[a]), cmp.Compare(a, b)) })
	most := g.room()
	if sum > 2*most {
		most /= 4
	}
	for _, n := range numbers {
		share := float64(work[n]) / float64(sum)
		g.families[n].most = int(float64(most) * share)
	}
	return numbers
}

// expressions is how many there are, at hand or not, in the files and in what waits;
// about as many as in the files of a frozen family.
func (g *family) expressions() (n int) {
	const each = 4 // expressions for each edge or site
	if g.frozen != nil {
		n = each * (len(g.frozen.edges) + len(g.frozen.sites))
	}
	for _, f := range g.files {
		if f.slim {
			n += f.exprs
		} else {
			n += len(f.ir.Exprs)
		}
	}
	for p, f := range g.pending {
		if f != nil {
			n += len(f.Exprs) + g.slimmed[p].exprs
		}
	}
	return n
}
