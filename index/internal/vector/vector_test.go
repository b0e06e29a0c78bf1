package vector

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/philippgille/chromem-go"
)

func random(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return unit(v)
}

func unit(v []float32) []float32 {
	n := plain.length(v)
	for i := range v {
		v[i] = float32(float64(v[i]) / n)
	}
	return v
}

// A shape makes n vectors and one query.
type shape struct {
	name string
	make func(r *rand.Rand, n, dim int) (vectors [][]float32, q []float32)
}

var shapes = []shape{
	{"uniform", func(r *rand.Rand, n, dim int) ([][]float32, []float32) {
		vs := make([][]float32, n)
		for i := range vs {
			vs[i] = random(r, dim)
		}
		return vs, random(r, dim)
	}},
	{"clusters", func(r *rand.Rand, n, dim int) ([][]float32, []float32) {
		near := func(center []float32) []float32 {
			v := random(r, dim)
			for i := range v {
				v[i] = center[i] + 0.05*v[i]
			}
			return unit(v)
		}
		centers := [][]float32{random(r, dim), random(r, dim), random(r, dim)}
		vs := make([][]float32, n)
		for i := range vs {
			vs[i] = near(centers[i%3])
		}
		return vs, near(centers[0])
	}},
	{"duplicates", func(r *rand.Rand, n, dim int) ([][]float32, []float32) {
		kinds := [][]float32{random(r, dim), random(r, dim), random(r, dim), random(r, dim)}
		vs := make([][]float32, n)
		for i := range vs {
			vs[i] = kinds[r.IntN(4)]
		}
		return vs, random(r, dim)
	}},
	{"spikes", func(r *rand.Rand, n, dim int) ([][]float32, []float32) {
		vs := make([][]float32, n)
		for i := range vs {
			v := make([]float32, dim)
			v[r.IntN(dim)] = float32(1 - 2*r.IntN(2))
			v[r.IntN(dim)] += 1e-3
			vs[i] = v
			if plain.length(v) == 0 {
				v[0] = 1
			}
			unit(v)
		}
		q := make([]float32, dim)
		for i := range q {
			q[i] = 1
		}
		return vs, unit(q)
	}},
}

// brute is Search without any of its machinery.
func brute(s *Store, q []float32, k int, keep func(uint32) bool) []Hit {
	var hits []Hit
	for id := range s.arena.slots {
		id := uint32(id)
		if score, ok := s.Score(q, id); ok && (keep == nil || keep(id)) {
			hits = append(hits, Hit{id, score})
		}
	}
	if k < 1 || len(hits) == 0 {
		return nil
	}
	return best(hits, k)
}

func build(t testing.TB, opt Options, vs [][]float32) *Store {
	t.Helper()
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if err := s.Add(uint32(i), v); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func same(t *testing.T, what string, got, want []Hit) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" && (len(got) > 0 || len(want) > 0) {
		t.Fatalf("%s: (-want +got)\n%s", what, diff)
	}
}

