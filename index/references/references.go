// Package references answers with the places that name a symbol: calls, reads, writes, types,
// imports, decorators and bases, in all files of the index. It says of each how sure it is,
// and what of the text was not looked at.
//
// The places come from the text: all that have the symbol's name as a word. What such a place
// means is told by the call graph, where that has an edge or a call there, and else by the
// scoping and the imports of its file. Nothing is known of a name that is put together at run
// time, and a declaration is no reference.
package references

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Bounds of an answer.
const (
	defaultLimit = 100
	maxPlaces    = 50_000 // beyond which no more are looked for
)

// CutPlaces is the cut of an answer about a name that too many places have: Total is a lower
// bound.
const CutPlaces answer.Cut = "places"

// Confidences of a Reference.
const (
	exact  = "exact"  // the graph knows it, or it is in the scope of the file that defines the symbol
	scoped = "scoped" // the imports, the package or a declared type tell
	byName = "name"   // only the name speaks for it
)

// Kinds are the kinds that references have.
func Kinds() []string {
	return []string{"call", "read", "write", "type", "import", "decorator", "inherit", "string"}
}

// A Query asks where a symbol is named.
type Query struct {
	Target string // as Extract reads it; a symbol, not a file
	Kind   string // only references of this kind; "": all
	Limit  int    // entries at most, of the sets together; 0: 100
	Offset int    // entries to pass over

	calls.Scope
	narrowed calls.Narrowed
}

// An Answer has the places that name a symbol, in sets. Pages go through them in this order,
// as if they were one list.
type Answer struct {
	Target     string             `json:"target"`
	Definition *answer.Definition `json:"definition,omitempty"`
	References []Reference        `json:"references"` // production code before tests, then by path and place; never nil
	Ambiguous  []Reference        `json:"ambiguous"`  // that have the name, and no more is known; never nil
	Counts     Counts             `json:"counts"`
	Files      []string           `json:"files"` // of all references, by path; never nil
	answer.Completeness
	Others []answer.Place `json:"alternatives,omitempty"`
	answer.Page
	State answer.State `json:"-"`
}

// Counts is how many entries each set has, on all pages together.
type Counts struct {
	References int `json:"references"`
	Ambiguous  int `json:"ambiguous"`
}

// A Reference is a place that names the symbol.
type Reference struct {
	answer.Place        // its file and line, and the innermost symbol that it is in; "" for none
	Column       int    `json:"column"`     // 1-based, in bytes
	Kind         string `json:"kind"`       // call, read, write, type, import, decorator, inherit or string
	Confidence   string `json:"confidence"` // exact, scoped or name
	Test         bool   `json:"test,omitempty"`

	way bool // it names a method of an interface outside of the index that the type of the target implements
}

// References answers with the places that name a target. It returns the errors of Extract,
// and a TargetError for a file.
func References(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Target: q.Target, References: []Reference{}, Ambiguous: []Reference{}, Files: []string{}}
	q.Limit = cmp.Or(max(q.Limit, 0), defaultLimit)
	narrowed, err := q.Narrow()
	if err != nil {
		return a, err
	}
	q.narrowed = narrowed
	at, state, err := x.FindTarget(q.Target)
	if a.State = state; err == nil && at.Symbol < 0 {
		err = notSymbol(&at)
	}
	if err != nil {
		return a, err
	}
	var l calls.Gaps
	var s *search
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		calls.Current(x, &l, state)
		s = NewFinder(x, w).search(ctx, &at, &q, &l)
	})
	if err := ctx.Err(); err != nil {
		return a, err
	}
	s.fill(&a)
	a.Others = at.Alternatives()
	d := at.Record.Define(at.Symbol)
	a.Definition = &d
	a.Completeness = l.Completeness("of this name")
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, state.Generation)
	return a, nil
}

func notSymbol(at *store.Target) error {
	if at.Line > 0 {
		return at.Nothing()
	}
	return &answer.TargetError{
		Target: at.Record.Path, Nearest: []string{},
		Reason: fmt.Sprintf("%s is a file, and references are those to a symbol; the imports of a module tell who uses a file", at.Record.Path),
	}
}

// fill puts the page that was asked for in the answer.
func (s *search) fill(a *Answer) {
	sure, named := s.sure, s.guessed
	slices.SortStableFunc(sure, testsLast)
	slices.SortStableFunc(named, testsLast)
	a.Counts = Counts{len(sure), len(named)}
	for i := range sure {
		a.Files = append(a.Files, sure[i].File)
	}
	slices.Sort(a.Files)
	a.Files = slices.Compact(a.Files)
	if s.cut {
		a.Cut(CutPlaces)
	}
	for i, r := range answer.PageOf(&a.Page, slices.Concat(sure, named), s.query.Offset, s.query.Limit) {
		if s.query.Offset+i < len(sure) {
			a.References = append(a.References, r)
		} else {
			a.Ambiguous = append(a.Ambiguous, r)
		}
	}
}

// Given returns how many entries the answer has.
func (a *Answer) Given() int { return len(a.References) + len(a.Ambiguous) }

// Keep leaves out all but the first n entries.
func (a *Answer) Keep(n int) {
	a.References = a.References[:min(n, len(a.References))]
	a.Ambiguous = a.Ambiguous[:min(n-len(a.References), len(a.Ambiguous))]
}

// Places calls visit for each place of the answer.
func (a *Answer) Places(visit func(string, *bool)) {
	a.Definition.Visit(visit)
	for _, list := range [][]Reference{a.References, a.Ambiguous} {
		for i := range list {
			list[i].Visit(visit)
		}
	}
}

// wanted reports whether a reference is one that is asked for.
func (q *Query) wanted(r *Reference) bool {
	return (q.Kind == "" || q.Kind == r.Kind) && q.narrowed.Admits(r.File, r.Test)
}

// testsLast puts test code after everything else.
func testsLast(a, b Reference) int {
	switch {
	case a.Test == b.Test:
		return 0
	case a.Test:
		return 1
	}
	return -1
}

func order(a, b Reference) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
