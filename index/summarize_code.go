package index

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/summary"
	"github.com/quarry-search/quarry/index/summary/code"
)

// Bounds of a summary of code.
const (
	maxSummaryFiles = 100
	fewFiles        = 4 // for which the levels' own figures hold, where nobody says what a summary may cost
	querySummaries  = 10
)

// strict is what a summary of few files may cost at a level when nobody says.
var strict = map[summary.Level]int{summary.L0: 50, summary.L1: 200, summary.L2: 500}

// Summarize says what code is about: of files and folders, of a symbol, or of what a
// search finds. With Auto, what costs less than 500 tokens is given as it is. It returns
// the errors of Extract, and of Search for a Query.
func (x *View) Summarize(ctx context.Context, q SummaryQuery) (Summary, error) {
	s := summing{View: x, q: q, count: q.Count}
	if s.count == nil {
		s.count = func(text string) int { return tokens(utf8.RuneCountInString(text)) }
	}
	var err error
	switch {
	case strings.TrimSpace(q.Symbol) != "":
		err = cmp.Or(ctx.Err(), s.symbol(ctx))
	case strings.TrimSpace(q.Query) != "":
		err = s.query(ctx)
	default:
		err = s.paths(ctx)
	}
	if err != nil {
		return s.out, err
	}
	s.out.Chunks = max(s.out.Chunks, 1)
	s.out.TokensOut = s.count(s.out.Text)
	s.out.Checked = x.check(&s.out, s.out.State.Generation)
	return s.out, nil
}

func (a *Summary) places(visit func(string, *bool)) {
	var changed bool // the count is all that a summary says of it
	for _, f := range a.Files {
		visit(f, &changed)
	}
}

// A summing is a summary in the making.
type summing struct {
	*View
	q     SummaryQuery
	count func(string) int
	out   Summary
	limit int // tokens
}

// choose decides level and budget by what the code costs.
func (s *summing) choose(in, files int) error {
	s.out.TokensIn = in
	switch s.q.Level {
	case "", summary.Auto:
		s.out.Level = summary.Choose(in)
	case summary.L0, summary.L1, summary.L2, summary.L3:
		s.out.Level = s.q.Level
	default:
		return &TargetError{Target: string(s.q.Level), Reason: fmt.Sprintf("there is no level %q: it is auto, L0, L1, L2 or L3", s.q.Level), Nearest: []string{}}
	}
	s.limit = cmp.Or(max(s.q.MaxTokens, 0), s.out.Level.Budget())
	if n := strict[s.out.Level]; s.q.MaxTokens <= 0 && files <= fewFiles && n > 0 {
		s.limit = n
	}
	return nil
}

// paths summarises files and folders.
func (s *summing) paths(ctx context.Context) error {
	wanted := s.q.Paths
	if len(wanted) == 0 {
		wanted = []string{""}
	}
	var files []*record
	var parts []summaryPart
	for _, p := range wanted {
		found, folder, err := s.under(p)
		if err != nil {
			return err
		}
		one := summaryPart{}
		if folder == nil {
			one = filePart(found[0])
		} else {
			one = folderPart(folder)
		}
		one.given = true
		parts = append(parts, one)
		files = append(files, found...)
	}
	byPath(files)
	files = slices.Compact(files)
	s.name(files)
	in := 0
	for _, r := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		in += s.cost(r)
	}
	if err := s.choose(in, len(files)); err != nil || len(files) == 0 {
		return err
	}
	switch s.out.Level {
	case summary.L0:
		s.list(files)
	case summary.L3:
		return s.whole(ctx, files)
	default:
		return s.describe(ctx, parts, files)
	}
	return nil
}

// name notes whose code it is.
func (s *summing) name(files []*record) {
	for _, r := range files[:min(len(files), maxSummaryFiles)] {
		s.out.Files = append(s.out.Files, r.path)
	}
}

// cost is what a file costs, whole. The estimate needs no text for plain ASCII, of which
// most code is; where it is not, the bytes are more than the characters, and the
// estimate errs on the side of summarising.
func (s *summing) cost(r *record) int {
	if s.q.Count == nil && r.size > maxHead {
		return tokens(int(r.size))
	}
	return s.count(string(r.text.all()))
}

