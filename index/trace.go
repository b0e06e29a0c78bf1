package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/graph"
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

// A Trace is what calls a symbol and what it calls, or the ways between two.
type Trace struct {
	Symbol     string      `json:"symbol"`
	Definition *Definition `json:"definition,omitempty"`
	Callers    []Neighbour `json:"callers"` // never nil; empty with To
	Callees    []Neighbour `json:"callees"` // never nil; empty with To
	To         *Definition `json:"to,omitempty"`
	Paths      []CallPath  `json:"paths,omitempty"` // the shortest, the surest of them first
	Backward   bool        `json:"backward,omitempty"`
	Text       string      `json:"text"`
	Tokens     int         `json:"tokens"` // of Text
	Completeness
	Others []Place `json:"alternatives,omitempty"`
	Page
	State   State  `json:"-"`
	between string // the other end, as it was asked for
}

// A Neighbour is a symbol around another in the call graph.
type Neighbour struct {
	Place
	Signature  string `json:"signature,omitempty"`
	Depth      int    `json:"depth"`
	Via        Place  `json:"via"`        // the step before it on the way from the target
	CallSites  []int  `json:"call_sites"` // lines of the calls between the two
	Confidence string `json:"confidence"` // the weakest on the way
	Kind       string `json:"kind"`
}

// A CallPath is a chain of calls.
type CallPath struct {
	Hops       []CallEdge `json:"hops"`
	Confidence string     `json:"confidence"` // the weakest of them
}

// Trace answers with callers and callees or, with To, with the shortest ways from
// one target to the other; when there are none, with those back (Backward). It
// returns the errors of Calls.
func (x *View) Trace(ctx context.Context, q TraceQuery) (Trace, error) {
	a := Trace{Symbol: q.Target, Callers: []Neighbour{}, Callees: []Neighbour{}}
	at, state, err := x.findSymbol(q.Target)
	if err != nil {
		return a, err
	}
	a.State, a.Others = state, at.alternatives()
	var to target
	if q.To != "" {
		if to, _, err = x.findSymbol(q.To); err != nil {
			return a, err
		}
	}
	var l gaps
	x.walkGraph(ctx, func(w *walk) {
		x.current(&l, a.State)
		if err = x.inGraph(w, &at, a.State); err != nil {
			return
		}
		seeds := w.seeds(&at)
		w.followed(seeds, &at, &l)
		if q.To == "" {
			w.neighbours(ctx, seeds, &at, &q, &a, &l)
			return
		}
		if err = x.inGraph(w, &to, a.State); err != nil {
			return
		}
		ends := w.seeds(&to)
		w.followed(ends, &to, &l)
		limit := cmp.Or(q.Limit, defaultPaths)
		var missed gaps // that matter if there is no way
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
			a.Others = at.alternatives()
		}
		if len(found) == 0 {
			l.open, l.names, l.reasons = missed.open, missed.names, append(l.reasons, missed.reasons...)
			for _, cut := range missed.cuts {
				a.cut(cut)
			}
			before, _ := w.search(ctx, ends, maxPathDepth, true, func(e *graph.Edge) bool { return isCall(e, true) })
			for _, r := range before {
				ends = append(ends, r.id)
			}
			w.doubts(ctx, &to, ends, &l)
		}
		a.Paths = pageOf(&a.Page, w.callPaths(found), 0, limit)
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return a, err
	}
	if at.symbol >= 0 {
		d := at.record.define(at.symbol)
		a.Definition, a.Symbol = &d, d.Symbol
	}
	if q.To != "" && to.symbol >= 0 {
		d := to.record.define(to.symbol)
		a.To = &d
	}
	x.sign(a.Callers)
	x.sign(a.Callees)
	a.Completeness = l.completeness("on the way")
	if q.To == "" {
		a.Completeness = l.completeness("from here or of this name")
	}
	a.Lacks(a.Cuts)
	a.between = q.To
	a.render()
	a.Checked = x.check(&a, a.State.Generation)
	return a, nil
}

// Keep leaves out all but about a share of each list, and at least one entry.
func (a *Trace) Keep(share float64) {
	a.Callers = someOf(a.Callers, share)
	a.Callees = someOf(a.Callees, share)
	a.Paths = someOf(a.Paths, share)
	a.render()
}

// findSymbol is find for what a line alone does not name.
func (x *View) findSymbol(text string) (target, State, error) {
	at, state, err := x.find(text)
	if err == nil && at.symbol < 0 && at.line > 0 {
		err = at.nothing()
	}
	return at, state, err
}

