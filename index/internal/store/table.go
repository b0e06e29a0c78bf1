package store

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// A Table holds the records and everything that finds them. It needs the
// Index's lock.
type Table struct {
	Files   map[string]*Record
	Skips   map[string]source.Skip
	LeftOut map[string]Text        // of a sealed index: texts of Skips
	Chunks  []ChunkRef             // by chunk id
	Names   map[uint64][]SymbolRef // by hash of the folded name
	Words   *lexical.Index
	Lexicon *rank.Lexicon
	Vectors *vector.Store // nil: no embedder
	free    []uint32      // chunk ids that may be given again
	Symbols int
	Refs    int
	Bytes   int64
	held    answer.Memory // of the records
	cloned  bool          // see clone
	Filters filters
	Ordered ordered
	letters lettered
}

// NewTable returns an empty table for some vectors, for none where they have no dimensions.
func NewTable(vectors vector.Options) (*Table, error) {
	t := &Table{
		Files: map[string]*Record{},
		Skips: map[string]source.Skip{},
		Names: map[uint64][]SymbolRef{},
		Words: lexical.New(), Lexicon: rank.NewLexicon(),
	}
	if vectors.Dim > 0 {
		var err error
		if t.Vectors, err = vector.New(vectors); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Add enters a record. docs are those of its pieces.
func (t *Table) Add(r *Record, docs []lexical.Doc) error {
	for i := range r.Chunks {
		var id uint32
		if n := len(t.free); n > 0 {
			id, t.free = t.free[n-1], t.free[:n-1]
		} else {
			id = uint32(len(t.Chunks))
			t.Chunks = append(t.Chunks, ChunkRef{})
		}
		if err := t.Words.Add(id, docs[i]); err != nil {
			return err
		}
		r.Chunks[i].ID = id
		t.Chunks[id] = ChunkRef{r, uint32(i)}
	}
	t.Enter(r)
	return nil
}

// Enter makes a record known whose chunks have their ids and words.
func (t *Table) Enter(r *Record) {
	for i := range r.Symbols {
		h := FoldName(r.Symbols[i].Name)
		list := t.Names[h]
		if t.cloned {
			list = slices.Clip(list) // what comes after it is the other table's
		}
		t.Names[h] = append(list, SymbolRef{r, uint32(i)})
	}
	for i := range r.Chunks {
		p := &r.Chunks[i]
		p.Function = p.Symbol >= 0 && Runs(r.Symbols[p.Symbol].Kind())
	}
	t.intern(r)
	t.Files[r.Path] = r
	t.changed(r.Path, r)
	t.Symbols += len(r.Symbols)
	t.Refs += r.Refs
	t.Bytes += r.Size
	w := r.weight()
	t.held.Text, t.held.Symbols = t.held.Text+w.Text, t.held.Symbols+w.Symbols
}

// changed updates what is derived from all files, for one that has come, or gone (nil).
func (t *Table) changed(path string, r *Record) {
	t.Filters.forget()
	t.Ordered.note(path, r)
	t.letters.last.Store(nil)
}

// Remove takes out a record. docs are those it was added with.
func (t *Table) Remove(r *Record, docs []lexical.Doc) {
	for i := range r.Chunks {
		t.Words.Remove(r.Chunks[i].ID, docs[i])
	}
	t.Leave(r)
}

// Leave makes a record unknown whose words have been taken out.
func (t *Table) Leave(r *Record) {
	for i := range r.Chunks {
		id := r.Chunks[i].ID
		t.Chunks[id] = ChunkRef{}
		if t.Vectors != nil {
			t.Vectors.Remove(id)
		}
	}
	for i := range r.Symbols {
		h := FoldName(r.Symbols[i].Name)
		left := withoutRecord(t.Names[h], r)
		if len(left) == 0 {
			delete(t.Names, h)
		} else {
			t.Names[h] = left
		}
	}
	t.Lexicon.Release(&r.Words)
	delete(t.Files, r.Path)
	t.changed(r.Path, nil)
	t.Symbols -= len(r.Symbols)
	t.Refs -= r.Refs
	t.Bytes -= r.Size
	w := r.weight()
	t.held.Text, t.held.Symbols = t.held.Text-w.Text, t.held.Symbols-w.Symbols
}

// Purgeable reports whether there is something to purge: once an eighth of all postings
// belong to removed chunks. That is rarely enough, and memory stays bounded.
func (t *Table) Purgeable() bool {
	n, share := t.Words.Dead()
	return n > 1024 && share > 0.125 || n > 1<<16 || t.Words.Purging()
}

// Purge gives the ids of removed chunks back. When enough, which may be nil, says so, it
// has to be called again.
func (t *Table) Purge(enough func() bool) { t.free = append(t.free, t.Words.Purge(enough)...) }

// Define returns the places where a name is defined, whatever its case.
func (t *Table) Define(name string) []SymbolRef { return t.Names[FoldName(name)] }

// Declares reports whether a file is a C or C++ header next to which lies the file
// that implements it.
func (t *Table) Declares(r *Record) bool {
	if r.Lang != "c" && r.Lang != "cpp" {
		return false
	}
	dot := strings.LastIndexByte(r.Path, '.')
	if dot < 0 || !slices.Contains([]string{".h", ".hh", ".hpp", ".hxx"}, r.Path[dot:]) {
		return false
	}
	for _, ext := range []string{".c", ".cc", ".cpp", ".cxx", ".m", ".mm"} {
		if t.Files[r.Path[:dot]+ext] != nil {
			return true
		}
	}
	return false
}

// Order compares two chunks by path and line: ids depend on which worker was
// first, so they must not decide between equal scores.
func (t *Table) Order(a, b uint32) int {
	p, q := t.Chunks[a], t.Chunks[b]
	return cmp.Or(strings.Compare(p.Record.Path, q.Record.Path), cmp.Compare(p.Chunk, q.Chunk))
}

// Nearest returns the k best vectors by score, then path and line.
func (t *Table) Nearest(query []float32, k int, keep func(uint32) bool) []vector.Hit {
	var hits []vector.Hit
	for ask := k + 16; ; ask *= 4 {
		hits = t.Vectors.Search(query, ask, keep)
		// All of the ties at the cut must be in hand.
		if len(hits) < ask || hits[k-1].Score > hits[len(hits)-1].Score {
			break
		}
	}
	slices.SortFunc(hits, func(a, b vector.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), t.Order(a.ID, b.ID))
	})
	return hits[:min(k, len(hits))]
}

