package facts

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/scip"
	"github.com/quarry-search/quarry/index/internal/store"
)

// corrected is what a View keeps of the graph with what SCIP indexes say.
type corrected struct {
	mu   sync.Mutex // held while one is made
	last atomic.Pointer[graphWith]
}

// A graphWith is the graph of some state with what is known in it.
type graphWith struct {
	known   *scip.Current
	base    *graph.Graph
	version uint64
	graph   *graph.Graph
}

// Forget lets go of what is no longer so. The lock of the View is held, which who makes another
// one waits for.
func (c *corrected) Forget() { c.last.Store(nil) }

// Graph returns the graph that questions are answered from: with what SCIP indexes say of the
// files that are as they were. The caller holds the lock of the graph, and not that of the View.
func Graph(x *store.View) *graph.Graph {
	known := Now(x)
	if known.Files() == 0 {
		return x.Graph.Graph
	}
	c := store.Kept[corrected](x)
	c.mu.Lock()
	defer c.mu.Unlock()
	w, version := c.last.Load(), x.Graph.Version.Load()
	if w == nil || w.known != known || w.base != x.Graph.Graph || w.version != version {
		f := factFinder{view: x, base: x.Graph.Graph, known: known, symbols: map[uint32]*meaning{}, covered: map[[2]string]bool{}, defined: map[string]map[string]int{}}
		w = &graphWith{known, x.Graph.Graph, version, x.Graph.Graph.With(f.all(), known.Has)}
		c.last.Store(w)
	}
	return w.graph
}

// A factFinder finds in the graph what SCIP indexes name.
type factFinder struct {
	view    *store.View
	base    *graph.Graph
	known   *scip.Current
	symbols map[uint32]*meaning       // by number; nil: it says nothing about calls
	covered map[[2]string]bool        // see knows
	defined map[string]map[string]int // the functions of a file, by path and by name
}

// A meaning is what a symbol is in the graph.
type meaning struct {
	to      graph.ID // 0: it is outside of the index
	name    string
	outside string
	may     []graph.ID
}

// all returns the facts of all files.
func (f *factFinder) all() map[string][]graph.Fact {
	facts := map[string][]graph.Fact{}
	f.known.Each(func(path string, occurrences []scip.Occurrence) {
		id := f.base.File(path)
		if id == 0 || f.view.Graph.Lacks(path) {
			return
		}
		language := f.base.Node(id).Language
		var list []graph.Fact
		for i := range occurrences {
			o := &occurrences[i]
			if o.Defines || o.Declares {
				continue
			}
			m := f.meaning(o.Symbol)
			if m == nil || m.to == 0 && !f.knows(m.name, language) {
				continue
			}
			list = append(list, graph.Fact{Pos: o.Pos, Name: m.name, To: m.to, Outside: m.outside, May: m.may})
		}
		if len(list) > 0 {
			facts[path] = list
		}
	})
	return facts
}

// meaning returns what a symbol is: one function of the index, or something outside of it.
func (f *factFinder) meaning(symbol uint32) *meaning {
	if m, ok := f.symbols[symbol]; ok {
		return m
	}
	f.symbols[symbol] = nil
	m := &meaning{}
	m.name, m.outside = f.known.Name(symbol)
	where, places := f.known.Where(symbol)
	switch where {
	case scip.Here:
		ids := f.functions(m.name, places)
		if len(ids) != 1 || f.several(ids[0]) {
			return nil
		}
		m.to = ids[0]
	case scip.Outside:
	default:
		return nil
	}
	by, known := f.known.Implementing(symbol)
	if !known {
		return nil
	}
	may := f.functions(m.name, by)
	if m.to != 0 {
		n := f.base.Node(m.to)
		if class := f.base.Node(n.Outer); class.Kind == graph.ClassNode && overridable(&n) {
			// Not every indexer says what overrides what, and not every file may be in its index.
			if !f.knows(m.name, n.Language) {
				return nil
			}
			may = append(may, f.overriding(m.name, class.ID)...)
		}
	}
	slices.Sort(may)
	m.may = slices.DeleteFunc(slices.Compact(may), func(id graph.ID) bool { return id == m.to })
	f.symbols[symbol] = m
	return m
}

// several reports whether the file of a function defines one of its name more than once: the
// signatures of one, or variants of which one runs. An indexer may name the first of them.
func (f *factFinder) several(id graph.ID) bool {
	n := f.base.Node(id)
	count, ok := f.defined[n.Path]
	if !ok {
		count = map[string]int{}
		for _, ids := range f.base.NamedIn(n.Path) {
			for _, id := range ids {
				if n := f.base.Node(id); n.Kind == graph.FuncNode {
					count[n.Name]++
				}
			}
		}
		f.defined[n.Path] = count
	}
	return count[n.Name] > 1
}

// overridable reports whether a call that names a method may run another one.
func overridable(n *graph.Node) bool {
	return n.Flags&ir.Abstract != 0 || n.Language != "go" && n.Flags&(ir.Static|ir.Private|ir.Constructor) == 0
}

// overriding returns the methods of a name of the types below one, as the graph has them.
func (f *factFinder) overriding(name string, class graph.ID) (ids []graph.ID) {
	seen := map[graph.ID]bool{class: true}
	next := []graph.ID{class}
	for len(next) > 0 {
		id := next[0]
		next = next[1:]
		f.base.In(id, func(e graph.Edge) bool {
			if (e.Kind == graph.Inherits || e.Kind == graph.Implements) && !seen[e.From] {
				seen[e.From] = true
				next = append(next, e.From)
			}
			return true
		})
		if id == class {
			continue
		}
		for _, m := range f.base.Members(id) {
			if n := f.base.Node(m); n.Name[strings.LastIndexByte(n.Name, '.')+1:] == name {
				ids = append(ids, m)
			}
		}
	}
	return ids
}

// functions returns the functions of a name that are defined at some places.
func (f *factFinder) functions(name string, places []scip.Place) (ids []graph.ID) {
	for _, p := range places {
		if f.view.Graph.Lacks(p.Path) {
			continue
		}
		for _, id := range f.base.Named(p.Path, name, p.Pos.Line()) {
			if n := f.base.Node(id); n.Kind == graph.FuncNode && n.Pos == p.Pos {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// knows reports whether all functions of a name that code in a language could call are in files
// of which SCIP indexes say what they define. Only then a symbol that none of them defines is
// known to be outside: another part of the root may have a SCIP index that was not read.
func (f *factFinder) knows(name, language string) bool {
	key := [2]string{name, language}
	known, ok := f.covered[key]
	if !ok {
		f.view.Mu.RLock()
		known = !slices.ContainsFunc(f.view.Table.Define(name), func(d store.SymbolRef) bool {
			return d.Record.Symbols[d.Symbol].Name == name && graph.SameFamily(d.Record.Lang, language) && !f.known.Has(d.Record.Path)
		})
		f.view.Mu.RUnlock()
		f.covered[key] = known
	}
	return known
}
