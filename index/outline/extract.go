package outline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// An ExtractQuery asks for one definition, or for the outline of a file.
type ExtractQuery struct {
	// Target is what is asked for. It is read, in this order, as the path of a
	// file; as PATH:LINE or PATH:LINE:COLUMN, the innermost definition there; as
	// PATH:NAME; and as a name, alone or within others, their names or folders
	// before it: Order.add, Order::add, shop/Order.add. A path may be the end of
	// one. A name in its very case is preferred to one in another.
	Target    string
	MaxTokens int // what the content may cost; 0: any
}

// An ExtractAnswer is what a definition or a file holds: one of the two is nil.
type ExtractAnswer struct {
	Symbol *ExtractedSymbol
	File   *ExtractedFile
	State  answer.State
	answer.Checked
}

// An ExtractedSymbol is a definition with its text.
type ExtractedSymbol struct {
	answer.Definition
	Content   string         `json:"content"` // its lines up to EndLine, without the doc comment before it
	Tokens    int            `json:"tokens"`  // of the content, as it is given
	TokensRaw int            `json:"tokens_raw"`
	Truncated bool           `json:"truncated"` // lines at the end are left out
	Others    []answer.Place `json:"alternatives,omitempty"`
	*DirectCalls

	FileHash   uint64 `json:"-"` // of the file's content, as in Lines
	FileTokens int    `json:"-"` // of the file, whole
}

// DirectCalls are the calls of one step around a definition, where its language has
// a call graph.
type DirectCalls struct {
	Calls    []answer.Place `json:"calls"`     // at most 100; never nil
	CalledBy []answer.Place `json:"called_by"` // as above
	answer.Completeness
}

// maxDirect bounds the lists of DirectCalls.
const maxDirect = 100

// An ExtractedFile is the outline of a file.
type ExtractedFile struct {
	FileStructure
	Imports        []answer.ImportedName `json:"imports"`                   // by line; never nil
	ImportsOmitted int                   `json:"imports_omitted,omitempty"` // as Omitted
	TokensRaw      int                   `json:"tokens_raw"`
	Changed        bool                  `json:"changed,omitempty"` // the file on disk is no longer what was indexed: changed or gone since
}

// Shorten is FileStructure.Shorten, for the imports, too.
func (f *ExtractedFile) Shorten(share float64) bool {
	less := f.FileStructure.Shorten(share)
	return answer.Omit(&f.Imports, &f.ImportsOmitted, share) || less
}

// Extract answers with one definition, or with the outline of a file. When a name
// means several, the likeliest is the answer: definitions before declarations, code
// before tests, what is exported, what lies not deep; and the others are named. It
// returns a TargetError or a PlaceError for what there is not, ErrOutside for a
// path that leads out of the root, and an UnsupportedError for a file of which
// nothing is known but its text.
func Extract(ctx context.Context, x *store.View, q ExtractQuery) (ExtractAnswer, error) {
	at, state, err := x.FindTarget(q.Target)
	if err != nil {
		return ExtractAnswer{}, err
	}
	if err := ctx.Err(); err != nil {
		return ExtractAnswer{}, err
	}
	if at.Symbol < 0 && at.Line > 0 {
		return ExtractAnswer{}, at.Nothing()
	}
	if at.Symbol < 0 {
		a := ExtractAnswer{State: state}
		if a.File, err = outlineOf(x, at.Record); err == nil {
			a.Checked = x.Check(&a, state.Generation)
		}
		return a, err
	}
	r := at.Record
	out := &ExtractedSymbol{
		Definition: r.Define(at.Symbol), Others: at.Alternatives(), Content: ContentOf(r, at.Sym()),
		FileHash: r.Hash, FileTokens: answer.Tokens(int(r.Size)),
	}
	out.TokensRaw = answer.Tokens(utf8.RuneCountInString(out.Content))
	if out.Tokens = out.TokensRaw; q.MaxTokens > 0 && out.Tokens > q.MaxTokens {
		out.Shorten(4 * q.MaxTokens)
	}
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		if w.G.Has(r.Path) {
			out.DirectCalls = directCalls(ctx, x, w, &at, state)
		}
	})
	a := ExtractAnswer{Symbol: out, State: state}
	a.Checked = x.Check(&a, state.Generation)
	return a, ctx.Err()
}

