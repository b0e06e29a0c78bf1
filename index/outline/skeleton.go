package outline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// defaultSkeletons is how many files a Skeletons has when nobody says.
const defaultSkeletons = 20

// maxLeftOut bounds Skeletons.LeftOut.
const maxLeftOut = 100

// A SkeletonQuery asks for code without the bodies of its functions.
type SkeletonQuery struct {
	Path      string   // a file, a folder or a symbol, as Extract reads it; "": everything
	Glob      []string // as in Query, below a folder
	Lang      []string // as above
	Limit     int      // files at most; 0: 20
	Offset    int      // files to pass over
	NoDocs    bool     // leave comments and docstrings out
	Lines     bool     // begin each line with its number
	MaxTokens int      // what the skeletons may cost together; 0: any
}

// Skeletons are files without the bodies of their functions.
type Skeletons struct {
	Files       []FileSkeleton     `json:"files"` // by path; never nil
	Text        string             `json:"text"`  // all of them, each below a line with its path
	Tokens      int                `json:"tokens"`
	TokensRaw   int                `json:"tokens_raw"`         // of the same files, or the symbol, whole
	LeftOut     []answer.LeftOut   `json:"left_out,omitempty"` // files that can have none, at most 100
	LeftOutMore int                `json:"left_out_more,omitempty"`
	Definition  *answer.Definition `json:"definition,omitempty"`   // the symbol that was asked for
	Others      []answer.Place     `json:"alternatives,omitempty"` // that its name could mean, too
	answer.Page
	State answer.State `json:"-"`

	first skeleton // of Files
}

// A FileSkeleton is one file without the bodies of its functions.
type FileSkeleton struct {
	File      string `json:"file"`
	Lang      string `json:"lang"`
	Line      int    `json:"line"` // where it begins
	EndLine   int    `json:"end_line"`
	Skeleton  string `json:"skeleton"`
	Tokens    int    `json:"tokens"`
	TokensRaw int    `json:"tokens_raw"`
	Errors    bool   `json:"errors,omitempty"`  // the file has syntax errors; bodies may be left
	Changed   bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed: changed or gone since
}

