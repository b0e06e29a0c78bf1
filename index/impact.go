package index

import (
	"cmp"
	"context"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
)

// Bounds of an Impact.
const (
	defaultImpact = 100
	defaultDepth  = 10
	maxReached    = 20_000 // nodes, beyond which a search ends
)

// CutReached is the cut of a search that came to more symbols than it may look at:
// Total is a lower bound.
const CutReached Cut = "reached"

// CutDepth is the cut of an answer about the call graph that ends before what it follows
// does: there are more steps than the query's Depth. One step is no cut of Calls and Trace,
// for then they are asked about direct calls alone.
const CutDepth Cut = "depth"

// An ImpactQuery asks what a change of something may affect.
type ImpactQuery struct {
	Target  string  // as Extract reads it; a class stands for its methods, a file for all in it
	Diff    string  // a unified diff, in place of Target: what it changes
	From    []Place // in place of both, what answers named
	Depth   int     // steps of calls; 0: 10
	Path    string  // only what is affected below this file or folder; "": everywhere
	NoTests bool    // leave test code out of Callers
	Limit   int     // of Callers; 0: 100
	Offset  int     // of Callers, to pass over
	Steps   bool    // fill in Steps
}

// An Impact is what calls, uses or inherits from something, through others, too.
type Impact struct {
	Target     string      `json:"target,omitempty"`
	Definition *Definition `json:"definition,omitempty"`
	Changed    []Change    `json:"changed,omitempty"`    // by the diff
	LeftOut    []LeftOut   `json:"left_out,omitempty"`   // files of the diff that have no part in the call graph
	Unfollowed []Lost      `json:"unfollowed,omitempty"` // what is asked about or changed and has no edges: who depends on it is not known
	Callers    []Caller    `json:"callers"`              // nearest first, the surest of them before the rest; never nil
	Ambiguous  []Caller    `json:"ambiguous"`            // that name it, and no more is known, or depend on those; at most Limit; never nil
	Tests      []string    `json:"tests"`                // test files among what is affected, or changed; nearest first; never nil
	Files      []string    `json:"files"`                // of all callers, by path; never nil
	Completeness
	Others []Place `json:"alternatives,omitempty"`
	Page
	State State  `json:"-"`
	Steps []Step `json:"-"` // all that is changed or affected, whatever the page, if asked for
}

// A Caller is a symbol that depends on a target.
type Caller struct {
	Place
	Depth      int    `json:"depth"`      // steps from the target
	Via        Place  `json:"via"`        // what it calls on the way; at depth 1 the target
	CallSites  []int  `json:"call_sites"` // lines of its file on which it does
	Kind       string `json:"kind"`       // calls, references, inherits or implements
	Confidence string `json:"confidence"` // the weakest on the way
	Test       bool   `json:"test,omitempty"`
}

