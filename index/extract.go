package index

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/graph"
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

// An Extract is what a definition or a file holds: one of the two is nil.
type Extract struct {
	Symbol *ExtractedSymbol
	File   *ExtractedFile
	State  State
	Checked
}

// An ExtractedSymbol is a definition with its text.
type ExtractedSymbol struct {
	Definition
	Content   string  `json:"content"` // its lines up to EndLine, without the doc comment before it
	Tokens    int     `json:"tokens"`  // of the content, as it is given
	TokensRaw int     `json:"tokens_raw"`
	Truncated bool    `json:"truncated"` // lines at the end are left out
	Others    []Place `json:"alternatives,omitempty"`
	*DirectCalls

	FileHash   uint64 `json:"-"` // of the file's content, as in Lines
	FileTokens int    `json:"-"` // of the file, whole
}

// DirectCalls are the calls of one step around a definition, where its language has
// a call graph.
type DirectCalls struct {
	Calls    []Place `json:"calls"`     // at most 100; never nil
	CalledBy []Place `json:"called_by"` // as above
	Completeness
}

// maxDirect bounds the lists of DirectCalls.
const maxDirect = 100

// An ExtractedFile is the outline of a file.
type ExtractedFile struct {
	FileStructure
	Imports        []ImportedName `json:"imports"`                   // by line; never nil
	ImportsOmitted int            `json:"imports_omitted,omitempty"` // as Omitted
	TokensRaw      int            `json:"tokens_raw"`
	Changed        bool           `json:"changed,omitempty"` // the file on disk is no longer what was indexed: changed or gone since
}

// Shorten is FileStructure.Shorten, for the imports, too.
func (f *ExtractedFile) Shorten(share float64) bool {
	less := f.FileStructure.Shorten(share)
	return omit(&f.Imports, &f.ImportsOmitted, share) || less
}

// Extract answers with one definition, or with the outline of a file. When a name
// means several, the likeliest is the answer: definitions before declarations, code
// before tests, what is exported, what lies not deep; and the others are named. It
// returns a TargetError or a PlaceError for what there is not, ErrOutside for a
// path that leads out of the root, and an UnsupportedError for a file of which
// nothing is known but its text.
func (x *View) Extract(ctx context.Context, q ExtractQuery) (Extract, error) {
	at, state, err := x.find(q.Target)
	if err != nil {
		return Extract{}, err
	}
	if err := ctx.Err(); err != nil {
		return Extract{}, err
	}
	if at.symbol < 0 && at.line > 0 {
		return Extract{}, at.nothing()
	}
	if at.symbol < 0 {
		a := Extract{State: state}
		if a.File, err = x.outline(at.record); err == nil {
			a.Checked = x.check(&a, state.Generation)
		}
		return a, err
	}
	r := at.record
	out := &ExtractedSymbol{
		Definition: r.define(at.symbol), Others: at.alternatives(), Content: r.contentOf(at.sym()),
		FileHash: r.hash, FileTokens: tokens(int(r.size)),
	}
	out.TokensRaw = tokens(utf8.RuneCountInString(out.Content))
	if out.Tokens = out.TokensRaw; q.MaxTokens > 0 && out.Tokens > q.MaxTokens {
		out.Shorten(4 * q.MaxTokens)
	}
	x.walkGraph(ctx, func(w *walk) {
		if w.g.Has(r.path) {
			out.DirectCalls = x.directCalls(ctx, w, &at, state)
		}
	})
	a := Extract{Symbol: out, State: state}
	a.Checked = x.check(&a, state.Generation)
	return a, ctx.Err()
}

func (x *View) directCalls(ctx context.Context, w *walk, at *target, state State) *DirectCalls {
	var l gaps
	x.current(&l, state)
	seeds := w.seeds(at)
	w.followed(seeds, at, &l)
	d := &DirectCalls{Calls: []Place{}, CalledBy: []Place{}}
	for _, part := range []struct {
		backward bool
		out      *[]Place
	}{{false, &d.Calls}, {true, &d.CalledBy}} {
		found, _ := w.search(ctx, seeds, 1, part.backward, func(e *graph.Edge) bool { return isCall(e, part.backward) })
		if len(found) > maxDirect {
			l.because("there are %d, more than the %d that are listed", len(found), maxDirect)
		}
		for _, r := range found[:min(len(found), maxDirect)] {
			*part.out = append(*part.out, w.place(r.id))
		}
	}
	for _, id := range seeds {
		w.usedAsValue(id, &l)
		w.callersByName(id, &l, func(graph.Site) {})
		w.open(id, func(s graph.Site) { l.called(cmp.Or(s.Name, "an expression")) })
	}
	w.doubts(ctx, at, seeds, &l)
	d.Completeness = l.completeness("from here or of this name")
	return d
}

// contentOf returns the text of a definition, with the white space before it.
func (r *record) contentOf(s *symbol) string {
	const margin = 200 // more than any line is indented
	from := max(int(s.start)-margin, 0)
	text := r.text.slice(from, int(s.end))
	at := int(s.start) - from
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
	e.Tokens = tokens(utf8.RuneCountInString(e.Content))
	e.EndLine = e.Line + strings.Count(e.Content, "\n")
	e.Truncated = true
}

// outline reads a file again for its imports, which are not kept.
func (x *View) outline(r *record) (*ExtractedFile, error) {
	out := &ExtractedFile{FileStructure: r.structure(func(*symbol) bool { return true }), Imports: []ImportedName{}}
	src := r.text.all()
	p := x.parsers.get()
	file := p.Parse(r.lang, src)
	x.parsers.put(p)
	if !file.Grammar && len(file.Symbols) == 0 {
		return nil, &UnsupportedError{File: r.path, Language: r.lang, Analysis: "outline"}
	}
	for i := range out.Symbols {
		out.Symbols[i].Doc = r.docOf(&r.symbols[i])
	}
	for _, i := range file.Imports {
		out.Imports = append(out.Imports, ImportedName{Path: cmp.Or(i.Path, i.Name), Name: i.Name, Alias: i.Alias, Line: i.Line})
	}
	out.TokensRaw = tokens(utf8.RuneCount(src))
	return out, nil
}

func (e *Extract) places(visit func(string, *bool)) {
	if e.File != nil {
		visit(e.File.File, &e.File.Changed)
		return
	}
	e.Symbol.Definition.place(visit)
	if d := e.Symbol.DirectCalls; d != nil {
		for _, list := range [][]Place{d.Calls, d.CalledBy} {
			for i := range list {
				list[i].place(visit)
			}
		}
	}
}
