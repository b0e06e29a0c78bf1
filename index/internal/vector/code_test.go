package vector

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRounded checks that a Rounded Store finds what is nearest among what it holds,
// that this is close to what it was given, and that codes give it back to the bit.
func TestRounded(t *testing.T) {
	for _, sh := range shapes {
		for _, dim := range []int{7, 48, 256, 300} {
			t.Run(fmt.Sprint(sh.name, "/", dim), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(4, uint64(dim)))
				vs, q := sh.make(r, 1300, dim)
				s := build(t, Options{Dim: dim, FlatAbove: -1, Rounded: true}, vs)
				again, err := New(Options{Dim: dim, FlatAbove: 1 << 30, Rounded: true})
				if err != nil {
					t.Fatal(err)
				}
				for id, v := range vs {
					row := s.Vector(uint32(id))
					off := 0.0
					for i := range v {
						off += math.Pow(float64(v[i])-float64(row[i]), 2)
					}
					if off = math.Sqrt(off); off > 0.05 || math.Abs(plain.length(row)-1) > 5e-7 {
						t.Fatalf("vector %d: rounded by %v to length %v", id, off, plain.length(row))
					}
					code := s.AppendCode(nil, uint32(id))
					if len(code) != 8+dim {
						t.Fatalf("a code of %d bytes, want %d", len(code), 8+dim)
					}
					if err := again.AddCode(uint32(id), code); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(row, again.Vector(uint32(id))) || !bytes.Equal(code, again.AppendCode(nil, uint32(id))) {
						t.Fatalf("vector %d is another one after AddCode", id)
					}
				}
				for i, b := range s.arena.blocks {
					if c := again.arena.blocks[i]; !bytes.Equal(b.codes, c.codes) || !bytes.Equal(b.fine, c.fine) || b.rest != c.rest || b.fineRest != c.fineRest {
						t.Fatalf("block %d differs", i)
					}
				}
				for _, k := range []int{1, 40, 1300} {
					want := brute(s, q, k, nil)
					same(t, fmt.Sprint("scan k=", k), s.Search(q, k, nil), want)
					same(t, fmt.Sprint("chromem k=", k), again.Search(q, k, nil), want)
				}
			})
		}
	}
}

func TestAddCode(t *testing.T) {
	s := build(t, Options{Dim: 4, Rounded: true}, [][]float32{{1, 0, 0, 0}})
	code := s.AppendCode(nil, 0)
	for name, bad := range map[string]Code{
		"short":    code[:len(code)-1],
		"long":     append(slices.Clone(code), 0x88),
		"not unit": append(slices.Clone(code[:len(code)-1]), 0xff),
		"NaN":      append([]byte{0, 0, 0xc0, 0x7f}, code[4:]...),
	} {
		if err := s.AddCode(1, bad); err == nil || s.Len() != 1 {
			t.Errorf("%s: error %v, Len %d", name, err, s.Len())
		}
	}
	if err := s.AddCode(7, code); err != nil || !slices.Equal(s.Vector(7), s.Vector(0)) {
		t.Errorf("%v, %v", s.Vector(7), err)
	}
	if got := s.AppendCode(nil, 3); got != nil {
		t.Errorf("the code of nothing is %v", got)
	}
	plainly := build(t, Options{Dim: 4}, [][]float32{{1, 0, 0, 0}})
	if plainly.AppendCode(nil, 0) != nil || plainly.AddCode(1, code) == nil {
		t.Error("a Store that does not round takes or gives a code")
	}
}

func TestNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1 << 20 {
		x := (random.Float64() - 0.5) * 40
		if random.IntN(4) == 0 {
			x = math.Round(x) + 0.5 // between two
		}
		if want := max(-maxCode, min(maxCode, math.RoundToEven(x))); nearest(x, maxCode) != want {
			t.Fatalf("%v: %v, want %v", x, nearest(x, maxCode), want)
		}
	}
}

