package index

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/fault"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
)

// maxMatches is how many matching lines are counted.
const maxMatches = 10_000

// maxLine is how much of a matching line is shown, in bytes.
const maxLine = 2000

// matched is a line that matches.
type matched struct {
	line   int
	text   string // of the lines that are kept
	symbol int32  // the innermost around it, -1: none
}

// scanned is what a search found in one file.
type scanned struct {
	lines   []matched // the first ones
	matches int
	cut     bool // lines were left out for PerFile
	done    bool
}

// lineSearch is a search by Regex. Files are taken in the order of their paths,
// and what is found counts only as far as all files before it are done, so that
// neither the number of goroutines nor the clock decides what an answer holds
// before its end.
type lineSearch struct {
	pattern *line.Pattern
	filter  filter
	keep    int // lines of a file to keep
	perFile int // 0: all
	files   []*record
	found   []scanned
	next    atomic.Int64
	full    atomic.Bool  // nothing more is needed
	made    atomic.Bool  // filters
	read    atomic.Int64 // files

	mu      sync.Mutex
	settled int // files at the front that count
	matches int // in those
	kept    int // lines of those, at most limit of which are given
	limit   int
}

// searchLines answers a query by Regex.
func (x *View) searchLines(ctx context.Context, q Query) (Answer, error) {
	pattern, err := compileLine(q.Text, line.Options{})
	if err != nil {
		return Answer{}, err
	}
	s := &lineSearch{pattern: pattern, filter: newFilter(q.scope()), keep: q.Limit, limit: q.Limit, perFile: q.PerFile}
	if q.PerFile > 0 {
		s.keep = min(q.Limit, q.PerFile)
	}
	a := Answer{Results: []Result{}}
	if s.files, a.State, err = x.filesOf(&s.filter); err != nil {
		return Answer{}, err
	}
	s.found = make([]scanned, len(s.files))

	var group fault.Group
	for range min(grepWorkers(), len(s.files)) {
		group.Go(func() { s.run(ctx) })
	}
	group.Wait()
	if s.made.Load() {
		x.weighFilters()
	}
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return Answer{}, err
	}
	s.collect(&a)
	if x.matchesBeside(ctx, pattern, &s.filter) {
		a.cut(CutLeftOut)
	}
	note(ctx, func(p *Plan) {
		p.Mode = string(Regex)
		p.Searches++
		p.Bytes += len(q.Text)
		p.Files += len(s.files)
		p.Read += int(s.read.Load())
		p.Matches += a.Matches
	})
	a.fit(q.MaxTokens)
	return a, nil
}

// matchesBeside reports whether a pattern matches in files that a filter admits and that
// the index leaves out for their form: they are generated, minified or too large.
func (x *View) matchesBeside(ctx context.Context, pattern *line.Pattern, f *filter) bool {
	if !x.state.built.Load() || len(f.kinds) > 0 || f.symbol != "" || f.role != "" {
		return false // no symbols are known there
	}
	all, err := x.grepSources(ctx)
	if err != nil {
		return false
	}
	s := &textSearch{index: x, pattern: pattern}
	for _, file := range all.files {
		lang := source.Language(file.path, nil)
		if file.record == nil && within(file.path, f.path) && f.globs.admit(file.path) && (len(f.langs) == 0 || slices.Contains(f.langs, lang)) {
			s.files = append(s.files, file)
		}
	}
	if len(s.files) == 0 {
		return false
	}
	s.look()
	one := textReader{src: takeText(), search: pattern.Searcher()}
	defer func() { giveText(one.src) }()
	stop := func() bool { return ctx.Err() != nil }
	found := false
	for n := 0; n < len(s.files) && !found && !stop(); n++ {
		var in textHead
		if s.text(&one, n, &in) {
			one.search.Each(one.src, stop, func(int, int, int) bool {
				found = true
				return false
			})
		}
	}
	if s.made.Load() {
		x.weighFilters()
	}
	return found
}

// run searches one file after the other until none is left, enough is found or
// ctx ends.
func (s *lineSearch) run(ctx context.Context) {
	src := takeText()
	defer func() { giveText(src) }()
	search := s.pattern.Searcher()
	stop := func() bool { return s.full.Load() || ctx.Err() != nil }
	for !stop() {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.files) {
			return
		}
		r := s.files[n]
		text, made, ok := r.textFor(s.pattern, src[:0])
		if src = text; made {
			s.made.Store(true)
		}
		if ok {
			s.read.Add(1)
		}
		if ok && !s.file(r, &s.found[n], src, search, stop) {
			return
		}
		s.settle(n)
	}
}

