// Package watcher reports which files below a folder have changed.
//
// A Watcher looks at one root folder and everything below it, and hands the
// paths that changed to one function, in batches:
//
//	w, err := watcher.New(watcher.Options{Root: root, Ignore: ignore})
//	...
//	err = w.Run(ctx, func(ctx context.Context, b watcher.Batch) error {
//		if b.Rescan {
//			return rebuild(ctx)
//		}
//		return update(ctx, b.Paths)
//	})
//
// What is promised:
//
//   - An edit made after Ready is closed is handed over, if not by name then by
//     a batch with Rescan set. Edits made before need not be.
//   - handle is never called twice at the same time. While it runs, changes go
//     on being gathered for the next batch.
//   - A path only says "look here". It may be a file that is new, changed
//     or unchanged, or something that is gone. A path that is gone or is a
//     folder now stands for everything that was below it: that is out of date.
//     What is in the folder now is named file by file, so it need not be walked.
//     Paths may be out of date themselves when they are handed over: one may
//     lead through a symbolic link that used to be a folder.
//   - A folder that appears, by being made, moved or unpacked, is reported with
//     the files in it. A folder that moves is reported at both ends.
//   - Folders for which Ignore says true are not watched. Symbolic links are
//     reported as themselves and never followed; only the root may be one.
//   - Changes of mode or owner alone are not reported.
//   - A batch whose handling fails is tried once more: its paths are part of a
//     later batch. What fails a second time is logged and dropped.
//
// What is not promised: the kind of a change, the order of changes, that a
// short-lived temporary file goes unmentioned, and that a file which is written
// without pause is handed over only when the writer is done. In a polled folder
// a file that comes and goes between two looks is not reported.
//
// The kernel's notifications (fsnotify) are used where possible. Folders that the kernel
// will not watch, because its limit on watches or MaxWatches is reached, are polled: their
// files' sizes and times are compared every PollInterval. If the kernel loses
// notifications, all folders are walked again and the batch is a Rescan. If the root goes
// away, that is a Rescan too, and the next one comes when it is back.
//
// What the system cannot do now but may do later (see oserror) is tried again, at intervals
// that grow from a fifth of a second to half a minute: to send notifications at all, and to
// list a folder, which is then reported with all its files, because they may have changed
// meanwhile.
//
// With nothing polled, a Watcher at rest uses no CPU: no ticker runs. Polling
// takes at most about 5 % of one CPU: a round that costs much delays the next.
package watcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Defaults of Options.
const (
	defaultDebounce     = 60 * time.Millisecond  // an editor's save is two to six events within 10 ms
	defaultMaxDelay     = 500 * time.Millisecond // long for a reader, short for a checkout
	defaultMaxBatch     = 10_000                 // beyond it a walk is cheaper than the list
	defaultPollInterval = 2 * time.Second
)

// Options says what to watch and how. Only Root is required.
type Options struct {
	Root         string                           // the folder, absolute
	Ignore       func(path string, dir bool) bool // path is relative to Root, with slashes; called from any goroutine; nil: nothing is ignored
	Debounce     time.Duration                    // quiet time before a batch goes out; 0: 60 ms
	MaxDelay     time.Duration                    // a batch goes out at the latest this long after its first event; 0: 500 ms
	MaxBatch     int                              // with more paths than this a batch becomes a Rescan; 0: 10,000
	PollInterval time.Duration                    // least time between two looks at a polled folder; 0: 2 s
	MaxWatches   int                              // folders that the kernel watches at most, the others are polled; 0: three quarters of what it grants a user, or any number where that is not known
	Poll         bool                             // poll everything, use no kernel notices
	Logger       *slog.Logger                     // nil: no logging
}

// Batch is a set of changes.
type Batch struct {
	Paths  []string  // relative to Root, with slashes, sorted, unique; empty when Rescan is set
	Rescan bool      // notices were lost or too many: anything below the root may have changed
	First  time.Time // when the first of the changes was noticed
}

// Mode says how a Watcher learns of changes.
type Mode string

// The modes of a Watcher.
const (
	ModeNotify Mode = "fsnotify" // every folder is watched by the kernel
	ModePoll   Mode = "poll"     // every folder is polled
	ModeMixed  Mode = "mixed"    // some folders are polled
)

