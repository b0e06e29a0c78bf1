package watcher

import (
	"context"
	"io/fs"
	"time"

	"github.com/quarry-search/quarry/index/oserror"
)

const (
	// slice is the number of files looked at before notices are served again:
	// about 2 ms.
	slice = 1000
	// rest is the least ratio of the time between rounds to that of a round.
	rest = 20
	// grain is how coarse the times of files may be. A file changed so shortly
	// before a look may change again without a trace in its time.
	grain = 20 * time.Millisecond
	// coarse is the same for file systems that keep whole seconds, or two.
	coarse = 2 * time.Second
)

// A stamp is what is compared of a file.
type stamp struct {
	size    int64
	changed int64 // time of change, Unix nanoseconds
	id      identity
	dir     bool
	fresh   bool // too young to be told from its next version: changed at the next look
	ghost   bool // reported and gone, see snapshot
}

// stampOf takes the stamp of a file; at is a time before info was asked for.
func stampOf(info fs.FileInfo, at time.Time) stamp {
	t := info.ModTime()
	s := stamp{changed: t.UnixNano(), id: identify(info), dir: info.IsDir()}
	if !s.dir {
		s.size = info.Size()
	}
	window := grain
	if t.Nanosecond() == 0 {
		window = coarse
	}
	age := at.Sub(t)
	s.fresh = -window < age && age < window
	return s
}

func (s stamp) differs(now stamp) bool {
	if s.fresh {
		return true
	}
	now.fresh = false
	return s != now
}

// A snapshot is what was in a polled folder.
//
// A name that is reported as gone stays in it as a ghost: who is told may look
// late and find a new file of that name, which may be gone again at the next
// look. So a ghost is reported once more, unless by then the folder's own time
// shows that no name has come or gone.
type snapshot struct {
	self  stamp
	names map[string]stamp // by path relative to the root; ignored ones are missing
}

// shoot makes a snapshot; info must be older than entries, and at older than info.
func (t *tree) shoot(p string, at time.Time, info fs.FileInfo, entries []fs.DirEntry) snapshot {
	s := snapshot{self: stampOf(info, at), names: make(map[string]stamp, len(entries))}
	for _, e := range entries {
		child := join(p, e.Name())
		if t.ignore(child, e.IsDir()) {
			continue
		}
		if info, err := e.Info(); err == nil {
			s.names[child] = stampOf(info, at)
		} else if oserror.Transient(err) {
			s.names[child] = stamp{dir: e.IsDir(), fresh: true}
		} else {
			s.names[child] = stamp{ghost: true}
		}
	}
	return s
}

// look compares a folder with its snapshot, reports what differs and returns
// the number of files it looked at.
func (t *tree) look(ctx context.Context, f *folder) int {
	at := time.Now()
	info, err := t.stat(f.path)
	if oserror.Transient(err) {
		return 1 // until the next look
	}
	if err != nil || !info.IsDir() || identify(info) != f.id {
		if f.path == top {
			return 1 // the loop sees to the root
		}
		t.forget(f.path)
		t.changed(f.path)
		if err == nil && info.IsDir() {
			t.grow(ctx, f.path, true)
		}
		return 1
	}
	if !f.seen.self.differs(stampOf(info, at)) {
		return t.lookAtFiles(f)
	}
	entries, err := t.readDir(f.path)
	if oserror.Transient(err) {
		return 1
	}
	if err != nil {
		t.drop(f, err)
		t.changed(f.path)
		return 1
	}
	was := f.seen.names
	f.seen = t.shoot(f.path, at, info, entries)
	for p, now := range f.seen.names {
		old, known := was[p]
		switch {
		case now.dir:
			// A child that is not in the tree any more has been found again
			// under its new name.
			child := t.folders[p]
			if !known || child == nil || child.id != now.id || old.id != now.id {
				t.forget(p) // to have all files named after the folder is
				t.changed(p)
			}
			t.grow(ctx, p, true)
		case !known || old.differs(now):
			t.forget(p)
			t.changed(p)
		}
	}
	for p := range was {
		if _, ok := f.seen.names[p]; !ok {
			t.forget(p)
			t.changed(p)
			f.seen.names[p] = stamp{ghost: true}
		}
	}
	return 1 + len(entries)
}

// lookAtFiles looks at a folder in which no name has come or gone.
func (t *tree) lookAtFiles(f *folder) int {
	n := 1
	for p, old := range f.seen.names {
		if old.dir {
			continue // it is polled or watched itself
		}
		if old.ghost {
			delete(f.seen.names, p)
			continue
		}
		n++
		at := time.Now()
		info, err := t.stat(p)
		if oserror.Transient(err) {
			continue
		}
		if err != nil {
			f.seen.names[p] = stamp{ghost: true}
			f.seen.self.fresh = true // the names have changed after all
			t.changed(p)
			continue
		}
		if now := stampOf(info, at); old.differs(now) {
			f.seen.names[p] = now
			if now.dir {
				f.seen.self.fresh = true
			}
			t.changed(p)
		}
	}
	return n
}

// A round is one look at all polled folders, in slices.
type round struct {
	todo []*folder
	cost time.Duration // so far
}

// begin starts a round.
func (t *tree) begin() round {
	r := round{todo: make([]*folder, 0, len(t.polled))}
	for _, f := range t.polled {
		r.todo = append(r.todo, f)
	}
	return r
}

// step looks at one slice and returns how long that took. The round is done
// when todo is empty.
func (t *tree) step(ctx context.Context, r *round) time.Duration {
	start := time.Now()
	for n := 0; n < slice && len(r.todo) > 0 && ctx.Err() == nil; {
		f := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		if t.polled[f.path] == f {
			n += t.look(ctx, f)
		}
	}
	cost := time.Since(start)
	r.cost += cost
	return cost
}