// Impact answers with what a change of a target, or that of a diff, may affect. It
// returns the errors of Calls, and a DiffError for what is no diff.
func (x *View) Impact(ctx context.Context, q ImpactQuery) (Impact, error) {
	a := Impact{Target: q.Target, Callers: []Caller{}, Ambiguous: []Caller{}, Tests: []string{}, Files: []string{}}
	q.Limit, q.Depth = cmp.Or(q.Limit, defaultImpact), cmp.Or(q.Depth, defaultDepth)
	var at target
	var changes []change
	var l gaps
	var err error
	if q.Target == "" {
		if a.State, err = x.openState(); err == nil && len(q.From) == 0 {
			changes, err = x.changes(q.Diff, &a, &l)
		}
	} else if at, a.State, err = x.find(q.Target); err == nil && at.symbol < 0 && at.line > 0 {
		err = at.nothing()
	}
	if err != nil {
		return a, err
	}
	x.walkGraph(ctx, func(w *walk) {
		x.current(&l, a.State)
		var seeds []graph.ID
		var asked *target
		if len(q.From) > 0 {
			seeds = w.nodesAt(q.From)
		} else if q.Target == "" {
			seeds = w.changed(ctx, changes, &q, &a, &l)
		} else if err = x.inGraph(w, &at, a.State); err == nil {
			seeds = w.seeds(&at)
			asked = &at
			if !w.followed(seeds, &at, &l) && at.symbol >= 0 {
				s := at.sym()
				w.named(ctx, []sought{{at.record.place(at.symbol), s.name, s.kind(), at.record.lang, ReasonNoEdges}}, &q, &a, &l)
			}
		}
		if err == nil {
			if q.Steps {
				a.Steps = w.begin(seeds, &at)
			}
			w.impact(ctx, seeds, asked, &q, &a, &l)
		}
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
	a.Completeness = l.completeness("of these names")
	a.Lacks(a.Cuts)
	a.Checked = x.check(&a, a.State.Generation)
	return a, nil
}

// impact fills in what depends on the seeds.
func (w *walk) impact(ctx context.Context, seeds []graph.ID, at *target, q *ImpactQuery, a *Impact, l *gaps) {
	found, cut := w.search(ctx, seeds, q.Depth, true, dependency)
	if cut != "" {
		a.cut(cut)
	}
	files := map[string]bool{}
	test := func(id graph.ID) bool {
		if !w.isTest(id) {
			return false
		}
		a.test(w.node(id).Path)
		return true
	}
	for _, id := range seeds {
		test(id)
		w.usedAsValue(id, l)
		guessed := map[graph.ID]*Caller{}
		w.callersByName(id, l, func(s graph.Site) {
			from := w.home(s.From)
			c := guessed[from]
			if c == nil {
				c = &Caller{Place: w.place(from), Depth: 1, Via: w.place(id), Kind: graph.Calls.String(), Confidence: byName, Test: w.isTest(from)}
				guessed[from] = c
			}
			if line := s.Pos.Line(); !slices.Contains(c.CallSites, line) {
				c.CallSites = append(c.CallSites, line)
			}
		})
		for _, c := range guessed {
			if within(c.File, q.Path) && !(q.NoTests && c.Test) {
				slices.Sort(c.CallSites)
				a.Ambiguous = append(a.Ambiguous, *c)
			}
		}
	}
	slices.SortFunc(a.Ambiguous, byPlace)
	if len(a.Ambiguous) > q.Limit {
		a.Ambiguous = a.Ambiguous[:q.Limit]
		a.cut(CutLimit)
	}
	kept, passed := found[:0], slices.Clone(seeds)
	for _, r := range found {
		if q.Steps {
			a.Steps = append(a.Steps, w.step(r.id, r.depth, r.confidence))
		}
		isTest := test(r.id)
		if r.depth < q.Depth {
			w.callersByName(r.id, l, func(graph.Site) {})
			passed = append(passed, r.id)
		}
		if !within(w.node(r.id).Path, q.Path) || q.NoTests && isTest {
			continue
		}
		kept = append(kept, r)
		if p := w.node(r.id).Path; !files[p] {
			files[p] = true
			a.Files = append(a.Files, p)
		}
	}
	slices.Sort(a.Files)
	w.doubts(ctx, at, passed, l)
	for _, r := range pageOf(&a.Page, kept, q.Offset, q.Limit) {
		a.Callers = append(a.Callers, w.caller(r))
	}
}

func (w *walk) caller(r reached) Caller {
	c := Caller{
		Place: w.place(r.id), Depth: r.depth, Via: w.place(r.via), CallSites: []int{},
		Kind: r.kind.String(), Confidence: r.confidence.String(), Test: w.isTest(r.id),
	}
	for _, pos := range r.sites {
		if line := pos.Line(); !slices.Contains(c.CallSites, line) {
			c.CallSites = append(c.CallSites, line)
		}
	}
	return c
}

func (a *Impact) places(visit func(string, *bool)) {
	a.Definition.place(visit)
	for _, list := range [][]Caller{a.Callers, a.Ambiguous} {
		for i := range list {
			list[i].place(visit)
		}
	}
}
