package watcher

import (
	"maps"
	"slices"
	"time"
)

// retryDelay is the time between a failed batch and its second try: long enough
// for a full disk or a locked file to be noticed, short enough to be called soon.
const retryDelay = time.Second

// A debouncer gathers paths and says when they are to go out: when no change
// has come for the quiet time, but at the latest the delay after the first.
//
//	event  event event                 event ...
//	  |      |     |---- quiet ---->|     |
//	  |------- delay, at the latest --------->|
//
// It is pure: it holds no timer and takes the time from its caller.
type debouncer struct {
	quiet, delay time.Duration
	limit        int // paths beyond which only Rescan is kept

	now   gathering // goes out next
	again gathering // failed; joins now at the time again.last
	out   gathering // handed over last; only what was tried for the second time
}

// A gathering is a set of changes. Its zero value is empty.
type gathering struct {
	paths  map[string]bool // path -> it has failed before
	all    bool            // Rescan; paths is then nil
	tried  bool            // with all: it has failed before
	oldest time.Time       // when the first change was noticed
	since  time.Time       // from which the delay counts
	last   time.Time       // from which the quiet time counts
}

func (g *gathering) empty() bool { return !g.all && len(g.paths) == 0 }

// add notes a change of path.
func (d *debouncer) add(path string, now time.Time) {
	d.touch(now, now)
	d.put(path, false)
}

// lose notes that anything may have changed.
func (d *debouncer) lose(now time.Time) {
	d.touch(now, now)
	d.now.all, d.now.tried, d.now.paths = true, false, nil
}

func (d *debouncer) touch(now, oldest time.Time) {
	g := &d.now
	if g.empty() {
		g.since, g.oldest = now, oldest
	}
	if oldest.Before(g.oldest) {
		g.oldest = oldest
	}
	g.last = now
}

func (d *debouncer) put(path string, tried bool) {
	g := &d.now
	if g.all {
		return
	}
	if old, ok := g.paths[path]; ok {
		tried = tried && old // a new change deserves a new first try
	}
	if g.paths == nil {
		g.paths = make(map[string]bool)
	}
	g.paths[path] = tried
	if len(g.paths) > d.limit {
		g.all, g.tried, g.paths = true, false, nil
	}
}

// due says when the debouncer wants attention; false: not before the next add.
// The caller then calls join, and take if ready says so.
func (d *debouncer) due() (time.Time, bool) {
	var at time.Time
	if !d.now.empty() {
		at = d.now.last.Add(d.quiet)
		if latest := d.now.since.Add(d.delay); latest.Before(at) {
			at = latest
		}
	}
	if !d.again.empty() && (at.IsZero() || d.again.last.Before(at)) {
		at = d.again.last
	}
	return at, !at.IsZero()
}

// join moves what failed, when its time has come, to what goes out next, and
// says if that is to go out now.
func (d *debouncer) join(now time.Time) bool {
	if g := d.again; !g.empty() && !now.Before(g.last) {
		d.again = gathering{}
		d.touch(now, g.oldest)
		if g.all && !d.now.all {
			d.now.all, d.now.tried, d.now.paths = true, true, nil
		}
		for path := range g.paths {
			d.put(path, true)
		}
	}
	if d.now.empty() {
		return false
	}
	return !now.Before(d.now.last.Add(d.quiet)) || !now.Before(d.now.since.Add(d.delay))
}

// take empties the debouncer. What is taken need not be tried again for an
// earlier failure.
func (d *debouncer) take() Batch {
	g := d.now
	d.now, d.out = gathering{}, g
	b := Batch{Rescan: g.all, First: g.oldest}
	if g.all {
		d.again = gathering{}
		return b
	}
	b.Paths = slices.Sorted(maps.Keys(g.paths))
	for _, path := range b.Paths {
		delete(d.again.paths, path)
	}
	return b
}

// failed keeps what was taken last for a second try and returns how many paths
// had theirs and are given up; a Rescan counts as one.
func (d *debouncer) failed(now time.Time) (dropped int) {
	out := d.out
	d.out = gathering{}
	if out.all {
		if out.tried {
			return 1
		}
		d.again = gathering{all: true, oldest: out.oldest, last: now.Add(retryDelay)}
		return 0
	}
	again := gathering{paths: make(map[string]bool), oldest: out.oldest, last: now.Add(retryDelay)}
	for path, tried := range out.paths {
		if tried {
			dropped++
			continue
		}
		again.paths[path] = true
	}
	if d.again.all || len(again.paths) == 0 {
		return dropped // a Rescan waiting for its second try covers them
	}
	if !d.again.empty() { // an earlier failure still waits: keep its time and add to it
		maps.Copy(again.paths, d.again.paths)
		again.oldest, again.last = d.again.oldest, d.again.last
	}
	d.again = again
	return dropped
}
