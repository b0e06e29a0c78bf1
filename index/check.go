package index

import (
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/source"
)

// Bounds of what is looked at for one answer. To look at a file takes a microsecond
// or two, to read it the more, which only those need whose time stamp differs or is
// too young to be believed.
const (
	maxChecked      = 100     // files
	maxCheckedBytes = 8 << 20 // of those that are read
)

// look is a file on its way through a check.
type look struct {
	record  *record // nil: it is not in the index any more
	was     source.File
	sure    bool  // an equal time stamp means an equal file
	equal   int64 // when it was begun to be read and found equal, 0: never
	changed bool
	checked bool
}

// A marker calls visit for each place of an answer that names a file.
type marker interface {
	places(visit func(file string, changed *bool))
}

// check marks the places of an answer whose file is no longer what was indexed. The
// answer was given by a generation of the index. Ten files take some 50 us on a busy
// machine, where a search takes 1.5 ms.
func (x *View) check(a marker, generation uint64) (sum Checked) {
	at := make(map[string]int, 16)
	paths := make([]string, 0, 16)
	a.places(func(file string, _ *bool) {
		if _, ok := at[file]; !ok {
			at[file] = len(paths)
			paths = append(paths, file)
		}
	})
	files := make([]look, len(paths))
	n := min(len(paths), maxChecked) // the first are the best, or the nearest
	x.mu.RLock()
	if x.over != nil { // records are the base's, too, which notes the times of files under its own lock
		x.over.base.mu.RLock()
	}
	for i, p := range paths[:n] {
		if r := x.table.files[p]; r != nil {
			files[i] = look{record: r, was: source.File{Path: p, Size: r.size, ModTime: r.modTime}, sure: r.settled()}
		}
	}
	if x.over != nil {
		x.over.base.mu.RUnlock()
	}
	x.mu.RUnlock()
	x.compare(paths[:n], files, maxCheckedBytes)
	x.believe(files[:n])
	since := x.changedSince(generation)
	for i := range files {
		switch f := &files[i]; {
		case since.All || slices.Contains(since.Changed, paths[i]):
			f.changed = true
			fallthrough
		case f.changed:
			sum.Changed++
		case !f.checked:
			sum.Unchecked++
		}
	}
	if sum.Changed > 0 {
		a.places(func(file string, changed *bool) { *changed = files[at[file]].changed })
	}
	return sum
}

// compare looks at files, and reads those of which that does not say enough, but no
// more than left bytes.
func (x *View) compare(paths []string, files []look, left int64) {
	x.tree.Stat(paths, func(i int, now source.File, there bool) {
		f := &files[i]
		switch {
		case f.record == nil || !there || now.Size != f.was.Size:
			f.changed, f.checked = true, true
		case now.ModTime == f.was.ModTime && f.sure:
			f.checked = true
		case now.Size <= left:
			left -= now.Size
			began := time.Now().UnixNano()
			text, skip, err := x.tree.Read(now)
			if skip != nil && skip.Reason == source.Pending {
				return // it cannot be read now
			}
			f.changed = err != nil || skip != nil || xxhash.Sum64(text) != f.record.hash
			f.checked = true
			if !f.changed && now.ModTime == f.was.ModTime {
				f.equal = began
			}
		}
	})
}

// believe notes of files that were read and found equal that their time stamps are old
// enough now to be believed. Without it a tree that was indexed as soon as it was checked
// out would be read for its answers for ever.
func (x *View) believe(files []look) {
	old := func(f *look) bool { return f.equal-f.was.ModTime > int64(racy) }
	if x.over != nil || !slices.ContainsFunc(files, func(f look) bool { return old(&f) }) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range files {
		if f := &files[i]; old(f) && f.record.modTime == f.was.ModTime {
			f.record.readAt.Store(max(f.record.readAt.Load(), f.equal))
		}
	}
}

// changedSince returns what was committed after an answer was made: its text may be
// of a record that has been replaced meanwhile.
func (x *View) changedSince(generation uint64) (e Event) {
	if x.over != nil || x.state.generation.Load() == generation { // a draft stays as it is while somebody asks it
		return e
	}
	l := &x.events
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.All = generation < l.forgotten; !e.All {
		e.collect(l.recent, generation)
	}
	return e
}
