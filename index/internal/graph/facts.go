package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Fact says what a name in a file means, as somebody knows who has asked a compiler.
type Fact struct {
	Pos     ir.Pos
	Name    string
	To      edge.ID   // the function that it means; 0: one that is not in the index
	Outside string    // the name of that, with what it is in
	May     []edge.ID // what implements or overrides it, and may run in its place
}

// facts are what With has put in the place of edges and sites. nil is nothing.
type facts struct {
	files map[string]*places
	nodes map[edge.ID]*places // those from which something differs
	in    map[edge.ID][]edge.Edge
}

// places are edges and sites in order.
type places struct {
	edges []edge.Edge
	sites []edge.Site
}

func (f *facts) from(id edge.ID) *places {
	if f == nil {
		return nil
	}
	return f.nodes[id]
}

func (f *facts) at(path string) *places {
	if f == nil {
		return nil
	}
	return f.files[path]
}

// all calls yield for a list until it says false, and returns what it said last.
func all[T any](list []T, yield func(T) bool) bool {
	for _, x := range list {
		if !yield(x) {
			return false
		}
	}
	return true
}

// With returns a graph that answers as g does, but for the calls of which facts say what they
// mean. A call of a function of the index has an exact edge to it; what may run in its place are
// further edges. A call of something else has edges only to what may run. Both are by the rule
// BySCIP. What g has found to run by way of values and types stays, and so do edges to files that
// are not covered: nobody knows what they define. g must not change while the result is used, and
// what is Saved of it is g.
func (g *Graph) With(by map[string][]Fact, covered func(path string) bool) *Graph {
	c := *g
	c.fixed = true
	c.facts = &facts{files: map[string]*places{}, nodes: map[edge.ID]*places{}, in: map[edge.ID][]edge.Edge{}}
	for path, list := range by {
		g.correct(c.facts, path, list, covered)
	}
	for _, n := range c.facts.nodes {
		for _, e := range n.edges {
			c.facts.in[e.To] = append(c.facts.in[e.To], e)
		}
	}
	return &c
}

// correct replaces what facts know better in one file.
func (g *Graph) correct(f *facts, path string, list []Fact, covered func(path string) bool) {
	edges, sites := map[ir.Pos][]edge.Edge{}, map[ir.Pos][]edge.Site{}
	var old places
	g.CallsIn(path, func(e edge.Edge) bool {
		old.edges = append(old.edges, e)
		if e.Kind == edge.Calls {
			edges[e.Pos] = append(edges[e.Pos], e)
		}
		return true
	}, func(s edge.Site) bool {
		old.sites = append(old.sites, s)
		sites[s.Pos] = append(sites[s.Pos], s)
		return true
	})
	done := map[ir.Pos]bool{}
	touched := map[edge.ID]bool{}
	var now places
	for i := range list {
		at := list[i].Pos
		if done[at] {
			continue // a place has one meaning
		}
		r := replacement{g: g, fact: &list[i], covered: covered}
		if !r.decide(edges[at], sites[at]) {
			continue
		}
		done[at], touched[r.from] = true, true
		for _, e := range edges[at] {
			touched[e.From] = true
		}
		for _, s := range sites[at] {
			touched[s.From] = true
		}
		now.edges, now.sites = append(now.edges, r.edges...), append(now.sites, r.sites...)
	}
	if len(done) == 0 {
		return
	}
	now.edges = append(now.edges, slices.DeleteFunc(old.edges, func(e edge.Edge) bool { return e.Kind == edge.Calls && done[e.Pos] })...)
	now.sites = append(now.sites, slices.DeleteFunc(old.sites, func(s edge.Site) bool { return done[s.Pos] })...)
	slices.SortStableFunc(now.edges, g.order)
	slices.SortStableFunc(now.sites, func(a, b edge.Site) int { return cmp.Compare(a.Pos, b.Pos) })
	f.files[path] = &now
	for id := range touched {
		f.nodes[id] = &places{}
	}
	for _, e := range now.edges {
		if n := f.nodes[e.From]; n != nil {
			n.edges = append(n.edges, e)
		}
	}
	for _, s := range now.sites {
		if n := f.nodes[s.From]; n != nil {
			n.sites = append(n.sites, s)
		}
	}
}

