package index

import (
	"github.com/quarry-search/quarry/index/internal/ingest"
	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/secret"
	"github.com/quarry-search/quarry/index/internal/source"
)

// ErrOutside is returned for a path that is not inside the root.
var ErrOutside = source.ErrOutside

// ErrNoFolder is returned where the files themselves are needed, and the index has only a
// snapshot of them: see Options.Sealed.
var ErrNoFolder = source.ErrNoFolder

// An Index holds one root's chunks, words, symbols and vectors, and answers
// queries about them. It is safe for concurrent use.
type Index struct {
	*ingest.Writer
	base   *persist.Base // under the writer's token, or while nobody else can have it; nil: none
	drafts drafts
}

// Open checks the root (it must be a readable folder) and returns an empty
// Index for it. Nothing runs until Build or Run is called.
func Open(root string, opt Options) (*Index, error) {
	w, err := ingest.Open(root, opt, nil)
	if err != nil {
		return nil, err
	}
	return &Index{Writer: w}, nil
}

// Judge says how current the answers of an index without a folder are, which only its owner
// knows: answer.Fresh, as they are unless it is called, answer.Dated or answer.Unknown.
func (x *Index) Judge(freshness string) { x.Counters.Judged.Store(&freshness) }

// Close releases everything. Run must have returned.
func (x *Index) Close() error {
	x.drafts.close()
	return x.Writer.Close()
}

// MaskMark begins what stands in place of a key or a credential in the text of a file,
// wherever the index hands text out. The mask goes on with the letter x and is as long as
// what it hides. Only the last line of a private key may be masked without it.
const MaskMark = secret.Mark
