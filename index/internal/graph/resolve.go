package graph

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/sourcegraph/conc"
)

// Resolve brings the edges up to date with what was put in and taken out.
//
// Families that have changes are solved side by side, as many as there are processors,
// those first that have the most to do. What one has does not depend on another, so that
// the order does not matter. A panic in one is one of the caller's, when all are done.
func (g *Graph) Resolve() {
	g.mustChange()
	var changed []*family
	for _, f := range g.families {
		if len(f.pending) > 0 || f.stale {
			changed = append(changed, f)
		}
	}
	g.share(changed)
	var next atomic.Int32
	var crew conc.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(changed)) {
		crew.Go(func() {
			between := func() {}
			if g.begin != nil {
				between = g.begin()
			}
			for n := next.Add(1); int(n) <= len(changed); n = next.Add(1) {
				changed[n-1].resolve(between)
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

// share puts families in the order in which they are solved, and gives each its share of
// the expressions that may be at hand: all have in common what one may have alone, so that
// it takes no more memory to solve them at once.
func (g *Graph) share(changed []*family) {
	work, sum := map[*family]int{}, 0
	for _, f := range changed {
		work[f] = f.expressions() + 1
		sum += work[f]
	}
	slices.SortFunc(changed, func(a, b *family) int { return cmp.Compare(work[b], work[a]) })
	for _, f := range changed {
		f.most = int(float64(g.room()) * float64(work[f]) / float64(sum))
	}
}

// expressions is how many there are, at hand or not, in the files and in what waits.
func (g *family) expressions() (n int) {
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
