package index

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/syntax"
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
	Target    string // as Extract reads it; or words, of which the best result of a search is taken
	Depth     int    // steps of calls; 0: 2
	MaxTokens int    // what Text may cost; 0: 4000
	Sent      *Sent  // what the reader has, which becomes references; nil: nothing

	inside bool // Text is to be a part of another: its titles are two levels lower, and it has no receipt
}

// A Context is a definition and what is around it.
type Context struct {
	Target     string         `json:"target"`
	Searched   bool           `json:"searched,omitempty"` // no symbol has the name: it is the best result of a search
	Definition *ContextItem   `json:"definition"`         // nil for a file
	Functions  []ContextItem  `json:"functions"`          // what it calls; never nil, as the lists below
	Callers    []ContextItem  `json:"callers"`
	Types      []ContextItem  `json:"types"` // that it makes or names
	Tests      []ContextItem  `json:"tests"`
	Imports    []ImportedName `json:"imports"`           // at the head of its file
	Found      []Result       `json:"results,omitempty"` // if Searched, what else the search has found
	Text       string         `json:"text"`              // all of it that fits
	Tokens     int            `json:"tokens"`            // of Text
	TokensRaw  int            `json:"tokens_raw"`        // of the files that it names, whole
	Files      int            `json:"-"`                 // that it names
	References int            `json:"-"`                 // to what the reader has
	Given      []Lines        `json:"-"`                 // that Text shows
	Completeness
	Others []Place `json:"alternatives,omitempty"`
	Page
	State State `json:"-"`
	file  *record
	named map[string]int // the files that Text names, and their tokens
}

// A ContextItem is one symbol of a Context.
type ContextItem struct {
	Definition
	Depth      int      `json:"depth,omitempty"`
	CallSites  []int    `json:"call_sites,omitempty"`
	Confidence string   `json:"confidence,omitempty"`
	Calls      []string `json:"calls,omitempty"`   // what a function calls, of those in the index
	Content    string   `json:"content,omitempty"` // the text, of the definition and of short types
	CallText   string   `json:"call,omitempty"`    // the line of the first call, of callers
	Sent       bool     `json:"sent,omitempty"`    // the reader has it: Text has a reference

	FileHash   uint64 `json:"-"` // of the file's content, as in Lines
	FileTokens int    `json:"-"` // of the file, whole
}

