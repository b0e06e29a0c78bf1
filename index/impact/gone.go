package impact

import (
	"context"
	"path"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// Why an Impact cannot follow something by edges.
const (
	ReasonDeleted    = "deleted"     // the new text has it no longer: it is gone, renamed or moved elsewhere
	ReasonNoEdges    = "no_edges"    // the call graph has no edges of its kind, and not all that use it are known by the text
	ReasonNoGraph    = "no_graph"    // its language has no call graph
	ReasonNotIndexed = "not_indexed" // its file is not in the index
	ReasonOtherText  = "other_text"  // the index has its file as it is neither before nor after the diff
)

// maxMentions bounds how many places of the text an Impact takes for uses of one name.
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
func (a *Answer) lost(c Change, reason string, mentions int) {
	a.Unfollowed = append(a.Unfollowed, Lost{c.Place, c.Kind, reason, mentions})
}

// test notes a file with tests that are affected, which of them is not known.
func (s *search) test(path string) {
	if s.listTest(path) {
		s.casesOf(path).whole = true
	}
}

// listTest notes a file with tests, and reports whether tests are asked for.
func (s *search) listTest(path string) bool {
	if s.tests != nil && !s.tests[path] {
		s.tests[path] = true
		s.answer.Tests = append(s.answer.Tests, path)
	}
	return s.tests != nil
}

// A sought is a symbol that is gone, whose uses are looked for in the text.
type sought struct {
	at   answer.Place
	name string
	kind syntax.Kind
	lang string
}

// codeName reports whether a path is that of code, as far as its name tells.
func codeName(name string) bool {
	t := source.TraitsOf(name)
	return source.Language(name, nil) != "" && !t.Doc && !t.Config
}

// moved reports whether a symbol that one file lacks now is among what the diff adds to
// another. What was there before is another symbol of the name.
func (c *change) moved(changes []change) bool {
	parent, _, _ := calls.LastPart(c.was.Symbol)
	return parent != "" && slices.ContainsFunc(changes, func(o change) bool {
		if o.record == nil || o.symbol < 0 || o.how != Added || o.record.Path == c.was.File || o.record.Lang != c.lang {
			return false
		}
		s := &o.record.Symbols[o.symbol]
		return s.Name == c.name && s.Kind() == c.kind && s.Parent == parent
	})
}

// usesOfGone looks for what names symbols that are gone, notes who does, and what depends
// on those in turn.
func (s *search) usesOfGone(ctx context.Context, list []sought) {
	if len(list) == 0 {
		return
	}
	by := map[string]*sought{}
	var asked []calls.Sought
	for i := range list {
		if one := &list[i]; by[one.name] == nil {
			by[one.name] = one
			_, name, _ := calls.LastPart(one.at.Symbol)
			asked = append(asked, calls.Sought{
				Name: one.name, Language: one.lang, Member: one.at.Symbol != one.name,
				Named: !store.Runs(one.kind) || store.MakesInstances(one.lang, name) || len(s.index.Definitions(one.name)) == 0,
			})
		}
	}
	var g guesses
	count := map[string]int{}
	s.Mentions(ctx, asked, false, s.gaps, func(file *texts.Source, m mention.Mention) {
		one := by[m.Name]
		if !one.seen(file) || one.kind == syntax.Field && !m.Member || count[m.Name] == maxMentions {
			return
		}
		count[m.Name]++
		c := g.of(s, file.Path, file.Record, file.Traits.Test, m.Line, one.at)
		if m.Call {
			c.Kind = graph.Calls.String()
		}
		c.at(m.Line)
	})
	for i := range list {
		one := &list[i]
		// Of a name that nothing says any more nothing depends, but for what needs its class to
		// have it, and what another definition of the name serves now.
		if n := count[one.name]; n > 0 {
			s.gaps.Because("%s is gone, and places of the text still name it: %d", one.at.Symbol, n)
		} else if by[one.name].at.Symbol != one.name || len(s.index.Definitions(one.name)) > 0 {
			s.gaps.Because("%s is gone, and what used it may be served by another definition now", one.at.Symbol)
		}
		s.answer.lost(Change{Place: one.at, Kind: string(one.kind)}, ReasonDeleted, count[one.name])
	}
	further := s.guess(ctx, &g)
	if s.query.Depth == calls.AllSteps {
		s.guessTests(ctx, further, s.unnamed(ctx, list, count))
	}
}

// unnamed returns what may run those of some symbols that nobody names: the makers of instances
// of the classes that had them.
func (s *search) unnamed(ctx context.Context, list []sought, named map[string]int) (ids []graph.ID) {
	unmade, add := map[string]string{}, func(id graph.ID) { ids = append(ids, id) }
	for i := range list {
		class, name, in := calls.LastPart(list[i].at.Symbol)
		if _, class, _ = calls.LastPart(class); !in || named[list[i].name] > 0 && !store.MakesInstances(list[i].lang, name) && !protocol.Unnamed(list[i].lang, name) {
			continue
		}
		for _, d := range s.Types(class, list[i].lang) {
			if d.Record.Path == list[i].at.File {
				for _, id := range s.G.Named(d.Record.Path, class, int(d.Record.Symbols[d.Symbol].NameLine)) {
					s.makers(id, unmade, add)
				}
			}
		}
	}
	s.naming(ctx, unmade, add)
	return ids
}

// seen reports whether code of a file may mean a symbol by its name.
func (s *sought) seen(file *texts.Source) bool {
	if file.Record != nil && !store.SameCode(file.Record.Lang, s.lang) && file.Record.Grammar {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s.name)
	return s.lang != "go" || unicode.IsUpper(first) || path.Dir(file.Path) == path.Dir(s.at.File)
}
