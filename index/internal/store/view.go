// Package store is the readable state of an index: records of files with their symbols and
// chunks, the table that finds them, and the View of all that, which questions are asked of.
//
// A record never changes once it is committed, so that it is good without the lock under
// which it was found; a table is only good under it.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/scip"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/vector"
	"github.com/quarry-search/quarry/index/oserror"
)

// A View is the readable state of an index: what questions are answered from. Whoever
// has its Writer's token may change it.
type View struct {
	Opt  Options
	Log  *slog.Logger
	Tree *source.Tree
	Dim  int // 0: no embedder

	Refiner embed.Refiner  // the embedder, where it has better vectors for later; nil: it has none
	Vectors vector.Options // what the table keeps of what both give; of no Dim: nothing

	Mu     sync.RWMutex
	Table  *Table
	Closed bool

	Graph  callgraph.Graph
	Events eventLog

	Foreign atomic.Bool // vectors may be those of another backend: a snapshot was restored

	Counters Counters

	Parsers parsers // of requests
	Forms   callgraph.Forms

	Facts atomic.Pointer[scip.Facts] // what SCIP indexes say; nil: nothing

	keeps sync.Map // what questions keep from one to the next, see kept

	Over *Over // nil: nothing is overlaid
}

// An Over says what a View with an overlay is a copy of.
type Over struct {
	Base  *View
	Solve func()              // brings the call graph in line, before it is read
	State func() answer.State // the base's, as of the overlay
}

// Counters are what State reads without a lock.
type Counters struct {
	Generation atomic.Uint64
	Files      atomic.Int64
	Chunks     atomic.Int64
	Embedded   atomic.Int64 // chunks that have their vector, or need none
	Plain      atomic.Int64 // chunks whose vector is to be replaced by a better one
	Todo       atomic.Int64 // files of the running build; 0: none runs
	Done       atomic.Int64
	Updating   atomic.Int64 // paths of running updates
	Queued     atomic.Int64 // paths that Invalidate has queued
	Unread     atomic.Int64 // paths that are read again, see retries
	Built      atomic.Bool  // the first build is complete, or a snapshot was restored
	Restored   atomic.Bool  // from a snapshot, which no build has compared with the root yet
	Failure    atomic.Pointer[string]
	Unrefined  atomic.Pointer[string] // why no vector is replaced by a better one, until the next build; nil: they are
	IndexedAt  atomic.Int64           // nanoseconds since 1970, 0: never
	Seconds    atomic.Int64           // nanoseconds of the last build
	Commit     atomic.Pointer[string]
	Origin     atomic.Pointer[answer.Origin]
	Judged     atomic.Pointer[string] // of a View without a folder, how current it is; nil: Fresh

	Parsed, Computed, Refined, Lowered, Reused, Rebuilt atomic.Uint64 // see Work
	LinesFound, LinesMade                               atomic.Uint64 // lines about files and folders that were there, and that were not

	Memory  atomic.Pointer[answer.Memory]
	Filters atomic.Int64 // bytes of what Grep rules files out by
	Calls   atomic.Int64 // bytes of the posting lists of calls that the graph does not know
}

// RefinedShare returns the share of the chunks whose vector is not to be replaced any more, no
// more than that of those which have one.
func (c *Counters) RefinedShare(vectors float64) *float64 {
	if chunks := float64(c.Chunks.Load()); chunks > 0 {
		vectors = min(max(float64(c.Embedded.Load()-c.Plain.Load())/chunks, 0), vectors)
	}
	return &vectors
}

