// Package texts goes through the texts of files, those that are indexed and those on disk
// that the index leaves out for their form, and skips what filters rule out.
package texts

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/posix"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// knownTexts is what a View keeps of the texts that are searched.
type knownTexts struct {
	sources atomic.Pointer[Sources]
	records knownPostings[*store.Record]
	raw     rawTexts
}

// Forget lets go of what keeps records alive.
func (k *knownTexts) Forget() {
	k.sources.Store(nil)
	k.records.last.Store(nil)
}

func keptOf(x *store.View) *knownTexts { return store.Kept[knownTexts](x) }

// A Source is a file to search: a record, or a file on disk.
type Source struct {
	Path   string
	Record *store.Record
	Traits source.Traits
	Form   bool  // the index leaves it out for its form
	number int32 // among all that are indexed, or all that are not
}

// A Search goes through the texts of files, indexed or on disk.
type Search struct {
	Index   *store.View
	Pattern *line.Pattern
	Sources *Sources
	Files   []Source     // of Sources
	Before  *Search      // another one for the same question, which has looked at the disk; nil: there is none
	Left    []int32      // files that are left to read, in order; see Look
	Made    atomic.Bool  // filters
	Read    atomic.Int64 // files whose text was searched
	Unread  int          // files of which that was known before

	admitted set // indexed files; nil: all
	disk     onDisk
}

// A Head is what is known of a file's text.
type Head struct {
	Hash   uint64
	Unread bool // it could not be read
}

// A Reader is what one goroutine needs to go through texts.
type Reader struct {
	Search *line.Searcher // of the pattern; nil: made when it is needed
	Src    []byte
	parts  []int // memory to use
}

// Sources are all files that can be searched, by path.
type Sources struct {
	State   answer.State
	Files   []Source
	records []*store.Record // those of Files, by path
	raw     []string        // paths of those that are not indexed
	Unread  []string        // files that cannot be read
	Out     []source.Skip   // files that are not searched for what they are: binary or secret
	// Undecoded are those of them, or of another encoding, that are code by their names.
	Undecoded []string
}

// SourcesOf returns those of the last commit. Before the first build has ended they
// are listed each time, with the files that are not indexed yet.
func SourcesOf(ctx context.Context, x *store.View) (*Sources, error) {
	var listed []source.File
	var skips []source.Skip
	built := x.Counters.Built.Load()
	if !built {
		var err error
		if listed, skips, err = x.Tree.Walk(ctx); err != nil {
			return nil, err
		}
	}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		return nil, answer.ErrClosed
	}
	state := x.State()
	if last := keptOf(x).sources.Load(); last != nil && last.State.Generation == state.Generation && built {
		now := *last
		now.State = state
		return &now, nil
	}
	s := &Sources{State: state, records: x.Table.Below("")}
	s.Files = make([]Source, 0, len(s.records)+len(x.Table.Skips)+len(listed))
	for i, r := range s.records {
		s.Files = append(s.Files, Source{Path: r.Path, Record: r, Traits: r.Traits, number: int32(i)})
	}
	indexed := len(s.Files)
	if built {
		for _, skip := range x.Table.Skips {
			s.add(skip)
		}
	}
	for _, skip := range skips {
		if x.Table.Files[skip.Path] == nil {
			s.add(skip)
		}
	}
	for _, one := range listed {
		if x.Table.Files[one.Path] == nil {
			s.Files = append(s.Files, Source{Path: one.Path, Traits: source.TraitsOf(one.Path)})
		}
	}
	// What is indexed comes by path: to sort all of a large tree after each edit takes long.
	slices.SortFunc(s.Files[indexed:], compareSources)
	for i := range s.Files[indexed:] {
		file := &s.Files[indexed+i]
		file.number = int32(i)
		s.raw = append(s.raw, file.Path)
	}
	if indexed < len(s.Files) {
		s.Files = interleaved(s.Files[:indexed], s.Files[indexed:])
	}
	if built {
		keptOf(x).sources.Store(s)
	}
	return s, nil
}

func compareSources(a, b Source) int { return strings.Compare(a.Path, b.Path) }

