package store

import (
	"context"
	"log/slog"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/rerank"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/throttle"
)

// A Reranker judges how well passages answer a question, reading each together with it: the
// better the higher. Scores of one question can be compared. It is safe for concurrent use.
type Reranker interface {
	// Rerank returns a score for each passage.
	Rerank(ctx context.Context, question string, passages []rerank.Passage) ([]float32, error)
}

// Options configure an Index. The zero value works.
type Options struct {
	Embedder      embed.Embedder // nil: lexical and symbol search only
	Reranker      Reranker       // nil: no search can ask for a second look
	Logger        *slog.Logger   // nil: nothing is logged
	Workers       int            // files parsed at once; 0: one for each processor
	MaxFileBytes  int64          // larger files are skipped; 0: 2 MiB
	MaxLineBytes  int            // files with a longer line are skipped; 0: 20,000
	KeepSecrets   bool           // keys and credentials in texts, by their shape, are kept as they are; false: they are masked, see MaskMark
	Private       []string       // absolute paths of files and folders that are never indexed nor served: a token's file, the program's data
	CacheDir      string         // where what a change of many files takes out of the index is kept for every index that has this folder; "": nowhere
	Throttle      *throttle.Gate // holds indexing back, for the sake of answers and of the machine's owner; nil: nothing does
	Bulk          callgraph.Bulk // nil: nobody is told
	Observer      Observer       // nil: nobody measures
	Parsers       *ParserPool    // where files are parsed; nil: in this process, which a hostile file can end
	LibraryParser bool           // leave files to tree-sitter's own parser alone: slower, with the same result; the processes of Parsers are told by ServeParser
	Program       string         // name and version of the program, which its snapshots have; "": they do not say
	Refine        bool           // compute no vectors that are replaced later, see embed.Refiner; for an index without Run
	Background    bool           // index at low scheduling priority, so that a server alongside it answers at once; and after Restore, make the call graph without anyone waiting

	// Sealed is an index without a folder, of the name that stands in place of one: it is
	// what it is restored from, and never changes. Nothing is built, followed or verified.
	Sealed bool

	Fault func(call, name string) error // of a test, see source.Options
}
