package store

import (
	"bytes"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/priority"
)

// newGraph makes an empty graph, which gets what it does not keep from the texts of the
// table.
func (x *View) newGraph() {
	x.Graph.Log, x.Graph.Forms, x.Graph.Background = x.Log, &x.Forms, x.Opt.Background
	x.Graph.Throttle, x.Graph.Bulk = x.Opt.Throttle, x.Opt.Bulk
	x.Graph.Graph = x.EmptyGraph()
	x.Graph.Remake = func() func() *graph.Graph {
		x.Mu.RLock()
		defer x.Mu.RUnlock()
		records := slices.Collect(maps.Values(x.Table.Files))
		return func() *graph.Graph { return x.wholeGraph(records) }
	}
	x.Graph.Files = func() int { return int(x.Counters.Files.Load()) }
	x.Graph.Generation, x.Graph.Observer = x.Counters.Generation.Load, x.Opt.Observer
	x.Graph.Lower = x.lowerAt
	x.Graph.Changed = func() { x.Commit(nil) }
}

func (x *View) EmptyGraph() *graph.Graph {
	g := graph.New()
	x.Supply(g, nil)
	return g
}

// Supply tells a graph of some files where to get them from.
func (x *View) Supply(g *graph.Graph, files map[string]*Record) {
	forms, configs := map[string]callgraph.Form{}, map[string][]byte{}
	for path, r := range files {
		if graph.IsConfig(path) {
			configs[path] = r.Text.All()
		} else if len(r.Lowered) > 0 {
			forms[path] = r.Lowered
		}
	}
	x.Graph.Held.Mu.Lock()
	x.Graph.Held.Forms = forms
	x.Graph.Held.Mu.Unlock()
	g.Configured(configs)
	g.Reload(func(path string, spare *ir.Spare) *ir.File {
		form := x.Graph.Held.Form(path)
		f, err := x.Forms.Unpack(form, spare)
		if err == nil {
			return f
		}
		x.Mu.RLock()
		r := x.Table.Files[path]
		x.Mu.RUnlock()
		if r != nil && bytes.Equal(r.Lowered, form) { // it comes from a snapshot
			return x.LowerOf(r)
		}
		x.Log.Error("what the call graph needs of a file cannot be read", "path", path, "err", err)
		return nil
	}, 0)
}

// lowerAt returns what a committed file was lowered to.
func (x *View) lowerAt(path string) (*ir.File, callgraph.Form) {
	x.Mu.RLock()
	r := x.Table.Files[path]
	x.Mu.RUnlock()
	if r == nil {
		return nil, nil
	}
	return x.LowerOf(r), r.Lowered
}

// wholeGraph puts files into a graph.
func (x *View) wholeGraph(records []*Record) *graph.Graph {
	g := x.EmptyGraph()
	var group errgroup.Group
	var mu sync.Mutex
	in := make(chan *Record)
	for range x.Opt.Workers {
		group.Go(func() error {
			if x.Opt.Background {
				priority.Lower()
			}
			way := x.Opt.Throttle.Worker()
			for r := range in {
				way.Wait(x.Graph.Ending, false)
				panicked := fault.Try(func() {
					if graph.IsConfig(r.Path) {
						mu.Lock()
						defer mu.Unlock()
						g.Config(r.Path, r.Text.All())
					} else if f := x.LowerOf(r); f != nil {
						mu.Lock()
						defer mu.Unlock()
						g.Put(r.Path, f)
						x.Graph.Held.Keep(r.Path, r.Lowered)
					}
				})
				if panicked != nil {
					x.Log.Error("a file is not in the call graph", "path", r.Path, "fault", panicked)
					x.Graph.Broken.Store(true)
				}
			}
			return nil
		})
	}
	for _, r := range records {
		if x.Graph.Stop.Load() {
			break
		}
		in <- r
	}
	close(in)
	_ = group.Wait() // there are no errors
	return g
}

// ResolveGraph resolves once all files of an ingest are committed, while vectors
// are still being computed. A draft's is resolved when somebody asks for it.
func (x *View) ResolveGraph() {
	if x.Over != nil {
		x.Graph.Forgo()
		return
	}
	x.Graph.Resolve()
}

// LowerOf returns what a record was lowered to. Where that cannot be read its text is
// parsed again.
func (x *View) LowerOf(r *Record) *ir.File {
	f, err := x.Forms.Unpack(r.Lowered, nil)
	if err == nil {
		return f
	}
	x.Log.Warn("a file is parsed again for the call graph", "path", r.Path, "err", err)
	x.Counters.Lowered.Add(1)
	p := x.Parsers.Get()
	defer x.Parsers.Put(p)
	parsed, tree := p.ParseTree(r.Lang, r.Text.All())
	return lower.File(&parsed, tree)
}
