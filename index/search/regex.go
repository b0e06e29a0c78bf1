package search

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/fault"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// maxMatches is how many matching lines are counted.
const maxMatches = 10_000

// MaxLine is how much of a matching line is shown, in bytes.
const MaxLine = 2000

// Matched is a line that matches.
type Matched struct {
	Line   int
	text   string // of the lines that are kept
	Symbol int32  // the innermost around it, -1: none
}

// scanned is what a search found in one file.
type scanned struct {
	lines   []Matched // the first ones
	matches int
	cut     bool // lines were left out for PerFile
	done    bool
}

// lineSearch is a search by Regex. Files are taken in the order of their paths,
// and what is found counts only as far as all files before it are done, so that
// neither the number of goroutines nor the clock decides what an answer holds
// before its end.
type lineSearch struct {
	view    *store.View
	pattern *line.Pattern
	filter  store.Filter
	keep    int             // lines of a file to keep
	perFile int             // 0: all
	files   []*store.Record // that may match
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
func searchLines(ctx context.Context, x *store.View, q Query) (Answer, error) {
	pattern, err := texts.Compile(q.Text, line.Options{})
	if err != nil {
		return Answer{}, err
	}
	s := &lineSearch{view: x, pattern: pattern, filter: store.NewFilter(q.scope()), keep: q.Limit, limit: q.Limit, perFile: q.PerFile}
	if q.PerFile > 0 {
		s.keep = min(q.Limit, q.PerFile)
	}
	a := Answer{Results: []Result{}}
	all, state, err := x.FilesOf(&store.Filter{})
	if err != nil {
		return Answer{}, err
	}
	a.State = state
	for _, r := range texts.Admitted(x, all, pattern) {
		if s.filter.Admits(r) {
			s.files = append(s.files, r)
		}
	}
	s.found = make([]scanned, len(s.files))

	var group fault.Group
	for range min(texts.Workers(), len(s.files)) {
		group.Go(func() { s.run(ctx) })
	}
	group.Wait()
	if s.made.Load() {
		texts.Weigh(x)
	}
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return Answer{}, err
	}
	s.collect(&a)
	if matchesBeside(ctx, x, pattern, &s.filter) {
		a.cut(answer.CutLeftOut)
	}
	answer.Note(ctx, func(p *answer.Plan) {
		p.Mode = string(Regex)
		p.Searches++
		p.Bytes += len(q.Text)
		p.Files += s.filter.Count(all)
		p.Read += int(s.read.Load())
		p.Matches += a.Matches
	})
	a.fit(q.MaxTokens)
	return a, nil
}

// matchesBeside reports whether a pattern matches in files that a filter admits and that
// the index leaves out for their form: they are generated, minified or too large.
func matchesBeside(ctx context.Context, x *store.View, pattern *line.Pattern, f *store.Filter) bool {
	if !x.Counters.Built.Load() || len(f.Kinds) > 0 || f.Symbol != "" || f.Role != "" {
		return false // no symbols are known there
	}
	all, err := texts.SourcesOf(ctx, x)
	if err != nil {
		return false
	}
	s := &texts.Search{Index: x, Pattern: pattern, Sources: all}
	for _, file := range all.Files {
		lang := source.Language(file.Path, nil)
		if file.Record == nil && f.Holds(file.Path) && (len(f.Langs) == 0 || slices.Contains(f.Langs, lang)) {
			s.Files = append(s.Files, file)
		}
	}
	if len(s.Files) == 0 {
		return false
	}
	s.Look()
	one := texts.Reader{Src: texts.Take(), Search: pattern.Searcher()}
	defer func() { texts.Give(one.Src) }()
	stop := func() bool { return ctx.Err() != nil }
	found := false
	for n := 0; n < len(s.Files) && !found && !stop(); n++ {
		var in texts.Head
		if s.Text(&one, n, &in) {
			one.Search.Each(one.Src, stop, func(int, int, int) bool {
				found = true
				return false
			})
		}
		found = found || in.Unread // it may match
	}
	if s.Made.Load() {
		texts.Weigh(x)
	}
	return found
}

