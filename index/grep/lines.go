package grep

import (
	"context"
	"sort"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
)

// Lines returns at most n lines of a Grep, from the one with an index on, 0 for the
// first. Lines of files that are not what they were when g was made are not among them;
// how many those are is returned, too. It returns ErrClosed after Close.
func Lines(ctx context.Context, x *store.View, g *GrepAnswer, from, n int) (lines []GrepLine, gone int, err error) {
	to := min(from+n, g.Matches)
	if from < 0 || from >= to {
		return nil, 0, ctx.Err()
	}
	lines = make([]GrepLine, 0, min(to-from, 10_000))
	pattern, err := g.Query.compile()
	if err != nil {
		return nil, 0, err
	}
	texts := grepTexts{index: x, grep: g, pattern: pattern}
	for ; from < min(to, len(g.defined)); from++ {
		at := g.defined[from]
		if from == 0 || at.file != g.defined[from-1].file || texts.file != int(at.file) {
			if err := texts.read(ctx, int(at.file)); err != nil {
				return nil, 0, err
			}
		}
		if !texts.there {
			gone++
			continue
		}
		start, _ := source.LineAt(texts.src, int(at.line)-1)
		end := start
		for end < len(texts.src) && texts.src[end] != '\n' {
			end++
		}
		lines = append(lines, texts.line(int(at.line), start, end, InDefinitions))
	}
	if from >= to {
		return lines, gone, nil
	}
	texts.search, texts.defined = pattern.Searcher(), map[grepPlace]bool{}
	for _, at := range g.defined {
		texts.defined[at] = true
	}
	begins := g.begins()
	for i := sort.SearchInts(begins, from+1) - 1; i < len(g.files) && begins[i] < to; i++ {
		if g.files[i].matches == 0 {
			continue
		}
		if err := texts.read(ctx, i); err != nil {
			return nil, 0, err
		}
		first, last := max(from, begins[i])-begins[i], min(to, begins[i+1])-begins[i]
		if !texts.there {
			gone += last - first
			continue
		}
		lines = texts.part(lines, first, last)
	}
	return lines, gone, ctx.Err()
}

// begins returns the index of each file's first line besides those in defined, and the
// end of all.
func (g *GrepAnswer) begins() []int {
	at := len(g.defined)
	begins := make([]int, len(g.files)+1)
	for i := range g.files {
		begins[i] = at
		at += g.files[i].matches
	}
	begins[len(g.files)] = at
	return begins
}

// grepTexts reads the texts of a Grep's files again, one at a time.
type grepTexts struct {
	index   *store.View
	grep    *GrepAnswer
	pattern *line.Pattern
	search  *line.Searcher
	defined map[grepPlace]bool // the grep's

	file    int
	there   bool          // the file is what it was
	record  *store.Record // nil: it is on disk only
	src     []byte
	symbols store.Enclosing
}

func (t *grepTexts) read(ctx context.Context, file int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f := &t.grep.files[file]
	x := t.index
	x.Mu.RLock()
	closed, r := x.Closed, x.Table.Files[f.path]
	x.Mu.RUnlock()
	if closed {
		return answer.ErrClosed
	}
	t.file, t.there, t.record = file, false, nil
	if r != nil && r.Hash == f.hash {
		t.there, t.record = true, r
		t.src = line.Unix(r.Text.AppendAll(t.src[:0]))
		t.symbols = store.Enclosing{Record: r}
		return nil
	}
	text, _, skip, err := x.Tree.Text(f.path)
	if err != nil {
		return err
	}
	if t.there = skip == nil && xxhash.Sum64(text) == f.hash; t.there {
		t.src = line.Unix(text)
	}
	return nil
}

// part appends the lines of the file from one index to another, of those that are not in
// defined.
func (t *grepTexts) part(lines []GrepLine, first, last int) []GrepLine {
	n := 0
	t.search.Each(t.src, func() bool { return false }, func(number, start, end int) bool {
		if t.defined[grepPlace{int32(t.file), int32(number)}] {
			return true
		}
		if n >= first {
			lines = append(lines, t.line(number, start, end, t.grep.files[t.file].section))
		}
		n++
		return n < last
	})
	return lines
}

func (t *grepTexts) line(number, start, end int, section string) GrepLine {
	out := GrepLine{File: t.grep.files[t.file].path, Line: number, Section: section}
	out.Text, out.At = t.around(t.src[start:end])
	r := t.record
	if r == nil {
		return out
	}
	m := search.Matched{Line: number, Symbol: -1}
	if section == InDefinitions { // which are in no order
		t.symbols = store.Enclosing{Record: r}
	}
	m.Symbol = t.symbols.Line(number)
	if section == InDefinitions {
		for i := range r.Symbols {
			if int(r.Symbols[i].NameLine) == number {
				m.Symbol = int32(i)
				break
			}
		}
	}
	out.Role = search.RoleOfLine(r, &m)
	if m.Symbol >= 0 {
		out.Symbol, out.Kind = r.Symbols[m.Symbol].Name, string(r.Symbols[m.Symbol].Kind())
	}
	return out
}

// beforeMatch is how much of a very long line is shown before its match, in bytes.
const beforeMatch = 200

// around returns a line, or of a very long one a part with the first match, and where
// that begins.
func (t *grepTexts) around(text []byte) (part string, at int) {
	at = t.pattern.First(text)
	if from := at - beforeMatch; len(text) > search.MaxLine && from > 0 {
		for !utf8.RuneStart(text[from]) {
			from--
		}
		text, at = text[from:], at-from
	}
	part = search.Shown(text)
	return part, min(at, len(part))
}
