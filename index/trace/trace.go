// Package trace answers what is around a symbol in the call graph, and which ways lead from one to
// another. Of constants, variables, fields and macros, which the graph has no edges of, it has what
// names them.
package trace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/references"
)

// Bounds of a Trace.
const (
	defaultNeighbours = 50
	maxPathDepth      = 8
	defaultPaths      = 5
)

// A Query asks what is around a symbol in the call graph, or between two.
type Query struct {
	Target string // as Extract reads it
	To     string // another target; "": none
	Depth  int    // steps from the target; 0: 1. Paths may have 8
	Limit  int    // callers and callees, each, 0: 50; paths, 0: 5
}

// An Answer is what calls a symbol and what it calls, or the ways between two.
type Answer struct {
	Symbol     string             `json:"symbol"`
	Definition *answer.Definition `json:"definition,omitempty"`
	Callers    []calls.Neighbour  `json:"callers"` // never nil; empty with To
	Callees    []calls.Neighbour  `json:"callees"` // never nil; empty with To
	To         *answer.Definition `json:"to,omitempty"`
	Paths      []CallPath         `json:"paths,omitempty"` // the shortest, the surest of them first
	Backward   bool               `json:"backward,omitempty"`
	Text       string             `json:"text"`
	Tokens     int                `json:"tokens"` // of Text
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State answer.State `json:"-"`
	to    string       // the other end, as it was asked for
	names bool         // Callers name the symbol, or call what does
}

// A CallPath is a chain of calls.
type CallPath struct {
	Hops       []calls.CallEdge `json:"hops"`
	Confidence string           `json:"confidence"` // the weakest of them
}

// Trace answers with callers and callees or, with To, with the shortest ways from
// one target to the other; when there are none, with those back (Backward). It
// returns the errors of calls.Calls.
func Trace(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Symbol: q.Target, Callers: []calls.Neighbour{}, Callees: []calls.Neighbour{}}
	at, state, err := calls.Find(x, q.Target)
	if err != nil {
		return a, err
	}
	a.State, a.Others = state, at.Alternatives()
	var to store.Target
	if q.To != "" {
		if to, _, err = calls.Find(x, q.To); err != nil {
			return a, err
		}
	}
	var l calls.Gaps
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		calls.Current(x, &l, a.State)
		if err = calls.InGraph(x, w, &at, a.State); err != nil {
			return
		}
		if q.To == "" {
			neighbours(ctx, x, w, &at, &q, &a, &l)
			return
		}
		if err = calls.InGraph(x, w, &to, a.State); err == nil {
			a.between(ctx, x, w, &at, &to, cmp.Or(q.Limit, defaultPaths), &l)
		}
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return a, err
	}
	if at.Symbol >= 0 {
		d := at.Record.Define(at.Symbol)
		a.Definition, a.Symbol = &d, d.Symbol
	}
	if q.To != "" && to.Symbol >= 0 {
		d := to.Record.Define(to.Symbol)
		a.To = &d
	}
	sign(x, a.Callers)
	sign(x, a.Callees)
	a.Completeness = l.Completeness("on the way")
	if q.To == "" {
		a.Completeness = l.Completeness("from here or of this name")
	}
	a.Lacks(a.Cuts)
	a.to = q.To
	a.render()
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// Keep leaves out all but about a share of each list, and at least one entry.
func (a *Answer) Keep(share float64) {
	a.Callers = answer.SomeOf(a.Callers, share)
	a.Callees = answer.SomeOf(a.Callees, share)
	a.Paths = answer.SomeOf(a.Paths, share)
	a.render()
}

