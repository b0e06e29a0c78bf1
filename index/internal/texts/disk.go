package texts

import (
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Look asks the system for the size and time of the files on disk, all at once, so that
// it looks at each folder once.
func (s *Search) Look() {
	var paths []string
	var at []int
	for i := range s.Files {
		if s.Files[i].Record == nil {
			paths, at = append(paths, s.Files[i].Path), append(at, i)
		}
	}
	s.disk = make(map[int]source.File, len(paths))
	seen := 0
	s.Index.Tree.Stat(paths, func(i int, f source.File, there bool) {
		seen++
		if there {
			s.disk[at[i]] = f
		}
	})
	s.Unread += len(paths) - seen
}

// OnDisk returns what Look found of a file that is not indexed.
func (s *Search) OnDisk(n int) (f source.File, there bool) {
	f, there = s.disk[n]
	return f, there
}

// Settled reports whether a file is old enough for an equal size and time to mean an equal text.
func Settled(f source.File) bool { return time.Since(time.Unix(0, f.ModTime)) > settled }

// rawText is what is known of a file that is searched on disk.
type rawText struct {
	size    int64
	modTime int64
	none    bool // it is no text
	filter  *line.Filter
}

// rawTexts are the files that are searched on disk. The zero value is ready.
type rawTexts struct {
	mu    sync.Mutex
	files map[string]rawText
}

func (t *rawTexts) get(path string) (rawText, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known, ok := t.files[path]
	return known, ok
}

// maxRaw bounds how many files are known.
const maxRaw = 50_000

func (t *rawTexts) put(path string, known rawText) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files == nil || len(t.files) >= maxRaw {
		t.files = map[string]rawText{}
	}
	t.files[path] = known
}

func (t *rawTexts) bytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := int64(0)
	for p, known := range t.files {
		n += int64(len(p)) + 64
		if known.filter != nil {
			n += known.filter.Bytes()
		}
	}
	return n
}

// settled is how old a file must be, since it was written, for its size and time to say
// that it is the same.
const settled = 2 * time.Second

// rawText reads a file from disk, unless what is known of it rules it out.
func (s *Search) rawText(w *Reader, now source.File, found *Head) bool {
	x, name := s.Index, now.Path
	known, ok := keptOf(x).raw.get(name)
	same := ok && known.size == now.Size && known.modTime == now.ModTime
	if same && (known.none || known.filter != nil && !s.Pattern.May(known.filter)) {
		return false
	}
	text, _, skip, err := x.Tree.Text(name)
	if err != nil || skip != nil {
		none := skip != nil && (skip.Reason == source.Binary || skip.Reason == source.NotUTF8 || skip.Reason == source.Secret)
		found.Unread = !none
		if none {
			keptOf(x).raw.put(name, rawText{size: now.Size, modTime: now.ModTime, none: true})
		}
		return false
	}
	found.Hash = xxhash.Sum64(text)
	w.Src = line.Unix(text)
	if !same && s.Pattern.Selective() && Settled(now) {
		filter := line.NewFilter(w.Src)
		keptOf(x).raw.put(name, rawText{size: now.Size, modTime: now.ModTime, filter: filter})
		s.Made.Store(true)
		return s.Pattern.May(filter)
	}
	return true
}

// WeighFilters notes what the filters take.
func WeighFilters(x *store.View) {
	n := keptOf(x).raw.bytes()
	x.Mu.RLock()
	for _, r := range x.Table.Files {
		if f := r.Filter.Load(); f != nil {
			n += f.Bytes()
		}
	}
	x.Mu.RUnlock()
	x.Counters.Filters.Store(n)
}