// An Archive is the files of a table as those of a tree without a folder.
type Archive struct {
	Table  *Table              // which nobody changes any more
	Linked map[string][]string // by folder, what the links to files of Go in it lead to
}

// KeepLeftOut keeps the text of a file that is not in the index, if it has one.
func (t *Table) KeepLeftOut(path string, text []byte, has bool) {
	if t.LeftOut == nil {
		t.LeftOut = map[string]Text{}
	}
	packed := Text{Size: -1}
	if has {
		packed = Pack(text, nil)
	}
	t.LeftOut[path] = packed
	t.held.Text += packed.weight()
}

// LeftOut implements source.Archive.
func (a Archive) LeftOut(path string) (text func() []byte, size int64, ok bool) {
	t, ok := a.Table.LeftOut[path]
	return t.All, int64(t.Size), ok
}

// Links implements source.Archive.
func (a Archive) Links(dir string) []string { return a.Linked[dir] }

// File implements source.Archive.
func (a Archive) File(path string) (f source.File, text func() []byte, ok bool) {
	r := a.Table.Files[path]
	if r == nil {
		return f, nil, false
	}
	return source.File{Path: path, Size: r.Size, ModTime: r.ModTime}, r.Text.All, true
}

// Skip implements source.Archive.
func (a Archive) Skip(path string) (s source.Skip, ok bool) {
	s, ok = a.Table.Skips[path]
	return s, ok
}

// Holds implements source.Archive.
func (a Archive) Holds(folder string) bool {
	for known := range a.Table.Files {
		if source.Within(known, folder) {
			return true
		}
	}
	for known := range a.Table.Skips {
		if source.Within(known, folder) {
			return true
		}
	}
	return false
}
