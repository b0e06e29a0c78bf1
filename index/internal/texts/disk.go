package texts

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// onDisk is what a search knows of files that are not indexed, by their numbers.
type onDisk struct {
	files    []source.File // without a path where there is none
	known    []*rawText
	admitted set    // texts of which that is known; nil: all
	seen     []bool // the system has said whether they are there; of a sealed tree it never does
}

// may reports whether a file has to be read, as far as that is known before.
func (d *onDisk) may(i int32) bool {
	now := &d.files[i]
	if now.Path == "" {
		return false // gone since: the watcher will say so
	}
	if known := d.known[i]; known.is(now) {
		return !known.none && (d.admitted == nil || d.admitted.has(i))
	}
	return true
}

// stat asks the system for the size and time of the files on disk.
func (s *Search) stat() {
	d := &s.disk
	d.known = keptOf(s.Index).raw.of(s.Sources.raw)
	if b := s.Before; b != nil && same(b.Sources.raw, s.Sources.raw) {
		d.files, d.seen, s.Unread, s.Before = b.disk.files, b.disk.seen, b.Unread, nil
		return
	}
	d.files, d.seen = make([]source.File, len(s.Sources.raw)), make([]bool, len(s.Sources.raw))
	var paths []string
	var at []int32
	for i := range s.Files {
		if file := &s.Files[i]; file.Record == nil {
			paths, at = append(paths, file.Path), append(at, file.number)
		}
	}
	var group fault.Group
	share := max(len(paths)/Workers()+1, someStats)
	for from := 0; from < len(paths); from += share {
		to := min(from+share, len(paths))
		look := func() {
			s.Index.Tree.Stat(paths[from:to], func(i int, f source.File, there bool) {
				d.seen[at[from+i]] = true
				if there {
					d.files[at[from+i]] = f
				}
			})
		}
		if to == len(paths) {
			look()
		} else {
			group.Go(look)
		}
	}
	group.Wait()
	for _, number := range at {
		if !d.seen[number] {
			s.Unread++
		}
	}
}

// someStats are too few files to be asked for in several goroutines.
const someStats = 128

// OnDisk returns what Look found of a file that is not indexed.
func (s *Search) OnDisk(n int) (f source.File, there bool) {
	f = s.disk.files[s.Files[n].number]
	return f, f.Path != ""
}

// Unseen reports whether nobody could say of a file that is not indexed whether it is there. Text counts it as unread.
func (s *Search) Unseen(n int) bool {
	return s.Files[n].Record == nil && !s.disk.seen[s.Files[n].number]
}

// Settled reports whether a file is old enough for an equal size and time to mean an equal text.
func Settled(f source.File) bool { return time.Since(time.Unix(0, f.ModTime)) > settled }

// rawText is what is known of a file that is searched on disk. It never changes, but that its
// filter is packed.
type rawText struct {
	size    int64
	modTime int64
	none    bool // it is no text
	filter  atomic.Pointer[line.Filter]
}

func (t *rawText) is(now *source.File) bool { return t.size == now.Size && t.modTime == now.ModTime }

func (t *rawText) place() *atomic.Pointer[line.Filter] { return &t.filter }

// rawTexts are the files that are searched on disk. The zero value is ready.
type rawTexts struct {
	mu       sync.Mutex
	files    map[string]*rawText
	paths    []string // of the last list
	list     []*rawText
	postings knownPostings[*rawText]
}

// of returns what is known of some files.
func (t *rawTexts) of(paths []string) []*rawText {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.list != nil && same(t.paths, paths) {
		return t.list
	}
	unknown := &rawText{size: -1}
	t.paths, t.list = paths, make([]*rawText, len(paths))
	for i, p := range paths {
		if t.list[i] = t.files[p]; t.list[i] == nil {
			t.list[i] = unknown
		}
	}
	return t.list
}

// maxRaw bounds how many files are known.
const maxRaw = 50_000

func (t *rawTexts) put(path string, known *rawText) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files == nil || len(t.files) >= maxRaw {
		t.files = map[string]*rawText{}
	}
	t.files[path] = known
	t.list = nil
}

func (t *rawTexts) bytes() int64 {
	t.mu.Lock()
	paths, n := t.paths, int64(0)
	for p := range t.files {
		n += int64(len(p)) + 96
	}
	t.mu.Unlock()
	return n + t.postings.of(t.of(paths), (*rawText).place).bytes
}

// settled is how old a file must be, since it was written, for its size and time to say
// that it is the same.
const settled = 2 * time.Second

// rawText reads a file from disk.
func (s *Search) rawText(w *Reader, n int, found *Head) bool {
	number := s.Files[n].number
	now, name := &s.disk.files[number], s.Files[n].Path
	text, _, skip, err := s.Index.Tree.Text(name)
	if err != nil || skip != nil {
		none := skip != nil && (skip.Reason == source.Binary || skip.Reason == source.NotUTF8 || skip.Reason == source.Secret)
		found.Unread = !none
		if none {
			keptOf(s.Index).raw.put(name, &rawText{size: now.Size, modTime: now.ModTime, none: true})
		}
		return false
	}
	found.Hash = xxhash.Sum64(text)
	w.Src = line.Unix(text)
	if s.disk.known[number].is(now) || !s.Pattern.Selective() || !Settled(*now) {
		return true
	}
	known := &rawText{size: now.Size, modTime: now.ModTime}
	filter := line.NewDense(w.Src)
	known.filter.Store(filter)
	keptOf(s.Index).raw.put(name, known)
	s.Made.Store(true)
	return s.Pattern.May(filter)
}

// Undecoded returns what can be looked for in one of Sources.Undecoded: its text but for NUL bytes, so that two bytes a
// letter are one. ok is false where it cannot be read.
func Undecoded(x *store.View, path string) (text []byte, ok bool) {
	raw, ok := x.Tree.Undecoded(path)
	return bytes.ReplaceAll(raw, []byte{0}, nil), ok
}
