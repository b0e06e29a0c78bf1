package calls

import (
	"cmp"
	"context"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/patch"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Bounds of an Impact.
const (
	defaultImpact = 100
	maxReached    = 20_000 // nodes, beyond which a search ends
)

// AllSteps is more steps than a search can take before it ends.
const AllSteps = maxReached

// CutReached is the cut of a search that came to more symbols than it may look at:
// Total is a lower bound.
const CutReached answer.Cut = "reached"

// CutDepth is the cut of an answer about the call graph that ends before what it follows
// does: there are more steps than the query's Depth. One step is no cut of Calls and Trace,
// for then they are asked about direct calls alone.
const CutDepth answer.Cut = "depth"

// A DiffError says why a text is no unified diff.
type DiffError = patch.Error

// An ImpactQuery asks what a change of something may affect.
type ImpactQuery struct {
	Target  string         // as Extract reads it; a class stands for its methods, a file for all in it
	Diff    string         // a unified diff, in place of Target: what it changes
	From    []answer.Place // in place of both, what answers named
	Depth   int            // steps of calls; 0: all
	Path    string         // only what is affected below this file or folder; "": everywhere
	NoTests bool           // leave test code out of Callers
	Limit   int            // of Callers; 0: 100
	Offset  int            // of Callers, to pass over
	Steps   bool           // fill in Steps
}

// An ImpactAnswer is what calls, uses or inherits from something, through others, too.
type ImpactAnswer struct {
	Target     string             `json:"target,omitempty"`
	Definition *answer.Definition `json:"definition,omitempty"`
	Changed    []Change           `json:"changed,omitempty"`    // by the diff
	LeftOut    []answer.LeftOut   `json:"left_out,omitempty"`   // files of the diff that have no part in the call graph
	Unfollowed []Lost             `json:"unfollowed,omitempty"` // what is asked about or changed and has no edges: who depends on it is not known
	Callers    []Caller           `json:"callers"`              // nearest first, the surest of them before the rest; never nil
	Ambiguous  []Caller           `json:"ambiguous"`            // that name it, and no more is known, or depend on those; at most Limit; never nil
	Tests      []string           `json:"tests"`                // test files among what is affected, or changed; nearest first; never nil
	Files      []string           `json:"files"`                // of all callers, by path; never nil
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State answer.State `json:"-"`
	Steps []Step       `json:"-"` // all that is changed or affected, whatever the page, if asked for
}

// A Caller is a symbol that depends on a target.
type Caller struct {
	answer.Place
	Depth      int          `json:"depth"`      // steps from the target
	Via        answer.Place `json:"via"`        // what it calls on the way; at depth 1 the target
	CallSites  []int        `json:"call_sites"` // lines of its file on which it does
	Kind       string       `json:"kind"`       // calls, references, inherits or implements
	Confidence string       `json:"confidence"` // the weakest on the way
	Test       bool         `json:"test,omitempty"`
}

// Impact answers with what a change of a target, or that of a diff, may affect. It
// returns the errors of Calls, and a DiffError for what is no diff.
func Impact(ctx context.Context, x *store.View, q ImpactQuery) (ImpactAnswer, error) {
	a := ImpactAnswer{Target: q.Target, Callers: []Caller{}, Ambiguous: []Caller{}, Tests: []string{}, Files: []string{}}
	q.Limit, q.Depth = cmp.Or(q.Limit, defaultImpact), cmp.Or(q.Depth, AllSteps)
	var at store.Target
	var changes []change
	var l Gaps
	var err error
	if q.Target == "" {
		if a.State, err = x.OpenState(); err == nil && len(q.From) == 0 {
			changes, err = changesOf(x, q.Diff, &a, &l)
		}
	} else if at, a.State, err = x.FindTarget(q.Target); err == nil && at.Symbol < 0 && at.Line > 0 {
		err = at.Nothing()
	}
	if err != nil {
		return a, err
	}
	WalkGraph(ctx, x, func(w *Walk) {
		Current(x, &l, a.State)
		var seeds []graph.ID
		var asked *store.Target
		if len(q.From) > 0 {
			seeds = w.nodesAt(q.From)
		} else if q.Target == "" {
			seeds = w.changed(ctx, changes, &q, &a, &l)
		} else if err = InGraph(x, w, &at, a.State); err == nil {
			seeds = w.Seeds(&at)
			asked = &at
			if !w.Followed(seeds, &at, &l) && at.Symbol >= 0 {
				s := at.Sym()
				w.named(ctx, []sought{{at.Record.Place(at.Symbol), s.Name, s.Kind(), at.Record.Lang, ReasonNoEdges}}, &q, &a, &l)
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
		a.Others = at.Alternatives()
		if at.Symbol >= 0 {
			d := at.Record.Define(at.Symbol)
			a.Definition = &d
		}
	}
	a.Completeness = l.Completeness("of these names")
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// impact fills in what depends on the seeds.
func (w *Walk) impact(ctx context.Context, seeds []graph.ID, at *store.Target, q *ImpactQuery, a *ImpactAnswer, l *Gaps) {
	found, cut := w.Search(ctx, seeds, q.Depth, true, w.dependency)
	if cut != "" {
		a.Cut(cut)
	}
	w.importers(found, l)
	files := map[string]bool{}
	test := func(id graph.ID) bool {
		if !w.IsTest(id) {
			return false
		}
		a.test(w.Node(id).Path)
		return true
	}
	for _, id := range seeds {
		test(id)
		w.UsedAsValue(id, l)
		guessed := map[graph.ID]*Caller{}
		w.CallersByName(id, l, func(s graph.Site) {
			from := w.Home(s.From)
			c := guessed[from]
			if c == nil {
				c = &Caller{Place: w.Place(from), Depth: 1, Via: w.Place(id), Kind: graph.Calls.String(), Confidence: byName, Test: w.IsTest(from)}
				guessed[from] = c
			}
			if line := s.Pos.Line(); !slices.Contains(c.CallSites, line) {
				c.CallSites = append(c.CallSites, line)
			}
		})
		for _, c := range guessed {
			if source.Within(c.File, q.Path) && !(q.NoTests && c.Test) {
				slices.Sort(c.CallSites)
				a.Ambiguous = append(a.Ambiguous, *c)
			}
		}
	}
	slices.SortFunc(a.Ambiguous, byPlace)
	if len(a.Ambiguous) > q.Limit {
		a.Ambiguous = a.Ambiguous[:q.Limit]
		a.Cut(answer.CutLimit)
	}
	kept, passed := found[:0], slices.Clone(seeds)
	for _, r := range found {
		if q.Steps {
			a.Steps = append(a.Steps, w.step(r.ID, r.Depth, r.confidence))
		}
		isTest := test(r.ID)
		if r.Depth < q.Depth {
			w.CallersByName(r.ID, l, func(graph.Site) {})
			passed = append(passed, r.ID)
		}
		if !source.Within(w.Node(r.ID).Path, q.Path) || q.NoTests && isTest {
			continue
		}
		kept = append(kept, r)
		if p := w.Node(r.ID).Path; !files[p] {
			files[p] = true
			a.Files = append(a.Files, p)
		}
	}
	slices.Sort(a.Files)
	w.Doubts(ctx, at, passed, l)
	for _, r := range answer.PageOf(&a.Page, kept, q.Offset, q.Limit) {
		a.Callers = append(a.Callers, w.caller(r))
	}
}

func (w *Walk) caller(r reached) Caller {
	c := Caller{
		Place: w.Place(r.ID), Depth: r.Depth, Via: w.Place(r.via), CallSites: []int{},
		Kind: r.kind.String(), Confidence: r.confidence.String(), Test: w.IsTest(r.ID),
	}
	for _, pos := range r.sites {
		if line := pos.Line(); !slices.Contains(c.CallSites, line) {
			c.CallSites = append(c.CallSites, line)
		}
	}
	return c
}

func (a *ImpactAnswer) Places(visit func(string, *bool)) {
	a.Definition.Visit(visit)
	for _, list := range [][]Caller{a.Callers, a.Ambiguous} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
}
