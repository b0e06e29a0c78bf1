// Package architecture answers how the parts of a program depend on each other: which modules there
// are and in which layers they lie, how they are coupled, which cycles there are and where one would
// cut them, what everything goes through, what changes together, and what breaks the rules that a
// project has for all that.
//
// Dependencies are read off import statements, and off the call graph where the imports of a
// language do not name files. What that promises of each language is said in docs/architecture-analysis.md.
package architecture

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/drawing"
	"github.com/quarry-search/quarry/index/internal/store"
)

// What a module is.
const (
	ByFile    = "file"
	ByFolder  = "folder"  // the default
	ByPackage = "package" // the nearest folder above with a manifest: go.mod, package.json, Cargo.toml and so on
)

// The sections of an answer.
const (
	Layers     = "layers"
	Modules    = "modules"
	Matrix     = "matrix"
	Cycles     = "cycles"
	Hubs       = "hubs"
	GodFiles   = "god_files"
	Together   = "together"
	Violations = "violations"
	Functions  = "functions"
)

// Sections lists them, those first that an overview has.
func Sections() []string {
	return []string{Layers, Modules, Matrix, Cycles, Hubs, GodFiles, Violations, Together, Functions}
}

// Kinds of dependencies.
const (
	Imports     = "imports"
	TypeImports = "type_imports" // import type, and imports for type checkers alone
	Types       = "types"        // bases, and types of declarations
	Calls       = "calls"        // and functions used as values
)

// The forms of a drawing.
const (
	DOT     = drawing.DOT
	Mermaid = drawing.Mermaid
	SVG     = drawing.SVG
)

// Limits of a section, by default: of an overview for each, and of one alone.
const (
	overviewLimit = 10
	sectionLimit  = 100
)

// A Query asks for the architecture of the files of an index.
type Query struct {
	Level   string   // "": ByFolder
	Depth   int      // of ByFolder: folders are cut to so many names; 0: they are not
	Section string   // "": the first entries of several
	Kinds   []string // that make a dependency; none: imports of both kinds, and where those do not say it types and calls
	Draw    string   // DOT, Mermaid or SVG: a drawing in place of lists
	Rules   string   // TOML, see Rules; "": those of the quarry.toml of the root
	Limit   int      // entries of a section, 0: 10 in an overview, else 100
	Offset  int      // entries of the section to pass over

	Lang []string // only files of one of these languages; none: all

	// The files that the answer is about; there are no others for it. Tests "" is WithoutTests.
	calls.Scope
}

// An Answer is the architecture of some files. Lists of other sections than the one that is asked
// for are nil.
type Answer struct {
	Level       string      `json:"level"`
	Kinds       []string    `json:"kinds,omitempty"` // as asked for
	Totals      Totals      `json:"totals"`
	Layers      []Layer     `json:"layers,omitempty"`
	Modules     []Module    `json:"modules,omitempty"`
	Matrix      []Cell      `json:"matrix,omitempty"`
	Cycles      []Cycle     `json:"cycles,omitempty"`
	Hubs        []Hub       `json:"hubs,omitempty"`
	GodFiles    []GodFile   `json:"god_files,omitempty"`
	Violations  []Violation `json:"violations,omitempty"`
	Together    []Pair      `json:"together,omitempty"`
	Functions   []Function  `json:"functions,omitempty"`
	Drawing     string      `json:"drawing,omitempty"`
	Rules       string      `json:"rules,omitempty"` // where they come from: request or quarry.toml
	NotLookedAt []string    `json:"not_looked_at,omitempty"`
	answer.Completeness
	answer.Page
	State answer.State `json:"-"`
}

// Totals are how many entries each section has; nil: it was not looked at.
type Totals struct {
	Files        int  `json:"files"`        // that are looked at
	Dependencies int  `json:"dependencies"` // between modules
	Layers       int  `json:"layers"`
	Modules      int  `json:"modules"`
	Matrix       int  `json:"matrix"`
	Cycles       int  `json:"cycles"`
	Hubs         int  `json:"hubs"`
	GodFiles     int  `json:"god_files"`
	Violations   *int `json:"violations,omitempty"`
	Together     *int `json:"together,omitempty"`
	Functions    *int `json:"functions,omitempty"`
	Entries      *int `json:"functions_entry,omitempty"`  // of the functions: those that nothing calls
	Leaves       *int `json:"functions_leaf,omitempty"`   // those that call nothing
	Between      *int `json:"functions_middle,omitempty"` // the others
}

// A QueryError says what does not go together in a Query.
type QueryError struct{ Reason string }

func (e *QueryError) Error() string { return e.Reason }

// check says what does not go together.
func (q *Query) check() error {
	switch {
	case q.Depth != 0 && q.Level != ByFolder && q.Level != "":
		return &QueryError{"depth is of level folder"}
	case q.Offset != 0 && q.Section == "" && q.Draw == "":
		return &QueryError{"offset is of one section"}
	case q.Draw != "" && q.Section != "" && q.Section != Modules:
		return &QueryError{"a drawing is of modules"}
	}
	for _, k := range q.Kinds {
		if !slices.Contains(kindNames[:], k) {
			return &QueryError{fmt.Sprintf("kind %q is not known; the kinds are imports, type_imports, types and calls", k)}
		}
	}
	return nil
}