// neighbours fills in what is around a target.
func neighbours(ctx context.Context, x *store.View, w *calls.Walk, at *store.Target, q *Query, a *Answer, l *calls.Gaps) {
	limit, depth := cmp.Or(q.Limit, defaultNeighbours), max(q.Depth, 1)
	seeds := w.Seeds(at)
	named, _ := impact.Users(ctx, x, w, at, seeds, depth, l)
	users := map[graph.ID]*impact.User{}
	var plain []calls.Neighbour // that have no node
	var known []calls.Reached
	for _, u := range named {
		if u.ID == 0 {
			plain = append(plain, u.Neighbour())
		} else {
			users[u.ID], known = &u, append(known, u.Reached())
		}
	}
	callers, above := w.SearchOn(ctx, seeds, known, depth, true, func(e *graph.Edge) bool { return calls.IsCall(e, true) })
	callees, below := w.Search(ctx, seeds, depth, false, func(e *graph.Edge) bool { return calls.IsCall(e, false) })
	a.Total = len(plain) + len(callers) + len(callees)
	for _, cut := range []answer.Cut{above, below} {
		if cut == calls.CutReached || cut == calls.CutDepth && depth > 1 {
			a.Cut(cut)
		}
	}
	w.Doubts(ctx, at, seeds, l)
	a.Callers = append(a.Callers, plain...)
	for _, r := range callers[:min(len(callers), limit+1)] {
		if u := users[r.ID]; u != nil && r.Via == 0 {
			a.Callers = append(a.Callers, u.Neighbour())
		} else {
			a.Callers = append(a.Callers, w.Neighbour(r))
		}
	}
	slices.SortStableFunc(a.Callers, func(a, b calls.Neighbour) int { return cmp.Compare(a.Depth, b.Depth) })
	for _, r := range callees[:min(len(callees), limit+1)] {
		a.Callees = append(a.Callees, w.Neighbour(r))
	}
	for _, list := range []*[]calls.Neighbour{&a.Callers, &a.Callees} {
		if len(*list) > limit {
			*list = (*list)[:limit]
			a.Cut(answer.CutLimit)
		}
	}
	a.names = len(named) > 0
	for _, id := range seeds {
		w.UsedAsValue(id, l)
		w.CallersByName(id, l, func(graph.Site) {})
		w.Open(id, func(s graph.Site) { l.Called(cmp.Or(s.Name, "an expression")) })
	}
}

// sign fills in the signatures.
func sign(x *store.View, list []calls.Neighbour) {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	for i := range list {
		if r, s := x.Table.At(list[i].Place); s != nil {
			list[i].Signature = r.SignatureOf(s)
		}
	}
}

// render makes the text.
func (a *Answer) render() {
	a.Text = a.plain(a.to)
	a.Tokens = answer.Tokens(utf8.RuneCountInString(a.Text))
}

// plain writes a trace for people.
func (a *Answer) plain(to string) string {
	var b strings.Builder
	if to != "" {
		for _, p := range a.Paths {
			b.WriteString(p.Hops[0].From.Text())
			for _, h := range p.Hops {
				fmt.Fprintf(&b, "\n  %s:%d %s %s", h.From.File, h.Line, verb(&h), answer.Place{Symbol: h.To.Symbol, File: *h.To.File, Line: *h.To.Line}.Text())
				if h.Confidence != graph.Exact.String() {
					fmt.Fprintf(&b, " (%s)", h.Confidence)
				}
			}
			b.WriteString("\n")
		}
		if len(a.Paths) == 0 {
			fmt.Fprintf(&b, "no %d calls or fewer lead from %s to %s, or back\n", maxPathDepth, a.Symbol, to)
		}
		return b.String()
	}
	if d := a.Definition; d != nil {
		fmt.Fprintf(&b, "%s:%d %s\n", d.File, d.Line, d.Signature)
	}
	callers := "called by"
	if a.names {
		callers = "named by"
	}
	for _, part := range []struct {
		title string
		list  []calls.Neighbour
	}{{callers, a.Callers}, {"calls", a.Callees}} {
		if len(part.list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n", part.title)
		for _, n := range part.list {
			fmt.Fprintf(&b, "%s%s:%d %s (%s", strings.Repeat("  ", n.Depth), n.File, n.Line, cmp.Or(n.Signature, n.Symbol, "top level"), answer.LineNumbers(n.CallSites))
			if n.Confidence != graph.Exact.String() {
				fmt.Fprintf(&b, ", %s", n.Confidence)
			}
			b.WriteString(")\n")
		}
	}
	return b.String()
}

// verb says what one end of an edge does with the other.
func verb(e *calls.CallEdge) string {
	if e.Rule == references.ByMention {
		return "names"
	}
	return "calls"
}

func (a *Answer) Places(visit func(string, *bool)) {
	a.Definition.Visit(visit)
	a.To.Visit(visit)
	for _, list := range [][]calls.Neighbour{a.Callers, a.Callees} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
	for _, p := range a.Paths {
		for i := range p.Hops {
			p.Hops[i].Visit(visit)
		}
	}
}
