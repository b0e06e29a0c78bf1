package index

import (
	"bytes"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/source"
)

// twins finds files of an ingest that hold the same text in the same language as one
// before, such as documentation in a bundle of itself or the same settings in every
// example: symbols, chunks, lowered form and packed text serve under any path. Words
// and vectors do not, since the path is among them. It is safe for concurrent use.
type twins struct {
	sizes map[int64]bool // of the files, by size: there is more than one
	mu    sync.Mutex
	made  map[uint64][]*record // by hash; none is in the table
}

func newTwins(jobs []job) *twins {
	t := &twins{sizes: map[int64]bool{}, made: map[uint64][]*record{}}
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
func (t *twins) find(f source.File, src []byte, lang string) *record {
	if !t.sizes[f.Size] {
		return nil
	}
	t.mu.Lock()
	made := t.made[xxhash.Sum64(src)]
	t.mu.Unlock()
	for _, r := range made {
		if r.lang == lang && r.text.holds(src) {
			return r.under(f)
		}
	}
	return nil
}

// note makes a record known that was parsed.
func (t *twins) note(r *record, f source.File) {
	if !t.sizes[f.Size] {
		return
	}
	own := r.under(f) // r goes to the table, which writes to it
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made[r.hash] = append(t.made[r.hash], own)
}

// under returns what would be parsed of a file with the text of r, which is not in the
// table. They have in common what never changes.
func (r *record) under(f source.File) *record {
	return &record{
		path: f.Path, size: f.Size, modTime: f.ModTime, role: source.RoleOf(f.Path), traits: source.TraitsOf(f.Path),
		hash: r.hash, lang: r.lang, grammar: r.grammar, errors: r.errors, fault: r.fault, refs: r.refs, code: r.code, abstract: r.abstract,
		text: r.text, lowered: r.lowered, symbols: r.symbols, pieces: slices.Clone(r.pieces),
	}
}

// holds reports whether it is the text of src.
func (t text) holds(src []byte) bool {
	if t.size != len(src) {
		return false
	}
	var array [blockSize]byte
	for n := range t.blocks {
		at := n * blockSize
		if !bytes.Equal(t.block(array[:], n), src[at:min(at+blockSize, len(src))]) {
			return false
		}
	}
	return true
}
