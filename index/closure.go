package index

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
)

// byName is the confidence of an edge that only a name speaks for.
const byName = "name"

// A walk is the work of one query on the call graph, whose lock it holds.
type walk struct {
	index *View
	g     *graph.Graph
	calls *callGraph
	nodes map[graph.ID]graph.Node
	homes map[graph.ID]graph.ID
}

// readGraph lets a query read the graph.
func (x *View) readGraph(use func(w *walk)) {
	if x.over != nil {
		x.over.solve()
	}
	x.calls.mu.RLock()
	defer x.calls.mu.RUnlock()
	use(&walk{x, x.calls.graph, &x.calls, map[graph.ID]graph.Node{}, map[graph.ID]graph.ID{}})
}

// walkGraph is readGraph, and notes how much of the graph was looked at.
func (x *View) walkGraph(ctx context.Context, use func(w *walk)) {
	x.readGraph(func(w *walk) {
		defer func() { note(ctx, func(p *Plan) { p.Nodes += len(w.nodes) }) }()
		use(w)
	})
}

func (w *walk) node(id graph.ID) *graph.Node {
	n, ok := w.nodes[id]
	if !ok {
		n = w.g.Node(id)
		w.nodes[id] = n
	}
	return &n
}

// home returns the named node that a node is a part of: literals belong to the
// function that they are written in.
func (w *walk) home(id graph.ID) graph.ID {
	if to, ok := w.homes[id]; ok {
		return to
	}
	to := id
	for range 64 {
		n := w.node(to)
		if n.Kind != graph.FuncNode || n.Outer == 0 {
			break
		}
		up := w.node(n.Outer)
		if n.Name != "" && !strings.HasSuffix(n.Name, ".") && (up.Kind == graph.FileNode || up.Name != n.Name) {
			break
		}
		to = n.Outer
	}
	w.homes[id] = to
	return to
}

func (w *walk) place(id graph.ID) Place {
	n := w.node(id)
	return Place{Symbol: n.Name, File: n.Path, Line: max(n.Pos.Line(), 1)}
}

// fits reports whether the graph has a file as a record has it. One of the two may be
// newer: the record was looked up before the graph was locked.
func (w *walk) fits(r *record) bool {
	if w.calls.lacks(r.path) {
		return false
	}
	w.index.mu.RLock()
	defer w.index.mu.RUnlock()
	return w.index.table.files[r.path] == r
}

// plainName is the last part of a node's name, as it is called.
func plainName(n *graph.Node) string { return n.Name[strings.LastIndexByte(n.Name, '.')+1:] }

// isTest reports whether a node is code that a test runner runs.
func (w *walk) isTest(id graph.ID) bool {
	n := w.node(id)
	return n.Flags&ir.TestFunc != 0 || source.RoleOf(n.Path) == source.Test
}

