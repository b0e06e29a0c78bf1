package index

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/throttle"
)

// callGraph is the graph of an Index, next to its table. It has a lock of its own:
// bringing it up to date after a large change takes longer than a search may wait.
type callGraph struct {
	mu    sync.RWMutex // held while the graph changes; whoever needs the Index's lock, too, takes it after this one
	graph *graph.Graph

	log    *slog.Logger
	forms  *forms
	remake func() func() *graph.Graph // what makes a graph of all that is committed now; takes the Index's lock
	files  func() int                 // how many these are, without it
	lower  func(path string) (*ir.File, lowered)
	held   held

	background bool          // nobody is to wait for a large graph
	large      int64         // in a test: in place of asideBytes
	changed    func()        // the graph is another one
	stop       atomic.Bool   // nobody waits for the graph any more
	ending     chan struct{} // closed with that
	throttle   *throttle.Gate
	bulk       Bulk
	broken     atomic.Bool // it could not be resolved, and is empty since
	missing    atomic.Bool // a snapshot was restored that has no graph, or an old one

	generation func() uint64 // of the Index
	observer   interface{ Solved(took time.Duration) }
	since      atomic.Uint64 // the generation that the graph was last known to be of, where it is behind

	values map[string]int // open calls of function values, by language; under mu

	edges  atomic.Int64
	weight atomic.Int64 // that the graph takes, about

	pending  sync.Mutex
	changes  []graphChange
	waiting  int       // expressions of the files in changes
	remaking *remaking // under pending; nil: none is being made
	last     *remaking // under pending; the one that was begun last
}

// A graphChange is a committed file that the graph does not know yet.
type graphChange struct {
	path   string
	file   *ir.File // nil: the file is gone, has no calls, or is to be unpacked from now
	config []byte   // of a file that decides what imports lead to; nil: gone

	was, now lowered // was is empty, unless the file has changed
	late     bool    // it is there, and was not lowered
	stays    bool    // it cannot be moved
}

// waitingNodes is how many expressions of files wait unpacked for the next resolve: what
// comes after them waits packed, in a fifteenth of the memory, and takes a twentieth of
// the time of parsing to unpack. It is all of a tree of 2,000 files.
const waitingNodes = 1 << 20

// note remembers a change for the next resolve. The caller holds the Index's lock, under
// which the change is committed.
func (c *callGraph) note(change graphChange) {
	c.pending.Lock()
	defer c.pending.Unlock()
	if c.missing.Load() && c.remaking == nil {
		return // the next graph is made of what is committed then
	}
	if len(c.changes) == 0 && c.remaking == nil {
		c.since.Store(c.generation())
	}
	if change.file != nil && len(change.now) > 0 {
		if c.waiting >= waitingNodes {
			change.file = nil
		} else {
			c.waiting += len(change.file.Exprs)
		}
	}
	c.changes = append(c.changes, change)
}

// resolve brings the graph in line with what has been committed.
func (c *callGraph) resolve() {
	if !c.behind() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.move()
	if !c.behind() {
		return // what has moved counts as before
	}
	if c.missing.Load() {
		c.replace()
		return
	}
	if !c.broken.Load() && c.manyLate() {
		c.missing.Store(true)
		c.replace()
		return
	}
	if c.background && !c.broken.Load() && c.heavy() {
		c.aside()
		return
	}
	changes := c.take()
	if c.broken.Load() {
		return
	}
	began := time.Now()
	if !c.apply(c.graph, changes) {
		c.graph = graph.New()
	}
	c.observer.Solved(time.Since(began))
	c.count()
}

// take returns what has changed. The caller holds mu, so that whoever reads the graph
// knows whether it is behind.
func (c *callGraph) take() []graphChange {
	c.pending.Lock()
	defer c.pending.Unlock()
	changes := c.changes
	c.changes, c.waiting = nil, 0
	return changes
}

// apply puts changes into a graph that nobody else has, or that is locked, and resolves
// it.
func (c *callGraph) apply(g *graph.Graph, changes []graphChange) (ok bool) {
	for _, change := range changes {
		if c.stop.Load() {
			return false
		}
		switch {
		case change.late:
			change.file, change.now = c.lower(change.path)
		case change.file == nil && len(change.now) > 0:
			var err error
			if change.file, err = c.forms.restore(change.now, nil); err != nil { // what this process has packed
				c.log.Error("what the call graph needs of a file cannot be read", "path", change.path, "err", err)
				change.file, change.now = c.lower(change.path)
			}
		}
		switch {
		case graph.IsConfig(change.path):
			g.Config(change.path, change.config)
		case change.file == nil:
			g.Remove(change.path)
			c.held.drop(change.path)
		default:
			g.Put(change.path, change.file)
			c.held.keep(change.path, change.now)
		}
	}
	return c.settle(g)
}

// held are the lowered forms of what is in the graph: it lets go of parts, and gets them
// back as they were, whatever has been committed since.
type held struct {
	mu    sync.Mutex
	forms map[string]lowered
}

func (h *held) keep(path string, form lowered) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.forms == nil {
		h.forms = map[string]lowered{}
	}
	h.forms[path] = form
}

func (h *held) drop(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.forms, path)
}

func (h *held) form(path string) lowered {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.forms[path]
}

// count takes the figures of the graph, under mu.
func (c *callGraph) count() {
	stats := c.graph.Stats()
	c.edges.Store(int64(stats.Edges))
	c.weight.Store(c.graph.Bytes())
	c.values = stats.Values
}

// bytes returns what a snapshot has of the graph, nil where that is behind.
func (c *callGraph) bytes() []byte {
	if c.behind() || c.broken.Load() {
		return nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	var e snapshot.Encoder
	c.graph.Save(&e)
	return e.Bytes()
}

// restore takes over the graph of a snapshot; nil: it had none. One that is old answers
// until the first ingest has another one made.
func (c *callGraph) restore(g *graph.Graph, old bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missing.Store(g == nil || old)
	if g == nil {
		return
	}
	c.graph = g
	c.count()
}

// shrink lets go of what only updates need, unless changes are pending.
func (c *callGraph) shrink() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.behind() || c.broken.Load() || !c.graph.Shrink() {
		return false
	}
	c.count()
	return true
}

// settle resolves the graph. A fault of the resolver must not take the server with it:
// it costs the graph until the server starts again, and every answer says so.
func (c *callGraph) settle(g *graph.Graph) (ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			c.log.Error("the call graph could not be resolved", "fault", fault, "stack", string(debug.Stack()))
			c.broken.Store(true)
		}
	}()
	g.Resolve()
	return true
}

// behind reports whether committed files are not in the graph yet.
func (c *callGraph) behind() bool {
	c.pending.Lock()
	defer c.pending.Unlock()
	return len(c.changes) > 0 || c.missing.Load() || c.remaking != nil
}

// lacks reports whether the graph may have another state of a file than the committed one.
func (c *callGraph) lacks(path string) bool {
	c.pending.Lock()
	defer c.pending.Unlock()
	return c.missing.Load() || c.remaking != nil || slices.ContainsFunc(c.changes, func(change graphChange) bool { return change.path == path })
}

// forgo has a graph that nobody asks for made again by the next who does, when many changes
// wait for it: they have the lowered forms of all versions of their files.
func (c *callGraph) forgo() {
	c.pending.Lock()
	defer c.pending.Unlock()
	if c.remaking == nil && len(c.changes) >= asideFiles {
		c.missing.Store(true)
		c.changes, c.waiting = nil, 0
	}
}
