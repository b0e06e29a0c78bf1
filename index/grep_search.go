package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/fault"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// grepSearch is a Grep while it is made.
type grepSearch struct {
	textSearch
	query GrepQuery
	found []grepFound
	next  atomic.Int64
	cut   bool
	state State
}

// grepFound is what was found in one file.
type grepFound struct {
	textHead
	matches int
	bytes   int64
	defined []grepDefined
}

type grepDefined struct {
	line int32
	rank int8 // the lower the better
}

// newGrepSearch finds out which files are to be searched.
func (x *View) newGrepSearch(ctx context.Context, q GrepQuery) (*grepSearch, error) {
	if err := checkGlobs(q.Glob); err != nil {
		return nil, err
	}
	pattern, err := compileLine(q.Pattern, line.Options{Literal: q.Literal, IgnoreCase: q.IgnoreCase, Word: q.Word})
	if err != nil {
		return nil, err
	}
	s := &grepSearch{textSearch: textSearch{index: x, pattern: pattern}, query: q}
	f := newFilter(scope{path: q.Path, glob: q.Glob})
	all, err := x.grepSources(ctx)
	if err != nil {
		return nil, err
	}
	s.state, s.files = all.state, all.files
	if f.path != "" || len(f.globs) > 0 {
		s.files = nil
		for i := range all.files {
			if p := all.files[i].path; within(p, f.path) && f.globs.admit(p) {
				s.files = append(s.files, all.files[i])
			}
		}
	}
	for _, p := range all.unread {
		if within(p, f.path) && f.globs.admit(p) {
			s.unread++
		}
	}
	return s, nil
}

// run searches all files. The error is that of ctx, unless it is its deadline.
func (s *grepSearch) run(ctx context.Context) error {
	s.look()
	s.found = make([]grepFound, len(s.files))
	var group fault.Group
	for range min(grepWorkers(), len(s.files)) {
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
	if s.made.Load() {
		s.index.weighFilters()
	}
	note(ctx, func(p *Plan) {
		p.Mode = "regex"
		p.Searches++
		p.Bytes += len(s.query.Pattern)
		p.Files += len(s.files)
		p.Read += int(s.read.Load())
	})
}

// grepWorker is what one goroutine needs to search.
type grepWorker struct {
	textReader
	names []nameAt // memory to use
}

// nameAt is where a symbol's name stands.
type nameAt struct {
	line   uint32
	symbol int32
}

func (s *grepSearch) work(ctx context.Context) {
	w := grepWorker{textReader: textReader{search: s.pattern.Searcher(), src: takeText()}}
	defer func() { giveText(w.src) }()
	stop := func() bool { return ctx.Err() != nil }
	for !stop() {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.files) {
			return
		}
		found := &s.found[n]
		if s.text(&w.textReader, n, &found.textHead) {
			s.lines(&w, &s.files[n], found, stop)
		}
	}
}

// lines searches a text.
func (s *grepSearch) lines(w *grepWorker, file *grepSource, found *grepFound, stop func() bool) {
	r := file.record
	var names []nameAt
	named := false
	w.search.Each(w.src, stop, func(n, start, end int) bool {
		found.matches++
		found.bytes += int64(len(file.path) + decimals(n) + end - start + len("::\n"))
		if r == nil || r.traits.Test {
			return true
		}
		if !named {
			w.names = r.nameLines(w.names[:0])
			names, named = w.names, true
		}
		for len(names) > 0 && int(names[0].line) < n {
			names = names[1:]
		}
		for _, at := range names {
			if int(at.line) != n {
				break
			}
			if rank, ok := s.defines(r, at.symbol, w.src[start:end]); ok {
				found.defined = append(found.defined, grepDefined{int32(n), rank})
				break
			}
		}
		return true
	})
}

// nameLines returns where the names of a file's symbols stand, by line.
func (r *record) nameLines(names []nameAt) []nameAt {
	for i := range r.symbols {
		switch s := &r.symbols[i]; s.kind() {
		case syntax.Heading, syntax.Rule, syntax.Key:
		default:
			names = append(names, nameAt{s.nameLine, int32(i)})
		}
	}
	slices.SortFunc(names, func(a, b nameAt) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.symbol, b.symbol)) })
	return names
}

// defines reports whether a match in a line holds of the name of a symbol that is
// defined there, and how good that is: the whole name before a part of it, what runs and
// types before values before fields, what is exported before what is not.
func (s *grepSearch) defines(r *record, symbol int32, text []byte) (rank int8, ok bool) {
	sym := &r.symbols[symbol]
	at := bytes.Index(text, []byte(sym.name))
	if at < 0 || !s.pattern.Overlaps(text, at, at+len(sym.name)) {
		return 0, false
	}
	if !s.pattern.Covers(sym.name) {
		rank += 8
	}
	switch sym.kind() {
	case syntax.Field:
		rank += 4
	case syntax.Variable, syntax.Constant:
		rank += 2
	}
	if !sym.exported {
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
