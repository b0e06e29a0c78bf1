package index

import (
	"context"
	"errors"
)

// Errors that callers tell apart.
var (
	// ErrClosed is returned by every method after Close.
	ErrClosed = errors.New("index: closed")
	// ErrOutside is returned for a path that is not inside the root.
	ErrOutside = errors.New("path is outside the root")
	// ErrPattern is returned for a malformed glob.
	ErrPattern = errors.New("malformed pattern")
)

// An Index holds one root's chunks, words, symbols and vectors, and answers
// queries about them. It is safe for concurrent use.
type Index struct{}

// Open checks the root (it must be a readable folder) and returns an empty
// Index for it. Nothing runs until Build or Run is called.
func Open(root string, opt Options) (*Index, error) { panic("to be written") }

// Progress describes a running build.
type Progress struct {
	Phase       string // "walk", "files" or "vectors"
	FilesDone   int
	FilesTotal  int // 0 while it is not known
	ChunksDone  int // with their vector
	ChunksTotal int
}

// Report says what a Build or an Update did.
type Report struct {
	Added, Changed, Removed, Unchanged int // files
	Skipped                            int // files that are known and not indexed
	Chunks                             int // new chunks
	Embedded                           int // chunks whose vector was computed, not taken over
	Generation                         uint64
}

// Build brings the whole index in line with the root: the first time it indexes
// everything, later it reads only files whose size or time differ, and drops
// those that are gone. progress, if not nil, is called now and then from one
// goroutine. Files that cannot be indexed never fail a Build; they are reported
// in Status().Coverage.
func (x *Index) Build(ctx context.Context, progress func(Progress)) (Report, error) {
	panic("to be written")
}

// Update brings the given files and folders in line with the root. Paths are
// relative to the root or absolute inside it; what is gone is dropped, what is
// ignored is ignored. It returns when the changes are visible to Search.
func (x *Index) Update(ctx context.Context, paths []string) (Report, error) { panic("to be written") }

// An Invalidation names what may have changed.
type Invalidation struct {
	Paths   []string // files or folders, relative to the root or absolute inside it
	Pattern string   // a glob with ** over indexed paths
	All     bool     // everything: walk the root again
	Reset   bool     // with All: read and parse every file again, whatever its time
}

// Invalidate queues work for Run and returns at once, with the number of paths
// queued. It returns ErrOutside or ErrPattern, and then nothing is queued.
func (x *Index) Invalidate(inv Invalidation) (queued int, generation uint64, err error) {
	panic("to be written")
}

// Flush waits until everything queued before the call is visible to Search.
// It needs a running Run.
func (x *Index) Flush(ctx context.Context) error { panic("to be written") }

// Run builds the index, then works off what Invalidate queues, until ctx ends.
// It returns nil when ctx ends.
func (x *Index) Run(ctx context.Context, progress func(Progress)) error { panic("to be written") }

// Ignored reports whether changes at this path, relative to the root, can never
// matter to the index; the watcher asks. It may say false for an ignored path.
func (x *Index) Ignored(path string, dir bool) bool { panic("to be written") }

// Resolve turns a path from outside (relative to the root or absolute, links
// followed) into one relative to the root, "." for the root itself. It returns
// ErrOutside when the path leads out of the root.
func (x *Index) Resolve(path string) (string, error) { panic("to be written") }

// Root returns the absolute path of the root, links resolved.
func (x *Index) Root() string { panic("to be written") }

// Close releases everything. Run must have returned.
func (x *Index) Close() error { panic("to be written") }
