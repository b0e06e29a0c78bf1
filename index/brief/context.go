// Package brief puts answers together for a reader with little room: what one needs around a
// symbol, what a codebase consists of, and summaries of files, folders and symbols.
package brief

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/search"
)

// Bounds of a Context.
const (
	defaultContextDepth = 2
	defaultContext      = 4000 // tokens
	maxContextCallees   = 40
	maxContextCallers   = 20
	maxContextTypes     = 12
	maxContextTests     = 10
)

// A ContextQuery asks for what one must know to work on something.
type ContextQuery struct {
	Target    string       // as Extract reads it; or words, of which the best result of a search is taken
	Depth     int          // steps of calls; 0: 2
	MaxTokens int          // what Text may cost; 0: 4000
	Sent      *answer.Sent // what the reader has, which becomes references; nil: nothing

	inside bool // Text is to be a part of another: its titles are two levels lower, and it has no receipt
}

// A ContextAnswer is a definition and what is around it.
type ContextAnswer struct {
	Target     string                `json:"target"`
	Searched   bool                  `json:"searched,omitempty"` // no symbol has the name: it is the best result of a search
	Definition *ContextItem          `json:"definition"`         // nil for a file
	Functions  []ContextItem         `json:"functions"`          // what it calls; never nil, as the lists below
	Callers    []ContextItem         `json:"callers"`
	Types      []ContextItem         `json:"types"` // that it makes or names
	Tests      []ContextItem         `json:"tests"`
	Imports    []answer.ImportedName `json:"imports"`           // at the head of its file
	Found      []search.Result       `json:"results,omitempty"` // if Searched, what else the search has found, and what is near the best of it
	Text       string                `json:"text"`              // all of it that fits
	Tokens     int                   `json:"tokens"`            // of Text
	TokensRaw  int                   `json:"tokens_raw"`        // of the files that it names, whole
	Files      int                   `json:"-"`                 // that it names
	References int                   `json:"-"`                 // to what the reader has
	Given      []answer.Lines        `json:"-"`                 // that Text shows
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State  answer.State `json:"-"`
	file   *store.Record
	named  map[string]int        // the files that Text names, and their tokens
	bodies map[answer.Lines]body // of what Found is in
}

// A ContextItem is one symbol of a Context.
type ContextItem struct {
	answer.Definition
	Depth      int      `json:"depth,omitempty"`
	CallSites  []int    `json:"call_sites,omitempty"`
	Confidence string   `json:"confidence,omitempty"`
	Calls      []string `json:"calls,omitempty"`   // what a function calls, of those in the index
	Content    string   `json:"content,omitempty"` // the text, of the definition, of short types and of what there was room for in the end
	CallText   string   `json:"call,omitempty"`    // the line of the first call, of callers
	Sent       bool     `json:"sent,omitempty"`    // the reader has it: Text has a reference

	FileHash   uint64 `json:"-"` // of the file's content, as in Lines
	FileTokens int    `json:"-"` // of the file, whole
	body       body   // of what words found is called by, if the target is one of words
}

// Context answers with the definition of a target, and as far as the budget goes with its
// callees, callers, types and tests, and what else a search has found: those that are worth
// most for a token. What does not fit as a whole is left out, or given without its body.
// What the reader has appears as a reference. It returns the errors of Calls.
func Context(ctx context.Context, x *store.View, q ContextQuery) (ContextAnswer, error) {
	a := ContextAnswer{
		Target: q.Target, Functions: []ContextItem{}, Callers: []ContextItem{}, Types: []ContextItem{}, Tests: []ContextItem{},
		Imports: []answer.ImportedName{},
	}
	q.Depth, q.MaxTokens = cmp.Or(q.Depth, defaultContextDepth), cmp.Or(q.MaxTokens, defaultContext)
	at, state, err := x.FindTargetOnly(q.Target)
	if err == nil && at.Symbol < 0 && at.Line > 0 {
		err = at.Nothing()
	}
	var missing *answer.TargetError
	if errors.As(err, &missing) && strings.ContainsAny(strings.TrimSpace(q.Target), " \t") {
		at, a.Found, state, err = findByWords(ctx, x, q.Target, q.Sent, err)
		a.Searched = true
	}
	if err != nil {
		return a, x.Suggest(err)
	}
	a.State, a.Others, a.file = state, at.Alternatives(), at.Record
	var l calls.Gaps
	var around surroundings
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		calls.Current(x, &l, a.State)
		err = calls.InGraph(x, w, &at, a.State)
		var unsupported *answer.UnsupportedError
		switch {
		case err == nil:
			around = surround(ctx, x, w, &at, q.Depth, &l)
		case (a.Searched || q.inside && at.Symbol >= 0) && errors.As(err, &unsupported):
			err = nil // the words have an answer, if without calls
			l.Because("%v", unsupported)
		}
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return a, err
	}
	fillContext(x, &a, &at, &around)
	a.Completeness = l.Completeness("from here or of this name")
	bones := ""
	if at.Symbol < 0 && !a.Searched {
		s, err := outline.SkeletonOf(x, at.Record, nil, &outline.SkeletonQuery{Lines: true})
		if err != nil {
			return a, err
		}
		bones = strings.TrimSuffix(s.Skeleton, "\n")
	}
	a.Found = slices.DeleteFunc(a.Found, a.inDefinition)
	a.findBodies(x)
	a.write(&at, bones, &q)
	for _, c := range around.cuts {
		a.Cut(c)
	}
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// surroundings are the nodes around a target, as places.
type surroundings struct {
	callees, callers, tests []reachedPlace
	types                   []answer.Place
	cuts                    []answer.Cut
}

