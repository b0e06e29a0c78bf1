package index

import (
	"context"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// knownTexts is what a View keeps of the texts that are searched.
type knownTexts struct {
	raw     rawTexts
	sources atomic.Pointer[grepSources]
}

// Forget lets go of what keeps records alive.
func (k *knownTexts) Forget() { k.sources.Store(nil) }

func (x *View) texts() *knownTexts { return kept[knownTexts](x) }

// A grepSource is a file to search: a record, or a file on disk.
type grepSource struct {
	path   string
	record *record
	traits source.Traits
	form   bool // the index leaves it out for its form
}

// A textSearch goes through the texts of files, indexed or on disk.
type textSearch struct {
	index   *View
	pattern *line.Pattern
	files   []grepSource
	made    atomic.Bool         // filters
	read    atomic.Int64        // files whose text was searched
	disk    map[int]source.File // of the files that are not indexed, those that are there
	unread  int                 // files of which that was known before
}

// A textHead is what is known of a file's text.
type textHead struct {
	hash   uint64
	unread bool // it could not be read
}

// A textReader is what one goroutine needs to go through texts.
type textReader struct {
	search *line.Searcher
	src    []byte
}

// grepSources are all files that can be searched, by path.
type grepSources struct {
	state  State
	files  []grepSource
	unread []string // files that cannot be read
}

// grepSources returns those of the last commit. Before the first build has ended they
// are listed each time, with the files that are not indexed yet.
func (x *View) grepSources(ctx context.Context) (*grepSources, error) {
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
	if last := x.texts().sources.Load(); last != nil && last.state.Generation == state.Generation && built {
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
		x.texts().sources.Store(s)
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

// grepWorkers is how many goroutines search for one request.
func grepWorkers() int { return min(runtime.GOMAXPROCS(0), maxSearchers) }

// text reads a file, unless its filter rules it out.
func (s *textSearch) text(w *textReader, n int, found *textHead) bool {
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

// compileLine returns a PatternError, with the parser's sentence, for what is not an
// expression of RE2's syntax.
func compileLine(pattern string, opt line.Options) (*line.Pattern, error) {
	p, err := line.CompileWith(pattern, opt)
	if err != nil {
		return nil, &PatternError{Pattern: pattern, Reason: err.Error()}
	}
	return p, nil
}

// textBuffers are buffers for the texts that a search reads, from one search to the next: they
// were a tenth of all memory that a busy server asked for.
var textBuffers sync.Pool

// keptText is the largest buffer that is kept for the next search, in bytes.
const keptText = 1 << 20

func takeText() []byte {
	if b, ok := textBuffers.Get().(*[]byte); ok {
		return *b
	}
	return nil
}

// giveText takes a buffer back: nobody may have a part of it.
func giveText(b []byte) {
	if b = b[:0]; cap(b) > 0 && cap(b) <= keptText {
		textBuffers.Put(&b)
	}
}

// textFor returns the text of a record, its lines ended by line feeds, in dst, unless its
// filter says that a pattern does not match, which ok says. made says that the filter was
// made for this.
func (r *record) textFor(p *line.Pattern, dst []byte) (src []byte, made, ok bool) {
	filter := r.filter.Load()
	if filter != nil && !p.May(filter) {
		return dst, false, false
	}
	src = line.Unix(r.text.appendAll(dst))
	if filter != nil || !p.Selective() {
		return src, false, true
	}
	filter = line.NewFilter(src)
	r.filter.Store(filter)
	return src, true, p.May(filter)
}

// maxSearchers bounds the goroutines of one search. The 13,456 files of
// the Go distribution take 0.14 s of processor time where a literal is known,
// 0.4 s where none is.
const maxSearchers = 4
