package ingest

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

// RetryPaths is how many paths are read again at once while none of them can be: after a
// network has gone away, a whole tree waits. Each time that some can be, four times as
// many come next.
const RetryPaths = 200

// Retries are the files and folders that an error which passes has kept from being read,
// see oserror. Run reads them again, at growing intervals, for as long as it takes; until
// then what was indexed of them stays, and State says that they are pending. Whoever else
// comes to read them settles them too. The zero value is ready.
type Retries struct {
	Size   atomic.Int64  // of paths and all
	unread *atomic.Int64 // size, too, for State; nil: nobody asks

	Mu      sync.Mutex
	paths   map[string]bool
	order   []string // of paths; first those that were tried the longest ago
	all     bool     // the root itself could not be walked
	due     time.Time
	most    int // paths of the next try
	backoff oserror.Backoff

	slowly atomic.Int64        // of slow
	slow   map[string]struct{} // paths whose text was still being parsed when they were committed last
	Waits  []slowWait
}

// A slowWait is somebody who waits until some paths are no longer slow.
type slowWait struct {
	paths map[string]struct{} // those that are left
	done  chan struct{}
}

// Note has paths read again, or with all the whole root. It reports whether there was
// nothing to be read again before.
func (r *Retries) Note(all bool, paths ...string) (first bool) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	first = r.Size.Load() == 0
	if r.paths == nil {
		r.paths, r.most = map[string]bool{}, RetryPaths
	}
	for _, p := range paths {
		if !r.paths[p] {
			r.paths[p] = true
			r.order = append(r.order, p)
		}
	}
	r.all = r.all || all
	r.count()
	if r.Size.Load() > 0 && r.due.IsZero() {
		r.due = time.Now().Add(r.backoff.Next())
	}
	return first && r.Size.Load() > 0
}

// Take forgets the paths that match, because they are about to be read, and returns them.
func (r *Retries) Take(match func(path string) bool) (taken []string) {
	if r.Size.Load() == 0 {
		return nil
	}
	r.Mu.Lock()
	defer r.Mu.Unlock()
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
func (r *Retries) walked() {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.all = false
	r.count()
}

func (r *Retries) count() {
	n := len(r.paths)
	if r.all {
		n++
	}
	r.Size.Store(int64(n))
	if r.unread != nil {
		r.unread.Store(int64(n))
	}
}

// committed notes whether a path's text is still being parsed, now that it was committed.
func (r *Retries) committed(path string, slow bool) {
	if !slow && r.slowly.Load() == 0 {
		return
	}
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if slow {
		if r.slow == nil {
			r.slow = map[string]struct{}{}
		}
		r.slow[path] = struct{}{}
	} else {
		delete(r.slow, path)
		r.Waits = slices.DeleteFunc(r.Waits, func(w slowWait) bool {
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
func (r *Retries) wait(ctx context.Context) error {
	r.Mu.Lock()
	w := slowWait{maps.Clone(r.slow), make(chan struct{})}
	if len(w.paths) == 0 {
		r.Mu.Unlock()
		return nil
	}
	r.Waits = append(r.Waits, w)
	r.Mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		r.Mu.Lock()
		defer r.Mu.Unlock()
		r.Waits = slices.DeleteFunc(r.Waits, func(o slowWait) bool { return o.done == w.done })
		return ctx.Err()
	}
}

// within has the next try, if there is to be one, come no later than after d.
func (r *Retries) within(d time.Duration) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if by := time.Now().Add(d); r.Size.Load() > 0 && r.due.After(by) {
		r.due = by
	}
}

// Next returns when the next try is due; zero: there is none.
func (r *Retries) Next() time.Time {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if r.Size.Load() == 0 {
		r.due, r.most = time.Time{}, RetryPaths
		r.backoff.Reset()
	}
	return r.due
}

// Batch returns what is to be tried now.
func (r *Retries) Batch() (paths []string, all bool) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	return slices.Clone(r.order[:min(len(r.order), r.most)]), r.all
}

// Tried notes that a batch was, and sets the time of the next.
func (r *Retries) Tried(paths []string, all bool) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	some := slices.ContainsFunc(paths, func(p string) bool { return !r.paths[p] })
	if some || all && !r.all { // some could be read
		r.backoff.Reset()
		r.most *= 4
	} else {
		r.most = RetryPaths
	}
	r.due = time.Now().Add(r.backoff.Next())
}

// retryLater has paths read again, or with all the root walked. cause is a sentence for the
// log.
func (x *Writer) retryLater(all bool, cause string, paths ...string) {
	if x.Retries.Note(all, paths...) {
		what := "the root"
		if len(paths) > 0 {
			what = paths[0]
		}
		x.Log.Warn("what cannot be read now is tried again until it can", "root", x.Tree.Root(), "first", what, "err", cause)
	}
	if x.Over == nil {
		x.signal() // Run sets its timer
	}
}

// onceTries is how often BuildOnce tries: in some twelve seconds.
const onceTries = 6

// BuildOnce is Build for a caller that does not call Run afterwards: what could not be read for an
// error that passes is tried again a few times. What cannot be read then either is in the
// report as pending, or is the error.
func (x *Writer) BuildOnce(ctx context.Context, progress func(Progress)) (Report, error) {
	return x.BuildTrying(ctx, progress, onceTries)
}

func (x *Writer) BuildTrying(ctx context.Context, progress func(Progress), most int) (Report, error) {
	report, err := x.Build(ctx, progress)
	for tries := 0; tries < most && (err == nil || oserror.Transient(err)); tries++ {
		due := x.Retries.Next()
		if due.IsZero() {
			break
		}
		select {
		case <-ctx.Done():
			return report, ctx.Err()
		case <-time.After(time.Until(due)):
		}
		var again Report
		again, err = x.Retry(ctx)
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

// Retry reads again what was kept from being read.
func (x *Writer) Retry(ctx context.Context) (report Report, err error) {
	paths, all := x.Retries.Batch()
	if len(paths) == 0 && !all {
		return report, nil
	}
	// The root may have been exported or mounted again, so that the folder which is open is
	// another one. What that says the walk or the look below says, too.
	err = x.Tree.Reopen()
	if !oserror.Transient(err) {
		if !all {
			report, err = x.Update(ctx, paths)
			all = errors.Is(err, source.ErrOutside) // one has become a link that leads out
		}
		if all {
			report, err = x.Build(ctx, nil)
		}
	}
	x.Retries.Tried(paths, all)
	if x.Retries.Size.Load() == 0 && err == nil {
		x.Log.Info("all that could not be read is indexed", "root", x.Tree.Root())
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
