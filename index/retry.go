package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/oserror"
)

// retryPaths is how many paths are read again at once while none of them can be: after a
// network has gone away, a whole tree waits. Each time that some can be, four times as
// many come next.
const retryPaths = 200

// retries are the files and folders that an error which passes has kept from being read,
// see oserror. Run reads them again, at growing intervals, for as long as it takes; until
// then what was indexed of them stays, and State says that they are pending. Whoever else
// comes to read them settles them too. The zero value is ready.
type retries struct {
	size   atomic.Int64  // of paths and all
	unread *atomic.Int64 // size, too, for State; nil: nobody asks

	mu      sync.Mutex
	paths   map[string]bool
	order   []string // of paths; first those that were tried the longest ago
	all     bool     // the root itself could not be walked
	due     time.Time
	most    int // paths of the next try
	backoff oserror.Backoff

	slowly atomic.Int64        // of slow
	slow   map[string]struct{} // paths whose text was still being parsed when they were committed last
	waits  []slowWait
}

// A slowWait is somebody who waits until some paths are no longer slow.
type slowWait struct {
	paths map[string]struct{} // those that are left
	done  chan struct{}
}

// note has paths read again, or with all the whole root. It reports whether there was
// nothing to be read again before.
func (r *retries) note(all bool, paths ...string) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = r.size.Load() == 0
	if r.paths == nil {
		r.paths, r.most = map[string]bool{}, retryPaths
	}
	for _, p := range paths {
		if !r.paths[p] {
			r.paths[p] = true
			r.order = append(r.order, p)
		}
	}
	r.all = r.all || all
	r.count()
	if r.size.Load() > 0 && r.due.IsZero() {
		r.due = time.Now().Add(r.backoff.Next())
	}
	return first && r.size.Load() > 0
}

// take forgets the paths that match, because they are about to be read, and returns them.
func (r *retries) take(match func(path string) bool) (taken []string) {
	if r.size.Load() == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order = slices.DeleteFunc(r.order, func(p string) bool {
		if !match(p) {
			return false
		}
		taken = append(taken, p)
		delete(r.paths, p)
		return true
	})
	r.count()
	return taken
}

// walked notes that the root could be walked.
func (r *retries) walked() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = false
	r.count()
}

func (r *retries) count() {
	n := len(r.paths)
	if r.all {
		n++
	}
	r.size.Store(int64(n))
	if r.unread != nil {
		r.unread.Store(int64(n))
	}
}

// committed notes whether a path's text is still being parsed, now that it was committed.
func (r *retries) committed(path string, slow bool) {
	if !slow && r.slowly.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slow {
		if r.slow == nil {
			r.slow = map[string]struct{}{}
		}
		r.slow[path] = struct{}{}
	} else {
		delete(r.slow, path)
		r.waits = slices.DeleteFunc(r.waits, func(w slowWait) bool {
			if delete(w.paths, path); len(w.paths) > 0 {
				return false
			}
			close(w.done)
			return true
		})
	}
	r.slowly.Store(int64(len(r.slow)))
}

// wait waits until the texts are parsed that are being parsed now. It needs a running Run.
func (r *retries) wait(ctx context.Context) error {
	r.mu.Lock()
	w := slowWait{maps.Clone(r.slow), make(chan struct{})}
	if len(w.paths) == 0 {
		r.mu.Unlock()
		return nil
	}
	r.waits = append(r.waits, w)
	r.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		r.mu.Lock()
		defer r.mu.Unlock()
		r.waits = slices.DeleteFunc(r.waits, func(o slowWait) bool { return o.done == w.done })
		return ctx.Err()
	}
}

// within has the next try, if there is to be one, come no later than after d.
func (r *retries) within(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if by := time.Now().Add(d); r.size.Load() > 0 && r.due.After(by) {
		r.due = by
	}
}

// next returns when the next try is due; zero: there is none.
func (r *retries) next() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size.Load() == 0 {
		r.due, r.most = time.Time{}, retryPaths
		r.backoff.Reset()
	}
	return r.due
}

// batch returns what is to be tried now.
func (r *retries) batch() (paths []string, all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.order[:min(len(r.order), r.most)]), r.all
}

// tried notes that a batch was, and sets the time of the next.
func (r *retries) tried(paths []string, all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	some := slices.ContainsFunc(paths, func(p string) bool { return !r.paths[p] })
	if some || all && !r.all { // some could be read
		r.backoff.Reset()
		r.most *= 4
	} else {
		r.most = retryPaths
	}
	r.due = time.Now().Add(r.backoff.Next())
}

// retryLater has paths read again, or with all the root walked. cause is a sentence for the
// log.
func (x *Writer) retryLater(all bool, cause string, paths ...string) {
	if x.retries.note(all, paths...) {
		what := "the root"
		if len(paths) > 0 {
			what = paths[0]
		}
		x.log.Warn("what cannot be read now is tried again until it can", "root", x.tree.Root(), "first", what, "err", cause)
	}
	if x.over == nil {
		x.signal() // Run sets its timer
	}
}

// onceTries is how often BuildOnce tries: in some twelve seconds.
const onceTries = 6

// BuildOnce is Build for a caller that does not call Run afterwards: what could not be read for an
// error that passes is tried again a few times. What cannot be read then either is in the
// report as pending, or is the error.
func (x *Writer) BuildOnce(ctx context.Context, progress func(Progress)) (Report, error) {
	return x.buildTrying(ctx, progress, onceTries)
}

func (x *Writer) buildTrying(ctx context.Context, progress func(Progress), most int) (Report, error) {
	report, err := x.Build(ctx, progress)
	for tries := 0; tries < most && (err == nil || oserror.Transient(err)); tries++ {
		due := x.retries.next()
		if due.IsZero() {
			break
		}
		select {
		case <-ctx.Done():
			return report, ctx.Err()
		case <-time.After(time.Until(due)):
		}
		var again Report
		again, err = x.retry(ctx)
		report = report.add(again)
	}
	return report, err
}

// add returns what two pieces of work have done, one after the other.
func (r Report) add(o Report) Report {
	return Report{
		Added: r.Added + o.Added, Changed: r.Changed + o.Changed, Removed: r.Removed + o.Removed, Unchanged: r.Unchanged + o.Unchanged,
		Skipped: o.Skipped, Pending: o.Pending, Chunks: r.Chunks + o.Chunks, Embedded: r.Embedded + o.Embedded, Generation: o.Generation,
	}
}

// retry reads again what was kept from being read.
func (x *Writer) retry(ctx context.Context) (report Report, err error) {
	paths, all := x.retries.batch()
	if len(paths) == 0 && !all {
		return report, nil
	}
	// The root may have been exported or mounted again, so that the folder which is open is
	// another one. What that says the walk or the look below says, too.
	err = x.tree.Reopen()
	if !oserror.Transient(err) {
		if !all {
			report, err = x.Update(ctx, paths)
			all = errors.Is(err, source.ErrOutside) // one has become a link that leads out
		}
		if all {
			report, err = x.Build(ctx, nil)
		}
	}
	x.retries.tried(paths, all)
	if x.retries.size.Load() == 0 && err == nil {
		x.log.Info("all that could not be read is indexed", "root", x.tree.Root())
	}
	return report, err
}

// Transient reports whether the error of a method says that the system could not do now
// what it may do later, see oserror: a client asks again.
func Transient(err error) bool { return oserror.Transient(err) }

// Cause returns the system's words of an error for which Transient holds, without any path.
func Cause(err error) string {
	var errno syscall.Errno
	errors.As(err, &errno)
	return errno.Error()
}
