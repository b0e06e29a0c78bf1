// Package diagnostics answers what is wrong with files, by their syntax trees and the flow of their
// functions alone: no program of the project or of anybody else is run. It is made when it is asked
// for, and not kept. Findings of other tools come in, and all go out, in the form of SARIF 2.1.0
// (docs.oasis-open.org/sarif/sarif/v2.1.0).
package diagnostics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Kinds of findings.
const (
	Syntax      = "syntax"      // text that the grammar of its language does not have
	Unreachable = "unreachable" // code that nothing leads to
	DeadStore   = "dead_store"  // an assignment to a local variable whose value nothing reads
	Reported    = "reported"    // a finding of another tool

	UnresolvedName   = "unresolved_name"   // a name that means nothing where it stands
	ShadowedError    = "shadowed_error"    // an error that is lost because its variable hides another one
	WrongArguments   = "wrong_arguments"   // a call with a number of arguments that what it calls does not take
	UnresolvedImport = "unresolved_import" // an import that should lead to something in the index, and leads to nothing
)

// ownKinds are those that are found here.
var ownKinds = []struct{ name, severity, what string }{
	{Syntax, Error, "The text is not what the grammar of its language has."},
	{Unreachable, Warning, "Nothing leads to the code."},
	{DeadStore, Note, "Nothing reads the value that is assigned to a local variable."},
	{UnresolvedImport, Error, "An import that should lead to something in the project leads to nothing."},
	{UnresolvedName, Error, "A name means nothing where it stands."},
	{WrongArguments, Error, "What is called does not take that number of arguments."},
	{ShadowedError, Warning, "An error is lost because its variable hides another one."},
}

// Kinds lists the kinds of findings that are found here.
func Kinds() []string {
	list := make([]string, len(ownKinds))
	for i := range ownKinds {
		list[i] = ownKinds[i].name
	}
	return list
}

// Severities, as SARIF has them.
const (
	Error   = "error"
	Warning = "warning"
	Note    = "note"
)

// How sure a finding is.
const (
	Certain = "certain"
	Likely  = "likely"
)

// Source is the tool of the findings that are not Reported.
const Source = "quarry"

const (
	defaultLimit = 100
	maxPerFile   = 20 // places of errors of syntax in a file
)

// A Query asks for the findings about some files.
type Query struct {
	Path   string   // a file or folder; "": all
	Glob   []string // only files that one of these globs matches, and none of those that begin with "!"; none: all
	Lang   []string // only files of these languages; none: all
	Kind   []string // of findings; none: Kinds, and with SARIF only Reported
	SARIF  string   // a log of another tool, whose findings are Reported
	Limit  int      // findings; 0: 100
	Offset int      // findings to pass over
}

// A Finding is something that is wrong with a place.
type Finding struct {
	Kind       string `json:"kind"`
	Severity   string `json:"severity"`
	Confidence string `json:"confidence,omitempty"` // Certain or Likely; empty for what is Reported
	File       string `json:"file"`
	Line       int    `json:"line"`             // from 1; 0: the file
	Column     int    `json:"column,omitempty"` // from 1, in bytes; of what is Reported as the tool counts; 0: not known
	EndLine    int    `json:"end_line,omitempty"`
	Message    string `json:"message"`
	Rule       string `json:"rule,omitempty"`
	Source     string `json:"source"`           // the tool
	Symbol     string `json:"symbol,omitempty"` // the innermost definition around the line
	Changed    bool   `json:"changed,omitempty"`
}

// An Answer is the findings by file and line; of another tool those of files that are not indexed
// come last.
type Answer struct {
	Findings    []Finding      `json:"findings"`                // never nil
	Counts      map[string]int `json:"counts"`                  // by kind, before limit and offset; a kind without a key was not looked for
	Files       int            `json:"files"`                   // that were looked at
	NotLookedAt []string       `json:"not_looked_at,omitempty"` // what this says nothing about
	answer.Completeness
	answer.Page
	State answer.State `json:"-"`

	known map[string]bool // files that the index has
}

// A QueryError says what of a Query cannot be used.
type QueryError struct{ Reason string }

func (e *QueryError) Error() string { return e.Reason }

