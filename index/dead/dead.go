// Package dead finds code that nothing uses. It begins with what starts by itself: main
// functions, tests, what is exported to others, what a decorator registers, and what the question
// names. From there it follows the call graph and the names in the text. What it does not come to
// is dead, and it says how sure that is, and what could still use it.
//
// A name that the graph cannot explain keeps all alive that have it, so that at Certain there is
// next to nothing that is used; of code with a common name, it may miss some that is dead.
package dead

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Confidences of a finding, the surest first.
const (
	Certain  = "certain"  // no place names it that is not itself dead, or known to mean something else
	Likely   = "likely"   // its name stands in code where the call graph knows no use of it
	Possible = "possible" // a string, a setting or a convention may have it used
)

// Confidences are the confidences in their order.
func Confidences() []string { return []string{Certain, Likely, Possible} }

// What an exported symbol counts for.
const (
	AutoExports   = "auto"   // those of libraries are used by others; the default
	RootExports   = "roots"  // all are
	IgnoreExports = "ignore" // none is
)

// Reasons of a finding.
const (
	Unused    = "unused"     // nothing uses it
	DeadUsers = "dead_users" // only code uses it that is dead itself
	OnlyTests = "only_tests" // only tests use it
	OnlyHere  = "only_here"  // it is exported, and only its own file uses it
)

// KindExport is the kind of a finding about an export, whose symbol is alive.
const KindExport = "export"

// Kinds are the kinds of what may be found.
func Kinds() []string {
	return append([]string{"function", "method", "type", "constant", "variable", KindExport}, WithinFiles()...)
}

const (
	defaultLimit = 100
	maxUsers     = 5 // users of a finding that are named
)

// A Query asks for dead code.
type Query struct {
	Lang       []string // only of these languages; none: of all that are looked at
	Kind       string   // only of this kind; "": all but those within files, KindImport, KindParameter and KindAssignment
	Confidence string   // at least this sure; "": Likely
	Exports    string   // AutoExports, RootExports or IgnoreExports; "": AutoExports
	Entries    []string // names, or FILE:NAME, of what is run from outside
	Limit      int      // findings at most; 0: 100
	Offset     int      // findings to pass over

	// Scope says by Path and Glob where to look. By Tests it says what tests are: WithTests, they
	// are users as others; WithoutTests, what only they use is dead, too; OnlyTests, only that is
	// given.
	calls.Scope
}

// An Answer has dead code. Groups of what uses each other come one after the other, each with what
// nothing uses first.
type Answer struct {
	Dead   []Finding `json:"dead"`      // never nil
	Counts []Count   `json:"counts"`    // by kind, on all pages together; never nil
	Looked []Count   `json:"looked_at"` // symbols that could have been dead, by kind; never nil

	// NotLooked says what dead code is not looked for, in words: kinds, and languages of the index.
	NotLooked []string `json:"not_looked_at"`
	answer.Completeness
	answer.Page
	State answer.State `json:"-"`
}

// A Count is how many findings of a kind there are.
type Count struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// A Finding is a symbol that is dead.
type Finding struct {
	answer.Place
	EndLine    int            `json:"end_line"`
	Kind       string         `json:"kind"`
	Lang       string         `json:"lang"`
	Confidence string         `json:"confidence"`
	Reason     string         `json:"reason"`
	Why        string         `json:"why,omitempty"`   // what could still use it; "" at Certain
	Users      []answer.Place `json:"users,omitempty"` // dead code that uses it, the first few
	Root       *answer.Place  `json:"root,omitempty"`  // what nothing uses, with which it is dead; nil: itself
	Exported   bool           `json:"exported,omitempty"`
	Test       bool           `json:"test,omitempty"` // it is test code
}

