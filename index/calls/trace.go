package calls

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Bounds of a Trace.
const (
	defaultNeighbours = 50
	maxPathDepth      = 8
	defaultPaths      = 5
)

// A TraceQuery asks what is around a symbol in the call graph, or between two.
type TraceQuery struct {
	Target string // as Extract reads it
	To     string // another target; "": none
	Depth  int    // steps from the target; 0: 1. Paths may have 8
	Limit  int    // callers and callees, each, 0: 50; paths, 0: 5
}

// A TraceAnswer is what calls a symbol and what it calls, or the ways between two.
type TraceAnswer struct {
	Symbol     string             `json:"symbol"`
	Definition *answer.Definition `json:"definition,omitempty"`
	Callers    []Neighbour        `json:"callers"` // never nil; empty with To
	Callees    []Neighbour        `json:"callees"` // never nil; empty with To
	To         *answer.Definition `json:"to,omitempty"`
	Paths      []CallPath         `json:"paths,omitempty"` // the shortest, the surest of them first
	Backward   bool               `json:"backward,omitempty"`
	Text       string             `json:"text"`
	Tokens     int                `json:"tokens"` // of Text
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State   answer.State `json:"-"`
	between string       // the other end, as it was asked for
}

// A Neighbour is a symbol around another in the call graph.
type Neighbour struct {
	answer.Place
	Signature  string       `json:"signature,omitempty"`
	Depth      int          `json:"depth"`
	Via        answer.Place `json:"via"`        // the step before it on the way from the target
	CallSites  []int        `json:"call_sites"` // lines of the calls between the two
	Confidence string       `json:"confidence"` // the weakest on the way
	Kind       string       `json:"kind"`
}

// A CallPath is a chain of calls.
type CallPath struct {
	Hops       []CallEdge `json:"hops"`
	Confidence string     `json:"confidence"` // the weakest of them
}