// reference puts vs in a chromem collection of its own.
func reference(t *testing.T, vs [][]float32) *chromem.Collection {
	t.Helper()
	c, err := chromem.NewDB().CreateCollection("reference", nil,
		func(context.Context, string) ([]float32, error) { return nil, errors.New("never") })
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		doc := chromem.Document{ID: strconv.Itoa(i), Embedding: v}
		if err := c.AddDocument(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// likeChromem checks that got agrees with chromem in every score to 1e-5, and
// in the order up to scores that close.
func likeChromem(t *testing.T, c *chromem.Collection, q []float32, got []Hit) {
	t.Helper()
	if len(got) == 0 {
		return
	}
	all, err := c.QueryEmbedding(t.Context(), q, c.Count(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	score := map[string]float32{}
	for _, r := range all {
		score[r.ID] = r.Similarity
	}
	const eps = 1e-5
	for i, h := range got {
		want, ok := score[strconv.Itoa(int(h.ID))]
		if !ok || math.Abs(float64(want-h.Score)) > eps {
			t.Fatalf("place %d: id %d has score %v, chromem says %v", i, h.ID, h.Score, want)
		}
		if there := all[i].Similarity; math.Abs(float64(there-h.Score)) > eps {
			t.Fatalf("place %d: score %v, in chromem's order %v", i, h.Score, there)
		}
	}
}

func TestSearch(t *testing.T) {
	for _, sh := range shapes {
		for _, dim := range []int{1, 7, 48, 256, 768} {
			t.Run(fmt.Sprint(sh.name, "/", dim), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(1, uint64(dim)))
				vs, q := sh.make(r, 1300, dim)
				scan := build(t, Options{Dim: dim, FlatAbove: -1}, vs)
				ask := build(t, Options{Dim: dim, FlatAbove: 1 << 30}, vs)
				ref := reference(t, vs)
				third := func(id uint32) bool { return id%3 == 0 }
				few := func(id uint32) bool { return id%400 == 7 }
				for _, k := range []int{-1, 0, 1, 10, 200, 1299, 5000} {
					want := brute(scan, q, k, nil)
					same(t, fmt.Sprint("scan k=", k), scan.Search(q, k, nil), want)
					same(t, fmt.Sprint("chromem k=", k), ask.Search(q, k, nil), want)
					if k > len(vs) { // the others are its beginnings
						likeChromem(t, ref, q, want)
					}
					for _, keep := range []func(uint32) bool{third, few} {
						want := brute(scan, q, k, keep)
						same(t, fmt.Sprint("scan, filter, k=", k), scan.Search(q, k, keep), want)
						same(t, fmt.Sprint("chromem, filter, k=", k), ask.Search(q, k, keep), want)
					}
				}
				for _, kern := range []kernel{plain, avx2} {
					if kern > fastest() {
						continue
					}
					scan.arena.kernel = kern
					same(t, fmt.Sprint("kernel ", kern), scan.Search(q, 50, nil), brute(scan, q, 50, nil))
				}
			})
		}
	}
}

// TestKeepOnce checks that the filter is asked for an id at most once, and that
// it decides, with more vectors than are noted as the best.
func TestKeepOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	vs, q := shapes[0].make(r, 5000, 16)
	s := build(t, Options{Dim: 16}, vs)
	for _, n := range []uint32{1, 2, 50, 2000} {
		for _, k := range []int{1, 30, 600} {
			keep := func(id uint32) bool { return id%n == 0 }
			asked := map[uint32]int{}
			got := s.Search(q, k, func(id uint32) bool {
				asked[id]++
				return keep(id)
			})
			same(t, fmt.Sprintf("one in %d, k=%d", n, k), got, brute(s, q, k, keep))
			for id, times := range asked {
				if times > 1 {
					t.Fatalf("one in %d, k=%d: asked %d times for %d", n, k, times, id)
				}
			}
		}
	}
}

// TestChanges applies random Add, Remove and Add again, against a map.
func TestChanges(t *testing.T) {
	const dim = 24
	r := rand.New(rand.NewPCG(3, 3))
	model := map[uint32][]float32{}
	scan := build(t, Options{Dim: dim, FlatAbove: -1}, nil)
	ask := build(t, Options{Dim: dim, FlatAbove: 1 << 30}, nil)
	for step := range 8000 {
		id := uint32(r.IntN(3000))
		switch r.IntN(5) {
		case 0, 1:
			delete(model, id)
			other := uint32(r.IntN(3000))
			delete(model, other)
			scan.Remove(id, other, id, 1<<31)
			ask.Remove(id, other, id, 1<<31)
		default:
			v := random(r, dim)
			if r.IntN(20) == 0 {
				clear(v)
				delete(model, id)
			} else {
				model[id] = v
			}
			for _, s := range []*Store{scan, ask} {
				if err := s.Add(id, v); err != nil {
					t.Fatal(err)
				}
			}
		}
		if step%500 != 0 {
			continue
		}
		if scan.Len() != len(model) || ask.Len() != len(model) || ask.coll.Count() != len(model) {
			t.Fatalf("step %d: Len %d and %d, chromem %d, want %d", step, scan.Len(), ask.Len(), ask.coll.Count(), len(model))
		}
		q := random(r, dim)
		var want []Hit
		for id, v := range model {
			want = append(want, Hit{id, plain.score(q, v, plain.length(q), 1)})
		}
		want = best(want, 60)
		for _, s := range []*Store{scan, ask} {
			got := s.Search(q, 60, nil)
			if len(got) != len(want) {
				t.Fatalf("step %d: %d hits, want %d", step, len(got), len(want))
			}
			for i := range got {
				// A vector whose length was off by 5e-7 was set right by Add.
				if got[i].ID != want[i].ID || math.Abs(float64(got[i].Score-want[i].Score)) > 1e-6 {
					t.Fatalf("step %d, place %d: %v, want %v", step, i, got[i], want[i])
				}
			}
		}
	}
	if n, most := len(scan.arena.blocks), 3; n > most {
		t.Errorf("%d blocks for at most 3000 vectors, want %d: slots are not used again", n, most)
	}
	var ids []uint32
	for id := range model {
		ids = append(ids, id)
	}
	scan.Remove(ids...)
	if got := scan.Search(random(r, dim), 5, nil); got != nil || scan.Len() != 0 {
		t.Errorf("everything removed: %v, Len %d", got, scan.Len())
	}
}

func TestAdd(t *testing.T) {
	s := build(t, Options{Dim: 3}, nil)
	for name, v := range map[string][]float32{
		"short":    {1, 0},
		"long":     {1, 0, 0, 0},
		"not unit": {1, 1, 0},
		"NaN":      {float32(math.NaN()), 0, 1},
		"Inf":      {float32(math.Inf(1)), 0, 0},
	} {
		if err := s.Add(1, v); err == nil || s.Len() != 0 {
			t.Errorf("%s: error %v, Len %d", name, err, s.Len())
		}
	}
	if err := s.Add(4, []float32{0, 0, 0}); err != nil || s.Len() != 0 || s.Vector(4) != nil {
		t.Errorf("zero vector: error %v, Len %d, Vector %v", err, s.Len(), s.Vector(4))
	}

	v := []float32{0.6, 0.8003, 0}
	if err := s.Add(4, v); err != nil {
		t.Fatal(err)
	}
	v[0] = 9
	got := s.Vector(4)
	if math.Abs(plain.length(got)-1) > 2e-7 {
		t.Errorf("stored length %v", plain.length(got))
	}
	found, err := s.coll.QueryEmbedding(t.Context(), []float32{1, 0, 0}, 1, nil, nil)
	if err != nil || &found[0].Embedding[0] != &got[0] {
		t.Errorf("chromem does not alias the arena (error %v)", err)
	}
	if err := s.Add(4, []float32{0, 0, 1}); err != nil {
		t.Fatal(err)
	}
	same(t, "after replacing", s.Search([]float32{0, 0, 2}, 3, nil), []Hit{{4, 1}})
	if before := s.Bytes(); before < 1024*(3*4+32/2) {
		t.Errorf("Bytes %d", before)
	}
	if err := s.Add(4, []float32{0, 0, 0}); err != nil || s.Len() != 0 {
		t.Errorf("replaced by zero: error %v, Len %d", err, s.Len())
	}
	for _, dim := range []int{-1, 0, MaxDim + 1} {
		if _, err := New(Options{Dim: dim}); err == nil {
			t.Errorf("dimension %d is accepted", dim)
		}
	}
}

func TestQueriesWithoutDirection(t *testing.T) {
	for _, flat := range []int{-1, 100} {
		s := build(t, Options{Dim: 2, FlatAbove: flat}, nil)
		if got := s.Search([]float32{1, 0}, 3, nil); got != nil {
			t.Errorf("empty store: %v", got)
		}
		if err := s.Add(0, []float32{1, 0}); err != nil {
			t.Fatal(err)
		}
		for _, q := range [][]float32{nil, {1}, {0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}} {
			if got := s.Search(q, 3, nil); got != nil {
				t.Errorf("query %v: %v", q, got)
			}
			if _, ok := s.Score(q, 0); ok {
				t.Errorf("query %v has a score", q)
			}
		}
		for _, q := range [][]float32{{3e38, 0}, {1e-40, 0}} {
			same(t, fmt.Sprint(q), s.Search(q, 3, nil), []Hit{{0, 1}})
		}
		if _, ok := s.Score([]float32{1, 0}, 1); ok {
			t.Error("an unknown id has a score")
		}
	}
}

func TestConcurrentSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	vs, _ := shapes[0].make(r, 8200, 32) // enough to share passes
	for _, flat := range []int{-1, 1 << 30} {
		if flat > 0 {
			vs = vs[:1000]
		}
		s := build(t, Options{Dim: 32, FlatAbove: flat}, vs)
		var wg sync.WaitGroup
		for g := range 12 {
			q := random(r, 32)
			want := brute(s, q, 20+g, nil)
			wg.Go(func() {
				for range 20 {
					if got := s.Search(q, 20+g, nil); !slices.Equal(got, want) {
						t.Errorf("goroutine %d: %v, want %v", g, got, want)
						return
					}
					s.Score(q, 7)
					s.Vector(7)
					s.Len()
				}
			})
		}
		wg.Wait()
	}
}

// TestSweep: the vector that is the query itself has the greatest product, and what has no
// direction has none.
func TestSweep(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	vs, q := shapes[0].make(r, 3000, 64)
	s := build(t, Options{Dim: 64}, vs)
	before := s.Sweep(q)
	if err := s.Add(uint32(len(vs)), q); err != nil {
		t.Fatal(err)
	}
	if after := s.Sweep(q); after <= before || after < 0 {
		t.Errorf("the greatest product is %d, and with the query itself among the vectors %d", before, after)
	}
	for _, bad := range [][]float32{nil, make([]float32, 64), make([]float32, 63)} {
		if got := s.Sweep(bad); got != 0 {
			t.Errorf("Sweep of %d dimensions without direction = %d", len(bad), got)
		}
	}
}