// Context answers with the definition of a target, and as far as the budget goes with its
// callees, callers, types and tests, and what else a search has found: those that are worth
// most for a token. What does not fit as a whole is left out, or given without its body.
// What the reader has appears as a reference. It returns the errors of Calls.
func (x *View) Context(ctx context.Context, q ContextQuery) (Context, error) {
	a := Context{
		Target: q.Target, Functions: []ContextItem{}, Callers: []ContextItem{}, Types: []ContextItem{}, Tests: []ContextItem{},
		Imports: []ImportedName{},
	}
	q.Depth, q.MaxTokens = cmp.Or(q.Depth, defaultContextDepth), cmp.Or(q.MaxTokens, defaultContext)
	at, state, err := x.findOnly(q.Target)
	if err == nil && at.symbol < 0 && at.line > 0 {
		err = at.nothing()
	}
	var missing *TargetError
	if errors.As(err, &missing) && strings.ContainsAny(strings.TrimSpace(q.Target), " \t") {
		at, a.Found, state, err = x.findByWords(ctx, q.Target, err)
		a.Searched = true
	}
	if err != nil {
		return a, x.suggest(err)
	}
	a.State, a.Others, a.file = state, at.alternatives(), at.record
	var l gaps
	var around surroundings
	x.walkGraph(ctx, func(w *walk) {
		x.current(&l, a.State)
		err = x.inGraph(w, &at, a.State)
		var unsupported *UnsupportedError
		switch {
		case err == nil:
			around = w.surroundings(ctx, &at, q.Depth, &l)
		case (a.Searched || q.inside && at.symbol >= 0) && errors.As(err, &unsupported):
			err = nil // the words have an answer, if without calls
			l.because("%v", unsupported)
		}
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return a, err
	}
	x.fillContext(&a, &at, &around)
	a.Completeness = l.completeness("from here or of this name")
	outline := ""
	if at.symbol < 0 && !a.Searched {
		s, err := x.skeletonOf(at.record, nil, &SkeletonQuery{Lines: true})
		if err != nil {
			return a, err
		}
		outline = strings.TrimSuffix(s.Skeleton, "\n")
	}
	a.Found = slices.DeleteFunc(a.Found, a.has)
	a.write(&at, outline, &q)
	for _, c := range around.cuts {
		a.cut(c)
	}
	a.Lacks(a.Cuts)
	a.Checked = x.check(&a, a.State.Generation)
	return a, nil
}

// surroundings are the nodes around a target, as places.
type surroundings struct {
	callees, callers, tests []reachedPlace
	types                   []Place
	cuts                    []Cut
}

func (s *surroundings) cut(c Cut) {
	if c != "" {
		s.cuts = append(s.cuts, c)
	}
}

// A reachedPlace is a reached node outside of the graph's lock.
type reachedPlace struct {
	Neighbour
	calls []string
}

func (w *walk) surroundings(ctx context.Context, at *target, depth int, l *gaps) surroundings {
	seeds := w.seeds(at)
	w.followed(seeds, at, l)
	var s surroundings
	callees, cut := w.search(ctx, seeds, depth, false, func(e *graph.Edge) bool { return isCall(e, false) })
	s.cut(cut)
	if len(callees) > maxContextCallees {
		s.cut(CutLimit)
	}
	for _, r := range callees[:min(len(callees), maxContextCallees)] {
		s.callees = append(s.callees, reachedPlace{w.neighbour(r), w.callsOf(r.id)})
	}
	callers, cut := w.search(ctx, seeds, depth, true, func(e *graph.Edge) bool { return isCall(e, true) })
	s.cut(cut)
	for _, r := range callers {
		switch n := (reachedPlace{Neighbour: w.neighbour(r)}); {
		case w.isTest(r.id):
			if len(s.tests) == maxContextTests {
				s.cut(CutLimit)
				continue
			}
			s.tests = append(s.tests, n)
		case r.depth > 1:
		case len(s.callers) == maxContextCallers:
			s.cut(CutLimit)
		default:
			s.callers = append(s.callers, n)
		}
	}
	w.doubts(ctx, at, seeds, l)
	type use struct {
		id graph.ID
		n  int
	}
	var types []use
	for _, id := range seeds {
		w.usedAsValue(id, l)
		w.callersByName(id, l, func(graph.Site) {})
		w.open(id, func(s graph.Site) { l.called(cmp.Or(s.Name, "an expression")) })
		w.g.Out(id, func(e graph.Edge) bool {
			if to := w.node(e.To); to.Kind != graph.ClassNode || to.Path == "" || slices.Contains(seeds, e.To) {
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
	slices.SortStableFunc(types, func(a, b use) int { return cmp.Or(cmp.Compare(b.n, a.n), w.compare(a.id, b.id)) })
	for _, u := range types[:min(len(types), maxContextTypes)] {
		s.types = append(s.types, w.place(u.id))
	}
	return s
}

// callsOf names what a node calls, each once.
func (w *walk) callsOf(id graph.ID) []string {
	var names []string
	w.g.Out(id, func(e graph.Edge) bool {
		if name := w.node(w.home(e.To)).Name; isCall(&e, false) && name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		return true
	})
	return names
}

// someBody is how many lines a type may have to be shown whole.
const someBody = 20

// fillContext looks up what the places are.
func (x *View) fillContext(a *Context, at *target, around *surroundings) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	item := func(p Place) (ContextItem, *record, *symbol) {
		r, s := x.table.at(p)
		out := ContextItem{Definition: Definition{Symbol: p.Symbol, File: p.File, Line: p.Line, EndLine: p.Line}}
		if r == nil {
			return out, nil, nil
		}
		out.Lang, out.FileHash, out.FileTokens = r.lang, r.hash, tokens(int(r.size))
		if s != nil {
			d := Definition{
				Symbol: p.Symbol, File: r.path, Line: int(s.line), EndLine: int(s.last), Kind: string(s.kind()), Lang: r.lang,
				Signature: r.signatureOf(s), Doc: r.docOf(s),
			}
			out.Definition = d
		}
		return out, r, s
	}
	reach := func(n *reachedPlace) (ContextItem, *record) {
		out, r, _ := item(n.Place)
		out.Depth, out.CallSites, out.Confidence, out.Calls = n.Depth, n.CallSites, n.Confidence, n.calls
		return out, r
	}
	if at.symbol >= 0 {
		a.Definition = &ContextItem{
			Definition: at.record.define(at.symbol), Content: at.record.contentOf(at.sym()),
			FileHash: at.record.hash, FileTokens: tokens(int(at.record.size)),
		}
		if p, ok := x.table.owner(at.record, at.sym()); ok {
			around.types = append([]Place{p}, around.types...)
		}
	}
	for i := range around.callees {
		n, _ := reach(&around.callees[i])
		a.Functions = append(a.Functions, n)
	}
	for i := range around.callers {
		n, r := reach(&around.callers[i])
		if r != nil && len(n.CallSites) > 0 {
			n.CallText = r.lineText(n.CallSites[0])
		}
		a.Callers = append(a.Callers, n)
	}
	for i := range around.tests {
		n, _ := reach(&around.tests[i])
		a.Tests = append(a.Tests, n)
	}
	seen := map[Place]bool{}
	for _, p := range around.types {
		if seen[p] {
			continue
		}
		seen[p] = true
		n, r, s := item(p)
		if s != nil && s.last-s.line < someBody && !(r == at.record && at.symbol >= 0 && s.start <= at.sym().start && at.sym().end <= s.end) {
			n.Content = r.contentOf(s)
		}
		a.Types = append(a.Types, n)
	}
	a.Imports = x.headImports(at.record)
}

// owner returns the type that a symbol is a member of: around it, or elsewhere in
// its folder.
func (t *table) owner(r *record, s *symbol) (p Place, ok bool) {
	if s.parent == "" {
		return p, false
	}
	name := s.parent[strings.LastIndexByte(s.parent, '.')+1:]
	for _, d := range t.define(name) {
		o := &d.record.symbols[d.symbol]
		if o.name != name || path.Dir(d.record.path) != path.Dir(r.path) || runs(o.kind()) || o.kind() == syntax.Field {
			continue
		}
		if here := d.record == r; here || !ok {
			p, ok = d.record.place(int32(d.symbol)), true
			if here {
				break
			}
		}
	}
	return p, ok
}

func (a *Context) places(visit func(string, *bool)) {
	if a.Definition != nil {
		a.Definition.place(visit)
	}
	for _, list := range [][]ContextItem{a.Functions, a.Callers, a.Types, a.Tests} {
		for i := range list {
			list[i].place(visit)
		}
	}
	for i := range a.Found {
		visit(a.Found[i].File, &a.Found[i].Changed)
	}
}
