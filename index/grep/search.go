package grep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/fault"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// grepSearch is a Grep while it is made.
type grepSearch struct {
	texts.Search
	query GrepQuery
	found []grepFound // of the files that are left to read
	next  atomic.Int64
	out   Unsearched
	cut   bool
	state answer.State
}

// grepFound is what was found in one file.
type grepFound struct {
	texts.Head
	matches int
	bytes   int64
	defined []grepDefined
}

type grepDefined struct {
	line int32
	rank int8 // the lower the better
}

// newGrepSearch finds out which files are to be searched.
func newGrepSearch(ctx context.Context, x *store.View, q GrepQuery) (*grepSearch, error) {
	selected, err := q.selection()
	if err != nil {
		return nil, err
	}
	pattern, err := q.compile()
	if err != nil {
		return nil, err
	}
	s := &grepSearch{Search: texts.Search{Index: x, Pattern: pattern}, query: q}
	all, err := texts.SourcesOf(ctx, x)
	if err != nil {
		return nil, err
	}
	s.state, s.Sources, s.Files = all.State, all, all.Files
	if !selected.all() {
		s.Files = nil
		for i := range all.Files {
			if selected.admits(all.Files[i].Path) {
				s.Files = append(s.Files, all.Files[i])
			}
		}
	}
	for _, p := range all.Unread {
		if selected.admits(p) {
			s.Unread++
		}
	}
	for _, skip := range all.Out {
		switch {
		case !selected.admits(skip.Path):
		case skip.Reason == source.Secret:
			s.out.Secret++
		default:
			s.out.Binary++
		}
	}
	return s, nil
}

// run searches all files. The error is that of ctx, unless it is its deadline.
func (s *grepSearch) run(ctx context.Context) error {
	s.Look()
	s.found = make([]grepFound, len(s.Left))
	var group fault.Group
	for range min(texts.Workers(), len(s.Left)) {
		group.Go(func() { s.work(ctx) })
	}
	group.Wait()
	s.note(ctx)
	err := ctx.Err()
	s.cut = errors.Is(err, context.DeadlineExceeded)
	if s.cut {
		return nil
	}
	return err
}

// note ends what the search has used.
func (s *grepSearch) note(ctx context.Context) {
	if s.Made.Load() {
		texts.Weigh(s.Index)
	}
	answer.Note(ctx, func(p *answer.Plan) {
		p.Mode = "regex"
		p.Searches++
		p.Bytes += len(s.query.Pattern)
		p.Files += len(s.Files)
		p.Read += int(s.Read.Load())
	})
}

// grepWorker is what one goroutine needs to search.
type grepWorker struct {
	texts.Reader
	names []nameAt // memory to use
}

// nameAt is where a symbol's name stands.
type nameAt struct {
	line   uint32
	symbol int32
}

func (s *grepSearch) work(ctx context.Context) {
	w := grepWorker{Reader: texts.Reader{Search: s.Pattern.Searcher(), Src: texts.Take()}}
	defer func() { texts.Give(w.Src) }()
	stop := func() bool { return ctx.Err() != nil }
	for !stop() {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.Left) {
			return
		}
		found, file := &s.found[n], int(s.Left[n])
		if s.Text(&w.Reader, file, &found.Head) {
			s.lines(&w, &s.Files[file], found, stop)
		}
	}
}

// lines searches a text.
func (s *grepSearch) lines(w *grepWorker, file *texts.Source, found *grepFound, stop func() bool) {
	r := file.Record
	var names []nameAt
	named := false
	w.Search.Each(w.Src, stop, func(n, start, end int) bool {
		found.matches++
		found.bytes += int64(len(file.Path) + decimals(n) + end - start + len("::\n"))
		if r == nil || r.Traits.Test {
			return true
		}
		if !named {
			w.names = nameLines(r, w.names[:0])
			names, named = w.names, true
		}
		for len(names) > 0 && int(names[0].line) < n {
			names = names[1:]
		}
		for _, at := range names {
			if int(at.line) != n {
				break
			}
			if rank, ok := s.defines(r, at.symbol, w.Src[start:end]); ok {
				found.defined = append(found.defined, grepDefined{int32(n), rank})
				break
			}
		}
		return true
	})
}

// nameLines returns where the names of a file's symbols stand, by line.
func nameLines(r *store.Record, names []nameAt) []nameAt {
	for i := range r.Symbols {
		switch s := &r.Symbols[i]; s.Kind() {
		case syntax.Heading, syntax.Rule, syntax.Key:
		default:
			names = append(names, nameAt{s.NameLine, int32(i)})
		}
	}
	slices.SortFunc(names, func(a, b nameAt) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.symbol, b.symbol)) })
	return names
}

// defines reports whether a match in a line holds of the name of a symbol that is
// defined there, and how good that is: the whole name before a part of it, what runs and
// types before values before fields, what is exported before what is not.
func (s *grepSearch) defines(r *store.Record, symbol int32, text []byte) (rank int8, ok bool) {
	sym := &r.Symbols[symbol]
	at := bytes.Index(text, []byte(sym.Name))
	if at < 0 || !s.Pattern.Overlaps(text, at, at+len(sym.Name)) {
		return 0, false
	}
	if !s.Pattern.Covers(sym.Name) {
		rank += 8
	}
	switch sym.Kind() {
	case syntax.Field:
		rank += 4
	case syntax.Variable, syntax.Constant:
		rank += 2
	}
	if !sym.Exported {
		rank++
	}
	return rank, true
}

func decimals(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}

// zoneDir is the folder in which a file's matches are counted: its first two at most.
func zoneDir(file string) string {
	dir := path.Dir(file)
	if dir == "." {
		return ""
	}
	first, rest, _ := strings.Cut(dir, "/")
	second, _, _ := strings.Cut(rest, "/")
	return path.Join(first, second) + "/"
}
