package lexical

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// some is an index of documents of random words, a third of them removed, and the ids
// that are left.
func some(t testing.TB) (*Index, []uint32) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	x := New()
	var builder Builder
	var left []uint32
	for id := range uint32(300) {
		for range 1 + r.IntN(40) {
			builder.Add([]byte(fmt.Sprintf("word%d", min(r.IntN(500), r.IntN(500)))), 1+r.IntN(3))
		}
		d := builder.Doc()
		if err := x.Add(id, d); err != nil {
			t.Fatal(err)
		}
		if id%3 == 1 {
			x.Remove(id, d)
		} else {
			left = append(left, id)
		}
	}
	return x, left
}

func TestSaveRestore(t *testing.T) {
	x, ids := some(t)
	slices.Reverse(ids) // any order will do
	var e snapshot.Encoder
	x.Save(&e, ids)
	d := snapshot.NewDecoder(e.Bytes())
	y := Restore(d)
	if err := d.End(); err != nil {
		t.Fatal(err)
	}
	if y.Len() != x.Len() || y.total != x.total || y.live != x.live || y.Terms() > x.Terms() {
		t.Errorf("%d documents of %d terms, %d postings; want %d, %d, %d", y.Len(), y.total, y.live, x.Len(), x.total, x.live)
	}
	for n := range 500 {
		query := []Term{{Hash(Stem(fmt.Sprintf("word%d", n))), 1}, {Hash("word"), 1}, {Hash("absent"), 1}}
		a, b := x.Search(query), y.Search(query)
		for i, id := range ids {
			if a.Score(id) != b.Score(uint32(i)) || a.Coverage(id) != b.Coverage(uint32(i)) {
				t.Fatalf("word%d: document %d scores %v, saved %v", n, id, b.Score(uint32(i)), a.Score(id))
			}
		}
		a.Release()
		b.Release()
	}
	all := make([]uint32, len(ids))
	for i := range all {
		all[i] = uint32(i)
	}
	var again snapshot.Encoder
	y.Save(&again, all)
	if !bytes.Equal(again.Bytes(), e.Bytes()) {
		t.Error("what was restored is saved as other bytes")
	}
	// It goes on as any other.
	var builder Builder
	builder.Add([]byte("fresh words"), 1)
	if err := y.Add(uint32(len(ids)), builder.Doc()); err != nil {
		t.Error(err)
	}
}

func FuzzRestore(f *testing.F) {
	x, ids := some(f)
	var e snapshot.Encoder
	x.Save(&e, ids)
	f.Add(e.Bytes())
	f.Add([]byte{})
	f.Add([]byte{1, 1, 1, 0, 1, 1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		d := snapshot.NewDecoder(b)
		y := Restore(d)
		if err := d.End(); err != nil {
			if !errors.Is(err, snapshot.ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		all := make([]uint32, y.Len())
		for i := range all {
			all[i] = uint32(i)
		}
		var again snapshot.Encoder
		y.Save(&again, all)
		d = snapshot.NewDecoder(again.Bytes())
		if Restore(d); d.End() != nil {
			t.Fatal(d.End())
		}
	})
}

// TestRemoveUnseen takes documents out of which nobody knows the words: as if they had
// been removed with them, and without harm where a removal is of words that nobody added.
func TestRemoveUnseen(t *testing.T) {
	x, ids := some(t)
	var out, left []uint32
	for i, id := range ids {
		if i%4 == 0 {
			out = append(out, id)
		} else {
			left = append(left, id)
		}
	}
	x.RemoveUnseen(append(out, out[0], 1<<20))
	if docs, share := x.Dead(); docs != 100+len(out) || share <= 0 || share >= 1 {
		t.Errorf("%d dead documents, a share of %g", docs, share)
	}
	fresh := New()
	r := rand.New(rand.NewPCG(5, 5))
	var builder Builder
	for id := range uint32(300) {
		for range 1 + r.IntN(40) {
			builder.Add([]byte(fmt.Sprintf("word%d", min(r.IntN(500), r.IntN(500)))), 1+r.IntN(3))
		}
		if d := builder.Doc(); slices.Contains(left, id) {
			if err := fresh.Add(id, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got, want snapshot.Encoder
	x.Save(&got, left)
	fresh.Save(&want, left)
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("what is left is not what was added")
	}
	terms := Doc{Terms: []Term{{Hash: Hash("word1"), Count: 1}}}
	for _, id := range left { // nobody added just that
		x.Remove(id, terms)
	}
	if free := x.Purge(nil); x.Len() != 0 || len(free) != 300 {
		t.Errorf("%d documents are left, %d ids free", x.Len(), len(free))
	}
}
