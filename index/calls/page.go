package calls

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// whole takes those of all the calls there are that are on the page, in the order
// of files and their text. It counts first: a set begins where the one before it
// ends.
func (c *collection) whole(ctx context.Context, a *CallsAnswer) {
	seen := 0
	goOn := func() bool { // of some hundred thousand
		seen++
		return seen%4096 != 0 || ctx.Err() == nil
	}
	each := func(yield func(set *int, e entry)) {
		give := func(set *int, e entry) bool {
			e.from, e.back = c.Home(e.from), true
			if path, test := c.far(&e); c.narrowed.Admits(path, test) {
				e.test = test
				yield(set, e)
			}
			return goOn()
		}
		c.G.Each(func(e graph.Edge) bool {
			if e.Kind != graph.Calls {
				return true
			}
			set := &a.Counts.Edges
			if e.Confidence >= graph.Possible {
				set = &a.Counts.Ambiguous
			}
			return give(set, entry{from: e.From, to: e.To, confidence: e.Confidence, rule: e.Rule, pos: e.Pos})
		})
		c.G.EachSite(func(s graph.Site) bool {
			set := &a.Counts.Unresolved
			if s.Reason == graph.External {
				set = &a.Counts.External
			}
			return give(set, entry{from: s.From, name: s.Name, pos: s.Pos, reason: s.Reason})
		})
	}
	inTests := map[*int]int{}
	each(func(set *int, e entry) {
		*set++
		if e.test {
			inTests[set]++
		}
		if set == &a.Counts.Unresolved {
			c.l.Called(cmp.Or(e.name, "an expression"))
		}
	})
	// The number of the next entry of each set in the list of all, production code before tests.
	type part struct {
		set  *int
		test bool
	}
	next, from := map[part]int{}, 0
	for _, set := range []*int{&a.Counts.Edges, &a.Counts.Ambiguous, &a.Counts.Unresolved, &a.Counts.External} {
		next[part{set, false}], next[part{set, true}] = from, from+*set-inTests[set]
		from += *set
	}
	each(func(set *int, e entry) {
		of := part{set, e.test}
		if i := next[of]; i >= c.q.Offset && i < c.q.Offset+c.q.Limit && (set != &a.Counts.External || c.q.External) {
			if e.to != 0 {
				to := c.Home(e.to)
				e.to, e.literal = to, to != e.to
			}
			c.take(e)
		}
		next[of]++
	})
	for _, list := range [][]entry{c.edges, c.ambiguous, c.open, c.external} {
		slices.SortStableFunc(list, testsLast)
	}
	n := a.Counts
	c.render(a, c.edges, c.ambiguous, c.open, c.external)
	if a.Total = n.Edges + n.Ambiguous + n.Unresolved; c.q.External {
		a.Total += n.External
	}
	a.page(c.q)
}

// Given returns how many entries the answer has.
func (a *CallsAnswer) Given() int {
	return len(a.Edges) + len(a.Ambiguous) + len(a.Unresolved) + len(a.External)
}

// Keep leaves out all but the first n entries.
func (a *CallsAnswer) Keep(n int) {
	keep := func(have int) int {
		have = min(have, n)
		n -= have
		return have
	}
	a.Edges = a.Edges[:keep(len(a.Edges))]
	a.Ambiguous = a.Ambiguous[:keep(len(a.Ambiguous))]
	a.Unresolved = a.Unresolved[:keep(len(a.Unresolved))]
	a.External = a.External[:keep(len(a.External))]
}

// page says what comes after the entries that are given.
func (a *CallsAnswer) page(q *CallsQuery) {
	if end := min(q.Offset, a.Total) + q.Limit; end < a.Total {
		a.Cut(answer.CutLimit)
		a.Next = end
	}
}