// Place returns where the one symbol is that a target means. The error says what the target must be.
func (e *ExtractAnswer) Place(target string) (file string, line int, err error) {
	s := e.Symbol
	switch {
	case s == nil:
		return "", 0, fmt.Errorf("target must be a symbol, or a line such as src/main.go:12, not %q", target)
	case len(s.Others) > 0:
		return "", 0, fmt.Errorf("target could be %s:%d or %s:%d: one of them must be named", s.File, s.Line, s.Others[0].File, s.Others[0].Line)
	}
	return s.File, s.Line, nil
}

func directCalls(ctx context.Context, x *store.View, w *calls.Walk, at *store.Target, state answer.State) *DirectCalls {
	var l calls.Gaps
	calls.Current(x, &l, state)
	seeds := w.Seeds(at)
	w.Followed(seeds, at, &l)
	d := &DirectCalls{Calls: []answer.Place{}, CalledBy: []answer.Place{}}
	for _, part := range []struct {
		backward bool
		out      *[]answer.Place
	}{{false, &d.Calls}, {true, &d.CalledBy}} {
		found, _ := w.Search(ctx, seeds, 1, part.backward, func(e *graph.Edge) bool { return calls.IsCall(e, part.backward) })
		if len(found) > maxDirect {
			l.Because("there are %d, more than the %d that are listed", len(found), maxDirect)
		}
		for _, r := range found[:min(len(found), maxDirect)] {
			*part.out = append(*part.out, w.Place(r.ID))
		}
	}
	for _, id := range seeds {
		w.UsedAsValue(id, &l)
		w.CallersByName(id, &l, func(graph.Site) {})
		w.Open(id, func(s graph.Site) { l.Called(cmp.Or(s.Name, "an expression")) })
	}
	w.Doubts(ctx, at, seeds, &l)
	d.Completeness = l.Completeness("from here or of this name")
	return d
}

// ContentOf returns the text of a definition, with the white space before it.
func ContentOf(r *store.Record, s *store.Symbol) string {
	const margin = 200 // more than any line is indented
	from := max(int(s.Start)-margin, 0)
	text := r.Text.Slice(from, int(s.End))
	at := int(s.Start) - from
	line := bytes.LastIndexByte(text[:at], '\n') + 1
	if len(bytes.TrimLeft(text[line:at], " \t")) == 0 {
		at = line
	}
	return strings.ToValidUTF8(string(text[at:]), "\uFFFD")
}

// Shorten cuts the content to at most so many characters, at the end of a line if
// that leaves one.
func (e *ExtractedSymbol) Shorten(characters int) {
	at := 0
	for i := range e.Content {
		if characters == 0 {
			at = i
			break
		}
		characters--
	}
	if at == 0 {
		return
	}
	if i := strings.LastIndexByte(e.Content[:at+1], '\n'); i > 0 {
		at = i
	}
	e.Content = strings.TrimRight(e.Content[:at], " \t\r\n")
	e.Tokens = answer.Tokens(utf8.RuneCountInString(e.Content))
	e.EndLine = e.Line + strings.Count(e.Content, "\n")
	e.Truncated = true
}

// outlineOf reads a file again for its imports, which are not kept.
func outlineOf(x *store.View, r *store.Record) (*ExtractedFile, error) {
	out := &ExtractedFile{FileStructure: structure(r, func(*store.Symbol) bool { return true }), Imports: []answer.ImportedName{}}
	src := r.Text.All()
	p := x.Parsers.Get()
	file := p.Parse(r.Lang, src)
	x.Parsers.Put(p)
	if !file.Grammar && len(file.Symbols) == 0 {
		return nil, &answer.UnsupportedError{File: r.Path, Language: r.Lang, Analysis: "outline"}
	}
	for i := range out.Symbols {
		out.Symbols[i].Doc = r.DocOf(&r.Symbols[i])
	}
	for _, i := range file.Imports {
		out.Imports = append(out.Imports, answer.ImportedName{Path: cmp.Or(i.Path, i.Name), Name: i.Name, Alias: i.Alias, Line: i.Line})
	}
	out.TokensRaw = answer.Tokens(utf8.RuneCount(src))
	return out, nil
}

func (e *ExtractAnswer) Places(visit func(string, *bool)) {
	if e.File != nil {
		visit(e.File.File, &e.File.Changed)
		return
	}
	e.Symbol.Definition.Visit(visit)
	if d := e.Symbol.DirectCalls; d != nil {
		for _, list := range [][]answer.Place{d.Calls, d.CalledBy} {
			for i := range list {
				list[i].Visit(visit)
			}
		}
	}
}