// file searches one file, and reports whether it came to the end.
func (s *lineSearch) file(r *record, found *scanned, src []byte, search *line.Searcher, stop func() bool) bool {
	around := enclosing{record: r}
	return search.Each(src, stop, func(line, start, end int) bool {
		m := matched{line: line, symbol: around.line(line)}
		if len(bytes.TrimSpace(src[start:end])) == 0 || !s.admits(r, &m) {
			return true
		}
		found.matches++
		if len(found.lines) < s.keep {
			m.text = shown(src[start:end])
			found.lines = append(found.lines, m)
		} else {
			found.cut = s.keep == s.perFile
		}
		return found.matches <= maxMatches
	})
}

// admits applies those filters that are about lines.
func (s *lineSearch) admits(r *record, m *matched) bool {
	f := &s.filter
	if f.role != "" && r.roleOfLine(m) != f.role {
		return false
	}
	if m.symbol < 0 {
		return len(f.kinds) == 0 && f.symbol == ""
	}
	sym := &r.symbols[m.symbol]
	return f.kind(sym) && (f.symbol == "" || strings.EqualFold(sym.name, f.symbol))
}

// roleOfLine returns a line's role: what the path says, else whether it begins a
// definition.
func (r *record) roleOfLine(m *matched) string {
	if r.role == "" && m.symbol >= 0 {
		if s := &r.symbols[m.symbol]; m.line == int(s.line) || m.line == int(s.nameLine) {
			return RoleDefinition
		}
	}
	return string(r.role)
}

// settle notes that file n is done. Once more lines match than are counted, no
// file counts that is not needed for the results.
func (s *lineSearch) settle(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found[n].done = true
	for s.settled < len(s.files) && s.found[s.settled].done && !s.full.Load() {
		s.matches += s.found[s.settled].matches
		s.kept += len(s.found[s.settled].lines)
		s.settled++
		s.full.Store(s.matches > maxMatches && s.kept >= s.limit)
	}
}

// collect fills an answer from the files that count.
func (s *lineSearch) collect(a *Answer) {
	a.Matches = min(s.matches, maxMatches)
	for n := range s.settled {
		found := &s.found[n]
		for _, m := range found.lines[:min(len(found.lines), s.limit-len(a.Results))] {
			a.Results = append(a.Results, s.files[n].lineResult(&m))
		}
		if found.cut {
			a.cut(CutPerFile)
		} else if found.matches > len(found.lines) {
			a.cut(CutLimit)
		}
	}
	if s.kept > s.limit {
		a.cut(CutLimit)
	}
	if s.matches > maxMatches {
		a.cut(CutMatches)
	}
	if s.settled < len(s.files) && !s.full.Load() {
		a.cut(CutTime)
	}
}

// shown returns as much of a line as a result shows, its blanks at the end too: an
// expression can ask for them, and an editor must find the line as it is.
func shown(line []byte) string {
	if len(line) > maxLine {
		cut := maxLine
		for cut > maxLine-utf8.UTFMax && !utf8.RuneStart(line[cut]) {
			cut--
		}
		line = line[:cut]
	}
	return string(bytes.TrimSuffix(line, []byte{'\r'}))
}

// lineResult makes a result of a matching line.
func (r *record) lineResult(m *matched) Result {
	out := Result{
		File: r.path, Line: m.line, EndLine: m.line, Content: m.text, Score: 1,
		Role: r.roleOfLine(m), Lang: r.lang, Signature: firstLine(m.text), FileHash: r.hash, FileTokens: tokens(int(r.size)),
	}
	if m.symbol >= 0 {
		out.Symbol, out.Kind = r.symbols[m.symbol].name, string(r.symbols[m.symbol].kind())
	}
	return out
}

// enclosing finds the innermost symbols around the lines of a file, which must be
// asked for in order.
type enclosing struct {
	record *record
	next   int
	open   []int32
}

func (e *enclosing) line(n int) int32 {
	symbols := e.record.symbols
	for e.next < len(symbols) && int(symbols[e.next].line) <= n {
		e.open = append(e.open, int32(e.next))
		e.next++
	}
	// Most end before the line; what they enclosed has ended too.
	e.open = slices.DeleteFunc(e.open, func(i int32) bool { return int(symbols[i].last) < n })
	if len(e.open) == 0 {
		return -1
	}
	return e.open[len(e.open)-1]
}