// TestUnpack compares the kernels on random codes, and on every pair of codes at every
// place of a round.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 4))
	for _, rounds := range []int{1, 2, 3, 6, 256} {
		for i := range 300 {
			both := make([]uint8, rounds*fineDims)
			for j := range both {
				both[j] = uint8(r.Uint32())
				if i < 256 {
					both[j] = uint8(i)
				}
			}
			scale, fine := r.Float32()/7, r.Float32()/100
			want, got := make([]float32, rounds*fineDims), make([]float32, rounds*fineDims)
			plainUnpack(want, both, scale, fine)
			for _, k := range kernels() {
				clear(got)
				if k.unpack(got, both, scale, fine); !slices.Equal(got, want) {
					t.Fatalf("%v, %d rounds: another row than in plain Go", k, rounds)
				}
			}
		}
	}
}

// TestCoded compares the product of a query with codes with that of their row.
func TestCoded(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 5))
	for _, rounds := range []int{1, 2, 3, 6, 256} {
		for range 300 {
			both, row := make([]uint8, rounds*fineDims), make([]float32, rounds*fineDims)
			for j := range both {
				both[j] = uint8(r.Uint32())
			}
			scale, fine := r.Float32()/7, r.Float32()/100
			plainUnpack(row, both, scale, fine)
			q, wide := random(r, len(row)-r.IntN(20)), make([]float64, len(row))
			for i, x := range q {
				wide[i] = float64(x)
			}
			want := plain.dot(q, row[:len(q)])
			for _, k := range kernels() {
				if got, ok := k.fastCoded(wide, both, scale, fine); ok && got != want {
					t.Fatalf("%v, %d rounds: %v, want %v", k, rounds, got, want)
				}
			}
		}
	}
}

// TestGauge compares what a Gauge says of many ids with the scores of each.
func TestGauge(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 6))
	for _, dim := range []int{5, 128, 200, 256} {
		for _, rounded := range []bool{false, true} {
			var vs [][]float32
			for range 300 {
				vs = append(vs, unit(random(r, dim)))
			}
			s := build(t, Options{Dim: dim, Rounded: rounded}, vs)
			s.Remove(7, 8)
			ids := []uint32{1000}
			for range 400 {
				ids = append(ids, r.Uint32N(310))
			}
			for _, q := range [][]float32{random(r, dim), make([]float32, dim), {1}} {
				for _, k := range kernels() {
					s.arena.kernel = k
					g := s.Gauge(q)
					if (g == nil) != (s.norm(q) == 0) {
						t.Fatalf("%v, dim %d: no gauge is %t", k, dim, g == nil)
					}
					if g == nil {
						continue
					}
					near := g.Near([]float32{1}, ids)[1:]
					for i, id := range ids {
						want, ok := s.Score(q, id)
						if got := g.Score(id); got != want {
							t.Fatalf("%v, dim %d, rounded %t: id %d has %v, want %v", k, dim, rounded, id, got, want)
						}
						if math.Abs(float64(near[i]-want)) > float64(g.Within()) || ok == (near[i] == 0) {
							t.Fatalf("%v, dim %d, rounded %t: id %d has %v, which is not within %v of %v", k, dim, rounded, id, near[i], g.Within(), want)
						}
					}
					g.Close()
				}
			}
		}
	}
}

// TestChromemEnds adds more vectors to a Rounded Store than it asks chromem for, and
// takes them out again: the answers are exact before and after.
func TestChromemEnds(t *testing.T) {
	const dim, most = 24, 100
	r := rand.New(rand.NewPCG(7, 7))
	s, err := New(Options{Dim: dim, FlatAbove: most, Rounded: true})
	if err != nil {
		t.Fatal(err)
	}
	q := random(r, dim)
	look := func(when string) {
		same(t, when, s.Search(q, 10, nil), brute(s, q, 10, nil))
	}
	for id := range uint32(most) {
		if err := errors.Join(s.Add(id, random(r, dim)), s.Add(id, random(r, dim))); err != nil {
			t.Fatal(err)
		}
	}
	if s.coll.Count() != most {
		t.Fatalf("chromem has %d vectors of %d", s.coll.Count(), most)
	}
	look("with chromem")
	before := s.Bytes()
	if err := s.Add(most, random(r, dim)); err != nil {
		t.Fatal(err)
	}
	if s.coll != nil || s.Bytes() >= before {
		t.Errorf("chromem is kept, or counted: %d bytes after %d", s.Bytes(), before)
	}
	look("without")
	for id := range uint32(most) {
		s.Remove(id)
	}
	look("at the end")
	if got := s.Search(q, 10, nil); len(got) != 1 || got[0].ID != most || !s.Has(most) || s.Has(0) {
		t.Errorf("after removals: %v", got)
	}
}

