// Package impact answers what a change may affect: of a symbol, of a file, or of a diff. It goes
// backward through the edges of the call graph, and for what that has no edges of, which are
// constants, fields, variables and macros, through the places that name it.
package impact

import (
	"cmp"
	"context"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/patch"
	"github.com/quarry-search/quarry/index/internal/store"
)

// defaultLimit is how many callers an answer has by default.
const defaultLimit = 100

// A DiffError says why a text is no unified diff.
type DiffError = patch.Error

// A Query asks what a change of something may affect.
type Query struct {
	Target string         // as Extract reads it; a class stands for its methods, a file for all in it
	Diff   string         // a unified diff, in place of Target: what it changes
	Files  []string       // in place of both: all of these files may have changed
	Edited bool           // the same of the files that were edited while the index was kept
	From   []answer.Place // in place of all, what answers named
	Depth  int            // steps of calls; 0: all
	Limit  int            // entries at most, of both lists together; 0: 100
	Offset int            // entries to pass over
	Steps  bool           // fill in Steps
	Runs   bool           // fill in Runs

	calls.Scope // narrows both lists and Files by the dependents, not Tests
}

// An Answer is what calls, uses or inherits from something, through others, too. Pages go through
// Callers and then Ambiguous, as if they were one list.
type Answer struct {
	Target     string             `json:"target,omitempty"`
	Definition *answer.Definition `json:"definition,omitempty"`
	Changed    []Change           `json:"changed,omitempty"`    // by the diff
	LeftOut    []answer.LeftOut   `json:"left_out,omitempty"`   // files of the diff that have no part in the call graph
	Unfollowed []Lost             `json:"unfollowed,omitempty"` // what is asked about, changed or affected, whose dependents are not all known
	Callers    []Caller           `json:"callers"`              // production code before tests, nearest first, the surest of them before the rest; never nil
	Ambiguous  []Caller           `json:"ambiguous"`            // that name it, and no more is known, or depend on those; never nil
	Counts     Counts             `json:"counts"`
	// Test files among what is affected, or changed, nearest first; without a Depth also those that
	// may run it where only a name, or the language by itself, leads there. Never nil.
	Tests []string `json:"tests"`
	Runs  []Run    `json:"runs,omitempty"` // the commands that run Tests, if asked for
	Files []string `json:"files"`          // of all callers, by path; never nil
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State answer.State `json:"-"`
	Steps []calls.Step `json:"-"` // all that is changed or affected, whatever the page, if asked for
}

