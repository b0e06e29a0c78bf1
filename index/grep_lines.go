package index

import (
	"context"
	"sort"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/line"
)

// Lines returns at most n lines of a Grep, from the one with an index on, 0 for the
// first. Lines of files that are not what they were when g was made are not among them;
// how many those are is returned, too. It returns ErrClosed after Close.
func (x *View) Lines(ctx context.Context, g *Grep, from, n int) (lines []GrepLine, gone int, err error) {
	to := min(from+n, g.Matches)
	if from < 0 || from >= to {
		return nil, 0, ctx.Err()
	}
	lines = make([]GrepLine, 0, min(to-from, 10_000))
	pattern, err := compileLine(g.Query.Pattern, line.Options{Literal: g.Query.Literal, IgnoreCase: g.Query.IgnoreCase, Word: g.Query.Word})
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
		start, _ := lineAt(texts.src, int(at.line)-1)
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
func (g *Grep) begins() []int {
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
	index   *View
	grep    *Grep
	pattern *line.Pattern
	search  *line.Searcher
	defined map[grepPlace]bool // the grep's

	file    int
	there   bool    // the file is what it was
	record  *record // nil: it is on disk only
	src     []byte
	symbols enclosing
}

func (t *grepTexts) read(ctx context.Context, file int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f := &t.grep.files[file]
	x := t.index
	x.mu.RLock()
	closed, r := x.closed, x.table.files[f.path]
	x.mu.RUnlock()
	if closed {
		return ErrClosed
	}
	t.file, t.there, t.record = file, false, nil
	if r != nil && r.hash == f.hash {
		t.there, t.record = true, r
		t.src = line.Unix(r.text.appendAll(t.src[:0]))
		t.symbols = enclosing{record: r}
		return nil
	}
	text, _, skip, err := x.tree.Text(f.path)
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
	m := matched{line: number, symbol: -1}
	if section == InDefinitions { // which are in no order
		t.symbols = enclosing{record: r}
	}
	m.symbol = t.symbols.line(number)
	if section == InDefinitions {
		for i := range r.symbols {
			if int(r.symbols[i].nameLine) == number {
				m.symbol = int32(i)
				break
			}
		}
	}
	out.Role = r.roleOfLine(&m)
	if m.symbol >= 0 {
		out.Symbol, out.Kind = r.symbols[m.symbol].name, string(r.symbols[m.symbol].kind())
	}
	return out
}

// beforeMatch is how much of a very long line is shown before its match, in bytes.
const beforeMatch = 200

// around returns a line, or of a very long one a part with the first match, and where
// that begins.
func (t *grepTexts) around(text []byte) (part string, at int) {
	at = t.pattern.First(text)
	if from := at - beforeMatch; len(text) > maxLine && from > 0 {
		for !utf8.RuneStart(text[from]) {
			from--
		}
		text, at = text[from:], at-from
	}
	part = shown(text)
	return part, min(at, len(part))
}
