package vector

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/philippgille/chromem-go"
)

// Options describes a Store.
type Options struct {
	// Dim is the length of every vector, 1 to MaxDim.
	Dim int
	// FlatAbove is the number of vectors above which Search scans the arena
	// instead of asking chromem. 0 means the measured default, 1,000; below 0
	// Search always scans. The answer is the same either way.
	FlatAbove int
	// Rounded makes Add store what a vector's codes and fine codes say, which is
	// within 0.05 of the vector, a hundredth mostly: then a vector can be kept as
	// Code, in a quarter of its size, and comes back the same to the bit. A Rounded
	// Store keeps the Codes alone, and chromem only up to FlatAbove vectors.
	Rounded bool
	// Plain is the number of leading places that the vectors use which are to be replaced
	// by better ones: a Rounded Store counts those that are 0 from there on, and compares a
	// query of so many numbers with the leading places alone. 0: no vector is to be replaced.
	Plain int
	// Tokens is how many vectors of tokens, up to 64, a Rounded Store keeps with each vector that
	// is not to be replaced, and TokenDim their length, a multiple of 8; see Late. 0: none.
	Tokens, TokenDim int
}

// MaxDim is the greatest length of a vector that a Store takes.
const MaxDim = 1 << 15

// defaultFlatAbove is the greatest round size at which a query of 256 dimensions
// stays under a millisecond in chromem: 0.81 ms, on the machine of doc.go, by
// BenchmarkFlat. 1,500 vectors take 1.03 ms.
const defaultFlatAbove = 1000

// shareBlocks is the number of blocks from which searches share a pass: below
// it the codes stay in a processor's own cache anyway.
const shareBlocks = 8

// A Hit is a vector found, and its cosine with the query, -1 to 1.
type Hit struct {
	ID    uint32
	Score float32
}

// A Store holds vectors of unit length by id and finds the nearest ones.
//
// Any number of Search, Score, Vector, Len and Bytes may run at once. Add and
// Remove must run alone: the caller holds its exclusive lock.
type Store struct {
	arena     arena
	coll      *chromem.Collection // nil: it is not asked, or not any more
	gate      gate
	spare     sync.Pool // of *selection
	gauges    sync.Pool // of *Gauge
	flatAbove int
	slack     float64 // how far chromem's score can be from ours
}

// New returns an empty Store.
func New(opt Options) (*Store, error) {
	if opt.Dim < 1 || opt.Dim > MaxDim {
		return nil, fmt.Errorf("vector: dimension %d is not in 1 to %d", opt.Dim, MaxDim)
	}
	// A nil function would mean a remote service; documents always bring
	// their vector, so this one is never called.
	coll, err := chromem.NewDB().CreateCollection("vectors", nil,
		func(context.Context, string) ([]float32, error) {
			return nil, errors.New("vector: nothing is embedded here")
		})
	if err != nil {
		return nil, fmt.Errorf("vector: %w", err)
	}
	if opt.Plain < 0 || opt.Plain >= opt.Dim {
		return nil, fmt.Errorf("vector: %d plain places of %d", opt.Plain, opt.Dim)
	}
	if err := opt.checkTokens(); err != nil {
		return nil, err
	}
	s := &Store{
		arena:     newArena(opt),
		coll:      coll,
		flatAbove: opt.FlatAbove,
		slack:     chromemSlack(opt.Dim),
	}
	if s.flatAbove == 0 {
		s.flatAbove = defaultFlatAbove
	}
	return s, nil
}

// Add stores a copy of v under id, replacing what was there. The length of v must be 1
// within 1e-3 (what is left of the difference is taken out), or 0: then id is stored
// nowhere and never matches. Its tokens, where the Store keeps them, are 0. Ids are indexes
// into a table, so they should be dense. An error leaves the Store as it was.
func (s *Store) Add(id uint32, v []float32) error {
	if s.arena.Rounded {
		code, err := NewCoder(s.arena.Options).Append(nil, v, nil)
		if err != nil {
			return fmt.Errorf("id %d: %w", id, err)
		}
		return s.AddCode(id, code)
	}
	norm, err := s.arena.kernel.unit(v, s.arena.Dim)
	if err != nil {
		return fmt.Errorf("id %d: %w", id, err)
	}
	if norm == 0 {
		s.Remove(id)
		return nil
	}
	slot, known := s.place(id)
	s.arena.put(slot, v, norm)
	return s.enter(id, slot, known)
}

// place returns the slot of an id, and whether it had it before.
func (s *Store) place(id uint32) (slot uint32, known bool) {
	if slot, known = s.arena.slot(id); known {
		return slot, true
	}
	return s.arena.take(id), false
}

// enter makes a row known to chromem, as long as that is asked. Its document of an id
// that had a slot before already aliases the row, unless the arena rounds: then it gets
// a copy, and the first vector of more than chromem is asked for ends that.
func (s *Store) enter(id, slot uint32, known bool) error {
	if s.arena.Rounded && s.arena.live > s.flatAbove {
		s.coll = nil
	}
	if s.coll == nil || known && !s.arena.Rounded {
		return nil
	}
	row := s.arena.row(slot, s.room(nil))
	err := s.coll.AddDocument(context.Background(), chromem.Document{ID: text(id), Embedding: row})
	if err != nil {
		s.arena.drop(id)
		return fmt.Errorf("vector: id %d: %w", id, err)
	}
	return nil
}

