package index

import (
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// callGraph is the graph of an Index beside its table. It has a lock of its own:
// bringing it up to date after a large change takes longer than a search may wait.
type callGraph struct {
	mu    sync.RWMutex // held while the graph changes; whoever needs the Index's lock, too, takes it after this one
	graph *graph.Graph

	log    *slog.Logger
	broken atomic.Bool // it could not be resolved, and is empty since

	values map[string]int // open calls of function values, by language; under mu

	edges atomic.Int64

	pending sync.Mutex
	changes []graphChange
}

// A graphChange is a committed file that the graph does not know yet.
type graphChange struct {
	path   string
	file   *ir.File // nil: the file is gone, or has no calls
	config []byte   // of a file that decides what imports lead to; nil: gone
}

// note remembers a change for the next resolve.
func (c *callGraph) note(change graphChange) {
	c.pending.Lock()
	defer c.pending.Unlock()
	c.changes = append(c.changes, change)
}

// resolve brings the graph in line with what has been committed.
func (c *callGraph) resolve() {
	if !c.behind() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// Under the lock, so that whoever reads the graph knows whether it is behind.
	c.pending.Lock()
	changes := c.changes
	c.changes = nil
	c.pending.Unlock()
	if c.broken.Load() {
		return
	}
	for _, change := range changes {
		switch {
		case graph.IsConfig(change.path):
			c.graph.Config(change.path, change.config)
		case change.file == nil:
			c.graph.Remove(change.path)
		default:
			c.graph.Put(change.path, change.file)
		}
	}
	c.settle()
	stats := c.graph.Stats()
	c.edges.Store(int64(stats.Edges))
	c.values = stats.Values
}

// settle resolves the graph. A fault of the resolver must not take the server with it:
// it costs the graph until the server starts again, and every answer says so.
func (c *callGraph) settle() {
	defer func() {
		if fault := recover(); fault != nil {
			c.log.Error("the call graph could not be resolved", "fault", fault, "stack", string(debug.Stack()))
			c.broken.Store(true)
			c.graph = graph.New()
		}
	}()
	c.graph.Resolve()
}

// behind reports whether committed files are not in the graph yet.
func (c *callGraph) behind() bool {
	c.pending.Lock()
	defer c.pending.Unlock()
	return len(c.changes) > 0
}

// newGraph makes an empty graph, which gets what it does not keep from the texts of the
// table. It asks only while it resolves, and then the table does not change.
func (x *Index) newGraph() {
	x.calls.log = x.log
	x.calls.graph = graph.New()
	x.calls.graph.Reload(func(path string) *ir.File {
		r := x.table.files[path]
		if r == nil {
			return nil
		}
		p := syntax.NewParser()
		defer p.Close()
		f, tree := p.ParseTree(r.lang, r.text.all())
		return lower.File(&f, tree)
	}, 0)
}

// resolveGraph resolves once all files of an ingest are committed, while vectors
// are still being computed.
func (x *Index) resolveGraph() {
	if x.opt.Background {
		lowerPriority()
	}
	x.calls.resolve()
}