func OpenView(root string, opt Options, base *View) (*View, error) {
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.NumCPU()
	}
	if opt.Observer == nil || base != nil { // what is done for an overlay is the work of a request
		opt.Observer = Unobserved{}
	}
	tree, err := openTree(root, &opt, base)
	if err != nil {
		return nil, err
	}
	x := &View{Opt: opt, Log: opt.Logger, Tree: tree}
	if opt.Embedder != nil {
		x.Dim = opt.Embedder.Info().Dim
		x.Vectors = vector.Options{Dim: x.Dim, Rounded: true}
		if r, ok := opt.Embedder.(embed.Refiner); ok {
			x.Refiner = r
			x.Vectors.Plain, x.Vectors.Tokens, x.Vectors.TokenDim = r.Plain(), r.Tokens().Count, r.Tokens().Dim
		}
	}
	if base != nil {
		x.Forms = base.Forms
	} else if x.Forms, err = callgraph.NewForms(opt.Workers); err != nil {
		return nil, errors.Join(err, tree.Close())
	}
	x.Events.life = newLife()
	x.Graph.Ending = make(chan struct{})
	x.Parsers = newParsers(runtime.GOMAXPROCS(0), &x.Opt)
	x.newGraph()
	if x.Table, err = NewTable(x.Vectors); err != nil {
		return nil, errors.Join(fmt.Errorf("index: %w", err), tree.Close())
	}
	return x, nil
}

// openTree opens the files that a View is of.
func openTree(root string, opt *Options, base *View) (*source.Tree, error) {
	of := source.Options{
		MaxFileBytes: opt.MaxFileBytes, MaxLineBytes: opt.MaxLineBytes, Logger: opt.Logger, KeepSecrets: opt.KeepSecrets,
		Scratch: opt.CacheDir, Private: opt.Private, Fault: opt.Fault,
	}
	switch {
	case base != nil && base.Tree.Sealed():
		return base.Tree.Sibling(), nil
	case opt.Sealed:
		return source.OpenArchive(root, of), nil
	}
	return source.Open(root, of)
}

func (x *View) Close() error {
	x.Graph.Halt()
	x.Graph.Mu.Lock()
	x.newGraph()
	x.Graph.Mu.Unlock()
	x.Mu.Lock()
	defer x.Mu.Unlock()
	if x.Closed {
		return nil
	}
	x.Closed = true
	x.Events.close()
	x.Parsers.drain()
	if x.Over == nil { // else they are the base's
		x.Forms.Close()
	}
	var err error
	if x.Table, err = NewTable(vector.Options{}); err != nil {
		return err
	}
	return x.Tree.Close()
}

// Root returns the absolute path of the root, links resolved.
func (x *View) Root() string { return x.Tree.Root() }

// Resolve turns a path from outside (relative to the root or absolute, links
// followed) into one relative to the root, "." for the root itself. It returns
// ErrOutside when the path leads out of the root.
func (x *View) Resolve(path string) (string, error) { return x.Tree.Resolve(path) }

// Exists reports whether something has a path, relative to the root, whether or not the
// index knows it; also what the user may not look at, or the system cannot now. Links are not followed out of the root.
func (x *View) Exists(path string) bool {
	_, err := x.Tree.Lstat(path)
	return err == nil || errors.Is(err, fs.ErrPermission) || oserror.Transient(err)
}

// Knows reports whether a path relative to the root is an indexed or skipped
// file, or a folder that holds one.
func (x *View) Knows(path string) bool {
	if path == "." || path == "" {
		return true
	}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	return Archive{Table: x.Table}.Holds(path)
}

// Ignored reports whether changes at this path, relative to the root, can never
// matter to the index; the watcher asks. It may say false for an ignored path.
func (x *View) Ignored(path string, dir bool) bool { return x.Tree.Ignored(path, dir) }

// OpenState returns the state, unless the index is closed.
func (x *View) OpenState() (answer.State, error) {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		return answer.State{}, answer.ErrClosed
	}
	return x.State(), nil
}

