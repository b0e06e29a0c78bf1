package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/fault"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// grepSearch is a Grep while it is made.
type grepSearch struct {
	index   *Index
	query   GrepQuery
	pattern *line.Pattern
	files   []grepSource
	found   []grepFound
	next    atomic.Int64
	made    atomic.Bool         // filters
	read    atomic.Int64        // files whose text was searched
	disk    map[int]source.File // of the files that are not indexed, those that are there
	cut     bool
	unread  int // files of which that was known before
	state   State
}

// A grepSource is a file to search: a record, or a file on disk.
type grepSource struct {
	path   string
	record *record
	traits source.Traits
	form   bool // the index leaves it out for its form
}

// grepFound is what was found in one file.
type grepFound struct {
	hash    uint64
	matches int
	bytes   int64
	defined []grepDefined
	unread  bool
}

type grepDefined struct {
	line int32
	rank int8 // the lower the better
}

// newGrepSearch finds out which files are to be searched.
func (x *Index) newGrepSearch(ctx context.Context, q GrepQuery) (*grepSearch, error) {
	if err := checkGlobs(q.Glob); err != nil {
		return nil, err
	}
	pattern, err := compileLine(q.Pattern, line.Options{Literal: q.Literal, IgnoreCase: q.IgnoreCase, Word: q.Word})
	if err != nil {
		return nil, err
	}
	s := &grepSearch{index: x, query: q, pattern: pattern}
	f := newFilter(Query{Path: q.Path, Glob: q.Glob})
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

// grepSources are all files that can be searched, by path.
type grepSources struct {
	state  State
	files  []grepSource
	unread []string // files that cannot be read
}

// grepSources returns those of the last commit. Before the first build has ended they
// are listed each time, with the files that are not indexed yet.
func (x *Index) grepSources(ctx context.Context) (*grepSources, error) {
	var listed []source.File
	var skips []source.Skip
	built := x.state.built.Load()
	if !built {
		var err error
		if listed, skips, err = x.tree.Walk(ctx); err != nil {
			return nil, err
		}
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, ErrClosed
	}
	state := x.State()
	if last := x.sources.Load(); last != nil && last.state.Generation == state.Generation && built {
		now := *last
		now.state = state
		return &now, nil
	}
	s := &grepSources{state: state}
	for _, r := range x.table.below("") {
		s.files = append(s.files, grepSource{path: r.path, record: r, traits: r.traits})
	}
	indexed := len(s.files)
	if built {
		for _, skip := range x.table.skips {
			s.add(skip)
		}
	}
	for _, skip := range skips {
		if x.table.files[skip.Path] == nil {
			s.add(skip)
		}
	}
	for _, one := range listed {
		if x.table.files[one.Path] == nil {
			s.files = append(s.files, grepSource{path: one.Path, traits: source.TraitsOf(one.Path)})
		}
	}
	// What is indexed comes by path: to sort all of a large tree after each edit takes long.
	slices.SortFunc(s.files[indexed:], compareSources)
	if indexed < len(s.files) {
		s.files = interleaved(s.files[:indexed], s.files[indexed:])
	}
	if built {
		x.sources.Store(s)
	}
	return s, nil
}

func compareSources(a, b grepSource) int { return strings.Compare(a.path, b.path) }

// interleaved makes one list by path of two.
func interleaved(a, b []grepSource) []grepSource {
	out := make([]grepSource, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compareSources(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// add takes on a file that the index leaves out, if that is for its form.
func (s *grepSources) add(skip source.Skip) {
	switch skip.Reason {
	case source.Generated, source.Minified, source.Oversized, source.LongLine, source.NotUTF8:
		s.files = append(s.files, grepSource{path: skip.Path, traits: source.TraitsOf(skip.Path), form: true})
	case source.Unreadable, source.Pending:
		s.unread = append(s.unread, skip.Path)
	}
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
		p.Mode = Regex
		p.Searches++
		p.Bytes += len(s.query.Pattern)
		p.Files += len(s.files)
		p.Read += int(s.read.Load())
	})
}

// grepWorkers is how many goroutines search for one request.
func grepWorkers() int { return min(runtime.GOMAXPROCS(0), maxSearchers) }

// grepWorker is what one goroutine needs to search.
type grepWorker struct {
	search *line.Searcher
	src    []byte
	names  []nameAt // memory to use
}

// nameAt is where a symbol's name stands.
type nameAt struct {
	line   uint32
	symbol int32
}

func (s *grepSearch) work(ctx context.Context) {
	w := grepWorker{search: s.pattern.Searcher(), src: takeText()}
	defer func() { giveText(w.src) }()
	stop := func() bool { return ctx.Err() != nil }
	for !stop() {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.files) {
			return
		}
		found := &s.found[n]
		if s.text(&w, n, found) {
			s.lines(&w, &s.files[n], found, stop)
		}
	}
}

// text reads a file, unless its filter rules it out.
func (s *grepSearch) text(w *grepWorker, n int, found *grepFound) bool {
	r := s.files[n].record
	if r == nil {
		now, there := s.disk[n]
		return there && s.rawText(w, now, found) // gone since: the watcher will say so
	}
	found.hash = r.hash
	src, made, ok := r.textFor(s.pattern, w.src[:0])
	if ok {
		s.read.Add(1)
	}
	if w.src = src; made {
		s.made.Store(true)
	}
	return ok
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
