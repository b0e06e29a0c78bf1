package impact

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/references"
)

// maxUsed bounds how many symbols are looked for in the text of one answer.
const maxUsed = 64

// uses are the symbols that name, directly or by way of others such, what the call graph has no
// edges of.
type uses struct {
	byNode map[graph.ID]*User
	plain  map[answer.Place]*User // that have no node themselves
}

// A User is one of these. Via is what it names.
type User struct {
	Caller
	ID         graph.ID // 0: it is a symbol of which the graph has no edges, either
	confidence graph.Confidence
	sites      []ir.Pos
}

// unfollowed reports whether the graph has no edges of a target, whose nodes are seeds.
func unfollowed(w *calls.Walk, at *store.Target, seeds []graph.ID) bool {
	return at.Symbol >= 0 && !w.Follows(seeds)
}

// Users returns what names a symbol of which the graph has no edges, directly or by way of others
// such, in at most depth steps (0: all): the nearest first, by place. What else may name it is
// noted in l. ok is false where the graph follows the target, whose nodes are seeds.
func Users(ctx context.Context, x *store.View, w *calls.Walk, at *store.Target, seeds []graph.ID, depth int, l *calls.Gaps) (all []User, ok bool) {
	if !unfollowed(w, at, seeds) {
		return nil, false
	}
	var a Answer
	s := search{Walk: w, index: x, query: &Query{Depth: cmp.Or(depth, calls.AllSteps)}, answer: &a, gaps: l}
	s.usesOf(ctx, []store.Target{*at})
	for _, u := range s.uses.byNode {
		all = append(all, *u)
	}
	for _, u := range s.uses.plain {
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b User) int {
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Symbol, b.Symbol))
	})
	return all, true
}

// Edge is the user and what it names as traces have them.
func (u *User) Edge() calls.CallEdge {
	to := u.Via
	return calls.CallEdge{
		From: u.Place, To: calls.CallTarget{Symbol: to.Symbol, File: &to.File, Line: &to.Line}, Line: u.sites[0].Line(), Column: u.sites[0].Column(),
		Kind: u.Kind, Confidence: u.Confidence, Rule: references.ByMention,
	}
}

// Neighbour is the user as traces and contexts have it.
func (u *User) Neighbour() calls.Neighbour {
	return calls.Neighbour{Place: u.Place, Depth: u.Depth, Via: u.Via, CallSites: u.CallSites, Kind: u.Kind, Confidence: u.Confidence}
}

// named reports whether a kind of symbol is one that the graph has no edges of.
func named(kind syntax.Kind) bool {
	switch kind {
	case syntax.Field, syntax.Variable, syntax.Constant, syntax.Macro:
		return true
	}
	return false
}

// usesOf finds what names some symbols, and what names those of it that have no edges, either.
func (s *search) usesOf(ctx context.Context, list []store.Target) {
	if len(list) == 0 {
		return
	}
	s.uses = uses{map[graph.ID]*User{}, map[answer.Place]*User{}}
	find := references.NewFinder(s.index, s.Walk)
	type step struct {
		at    store.Target
		depth int
	}
	var next []step
	seen := map[answer.Place]bool{}
	add := func(at store.Target, depth int) {
		if p := at.Record.Place(at.Symbol); !seen[p] {
			seen[p] = true
			next = append(next, step{at, depth})
		}
	}
	for _, at := range list {
		add(at, 1)
	}
	var g guesses
	for n := 0; n < len(next) && ctx.Err() == nil; n++ {
		at, depth := next[n].at, next[n].depth
		if depth > s.query.Depth {
			s.answer.Cut(calls.CutDepth)
			break
		}
		if n == maxUsed {
			s.gaps.Because("only %d constants, fields and variables of all that are affected were looked for in the text", maxUsed)
			break
		}
		place, kind := at.Record.Place(at.Symbol), at.Sym().Kind()
		var own calls.Gaps
		if kind == syntax.Field {
			own.Because("%s may be read or set without its name, as by reflection, a copy or a literal of values alone", place.Symbol)
		}
		sure, guessed := find.Of(ctx, &at, &own)
		if len(guessed) > 0 {
			own.Because("places that have the name of %s, and may mean something else: %d", place.Symbol, len(guessed))
		}
		if own.Any() {
			s.answer.lost(Change{Place: place, Kind: string(kind)}, ReasonNoEdges, len(guessed))
			s.gaps.Take(&own)
		}
		for i := range sure {
			if user, ok := s.take(&sure[i], place, depth); ok {
				add(user, depth+1)
			}
		}
		for i := range guessed[:min(len(guessed), maxMentions)] {
			r := &guessed[i]
			c := g.of(s, r.File, s.index.Record(r.File), r.Test, r.Line, place)
			c.at(r.Line)
		}
	}
	if nodes := s.guess(ctx, &g); s.query.Depth == calls.AllSteps && s.tests != nil {
		s.guessTests(ctx, nodes, nil)
	}
}

