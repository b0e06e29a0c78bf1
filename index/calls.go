package index

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Directions of a CallsQuery.
const (
	Callees = "callees" // what the target calls; the default
	Callers = "callers" // what calls the target
	Both    = "both"
)

// Bounds of what is asked of the call graph.
const (
	defaultEdges  = 100
	maxCandidates = 5 // methods of a name that an open call may be of, to be worth naming
)

// A CallsQuery asks for edges of the call graph.
type CallsQuery struct {
	Target    string // as Extract reads it; a class stands for its methods, a file for all in it; "": the whole graph
	Direction string // "": Callees
	Depth     int    // steps from the target; 0: 1
	Limit     int    // entries at most, of the sets together; 0: 100
	Offset    int    // entries to pass over
	External  bool   // list calls of what is not in the index, too
}

// Calls are edges of the call graph, in sets: what is resolved, what is one of
// several or goes by its name alone, and calls that lead nowhere that is known.
// Pages go through them in this order, as if they were one list.
type Calls struct {
	Target     string      `json:"target,omitempty"`
	Direction  string      `json:"direction"`
	Definition *Definition `json:"definition,omitempty"`
	Edges      []CallEdge  `json:"edges"`      // never nil
	Ambiguous  []CallEdge  `json:"ambiguous"`  // never nil
	Unresolved []CallSite  `json:"unresolved"` // never nil
	External   []CallEdge  `json:"external,omitempty"`
	Counts     CallCounts  `json:"counts"`
	Completeness
	Others []Place `json:"alternatives,omitempty"`
	Page
	State State `json:"-"`
}

// CallCounts is how many entries each set has, on all pages together.
type CallCounts struct {
	Edges      int `json:"edges"`
	Ambiguous  int `json:"ambiguous"`
	Unresolved int `json:"unresolved"`
	External   int `json:"external"`
}

// A CallEdge says that one symbol calls another at a place.
type CallEdge struct {
	From       Place      `json:"from"`
	To         CallTarget `json:"to"`
	Line       int        `json:"line"`   // of the call, in From's file
	Column     int        `json:"column"` // 1-based, in bytes
	Kind       string     `json:"kind"`   // "calls", or "references" where a function is used as a value
	Confidence string     `json:"confidence"`
	Rule       string     `json:"rule"`            // what made the edge
	Depth      int        `json:"depth,omitempty"` // steps from the target
}

// A CallTarget is what is called.
type CallTarget struct {
	Symbol   string  `json:"symbol"`
	File     *string `json:"file"` // nil: not in the index
	Line     *int    `json:"line"` // nil: not in the index
	External bool    `json:"external"`
}

// A CallSite is a call that is not resolved.
type CallSite struct {
	From       Place  `json:"from"`
	Name       string `json:"name"` // that is called; "" for an expression
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Reason     string `json:"reason"`
	Candidates int    `json:"candidates,omitempty"` // definitions of the name that are too many to list
}

// Calls answers with the edges around a target, or with all. It returns the errors
// of Extract, and an UnsupportedError for a language that has no call graph.
func (x *Index) Calls(ctx context.Context, q CallsQuery) (Calls, error) {
	a := Calls{Target: q.Target, Direction: cmp.Or(q.Direction, Callees), Edges: []CallEdge{}, Ambiguous: []CallEdge{}, Unresolved: []CallSite{}}
	if q.Limit <= 0 {
		q.Limit = defaultEdges
	}
	var at target
	var err error
	if q.Target == "" {
		a.State, err = x.openState()
	} else if at, a.State, err = x.find(q.Target); err == nil && at.symbol < 0 && at.line > 0 {
		err = at.nothing()
	}
	if err != nil {
		return a, err
	}
	var l gaps
	c := collection{q: &q, l: &l}
	x.readGraph(func(w *walk) {
		c.walk = w
		x.current(&l, a.State)
		if q.Target == "" {
			c.whole(&a)
			return
		}
		if err = x.inGraph(w, &at, a.State); err != nil {
			return
		}
		seeds := w.seeds(&at)
		w.followed(seeds, &at, &l)
		if a.Direction != Callers {
			c.callees(ctx, x, seeds, max(q.Depth, 1))
		}
		if a.Direction != Callees {
			c.callers(ctx, seeds, max(q.Depth, 1))
		}
		c.fill(&a)
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return a, err
	}
	if q.Target != "" {
		a.Others = at.alternatives()
		if at.symbol >= 0 {
			d := at.record.define(at.symbol)
			a.Definition = &d
		}
	}
	what := map[string]string{Callees: "from here", Callers: "of this name", Both: "from here or of this name"}[a.Direction]
	if q.Target == "" {
		what = "in the index"
	}
	a.Completeness = l.completeness(what)
	return a, nil
}

// openState returns the state, unless the index is closed.
func (x *Index) openState() (State, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return State{}, ErrClosed
	}
	return x.State(), nil
}

func kindOf(t *target) string {
	if t.symbol < 0 {
		return "file"
	}
	return string(t.sym().kind)
}

