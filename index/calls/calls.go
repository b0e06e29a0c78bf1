// Package calls answers from the call graph: who calls whom, what a change affects, which
// ways lead from one symbol to another. It says how sure each edge is, whether the answer is
// complete, and compares it with the text.
package calls

import (
	"cmp"
	"context"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/paged"
	"github.com/quarry-search/quarry/index/internal/store"
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
	Group     bool   // one entry for each caller and callee, with the lines of its calls; of a Target
	Steps     bool   // fill in Calling and Called

	// Scope narrows the entries by the callers of the target, by what it calls, and without a Target
	// by the callers. With a path or a glob there is none that leads to nothing of the index.
	Scope
}

// CallsAnswer are edges of the call graph, in sets: what is resolved, what is one of
// several or goes by its name alone, and calls that lead nowhere that is known.
// Pages go through them in this order, as if they were one list.
type CallsAnswer struct {
	Target     string             `json:"target,omitempty"`
	Direction  string             `json:"direction"`
	Definition *answer.Definition `json:"definition,omitempty"`
	Edges      []CallEdge         `json:"edges"`      // never nil
	Ambiguous  []CallEdge         `json:"ambiguous"`  // never nil
	Unresolved []CallSite         `json:"unresolved"` // never nil
	External   []CallEdge         `json:"external,omitempty"`
	Counts     CallCounts         `json:"counts"`
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State answer.State `json:"-"`

	Calling []Step `json:"-"` // whose callees were sought, if asked for; nil for the whole graph
	Called  []Step `json:"-"` // whose callers were sought, as above
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
	From       answer.Place `json:"from"`
	To         CallTarget   `json:"to"`
	Line       int          `json:"line"`   // of the call, in From's file
	Column     int          `json:"column"` // 1-based, in bytes
	Kind       string       `json:"kind"`   // "calls", or "references" where a function is used as a value
	Confidence string       `json:"confidence"`
	Rule       string       `json:"rule"`                 // what made the edge
	Depth      int          `json:"depth,omitempty"`      // steps from the target
	CallSites  []int        `json:"call_sites,omitempty"` // lines of all calls between the two, if they are grouped
	Test       bool         `json:"test,omitempty"`       // the end that is not the target's is test code; without a target, the caller
}

// A CallTarget is what is called.
type CallTarget struct {
	Symbol   string  `json:"symbol"`
	File     *string `json:"file"` // nil: not in the index
	Line     *int    `json:"line"` // nil: not in the index
	External bool    `json:"external"`
	Literal  bool    `json:"literal,omitempty"` // a function without a name that is written in the symbol
	Changed  bool    `json:"changed,omitempty"` // as in Place
}

// A CallSite is a call that is not resolved.
type CallSite struct {
	From       answer.Place `json:"from"`
	Name       string       `json:"name"` // that is called; "" for an expression
	Line       int          `json:"line"`
	Column     int          `json:"column"`
	Reason     string       `json:"reason"`
	Candidates int          `json:"candidates,omitempty"` // definitions of the name that are too many to list
	CallSites  []int        `json:"call_sites,omitempty"` // lines of all calls of the name in From, if they are grouped
	Test       bool         `json:"test,omitempty"`       // From is test code
}

