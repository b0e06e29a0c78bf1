package lexical

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// The layout of a saved Index:
//
//	documents, then the length of each in terms
//	terms, then for each by rising hash:
//	    the difference to the hash before, its documents, and for each by rising id:
//	        the difference to the id before, less 1; times 2, plus 1 where the count is not 1
//	        the count, where it is not 1

// Save writes the documents of the given ids, which are all that the Index has, as the
// documents 0, 1, 2 and so on: the bytes depend on them and their order alone.
func (x *Index) Save(e *snapshot.Encoder, ids []uint32) {
	number := make([]uint32, len(x.words))
	for n, id := range ids {
		number[id] = uint32(n)
	}
	e.Len(len(ids))
	for _, id := range ids {
		e.Uint(uint64(x.words[id]))
	}
	type term struct {
		hash uint64
		at   uint32
	}
	terms := make([]term, 0, len(x.dict))
	for hash, at := range x.dict {
		if x.lists[at].df > 0 {
			terms = append(terms, term{hash, at})
		}
	}
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.hash, b.hash) })
	e.Len(len(terms))
	before := uint64(0)
	var postings []uint32
	for _, t := range terms {
		e.Uint(t.hash - before)
		before = t.hash
		postings = postings[:0]
		for _, p := range x.lists[t.at].postings {
			if x.words[p>>8] != 0 {
				postings = append(postings, number[p>>8]<<8|p&0xff)
			}
		}
		slices.Sort(postings)
		e.Len(len(postings))
		last := -1
		for _, p := range postings {
			id, count := int(p>>8), p&0xff
			gap := uint64(id-last-1) << 1
			last = id
			if count == 1 {
				e.Uint(gap)
				continue
			}
			e.Uint(gap | 1)
			e.Uint(uint64(count))
		}
	}
}

// Restore returns the Index that was saved. It takes any bytes; the Decoder reports what is
// wrong with them.
func Restore(d *snapshot.Decoder) *Index {
	x := New()
	docs := d.Len(1)
	if docs > MaxID+1 {
		d.Fail("%d documents", docs)
		return x
	}
	x.words = make([]uint16, docs)
	for i := range x.words {
		words := d.Below(1 << 16)
		if words == 0 {
			d.Fail("a document without length")
			return x
		}
		x.words[i] = uint16(words)
		x.total += int64(words)
	}
	x.docs = docs
	terms := d.Len(3)
	x.dict = make(map[uint64]uint32, terms)
	x.lists = make([]list, terms)
	hash := uint64(0)
	for i := range x.lists {
		step := d.Uint()
		if hash += step; i > 0 && (step == 0 || hash < step) {
			d.Fail("terms out of order")
			return x
		}
		x.dict[hash] = uint32(i)
		n := d.Len(1)
		if n == 0 || n > docs {
			d.Fail("a term in %d documents of %d", n, docs)
			return x
		}
		postings := x.room(n)[:0]
		id := -1
		for range n {
			gap := d.Uint()
			count := uint64(1)
			if gap&1 == 1 {
				count = d.Below(maxCount + 1)
			}
			if gap>>1 >= uint64(docs-id-1) || count == 0 {
				d.Fail("a posting of no document")
				return x
			}
			id += int(gap>>1) + 1
			postings = append(postings, uint32(id)<<8|uint32(count))
		}
		x.lists[i] = list{df: uint32(n), postings: postings}
		x.live += int64(n)
	}
	x.free = nil
	return x
}

// RemoveUnseen is Remove for documents whose terms are no longer known. It visits every
// posting.
func (x *Index) RemoveUnseen(ids []uint32) {
	out := make(map[uint32]bool, len(ids))
	for _, id := range ids {
		if int(id) < len(x.words) && x.words[id] != 0 {
			out[id] = true
			x.Remove(id, Doc{})
		}
	}
	for hash, n := range x.dict {
		l := &x.lists[n]
		gone := uint32(0)
		for _, p := range l.postings {
			if out[p>>8] {
				gone++
			}
		}
		if gone = min(gone, l.df); gone == 0 {
			continue
		}
		x.live -= int64(gone)
		x.gone += int64(gone)
		if l.df -= gone; l.df == 0 {
			x.idle = append(x.idle, hash)
		}
	}
}
