package store

import (
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
)

// Bounds of what is looked at for one answer. To look at a file takes a microsecond
// or two, to read it the more, which only those need whose time stamp differs or is
// too young to be believed.
const (
	MaxChecked      = 100     // files
	maxCheckedBytes = 8 << 20 // of those that are read
)

// Look is a file on its way through a check.
type Look struct {
	Record  *Record // nil: it is not in the index, or not any more
	leftOut bool    // it was never: what an answer has of it was read for that
	Was     source.File
	Sure    bool  // an equal time stamp means an equal file
	equal   int64 // when it was begun to be read and found equal, 0: never
	Changed bool
	Checked bool
}

// A Marker calls visit for each place of an answer that names a file.
type Marker interface {
	Places(visit func(file string, changed *bool))
}

// Check marks the places of an answer whose file is no longer what was indexed. The
// answer was given by a generation of the index. Ten files take some 50 us on a busy
// machine, where a search takes 1.5 ms.
func (x *View) Check(a Marker, generation uint64) (sum answer.Checked) {
	if x.Tree.Sealed() {
		return sum
	}
	at := make(map[string]int, 16)
	paths := make([]string, 0, 16)
	a.Places(func(file string, _ *bool) {
		if _, ok := at[file]; !ok {
			at[file] = len(paths)
			paths = append(paths, file)
		}
	})
	files := make([]Look, len(paths))
	n := min(len(paths), MaxChecked) // the first are the best, or the nearest
	x.Mu.RLock()
	if x.Over != nil { // records are the base's, too, which notes the times of files under its own lock
		x.Over.Base.Mu.RLock()
	}
	for i, p := range paths[:n] {
		if r := x.Table.Files[p]; r != nil {
			files[i] = Look{Record: r, Was: source.File{Path: p, Size: r.Size, ModTime: r.ModTime}, Sure: r.Settled()}
		} else if s, ok := x.Table.Skips[p]; ok {
			files[i].leftOut = s.Reason.Form()
		}
	}
	if x.Over != nil {
		x.Over.Base.Mu.RUnlock()
	}
	x.Mu.RUnlock()
	x.Compare(paths[:n], files, maxCheckedBytes)
	x.believe(files[:n])
	since := x.ChangedSince(generation)
	for i := range files {
		switch f := &files[i]; {
		case since.All || slices.Contains(since.Changed, paths[i]):
			f.Changed = true
			fallthrough
		case f.Changed:
			sum.Changed++
		case !f.Checked:
			sum.Unchecked++
		}
	}
	if sum.Changed > 0 {
		a.Places(func(file string, changed *bool) { *changed = files[at[file]].Changed })
	}
	return sum
}

// Compare looks at files, and reads those of which that does not say enough, but no
// more than left bytes.
func (x *View) Compare(paths []string, files []Look, left int64) {
	x.Tree.Stat(paths, func(i int, now source.File, there bool) {
		f := &files[i]
		switch {
		case f.leftOut && there:
			f.Checked = true
		case f.Record == nil || !there || now.Size != f.Was.Size:
			f.Changed, f.Checked = true, true
		case now.ModTime == f.Was.ModTime && f.Sure:
			f.Checked = true
		case now.Size <= left:
			left -= now.Size
			began := time.Now().UnixNano()
			text, skip, err := x.Tree.Read(now)
			if skip != nil && skip.Reason == source.Pending {
				return // it cannot be read now
			}
			f.Changed = err != nil || skip != nil || xxhash.Sum64(text) != f.Record.Hash
			f.Checked = true
			if !f.Changed && now.ModTime == f.Was.ModTime {
				f.equal = began
			}
		}
	})
}

// believe notes of files that were read and found equal that their time stamps are old
// enough now to be believed. Without it a tree that was indexed as soon as it was checked
// out would be read for its answers for ever.
func (x *View) believe(files []Look) {
	old := func(f *Look) bool { return f.equal-f.Was.ModTime > int64(Racy) }
	if x.Over != nil || !slices.ContainsFunc(files, func(f Look) bool { return old(&f) }) {
		return
	}
	x.Mu.Lock()
	defer x.Mu.Unlock()
	for i := range files {
		if f := &files[i]; old(f) && f.Record.ModTime == f.Was.ModTime {
			f.Record.ReadAt.Store(max(f.Record.ReadAt.Load(), f.equal))
		}
	}
}

// ChangedSince returns what was committed after an answer was made: its text may be
// of a record that has been replaced meanwhile.
func (x *View) ChangedSince(generation uint64) (e answer.Event) {
	if x.Over != nil || x.Counters.Generation.Load() == generation { // a draft stays as it is while somebody asks it
		return e
	}
	l := &x.Events
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.All = generation < l.forgotten; !e.All {
		collect(&e, l.Recent, generation)
	}
	return e
}
