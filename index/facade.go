package index

import (
	"crypto/ed25519"
	"io"

	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/ingest"
	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/store"
)

// What the parts of an index are told by whoever opens it, and tell them.
type (
	// Options configure an Index. The zero value works.
	Options = store.Options
	// A Reranker takes a second look at the first results of a search; see Options.
	Reranker = store.Reranker
	// A Bulk is told that more files are about to be indexed than an editor saves at once.
	Bulk = callgraph.Bulk
	// An Observer is told how long the parts of the work took.
	Observer = store.Observer
	// A ParserPool parses the files of indexes in processes of their own.
	ParserPool = store.ParserPool
	// ParserOptions configure a ParserPool.
	ParserOptions = store.ParserOptions
	// ParserCounts say what has become of processes and texts since a pool was made.
	ParserCounts = store.ParserCounts
	// SaveOptions say what a snapshot has besides the index.
	SaveOptions = persist.SaveOptions
	// RestoreOptions say what a snapshot has to prove.
	RestoreOptions = persist.RestoreOptions
	// Progress describes a running build.
	Progress = ingest.Progress
	// Report says what a Build or an Update did.
	Report = ingest.Report
	// An Invalidation names what may have changed.
	Invalidation = ingest.Invalidation
)

// Errors of snapshots.
var (
	// ErrSnapshot says that a snapshot cannot be used: it is damaged, or was made by
	// another version, with another model or other limits. The index is as it was.
	ErrSnapshot = persist.ErrSnapshot
	// ErrUntrusted says that a snapshot is not signed by a key that it should be signed by,
	// or has been changed since. The index is as it was.
	ErrUntrusted = persist.ErrUntrusted
)

// NewParserPool returns a pool that starts processes as they are needed. Close must be
// called when all indexes that have it are closed.
func NewParserPool(o ParserOptions) *ParserPool { return store.NewParserPool(o) }

// ServeParser is the process of a ParserPool: it gives up what a parser does not need, for
// good, and parses what comes in until there is no more. memory is how many bytes it may
// take besides what it has now; 0: any. library leaves the parsing to tree-sitter's own
// parser alone.
func ServeParser(in io.Reader, out io.Writer, memory int64, library bool) error {
	return store.ServeParser(in, out, memory, library)
}

// Signed gives ErrUntrusted unless one of some keys has signed a snapshot, and nil where
// there are none. It reads no more than the head, so that it does not say whether the rest
// is what was signed: RestoreWith does. A file of another version gives nil, as it is not
// restored.
func Signed(path string, keys []ed25519.PublicKey) error { return persist.Signed(path, keys) }

// Fingerprint names a key as Origin.SignedBy does, and ssh-keygen: by its SHA-256.
func Fingerprint(key ed25519.PublicKey) string { return persist.Fingerprint(key) }

// Transient reports whether the error of a method says that the system could not do now
// what it may do later, see oserror: a client asks again.
func Transient(err error) bool { return ingest.Transient(err) }

// Cause returns the system's words of an error for which Transient holds, without any path.
func Cause(err error) string { return ingest.Cause(err) }