// fill renders the page that was asked for.
func (c *collection) fill(a *CallsAnswer) {
	for _, list := range []*[]entry{&c.edges, &c.ambiguous, &c.open, &c.external} {
		slices.SortFunc(*list, c.order)
		if c.q.Group {
			*list = grouped(*list)
		}
	}
	a.Counts = CallCounts{len(c.edges), len(c.ambiguous), len(c.open), len(c.external)}
	if !c.q.External {
		c.external = nil
	}
	offset, left := c.q.Offset, c.q.Limit
	part := func(list []entry) []entry {
		a.Total += len(list)
		skip := min(offset, len(list))
		offset -= skip
		list = list[skip:]
		list = list[:min(left, len(list))]
		left -= len(list)
		return list
	}
	c.render(a, part(c.edges), part(c.ambiguous), part(c.open), part(c.external))
	a.page(c.q)
}

func (c *collection) render(a *CallsAnswer, edges, ambiguous, open, external []entry) {
	for _, e := range edges {
		a.Edges = append(a.Edges, c.callEdge(e))
	}
	for _, e := range ambiguous {
		a.Ambiguous = append(a.Ambiguous, c.callEdge(e))
	}
	for _, e := range open {
		a.Unresolved = append(a.Unresolved, CallSite{
			From: c.Place(e.from), Name: e.name, Line: e.pos.Line(), Column: e.pos.Column(), Reason: e.reason.String(), Candidates: e.candidates,
			CallSites: e.sites(), Test: e.test,
		})
	}
	for _, e := range external {
		a.External = append(a.External, c.callEdge(e))
	}
}

// sites are the lines of the calls, where they are grouped.
func (e *entry) sites() []int {
	if e.lines == nil {
		return nil
	}
	return *e.lines
}

// testsLast puts test code after everything else.
func testsLast(a, b entry) int {
	switch {
	case a.test == b.test:
		return 0
	case a.test:
		return 1
	}
	return -1
}

// order puts production code before tests, then the nearest first, and then follows the text.
func (c *collection) order(a, b entry) int {
	return cmp.Or(testsLast(a, b), cmp.Compare(a.depth, b.depth), strings.Compare(c.Node(a.from).Path, c.Node(b.from).Path),
		cmp.Compare(a.pos, b.pos), c.compareTo(a, b), strings.Compare(a.name, b.name))
}

func (c *collection) compareTo(a, b entry) int {
	if a.to == 0 || b.to == 0 {
		return 0
	}
	return c.Compare(a.to, b.to)
}

func (c *collection) callEdge(e entry) CallEdge {
	out := CallEdge{
		From: c.Place(e.from), Line: e.pos.Line(), Column: e.pos.Column(), Kind: e.kind.String(),
		Confidence: e.confidence.String(), Rule: e.rule.String(), Depth: e.depth, CallSites: e.sites(), Test: e.test,
	}
	if e.to == 0 {
		out.To = CallTarget{Symbol: e.name, External: true}
		out.Rule = ""
		return out
	}
	if e.confidence == graph.ByName {
		out.Rule = ByName
	}
	p := c.Place(e.to)
	out.To = CallTarget{Symbol: p.Symbol, File: &p.File, Line: &p.Line, Literal: e.literal}
	return out
}

// CallEdge is an edge of the graph as answers have it.
func (w *Walk) CallEdge(from, to graph.ID, kind graph.EdgeKind, confidence graph.Confidence, rule graph.Rule, pos ir.Pos) CallEdge {
	c := collection{Walk: w}
	return c.callEdge(entry{from: from, to: to, kind: kind, confidence: confidence, rule: rule, pos: pos})
}

// Visit calls visit for the places of the edge.
func (e *CallEdge) Visit(visit func(string, *bool)) {
	e.From.Visit(visit)
	if e.To.File != nil {
		visit(*e.To.File, &e.To.Changed)
	}
}

func (a *CallsAnswer) Places(visit func(string, *bool)) {
	a.Definition.Visit(visit)
	for _, list := range [][]CallEdge{a.Edges, a.Ambiguous, a.External} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
	for i := range a.Unresolved {
		a.Unresolved[i].From.Visit(visit)
	}
}
