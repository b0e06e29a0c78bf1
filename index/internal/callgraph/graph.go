// Package callgraph keeps the call graph of an index up to date: it notes what commits
// change, has the solver bring the graph in line, at once or aside, and answers with the
// old graph meanwhile, which it says. What files were lowered to, it packs. It knows
// neither files nor tables: whoever has them gives it forms and a way to begin again.
package callgraph

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

// Graph is the graph of an Index, next to its table. It has a lock of its own:
// bringing it up to date after a large change takes longer than a search may wait.
type Graph struct {
	Mu    sync.RWMutex // held while the graph changes; whoever needs the Index's lock, too, takes it after this one
	Graph *graph.Graph

	Log    *slog.Logger
	Forms  *Forms
	Remake func() func() *graph.Graph // what makes a graph of all that is committed now; takes the Index's lock
	Files  func() int                 // how many these are, without it
	Lower  func(path string) (*ir.File, Form)
	Held   held

	Background bool          // nobody is to wait for a large graph
	Large      int64         // in a test: in place of asideBytes
	Changed    func()        // the graph is another one
	Stop       atomic.Bool   // nobody waits for the graph any more
	Ending     chan struct{} // closed with that
	Throttle   *throttle.Gate
	Bulk       Bulk
	Broken     atomic.Bool // it lacks a family of languages, or a file, in which there was a fault
	lost       bool        // under Mu: it is empty since there was one, and stays so
	Missing    atomic.Bool // a snapshot was restored that has no graph, or an old one

	Generation func() uint64 // of the Index
	Observer   interface{ Solved(took time.Duration) }
	Since      atomic.Uint64 // the generation that the graph was last known to be of, where it is behind

	Values map[string]int // open calls of function values, by language; under mu

	Version atomic.Uint64 // of what the graph answers; rises with each change of it, under Mu

	Edges  atomic.Int64
	Weight atomic.Int64 // that the graph takes, about

	pending      sync.Mutex
	Changes      []Change
	waiting      int       // expressions of the files in changes
	remaking     *remaking // under pending; nil: none is being made
	copying      bool      // under pending; the graph is being copied, see aside
	last         *remaking // under pending; the one that was begun last
	precomputing *remaking // under pending; the last work that Precompute began
}

// A Change is a committed file that the graph does not know yet.
type Change struct {
	Path   string
	File   *ir.File // nil: the file is gone, has no calls, or is to be unpacked from now
	Config []byte   // of a file that decides what imports lead to; nil: gone

	Was, Now Form // was is empty, unless the file has changed
	Late     bool // it is there, and was not lowered
	stays    bool // it cannot be moved
}

// waitingNodes is how many expressions of files wait unpacked for the next resolve: what
// comes after them waits packed, in a fifteenth of the memory, and takes a twentieth of
// the time of parsing to unpack. It is all of a tree of 2,000 files.
const waitingNodes = 1 << 20

// Note remembers a change for the next resolve. The caller holds the Index's lock, under
// which the change is committed.
func (c *Graph) Note(change Change) {
	c.pending.Lock()
	defer c.pending.Unlock()
	if c.Missing.Load() && c.remaking == nil {
		return // the next graph is made of what is committed then
	}
	if len(c.Changes) == 0 && c.remaking == nil {
		c.Since.Store(c.Generation())
	}
	if change.File != nil && len(change.Now) > 0 {
		if c.waiting >= waitingNodes {
			change.File = nil
		} else {
			c.waiting += len(change.File.Exprs)
		}
	}
	c.Changes = append(c.Changes, change)
}

