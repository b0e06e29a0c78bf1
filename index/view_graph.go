package index

import (
	"bytes"
	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower"
	"golang.org/x/sync/errgroup"
	"maps"
	"slices"
	"sync"
)

// newGraph makes an empty graph, which gets what it does not keep from the texts of the
// table.
func (x *View) newGraph() {
	x.calls.log, x.calls.forms, x.calls.background = x.log, &x.forms, x.opt.Background
	x.calls.throttle, x.calls.bulk = x.opt.Throttle, x.opt.Bulk
	x.calls.graph = x.emptyGraph()
	x.calls.remake = func() func() *graph.Graph {
		x.mu.RLock()
		defer x.mu.RUnlock()
		records := slices.Collect(maps.Values(x.table.files))
		return func() *graph.Graph { return x.wholeGraph(records) }
	}
	x.calls.files = func() int { return int(x.state.files.Load()) }
	x.calls.generation, x.calls.observer = x.state.generation.Load, x.opt.Observer
	x.calls.lower = x.lowerAt
	x.calls.changed = func() { x.commit(nil) }
}

func (x *View) emptyGraph() *graph.Graph {
	g := graph.New()
	x.supply(g, nil)
	return g
}

// supply tells a graph of some files where to get them from.
func (x *View) supply(g *graph.Graph, files map[string]*record) {
	forms, configs := map[string]lowered{}, map[string][]byte{}
	for path, r := range files {
		if graph.IsConfig(path) {
			configs[path] = r.text.all()
		} else if len(r.lowered) > 0 {
			forms[path] = r.lowered
		}
	}
	x.calls.held.mu.Lock()
	x.calls.held.forms = forms
	x.calls.held.mu.Unlock()
	g.Configured(configs)
	g.Reload(func(path string, spare *ir.Spare) *ir.File {
		form := x.calls.held.form(path)
		f, err := x.forms.restore(form, spare)
		if err == nil {
			return f
		}
		x.mu.RLock()
		r := x.table.files[path]
		x.mu.RUnlock()
		if r != nil && bytes.Equal(r.lowered, form) { // it comes from a snapshot
			return x.lower(r)
		}
		x.log.Error("what the call graph needs of a file cannot be read", "path", path, "err", err)
		return nil
	}, 0)
}

// lowerAt returns what a committed file was lowered to.
func (x *View) lowerAt(path string) (*ir.File, lowered) {
	x.mu.RLock()
	r := x.table.files[path]
	x.mu.RUnlock()
	if r == nil {
		return nil, nil
	}
	return x.lower(r), r.lowered
}

// wholeGraph puts files into a graph.
func (x *View) wholeGraph(records []*record) *graph.Graph {
	g := x.emptyGraph()
	var group errgroup.Group
	var mu sync.Mutex
	in := make(chan *record)
	for range x.opt.Workers {
		group.Go(func() error {
			if x.opt.Background {
				lowerPriority()
			}
			way := x.opt.Throttle.Worker()
			for r := range in {
				way.Wait(x.calls.ending, false)
				panicked := fault.Try(func() {
					if graph.IsConfig(r.path) {
						mu.Lock()
						defer mu.Unlock()
						g.Config(r.path, r.text.all())
					} else if f := x.lower(r); f != nil {
						mu.Lock()
						defer mu.Unlock()
						g.Put(r.path, f)
						x.calls.held.keep(r.path, r.lowered)
					}
				})
				if panicked != nil {
					x.log.Error("a file is not in the call graph", "path", r.path, "fault", panicked)
					x.calls.broken.Store(true)
				}
			}
			return nil
		})
	}
	for _, r := range records {
		if x.calls.stop.Load() {
			break
		}
		in <- r
	}
	close(in)
	_ = group.Wait() // there are no errors
	return g
}

// resolveGraph resolves once all files of an ingest are committed, while vectors
// are still being computed. A draft's is resolved when somebody asks for it.
func (x *View) resolveGraph() {
	if x.over != nil {
		x.calls.forgo()
		return
	}
	x.calls.resolve()
}

// lower returns what a record was lowered to. Where that cannot be read its text is
// parsed again.
func (x *View) lower(r *record) *ir.File {
	f, err := x.forms.restore(r.lowered, nil)
	if err == nil {
		return f
	}
	x.log.Warn("a file is parsed again for the call graph", "path", r.path, "err", err)
	x.state.lowered.Add(1)
	p := x.parsers.get()
	defer x.parsers.put(p)
	parsed, tree := p.ParseTree(r.lang, r.text.all())
	return lower.File(&parsed, tree)
}