func (s *surroundings) cut(c answer.Cut) {
	if c != "" {
		s.cuts = append(s.cuts, c)
	}
}

// caller takes what calls or names the target, or a test that does so by way of others.
func (s *surroundings) caller(n reachedPlace, test bool) {
	switch {
	case test && len(s.tests) == maxContextTests, !test && n.Depth == 1 && len(s.callers) == maxContextCallers:
		s.cut(answer.CutLimit)
	case test:
		s.tests = append(s.tests, n)
	case n.Depth == 1:
		s.callers = append(s.callers, n)
	}
}

// A reachedPlace is a reached node outside of the graph's lock.
type reachedPlace struct {
	calls.Neighbour
	calls []string
}

func surround(ctx context.Context, x *store.View, w *calls.Walk, at *store.Target, depth int, l *calls.Gaps) surroundings {
	seeds := w.Seeds(at)
	var s surroundings
	users, _ := impact.Users(ctx, x, w, at, seeds, 1, l)
	for _, u := range users {
		s.caller(reachedPlace{Neighbour: u.Neighbour()}, u.Test)
	}
	callees, cut := w.Search(ctx, seeds, depth, false, func(e *graph.Edge) bool { return calls.IsCall(e, false) })
	s.cut(cut)
	byWeight(w, callees, at.Record.Traits.Test)
	if len(callees) > maxContextCallees {
		s.cut(answer.CutLimit)
	}
	for _, r := range callees[:min(len(callees), maxContextCallees)] {
		s.callees = append(s.callees, reachedPlace{w.Neighbour(r), callsOf(w, r.ID)})
	}
	callers, cut := w.Search(ctx, seeds, depth, true, func(e *graph.Edge) bool { return calls.IsCall(e, true) })
	s.cut(cut)
	for _, r := range callers {
		s.caller(reachedPlace{Neighbour: w.Neighbour(r)}, w.IsTest(r.ID))
	}
	w.Doubts(ctx, at, seeds, l)
	type use struct {
		id graph.ID
		n  int
	}
	var types []use
	for _, id := range seeds {
		w.UsedAsValue(id, l)
		w.CallersByName(id, l, func(graph.Site) {})
		w.Open(id, func(s graph.Site) { l.Called(cmp.Or(s.Name, "an expression")) })
		w.G.Out(id, func(e graph.Edge) bool {
			if to := w.Node(e.To); to.Kind != graph.ClassNode || to.Path == "" || slices.Contains(seeds, e.To) {
				return true
			}
			if i := slices.IndexFunc(types, func(u use) bool { return u.id == e.To }); i >= 0 {
				types[i].n++
			} else {
				types = append(types, use{e.To, 1})
			}
			return true
		})
	}
	slices.SortStableFunc(types, func(a, b use) int { return cmp.Or(cmp.Compare(b.n, a.n), w.Compare(a.id, b.id)) })
	for _, u := range types[:min(len(types), maxContextTypes)] {
		s.types = append(s.types, w.Place(u.id))
	}
	return s
}

// byWeight sorts what is called by its depth and then by how much it matters there: by how
// much of it there is, and the less the more others call it, too. What is in tests stands
// in for something in them, and comes last, unless the caller is in one.
func byWeight(w *calls.Walk, callees []calls.Reached, test bool) {
	weight := map[graph.ID]float64{}
	for _, r := range callees {
		n, callers := w.Node(r.ID), 0
		w.G.In(r.ID, func(e graph.Edge) bool {
			if calls.IsCall(&e, true) {
				callers++
			}
			return callers < mostCallers
		})
		weight[r.ID] = float64(min(n.End-n.Start, mostBytes)) / float64(2+callers)
		if !test && w.IsTest(r.ID) {
			weight[r.ID] = -1
		}
	}
	slices.SortStableFunc(callees, func(a, b calls.Reached) int {
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(weight[b.ID], weight[a.ID]))
	})
}

