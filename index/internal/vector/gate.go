package vector

import (
	"runtime"
	"slices"
	"sync"
)

// maxBatch is the greatest number of searches in one pass over the codes. Their
// digits and a tile of codes share the L1 cache.
const maxBatch = 8

// A gate lets searches that come at the same time share passes over the codes,
// which are read from memory once for all of them. Half as many passes run as
// there are processors: what a pass leaves to do, the exact scores and the
// sorting, keeps the others busy. A search that comes when all passes are taken
// waits for one to end; the first of those waiting then makes the next pass for
// all of them. No goroutine is started.
type gate struct {
	mu      sync.Mutex
	passes  int       // that run
	waiting []*ticket // only if no pass is left
}

// A ticket stands for a search that waits. turn receives the batch that it has
// to scan, or nil when another search has done it.
type ticket struct {
	sel  *selection
	turn chan []*ticket
}

// scan offers every slot of a to sel, alone or together with others. sel has no
// filter: nothing of a caller's, that may be slow or panic, runs in a pass that
// others wait for.
func (g *gate) scan(a *arena, sel *selection) {
	me := &ticket{sel: sel}
	g.mu.Lock()
	batch := []*ticket{me}
	if g.passes < (runtime.GOMAXPROCS(0)+1)/2 {
		g.passes++
		g.mu.Unlock()
	} else {
		me.turn = make(chan []*ticket, 1)
		g.waiting = append(g.waiting, me)
		g.mu.Unlock()
		if batch = <-me.turn; batch == nil {
			return
		}
	}

	sels := make([]*selection, len(batch))
	for i, t := range batch {
		sels[i] = t.sel
	}
	a.scan(sels)
	for _, t := range batch {
		if t != me {
			t.turn <- nil
		}
	}

	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), maxBatch)
	if n == 0 {
		g.passes--
		return
	}
	next := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	next[0].turn <- next
}