// Dead answers with code that nothing uses. It returns a TargetError for an entry that there is
// not, and a PatternError for a glob that cannot be used.
func Dead(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Dead: []Finding{}, Counts: []Count{}, Looked: []Count{}}
	q.Limit, q.Exports, q.Confidence = cmp.Or(max(q.Limit, 0), defaultLimit), cmp.Or(q.Exports, AutoExports), cmp.Or(q.Confidence, Likely)
	tests := cmp.Or(q.Tests, answer.WithTests)
	q.Tests = ""
	narrowed, err := q.Narrow()
	if err != nil {
		return a, err
	}
	if a.State, err = x.OpenState(); err != nil {
		return a, err
	}
	var behind calls.Gaps
	// Of an overlay, only reading the graph brings it in line.
	calls.ReadGraph(x, func(*calls.Walk) { calls.Current(x, &behind, a.State) })
	all, err := resultOf(ctx, x, &q)
	if err != nil {
		return a, err
	}
	calls.Current(x, &behind, a.State)
	var found []Finding
	count := map[string]int{}
	for i := range all.findings {
		f := all.findings[i]
		if behind.Any() && f.Confidence == Certain { // what is not known yet may use it
			f.Confidence, f.Why = Likely, behindWhy
		}
		switch {
		case len(q.Lang) > 0 && !slices.Contains(q.Lang, f.Lang), q.Kind != "" && q.Kind != f.Kind,
			slices.Index(Confidences(), f.Confidence) > slices.Index(Confidences(), q.Confidence),
			tests == answer.WithTests && f.Reason == OnlyTests, tests == answer.OnlyTests && f.Reason != OnlyTests,
			!narrowed.Admits(f.File, false):
			continue
		}
		count[f.Kind]++
		found = append(found, f)
	}
	looked := map[string]int{}
	for i := range all.files {
		if f := &all.files[i]; narrowed.Admits(f.path, false) && (len(q.Lang) == 0 || slices.Contains(q.Lang, f.lang)) {
			for k, n := range f.count {
				looked[kindNames[k]] += n
			}
		}
	}
	for _, kind := range Kinds() {
		if count[kind] > 0 {
			a.Counts = append(a.Counts, Count{kind, count[kind]})
		}
		if looked[kind] > 0 && (q.Kind == "" || q.Kind == kind) {
			a.Looked = append(a.Looked, Count{kind, looked[kind]})
		}
	}
	a.Dead = append(a.Dead, answer.PageOf(&a.Page, found, q.Offset, q.Limit)...)
	a.NotLooked = all.notLooked
	l := all.gaps
	l.Take(&behind)
	a.Completeness = l.Completeness("in the index")
	a.Lacks(a.Cuts)
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// behindWhy is why nothing is certain as long as the index or the call graph is behind.
const behindWhy = "not all code is known yet, and what is missing may use it"

// Given returns how many entries the answer has.
func (a *Answer) Given() int { return len(a.Dead) }

// Keep leaves out all but the first n entries.
func (a *Answer) Keep(n int) { a.Dead = a.Dead[:min(n, len(a.Dead))] }

// Places calls visit for each place of the answer.
func (a *Answer) Places(visit func(string, *bool)) {
	for i := range a.Dead {
		a.Dead[i].Visit(visit)
	}
}

// sortFindings puts groups in the order of their surest and first one, and in each what nothing
// uses first.
func sortFindings(list []Finding) {
	rank := func(f *Finding) int { return slices.Index(Confidences(), f.Confidence) }
	root := func(f *Finding) answer.Place {
		if f.Root != nil {
			return *f.Root
		}
		return f.Place
	}
	surest := map[answer.Place]int{}
	for i := range list {
		at := root(&list[i])
		if n, ok := surest[at]; !ok || rank(&list[i]) < n {
			surest[at] = rank(&list[i])
		}
	}
	place := func(a, b answer.Place) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Symbol, b.Symbol))
	}
	depth := func(f *Finding) int {
		if f.Root != nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		ra, rb := root(&a), root(&b)
		return cmp.Or(cmp.Compare(surest[ra], surest[rb]), place(ra, rb), cmp.Compare(depth(&a), depth(&b)), place(a.Place, b.Place), strings.Compare(a.Kind, b.Kind))
	})
}
