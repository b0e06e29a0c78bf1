package index

import (
	"time"
	"unsafe"
)

// Memory is about what an Index takes, in bytes: what its parts hold, without what Go's
// runtime keeps around them.
type Memory struct {
	Text    int64 `json:"text"`    // the source, and what it was lowered to, compressed
	Symbols int64 `json:"symbols"` // files, symbols and chunks
	Words   int64 `json:"words"`   // and the filters of those files that were searched for a literal
	Vectors int64 `json:"vectors"`
	Graph   int64 `json:"graph"`
	Drafts  int64 `json:"overlays"` // the copies of the index that requests with an overlay have, see drafts
}

// Total returns the sum.
func (m Memory) Total() int64 { return m.Text + m.Symbols + m.Words + m.Vectors + m.Graph + m.Drafts }

// Memory returns how much that is, as of the last commit, without taking a lock.
func (x *Index) Memory() Memory {
	if m := x.state.memory.Load(); m != nil {
		sum := *m
		sum.Graph = x.calls.weight.Load()
		sum.Words += x.state.filters.Load()
		sum.Drafts = x.drafts.bytes.Load()
		return sum
	}
	return Memory{}
}

// Overlays returns how many overlays are kept for the next request with them, without
// taking a lock.
func (x *Index) Overlays() int { return int(x.drafts.kept.Load()) }

// Shrink lets go of what only updates of the call graph need, if nothing has changed for
// some time, and reports whether there was something: about half of what an index takes.
// Answers stay as they are. The next change has the call graph of its family of languages
// made again, in the background with Options.Background; until then the answers from it say
// that it is old.
func (x *Index) Shrink(rest time.Duration) bool {
	x.drafts.sweep(rest)
	if !x.state.built.Load() || time.Since(time.Unix(0, x.state.indexedAt.Load())) < rest {
		return false
	}
	return x.calls.shrink()
}

// weigh notes what the table takes. The caller holds the lock, or nobody else knows the
// table.
func (x *Index) weigh(t *table) {
	m := Memory{Text: t.held.Text, Symbols: t.held.Symbols, Words: t.words.Bytes()}
	if t.vectors != nil {
		m.Vectors = t.vectors.Bytes() + int64(len(t.files)*x.dim)*4
	}
	x.state.memory.Store(&m)
}

// weight is what a record takes, the ids of its chunks and its names in the table
// included; the direction of its chunks is not. It does not change with time.
func (r *record) weight() (m Memory) {
	const named = 40 // of a symbol in the table of names
	m.Symbols = int64(unsafe.Sizeof(*r)) + int64(len(r.path)) +
		int64(len(r.symbols))*(int64(unsafe.Sizeof(symbol{})+unsafe.Sizeof(letterSet(0)))+named) +
		int64(len(r.pieces))*int64(unsafe.Sizeof(piece{})+unsafe.Sizeof(place{}))
	for i := range r.symbols {
		m.Symbols += int64(len(r.symbols[i].signature))
	}
	for _, b := range r.text.blocks {
		m.Text += int64(cap(b)) + int64(unsafe.Sizeof(b))
	}
	m.Text += int64(cap(r.lowered))
	return m
}
