// Package lexical finds documents by their words: BM25 over the stems of
// identifiers, of the parts of identifiers, and numbers.
//
// An Index is incremental: documents come and go one by one, and after any
// sequence of additions and removals the scores are those of an index built
// afresh from what is left (the tests compare it with a brute-force BM25). It
// holds no text, only hashed terms and counts, four bytes a posting.
//
// Two different terms with the same 64-bit hash would be taken for one; with a
// million terms the chance of a single such pair is 3e-8.
package lexical

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
)

// The parameters of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance
// Framework", 2009), at the values most engines use; idf is the non-negative
// form ln(1 + (N-df+0.5)/(df+0.5)) that Lucene uses.
const (
	k1 = 1.5
	b  = 0.75
)

// MaxID is the largest document id: a posting keeps the id in 24 bits and the
// term's count in 8.
const MaxID = 1<<24 - 1

const maxCount = 255

// An Index maps terms to documents. Add, Remove and Purge need exclusive
// access; any number of Searches may run at once between them.
type Index struct {
	dict  map[uint64]uint32 // term hash -> position in lists
	lists []list
	words []uint16 // by id: length of the document in terms; 0: no such document

	docs  int   // live documents
	total int64 // their lengths, summed
	live  int64 // postings of live documents
	gone  int64 // postings of dead documents

	dead    []uint32 // removed documents
	purging []uint32 // those of a Purge that was interrupted; nil: there is none
	purged  int      // lists that it has visited
	idle    []uint64 // hashes of terms that were in no document, and may be again
	vacant  []uint32 // positions in lists without a term

	scratch sync.Pool // *Result
}

// list is the postings of one term in no particular order. A posting is id<<8
// | count. df counts live documents only, the slice also holds dead ones until
// Purge.
type list struct {
	df       uint32
	postings []uint32
}

// New returns an empty Index.
func New() *Index {
	x := &Index{dict: make(map[uint64]uint32)}
	x.scratch.New = func() any { return &Result{index: x} }
	return x
}

// Len returns the number of live documents.
func (x *Index) Len() int { return x.docs }

// Terms returns the number of distinct terms, those of dead documents included.
func (x *Index) Terms() int { return len(x.dict) }

// Bytes returns about how much memory the Index takes.
func (x *Index) Bytes() int64 {
	const term = 60 // its list, and its place in the dictionary
	return (x.live+x.gone)*4*5/4 + int64(len(x.lists))*term + int64(cap(x.words))*2 + int64(cap(x.idle))*8
}

// Add enters a document under an id that is not in use: never given before, or
// returned by Purge. A document without terms is entered and never found.
func (x *Index) Add(id uint32, d Doc) error {
	if id > MaxID {
		return fmt.Errorf("lexical: id %d is above the limit of %d documents", id, MaxID)
	}
	for int(id) >= len(x.words) {
		x.words = append(x.words, 0)
	}
	if x.words[id] != 0 {
		return fmt.Errorf("lexical: id %d is in use", id)
	}
	x.words[id] = d.words()
	x.docs++
	x.total += int64(x.words[id])
	x.live += int64(len(d.Terms))
	for _, t := range d.Terms {
		n, ok := x.dict[t.Hash]
		if !ok {
			n = x.place()
			x.dict[t.Hash] = n
		}
		l := &x.lists[n]
		l.df++
		l.postings = append(l.postings, id<<8|uint32(min(t.Count, maxCount)))
	}
	return nil
}

// place returns a position in lists for another term.
func (x *Index) place() uint32 {
	if last := len(x.vacant) - 1; last >= 0 {
		n := x.vacant[last]
		x.vacant = x.vacant[:last]
		return n
	}
	x.lists = append(x.lists, list{})
	return uint32(len(x.lists) - 1)
}

// Remove takes out a document; d must be what was added. Its id stays taken
// until Purge.
func (x *Index) Remove(id uint32, d Doc) {
	if int(id) >= len(x.words) || x.words[id] == 0 {
		return
	}
	x.docs--
	x.total -= int64(x.words[id])
	x.words[id] = 0
	x.dead = append(x.dead, id)
	x.live -= int64(len(d.Terms))
	x.gone += int64(len(d.Terms))
	for _, t := range d.Terms {
		// Of an Index that was restored, d may be what nobody has added.
		if n, ok := x.dict[t.Hash]; ok && x.lists[n].df > 0 {
			if x.lists[n].df--; x.lists[n].df == 0 {
				x.idle = append(x.idle, t.Hash)
			}
		}
	}
}