// Calls answers with the edges around a target, or with all. It returns the errors
// of Extract, and an UnsupportedError for a language that has no call graph.
func Calls(ctx context.Context, x *store.View, q CallsQuery) (CallsAnswer, error) {
	a := CallsAnswer{Target: q.Target, Direction: cmp.Or(q.Direction, Callees), Edges: []CallEdge{}, Ambiguous: []CallEdge{}, Unresolved: []CallSite{}}
	if q.Limit <= 0 {
		q.Limit = defaultEdges
	}
	var at store.Target
	narrowed, err := q.Narrow()
	if err != nil {
		return a, err
	}
	if q.Target == "" {
		a.State, err = x.OpenState()
	} else {
		at, a.State, err = Find(x, q.Target)
	}
	if err != nil {
		return a, err
	}
	var l Gaps
	c := collection{q: &q, l: &l, narrowed: narrowed}
	WalkGraph(ctx, x, func(w *Walk) {
		c.Walk = w
		Current(x, &l, a.State)
		if q.Target == "" {
			c.whole(ctx, &a)
			return
		}
		if err = InGraph(x, w, &at, a.State); err != nil {
			return
		}
		seeds := w.Seeds(&at)
		w.Followed(seeds, &at, &l)
		if a.Direction != Callers {
			a.Calling = append(c.first(seeds, &at), c.callees(ctx, x, seeds, max(q.Depth, 1))...)
		}
		if a.Direction != Callees {
			a.Called = append(c.first(seeds, &at), c.callers(ctx, seeds, max(q.Depth, 1))...)
		}
		c.fill(&a)
		if c.deeper {
			a.Cut(CutDepth)
		}
		if a.Direction != Callees {
			w.Doubts(ctx, &at, append(slices.Clone(seeds), c.passed...), &l)
		}
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return a, err
	}
	if q.Target != "" {
		a.Others = at.Alternatives()
		if at.Symbol >= 0 {
			d := at.Record.Define(at.Symbol)
			a.Definition = &d
		}
	}
	what := map[string]string{Callees: "from here", Callers: "of this name", Both: "from here or of this name"}[a.Direction]
	if q.Target == "" {
		what = "in the index"
	}
	a.Completeness = l.Completeness(what)
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

func kindOf(t *store.Target) string {
	if t.Symbol < 0 {
		return "file"
	}
	return string(t.Sym().Kind())
}

func nameOf(t *store.Target) string {
	if t.Symbol < 0 {
		return t.Record.Path
	}
	return t.Sym().Qualified()
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
	literal    bool
	back       bool   // from is the end that is not the target's
	test       bool   // that end is test code
	lines      *[]int // of all calls, where they are grouped
}

// A collection gathers the entries of an answer.
type collection struct {
	*Walk
	q        *CallsQuery
	l        *Gaps
	narrowed Narrowed
	tests    testNodes

	edges, ambiguous, open, external []entry
	taken                            map[entry]bool
	passed                           []graph.ID // callers whose callers were sought, too
	deeper                           bool       // there are more steps than were asked for
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
	path, test := c.far(&e)
	if e.test = test; !c.narrowed.Admits(path, test) {
		return
	}
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
	from, to = c.Home(e.From), c.Home(e.To)
	literal := to != e.To
	if !IsCall(&e, values) || from == to && literal {
		return 0, 0, false
	}
	c.take(entry{from: from, to: to, kind: e.Kind, confidence: e.Confidence, rule: e.Rule, pos: e.Pos, depth: depth, literal: literal, back: values})
	return from, to, !literal // what else the function does that it is written in is not called
}

// callees follows the edges from the seeds, and returns from what else it did.
func (c *collection) callees(ctx context.Context, x *store.View, seeds []graph.ID, depth int) (steps []Step) {
	var seen paged.Array[bool]
	frontier := slices.Clone(seeds)
	for _, id := range seeds {
		*seen.At(id) = true
	}
	for level := 1; level <= depth && len(frontier) > 0 && ctx.Err() == nil; level++ {
		var next []graph.ID
		for _, id := range frontier {
			if ctx.Err() != nil {
				break
			}
			steps = c.stepTo(steps, id, level-1)
			c.G.Out(id, func(e graph.Edge) bool {
				_, to, ok := c.edge(e, level, false)
				if ok && !*seen.At(to) {
					*seen.At(to) = true
					next = append(next, to)
				}
				return true
			})
			c.G.Sites(id, func(s graph.Site) bool {
				if s.Reason == graph.External {
					c.take(entry{from: c.Home(s.From), name: s.Name, pos: s.Pos, reason: s.Reason, depth: level})
					return true
				}
				c.l.Called(cmp.Or(s.Name, "an expression"))
				c.guess(x, s, level)
				return true
			})
		}
		frontier = next
	}
	c.deeper = c.deeper || depth > 1 && c.leads(frontier, &seen, false)
	return steps
}

// first returns the steps of the seeds, if they are asked for.
func (c *collection) first(seeds []graph.ID, at *store.Target) []Step {
	if !c.q.Steps {
		return nil
	}
	return c.Begin(seeds, at)
}

// stepTo appends a step, if they are asked for; those of the seeds are there already.
func (c *collection) stepTo(steps []Step, id graph.ID, depth int) []Step {
	if !c.q.Steps || depth == 0 {
		return steps
	}
	return append(steps, c.Step(id, depth, graph.Exact))
}

// guess takes an open call: as one of the methods of its name, where they are few,
// or else as unresolved.
func (c *collection) guess(x *store.View, s graph.Site, depth int) {
	from := c.Home(s.From)
	e := entry{from: from, name: s.Name, pos: s.Pos, reason: s.Reason, depth: depth}
	if s.Name == "" || s.Reason != graph.UnknownReceiver && s.Reason != graph.UnknownMember {
		c.take(e)
		return
	}
	var fits []graph.ID
	for _, d := range x.Definitions(s.Name) {
		sym := &d.Record.Symbols[d.Symbol]
		if !store.Runs(sym.Kind()) || sym.Parent == "" || !graph.SameFamily(d.Record.Lang, c.Node(from).Language) {
			continue
		}
		if e.candidates++; e.candidates <= maxCandidates {
			fits = append(fits, c.G.Named(d.Record.Path, sym.Name, int(sym.NameLine))...)
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

// callers follows the edges to the seeds, and returns to what else it did.
func (c *collection) callers(ctx context.Context, seeds []graph.ID, depth int) (steps []Step) {
	var seen paged.Array[bool]
	frontier := slices.Clone(seeds)
	for _, id := range seeds {
		*seen.At(id) = true
	}
	for _, id := range seeds {
		c.UsedAsValue(id, c.l)
	}
	for level := 1; level <= depth && len(frontier) > 0 && ctx.Err() == nil; level++ {
		var next []graph.ID
		for _, id := range frontier {
			if ctx.Err() != nil {
				break
			}
			steps = c.stepTo(steps, id, level-1)
			c.G.In(id, func(e graph.Edge) bool {
				from, _, ok := c.edge(e, level, true)
				if ok && !*seen.At(from) {
					*seen.At(from) = true
					next = append(next, from)
					if level < depth {
						c.passed = append(c.passed, from)
					}
				}
				return true
			})
			c.CallersByName(id, c.l, func(s graph.Site) {
				c.take(entry{from: c.Home(s.From), to: id, kind: graph.Calls, confidence: graph.ByName, pos: s.Pos, depth: level, back: true})
			})
		}
		frontier = next
	}
	c.deeper = c.deeper || depth > 1 && c.leads(frontier, &seen, true)
	return steps
}

// leads reports whether some nodes have calls to, or backward from, what was not seen.
func (c *collection) leads(frontier []graph.ID, seen *paged.Array[bool], backward bool) bool {
	list := make([]Reached, 0, len(frontier))
	for _, id := range frontier {
		list = append(list, Reached{ID: id})
	}
	return c.beyond(list, func(id graph.ID) bool { return *seen.At(id) }, backward, func(e *graph.Edge) bool { return IsCall(e, backward) })
}
