package lexical

import (
	"context"
	"slices"
)

// A Difference is a document about which two Indexes disagree, or one contradicts itself.
type Difference struct {
	Doc       int    // which of those that are compared; -1: none, Term is what counts
	Term      uint64 // 0: the length of the document
	Got, Want int    // how often the document has the term, or in how many documents it is
}

// Compare calls yield for every difference in what got and want say of some documents,
// numbered gotIDs[i] in the one and wantIDs[i] in the other, in the order of terms and
// documents. It also checks that got counts the documents of each term right. It
// visits every posting of both, and returns how many of the documents' there are in
// want, and of how many terms. They must not change meanwhile.
func Compare(ctx context.Context, got, want *Index, gotIDs, wantIDs []uint32, yield func(Difference)) (terms, postings int, err error) {
	a, b := placed(got, gotIDs), placed(want, wantIDs)
	for i := range gotIDs {
		if g, w := got.length(gotIDs[i]), want.length(wantIDs[i]); g != w {
			yield(Difference{Doc: i, Got: g, Want: w})
		}
	}
	hashes := make([]uint64, 0, len(got.dict)+len(want.dict)/8)
	for h := range got.dict {
		hashes = append(hashes, h)
	}
	for h := range want.dict {
		if _, ok := got.dict[h]; !ok {
			hashes = append(hashes, h)
		}
	}
	slices.Sort(hashes)
	var g, w []uint32
	for i, h := range hashes {
		if i%1024 == 0 && ctx.Err() != nil {
			return terms, postings, ctx.Err()
		}
		g, w = got.numbered(g[:0], h, a), want.numbered(w[:0], h, b)
		if n, ok := got.dict[h]; ok {
			l, live := &got.lists[n], 0
			for _, p := range l.postings {
				if got.words[p>>8] != 0 {
					live++
				}
			}
			if int(l.df) != live {
				yield(Difference{Doc: -1, Term: h, Got: int(l.df), Want: live})
			}
		}
		if len(w) > 0 {
			terms++
			postings += len(w)
		}
		if slices.Equal(g, w) {
			continue
		}
		for x, y := 0, 0; x < len(g) || y < len(w); {
			switch {
			case y == len(w) || x < len(g) && g[x]>>8 < w[y]>>8:
				yield(Difference{int(g[x] >> 8), h, int(g[x] & 0xff), 0})
				x++
			case x == len(g) || w[y]>>8 < g[x]>>8:
				yield(Difference{int(w[y] >> 8), h, 0, int(w[y] & 0xff)})
				y++
			default:
				if g[x] != w[y] {
					yield(Difference{int(g[x] >> 8), h, int(g[x] & 0xff), int(w[y] & 0xff)})
				}
				x++
				y++
			}
		}
	}
	return terms, postings, nil
}

// placed returns by id the place in ids and 1 more; 0: it is not there.
func placed(x *Index, ids []uint32) []uint32 {
	out := make([]uint32, len(x.words))
	for i, id := range ids {
		if int(id) < len(out) {
			out[id] = uint32(i) + 1
		}
	}
	return out
}

func (x *Index) length(id uint32) int {
	if int(id) >= len(x.words) {
		return 0
	}
	return int(x.words[id])
}

// numbered appends the postings of a term in the documents that have a place, in order.
func (x *Index) numbered(dst []uint32, hash uint64, places []uint32) []uint32 {
	n, ok := x.dict[hash]
	if !ok {
		return dst
	}
	for _, p := range x.lists[n].postings {
		if at := places[p>>8]; at != 0 && x.words[p>>8] != 0 {
			dst = append(dst, (at-1)<<8|p&0xff)
		}
	}
	slices.Sort(dst)
	return dst
}
