package subgraph

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/trace"
)

// confidences are those of edges, the surest first.
var confidences = []string{"exact", "scoped", calls.ByName}

func rank(confidence string) int { return slices.Index(confidences, confidence) }

// A pair is the ends of an edge.
type pair struct{ from, to answer.Place }

// A link is an edge between two symbols.
type link struct {
	pair
	kind       string
	confidence int // rank
	lines      []int
	up, down   bool // it was found on the way to callers, to callees
	path       bool
	ambiguous  bool // it may be another symbol that is called, or none
}

// found is what is known of the part of the call graph that a query is about.
type found struct {
	*store.View
	query  *Query
	answer *Answer
	links  map[pair]*link
	tests  map[answer.Place]bool
	seeds  map[answer.Place]bool // the target and, of a class or a file, what is in it
	order  []*link               // in the order in which they were found

	near   map[answer.Place]*near
	places []answer.Place // of near, in order
}

// collect gathers the edges.
func (f *found) collect(ctx context.Context) error {
	q := f.query
	if q.To != "" {
		if err := f.between(ctx); err != nil {
			return err
		}
	} else {
		err := f.seed(q.Target)
		if err == nil {
			err = f.around(ctx, q.Target, max(q.Depth, 1), true)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range q.Expand {
		if err := f.expand(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// seed notes what a target stands for.
func (f *found) seed(target string) error {
	at, _, err := calls.Find(f.View, target)
	if err != nil {
		return err
	}
	if at.Symbol >= 0 {
		f.seeds[bare(at.Record.Place(at.Symbol))] = true
	}
	calls.ReadGraph(f.View, func(w *calls.Walk) {
		for _, id := range w.Seeds(&at) {
			f.seeds[bare(w.Place(id))] = true
		}
	})
	return nil
}

// bare is a place as a key: whether its file has changed is said later.
func bare(p answer.Place) answer.Place {
	p.Changed = false
	return p
}

// around gathers the edges around a target, in the direction that is asked for. What is said of the
// answer as a whole is that of the target itself.
func (f *found) around(ctx context.Context, target string, depth int, itself bool) error {
	at, _, err := calls.Find(f.View, target)
	if err != nil {
		return err
	}
	if at.Symbol >= 0 && unfollowed(at.Sym().Kind()) {
		return f.named(ctx, target, depth, itself)
	}
	for _, direction := range []string{calls.Callers, calls.Callees} {
		if !f.asked(direction) {
			continue
		}
		a, err := calls.Calls(ctx, f.View, calls.CallsQuery{Target: target, Direction: direction, Depth: depth, Limit: maxFound, Group: true})
		if err != nil {
			return err
		}
		if itself {
			f.take(&a.Completeness, &a.Page, a.State, a.Definition, a.Others)
		}
		for i := range a.Edges {
			f.edge(&a.Edges[i], direction == calls.Callers, false).ambiguous = false
		}
		for i := range a.Ambiguous {
			f.edge(&a.Ambiguous[i], direction == calls.Callers, false)
		}
	}
	return nil
}

func (f *found) asked(direction string) bool {
	d := cmp.Or(f.query.Direction, calls.Both)
	return d == calls.Both || d == direction
}

// unfollowed reports whether a symbol is of a kind that the call graph has no edges of.
func unfollowed(kind syntax.Kind) bool {
	return slices.Contains([]syntax.Kind{syntax.Field, syntax.Variable, syntax.Constant, syntax.Macro}, kind)
}

// named gathers what names a constant, a variable, a field or a macro, and what that begins by calling.
func (f *found) named(ctx context.Context, target string, depth int, itself bool) error {
	t, err := trace.Trace(ctx, f.View, trace.Query{Target: target, Depth: depth, Limit: maxFound})
	if err != nil {
		return err
	}
	if itself {
		f.take(&t.Completeness, &t.Page, t.State, t.Definition, t.Others)
	}
	for _, direction := range []string{calls.Callers, calls.Callees} {
		if !f.asked(direction) {
			continue
		}
		list, up := t.Callers, true
		if direction == calls.Callees {
			list, up = t.Callees, false
		}
		for i := range list {
			n := &list[i]
			ends := pair{bare(n.Place), bare(n.Via)}
			if !up {
				ends = pair{ends.to, ends.from}
			}
			f.add(&link{pair: ends, kind: n.Kind, confidence: rank(n.Confidence), lines: slices.Clone(n.CallSites), up: up, down: !up})
			f.test(bare(n.Place), false)
		}
	}
	return nil
}

// take notes what is said of one direction for the answer.
func (f *found) take(c *answer.Completeness, p *answer.Page, state answer.State, d *answer.Definition, others []answer.Place) {
	a := f.answer
	first := a.State.Root == ""
	a.State, a.Definition, a.Others = state, d, others
	if d != nil {
		a.Target = d.Symbol
	}
	for _, cut := range p.Cuts {
		if cut != answer.CutLimit || p.Total > maxFound {
			a.Cut(cut)
		}
	}
	if first {
		a.Completeness = *c
		return
	}
	a.Complete = a.Complete && c.Complete
	a.Open += c.Open
	for _, why := range c.Because {
		if !slices.Contains(a.Because, why) {
			a.Because = append(a.Because, why)
		}
	}
}

// edge takes an edge of the call graph that leads to something in the index, as an ambiguous one.
func (f *found) edge(e *calls.CallEdge, up, path bool) *link {
	if e.To.File == nil {
		return new(link)
	}
	from, to := bare(e.From), answer.Place{Symbol: e.To.Symbol, File: *e.To.File, Line: *e.To.Line}
	l := link{pair: pair{from, to}, kind: e.Kind, confidence: rank(e.Confidence), lines: slices.Clone(e.CallSites), up: up, down: !up, path: path, ambiguous: true}
	if l.lines == nil {
		l.lines = []int{e.Line}
	}
	if up {
		f.test(from, e.Test)
	} else {
		f.test(to, e.Test)
	}
	return f.add(&l)
}

func (f *found) test(p answer.Place, test bool) {
	if test || source.RoleOf(p.File) == source.Test {
		f.tests[p] = true
	}
}

func (f *found) add(l *link) *link {
	old := f.links[l.pair]
	if old == nil {
		f.links[l.pair] = l
		f.order = append(f.order, l)
		return l
	}
	old.up, old.down, old.path = old.up || l.up, old.down || l.down, old.path || l.path
	old.confidence = min(old.confidence, l.confidence)
	for _, line := range l.lines {
		if !slices.Contains(old.lines, line) {
			old.lines = append(old.lines, line)
		}
	}
	slices.Sort(old.lines)
	return old
}

// between gathers the ways from the target to another.
func (f *found) between(ctx context.Context) error {
	q := f.query
	t, err := trace.Trace(ctx, f.View, trace.Query{Target: q.Target, To: q.To, Limit: shownWays})
	if err != nil {
		return err
	}
	f.take(&t.Completeness, &t.Page, t.State, t.Definition, t.Others)
	f.answer.To, f.answer.Backward = t.To, t.Backward
	for _, cut := range t.Cuts {
		f.answer.Cut(cut)
	}
	for _, way := range t.Paths {
		for i := range way.Hops {
			f.edge(&way.Hops[i], false, true).ambiguous = way.Hops[i].Confidence == calls.ByName
		}
		if n := len(way.Hops); n > 0 {
			f.seeds[bare(way.Hops[0].From)] = true
			if last := way.Hops[n-1].To; last.File != nil {
				f.seeds[answer.Place{Symbol: last.Symbol, File: *last.File, Line: *last.Line}] = true
			}
		}
	}
	for _, target := range []string{q.Target, q.To} {
		if len(t.Paths) == 0 {
			if err := f.seed(target); err != nil {
				return err
			}
		}
	}
	return nil
}

// expand goes on from a symbol by one step. Of what stands for several, collapse takes care.
func (f *found) expand(ctx context.Context, id string) error {
	target, name, within := strings.Cut(id, "#")
	_, line := cutLine(target)
	switch {
	case folder(target) != "", target == "", !line && name != "", !line && !within && f.query.Collapse == ByFile:
		return nil
	}
	err := f.around(ctx, target, 1, false)
	if none := (*answer.UnsupportedError)(nil); errors.As(err, &none) {
		return nil // it is in no graph: nothing leads on from it
	}
	return err
}

// folder is the folder that an ID of a folder or of a group is of, "" for other IDs.
func folder(id string) string {
	id = strings.TrimSuffix(id, "*")
	if !strings.HasSuffix(id, "/") {
		return ""
	}
	return id
}

// cutLine cuts the line from file:line.
func cutLine(id string) (file string, ok bool) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 || i == len(id)-1 || strings.Trim(id[i+1:], "0123456789") != "" {
		return id, false
	}
	return id[:i], true
}
