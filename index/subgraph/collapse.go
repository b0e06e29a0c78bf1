package subgraph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// whole is the graph without the bound of nodes.
type whole struct {
	found *found
	nodes []Node // those that are shown first come first
	edges []Edge
}

// collapse makes the nodes and edges.
func (f *found) collapse() *whole {
	w := &whole{found: f}
	targets := 0
	for _, n := range f.near {
		if n.side == SideTarget {
			targets++
		}
	}
	id := map[answer.Place]string{}
	at := map[string]int{}
	for _, p := range f.places {
		one := f.symbol(p)
		if one.Side != SideTarget || targets > 1 && f.query.To == "" {
			one = f.collapsed(one)
		}
		i, known := at[one.ID]
		if known && one.Count == 0 && w.nodes[i].Symbol != one.Symbol { // two of one line
			one.ID += "#" + one.Symbol
			i, known = at[one.ID]
		}
		id[p] = one.ID
		one.Count = 1
		if !known {
			at[one.ID] = len(w.nodes)
			w.nodes = append(w.nodes, one)
			continue
		}
		n := &w.nodes[i]
		n.Count++
		n.Depth, n.Test = min(n.Depth, one.Depth), n.Test && one.Test
		switch {
		case one.Side == SideTarget || n.Side == SideTarget:
			n.Side = SideTarget
		case one.Side != n.Side:
			n.Side = SideBoth
		}
	}
	w.edges = joined(f.order, func(l *link) (from, to string, e Edge) {
		e = Edge{Kind: l.kind, Confidence: confidences[max(l.confidence, 0)], Ambiguous: l.ambiguous, Count: len(l.lines), Path: l.path}
		for _, line := range l.lines[:min(len(l.lines), shownSite)] {
			e.Sites = append(e.Sites, Site{File: l.from.File, Line: line})
		}
		return id[l.from], id[l.to], e
	}, func(l *link, same bool) bool { return same && l.from != l.to })
	degree := map[string]int{}
	for i := range w.edges {
		degree[w.edges[i].From]++
		degree[w.edges[i].To]++
	}
	first := f.first()
	slices.SortStableFunc(w.nodes, func(a, b Node) int {
		return cmp.Or(before(a.Side == SideTarget, b.Side == SideTarget), before(a.Side == SidePath, b.Side == SidePath), before(first(&a), first(&b)),
			cmp.Compare(a.Depth, b.Depth), before(!a.Test, !b.Test), cmp.Compare(degree[b.ID], degree[a.ID]), strings.Compare(a.ID, b.ID))
	})
	return w
}

// before puts what is so before what is not.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// joined makes one edge of those between the same two nodes; omit leaves one out, of which it is told
// whether it begins and ends in the same node.
func joined[T any](list []T, edge func(T) (from, to string, e Edge), omit func(one T, same bool) bool) []Edge {
	all := []Edge{}
	at := map[[2]string]int{}
	for _, one := range list {
		from, to, e := edge(one)
		if omit(one, from == to) {
			continue
		}
		i, known := at[[2]string{from, to}]
		if !known {
			at[[2]string{from, to}] = len(all)
			e.From, e.To, e.Sites = from, to, slices.Clone(e.Sites)
			all = append(all, e)
			continue
		}
		old := &all[i]
		old.Count += e.Count
		old.Path, old.Ambiguous = old.Path || e.Path, old.Ambiguous && e.Ambiguous
		if old.Kind != e.Kind {
			old.Kind = "calls"
		}
		if rank(e.Confidence) < rank(old.Confidence) {
			old.Confidence = e.Confidence
		}
		old.Sites = append(old.Sites, e.Sites[:min(len(e.Sites), shownSite-len(old.Sites))]...)
	}
	return all
}

// symbol is the node of a symbol. Count is 0 as long as it stands for itself.
func (f *found) symbol(p answer.Place) Node {
	n := f.near[p]
	one := Node{
		ID: fmt.Sprintf("%s:%d", p.File, p.Line), Kind: KindTopLevel, Symbol: p.Symbol, File: p.File, Line: p.Line, Folder: source.Dir(p.File),
		Depth: n.depth, Side: n.side, Test: f.tests[p],
	}
	f.Mu.RLock()
	defer f.Mu.RUnlock()
	_, s := f.Table.At(p)
	switch {
	case s != nil:
		one.Kind = string(s.Kind())
	case p.Symbol != "":
		one.Kind = string(syntax.Function) // that the index has no definition of, as what is made by a macro
	default:
		one.ID, one.Line = p.File+"#", 0
	}
	return one
}

// collapsed is the node that a symbol is shown by.
func (f *found) collapsed(n Node) Node {
	within := Node{File: n.File, Folder: n.Folder, Depth: n.Depth, Side: n.Side, Test: n.Test, Count: 1}
	switch f.query.Collapse {
	case ByFile:
		within.ID, within.Kind = n.File, KindFile
	case ByFolder:
		within.ID, within.Kind, within.File = n.Folder+"/", KindFolder, ""
		if n.Folder == "" {
			within.ID = "./"
		}
	case ByClass:
		class, _, ok := cutLast(n.Symbol)
		switch {
		case typed(n.Kind):
			class = n.Symbol
		case !ok:
			return n
		}
		within.Kind = string(syntax.Class)
		within.Symbol = class
		within.File, within.Line = f.class(n.File, class, &within)
		within.ID = within.File + "#" + class
	default:
		return n
	}
	if slices.Contains(f.query.Expand, within.ID) {
		return n
	}
	return within
}

// typed reports whether a kind of symbol is a type, which has members.
func typed(kind string) bool {
	switch syntax.Kind(kind) {
	case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type:
		return true
	}
	return false
}

func cutLast(name string) (head, last string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// class finds where a class is defined that a file has a member of: there, or in its folder.
func (f *found) class(file, name string, n *Node) (at string, line int) {
	_, last, _ := cutLast(name)
	var best *store.Record
	for _, d := range f.View.Definitions(last) {
		s := &d.Record.Symbols[d.Symbol]
		if store.Runs(s.Kind()) || s.Qualified() != name || source.Dir(d.Record.Path) != source.Dir(file) {
			continue
		}
		if best == nil || d.Record.Path == file {
			best, line = d.Record, int(s.NameLine)
			n.Kind = string(s.Kind())
		}
	}
	if best == nil {
		return file, 0
	}
	return best.Path, line
}

// first reports which nodes were asked for by name: those of an expanded folder, file or class, and
// what was expanded itself.
func (f *found) first() func(n *Node) bool {
	return func(n *Node) bool {
		return slices.ContainsFunc(f.query.Expand, func(id string) bool {
			if dir := folder(id); dir != "" {
				dir = strings.TrimSuffix(dir, "/")
				return dir == "." && (n.Folder == "" || strings.HasSuffix(id, "*")) || n.Folder == dir || strings.HasSuffix(id, "*") && strings.HasPrefix(n.Folder, dir+"/")
			}
			head, class, _ := strings.Cut(id, "#")
			return id == n.ID || head == n.File && (class == "" || strings.HasPrefix(n.Symbol, class+"."))
		})
	}
}
