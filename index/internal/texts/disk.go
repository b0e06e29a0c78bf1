package texts

import (
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// stat asks the system for the size and time of the files on disk.
func (s *Search) stat() {
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

// mayOnDisk reports whether a file on disk has to be read, as far as it is known before.
func (s *Search) mayOnDisk(n int) bool {
	now, there := s.disk[n]
	if !there {
		return false
	}
	known, ok := keptOf(s.Index).raw.get(now.Path)
	return !ok || !known.rulesOut(now, s.Pattern)
}

// rulesOut reports whether a file that is now of a size and time cannot match.
func (t *rawText) rulesOut(now source.File, p *line.Pattern) bool {
	return t.is(now) && (t.none || t.filter != nil && !p.May(t.filter))
}

func (t *rawText) is(now source.File) bool { return t.size == now.Size && t.modTime == now.ModTime }

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
			known.filter.Blocks(func(b *line.Block, _ uint8) { n += b.Bytes() })
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
	if ok && known.rulesOut(now, s.Pattern) {
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
	if !(ok && known.is(now)) && s.Pattern.Selective() && Settled(now) {
		filter := line.NewFilter(w.Src)
		keptOf(x).raw.put(name, rawText{size: now.Size, modTime: now.ModTime, filter: filter})
		s.Made.Store(true)
		return s.Pattern.May(filter)
	}
	return true
}

// Weigh notes what the filters take, and packs them.
func Weigh(x *store.View) {
	x.Mu.RLock()
	records := x.Table.Below("")
	x.Mu.RUnlock()
	k := keptOf(x)
	x.Counters.Filters.Store(k.raw.bytes() + k.postings.of(records).bytes)
}