// seeds returns the nodes that a target stands for: those of its name and line,
// and with a class its methods; of a file all that is in it.
func (w *walk) seeds(at *target) []graph.ID {
	var ids []graph.ID
	seen := map[graph.ID]bool{}
	add := func(id graph.ID) {
		if id != 0 && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	if at.symbol < 0 {
		add(w.g.File(at.record.path))
		named := w.g.NamedIn(at.record.path)
		for i := range at.record.symbols {
			if s := &at.record.symbols[i]; runs(s.kind()) {
				for _, id := range named[graph.Spot{Name: s.name, Line: int(s.nameLine)}] {
					add(id)
				}
			}
		}
		return ids
	}
	s := at.sym()
	for _, id := range w.g.Named(at.record.path, s.name, int(s.nameLine)) {
		add(id)
	}
	w.relatives(at, add)
	if len(ids) == 0 && w.fits(at.record) {
		// Names that the graph reads in another way: operators, quoted keys. In a graph of
		// another state of the file, the line is that of any symbol.
		add(w.g.At(at.record.path, int(s.nameLine)))
	}
	for _, id := range ids {
		if w.node(id).Kind == graph.ClassNode {
			for _, m := range w.g.Members(id) {
				add(m)
			}
		}
	}
	return ids
}

// current notes whether the graph is one of all files as they are.
func (x *View) current(l *gaps, state State) {
	switch {
	case state.State == Indexing:
		l.because("the index is still being built")
	case x.calls.broken.Load():
		l.because("the call graph could not be made; the log says why")
	case x.state.restored.Load(), x.over != nil && x.over.base.state.restored.Load():
		l.because("the files have not been compared with the snapshot yet")
	case x.calls.behind():
		l.because("the latest changes are not in the call graph yet")
	}
}

// inGraph checks that a target is in a language with a call graph.
func (x *View) inGraph(w *walk, at *target, state State) error {
	if w.g.Has(at.record.path) || x.calls.behind() || !w.fits(at.record) || x.calls.broken.Load() || state.State == Indexing {
		return nil
	}
	return &UnsupportedError{File: at.record.path, Language: at.record.lang, Analysis: "call graph"}
}

// isCall reports whether an edge is a call, or says from where one may come: going
// through an interface, and, of what is called, the use as a value.
func isCall(e *graph.Edge, values bool) bool {
	return e.Kind == graph.Calls || e.Kind == graph.References && (e.Rule == graph.ByHierarchy || values && e.Rule == graph.ByValue)
}

// dependency reports whether a change of what an edge leads to may matter where it
// comes from.
func dependency(e *graph.Edge) bool { return e.Kind != graph.Imports }

// A reached is a node that a search from some seeds has come to.
type reached struct {
	id         graph.ID
	depth      int
	via        graph.ID         // the node from which it was reached
	confidence graph.Confidence // the weakest on the way
	sites      []ir.Pos         // of the edges between it and via
	kind       graph.EdgeKind
}

// search finds what the seeds lead to or, backward, what leads to them, in at most
// depth steps over the edges that are followed, nearest first. Seeds themselves are
// not among it. cut is CutDepth or CutReached where there is more.
func (w *walk) search(ctx context.Context, seeds []graph.ID, depth int, backward bool, follow func(*graph.Edge) bool) (found []reached, cut Cut) {
	next, end := w.g.Out, func(e *graph.Edge) graph.ID { return e.To }
	if backward {
		next, end = w.g.In, func(e *graph.Edge) graph.ID { return e.From }
	}
	at := map[graph.ID]int{} // index in found
	seen := map[graph.ID]bool{}
	for _, id := range seeds {
		seen[id] = true
	}
	frontier := make([]reached, 0, len(seeds))
	for _, id := range seeds {
		frontier = append(frontier, reached{id: id})
	}
	for level := 1; level <= depth && len(frontier) > 0 && ctx.Err() == nil; level++ {
		first := len(found)
		for _, to := range frontier {
			if ctx.Err() != nil {
				break
			}
			next(to.id, func(e graph.Edge) bool {
				if !follow(&e) {
					return true
				}
				from := w.home(end(&e))
				if seen[from] || !backward && from != e.To {
					return true // a literal is not the function that it is written in
				}
				if len(found) == maxReached {
					cut = CutReached
					return false
				}
				confidence := max(to.confidence, e.Confidence)
				n, ok := at[from]
				switch {
				case !ok:
					at[from] = len(found)
					found = append(found, reached{id: from, depth: level, via: to.id, confidence: confidence, sites: []ir.Pos{e.Pos}, kind: e.Kind})
				case found[n].depth == level && found[n].via == to.id:
					if !slices.Contains(found[n].sites, e.Pos) {
						found[n].sites = append(found[n].sites, e.Pos)
					}
					found[n].confidence = min(found[n].confidence, confidence)
					found[n].kind = min(found[n].kind, e.Kind)
				case found[n].depth == level && confidence < found[n].confidence:
					found[n] = reached{id: from, depth: level, via: to.id, confidence: confidence, sites: []ir.Pos{e.Pos}, kind: e.Kind}
				}
				return true
			})
		}
		frontier = frontier[:0]
		for _, r := range found[first:] {
			seen[r.id] = true
			frontier = append(frontier, r)
		}
		w.sort(frontier) // so that of several ways the same one is told each time
	}
	if cut == "" && w.beyond(frontier, seen, backward, follow) {
		cut = CutDepth
	}
	w.sort(found)
	for i := range found {
		slices.Sort(found[i].sites)
	}
	return found, cut
}

// beyond reports whether what was reached last leads to something that was not.
func (w *walk) beyond(frontier []reached, seen map[graph.ID]bool, backward bool, follow func(*graph.Edge) bool) (more bool) {
	next, end := w.g.Out, func(e *graph.Edge) graph.ID { return e.To }
	if backward {
		next, end = w.g.In, func(e *graph.Edge) graph.ID { return e.From }
	}
	for _, to := range frontier {
		next(to.id, func(e graph.Edge) bool {
			from := w.home(end(&e))
			more = follow(&e) && !seen[from] && (backward || from == e.To)
			return !more
		})
		if more {
			return true
		}
	}
	return false
}

// sort puts what was reached in the order of answers.
func (w *walk) sort(list []reached) {
	slices.SortFunc(list, func(a, b reached) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.confidence, b.confidence), w.compare(a.id, b.id))
	})
}

func (w *walk) compare(a, b graph.ID) int {
	m, n := w.node(a), w.node(b)
	return cmp.Or(strings.Compare(m.Path, n.Path), cmp.Compare(m.Pos, n.Pos), strings.Compare(m.Name, n.Name))
}

// usedAsValue notes that a node may be called by its value.
func (w *walk) usedAsValue(id graph.ID, l *gaps) {
	used := false
	w.g.In(id, func(e graph.Edge) bool {
		used = e.Kind == graph.References && e.Rule == graph.ByValue
		return !used
	})
	if !used {
		return
	}
	n := 0
	for language, count := range w.calls.values {
		if graph.SameFamily(language, w.node(id).Language) {
			n += count
		}
	}
	if n > 0 {
		l.because("%s is used as a value, and %d calls of function values are not resolved", w.node(id).Name, n)
	}
}

// followed notes what the graph does not follow, and reports whether it does: it knows of
// the uses of functions and types only.
func (w *walk) followed(seeds []graph.ID, at *target, l *gaps) bool {
	for _, id := range seeds {
		switch w.node(id).Kind {
		case graph.FuncNode, graph.ClassNode, graph.FileNode:
			return true
		}
	}
	if len(l.reasons) == 0 {
		l.because("the call graph does not follow the uses of a %s such as %s", kindOf(at), nameOf(at))
	}
	return false
}

// callersByName notes the open calls of a node's name, which could be calls of it,
// and gives each to yield.
func (w *walk) callersByName(id graph.ID, l *gaps, yield func(graph.Site)) {
	n := w.node(id)
	name := plainName(n)
	if n.Kind != graph.FuncNode || name == "" {
		return
	}
	w.g.Open(name, func(s graph.Site) bool {
		if graph.SameFamily(n.Language, w.node(s.From).Language) {
			l.called(name)
			yield(s)
		}
		return true
	})
}