// run searches one file after the other until none is left, enough is found or
// ctx ends.
func (s *lineSearch) run(ctx context.Context) {
	w := texts.Reader{Search: s.pattern.Searcher(), Src: texts.Take()}
	defer func() { texts.Give(w.Src) }()
	stop := func() bool { return s.full.Load() || ctx.Err() != nil }
	for !stop() {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.files) {
			return
		}
		r := s.files[n]
		ok, made := w.Record(s.view, r, s.pattern)
		if made {
			s.made.Store(true)
		}
		if ok {
			s.read.Add(1)
		}
		if ok && !s.file(r, &s.found[n], w.Src, w.Search, stop) {
			return
		}
		s.settle(n)
	}
}

// file searches one file, and reports whether it came to the end.
func (s *lineSearch) file(r *store.Record, found *scanned, src []byte, search *line.Searcher, stop func() bool) bool {
	around := store.Enclosing{Record: r}
	return search.Each(src, stop, func(line, start, end int) bool {
		m := Matched{Line: line, Symbol: around.Line(line)}
		if len(bytes.TrimSpace(src[start:end])) == 0 || !s.admits(r, &m) {
			return true
		}
		found.matches++
		if len(found.lines) < s.keep {
			m.text = Shown(src[start:end])
			found.lines = append(found.lines, m)
		} else {
			found.cut = s.keep == s.perFile
		}
		return found.matches <= maxMatches
	})
}

// admits applies those filters that are about lines.
func (s *lineSearch) admits(r *store.Record, m *Matched) bool {
	f := &s.filter
	if f.Role != "" && RoleOfLine(r, m) != f.Role || !f.Line(r, uint32(m.Line)) {
		return false
	}
	if m.Symbol < 0 {
		return len(f.Kinds) == 0 && f.Symbol == ""
	}
	sym := &r.Symbols[m.Symbol]
	return f.Kind(sym) && (f.Symbol == "" || strings.EqualFold(sym.Name, f.Symbol))
}

// RoleOfLine returns a line's role: what the path says, else whether it begins a
// definition.
func RoleOfLine(r *store.Record, m *Matched) string {
	if r.Role == "" && m.Symbol >= 0 {
		if s := &r.Symbols[m.Symbol]; m.Line == int(s.Line) || m.Line == int(s.NameLine) {
			return answer.RoleDefinition
		}
	}
	return string(r.Role)
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
			a.Results = append(a.Results, lineResult(s.files[n], &m))
		}
		if found.cut {
			a.cut(answer.CutPerFile)
		} else if found.matches > len(found.lines) {
			a.cut(answer.CutLimit)
		}
	}
	if s.kept > s.limit {
		a.cut(answer.CutLimit)
	}
	if s.matches > maxMatches {
		a.cut(answer.CutMatches)
	}
	if s.settled < len(s.files) && !s.full.Load() {
		a.cut(answer.CutTime)
	}
}

// Shown returns as much of a line as a result shows, its blanks at the end too: an
// expression can ask for them, and an editor must find the line as it is.
func Shown(line []byte) string {
	if len(line) > MaxLine {
		cut := MaxLine
		for cut > MaxLine-utf8.UTFMax && !utf8.RuneStart(line[cut]) {
			cut--
		}
		line = line[:cut]
	}
	return string(bytes.TrimSuffix(line, []byte{'\r'}))
}

// lineResult makes a result of a matching line.
func lineResult(r *store.Record, m *Matched) Result {
	out := Result{
		File: r.Path, Line: m.Line, EndLine: m.Line, Content: m.text, Score: 1,
		Role: RoleOfLine(r, m), Lang: r.Lang, Signature: store.FirstLine(m.text), FileHash: r.Hash, FileTokens: answer.Tokens(int(r.Size)),
	}
	if m.Symbol >= 0 {
		out.Symbol, out.Kind = r.Symbols[m.Symbol].Name, string(r.Symbols[m.Symbol].Kind())
	}
	return out
}
