package lexical

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// TestCompare compares an index with one that has the same documents under other ids,
// and then with each of a few differences.
func TestCompare(t *testing.T) {
	x, ids := some(t)
	slices.Reverse(ids)
	var e snapshot.Encoder
	x.Save(&e, ids)
	wantIDs := make([]uint32, len(ids))
	for i := range wantIDs {
		wantIDs[i] = uint32(i)
	}
	compare := func(damage func(y *Index)) (found []Difference, postings int) {
		t.Helper()
		y := Restore(snapshot.NewDecoder(e.Bytes()))
		damage(y)
		_, postings, err := Compare(t.Context(), y, x, wantIDs, ids, func(d Difference) { found = append(found, d) })
		if err != nil {
			t.Fatal(err)
		}
		return found, postings
	}
	if found, postings := compare(func(*Index) {}); len(found) > 0 || int64(postings) != x.live {
		t.Errorf("%d postings of %d, differences %+v", postings, x.live, found)
	}
	const doc = 5
	hash := uint64(0) // a term that the document has once
	for h, n := range x.dict {
		if slices.Contains(x.lists[n].postings, ids[doc]<<8|1) {
			hash = h
		}
	}
	place := func(y *Index) (*list, int) {
		l := &y.lists[y.dict[hash]]
		return l, slices.IndexFunc(l.postings, func(p uint32) bool { return p>>8 == doc })
	}
	for name, tc := range map[string]struct {
		damage func(y *Index)
		want   []Difference
	}{
		"dropped": {func(y *Index) {
			l, at := place(y)
			l.postings = slices.Delete(slices.Clone(l.postings), at, at+1)
			l.df--
		}, []Difference{{doc, hash, 0, 1}}},
		"counted": {func(y *Index) {
			l, at := place(y)
			l.postings[at] += 3
		}, []Difference{{doc, hash, 4, 1}}},
		"documents": {func(y *Index) {
			l, _ := place(y)
			l.df++
		}, []Difference{{-1, hash, len(x.documents(hash)) + 1, len(x.documents(hash))}}},
		"length":  {func(y *Index) { y.words[doc]++ }, []Difference{{doc, 0, int(x.words[ids[doc]]) + 1, int(x.words[ids[doc]])}}},
		"no term": {func(y *Index) { delete(y.dict, hash) }, x.documents(hash, ids...)},
	} {
		found, _ := compare(tc.damage)
		if diff := cmp.Diff(tc.want, found); diff != "" {
			t.Errorf("%s (-want +found):\n%s", name, diff)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Compare(ctx, x, x, ids, ids, func(Difference) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// documents are the live documents of a term, as differences from none.
func (x *Index) documents(hash uint64, ids ...uint32) (out []Difference) {
	for _, p := range x.lists[x.dict[hash]].postings {
		if x.words[p>>8] != 0 {
			out = append(out, Difference{slices.Index(ids, p>>8), hash, 0, int(p & 0xff)})
		}
	}
	slices.SortFunc(out, func(a, b Difference) int { return a.Doc - b.Doc })
	return out
}