// Trace answers with callers and callees or, with To, with the shortest ways from
// one target to the other; when there are none, with those back (Backward). It
// returns the errors of Calls.
func Trace(ctx context.Context, x *store.View, q TraceQuery) (TraceAnswer, error) {
	a := TraceAnswer{Symbol: q.Target, Callers: []Neighbour{}, Callees: []Neighbour{}}
	at, state, err := findSymbol(x, q.Target)
	if err != nil {
		return a, err
	}
	a.State, a.Others = state, at.Alternatives()
	var to store.Target
	if q.To != "" {
		if to, _, err = findSymbol(x, q.To); err != nil {
			return a, err
		}
	}
	var l Gaps
	WalkGraph(ctx, x, func(w *Walk) {
		Current(x, &l, a.State)
		if err = InGraph(x, w, &at, a.State); err != nil {
			return
		}
		seeds := w.Seeds(&at)
		w.Followed(seeds, &at, &l)
		if q.To == "" {
			w.neighbours(ctx, seeds, &at, &q, &a, &l)
			return
		}
		if err = InGraph(x, w, &to, a.State); err != nil {
			return
		}
		ends := w.Seeds(&to)
		w.Followed(ends, &to, &l)
		limit := cmp.Or(q.Limit, defaultPaths)
		var missed Gaps // that matter if there is no way
		found := w.paths(ctx, seeds, ends, limit+1, &missed)
		if len(found) == 0 {
			found = w.paths(ctx, ends, seeds, limit+1, &missed)
			a.Backward = len(found) > 0
		}
		if len(found) == 0 {
			if found = w.otherWays(ctx, &at, &to, limit+1); len(found) == 0 {
				found = w.otherWays(ctx, &to, &at, limit+1)
				a.Backward = len(found) > 0
			}
			a.Others = at.Alternatives()
		}
		if len(found) == 0 {
			l.open, l.names, l.reasons = missed.open, missed.names, append(l.reasons, missed.reasons...)
			for _, cut := range missed.cuts {
				a.Cut(cut)
			}
			before, _ := w.Search(ctx, ends, maxPathDepth, true, func(e *graph.Edge) bool { return IsCall(e, true) })
			for _, r := range before {
				ends = append(ends, r.ID)
			}
			w.Doubts(ctx, &to, ends, &l)
		}
		a.Paths = answer.PageOf(&a.Page, w.callPaths(found), 0, limit)
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
	a.between = q.To
	a.render()
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// Keep leaves out all but about a share of each list, and at least one entry.
func (a *TraceAnswer) Keep(share float64) {
	a.Callers = answer.SomeOf(a.Callers, share)
	a.Callees = answer.SomeOf(a.Callees, share)
	a.Paths = answer.SomeOf(a.Paths, share)
	a.render()
}

// findSymbol is find for what a line alone does not name.
func findSymbol(x *store.View, text string) (store.Target, answer.State, error) {
	at, state, err := x.FindTarget(text)
	if err == nil && at.Symbol < 0 && at.Line > 0 {
		err = at.Nothing()
	}
	return at, state, err
}

// neighbours fills in what is around the seeds.
func (w *Walk) neighbours(ctx context.Context, seeds []graph.ID, at *store.Target, q *TraceQuery, a *TraceAnswer, l *Gaps) {
	limit, depth := cmp.Or(q.Limit, defaultNeighbours), max(q.Depth, 1)
	callers, above := w.Search(ctx, seeds, depth, true, func(e *graph.Edge) bool { return IsCall(e, true) })
	callees, below := w.Search(ctx, seeds, depth, false, func(e *graph.Edge) bool { return IsCall(e, false) })
	a.Total = len(callers) + len(callees)
	for _, cut := range []answer.Cut{above, below} {
		if cut == CutReached || cut == CutDepth && depth > 1 {
			a.Cut(cut)
		}
	}
	w.Doubts(ctx, at, seeds, l)
	for _, part := range []struct {
		found []Reached
		out   *[]Neighbour
	}{{callers, &a.Callers}, {callees, &a.Callees}} {
		if len(part.found) > limit {
			part.found = part.found[:limit]
			a.Cut(answer.CutLimit)
		}
		for _, r := range part.found {
			*part.out = append(*part.out, w.Neighbour(r))
		}
	}
	for _, id := range seeds {
		w.UsedAsValue(id, l)
		w.CallersByName(id, l, func(graph.Site) {})
		w.Open(id, func(s graph.Site) { l.Called(cmp.Or(s.Name, "an expression")) })
	}
}

// Open gives the calls from a node that are not resolved and not external.
func (w *Walk) Open(id graph.ID, yield func(graph.Site)) {
	w.G.Sites(id, func(s graph.Site) bool {
		if s.Reason != graph.External {
			yield(s)
		}
		return true
	})
}

func (w *Walk) Neighbour(r Reached) Neighbour {
	n := Neighbour{
		Place: w.Place(r.ID), Depth: r.Depth, Via: w.Place(r.Via), CallSites: []int{},
		Kind: r.Kind.String(), Confidence: r.Confidence.String(),
	}
	for _, pos := range r.Sites {
		if line := pos.Line(); !slices.Contains(n.CallSites, line) {
			n.CallSites = append(n.CallSites, line)
		}
	}
	return n
}

// sign fills in the signatures.
func sign(x *store.View, list []Neighbour) {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	for i := range list {
		if r, s := At(x.Table, list[i].Place); s != nil {
			list[i].Signature = r.SignatureOf(s)
		}
	}
}

// At returns the file and the symbol of a place, as far as there are any.
func At(t *store.Table, p answer.Place) (*store.Record, *store.Symbol) {
	r := t.Files[p.File]
	if r == nil || p.Symbol == "" {
		return r, nil
	}
	name := p.Symbol[strings.LastIndexByte(p.Symbol, '.')+1:]
	if i := r.NamedAt(name, p.Line); i >= 0 {
		return r, &r.Symbols[i]
	}
	return r, nil
}

// render makes the text.
func (a *TraceAnswer) render() {
	a.Text = a.plain(a.between)
	a.Tokens = answer.Tokens(utf8.RuneCountInString(a.Text))
}

// plain writes a trace for people.
func (a *TraceAnswer) plain(to string) string {
	var b strings.Builder
	if to != "" {
		for _, p := range a.Paths {
			b.WriteString(placeText(p.Hops[0].From))
			for _, h := range p.Hops {
				fmt.Fprintf(&b, "\n  %s:%d calls %s", h.From.File, h.Line, placeText(answer.Place{Symbol: h.To.Symbol, File: *h.To.File, Line: *h.To.Line}))
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
	for _, part := range []struct {
		title string
		list  []Neighbour
	}{{"called by", a.Callers}, {"calls", a.Callees}} {
		if len(part.list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n", part.title)
		for _, n := range part.list {
			fmt.Fprintf(&b, "%s%s:%d %s (%s %s", strings.Repeat("  ", n.Depth), n.File, n.Line, cmp.Or(n.Signature, n.Symbol, "top level"), LineWord(n.CallSites), Joined(n.CallSites))
			if n.Confidence != graph.Exact.String() {
				fmt.Fprintf(&b, ", %s", n.Confidence)
			}
			b.WriteString(")\n")
		}
	}
	return b.String()
}

func placeText(p answer.Place) string {
	return fmt.Sprintf("%s (%s:%d)", cmp.Or(p.Symbol, "top level"), p.File, p.Line)
}

func LineWord(lines []int) string {
	if len(lines) == 1 {
		return "line"
	}
	return "lines"
}

// Joined writes line numbers, the first few.
func Joined(lines []int) string {
	const few = 5
	var parts []string
	for _, n := range lines[:min(few, len(lines))] {
		parts = append(parts, fmt.Sprint(n))
	}
	if len(lines) > few {
		parts = append(parts, "...")
	}
	return strings.Join(parts, ", ")
}

func (a *TraceAnswer) Places(visit func(string, *bool)) {
	a.Definition.Visit(visit)
	a.To.Visit(visit)
	for _, list := range [][]Neighbour{a.Callers, a.Callees} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
	for _, p := range a.Paths {
		for i := range p.Hops {
			p.Hops[i].place(visit)
		}
	}
}
