package graph

import (
	"slices"
	"sync"

	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/solver"
)

// Shrink lets go of what only updates need, and reports whether there was something. A
// graph without Reload, which could not be made again, is left as it is.
func (g *Graph) Shrink() (some bool) {
	if g.settings.Reload == nil {
		return false
	}
	for n, f := range g.families {
		if f.Frozen == nil {
			g.families[n], some = solver.Shrunk(f), true
		}
	}
	return some
}

// Shrunk reports whether a change may have a family made again.
func (g *Graph) Shrunk() bool {
	for _, f := range g.families {
		if f.Frozen != nil {
			return true
		}
	}
	return false
}

// A keeper sees to it, while families are resolved, that those which are kept whole are not
// too large together: first it shrinks those that have not changed, then those that are
// largest.
type keeper struct {
	g *Graph

	mu    sync.Mutex
	idle  []int // numbers of families that are whole and have not changed
	fresh []int // the same of those that have been resolved
}

// add enters a family that has been resolved. Several goroutines may call it.
func (k *keeper) add(n int, f *program.Family) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.g.families[n] = f
	if f.Frozen != nil || f.Reload == nil || f.Halted.Load() {
		return
	}
	k.fresh = append(k.fresh, n)
	for k.sum(k.idle)+k.sum(k.fresh) > k.g.settings.Largest() {
		if len(k.idle) > 0 {
			k.idle = k.shrink(k.idle)
		} else {
			k.fresh = k.shrink(k.fresh)
		}
	}
}

// sum is how many bytes some families take.
func (k *keeper) sum(families []int) (n int64) {
	for _, i := range families {
		n += k.g.families[i].Weight
	}
	return n
}

// shrink shrinks the largest of some families, and returns the others.
func (k *keeper) shrink(families []int) []int {
	at := 0
	for i, n := range families {
		if k.g.families[n].Weight > k.g.families[families[at]].Weight {
			at = i
		}
	}
	n := families[at]
	k.g.families[n] = solver.Shrunk(k.g.families[n])
	return slices.Delete(families, at, at+1)
}

// keeper returns one for a Resolve in which some families change.
func (g *Graph) keeper(changed []int) *keeper {
	k := &keeper{g: g}
	for n, f := range g.families {
		if f.Frozen == nil && !slices.Contains(changed, n) {
			k.idle = append(k.idle, n)
		}
	}
	return k
}