// under returns the files at a path from outside: one file, or a folder's.
func (s *summing) under(p string) ([]*record, *branch, error) {
	where, err := s.locate(p)
	if err != nil {
		return nil, nil, err
	}
	if where = strings.TrimSuffix(where, "/"); where == "." {
		where = ""
	}
	files, state, err := s.filesByPath(scope{path: where})
	if err != nil {
		return nil, nil, err
	}
	s.out.State = state
	switch {
	case len(files) == 1 && files[0].path == where:
		return files, nil, nil
	case len(files) > 0:
		return files, &branch{where, files}, nil
	case where == "":
		return nil, &branch{}, nil
	}
	s.mu.RLock()
	skip, skipped := s.table.skips[where]
	s.mu.RUnlock()
	if skipped {
		return nil, nil, &PlaceError{File: where, Reason: string(skip.Reason)}
	}
	return nil, nil, s.suggest(&TargetError{Target: where, Reason: fmt.Sprintf("%q is neither a file nor a folder in the index", where)})
}

// symbol summarises one definition.
func (s *summing) symbol(ctx context.Context) error {
	at, state, err := s.find(s.q.Symbol)
	switch {
	case err != nil:
		return err
	case at.symbol < 0 && at.line > 0:
		return at.nothing()
	case at.symbol < 0: // a file
		s.q.Paths = []string{at.record.path}
		return s.paths(ctx)
	}
	s.out.State, s.out.Others, s.out.Files = state, at.alternatives(), []string{at.record.path}
	content := at.record.contentOf(at.sym())
	if err := s.choose(s.count(content), 1); err != nil {
		return err
	}
	s.definition(&at, content)
	return nil
}

// query summarises what a search finds, at the places found.
func (s *summing) query(ctx context.Context) error {
	found, err := s.View.search(ctx, Query{Text: s.q.Query, Limit: querySummaries})
	if err != nil {
		return err
	}
	s.out.State = found.State
	var files []*record
	var lines []string
	in := 0
	for i := range found.Results {
		r := &found.Results[i]
		s.mu.RLock()
		record := s.table.files[r.File]
		s.mu.RUnlock()
		if record == nil {
			continue // gone since
		}
		if !slices.Contains(files, record) {
			files = append(files, record)
			in += s.cost(record)
		}
		lines = append(lines, s.resultLine(record, r))
	}
	s.name(files)
	if len(files) == 0 {
		return s.choose(0, 0)
	}
	if err := s.choose(in, len(files)); err != nil {
		return err
	}
	switch s.out.Level {
	case summary.L0:
		s.list(files)
	case summary.L1:
		s.fill(lines, "results")
	case summary.L2:
		var parts []summaryPart
		for _, r := range files {
			one := filePart(r)
			one.given = true
			parts = append(parts, one)
		}
		return s.describe(ctx, parts, files)
	default:
		return s.whole(ctx, files)
	}
	return nil
}

// resultLine is the line of a search's result: its place, and what is there.
func (s *summing) resultLine(r *record, at *Result) string {
	best := r.symbolAt(at.Line)
	for i := range r.symbols {
		// The result may begin with the comment before its symbol.
		if sym := &r.symbols[i]; sym.name == at.Symbol && int(sym.last) >= at.Line && int(sym.line) <= at.EndLine {
			best = int32(i)
			break
		}
	}
	if best < 0 {
		return fmt.Sprintf("- %s:%d: %s", r.path, at.Line, s.fileLine(r))
	}
	sym := &r.symbols[best]
	return fmt.Sprintf("- %s:%d %s: %s", r.path, sym.nameLine, sym.qualified(), code.Line(r.factsOf(best, s.membersOf(r), nil, nil)))
}

// membersOf gathers what belongs to the types of a file, in a language whose types have
// members elsewhere in the folder, too.
func (x *View) membersOf(r *record) members {
	if r.lang != "go" {
		return r.members()
	}
	m, folder := members{}, path.Dir(r.path)
	var files []*record
	x.mu.RLock()
	for _, f := range x.table.below(folder) {
		if f.lang == "go" && (f == r || !f.traits.Test && path.Dir(f.path) == folder) {
			files = append(files, f)
		}
	}
	x.mu.RUnlock()
	for _, f := range files {
		m.gather(f)
	}
	return m
}

// fill takes as many lines as the budget allows, and says how many more there are.
func (s *summing) fill(lines []string, what string) {
	text := func(n int) string {
		text := strings.Join(lines[:n], "\n")
		if left := len(lines) - n; left > 0 {
			text = strings.TrimPrefix(text+fmt.Sprintf("\n(+%d more %s)", left, what), "\n")
		}
		return text
	}
	n := len(lines)
	if s.count(text(n)) > s.limit {
		n = fitting(n-1, func(n int) bool { return s.count(text(n)) <= s.limit })
	}
	s.out.Text, s.out.Truncated = text(n), n < len(lines)
}