// neighbours fills in what is around the seeds.
func (w *walk) neighbours(ctx context.Context, seeds []graph.ID, at *target, q *TraceQuery, a *Trace, l *gaps) {
	limit, depth := cmp.Or(q.Limit, defaultNeighbours), max(q.Depth, 1)
	callers, above := w.search(ctx, seeds, depth, true, func(e *graph.Edge) bool { return isCall(e, true) })
	callees, below := w.search(ctx, seeds, depth, false, func(e *graph.Edge) bool { return isCall(e, false) })
	a.Total = len(callers) + len(callees)
	for _, cut := range []Cut{above, below} {
		if cut == CutReached || cut == CutDepth && depth > 1 {
			a.cut(cut)
		}
	}
	w.doubts(ctx, at, seeds, l)
	for _, part := range []struct {
		found []reached
		out   *[]Neighbour
	}{{callers, &a.Callers}, {callees, &a.Callees}} {
		if len(part.found) > limit {
			part.found = part.found[:limit]
			a.cut(CutLimit)
		}
		for _, r := range part.found {
			*part.out = append(*part.out, w.neighbour(r))
		}
	}
	for _, id := range seeds {
		w.usedAsValue(id, l)
		w.callersByName(id, l, func(graph.Site) {})
		w.open(id, func(s graph.Site) { l.called(cmp.Or(s.Name, "an expression")) })
	}
}

// open gives the calls from a node that are not resolved and not external.
func (w *walk) open(id graph.ID, yield func(graph.Site)) {
	w.g.Sites(id, func(s graph.Site) bool {
		if s.Reason != graph.External {
			yield(s)
		}
		return true
	})
}

func (w *walk) neighbour(r reached) Neighbour {
	n := Neighbour{
		Place: w.place(r.id), Depth: r.depth, Via: w.place(r.via), CallSites: []int{},
		Kind: r.kind.String(), Confidence: r.confidence.String(),
	}
	for _, pos := range r.sites {
		if line := pos.Line(); !slices.Contains(n.CallSites, line) {
			n.CallSites = append(n.CallSites, line)
		}
	}
	return n
}

// sign fills in the signatures.
func (x *View) sign(list []Neighbour) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range list {
		if r, s := x.table.at(list[i].Place); s != nil {
			list[i].Signature = r.signatureOf(s)
		}
	}
}

// at returns the file and the symbol of a place, as far as there are any.
func (t *table) at(p Place) (*record, *symbol) {
	r := t.files[p.File]
	if r == nil || p.Symbol == "" {
		return r, nil
	}
	name := p.Symbol[strings.LastIndexByte(p.Symbol, '.')+1:]
	for i := range r.symbols {
		if s := &r.symbols[i]; int(s.nameLine) == p.Line && s.name == name {
			return r, s
		}
	}
	return r, nil
}

// render makes the text.
func (a *Trace) render() {
	a.Text = a.plain(a.between)
	a.Tokens = tokens(utf8.RuneCountInString(a.Text))
}

// plain writes a trace for people.
func (a *Trace) plain(to string) string {
	var b strings.Builder
	if to != "" {
		for _, p := range a.Paths {
			b.WriteString(placeText(p.Hops[0].From))
			for _, h := range p.Hops {
				fmt.Fprintf(&b, "\n  %s:%d calls %s", h.From.File, h.Line, placeText(Place{Symbol: h.To.Symbol, File: *h.To.File, Line: *h.To.Line}))
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
			fmt.Fprintf(&b, "%s%s:%d %s (%s %s", strings.Repeat("  ", n.Depth), n.File, n.Line, cmp.Or(n.Signature, n.Symbol, "top level"), lineWord(n.CallSites), joined(n.CallSites))
			if n.Confidence != graph.Exact.String() {
				fmt.Fprintf(&b, ", %s", n.Confidence)
			}
			b.WriteString(")\n")
		}
	}
	return b.String()
}

func placeText(p Place) string {
	return fmt.Sprintf("%s (%s:%d)", cmp.Or(p.Symbol, "top level"), p.File, p.Line)
}

func lineWord(lines []int) string {
	if len(lines) == 1 {
		return "line"
	}
	return "lines"
}

// joined writes line numbers, the first few.
func joined(lines []int) string {
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

func (a *Trace) places(visit func(string, *bool)) {
	a.Definition.place(visit)
	a.To.place(visit)
	for _, list := range [][]Neighbour{a.Callers, a.Callees} {
		for i := range list {
			list[i].place(visit)
		}
	}
	for _, p := range a.Paths {
		for i := range p.Hops {
			p.Hops[i].place(visit)
		}
	}
}