// Remove forgets the given ids. Unknown ids are no error.
func (s *Store) Remove(ids ...uint32) {
	for _, id := range ids {
		if !s.arena.drop(id) || s.coll == nil {
			continue
		}
		// where must be nil: chromem takes an empty map for "everything". With
		// ids alone and no persistence Delete has no error to return.
		_ = s.coll.Delete(context.Background(), nil, nil, text(id))
	}
}

// Search returns the k vectors with the greatest cosine with q, ordered by
// score downwards, then by id upwards. Fewer are returned if there are fewer,
// none if k < 1, q has the wrong length, or its length is zero or not finite.
// q need not have unit length. A q of Options.Plain numbers is compared with the leading
// places alone: the score is the cosine with these, 0 where they are less than half of a
// vector. keep, if not nil, says which ids may be
// returned; it is called from this goroutine, at most once for an id, in no
// certain order, and not for every id.
func (s *Store) Search(q []float32, k int, keep func(id uint32) bool) []Hit {
	n := s.arena.live
	norm := s.norm(q)
	if k < 1 || n == 0 || norm == 0 {
		return nil
	}
	k = min(k, n)
	if keep == nil && n <= s.flatAbove && s.coll != nil && !s.arena.leads(q) {
		if hits, ok := s.ask(q, norm, k); ok {
			return hits
		}
	}
	sel, ok := s.spare.Get().(*selection)
	if !ok {
		sel = new(selection)
	}
	sel.reset(&s.arena, newQuery(q, norm, s.arena.width, s.arena.narrow), k, keep)
	if keep != nil || len(s.arena.blocks) < shareBlocks {
		s.arena.scan([]*selection{sel})
	} else {
		s.gate.scan(&s.arena, sel)
	}
	hits := sel.finish(&s.arena)
	sel.query, sel.exact.query, sel.keep = nil, nil, nil // they are the caller's
	s.spare.Put(sel)
	return hits
}

// Score returns the cosine of q with the vector of id, and whether there is
// such a vector and q has a direction. It is the very score that Search gives.
func (s *Store) Score(q []float32, id uint32) (float32, bool) {
	slot, ok := s.arena.slot(id)
	norm := s.norm(q)
	if !ok || norm == 0 {
		return 0, false
	}
	var array [stackRow]float32
	return s.arena.kernel.score(q, s.arena.row(slot, s.room(array[:])), norm, s.arena.lift(q, slot)), true
}

// norm returns the length of a query, 0 where it has no direction or another number of
// dimensions than vectors or their leading places have.
func (s *Store) norm(q []float32) float64 {
	if len(q) != s.arena.Dim && !s.arena.leads(q) {
		return 0
	}
	norm := s.arena.kernel.length(q)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return 0
	}
	return norm
}

// Sweep multiplies q with the codes of every vector and returns the greatest product: the
// arithmetic that no search can avoid, as a baseline for benchmarks. 0 if q has no
// direction or another length.
func (s *Store) Sweep(q []float32) int32 {
	norm := s.norm(q)
	if norm == 0 {
		return 0
	}
	digits := newQuery(q, norm, s.arena.width, s.arena.narrow)
	var dots [tileRows]int32
	greatest := int32(math.MinInt32)
	for first := 0; first < len(s.arena.ids); first += tileRows {
		codes := s.arena.codes(first)
		next := codes
		if first+tileRows < len(s.arena.ids) {
			next = s.arena.codes(first + tileRows)
		}
		s.arena.kernel.dots(&dots, codes, next, digits)
		greatest = max(greatest, slices.Max(dots[:]))
	}
	return greatest
}

// stackRow is the length of a row that Score makes without allocating.
const stackRow = 512

// room returns memory for a row of an arena that rounds.
func (s *Store) room(array []float32) []float32 {
	if s.arena.Rounded && s.arena.narrow > len(array) {
		return make([]float32, s.arena.narrow)
	}
	return array
}

// Has reports whether id has a vector.
func (s *Store) Has(id uint32) bool {
	_, ok := s.arena.slot(id)
	return ok
}

// Vector returns the vector of id, nil if there is none. Of a Store that is not Rounded
// it is a part of the arena: it must not be written to, and is valid until id is removed
// or added again.
func (s *Store) Vector(id uint32) []float32 {
	slot, ok := s.arena.slot(id)
	if !ok {
		return nil
	}
	return s.arena.row(slot, s.room(nil))
}

// Sum adds the vector of id, if there is one, to sum, which is as long.
func (s *Store) Sum(sum []float64, id uint32) {
	slot, ok := s.arena.slot(id)
	if !ok {
		return
	}
	var array [stackRow]float32
	for i, x := range s.arena.row(slot, s.room(array[:])) {
		sum[i] += float64(x)
	}
}

// Dim returns the length of every vector.
func (s *Store) Dim() int { return s.arena.Dim }

// Len returns the number of vectors.
func (s *Store) Len() int { return s.arena.live }

// Plain returns the number of vectors that are to be replaced by better ones.
func (s *Store) Plain() int { return s.arena.marked }

// IsPlain reports whether id has a vector that is to be replaced by a better one.
func (s *Store) IsPlain(id uint32) bool {
	slot, ok := s.arena.slot(id)
	return ok && s.arena.isMarked(slot)
}

// Bytes returns the memory held, in bytes: the arena and its tables exactly,
// chromem's documents by the measured mean of 127 bytes each, and their rows where
// the arena has none.
func (s *Store) Bytes() int64 {
	if s.coll == nil {
		return s.arena.bytes()
	}
	document := 127
	if s.arena.Rounded {
		document += 4 * s.arena.Dim
	}
	return s.arena.bytes() + int64(document)*int64(s.arena.live)
}

func text(id uint32) string { return strconv.FormatUint(uint64(id), 10) }
