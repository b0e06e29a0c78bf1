package brief

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/summary/code"
)

// A SymbolLine is a symbol, and what a summary says of it in a line.
type SymbolLine struct {
	File   string
	Symbol string // with the names around it; "" for the line of a file
	Lang   string
	Line   string // see code.Line
	Doc    string // the first sentence of its doc comment without its names; "" for none
	Test   bool   // it is in a test, an example or a document
}

// Text is the line as it stands in a list.
func (l *SymbolLine) Text() string {
	if l.Symbol == "" {
		return l.File + ": " + l.Line
	}
	return l.File + ": " + l.Symbol + ": " + l.Line
}

// SymbolLines returns the lines of all functions, types and the like, by path and place.
// withoutDocs makes them as if no symbol had a doc comment or docstring; Doc says it all
// the same. It is for measuring what lines are worth.
func SymbolLines(ctx context.Context, x *store.View, withoutDocs bool) ([]SymbolLine, error) {
	files, _, err := x.FilesByPath(store.Scope{})
	if err != nil {
		return nil, err
	}
	packages := map[string]members{} // of Go, by folder
	for _, r := range files {
		if r.Lang == "go" && !r.Traits.Test {
			m := packages[path.Dir(r.Path)]
			if m == nil {
				m = members{}
				packages[path.Dir(r.Path)] = m
			}
			m.gather(r)
		}
	}
	var lines []SymbolLine
	for _, r := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m := membersIn(r)
		if r.Lang == "go" && !r.Traits.Test {
			m = packages[path.Dir(r.Path)]
		}
		p := x.Parsers.Get()
		parsed := p.Parse(r.Lang, r.Text.All())
		x.Parsers.Put(p)
		bases := inherited(r, &parsed)
		for i := range r.Symbols {
			s := &r.Symbols[i]
			if !worth(s) {
				continue
			}
			facts := factsOf(r, int32(i), m, bases, nil)
			l := SymbolLine{File: r.Path, Symbol: s.Qualified(), Lang: r.Lang, Test: r.Traits.Test || r.Traits.Example || r.Traits.Doc || r.Traits.Vendored}
			l.Doc = code.Sentence(facts.Doc, s.Name, s.Qualified())
			if withoutDocs {
				facts.Doc = ""
			}
			l.Line = code.Line(facts)
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// FileLines returns the lines of all files, by path.
func FileLines(ctx context.Context, x *store.View) ([]SymbolLine, error) {
	files, _, err := x.FilesByPath(store.Scope{})
	if err != nil {
		return nil, err
	}
	lines := make([]SymbolLine, len(files))
	for i, r := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lines[i] = SymbolLine{File: r.Path, Lang: r.Lang, Line: fileLine(x, r), Test: r.Traits.Test}
	}
	return lines, nil
}

// LineSearch finds lines, each a document of its own: by BM25 over its words and, with an
// embedder, by the likeness of its vector, each as a share of the best and added. It is
// safe for concurrent use.
type LineSearch struct {
	lines   []SymbolLine
	words   *lexical.Index
	model   embed.Embedder // nil: words only
	vectors []float32
}

// linesAtOnce is how many lines an embedder gets at once.
const linesAtOnce = 256

// SearchLines makes a LineSearch of lines, with the index's embedder if it has one. The
// lines must not change any more, and the index must not be closed before.
func SearchLines(ctx context.Context, x *store.View, lines []SymbolLine) (*LineSearch, error) {
	s := &LineSearch{lines: lines, words: lexical.New(), model: x.Opt.Embedder}
	var b lexical.Builder
	for i := range lines {
		b.Add([]byte(lines[i].Text()), 1)
		if err := s.words.Add(uint32(i), b.Doc()); err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
	}
	if s.model == nil {
		return s, nil
	}
	dim := x.Dim
	s.vectors = make([]float32, dim*len(lines))
	for from := 0; from < len(lines); from += linesAtOnce {
		to := min(from+linesAtOnce, len(lines))
		var docs []embed.Document
		for _, l := range lines[from:to] {
			docs = append(docs, embed.Document{Path: l.File, Names: l.Symbol, Text: l.Line})
		}
		if err := s.model.Documents(ctx, docs, s.vectors[from*dim:to*dim]); err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
	}
	return s, nil
}

// Files returns the k best files for a question, each by its best line.
func (s *LineSearch) Files(ctx context.Context, text string, k int) ([]string, error) {
	found := s.words.Search(search.QueryTerms(text))
	defer found.Release()
	score := make([]float64, len(s.lines))
	best := float64(0)
	for i := range s.lines {
		score[i] = float64(found.Score(uint32(i)))
		best = max(best, score[i])
	}
	for i := range score {
		score[i] /= max(best, 1e-9)
	}
	if s.model != nil {
		query, err := s.model.Query(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		like := make([]float64, len(s.lines))
		best = 0
		for i := range s.lines {
			for n, q := range query {
				like[i] += float64(q * s.vectors[i*len(query)+n])
			}
			best = max(best, like[i])
		}
		for i := range score {
			score[i] += like[i] / max(best, 1e-9)
		}
	}
	top := map[string]float64{}
	for i := range s.lines {
		if f := s.lines[i].File; score[i] > top[f] {
			top[f] = score[i]
		}
	}
	files := make([]string, 0, len(top))
	for f := range top {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(top[b], top[a]), cmp.Compare(a, b)) })
	return files[:min(k, len(files))], nil
}
