package brief

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/search"
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
func Summarize(ctx context.Context, x *store.View, q SummaryQuery) (Summary, error) {
	s := summing{View: x, q: q, count: q.Count}
	if s.count == nil {
		s.count = func(text string) int { return answer.Tokens(utf8.RuneCountInString(text)) }
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
	s.out.Checked = x.Check(&s.out, s.out.State.Generation)
	return s.out, nil
}

func (a *Summary) Places(visit func(string, *bool)) {
	var changed bool // the count is all that a summary says of it
	for _, f := range a.Files {
		visit(f, &changed)
	}
}

// A summing is a summary in the making.
type summing struct {
	*store.View
	q     SummaryQuery
	count func(string) int
	out   Summary
	limit int  // tokens
	found bool // the files are those of a search, the best first
	few   bool // files, all of which were asked for: they share what there is
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
		return &answer.TargetError{Target: string(s.q.Level), Reason: fmt.Sprintf("there is no level %q: it is auto, L0, L1, L2 or L3", s.q.Level), Nearest: []string{}}
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
	var files []*store.Record
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
func (s *summing) name(files []*store.Record) {
	for _, r := range files[:min(len(files), maxSummaryFiles)] {
		s.out.Files = append(s.out.Files, r.Path)
	}
}

// cost is what a file costs, whole. The estimate needs no text for plain ASCII, of which
// most code is; where it is not, the bytes are more than the characters, and the
// estimate errs on the side of summarising.
func (s *summing) cost(r *store.Record) int {
	if s.q.Count == nil && r.Size > maxHead {
		return answer.Tokens(int(r.Size))
	}
	return s.count(string(r.Text.All()))
}

// under returns the files at a path from outside: one file, or a folder's.
func (s *summing) under(p string) ([]*store.Record, *branch, error) {
	where, err := s.Locate(p)
	if err != nil {
		return nil, nil, err
	}
	if where = strings.TrimSuffix(where, "/"); where == "." {
		where = ""
	}
	files, state, err := s.FilesByPath(store.Scope{Path: where})
	if err != nil {
		return nil, nil, err
	}
	s.out.State = state
	switch {
	case len(files) == 1 && files[0].Path == where:
		return files, nil, nil
	case len(files) > 0:
		return files, &branch{where, files}, nil
	case where == "":
		return nil, &branch{}, nil
	}
	s.Mu.RLock()
	skip, skipped := s.Table.Skips[where]
	s.Mu.RUnlock()
	if skipped {
		return nil, nil, &answer.PlaceError{File: where, Reason: string(skip.Reason)}
	}
	return nil, nil, s.Suggest(&answer.TargetError{Target: where, Reason: fmt.Sprintf("%q is neither a file nor a folder in the index", where)})
}

// symbol summarises one definition.
func (s *summing) symbol(ctx context.Context) error {
	at, state, err := s.FindTarget(s.q.Symbol)
	switch {
	case err != nil:
		return err
	case at.Symbol < 0 && at.Line > 0:
		return at.Nothing()
	case at.Symbol < 0: // a file
		s.q.Paths = []string{at.Record.Path}
		return s.paths(ctx)
	}
	s.out.State, s.out.Others, s.out.Files = state, at.Alternatives(), []string{at.Record.Path}
	content := outline.ContentOf(at.Record, at.Sym())
	if err := s.choose(s.count(content), 1); err != nil {
		return err
	}
	s.definition(&at, content)
	return nil
}

// query summarises what a search finds, at the places found.
func (s *summing) query(ctx context.Context) error {
	found, err := search.SearchUnchecked(ctx, s.View, search.Query{Text: s.q.Query, Limit: querySummaries})
	if err != nil {
		return err
	}
	s.out.State, s.found = found.State, true
	var files []*store.Record
	var lines []string
	in := 0
	for i := range found.Results {
		r := &found.Results[i]
		s.Mu.RLock()
		record := s.Table.Files[r.File]
		s.Mu.RUnlock()
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
			one.given, one.worth = true, len(files)-len(parts) // the best comes first
			parts = append(parts, one)
		}
		return s.describe(ctx, parts, files)
	default:
		return s.whole(ctx, files)
	}
	return nil
}

// resultLine is the line of a search's result: its place, and what is there.
func (s *summing) resultLine(r *store.Record, at *search.Result) string {
	best := r.SymbolAt(at.Line)
	for i := range r.Symbols {
		// The result may begin with the comment before its symbol.
		if sym := &r.Symbols[i]; sym.Name == at.Symbol && int(sym.Last) >= at.Line && int(sym.Line) <= at.EndLine {
			best = int32(i)
			break
		}
	}
	if best < 0 {
		return fmt.Sprintf("- %s:%d: %s", r.Path, at.Line, fileLine(s.View, r))
	}
	sym := &r.Symbols[best]
	return fmt.Sprintf("- %s:%d %s: %s", r.Path, sym.NameLine, sym.Qualified(), code.Line(factsOf(r, best, membersOf(s.View, r), nil, nil)))
}

// membersOf gathers what belongs to the types of a file, in a language whose types have
// members elsewhere in the folder, too.
func membersOf(x *store.View, r *store.Record) members {
	if r.Lang != "go" {
		return membersIn(r)
	}
	m, folder := members{}, path.Dir(r.Path)
	var files []*store.Record
	x.Mu.RLock()
	for _, f := range x.Table.Below(folder) {
		if f.Lang == "go" && (f == r || !f.Traits.Test && path.Dir(f.Path) == folder) {
			files = append(files, f)
		}
	}
	x.Mu.RUnlock()
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