// TestPlain counts the vectors that use no more than the first places, whatever becomes of
// them.
func TestPlain(t *testing.T) {
	s, err := New(Options{Dim: 5, Rounded: true, Plain: 3})
	if err != nil {
		t.Fatal(err)
	}
	short, long := []float32{0.6, 0, 0.8, 0, 0}, []float32{0.6, 0, 0, 0, 0.8}
	check := func(what string, s *Store, plain ...uint32) {
		t.Helper()
		for id := range uint32(3000) {
			if want := slices.Contains(plain, id); s.IsPlain(id) != want {
				t.Errorf("%s: %d is plain: %v", what, id, !want)
			}
		}
		if s.Plain() != len(plain) {
			t.Errorf("%s: %d are plain, not %v", what, s.Plain(), plain)
		}
	}
	add := func(id uint32, v []float32) {
		t.Helper()
		if err := s.Add(id, v); err != nil {
			t.Fatal(err)
		}
	}
	check("none", s)
	add(1, short)
	add(2, long)
	add(2500, short)
	check("added", s, 1, 2500)
	c := s.Clone()
	add(1, long)
	add(2, short)
	check("replaced", s, 2, 2500)
	check("a clone", c, 1, 2500)
	add(2, make([]float32, 5))
	s.Remove(2500, 2501)
	check("removed", s)
	add(7, long) // in a slot that had a plain one
	check("taken again", s)
	for _, n := range []int{-1, 5} {
		if _, err := New(Options{Dim: 5, Rounded: true, Plain: n}); err == nil {
			t.Errorf("%d plain places", n)
		}
	}
}

// TestLeading compares queries of the leading places alone with the cosines of these, among
// vectors that have no others, that have, and that have only others.
func TestLeading(t *testing.T) {
	for _, sh := range shapes {
		for _, dims := range [][2]int{{5, 3}, {300, 100}, {384, 256}} {
			dim, n := dims[0], dims[1]
			t.Run(fmt.Sprint(sh.name, "/", dim), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(6, uint64(dim)))
				vs, q := sh.make(r, 1300, n)
				for i, v := range vs {
					whole := make([]float32, dim)
					switch i % 3 {
					case 0: // plain
						copy(whole, v)
					case 1:
						copy(whole, v)
						copy(whole[n:], random(r, dim-n))
						for j, x := range whole {
							whole[j] = x / float32(math.Sqrt2)
						}
					default:
						if i%2 == 0 {
							copy(whole[n:], random(r, dim-n))
						}
					}
					vs[i] = whole
				}
				s := build(t, Options{Dim: dim, Rounded: true, Plain: n}, vs)
				for i, v := range vs {
					want := float32(0)
					if i%3 < 2 {
						want = plain.score(q, unit(slices.Clone(v[:n])), plain.length(q), 1)
					}
					if got, ok := s.Score(q, uint32(i)); ok != s.Has(uint32(i)) || math.Abs(float64(got-want)) > 0.1 {
						t.Fatalf("vector %d: %v, %v, want %v", i, got, ok, want)
					}
				}
				s.Remove(4, 6)
				odd := func(id uint32) bool { return id%2 == 1 }
				for _, s := range []*Store{s, s.Clone()} {
					for _, k := range kernels() {
						s.arena.kernel = k
						for _, n := range []int{1, 40, 1300} {
							same(t, fmt.Sprint(k, " k=", n), s.Search(q, n, nil), brute(s, q, n, nil))
							same(t, fmt.Sprint(k, " odd k=", n), s.Search(q, n, odd), brute(s, q, n, odd))
						}
						ids := []uint32{0, 1, 4, 1299, 5000}
						g := s.Gauge(q)
						for i, near := range g.Near(nil, ids) {
							one, _ := s.Score(q, ids[i])
							if got := g.Score(ids[i]); got != one || math.Abs(float64(near-one)) > float64(g.Within()) || near == 0 && one != 0 {
								t.Errorf("%v: id %d has %v and %v, alone %v", k, ids[i], got, near, one)
							}
						}
						g.Close()
					}
				}
			})
		}
	}
}
