// Package texts goes through the texts of files, those that are indexed and those on disk
// that the index leaves out for their form, and skips what filters rule out.
package texts

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// knownTexts is what a View keeps of the texts that are searched.
type knownTexts struct {
	raw      rawTexts
	sources  atomic.Pointer[Sources]
	postings knownPostings
}

// Forget lets go of what keeps records alive.
func (k *knownTexts) Forget() {
	k.sources.Store(nil)
	k.postings.last.Store(nil)
}

func keptOf(x *store.View) *knownTexts { return store.Kept[knownTexts](x) }

// A Source is a file to search: a record, or a file on disk.
type Source struct {
	Path   string
	Record *store.Record
	Traits source.Traits
	Form   bool  // the index leaves it out for its form
	number int32 // of the record, in the order of all paths
}

// A Search goes through the texts of files, indexed or on disk.
type Search struct {
	Index   *store.View
	Pattern *line.Pattern
	Files   []Source
	Records []*store.Record // all, of Sources
	Left    []int32         // files that are left to read, in order, after Look
	Made    atomic.Bool     // filters
	Read    atomic.Int64    // files whose text was searched
	Unread  int             // files of which that was known before

	disk     map[int]source.File // of the files that are not indexed, those that are there
	admitted set                 // records; nil: all
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
	pieces []int // memory to use
}

// Sources are all files that can be searched, by path.
type Sources struct {
	State   answer.State
	Files   []Source
	Records []*store.Record // those of Files, by path; belongs to all who have asked
	Unread  []string        // files that cannot be read
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
	s := &Sources{State: state, Records: x.Table.Below("")}
	s.Files = make([]Source, 0, len(s.Records)+len(x.Table.Skips)+len(listed))
	for i, r := range s.Records {
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
	switch skip.Reason {
	case source.Generated, source.Minified, source.Oversized, source.LongLine, source.NotUTF8:
		s.Files = append(s.Files, Source{Path: skip.Path, Traits: source.TraitsOf(skip.Path), Form: true})
	case source.Unreadable, source.Pending:
		s.Unread = append(s.Unread, skip.Path)
	}
}

// Workers is how many goroutines search for one request.
func Workers() int { return min(runtime.GOMAXPROCS(0), maxSearchers) }

// Look finds out which files are left to read. It asks the system for the size and time of
// those on disk, all at once, so that it looks at each folder once.
func (s *Search) Look() {
	s.stat()
	if len(s.Records) > 0 && s.Pattern.Selective() {
		s.admitted = keptOf(s.Index).postings.of(s.Records).admit(s.Pattern)
	}
	for n := range s.Files {
		if s.may(n) {
			s.Left = append(s.Left, int32(n))
		}
	}
}

// may reports whether a file has to be read, as far as it is known before.
func (s *Search) may(n int) bool {
	if file := &s.Files[n]; file.Record != nil {
		return s.admitted == nil || s.admitted.has(file.number)
	}
	return s.mayOnDisk(n)
}

// Text reads a file, unless it is ruled out that the pattern matches.
func (s *Search) Text(w *Reader, n int, found *Head) bool {
	r := s.Files[n].Record
	if r == nil {
		now, there := s.disk[n]
		return there && s.rawText(w, now, found) // gone since: the watcher will say so
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
		return nil, &answer.PatternError{Pattern: pattern, Reason: err.Error()}
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

// Record reads the text of a record, its lines ended by line feeds, unless its filter says
// that a pattern does not match, which ok says. made says that the filter was made for this.
func (w *Reader) Record(x *store.View, r *store.Record, p *line.Pattern) (ok, made bool) {
	filter := r.Filter.Load()
	if filter != nil && !w.begins(r, filter, p) {
		return false, false
	}
	w.Src = r.Text.AppendAll(w.Src[:0])
	if filter == nil && p.Selective() {
		made = true
		filter = line.NewFilter(w.Src) // of the text as it is packed, see begins
		r.Filter.Store(filter)
		keptOf(x).postings.version.Add(1)
		ok = p.May(filter)
	} else {
		ok = true
	}
	w.Src = line.Unix(w.Src)
	return ok, made
}

// begins reports whether a literal that every match holds may be in a text. Where its filter
// admits a few pieces of many, it looks into those.
func (w *Reader) begins(r *store.Record, f *line.Filter, p *line.Pattern) bool {
	pieces, few := p.Pieces(f, w.pieces[:0])
	w.pieces = pieces
	if !few || len(pieces) == 0 {
		return len(pieces) > 0
	}
	if w.Search == nil {
		w.Search = p.Searcher()
	}
	for _, n := range pieces {
		from := n * line.PieceSize
		w.Src = r.Text.AppendSlice(w.Src[:0], from, from+line.PieceSize+p.Reach())
		if w.Search.Holds(w.Src) {
			return true
		}
	}
	return false
}

// maxSearchers bounds the goroutines of one search. The 13,456 files of
// the Go distribution take 0.14 s of processor time where a literal is known,
// 0.4 s where none is.
const maxSearchers = 4
