package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// A table holds the records and everything that finds them. It needs the
// Index's lock.
type table struct {
	files   map[string]*record
	skips   map[string]source.Skip
	chunks  []place                 // by chunk id
	names   map[uint64][]definition // by hash of the folded name
	words   *lexical.Index
	lexicon *rank.Lexicon
	vectors *vector.Store // nil: no embedder
	free    []uint32      // chunk ids that may be given again
	symbols int
	refs    int
	bytes   int64
	held    Memory // of the records
	cloned  bool   // see clone
	filters filters
	ordered ordered
}

func newTable(dim int) (*table, error) {
	t := &table{
		files: map[string]*record{},
		skips: map[string]source.Skip{},
		names: map[uint64][]definition{},
		words: lexical.New(), lexicon: rank.NewLexicon(),
	}
	if dim > 0 {
		var err error
		if t.vectors, err = vector.New(vector.Options{Dim: dim, Rounded: true}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add enters a record. docs are those of its pieces.
func (t *table) add(r *record, docs []lexical.Doc) error {
	for i := range r.pieces {
		var id uint32
		if n := len(t.free); n > 0 {
			id, t.free = t.free[n-1], t.free[:n-1]
		} else {
			id = uint32(len(t.chunks))
			t.chunks = append(t.chunks, place{})
		}
		if err := t.words.Add(id, docs[i]); err != nil {
			return err
		}
		r.pieces[i].id = id
		t.chunks[id] = place{r, uint32(i)}
	}
	t.enter(r)
	return nil
}

// enter makes a record known whose chunks have their ids and words.
func (t *table) enter(r *record) {
	for i := range r.symbols {
		h := foldName(r.symbols[i].name)
		list := t.names[h]
		if t.cloned {
			list = slices.Clip(list) // what comes after it is the other table's
		}
		t.names[h] = append(list, definition{r, uint32(i)})
	}
	t.intern(r)
	t.files[r.path] = r
	t.changed(r.path, r)
	t.symbols += len(r.symbols)
	t.refs += r.refs
	t.bytes += r.size
	w := r.weight()
	t.held.Text, t.held.Symbols = t.held.Text+w.Text, t.held.Symbols+w.Symbols
}

// changed updates what is derived from all files, for one that has come, or gone (nil).
func (t *table) changed(path string, r *record) {
	t.filters.forget()
	t.ordered.note(path, r)
}

// remove takes out a record. docs are those it was added with.
func (t *table) remove(r *record, docs []lexical.Doc) {
	for i := range r.pieces {
		t.words.Remove(r.pieces[i].id, docs[i])
	}
	t.leave(r)
}

// leave makes a record unknown whose words have been taken out.
func (t *table) leave(r *record) {
	for i := range r.pieces {
		id := r.pieces[i].id
		t.chunks[id] = place{}
		if t.vectors != nil {
			t.vectors.Remove(id)
		}
	}
	for i := range r.symbols {
		h := foldName(r.symbols[i].name)
		left := withoutRecord(t.names[h], r)
		if len(left) == 0 {
			delete(t.names, h)
		} else {
			t.names[h] = left
		}
	}
	t.lexicon.Release(&r.words)
	delete(t.files, r.path)
	t.changed(r.path, nil)
	t.symbols -= len(r.symbols)
	t.refs -= r.refs
	t.bytes -= r.size
	w := r.weight()
	t.held.Text, t.held.Symbols = t.held.Text-w.Text, t.held.Symbols-w.Symbols
}

// purgeable reports whether there is something to purge: once an eighth of all postings
// belong to removed chunks. That is rarely enough, and memory stays bounded.
func (t *table) purgeable() bool {
	n, share := t.words.Dead()
	return n > 1024 && share > 0.125 || n > 1<<16 || t.words.Purging()
}

// purge gives the ids of removed chunks back. When enough, which may be nil, says so, it
// has to be called again.
func (t *table) purge(enough func() bool) { t.free = append(t.free, t.words.Purge(enough)...) }

// define returns the places where a name is defined, whatever its case.
func (t *table) define(name string) []definition { return t.names[foldName(name)] }

// declares reports whether a file is a C or C++ header next to which lies the file
// that implements it.
func (t *table) declares(r *record) bool {
	if r.lang != "c" && r.lang != "cpp" {
		return false
	}
	dot := strings.LastIndexByte(r.path, '.')
	if dot < 0 || !slices.Contains([]string{".h", ".hh", ".hpp", ".hxx"}, r.path[dot:]) {
		return false
	}
	for _, ext := range []string{".c", ".cc", ".cpp", ".cxx", ".m", ".mm"} {
		if t.files[r.path[:dot]+ext] != nil {
			return true
		}
	}
	return false
}

// order compares two chunks by path and line: ids depend on which worker was
// first, so they must not decide between equal scores.
func (t *table) order(a, b uint32) int {
	p, q := t.chunks[a], t.chunks[b]
	return cmp.Or(strings.Compare(p.record.path, q.record.path), cmp.Compare(p.piece, q.piece))
}

// nearest returns the k best vectors by score, then path and line.
func (t *table) nearest(query []float32, k int, keep func(uint32) bool) []vector.Hit {
	var hits []vector.Hit
	for ask := k + 16; ; ask *= 4 {
		hits = t.vectors.Search(query, ask, keep)
		// All of the ties at the cut must be in hand.
		if len(hits) < ask || hits[k-1].Score > hits[len(hits)-1].Score {
			break
		}
	}
	slices.SortFunc(hits, func(a, b vector.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), t.order(a.ID, b.ID))
	})
	return hits[:min(k, len(hits))]
}