// Architecture answers a Query. It returns a QueryError for one that contradicts itself, a
// RulesError for rules that cannot be used, and a PatternError for a glob.
func Architecture(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Level: cmp.Or(q.Level, ByFolder), Kinds: q.Kinds}
	if err := q.check(); err != nil {
		return a, err
	}
	q.Tests = cmp.Or(q.Tests, answer.WithoutTests)
	admits, err := q.Narrow()
	if err != nil {
		return a, err
	}
	if a.State, err = x.OpenState(); err != nil {
		return a, err
	}
	rules, from, err := rulesOf(x, q.Rules)
	if err != nil {
		return a, err
	}
	a.Rules = from
	s, err := systemOf(ctx, x, &q, admits.Admits)
	if err != nil {
		return a, err
	}
	a.complete(x, s)
	if len(s.files) == 0 && !x.Knows(q.Path) {
		a.NotLookedAt = append(a.NotLookedAt, "the index knows no file at or below the path")
	}
	if err := a.fill(ctx, x, s, rules, &q); err != nil {
		return a, err
	}
	return a, ctx.Err()
}

// fill makes the sections.
func (a *Answer) fill(ctx context.Context, x *store.View, s *system, rules *ruleSet, q *Query) error {
	p := pages{a, q.Section, q.Offset, cmp.Or(q.Limit, overviewLimit)}
	switch {
	case q.Draw != "":
		p.section = "none"
	case q.Section != "":
		p.limit = cmp.Or(q.Limit, sectionLimit)
	}
	of := s.listsOnce()
	a.Totals = Totals{
		Files: len(s.files), Dependencies: s.count,
		Layers: take(&p, Layers, &a.Layers, of.layers), Modules: take(&p, Modules, &a.Modules, of.modules), Matrix: take(&p, Matrix, &a.Matrix, of.matrix),
		Cycles: take(&p, Cycles, &a.Cycles, of.cycles), Hubs: take(&p, Hubs, &a.Hubs, of.hubs), GodFiles: take(&p, GodFiles, &a.GodFiles, of.godFiles),
	}
	if q.Draw != "" {
		return a.draw(s, q)
	}
	switch {
	case q.Section != Violations && q.Section != "":
	case rules != nil:
		n := take(&p, Violations, &a.Violations, rules.check(s))
		a.Totals.Violations = &n
	default:
		a.NotLookedAt = append(a.NotLookedAt, "violations: there are no rules, neither in the request nor in a table [architecture] of the quarry.toml of the root")
	}
	if q.Section == Together {
		pairs, why, err := togetherIn(ctx, x, s)
		if err != nil {
			return err
		}
		if why != "" {
			a.NotLookedAt = append(a.NotLookedAt, "together: "+why)
		} else {
			n := take(&p, Together, &a.Together, pairs)
			a.Totals.Together = &n
		}
	}
	if q.Section == Functions {
		list, err := s.functionsOnce(ctx, x)
		if err != nil {
			return err
		}
		n := take(&p, Functions, &a.Functions, list)
		a.Totals.Functions = &n
		var entries, leaves, between int
		for i := range list {
			switch list[i].Layer {
			case Entry:
				entries++
			case Leaf:
				leaves++
			default:
				between++
			}
		}
		a.Totals.Entries, a.Totals.Leaves, a.Totals.Between = &entries, &leaves, &between
	}
	if q.Section == "" {
		a.NotLookedAt = append(a.NotLookedAt, "together and functions: each is a section of its own")
	}
	return nil
}

// pages hands out the pages of sections.
type pages struct {
	*Answer
	section       string
	offset, limit int
}

// take gives the page of a section, and returns how many entries it has.
func take[T any](p *pages, section string, to *[]T, list []T) int {
	switch p.section {
	case section:
		*to = answer.PageOf(&p.Page, list, p.offset, p.limit)
	case "":
		*to = list[:min(len(list), p.limit)]
		if p.Page.Total += len(list); len(*to) < len(list) {
			p.Cut(answer.CutLimit)
		}
	}
	return len(list)
}

// lists are the lists in their order, as what cuts each.
func (a *Answer) lists() []func(n int) int {
	return []func(n int) int{
		kept(&a.Layers), kept(&a.Modules), kept(&a.Matrix), kept(&a.Cycles), kept(&a.Hubs), kept(&a.GodFiles), kept(&a.Violations), kept(&a.Together), kept(&a.Functions),
	}
}

// kept cuts a list to at most n entries, of which it returns the number.
func kept[T any](list *[]T) func(n int) int {
	return func(n int) int {
		*list = (*list)[:min(n, len(*list))]
		return len(*list)
	}
}

// Given returns how many entries the answer has.
func (a *Answer) Given() (n int) {
	for _, list := range a.lists() {
		n += list(1 << 30)
	}
	return n
}

// Keep leaves out all but the first n entries.
func (a *Answer) Keep(n int) {
	for _, list := range a.lists() {
		n -= list(n)
	}
}

// complete says what the answer may lack.
func (a *Answer) complete(x *store.View, s *system) {
	var l calls.Gaps
	calls.Current(x, &l, a.State)
	for _, why := range s.reasons() {
		l.Because("%s", why)
	}
	if s.unread > 0 {
		l.Because("files of languages without a call graph are not looked at: %d", s.unread)
	}
	if s.skipped > 0 {
		l.Because("files of code that the index leaves out are not looked at: %d", s.skipped)
	}
	a.Completeness = l.Completeness("")
}