// Dead returns how many removed documents wait for Purge, and their postings
// as a share of all postings.
func (x *Index) Dead() (docs int, share float64) {
	docs = len(x.dead) + len(x.purging)
	if x.live+x.gone == 0 {
		return docs, 0
	}
	return docs, float64(x.gone) / float64(x.live+x.gone)
}

// Purging reports whether a Purge was interrupted.
func (x *Index) Purging() bool { return x.purging != nil }

// purgeStep is how many terms Purge visits between two questions whether to go on.
const purgeStep = 256

// Purge drops the postings of removed documents and the terms that nobody uses any more,
// and returns the ids that may be used again: of the documents that were removed before
// it began. It visits every posting, about 30 ms for ten million, and may be interrupted:
// when enough, which may be nil, says so, it returns no ids, and the next Purge goes on.
func (x *Index) Purge(enough func() bool) (free []uint32) {
	if x.purging == nil {
		x.purging, x.dead = append([]uint32{}, x.dead...), nil
	}
	for step := 1; len(x.idle) > 0; step++ {
		last := len(x.idle) - 1
		x.forget(x.idle[last])
		x.idle = x.idle[:last]
		if step%purgeStep == 0 && enough != nil && enough() {
			return nil
		}
	}
	for ; x.purged < len(x.lists); x.purged++ {
		if x.purged%purgeStep == purgeStep-1 && enough != nil && enough() {
			return nil
		}
		x.shorten(&x.lists[x.purged])
	}
	free = x.purging
	x.purging, x.purged = nil, 0
	return free
}

// forget takes a term out that no document has any more.
func (x *Index) forget(hash uint64) {
	n, ok := x.dict[hash]
	if !ok || x.lists[n].df > 0 {
		return // it is back
	}
	x.gone -= int64(len(x.lists[n].postings))
	x.lists[n] = list{}
	delete(x.dict, hash)
	x.vacant = append(x.vacant, n)
}

// shorten drops the postings of removed documents from a list.
func (x *Index) shorten(l *list) {
	if int(l.df) == len(l.postings) {
		return
	}
	// Not in place: a Clone may have them, too.
	kept := make([]uint32, 0, min(int(l.df), len(l.postings)))
	for _, p := range l.postings {
		if x.words[p>>8] != 0 {
			kept = append(kept, p)
		}
	}
	x.gone -= int64(len(l.postings) - len(kept))
	l.postings = kept
}

// A Hit is a document and its score.
type Hit struct {
	ID    uint32
	Score float32
}

// A Result is the outcome of one Search: the score of every document. It is
// valid until the Index changes.
type Result struct {
	index  *Index
	scores []float32
	has    []uint8   // by id: which of the first 8 terms occur
	idf    []float64 // of these terms
	total  float64   // its sum
	sample []float32
	hits   []Hit
}

// Search scores all documents against the terms of a query, each of which should
// come once. The Result must be released.
func (x *Index) Search(query []Term) *Result {
	r := x.scratch.Get().(*Result)
	if cap(r.scores) < len(x.words) {
		r.scores = make([]float32, len(x.words), len(x.words)+len(x.words)/4)
	} else {
		r.scores = r.scores[:len(x.words)]
		clear(r.scores)
	}
	if cap(r.has) < len(x.words) {
		r.has = make([]uint8, len(x.words), cap(r.scores))
	} else {
		r.has = r.has[:len(x.words)]
		clear(r.has)
	}
	r.idf, r.total = r.idf[:0], 0
	average := 1.0
	if x.docs > 0 && x.total > 0 {
		average = float64(x.total) / float64(x.docs)
	}
	flat, slope := float32(k1*(1-b)), float32(k1*b/average)
	for i, t := range query {
		n, ok := x.dict[t.Hash]
		var l list
		if ok {
			l = x.lists[n]
		}
		idf := x.idf(l.df)
		bit := uint8(0)
		if i < maxCovered {
			r.idf = append(r.idf, idf)
			r.total += idf
			bit = 1 << i
		}
		weight := float32(idf*(k1+1)) * float32(t.Count)
		for _, p := range l.postings {
			id := p >> 8
			words := x.words[id]
			if words == 0 {
				continue
			}
			count := float32(p & 0xff)
			r.scores[id] += weight * count / (count + flat + slope*float32(words))
			r.has[id] |= bit
		}
	}
	return r
}