// interleaved makes one list by path of two.
func interleaved(a, b []Source) []Source {
	out := make([]Source, 0, len(a)+len(b))
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
func (s *Sources) add(skip source.Skip) {
	if skip.Undecoded() {
		if lang := source.Language(skip.Path, nil); lang != "" && !source.IsText(lang) && !source.IsData(lang) {
			s.Undecoded = append(s.Undecoded, skip.Path)
		}
	}
	switch {
	case skip.Reason.Form():
		s.Files = append(s.Files, Source{Path: skip.Path, Traits: source.TraitsOf(skip.Path), Form: true})
	case skip.Reason == source.Unreadable || skip.Reason == source.Pending:
		s.Unread = append(s.Unread, skip.Path)
	case skip.Reason == source.Binary || skip.Reason == source.Secret:
		s.Out = append(s.Out, skip)
	}
}

// Workers is how many goroutines search for one request.
func Workers() int { return min(runtime.GOMAXPROCS(0), maxSearchers) }

// Look finds out which files are left to read. It asks the system for the size and time of
// those on disk, all at once, so that it looks at each folder once.
func (s *Search) Look() {
	s.stat()
	if s.Pattern.Selective() {
		k := keptOf(s.Index)
		s.admitted = k.records.of(s.Sources.records, filterOf).admit(s.Pattern)
		s.disk.admitted = k.raw.postings.of(s.disk.known, (*rawText).place).admit(s.Pattern)
	}
	for n := range s.Files {
		if s.may(n) {
			s.Left = append(s.Left, int32(n))
		}
	}
}

// may reports whether a file has to be read, as far as that is known before.
func (s *Search) may(n int) bool {
	file := &s.Files[n]
	if file.Record == nil {
		return s.disk.may(file.number)
	}
	return s.admitted == nil || s.admitted.has(file.number)
}

// Text reads a file, unless it is ruled out that the pattern matches.
func (s *Search) Text(w *Reader, n int, found *Head) bool {
	r := s.Files[n].Record
	if r == nil {
		found.Unread = s.Unseen(n)
		return s.may(n) && s.rawText(w, n, found)
	}
	found.Hash = r.Hash
	if !s.may(n) {
		return false
	}
	ok, made := w.Record(s.Index, r, s.Pattern)
	if ok {
		s.Read.Add(1)
	}
	if made {
		s.Made.Store(true)
	}
	return ok
}

// Compile returns a PatternError, with the parser's sentence, for what is not an
// expression of RE2's syntax.
func Compile(pattern string, opt line.Options) (*line.Pattern, error) {
	p, err := line.CompileWith(pattern, opt)
	if err != nil {
		var refused *posix.Error
		return nil, &answer.PatternError{Pattern: pattern, Reason: err.Error(), Unsupported: errors.As(err, &refused) && refused.Unsupported}
	}
	return p, nil
}

// textBuffers are buffers for the texts that a search reads, from one search to the next: they
// were a tenth of all memory that a busy server asked for.
var textBuffers sync.Pool

// keptText is the largest buffer that is kept for the next search, in bytes.
const keptText = 1 << 20

func Take() []byte {
	if b, ok := textBuffers.Get().(*[]byte); ok {
		return *b
	}
	return nil
}

// Give takes a buffer back: nobody may have a part of it.
func Give(b []byte) {
	if b = b[:0]; cap(b) > 0 && cap(b) <= keptText {
		textBuffers.Put(&b)
	}
}

// maxSearchers bounds the goroutines of one search. The 13,456 files of
// the Go distribution take 0.14 s of processor time where a literal is known,
// 0.4 s where none is.
const maxSearchers = 4

// TestsLast goes through the numbers of files, and puts tests after other files: of the places that
// there is a doubt about, one is told, and that should be one that matters in production.
func TestsLast(all iter.Seq[int], files []Source) iter.Seq[int] {
	return func(yield func(int) bool) {
		var tests []int
		for n := range all {
			if files[n].Traits.Test {
				tests = append(tests, n)
			} else if !yield(n) {
				return
			}
		}
		for _, n := range tests {
			if !yield(n) {
				return
			}
		}
	}
}