// order is that of the text, and of what edges of one place lead to.
func (g *Graph) order(a, b edge.Edge) int {
	if c := cmp.Compare(a.Pos, b.Pos); c != 0 || a.To == b.To {
		return c
	}
	x, y := g.Node(a.To), g.Node(b.To)
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(x.Path, y.Path), cmp.Compare(x.Pos, y.Pos), strings.Compare(x.Name, y.Name))
}

// A replacement is what a fact puts in the place of what the graph has at its place.
type replacement struct {
	g     *Graph
	fact  *Fact
	from  edge.ID
	edges []edge.Edge
	sites []edge.Site

	covered func(path string) bool
}

// decide reports whether the graph has a call of the fact's name at the place. What it has
// there of other names stays: a call of what a call returns, or of a function that is passed.
func (r *replacement) decide(edges []edge.Edge, sites []edge.Site) bool {
	var same []edge.Edge
	for _, e := range edges {
		if lastName(r.g.Node(e.To).Name) == r.fact.Name {
			same = append(same, e)
			r.from = e.From
		} else {
			r.edges = append(r.edges, e)
		}
	}
	var open []edge.Site
	for _, s := range sites {
		if lastName(s.Name) == r.fact.Name {
			open = append(open, s)
			r.from = s.From
		} else {
			r.sites = append(r.sites, s)
		}
	}
	if r.from == 0 {
		return false
	}
	f, before := r.fact, len(r.edges)
	if f.To != 0 {
		r.edges = append(r.edges, edge.Edge{From: r.from, To: f.To, Kind: edge.Calls, Confidence: edge.Exact, Rule: edge.BySCIP, Pos: f.Pos})
	}
	r.dispatch(same)
	if f.To == 0 && len(r.edges) == before {
		if i := slices.IndexFunc(open, func(s edge.Site) bool { return s.Reason == edge.External }); i >= 0 {
			r.sites = append(r.sites, open[i])
		} else {
			r.sites = append(r.sites, edge.Site{From: r.from, Name: f.Outside, Reason: edge.External, Pos: f.Pos})
		}
	}
	return true
}

// dispatch adds what may run in the place of what is named. Values that are known to come
// there say more than what implements it. What was found by its name alone gives way, where it
// is something else.
func (r *replacement) dispatch(same []edge.Edge) {
	f := r.fact
	agreed := slices.ContainsFunc(same, func(e edge.Edge) bool { return e.To == f.To })
	abstract := f.To != 0 && r.g.Node(f.To).Flags&ir.Abstract != 0
	known := false
	for _, e := range same {
		hierarchy := e.Rule == edge.ByHierarchy
		switch {
		case e.To == f.To, hierarchy && slices.Contains(f.May, e.To): // it is there by the fact
		case !r.covered(r.g.PathOf(e.To)):
			r.edges = append(r.edges, e)
		case ofReceiver(e.Rule), agreed && e.Rule != edge.ByOverload: // that one, or a variant of it
			r.edges = append(r.edges, e)
			known = known || !hierarchy
		}
	}
	if known {
		return
	}
	confidence := edge.Possible
	if abstract && len(f.May) == 1 {
		confidence = edge.Scoped
	}
	for _, to := range f.May {
		if to != f.To {
			r.edges = append(r.edges, edge.Edge{From: r.from, To: to, Kind: edge.Calls, Confidence: confidence, Rule: edge.BySCIP, Pos: f.Pos})
		}
	}
}

// ofReceiver reports whether an edge by a rule was found by what a receiver is or holds. Where
// that is declared to be of another type, or of one of several, the edge may be right all the same.
func ofReceiver(rule edge.Rule) bool {
	switch rule {
	case edge.ByScope, edge.ByImport, edge.ByConstructor, edge.ByOverload, edge.ByMacro:
		return false
	}
	return true
}

// lastName is the last part of a name with what it is in.
func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
