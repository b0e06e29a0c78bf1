package calls

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// Why an Impact cannot follow something by edges.
const (
	ReasonDeleted    = "deleted"     // the new text has it no longer: it is gone, renamed or moved elsewhere
	ReasonNoEdges    = "no_edges"    // the call graph has no edges of its kind: constants, fields, variables, macros
	ReasonNoGraph    = "no_graph"    // its language has no call graph
	ReasonNotIndexed = "not_indexed" // its file is not in the index
	ReasonOtherText  = "other_text"  // the index has its file as it is neither before nor after the diff
)

// maxMentions bounds how many places of the text an Impact takes for uses.
const maxMentions = 2000

// A Lost is a symbol, or a file without one, whose dependents are not known by edges. The
// places of the text that name it are in Impact.Ambiguous.
type Lost struct {
	answer.Place
	Kind     string `json:"kind,omitempty"` // "" for a file
	Reason   string `json:"reason"`
	Mentions int    `json:"mentions"` // places of the text that name it; 0 for a file
}

// lost notes what is not followed.
func (a *ImpactAnswer) lost(c Change, reason string, mentions int) {
	a.Unfollowed = append(a.Unfollowed, Lost{c.Place, c.Kind, reason, mentions})
}

// test notes a file with tests that are affected.
func (a *ImpactAnswer) test(path string) {
	if !slices.Contains(a.Tests, path) {
		a.Tests = append(a.Tests, path)
	}
}

// sought is a symbol whose uses are looked for in the text.
type sought struct {
	at     answer.Place
	name   string
	kind   syntax.Kind
	lang   string
	reason string
}

// codeName reports whether a path is that of code, as far as its name tells.
func codeName(name string) bool {
	t := source.TraitsOf(name)
	return source.Language(name, nil) != "" && !t.Doc && !t.Config
}

// moved reports whether a symbol that one file lacks now is among what the diff adds to
// another. What was there before is another symbol of the name.
func (c *change) moved(changes []change) bool {
	parent, _, _ := LastPart(c.was.Symbol)
	return parent != "" && slices.ContainsFunc(changes, func(o change) bool {
		if o.record == nil || o.symbol < 0 || o.how != Added || o.record.Path == c.was.File || o.record.Lang != c.lang {
			return false
		}
		s := &o.record.Symbols[o.symbol]
		return s.Name == c.name && s.Kind() == c.kind && s.Parent == parent
	})
}

// named looks for what names some symbols in the text, notes who does, and what depends
// on those in turn.
func (w *Walk) named(ctx context.Context, list []sought, q *ImpactQuery, a *ImpactAnswer, l *Gaps) {
	if len(list) == 0 {
		return
	}
	t := witness{Walk: w, l: l, asked: map[string]*askedName{}}
	by := map[string]*sought{}
	var names []string
	for i := range list {
		s := &list[i]
		if by[s.name] == nil {
			by[s.name] = s
			names = append(names, s.name)
			t.asked[s.name] = &askedName{language: s.lang, member: s.at.Symbol != s.name, inherits: true}
		}
	}
	t.any = func(file *texts.Source, m *mention.Mention) bool {
		s := by[m.Name]
		_, name, _ := LastPart(s.at.Symbol)
		return !store.Runs(s.kind) || MakesInstances(name) || m.Member && s.reason == ReasonDeleted || len(Definitions(w.index, m.Name)) == 0
	}
	t.gone = func(name string) bool {
		s := by[name]
		return s.reason == ReasonDeleted && t.asked[name].member
	}
	type use struct {
		name string
		by   answer.Place
	}
	uses := map[use]*Caller{}
	count := map[string]int{}
	var users []graph.ID
	t.took = func(file *texts.Source, m mention.Mention) {
		s := by[m.Name]
		if !s.seen(file) || s.kind == syntax.Field && !m.Member || count[m.Name] == maxMentions {
			return
		}
		count[m.Name]++
		id, place := w.userAt(file, m.Line)
		c := uses[use{m.Name, place}]
		if c == nil {
			c = &Caller{Place: place, Depth: 1, Via: s.at, Kind: graph.References.String(), Confidence: byName, Test: file.Traits.Test}
			if id != 0 {
				c.Test = c.Test || w.IsTest(id)
				users = append(users, id)
			}
			uses[use{m.Name, place}] = c
		}
		if m.Call {
			c.Kind = graph.Calls.String()
		}
		if !slices.Contains(c.CallSites, m.Line) {
			c.CallSites = append(c.CallSites, m.Line)
		}
	}
	t.search(ctx, mention.Of(names))
	var callers []Caller
	for _, c := range uses {
		callers = append(callers, *c)
	}
	for i := range list {
		s := &list[i]
		// Of a name that nothing says any more nothing depends, but for what needs its class to
		// have it, and what another definition of the name serves now.
		if n := count[s.name]; s.reason == ReasonDeleted && n > 0 {
			l.Because("%s is gone, and places of the text still name it: %d", s.at.Symbol, n)
		} else if s.reason == ReasonDeleted && (t.asked[s.name].member || len(Definitions(w.index, s.name)) > 0) {
			l.Because("%s is gone, and what used it may be served by another definition now", s.at.Symbol)
		}
		a.lost(Change{Place: s.at, Kind: string(s.kind)}, s.reason, count[s.name])
	}
	slices.Sort(users)
	further, cut := w.Search(ctx, slices.Compact(users), q.Depth-1, true, w.dependency)
	if cut != "" {
		a.Cut(cut)
	}
	for _, r := range further {
		c := w.caller(r)
		c.Depth, c.Confidence = c.Depth+1, byName
		callers = append(callers, c)
	}
	slices.SortFunc(callers, byPlace)
	for i := range callers {
		a.guess(&callers[i], q)
	}
}

// guess takes a caller that only a name speaks for.
func (a *ImpactAnswer) guess(c *Caller, q *ImpactQuery) {
	if c.Test {
		a.test(c.File)
	}
	if source.Within(c.File, q.Path) && !(q.NoTests && c.Test) {
		a.Ambiguous = append(a.Ambiguous, *c)
	}
}

// seen reports whether code of a file may mean a symbol by its name.
func (s *sought) seen(file *texts.Source) bool {
	if file.Record != nil && !SameCode(file.Record.Lang, s.lang) && file.Record.Grammar {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s.name)
	return s.lang != "go" || unicode.IsUpper(first) || path.Dir(file.Path) == path.Dir(s.at.File)
}

// userAt returns the node and the place of the symbol that a line is in.
func (w *Walk) userAt(file *texts.Source, line int) (graph.ID, answer.Place) {
	r := file.Record
	if r == nil {
		return 0, answer.Place{File: file.Path, Line: line}
	}
	in := store.Enclosing{Record: r}
	i := in.Line(line)
	for ; i >= 0; i = r.Around(i) {
		if s := &r.Symbols[i]; store.Runs(s.Kind()) || s.Kind() == syntax.Class {
			if ids := w.G.Named(r.Path, s.Name, int(s.NameLine)); len(ids) > 0 {
				return ids[0], r.Place(i)
			}
		}
	}
	return w.G.File(r.Path), answer.Place{File: r.Path, Line: 1}
}

// byPlace orders callers that only a name speaks for.
func byPlace(b, c Caller) int {
	return cmp.Or(cmp.Compare(b.Depth, c.Depth), strings.Compare(b.File, c.File), cmp.Compare(b.Line, c.Line), strings.Compare(b.Symbol, c.Symbol),
		strings.Compare(b.Via.Symbol, c.Via.Symbol))
}