// Status describes a Watcher.
type Status struct {
	Mode      Mode
	Reason    string    // why it is not ModeNotify, else empty
	Watches   int       // folders watched by the kernel
	Polled    int       // folders polled
	Limit     int       // of Watches, see Options.MaxWatches; 0: not known
	Granted   int       // watches that the kernel grants a user, for all programs together; 0: not known
	Events    uint64    // changes noticed that were not ignored
	Batches   uint64    // batches handed over
	Failures  uint64    // batches whose handling failed
	Overflows uint64    // times the kernel lost notices
	LastEvent time.Time // of the last change counted in Events; zero: none
	LastError string    // the last thing that went wrong; empty: nothing
}

// Watcher watches one root. Its methods are safe for concurrent use.
type Watcher struct {
	opt  Options
	open func() (source, error)

	fault func(call, path string) error // of a test: what a call of the system fails with; nil: nothing does

	started atomic.Bool
	ready   chan struct{}
	rescan  chan struct{} // holds one request of Rescan

	mu     sync.Mutex
	status Status
}

// New checks the options and makes a Watcher. It starts nothing. The error says
// that Root is not absolute or not a folder, or which number is negative.
func New(opt Options) (*Watcher, error) {
	if !filepath.IsAbs(opt.Root) {
		return nil, fmt.Errorf("watcher: root %q is not absolute", opt.Root)
	}
	opt.Root = filepath.Clean(opt.Root)
	info, err := os.Stat(opt.Root)
	if err != nil {
		return nil, fmt.Errorf("watcher: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("watcher: root %s is not a folder", opt.Root)
	}
	if opt.Debounce < 0 || opt.MaxDelay < 0 || opt.PollInterval < 0 || opt.MaxBatch < 0 || opt.MaxWatches < 0 {
		return nil, errors.New("watcher: negative debounce, max delay, poll interval, max batch or max watches")
	}
	if opt.Debounce == 0 {
		opt.Debounce = defaultDebounce
	}
	if opt.MaxDelay == 0 {
		opt.MaxDelay = max(defaultMaxDelay, opt.Debounce)
	}
	if opt.MaxBatch == 0 {
		opt.MaxBatch = defaultMaxBatch
	}
	if opt.PollInterval == 0 {
		opt.PollInterval = defaultPollInterval
	}
	if opt.Ignore == nil {
		opt.Ignore = func(string, bool) bool { return false }
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	granted := grantedWatches(watchesFile)
	if opt.MaxWatches == 0 {
		opt.MaxWatches = granted / 4 * 3 // an editor needs some, too
	}
	return &Watcher{
		opt:    opt,
		status: Status{Limit: opt.MaxWatches, Granted: granted},
		open:   openNotify,
		ready:  make(chan struct{}),
		rescan: make(chan struct{}, 1),
	}, nil
}

// Run watches until ctx ends and then returns nil, after handle has returned and all it
// started is gone. The ctx given to handle is that of Run. What was gathered and not yet
// handed over when ctx ends is dropped. Run may be called once; the second call is an
// error. If the kernel sends no notifications, that is no error: the folders are polled.
func (w *Watcher) Run(ctx context.Context, handle func(context.Context, Batch) error) error {
	if w.started.Swap(true) {
		return errors.New("watcher: run called twice")
	}
	l := newLoop(w, handle)
	defer l.close()
	l.run(ctx)
	return nil
}

// Ready is closed when every folder is watched or polled. A root that went away
// between New and Run counts as watched, for its return will be noticed.
func (w *Watcher) Ready() <-chan struct{} { return w.ready }

// Rescan asks Run to walk all folders again and to hand over a batch with Rescan
// set. It is needed when Ignore's answers have changed, as after an edit of an
// ignore file: folders no longer ignored are watched from then on. It does not
// wait, and before Run it has its effect when Run is called.
func (w *Watcher) Rescan() {
	select {
	case w.rescan <- struct{}{}:
	default: // one is pending
	}
}

// Status says how the watcher is doing.
func (w *Watcher) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

// update changes the status.
func (w *Watcher) update(f func(*Status)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.status)
}

// fail records and logs what went wrong but does not end Run.
func (w *Watcher) fail(err error) {
	w.opt.Logger.Warn("watching", "root", w.opt.Root, "err", err)
	w.update(func(s *Status) { s.LastError = err.Error() })
}