// Skeleton answers with code as it is written, without what is inside of
// functions. What a token costs is estimated: a quarter of the characters, rounded
// up. With a budget, files are left out from the end; when not even the first
// fits, it ends before a definition. It returns an UnsupportedError for one file
// in a language without a grammar, and the errors of Extract.
func Skeleton(ctx context.Context, x *store.View, q SkeletonQuery) (Skeletons, error) {
	a := Skeletons{Files: []FileSkeleton{}}
	if q.Limit <= 0 {
		q.Limit = defaultSkeletons
	}
	files, at, err := skeletonFiles(x, q, &a)
	if err != nil {
		return a, err
	}
	left := q.MaxTokens
	for i, r := range answer.PageOf(&a.Page, files, q.Offset, q.Limit) {
		if err := ctx.Err(); err != nil {
			return a, err
		}
		s, err := SkeletonOf(x, r, at, &q)
		if err != nil {
			return a, err
		}
		over := false
		if q.MaxTokens > 0 {
			room := left - answer.Tokens(utf8.RuneCountInString(r.Path)+2) // and the line breaks around it
			if over = s.Tokens > room; over {
				a.Shorten(q.Offset, i, answer.CutTokens)
				if i == 0 { // of which no page has more with this budget
					a.Next = 0
					if q.Offset+1 < a.Total {
						a.Next = q.Offset + 1
					}
				}
				if i > 0 || !s.Shorten(room) {
					break
				}
			}
			left = room - s.Tokens
		}
		if a.Files = append(a.Files, s.FileSkeleton); i == 0 {
			a.first = s
		}
		if over {
			break // what is missing of the file is asked for with a larger budget
		}
	}
	a.Join()
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// Join makes Text and the counts from Files.
func (a *Skeletons) Join() {
	var text strings.Builder
	a.TokensRaw = 0
	for i, f := range a.Files {
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(f.File + "\n" + f.Skeleton)
		a.TokensRaw += f.TokensRaw
	}
	a.Text = text.String()
	a.Tokens = answer.Tokens(utf8.RuneCountInString(a.Text))
}

// skeletonFiles finds the files that a query means, and the symbol, if it means one.
func skeletonFiles(x *store.View, q SkeletonQuery, a *Skeletons) ([]*store.Record, *store.Symbol, error) {
	where, err := x.Locate(q.Path)
	if err != nil {
		return nil, nil, err
	}
	where = strings.TrimSuffix(where, "/")
	var files []*store.Record
	if files, a.State, err = x.FilesByPath(store.Scope{Path: where, Glob: q.Glob, Lang: q.Lang}); err != nil {
		return nil, nil, err
	}
	if len(files) == 1 && files[0].Path == where {
		return files, nil, supportsSkeletons(files[0])
	}
	if len(files) > 0 || where == "" || where == "." || x.Knows(where) {
		with := files[:0:0]
		for _, r := range files {
			var no *answer.UnsupportedError
			switch err := supportsSkeletons(r); {
			case !errors.As(err, &no):
				with = append(with, r)
			case len(a.LeftOut) == maxLeftOut:
				a.LeftOutMore++
			default:
				a.LeftOut = append(a.LeftOut, answer.LeftOut{File: r.Path, Reason: no.Why()})
			}
		}
		return with, nil, nil
	}
	at, state, err := x.FindTarget(where)
	var missing *answer.TargetError
	if errors.As(err, &missing) {
		if x.Exists(where) {
			return nil, nil, &answer.PlaceError{File: where}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	a.State = state
	if at.Symbol < 0 {
		return []*store.Record{at.Record}, nil, supportsSkeletons(at.Record)
	}
	definition := at.Record.Define(at.Symbol)
	a.Definition, a.Others = &definition, at.Alternatives()
	return []*store.Record{at.Record}, at.Sym(), supportsSkeletons(at.Record)
}

func supportsSkeletons(r *store.Record) error {
	e := &answer.UnsupportedError{File: r.Path, Language: r.Lang, Analysis: "skeleton"}
	if r.Grammar {
		return nil
	}
	if r.Errors {
		e.Reason = "its syntax could not be read"
	}
	return e
}

// A skeleton is a FileSkeleton that can still be made shorter.
type skeleton struct {
	FileSkeleton
	of      *store.Record
	lines   []syntax.SkeletonLine
	numbers bool
}

// SkeletonOf makes the skeleton of a file or, with one, of a symbol.
func SkeletonOf(x *store.View, r *store.Record, s *store.Symbol, q *SkeletonQuery) (skeleton, error) {
	src := r.Text.All()
	p := x.Parsers.Get()
	bones, ok := p.Skeleton(r.Lang, src, !q.NoDocs)
	x.Parsers.Put(p)
	if !ok {
		return skeleton{}, &answer.UnsupportedError{File: r.Path, Language: r.Lang, Analysis: "skeleton", Reason: "its syntax could not be read"}
	}
	out := skeleton{FileSkeleton{File: r.Path, Lang: r.Lang, Line: 1, EndLine: source.CountLines(src), Errors: bones.Errors}, r, bones.Lines, q.Lines}
	raw := src
	if s != nil {
		start := s.Start
		if s.DocTo > s.DocAt && !q.NoDocs {
			start = min(start, s.DocAt)
		}
		raw = src[start:s.End]
		out.Line, out.EndLine = 1+bytes.Count(src[:start], []byte("\n")), int(s.Last)
		out.lines = nil
		for _, l := range bones.Lines {
			if l.Line >= out.Line && l.Line <= out.EndLine {
				out.lines = append(out.lines, l)
			}
		}
	}
	out.TokensRaw = answer.Tokens(utf8.RuneCount(raw))
	out.render()
	return out, nil
}

func (s *skeleton) render() {
	var b strings.Builder
	width := len(fmt.Sprint(s.EndLine))
	for _, l := range s.lines {
		switch {
		case s.numbers && l.Text == "":
			fmt.Fprintf(&b, "%*d", width, l.Line)
		case s.numbers:
			fmt.Fprintf(&b, "%*d  %s", width, l.Line, l.Text)
		default:
			b.WriteString(l.Text)
		}
		b.WriteByte('\n')
	}
	s.Skeleton = b.String()
	s.Tokens = answer.Tokens(utf8.RuneCountInString(s.Skeleton))
}

// Shorten ends the skeleton before the last of the file's outermost definitions,
// its doc included, with which it fits a budget, and reports whether it can.
func (s *skeleton) Shorten(budget int) bool {
	begins := make([]bool, len(s.lines))
	src := s.of.Text.All()
	end, at, line := uint32(0), uint32(0), 1
	for i := range s.of.Symbols {
		sym := &s.of.Symbols[i]
		if sym.Start < end || int(sym.Line) < s.Line || int(sym.Last) > s.EndLine {
			continue
		}
		start := sym.Start
		if sym.DocTo > sym.DocAt {
			start = max(min(start, sym.DocAt), at)
		}
		line += bytes.Count(src[at:start], []byte("\n"))
		at = start
		if end = sym.End; line == s.Line && int(sym.Last) == s.EndLine {
			end = sym.Start + 1 // the symbol that was asked for: those in it count
		}
		if n, _ := slices.BinarySearchFunc(s.lines, line, func(l syntax.SkeletonLine, at int) int { return l.Line - at }); n < len(begins) {
			begins[n] = true
		}
	}
	var ends []int // lines before which it can end
	for n := 1; n < len(s.lines); n++ {
		if begins[n] {
			ends = append(ends, n)
		}
	}
	fit := sort.Search(len(ends), func(i int) bool { t := s.cut(ends[i]); return t.Tokens > budget })
	if fit == 0 {
		return false
	}
	*s = s.cut(ends[fit-1])
	return true
}

// ShortenFirst ends the first file's skeleton earlier, if it is the only one, so that
// about a share of it is left: before a definition, or else after a line. It reports
// whether it did.
func (a *Skeletons) ShortenFirst(share float64) bool {
	s := &a.first
	if len(a.Files) != 1 || len(s.lines) < 2 {
		return false
	}
	if !s.Shorten(int(share * float64(s.Tokens))) {
		*s = s.cut(answer.Fewer(len(s.lines), share))
	}
	a.Files[0] = s.FileSkeleton
	a.Truncated = true
	a.Join()
	return true
}

// cut returns the skeleton's first n lines.
func (s *skeleton) cut(n int) skeleton {
	t := *s
	t.EndLine = s.lines[n].Line - 1
	t.lines = s.lines[:n]
	for len(t.lines) > 0 && t.lines[len(t.lines)-1].Text == "" {
		t.lines = t.lines[:len(t.lines)-1]
	}
	t.render()
	return t
}

func (a *Skeletons) Places(visit func(string, *bool)) {
	a.Definition.Visit(visit)
	for i := range a.Files {
		visit(a.Files[i].File, &a.Files[i].Changed)
	}
}