func nameOf(t *target) string {
	if t.symbol < 0 {
		return t.record.path
	}
	return t.sym().qualified()
}

// An entry is an edge or a site before it is rendered.
type entry struct {
	from, to   graph.ID // to 0: a site
	kind       graph.EdgeKind
	confidence graph.Confidence
	rule       graph.Rule
	pos        ir.Pos
	depth      int
	name       string // of a site
	reason     graph.Reason
	candidates int
}

// A collection gathers the entries of an answer.
type collection struct {
	*walk
	q *CallsQuery
	l *gaps

	edges, ambiguous, open, external []entry
	taken                            map[entry]bool
}

func (c *collection) take(e entry) {
	if c.taken == nil {
		c.taken = map[entry]bool{}
	}
	key := entry{from: e.from, to: e.to, pos: e.pos, name: e.name}
	if c.taken[key] {
		return
	}
	c.taken[key] = true
	switch {
	case e.to == 0 && e.reason == graph.External:
		c.external = append(c.external, e)
	case e.to == 0:
		c.open = append(c.open, e)
	case e.confidence >= graph.Possible:
		c.ambiguous = append(c.ambiguous, e)
	default:
		c.edges = append(c.edges, e)
	}
}

// edge takes an edge of the graph, if it is of a call. One from a function to a
// literal in it is none. Going through an interface is, and so, for callers, is the
// use as a value: it says from where a function may be called without being named.
func (c *collection) edge(e graph.Edge, depth int, values bool) (from, to graph.ID, ok bool) {
	from, to = c.home(e.From), c.home(e.To)
	if !isCall(&e, values) || from == to && to != e.To {
		return 0, 0, false
	}
	c.take(entry{from: from, to: to, kind: e.Kind, confidence: e.Confidence, rule: e.Rule, pos: e.Pos, depth: depth})
	return from, to, true
}

// callees follows the edges from the seeds.
func (c *collection) callees(ctx context.Context, x *Index, seeds []graph.ID, depth int) {
	seen := map[graph.ID]bool{}
	frontier := slices.Clone(seeds)
	for _, id := range seeds {
		seen[id] = true
	}
	for level := 1; level <= depth && len(frontier) > 0 && ctx.Err() == nil; level++ {
		var next []graph.ID
		for _, id := range frontier {
			c.g.Out(id, func(e graph.Edge) bool {
				_, to, ok := c.edge(e, level, false)
				if ok && !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
				return true
			})
			c.g.Sites(id, func(s graph.Site) bool {
				if s.Reason == graph.External {
					c.take(entry{from: c.home(s.From), name: s.Name, pos: s.Pos, reason: s.Reason, depth: level})
					return true
				}
				c.l.called(cmp.Or(s.Name, "an expression"))
				c.guess(x, s, level)
				return true
			})
		}
		frontier = next
	}
}

// guess takes an open call: as one of the methods of its name, where they are few,
// or else as unresolved.
func (c *collection) guess(x *Index, s graph.Site, depth int) {
	from := c.home(s.From)
	e := entry{from: from, name: s.Name, pos: s.Pos, reason: s.Reason, depth: depth}
	if s.Name == "" || s.Reason != graph.UnknownReceiver && s.Reason != graph.UnknownMember {
		c.take(e)
		return
	}
	var fits []graph.ID
	for _, d := range x.definitions(s.Name) {
		sym := &d.record.symbols[d.symbol]
		if !runs(sym.kind) || sym.parent == "" || !graph.SameFamily(d.record.lang, c.node(from).Language) {
			continue
		}
		if e.candidates++; e.candidates <= maxCandidates {
			fits = append(fits, c.g.Named(d.record.path, sym.name, int(sym.nameLine))...)
		}
	}
	if e.candidates > maxCandidates || len(fits) == 0 {
		c.take(e)
		return
	}
	for _, to := range fits {
		c.take(entry{from: from, to: to, kind: graph.Calls, confidence: graph.ByName, pos: s.Pos, depth: depth})
	}
}

// definitions returns the definitions of a name in its very case.
func (x *Index) definitions(name string) []definition {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []definition
	for _, d := range x.table.define(name) {
		if d.record.symbols[d.symbol].name == name {
			out = append(out, d)
		}
	}
	return out
}

// callers follows the edges to the seeds.
func (c *collection) callers(ctx context.Context, seeds []graph.ID, depth int) {
	seen := map[graph.ID]bool{}
	frontier := slices.Clone(seeds)
	for _, id := range seeds {
		seen[id] = true
	}
	for _, id := range seeds {
		c.usedAsValue(id, c.l)
	}
	for level := 1; level <= depth && len(frontier) > 0 && ctx.Err() == nil; level++ {
		var next []graph.ID
		for _, id := range frontier {
			c.g.In(id, func(e graph.Edge) bool {
				from, _, ok := c.edge(e, level, true)
				if ok && !seen[from] {
					seen[from] = true
					next = append(next, from)
				}
				return true
			})
			c.callersByName(id, c.l, func(s graph.Site) {
				c.take(entry{from: c.home(s.From), to: id, kind: graph.Calls, confidence: graph.ByName, pos: s.Pos, depth: level})
			})
		}
		frontier = next
	}
}

