package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/oserror"
)

// Errors that callers tell apart.
var (
	// ErrClosed is returned by every method after Close.
	ErrClosed = errors.New("index: closed")
	// ErrOutside is returned for a path that is not inside the root.
	ErrOutside = source.ErrOutside
	// ErrPattern is returned for a malformed glob.
	ErrPattern = errors.New("malformed pattern")
)

// An Index holds one root's chunks, words, symbols and vectors, and answers
// queries about them. It is safe for concurrent use.
type Index struct {
	opt  Options
	log  *slog.Logger
	tree *source.Tree
	dim  int // 0: no embedder

	writer chan struct{} // holds one token; whoever has it may commit

	mu     sync.RWMutex
	table  *table
	closed bool

	base *base // under the writer's token, or while nobody else can have it; nil: none

	calls  callGraph
	events eventLog

	overviewed atomic.Pointer[overviewed] // the last; nil: none yet

	foreign atomic.Bool // vectors may be those of another backend: a snapshot was restored

	state counters

	inquiries sync.Pool // *inquiry
	parsers   parsers   // of requests
	forms     forms

	raw     rawTexts
	sources atomic.Pointer[grepSources]

	queue   queue
	retries retries
	lines   lineCache

	drafts drafts
	draft  *draft // nil: it is no draft of another Index
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
	built      atomic.Bool  // the first build is complete, or a snapshot was restored
	restored   atomic.Bool  // from a snapshot, which no build has compared with the root yet
	failure    atomic.Pointer[string]
	indexedAt  atomic.Int64 // nanoseconds since 1970, 0: never
	seconds    atomic.Int64 // nanoseconds of the last build
	commit     atomic.Pointer[string]
	origin     atomic.Pointer[Origin]

	parsed, computed, lowered, reused, rebuilt atomic.Uint64 // see Work

	memory  atomic.Pointer[Memory]
	filters atomic.Int64 // bytes of what Grep rules files out by
}

// Open checks the root (it must be a readable folder) and returns an empty
// Index for it. Nothing runs until Build or Run is called.
func Open(root string, opt Options) (*Index, error) { return openFor(root, opt, nil) }

// openFor is Open; with a base it is for a draft of that, whose forms it has.
func openFor(root string, opt Options, base *Index) (*Index, error) {
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.NumCPU()
	}
	if opt.Observer == nil || base != nil { // what a draft does is the work of a request
		opt.Observer = unobserved{}
	}
	tree, err := source.Open(root, source.Options{
		MaxFileBytes: opt.MaxFileBytes, MaxLineBytes: opt.MaxLineBytes, Logger: opt.Logger, KeepSecrets: opt.KeepSecrets,
		Scratch: opt.CacheDir, Private: opt.Private, Fault: opt.fault,
	})
	if err != nil {
		return nil, err
	}
	x := &Index{opt: opt, log: opt.Logger, tree: tree, writer: make(chan struct{}, 1)}
	if opt.Embedder != nil {
		x.dim = opt.Embedder.Info().Dim
	}
	if base != nil {
		x.forms = base.forms
	} else if x.forms, err = newForms(opt.Workers); err != nil {
		return nil, errors.Join(err, tree.Close())
	}
	x.lines.files = func() int { return int(x.state.files.Load()) }
	x.queue.wake = make(chan struct{}, 1)
	x.events.life = newLife()
	x.calls.ending = make(chan struct{})
	x.parsers = newParsers(runtime.GOMAXPROCS(0), &x.opt)
	x.newGraph()
	x.inquiries.New = func() any { return newInquiry() }
	if x.table, err = newTable(x.dim); err != nil {
		return nil, errors.Join(fmt.Errorf("index: %w", err), tree.Close())
	}
	return x, nil
}

// Root returns the absolute path of the root, links resolved.
func (x *Index) Root() string { return x.tree.Root() }

// Resolve turns a path from outside (relative to the root or absolute, links
// followed) into one relative to the root, "." for the root itself. It returns
// ErrOutside when the path leads out of the root.
func (x *Index) Resolve(path string) (string, error) { return x.tree.Resolve(path) }

// Exists reports whether something has a path, relative to the root, whether or not the
// index knows it; also what the user may not look at, or the system cannot now. Links are not followed out of the root.
func (x *Index) Exists(path string) bool {
	_, err := x.tree.Lstat(path)
	return err == nil || errors.Is(err, fs.ErrPermission) || oserror.Transient(err)
}

// Knows reports whether a path relative to the root is an indexed or skipped
// file, or a folder that holds one.
func (x *Index) Knows(path string) bool {
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
func (x *Index) Ignored(path string, dir bool) bool { return x.tree.Ignored(path, dir) }

// acquire takes the right to commit.
func (x *Index) acquire(ctx context.Context) error {
	select {
	case x.writer <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		<-x.writer
		return ErrClosed
	}
	return nil
}

func (x *Index) release() { <-x.writer }

// Close releases everything. Run must have returned.
func (x *Index) Close() error {
	x.drafts.close()
	x.writer <- struct{}{}
	defer x.release()
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
	if x.draft == nil {
		x.forms.close()
	}
	var err error
	if x.table, err = newTable(0); err != nil {
		return err
	}
	return x.tree.Close()
}

// outcome records how a build or update ended, for State. One that was
// cancelled says nothing about the index.
func (x *Index) outcome(ctx context.Context, err error) {
	switch {
	case err == nil:
		x.state.failure.Store(nil)
	case ctx.Err() == nil && !oserror.Transient(err): // which is tried again
		text := err.Error()
		x.state.failure.Store(&text)
	}
}