// Resolve brings the graph in line with what has been committed.
func (c *Graph) Resolve() {
	if !c.Behind() || c.isCopied() {
		return
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.move()
	if !c.Behind() {
		return // what has moved counts as before
	}
	if c.Missing.Load() {
		c.replace()
		return
	}
	if !c.Broken.Load() && c.manyLate() {
		c.Missing.Store(true)
		c.replace()
		return
	}
	if c.Background && !c.Broken.Load() && c.heavy() && c.aside() {
		return
	}
	changes := c.take()
	if c.lost {
		return
	}
	began := time.Now()
	if !c.apply(c.Graph, changes) {
		c.Graph, c.lost = graph.New(), true
	}
	c.Observer.Solved(time.Since(began))
	c.count()
}

// isCopied reports whether the graph is being copied: who does it takes all changes that come until it ends.
func (c *Graph) isCopied() bool {
	c.pending.Lock()
	defer c.pending.Unlock()
	return c.copying
}

// take returns what has changed. The caller holds mu, so that whoever reads the graph
// knows whether it is behind.
func (c *Graph) take() []Change {
	c.pending.Lock()
	defer c.pending.Unlock()
	changes := c.Changes
	c.Changes, c.waiting = nil, 0
	return changes
}

// apply puts changes into a graph that nobody else has, or that is locked, and resolves
// it.
func (c *Graph) apply(g *graph.Graph, changes []Change) (ok bool) {
	for _, change := range changes {
		if c.Stop.Load() {
			return false
		}
		switch {
		case change.Late:
			change.File, change.Now = c.Lower(change.Path)
		case change.File == nil && len(change.Now) > 0:
			var err error
			if change.File, err = c.Forms.Unpack(change.Now, nil); err != nil { // what this process has packed
				c.Log.Error("what the call graph needs of a file cannot be read", "path", change.Path, "err", err)
				change.File, change.Now = c.Lower(change.Path)
			}
		}
		switch {
		case graph.IsConfig(change.Path):
			g.Config(change.Path, change.Config)
		case change.File == nil:
			g.Remove(change.Path)
			c.Held.drop(change.Path)
		default:
			g.Put(change.Path, change.File)
			c.Held.Keep(change.Path, change.Now)
		}
	}
	return c.settle(g)
}

// held are the lowered forms of what is in the graph: it lets go of parts, and gets them
// back as they were, whatever has been committed since.
type held struct {
	Mu    sync.Mutex
	Forms map[string]Form
}

func (h *held) Keep(path string, form Form) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	if h.Forms == nil {
		h.Forms = map[string]Form{}
	}
	h.Forms[path] = form
}

func (h *held) drop(path string) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	delete(h.Forms, path)
}

func (h *held) Form(path string) Form {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	return h.Forms[path]
}

// count takes the figures of the graph, under mu.
func (c *Graph) count() {
	c.Version.Add(1)
	stats := c.Graph.Stats()
	c.Edges.Store(int64(stats.Edges))
	c.Weight.Store(c.Graph.Bytes())
	c.Values = stats.Values
}

// Bytes returns what a snapshot has of the graph, nil where that is behind.
func (c *Graph) Bytes() []byte {
	if c.Behind() || c.Broken.Load() {
		return nil
	}
	c.Mu.RLock()
	defer c.Mu.RUnlock()
	var e snapshot.Encoder
	c.Graph.Save(&e)
	return e.Bytes()
}

// Restore takes over the graph of a snapshot; nil: it had none. One that is old answers
// until the first ingest has another one made.
func (c *Graph) Restore(g *graph.Graph, old bool) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Missing.Store(g == nil || old)
	if g == nil {
		return
	}
	c.Graph = g
	c.count()
}

// Shrink lets go of what only updates need, unless changes are pending.
func (c *Graph) Shrink() bool {
	if c.Behind() {
		return false
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Behind() || c.Broken.Load() || !c.Graph.Shrink() {
		return false
	}
	c.count()
	return true
}

// settle resolves the graph. A fault of the resolver must not take the server with it: it
// costs the graph of the languages where it was until the server starts again, and every
// answer says so. The caller holds Mu, or has a graph that nobody else has.
func (c *Graph) settle(g *graph.Graph) (ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			c.Log.Error("the call graph could not be resolved", "fault", fault, "stack", string(debug.Stack()))
			c.Broken.Store(true)
		}
	}()
	for _, fault := range g.Resolve() {
		c.Log.Error("a part of the call graph could not be resolved", "fault", fault)
		c.Broken.Store(true)
	}
	return true
}

// Behind reports whether committed files are not in the graph yet.
func (c *Graph) Behind() bool {
	c.pending.Lock()
	defer c.pending.Unlock()
	return len(c.Changes) > 0 || c.Missing.Load() || c.remaking != nil
}

// Absent reports whether there is no graph yet, or only an old one of a snapshot: what it
// answers until then says nothing of the files as they are.
func (c *Graph) Absent() bool { return (c.Version.Load() == 0 || c.Missing.Load()) && c.Behind() }

// Lacks reports whether the graph may have another state of a file than the committed one.
func (c *Graph) Lacks(path string) bool {
	c.pending.Lock()
	defer c.pending.Unlock()
	return c.Missing.Load() || c.remaking != nil || slices.ContainsFunc(c.Changes, func(change Change) bool { return change.Path == path })
}

// Forgo has a graph that nobody asks for made again by the next who does, when many changes
// wait for it: they have the lowered forms of all versions of their files.
func (c *Graph) Forgo() {
	c.pending.Lock()
	defer c.pending.Unlock()
	if c.remaking == nil && len(c.Changes) >= AsideFiles {
		c.Missing.Store(true)
		c.Changes, c.waiting = nil, 0
	}
}