// take notes what a reference is in: a function, a class or a file, or else (ok) a symbol that is
// to be looked for itself. An import is left out: what it brings is named where it is used.
func (s *search) take(r *references.Reference, of answer.Place, depth int) (user store.Target, ok bool) {
	record := s.index.Record(r.File)
	if record == nil || r.Kind == "import" {
		return user, false
	}
	in := store.Enclosing{Record: record}
	i := in.Line(r.Line)
	around := i // what runs
	for around >= 0 && s.user(record, around) == 0 {
		around = record.Around(around)
	}
	confidence := graph.Scoped
	if r.Confidence == graph.Exact.String() {
		confidence = graph.Exact
	}
	u := User{Caller: Caller{Depth: depth, Via: of, Kind: graph.References.String(), Confidence: r.Confidence, Test: r.Test}, confidence: confidence}
	runs := around >= 0 && store.Runs(record.Symbols[around].Kind())
	switch {
	case !runs && i >= 0 && named(record.Symbols[i].Kind()):
		user, ok = store.Target{Record: record, Symbol: i}, true
		u.Place = record.Place(i)
	case around >= 0:
		u.ID, u.Place = s.user(record, around), record.Place(around)
	default:
		u.ID, u.Place = s.G.File(record.Path), answer.Place{File: record.Path, Line: 1}
	}
	s.uses.add(&u, ir.At(r.Line, r.Column))
	return user, ok
}

// add takes a use, or a place more of one.
func (u *uses) add(c *User, pos ir.Pos) {
	old := u.plain[c.Place]
	if c.ID != 0 {
		old = u.byNode[c.ID]
	}
	switch {
	case old == nil && c.ID != 0:
		u.byNode[c.ID], old = c, c
	case old == nil:
		u.plain[c.Place], old = c, c
	case old.Depth < c.Depth || old.Via != c.Via:
		return
	}
	if !slices.Contains(old.sites, pos) {
		old.sites = append(old.sites, pos)
		old.at(pos.Line())
	}
	if c.confidence < old.confidence {
		old.confidence, old.Confidence = c.confidence, c.Confidence
	}
}

// Reached is the user as a search comes to it: without Via, for what it names has no node.
func (u *User) Reached() calls.Reached {
	return calls.Reached{ID: u.ID, Depth: u.Depth, Confidence: u.confidence, Sites: u.sites, Kind: graph.References}
}

// nodes returns the nodes of the uses, each with the steps to it.
func (u *uses) nodes() []calls.Reached {
	var all []calls.Reached
	for _, c := range u.byNode {
		all = append(all, c.Reached())
	}
	slices.SortFunc(all, func(a, b calls.Reached) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// among adds the uses that are asked for and have no nodes to a list by depth.
func (u *uses) among(s *search, list []affected) []affected {
	if len(u.plain) == 0 {
		return list
	}
	for _, c := range u.plain {
		if source.RoleOf(c.File) == source.Test {
			s.test(c.File)
		}
		if s.wanted(c.File, c.Test) {
			list = append(list, affected{calls.Reached{Depth: c.Depth, Confidence: c.confidence}, c.File, c.Test, &c.Caller})
		}
	}
	slices.SortStableFunc(list, func(a, b affected) int {
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.Confidence, b.Confidence), strings.Compare(a.path, b.path), cmp.Compare(s.line(&a), s.line(&b)))
	})
	return list
}

func (s *search) line(a *affected) int {
	if a.use != nil {
		return a.use.Line
	}
	return s.Place(a.ID).Line
}
