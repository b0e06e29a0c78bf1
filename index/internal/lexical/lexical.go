// Package lexical finds documents by their words: BM25 over the stems of
// identifiers, of the parts of identifiers, and numbers.
//
// An Index is incremental: documents come and go one by one, and after any sequence of
// additions and removals the scores are those of a new index of the remaining documents
// (the tests compare it with a brute-force BM25). It holds no text, only hashed terms and
// counts, four bytes a posting.
//
// Two different terms with the same 64-bit hash would be taken for one; with a
// million terms the chance of a single such pair is 3e-8.
package lexical

import (
	"fmt"
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

	compacted int      // lists that a Compact that was interrupted has visited
	free      []uint32 // what is left of the common array that is being filled

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

// Purge drops the postings of removed documents and unused terms, and returns the ids that
// may be used again: those of the documents removed before it began. It visits every
// posting, about 30 ms for ten million, and may be interrupted: when enough, which may be
// nil, says so, it returns no ids, and the next Purge goes on.
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

// roomPostings is how many postings a common array has. A list with more than a part of
// that has its own.
const (
	roomPostings = 1 << 14
	roomPart     = 8
)

// Compact moves the postings of all lists into common arrays, without room to grow: most
// lists are short, and each by itself takes more memory than it needs. When enough, which
// may be nil, says so, it reports that it is not done, and the next Compact goes on.
func (x *Index) Compact(enough func() bool) (done bool) {
	for ; x.compacted < len(x.lists); x.compacted++ {
		l := &x.lists[x.compacted]
		postings := x.room(len(l.postings))
		copy(postings, l.postings)
		l.postings = postings
		if x.compacted%purgeStep == purgeStep-1 && enough != nil && enough() {
			x.compacted++
			return false
		}
	}
	x.compacted, x.free = 0, nil
	x.lists = append(make([]list, 0, len(x.lists)), x.lists...)
	return true
}

// room returns memory for so many postings in a common array, out of which an append
// moves them.
func (x *Index) room(n int) []uint32 {
	if n > roomPostings/roomPart {
		return make([]uint32, n)
	}
	if len(x.free) < n {
		x.free = make([]uint32, roomPostings)
	}
	postings := x.free[:n:n]
	x.free = x.free[n:]
	return postings
}
