// Package facts brings together what SCIP indexes say and what the index has now: the files that
// have not changed since, and the call graph.
package facts

import (
	"sync"

	"github.com/quarry-search/quarry/index/internal/scip"
	"github.com/quarry-search/quarry/index/internal/store"
)

// current is what a View keeps of what SCIP indexes say.
type current struct {
	mu         sync.Mutex
	facts      *scip.Facts
	generation uint64
	now        *scip.Current
}

// Forget lets go of what is no longer so.
func (c *current) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.facts, c.now = nil, nil
}

// Now returns what SCIP indexes say of the files that are committed as they were when it was
// compared with them; nil: nothing. The caller does not hold the lock.
func Now(x *store.View) *scip.Current {
	facts := x.Facts.Load()
	if x.Over != nil {
		facts = x.Over.Base.Facts.Load()
	}
	if facts == nil {
		return nil
	}
	c := store.Kept[current](x)
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	generation := x.Counters.Generation.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.facts != facts || c.generation != generation {
		c.facts, c.generation = facts, generation
		c.now = facts.Now(func(path string) (uint64, bool) {
			r := x.Table.Files[path]
			if r == nil {
				return 0, false
			}
			return r.Hash, true
		})
	}
	return c.now
}