// Sum reads the postings of a query's terms and adds up how often they occur: the
// reading that no search can do without, and nothing else, for benchmarks to hold a
// search against. Dead documents count until they are purged.
func (x *Index) Sum(query []Term) int {
	n := 0
	for _, t := range query {
		at, ok := x.dict[t.Hash]
		if !ok {
			continue
		}
		for _, p := range x.lists[at].postings {
			n += int(p & 0xff)
		}
	}
	return n
}

// Score returns the score of one document, 0 if it has none of the terms.
func (r *Result) Score(id uint32) float32 {
	if int(id) >= len(r.scores) {
		return 0
	}
	return r.scores[id]
}

// maxCovered is how many terms of a query Coverage tells apart.
const maxCovered = 8

// Coverage returns the share, 0..1, of a query that a document holds: the inverse
// document frequencies of those of its terms that occur at all, by the sum of all
// of them. A term that is nowhere in the index weighs most. Of a long query the
// first eight terms count.
func (r *Result) Coverage(id uint32) float64 {
	if int(id) >= len(r.has) || r.total == 0 {
		return 0
	}
	held := 0.0
	for i, idf := range r.idf {
		if r.has[id]>>i&1 == 1 {
			held += idf
		}
	}
	return held / r.total
}

// IDF returns the inverse document frequency of a stem, which is greatest for one
// that no document has.
func (x *Index) IDF(stem string) float64 {
	df := uint32(0)
	if n, ok := x.dict[Hash(stem)]; ok {
		df = x.lists[n].df
	}
	return x.idf(df)
}

func (x *Index) idf(df uint32) float64 {
	return math.Log(1 + (float64(x.docs)-float64(df)+0.5)/(float64(df)+0.5))
}

// Top returns the k best documents with a score that keep admits (nil: all), by
// score. tie orders documents with equal scores, also where the cut goes through
// them; nil: by id.
func (r *Result) Top(k int, keep func(id uint32) bool, tie func(a, b uint32) int) []Hit {
	if k <= 0 {
		return nil
	}
	if tie == nil {
		tie = cmp.Compare[uint32]
	}
	// The k-th best score of a part of the documents is at most that of all.
	// Found on a sixteenth of them, it keeps nearly all others out of the hits
	// with a fraction of a comparison each.
	floor := float32(math.SmallestNonzeroFloat32)
	if len(r.scores) > 64*k {
		r.sample = r.sample[:0]
		for id := 0; id < len(r.scores); id += 16 {
			if s := r.scores[id]; s > 0 && (keep == nil || keep(uint32(id))) {
				r.sample = append(r.sample, s)
			}
		}
		if len(r.sample) >= k {
			floor = nthGreatest(r.sample, k-1)
		}
	}
	hits := r.hits[:0]
	collect := func(from, to int) {
		for id := from; id < to; id++ {
			if s := r.scores[id]; s >= floor && (keep == nil || keep(uint32(id))) {
				hits = append(hits, Hit{uint32(id), s})
			}
		}
	}
	at, bits := 0, math.Float32bits(floor)
	for ; at+8 <= len(r.scores); at += 8 {
		// Scores are not negative, so their bits compare as they do, without
		// branches: most groups of eight hold nothing.
		s := (*[8]float32)(r.scores[at:])
		if max(
			max(math.Float32bits(s[0]), math.Float32bits(s[1]), math.Float32bits(s[2]), math.Float32bits(s[3])),
			max(math.Float32bits(s[4]), math.Float32bits(s[5]), math.Float32bits(s[6]), math.Float32bits(s[7])),
		) >= bits {
			collect(at, at+8)
		}
	}
	collect(at, len(r.scores))
	r.hits = hits
	if len(hits) > k {
		// Once more, now exactly, so that only what may be in the answer is
		// sorted.
		r.sample = r.sample[:0]
		for _, h := range hits {
			r.sample = append(r.sample, h.Score)
		}
		floor = nthGreatest(r.sample, k-1)
		hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < floor })
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return tie(a.ID, b.ID)
	})
	return slices.Clone(hits[:min(k, len(hits))])
}

// nthGreatest returns the value that would be at position n if s were sorted
// from the greatest to the least. It moves the elements of s (Hoare's
// quickselect, 1961).
func nthGreatest(s []float32, n int) float32 {
	for lo, hi := 0, len(s)-1; lo < hi; {
		pivot := s[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for s[i] > pivot {
				i++
			}
			for s[j] < pivot {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return s[n]
		}
	}
	return s[n]
}

// Release gives the Result's memory back for the next Search.
func (r *Result) Release() { r.index.scratch.Put(r) }