// Bounds of what counts for the weight of a callee.
const (
	mostCallers = 50
	mostBytes   = 4000
)

// callsOf names what a node calls, each once.
func callsOf(w *calls.Walk, id graph.ID) []string {
	var names []string
	w.G.Out(id, func(e graph.Edge) bool {
		if name := w.Node(w.Home(e.To)).Name; calls.IsCall(&e, false) && name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		return true
	})
	return names
}

// someBody is how many lines a type may have to be shown whole.
const someBody = 20

// fillContext looks up what the places are.
func fillContext(x *store.View, a *ContextAnswer, at *store.Target, around *surroundings) {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	item := func(p answer.Place) (ContextItem, *store.Record, *store.Symbol) {
		r, s := x.Table.At(p)
		out := ContextItem{Definition: answer.Definition{Symbol: p.Symbol, File: p.File, Line: p.Line, EndLine: p.Line}}
		if r == nil {
			return out, nil, nil
		}
		out.Lang, out.FileHash, out.FileTokens = r.Lang, r.Hash, answer.Tokens(int(r.Size))
		if s != nil {
			d := answer.Definition{
				Symbol: p.Symbol, File: r.Path, Line: int(s.Line), EndLine: int(s.Last), Kind: string(s.Kind()), Lang: r.Lang,
				Signature: r.SignatureOf(s), Doc: r.DocOf(s),
			}
			out.Definition = d
		}
		return out, r, s
	}
	reach := func(n *reachedPlace) (ContextItem, *store.Record) {
		out, r, _ := item(n.Place)
		out.Depth, out.CallSites, out.Confidence, out.Calls = n.Depth, n.CallSites, n.Confidence, n.calls
		return out, r
	}
	if at.Symbol >= 0 {
		a.Definition = &ContextItem{
			Definition: at.Record.Define(at.Symbol), Content: outline.ContentOf(at.Record, at.Sym()),
			FileHash: at.Record.Hash, FileTokens: answer.Tokens(int(at.Record.Size)),
		}
		if p, ok := owner(x.Table, at.Record, at.Sym()); ok {
			around.types = append([]answer.Place{p}, around.types...)
		}
	}
	for i := range around.callees {
		n, r := reach(&around.callees[i])
		if _, s := x.Table.At(around.callees[i].Place); a.Searched && s != nil {
			n.body = bodyOf(r, s)
		}
		a.Functions = append(a.Functions, n)
	}
	for i := range around.callers {
		n, r := reach(&around.callers[i])
		if r != nil && len(n.CallSites) > 0 {
			n.CallText = r.LineText(n.CallSites[0])
		}
		a.Callers = append(a.Callers, n)
	}
	for i := range around.tests {
		n, _ := reach(&around.tests[i])
		a.Tests = append(a.Tests, n)
	}
	seen := map[answer.Place]bool{}
	for _, p := range around.types {
		if seen[p] {
			continue
		}
		seen[p] = true
		n, r, s := item(p)
		if s != nil && s.Last-s.Line < someBody && !(r == at.Record && at.Symbol >= 0 && s.Start <= at.Sym().Start && at.Sym().End <= s.End) {
			n.Content = outline.ContentOf(r, s)
		}
		a.Types = append(a.Types, n)
	}
	a.Imports = outline.HeadImports(x, at.Record)
}

// owner returns the type that a symbol is a member of: around it, or elsewhere in
// its folder.
func owner(t *store.Table, r *store.Record, s *store.Symbol) (p answer.Place, ok bool) {
	if s.Parent == "" {
		return p, false
	}
	name := s.Parent[strings.LastIndexByte(s.Parent, '.')+1:]
	for _, d := range t.Define(name) {
		o := &d.Record.Symbols[d.Symbol]
		if o.Name != name || path.Dir(d.Record.Path) != path.Dir(r.Path) || store.Runs(o.Kind()) || o.Kind() == syntax.Field {
			continue
		}
		if here := d.Record == r; here || !ok {
			p, ok = d.Record.Place(int32(d.Symbol)), true
			if here {
				break
			}
		}
	}
	return p, ok
}

func (a *ContextAnswer) Places(visit func(string, *bool)) {
	if a.Definition != nil {
		a.Definition.Visit(visit)
	}
	for _, list := range [][]ContextItem{a.Functions, a.Callers, a.Types, a.Tests} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
	for i := range a.Found {
		visit(a.Found[i].File, &a.Found[i].Changed)
	}
}