// Diagnostics answers a Query. It returns a QueryError and a PatternError for one that cannot be
// used. At the deadline of ctx it ends with what it has, and says so.
func Diagnostics(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Findings: []Finding{}, Counts: map[string]int{}, known: map[string]bool{}}
	kinds, err := q.kinds()
	if err != nil {
		return a, err
	}
	files, state, err := x.FilesByPath(store.Scope{Path: q.Path, Glob: q.Glob, Lang: q.Lang})
	if a.State = state; err != nil {
		return a, err
	}
	a.Complete = true
	l := &look{Answer: &a, index: x, kinds: kinds, left: map[left]int{}}
	for _, k := range kinds {
		a.Counts[k] = 0
	}
	if l.wants(WrongArguments) {
		var gaps calls.Gaps
		calls.Current(x, &gaps, state)
		l.graphless = gaps.Completeness("").Because
	}
	var all []Finding
	if slices.ContainsFunc(kinds, func(k string) bool { return k != Reported }) {
		for i, r := range files {
			if err := ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
				a.Cut(answer.CutTime)
				a.NotLookedAt = append(a.NotLookedAt, fmt.Sprintf("%d of %d files: the time was over", len(files)-i, len(files)))
				break
			} else if err != nil {
				return a, err
			}
			a.Files++
			all = append(all, l.file(ctx, r)...)
		}
		if wrong := l.arguments(); len(wrong) > 0 {
			all = append(all, wrong...)
			slices.SortStableFunc(all, func(f, g Finding) int {
				return cmp.Or(cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line), cmp.Compare(f.Column, g.Column))
			})
		}
	}
	if q.SARIF != "" {
		found, err := l.reported(&q, files)
		if err != nil {
			return a, err
		}
		all = append(all, found...)
		slices.SortStableFunc(all, func(f, g Finding) int {
			return cmp.Or(cmp.Compare(rank(a.known[f.File]), rank(a.known[g.File])), cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line))
		})
	}
	for i := range all {
		a.Counts[all[i].Kind]++
	}
	l.notes()
	a.Findings = append(a.Findings, answer.PageOf(&a.Page, all, q.Offset, cmp.Or(q.Limit, defaultLimit))...)
	l.symbols()
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, state.Generation)
	return a, nil
}

func rank(known bool) int {
	if known {
		return 0
	}
	return 1
}

// kinds are those that are asked for.
func (q *Query) kinds() ([]string, error) {
	all := append(Kinds(), Reported)
	for _, k := range q.Kind {
		if !slices.Contains(all, k) {
			return nil, &QueryError{fmt.Sprintf("kind %q is not known; the kinds are %s and %s", k, strings.Join(Kinds(), ", "), Reported)}
		}
	}
	switch {
	case slices.Contains(q.Kind, Reported) && q.SARIF == "":
		return nil, &QueryError{"kind reported is of findings in sarif, and there is none"}
	case q.SARIF != "" && len(q.Kind) == 0:
		return []string{Reported}, nil
	case q.SARIF != "" && !slices.Contains(q.Kind, Reported):
		return append(slices.Clone(q.Kind), Reported), nil
	case len(q.Kind) == 0:
		return Kinds(), nil
	}
	return q.Kind, nil
}

// symbols names the definitions around the findings of the page.
func (l *look) symbols() {
	for i := range l.Findings {
		f := &l.Findings[i]
		r := l.index.Record(f.File)
		if r == nil || f.Line == 0 {
			continue
		}
		if at := r.SymbolAt(f.Line); at >= 0 {
			f.Symbol = r.Symbols[at].Qualified()
		}
	}
}

// Given returns how many entries the answer has.
func (a *Answer) Given() int { return len(a.Findings) }

// Keep leaves out all but the first n findings.
func (a *Answer) Keep(n int) { a.Findings = a.Findings[:min(n, len(a.Findings))] }

// Places calls visit for each place of the answer.
func (a *Answer) Places(visit func(string, *bool)) {
	for i := range a.Findings {
		if f := &a.Findings[i]; a.known[f.File] {
			visit(f.File, &f.Changed)
		}
	}
}
