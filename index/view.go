package index

import (
	"errors"
	"fmt"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/oserror"
	"io/fs"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A View is the readable state of an index: what questions are answered from. Whoever
// has its Writer's token may change it.
type View struct {
	opt  Options
	log  *slog.Logger
	tree *source.Tree
	dim  int // 0: no embedder

	mu     sync.RWMutex
	table  *table
	closed bool

	calls  callGraph
	events eventLog

	foreign atomic.Bool // vectors may be those of another backend: a snapshot was restored

	state counters

	parsers parsers // of requests
	forms   forms

	keeps sync.Map // what questions keep from one to the next, see kept

	over *over // nil: nothing is overlaid
}

// An over says what a View with an overlay is a copy of.
type over struct {
	base  *View
	solve func()       // brings the call graph in line, before it is read
	state func() State // the base's, as of the overlay
}

// counters are what State reads without a lock.
type counters struct {
	generation atomic.Uint64
	files      atomic.Int64
	chunks     atomic.Int64
	embedded   atomic.Int64 // chunks that have their vector, or need none
	todo       atomic.Int64 // files of the running build; 0: none runs
	done       atomic.Int64
	updating   atomic.Int64 // paths of running updates
	queued     atomic.Int64 // paths that Invalidate has queued
	unread     atomic.Int64 // paths that are read again, see retries
	built      atomic.Bool  // the first build is complete, or a snapshot was restored
	restored   atomic.Bool  // from a snapshot, which no build has compared with the root yet
	failure    atomic.Pointer[string]
	indexedAt  atomic.Int64 // nanoseconds since 1970, 0: never
	seconds    atomic.Int64 // nanoseconds of the last build
	commit     atomic.Pointer[string]
	origin     atomic.Pointer[Origin]

	parsed, computed, lowered, reused, rebuilt atomic.Uint64 // see Work
	linesFound, linesMade                      atomic.Uint64 // lines about files and folders that were there, and that were not

	memory  atomic.Pointer[Memory]
	filters atomic.Int64 // bytes of what Grep rules files out by
}

func openView(root string, opt Options, base *View) (*View, error) {
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.NumCPU()
	}
	if opt.Observer == nil || base != nil { // what is done for an overlay is the work of a request
		opt.Observer = unobserved{}
	}
	tree, err := source.Open(root, source.Options{
		MaxFileBytes: opt.MaxFileBytes, MaxLineBytes: opt.MaxLineBytes, Logger: opt.Logger, KeepSecrets: opt.KeepSecrets,
		Scratch: opt.CacheDir, Private: opt.Private, Fault: opt.fault,
	})
	if err != nil {
		return nil, err
	}
	x := &View{opt: opt, log: opt.Logger, tree: tree}
	if opt.Embedder != nil {
		x.dim = opt.Embedder.Info().Dim
	}
	if base != nil {
		x.forms = base.forms
	} else if x.forms, err = newForms(opt.Workers); err != nil {
		return nil, errors.Join(err, tree.Close())
	}
	x.events.life = newLife()
	x.calls.ending = make(chan struct{})
	x.parsers = newParsers(runtime.GOMAXPROCS(0), &x.opt)
	x.newGraph()
	if x.table, err = newTable(x.dim); err != nil {
		return nil, errors.Join(fmt.Errorf("index: %w", err), tree.Close())
	}
	return x, nil
}

func (x *View) close() error {
	x.calls.halt()
	x.calls.mu.Lock()
	x.newGraph()
	x.calls.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	x.events.close()
	x.parsers.drain()
	if x.over == nil { // else they are the base's
		x.forms.close()
	}
	var err error
	if x.table, err = newTable(0); err != nil {
		return err
	}
	return x.tree.Close()
}

// Root returns the absolute path of the root, links resolved.
func (x *View) Root() string { return x.tree.Root() }

// Resolve turns a path from outside (relative to the root or absolute, links
// followed) into one relative to the root, "." for the root itself. It returns
// ErrOutside when the path leads out of the root.
func (x *View) Resolve(path string) (string, error) { return x.tree.Resolve(path) }

// Exists reports whether something has a path, relative to the root, whether or not the
// index knows it; also what the user may not look at, or the system cannot now. Links are not followed out of the root.
func (x *View) Exists(path string) bool {
	_, err := x.tree.Lstat(path)
	return err == nil || errors.Is(err, fs.ErrPermission) || oserror.Transient(err)
}