// Counts is how many entries each list has, on all pages together.
type Counts struct {
	Callers   int `json:"callers"`
	Ambiguous int `json:"ambiguous"`
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

// A search is the work of one query.
type search struct {
	*calls.Walk
	index  *store.View
	query  *Query
	answer *Answer
	gaps   *calls.Gaps
	scope  calls.Narrowed
	uses   uses
	tests  map[string]bool   // of the answer; nil: they are not asked for
	cases  map[string]*cases // of these, by path

	reaching bool // what is noted was reached by edges
}

// Impact answers with what a change of a target, or that of a diff, may affect. It
// returns the errors of calls.Calls, and a DiffError for what is no diff.
func Impact(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Target: q.Target, Callers: []Caller{}, Ambiguous: []Caller{}, Tests: []string{}, Files: []string{}}
	q.Limit, q.Depth = cmp.Or(q.Limit, defaultLimit), cmp.Or(q.Depth, calls.AllSteps)
	var at store.Target
	var changes []change
	var l calls.Gaps
	narrowed, err := q.Narrow()
	if err != nil {
		return a, err
	}
	if q.Target == "" {
		if a.State, err = x.OpenState(); err == nil && len(q.From) == 0 {
			changes, err = q.changes(x, &a, &l)
		}
	} else {
		at, a.State, err = calls.Find(x, q.Target)
	}
	if err != nil {
		return a, err
	}
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		s := search{Walk: w, index: x, query: &q, answer: &a, gaps: &l, scope: narrowed, tests: map[string]bool{}, cases: map[string]*cases{}}
		calls.Current(x, &l, a.State)
		var seeds []graph.ID
		var asked *store.Target
		if len(q.From) > 0 {
			seeds = s.nodesAt(q.From)
		} else if q.Target == "" {
			seeds = s.changed(ctx, changes)
		} else if err = calls.InGraph(x, w, &at, a.State); err == nil {
			seeds = w.Seeds(&at)
			asked = &at
			if unfollowed(w, &at, seeds) {
				s.usesOf(ctx, []store.Target{at})
			}
		}
		if err == nil {
			if q.Steps {
				a.Steps = w.Begin(seeds, &at)
			}
			if found := s.fill(ctx, seeds, asked); q.Runs {
				if done := l.Completeness("of these names"); done.Complete { // else the rest of a file may be affected, too
					s.titleCases(ctx, found)
				}
				s.runs()
			}
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

// fill answers with what depends on the seeds, and returns both.
func (s *search) fill(ctx context.Context, seeds []graph.ID, at *store.Target) (all []graph.ID) {
	q, a, l := s.query, s.answer, s.gaps
	found, cut := s.Dependents(ctx, seeds, s.uses.nodes(), q.Depth)
	if cut != "" {
		a.Cut(cut)
	}
	s.Importers(found, l)
	for _, id := range seeds {
		s.testOf(id)
		s.UsedAsValue(id, l)
		guessed := map[graph.ID]*Caller{}
		s.CallersByName(id, l, func(site graph.Site) {
			from := s.Home(site.From)
			c := guessed[from]
			if c == nil {
				c = &Caller{Place: s.Place(from), Depth: 1, Via: s.Place(id), Kind: graph.Calls.String(), Confidence: calls.ByName, Test: s.IsTest(from)}
				guessed[from] = c
			}
			c.at(site.Pos.Line())
		})
		for _, c := range guessed {
			if s.wanted(c.File, c.Test) {
				slices.Sort(c.CallSites)
				a.Ambiguous = append(a.Ambiguous, *c)
			}
		}
	}
	slices.SortFunc(a.Ambiguous, byPlace)
	testsBehind(a.Ambiguous, func(c *Caller) bool { return c.Test })
	passed := slices.Grow(slices.Clone(seeds), len(found))
	kept := make([]affected, 0, len(found))
	s.reaching = true
	for _, r := range found {
		if q.Steps {
			a.Steps = append(a.Steps, s.Step(r.ID, r.Depth, r.Confidence))
		}
		isTest := s.testOf(r.ID)
		if r.Depth < q.Depth {
			s.CallersByName(r.ID, l, func(graph.Site) {})
			passed = append(passed, r.ID)
		}
		if path := s.PathOf(r.ID); s.wanted(path, isTest) {
			kept = append(kept, affected{Reached: r, path: path, test: isTest})
		}
	}
	s.reaching = false
	kept = s.uses.among(s, kept)
	testsBehind(kept, func(c *affected) bool { return c.test })
	files := map[string]bool{}
	last := "" // one file has several, one after the other
	for i := range kept {
		if p := kept[i].path; p != last && !files[p] {
			files[p] = true
			a.Files = append(a.Files, p)
		}
		last = kept[i].path
	}
	slices.Sort(a.Files)
	all = slices.Grow(slices.Clone(seeds), len(found))
	for _, r := range found {
		all = append(all, r.ID)
	}
	if q.Depth == calls.AllSteps && cut != calls.CutReached { // by then most tests of the tree are listed
		s.guessTests(ctx, all, nil)
	}
	s.Doubts(ctx, at, passed, l)
	a.Counts = Counts{len(kept), len(a.Ambiguous)}
	for i := range a.Ambiguous {
		kept = append(kept, affected{use: &a.Ambiguous[i]})
	}
	page := answer.PageOf(&a.Page, kept, q.Offset, q.Limit)
	sure := min(max(a.Counts.Callers-q.Offset, 0), len(page))
	from := min(max(q.Offset-a.Counts.Callers, 0), len(a.Ambiguous))
	a.Ambiguous = a.Ambiguous[from : from+len(page)-sure]
	for _, r := range page[:sure] {
		if r.use != nil {
			a.Callers = append(a.Callers, *r.use)
		} else {
			a.Callers = append(a.Callers, s.caller(r.Reached))
		}
	}
	return all
}

// An affected is an entry of the answer before it is written out.
type affected struct {
	calls.Reached
	path string
	test bool
	use  *Caller // of a symbol that the graph has no node of; nil: there is one
}

// testsBehind puts tests after everything else, and leaves the order as it is otherwise.
func testsBehind[T any](list []T, test func(*T) bool) {
	last := 0
	for i := range list {
		if test(&list[i]) {
			last++
		}
	}
	tests, n := make([]T, 0, last), 0
	for i := range list {
		if test(&list[i]) {
			tests = append(tests, list[i])
		} else {
			list[n] = list[i]
			n++
		}
	}
	copy(list[n:], tests)
}

// wanted reports whether what is in a file is asked for.
func (s *search) wanted(path string, test bool) bool {
	return s.scope.Admits(path, test)
}

func (s *search) caller(r calls.Reached) Caller {
	s.Between(&r)
	c := Caller{
		Place: s.Place(r.ID), Depth: r.Depth, CallSites: r.Lines(),
		Kind: r.Kind.String(), Confidence: r.Confidence.String(), Test: s.IsTest(r.ID),
	}
	if r.Via != 0 {
		c.Via = s.Place(r.Via)
	} else {
		c.Via = s.uses.byNode[r.ID].Via
	}
	return c
}

// at notes a line on which a caller does what makes it one.
func (c *Caller) at(line int) {
	if !slices.Contains(c.CallSites, line) {
		c.CallSites = append(c.CallSites, line)
	}
}

// Given returns how many entries the answer has.
func (a *Answer) Given() int { return len(a.Callers) + len(a.Ambiguous) }

// Keep leaves out all but the first n entries.
func (a *Answer) Keep(n int) {
	a.Callers = a.Callers[:min(n, len(a.Callers))]
	a.Ambiguous = a.Ambiguous[:min(n-len(a.Callers), len(a.Ambiguous))]
}

// Places calls visit for each place of the answer.
func (a *Answer) Places(visit func(string, *bool)) {
	a.Definition.Visit(visit)
	for _, list := range [][]Caller{a.Callers, a.Ambiguous} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
}