// whole takes those of all the calls there are that are on the page, in the order
// of files and their text. It counts first: a set begins where the one before it
// ends.
func (c *collection) whole(a *Calls) {
	each := func(yield func(set *int, e entry)) {
		c.g.Each(func(e graph.Edge) bool {
			if e.Kind != graph.Calls {
				return true
			}
			set := &a.Counts.Edges
			if e.Confidence >= graph.Possible {
				set = &a.Counts.Ambiguous
			}
			yield(set, entry{from: e.From, to: e.To, confidence: e.Confidence, rule: e.Rule, pos: e.Pos})
			return true
		})
		c.g.EachSite(func(s graph.Site) bool {
			set := &a.Counts.Unresolved
			if s.Reason == graph.External {
				set = &a.Counts.External
			}
			yield(set, entry{from: s.From, name: s.Name, pos: s.Pos, reason: s.Reason})
			return true
		})
	}
	each(func(set *int, e entry) {
		if *set++; set == &a.Counts.Unresolved {
			c.l.called(cmp.Or(e.name, "an expression"))
		}
	})
	n := a.Counts
	next := map[*int]int{ // the number of each set's next entry in the list of all
		&a.Counts.Edges: 0, &a.Counts.Ambiguous: n.Edges, &a.Counts.Unresolved: n.Edges + n.Ambiguous,
		&a.Counts.External: n.Edges + n.Ambiguous + n.Unresolved,
	}
	each(func(set *int, e entry) {
		if i := next[set]; i >= c.q.Offset && i < c.q.Offset+c.q.Limit && (set != &a.Counts.External || c.q.External) {
			e.from = c.home(e.from)
			if e.to != 0 {
				e.to = c.home(e.to)
			}
			c.take(e)
		}
		next[set]++
	})
	c.render(a, c.edges, c.ambiguous, c.open, c.external)
	if a.Total = n.Edges + n.Ambiguous + n.Unresolved; c.q.External {
		a.Total += n.External
	}
	a.page(c.q)
}

// Given returns how many entries the answer has.
func (a *Calls) Given() int {
	return len(a.Edges) + len(a.Ambiguous) + len(a.Unresolved) + len(a.External)
}

// Keep leaves out all but the first n entries.
func (a *Calls) Keep(n int) {
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
func (a *Calls) page(q *CallsQuery) {
	if end := min(q.Offset, a.Total) + q.Limit; end < a.Total {
		a.cut(CutLimit)
		a.Next = end
	}
}

// fill renders the page that was asked for.
func (c *collection) fill(a *Calls) {
	a.Counts = CallCounts{len(c.edges), len(c.ambiguous), len(c.open), len(c.external)}
	if !c.q.External {
		c.external = nil
	}
	offset, left := c.q.Offset, c.q.Limit
	part := func(list []entry) []entry {
		slices.SortFunc(list, c.order)
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

func (c *collection) render(a *Calls, edges, ambiguous, open, external []entry) {
	for _, e := range edges {
		a.Edges = append(a.Edges, c.callEdge(e))
	}
	for _, e := range ambiguous {
		a.Ambiguous = append(a.Ambiguous, c.callEdge(e))
	}
	for _, e := range open {
		a.Unresolved = append(a.Unresolved, CallSite{
			From: c.place(e.from), Name: e.name, Line: e.pos.Line(), Column: e.pos.Column(), Reason: e.reason.String(), Candidates: e.candidates,
		})
	}
	for _, e := range external {
		a.External = append(a.External, c.callEdge(e))
	}
}

// order puts the nearest first, and then follows the text.
func (c *collection) order(a, b entry) int {
	return cmp.Or(cmp.Compare(a.depth, b.depth), strings.Compare(c.node(a.from).Path, c.node(b.from).Path),
		cmp.Compare(a.pos, b.pos), c.compareTo(a, b), strings.Compare(a.name, b.name))
}

func (c *collection) compareTo(a, b entry) int {
	if a.to == 0 || b.to == 0 {
		return 0
	}
	return c.compare(a.to, b.to)
}

func (c *collection) callEdge(e entry) CallEdge {
	out := CallEdge{
		From: c.place(e.from), Line: e.pos.Line(), Column: e.pos.Column(), Kind: e.kind.String(),
		Confidence: e.confidence.String(), Rule: e.rule.String(), Depth: e.depth,
	}
	if e.to == 0 {
		out.To = CallTarget{Symbol: e.name, External: true}
		out.Rule = ""
		return out
	}
	if e.confidence == graph.ByName {
		out.Rule = byName
	}
	p := c.place(e.to)
	out.To = CallTarget{Symbol: p.Symbol, File: &p.File, Line: &p.Line}
	return out
}