// Knows reports whether a path relative to the root is an indexed or skipped
// file, or a folder that holds one.
func (x *View) Knows(path string) bool {
	if path == "." || path == "" {
		return true
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for known := range x.table.files {
		if within(known, path) {
			return true
		}
	}
	for known := range x.table.skips {
		if within(known, path) {
			return true
		}
	}
	return false
}

// Ignored reports whether changes at this path, relative to the root, can never
// matter to the index; the watcher asks. It may say false for an ignored path.
func (x *View) Ignored(path string, dir bool) bool { return x.tree.Ignored(path, dir) }

// openState returns the state, unless the index is closed.
func (x *View) openState() (State, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return State{}, ErrClosed
	}
	return x.State(), nil
}

// State returns the state without taking a lock.
func (x *View) State() State {
	if x.over != nil {
		return x.over.state()
	}
	c := &x.state
	s := State{
		State:      Ready,
		Generation: c.generation.Load(),
		Progress:   1,
		Freshness:  Fresh,
		Pending:    int(c.updating.Load()) + int(c.queued.Load()),
		Unread:     int(x.state.unread.Load()),
		Root:       x.tree.Root(),
		Files:      int(c.files.Load()),
		Chunks:     int(c.chunks.Load()),
	}
	embedded := c.embedded.Load()
	switch {
	case x.dim == 0:
	case s.Chunks > 0:
		s.Vectors = min(float64(embedded)/float64(s.Chunks), 1)
	case c.built.Load():
		s.Vectors = 1
	}
	if at := c.indexedAt.Load(); at != 0 {
		s.IndexedAt = time.Unix(0, at).UTC()
	}
	if todo := c.todo.Load(); todo > 0 {
		// Parsing is most of the work, vectors the rest.
		s.Progress = min(float64(c.done.Load())/float64(todo), 1) * (0.85 + 0.15*s.Vectors)
		s.Progress = min(s.Progress, 0.999)
		if x.dim == 0 {
			s.Progress = min(float64(c.done.Load())/float64(todo), 0.999)
		}
		s.Pending += max(int(todo-c.done.Load()), 1)
	}
	s.Pending += s.Unread
	if s.GraphOld = x.calls.behind(); s.GraphOld {
		s.GraphLag = max(s.Generation-min(x.calls.since.Load(), s.Generation), 1)
	}
	if s.Restored = c.restored.Load(); s.Restored {
		s.Pending = max(s.Pending, 1)
	}
	if s.Pending > 0 || s.GraphOld {
		s.Paused = x.opt.Throttle.Paused()
	}
	switch {
	case c.failure.Load() != nil:
		s.State, s.Freshness = Failed, Unknown
	case !c.built.Load():
		s.State, s.Freshness = Indexing, Unknown
		if c.todo.Load() == 0 {
			s.Progress = 0
		}
	case s.Pending > 0:
		s.State, s.Freshness = Stale, Dated
	}
	return s
}

// lockTable takes the lock for a commit, and returns what gives it back.
func (x *View) lockTable() (unlock func()) {
	x.mu.Lock()
	began := time.Now()
	return func() {
		x.mu.Unlock()
		x.opt.Observer.Committed(time.Since(began))
	}
}

// publish makes a commit known to State and Changes. The caller holds the lock.
func (x *View) publish(changed []string) {
	x.state.files.Store(int64(len(x.table.files)))
	x.state.chunks.Store(int64(x.table.words.Len()))
	x.weigh(x.table)
	x.forget()
	x.state.indexedAt.Store(time.Now().UnixNano())
	x.commit(changed)
}

// records returns the files that are committed, by path.
func (x *View) records() map[string]*record {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return maps.Clone(x.table.files)
}

// weigh notes what the table takes. The caller holds the lock, or nobody else knows the
// table.
func (x *View) weigh(t *table) {
	m := Memory{Text: t.held.Text, Symbols: t.held.Symbols, Words: t.words.Bytes()}
	if t.vectors != nil {
		m.Vectors = t.vectors.Bytes() + int64(len(t.files)*x.dim)*4
	}
	x.state.memory.Store(&m)
}

// Origin returns what the index began with, nil where it was built from nothing.
func (x *View) Origin() *Origin {
	o := x.state.origin.Load()
	if o == nil {
		return nil
	}
	c := *o
	c.Rebuilt = slices.Clone(o.Rebuilt)
	return &c
}