// State returns the state without taking a lock.
func (x *View) State() answer.State {
	if x.Over != nil {
		return x.Over.State()
	}
	c := &x.Counters
	s := answer.State{
		State:      answer.Ready,
		Generation: c.Generation.Load(),
		Progress:   1,
		Freshness:  answer.Fresh,
		Pending:    int(c.Updating.Load()) + int(c.Queued.Load()),
		Unread:     int(x.Counters.Unread.Load()),
		Root:       x.Tree.Root(),
		Files:      int(c.Files.Load()),
		Chunks:     int(c.Chunks.Load()),
	}
	embedded := c.Embedded.Load()
	switch {
	case x.Dim == 0:
	case s.Chunks > 0:
		s.Vectors = min(float64(embedded)/float64(s.Chunks), 1)
	case c.Built.Load():
		s.Vectors = 1
	}
	if x.Refiner != nil {
		s.Refined = c.RefinedShare(s.Vectors)
		if why := c.Unrefined.Load(); why != nil {
			s.Unrefined = *why
		}
	}
	if at := c.IndexedAt.Load(); at != 0 {
		s.IndexedAt = time.Unix(0, at).UTC()
	}
	if todo := c.Todo.Load(); todo > 0 {
		// Parsing is most of the work, vectors the rest.
		s.Progress = min(float64(c.Done.Load())/float64(todo), 1) * (0.85 + 0.15*s.Vectors)
		s.Progress = min(s.Progress, 0.999)
		if x.Dim == 0 {
			s.Progress = min(float64(c.Done.Load())/float64(todo), 0.999)
		}
		s.Pending += max(int(todo-c.Done.Load()), 1)
	}
	s.Pending += s.Unread
	if s.GraphOld = x.Graph.Behind(); s.GraphOld {
		s.GraphLag = max(s.Generation-min(x.Graph.Since.Load(), s.Generation), 1)
	}
	if s.Restored = c.Restored.Load(); s.Restored {
		s.Pending = max(s.Pending, 1)
	}
	if _, more := s.Refining(); s.Pending > 0 || s.GraphOld || more {
		s.Paused = x.Opt.Throttle.Paused()
	}
	switch {
	case c.Failure.Load() != nil:
		s.State, s.Freshness = answer.Failed, answer.Unknown
	case !c.Built.Load():
		s.State, s.Freshness = answer.Indexing, answer.Unknown
		if c.Todo.Load() == 0 {
			s.Progress = 0
		}
	case s.Pending > 0:
		s.State, s.Freshness = answer.Stale, answer.Dated
	}
	if judged := c.Judged.Load(); judged != nil && s.Freshness == answer.Fresh {
		s.Freshness = *judged
	}
	s.Empty = s.Files == 0 && c.Built.Load()
	return s
}

// LockTable takes the lock for a commit, and returns what gives it back.
func (x *View) LockTable() (unlock func()) {
	x.Mu.Lock()
	began := time.Now()
	return func() {
		x.Mu.Unlock()
		x.Opt.Observer.Committed(time.Since(began))
	}
}

// Publish makes a commit known to State and Changes. The caller holds the lock.
func (x *View) Publish(changed []string) {
	x.Counters.Files.Store(int64(len(x.Table.Files)))
	x.Counters.Chunks.Store(int64(x.Table.Words.Len()))
	x.CountPlain()
	x.Weigh(x.Table)
	x.forget()
	x.Counters.IndexedAt.Store(time.Now().UnixNano())
	x.Commit(changed)
}

// CountPlain brings the counter in line with the table: before Embedded grows, so that nobody
// takes a new vector for a better one. The caller holds the lock, or nobody else knows the
// table.
func (x *View) CountPlain() {
	if x.Table.Vectors != nil {
		x.Counters.Plain.Store(int64(x.Table.Vectors.Plain()))
	}
}

// Records returns the files that are committed, by path.
func (x *View) Records() map[string]*Record {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	return maps.Clone(x.Table.Files)
}

// Record returns the file that is committed under a path, or nil.
func (x *View) Record(path string) *Record {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	return x.Table.Files[path]
}

// Weigh notes what the table takes. The caller holds the lock, or nobody else knows the
// table.
func (x *View) Weigh(t *Table) {
	m := answer.Memory{Text: t.held.Text, Symbols: t.held.Symbols, Words: t.Words.Bytes()}
	if t.Vectors != nil {
		m.Vectors = t.Vectors.Bytes() + int64(len(t.Files)*x.Dim)*4
	}
	x.Counters.Memory.Store(&m)
}

// Origin returns what the index began with, nil where it was built from nothing.
func (x *View) Origin() *answer.Origin {
	o := x.Counters.Origin.Load()
	if o == nil {
		return nil
	}
	c := *o
	c.Rebuilt = slices.Clone(o.Rebuilt)
	return &c
}
