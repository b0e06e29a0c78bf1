package lexical

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// A Hit is a document and its score.
type Hit struct {
	ID    uint32
	Score float32
}

// A Result is the outcome of one Search: the score of every document. It is
// valid until the Index changes.
type Result struct {
	index  *Index
	terms  int // of the query
	scores []float32
	has    []uint8   // by id: which of the first 8 terms occur
	idf    []float64 // of these terms
	total  float64   // its sum
	sample []float32
	hits   []Hit
}

// Search scores all documents against the terms of a query, which should be distinct. The
// Result must be released.
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
	r.idf, r.total, r.terms = r.idf[:0], 0, len(query)
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

// Sum reads the postings of a query's terms and adds up how often they occur: the part of
// the work that no search can avoid, as a baseline for benchmarks. Dead documents count
// until they are purged.
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

// Coverage returns the share, 0..1, of a query that a document holds: the inverse document
// frequencies of those of its terms that occur at all, by the sum of all of them. A term
// that is nowhere in the index weighs most. Only the first eight terms of a long query
// count.
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

// Counts goes through all terms, by their hash, with how many documents have each.
func (x *Index) Counts() iter.Seq2[uint64, int] {
	return func(yield func(hash uint64, documents int) bool) {
		for hash, at := range x.dict {
			if df := x.lists[at].df; df > 0 && !yield(hash, int(df)) {
				return
			}
		}
	}
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
	// A floor keeps nearly all others out of the hits with a fraction of a comparison
	// each. A sixteenth of the documents guess it; if fewer than k reach the guess, all
	// that have a score are taken.
	floor := float32(math.SmallestNonzeroFloat32)
	if len(r.scores) > 64*k {
		r.sample = r.sample[:0]
		for id := 0; id < len(r.scores); id += sampled {
			if s := r.scores[id]; s > 0 && (keep == nil || keep(uint32(id))) {
				r.sample = append(r.sample, s)
			}
		}
		if n := 2*k/sampled + 8; len(r.sample) > n {
			floor = nthGreatest(r.sample, n)
		}
	}
	hits := r.reach(floor, keep)
	if len(hits) < k && floor > math.SmallestNonzeroFloat32 {
		hits = r.reach(math.SmallestNonzeroFloat32, keep)
	}
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

// sampled is of how many documents one is looked at to guess a floor.
const sampled = 16

// reach returns the documents that keep admits whose scores are at least floor.
func (r *Result) reach(floor float32, keep func(id uint32) bool) []Hit {
	hits := r.hits[:0]
	collect := func(from, to int) {
		for id := from; id < to; id++ {
			if s := r.scores[id]; s >= floor && (keep == nil || keep(uint32(id))) {
				hits = append(hits, Hit{uint32(id), s})
			}
		}
	}
	at, bits := 0, math.Float32bits(floor)
	all := r.terms > maxCovered // a document may have a score and none of the terms that are told apart
	for ; at+8 <= len(r.scores); at += 8 {
		if !all && *(*[8]uint8)(r.has[at:]) == [8]uint8{} {
			continue
		}
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
	return hits
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
