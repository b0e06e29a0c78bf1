package ingest

import (
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// twins finds files of an ingest that hold the same text in the same language as one
// before, such as documentation in a bundle of itself or the same settings in every
// example: symbols, chunks, lowered form and packed text serve under any path. Words
// and vectors do not, since the path is among them. It is safe for concurrent use.
type twins struct {
	sizes map[int64]bool // of the files, by size: there is more than one
	mu    sync.Mutex
	made  map[uint64][]*store.Record // by hash; none is in the table
}

func newTwins(jobs []job) *twins {
	t := &twins{sizes: map[int64]bool{}, made: map[uint64][]*store.Record{}}
	for i := range jobs {
		if f := jobs[i].file; f != nil {
			_, again := t.sizes[f.Size]
			t.sizes[f.Size] = again
		}
	}
	return t
}

// find returns the record of a file as it would be parsed; nil: there was none with its
// text yet.
func (t *twins) find(f source.File, src []byte, lang string) *store.Record {
	if !t.sizes[f.Size] {
		return nil
	}
	t.mu.Lock()
	made := t.made[xxhash.Sum64(src)]
	t.mu.Unlock()
	for _, r := range made {
		if r.Lang == lang && r.Text.Holds(src) {
			return under(r, f)
		}
	}
	return nil
}

// note makes a record known that was parsed.
func (t *twins) note(r *store.Record, f source.File) {
	if !t.sizes[f.Size] {
		return
	}
	own := under(r, f) // r goes to the table, which writes to it
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made[r.Hash] = append(t.made[r.Hash], own)
}

// under returns what would be parsed of a file with the text of r, which is not in the
// table. They have in common what never changes.
func under(r *store.Record, f source.File) *store.Record {
	return &store.Record{
		Path: f.Path, Size: f.Size, ModTime: f.ModTime, Role: source.RoleOf(f.Path), Traits: source.TraitsOf(f.Path),
		Hash: r.Hash, Lang: r.Lang, Grammar: r.Grammar, Errors: r.Errors, Fault: r.Fault, Refs: r.Refs, Code: r.Code, Abstract: r.Abstract,
		Text: r.Text, Lowered: r.Lowered, Symbols: r.Symbols, Chunks: slices.Clone(r.Chunks),
	}
}
