package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// kernels lists the kernels that this machine can run.
func kernels() []kernel {
	var all []kernel
	for k := plain; k <= fastest(); k++ {
		all = append(all, k)
	}
	return all
}

func (k kernel) String() string { return [...]string{"plain", "avx2", "vnni"}[k] }

// agree checks every kernel against plain on one block's codes.
func agree(t *testing.T, codes []uint8, q *query, stride int) {
	t.Helper()
	want := make([]int32, blockRows)
	plainDots(want, codes, q, stride)
	for _, k := range kernels() {
		for _, n := range []int{4, tileRows, blockRows} {
			for _, at := range []int{0, blockRows - n} {
				got := make([]int32, n)
				k.dots(got, codes[at/4*stride:], q, stride)
				if !slices.Equal(got, want[at:at+n]) {
					t.Fatalf("%v differs from plain, stride %d, %d slots from %d", k, stride, n, at)
				}
			}
		}
	}
}

func TestDots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 7, 31, 32, 33, 48, 256, 384, 768, 4096} {
		a := newArena(dim)
		fills := map[string]func() uint8{
			"random": func() uint8 { return uint8(1 + r.IntN(255)) },
			"least":  func() uint8 { return 1 },
			"most":   func() uint8 { return 255 },
		}
		queries := map[string][]float32{"random": random(r, dim), "flat": make([]float32, dim), "spike": make([]float32, dim)}
		for i := range dim {
			queries["flat"][i] = -1
		}
		queries["spike"][dim-1] = 5
		codes := make([]uint8, blockRows*a.stride)
		for fill, next := range fills {
			for i := range codes {
				codes[i] = next()
			}
			for name, v := range queries {
				q := newQuery(v, plain.length(v), a.stride)
				agree(t, codes, q, a.stride)
				// The sum of 32 bits is the true one.
				var sum int64
				for i, d := range q.digits {
					sum += (int64(codes[i]) - 128) * int64(d)
				}
				var got [4]int32
				plainDots(got[:], codes, q, a.stride)
				if int64(got[0]) != sum {
					t.Errorf("dim %d, %s codes, %s query: %d, want %d", dim, fill, name, got[0], sum)
				}
			}
		}
	}
}

func FuzzDots(f *testing.F) {
	f.Add([]byte{1, 255, 128}, []byte{0, 3, 250}, uint8(40))
	f.Add([]byte{255}, []byte{127}, uint8(0))
	f.Fuzz(func(t *testing.T, codes, digits []byte, dim uint8) {
		if len(codes) == 0 || len(digits) == 0 {
			return
		}
		d := int(dim) + 1
		a := newArena(d)
		v := make([]float32, d)
		for i := range v {
			v[i] = float32(int8(digits[i%len(digits)]))
		}
		norm := plain.length(v)
		if norm == 0 {
			return
		}
		block := make([]uint8, blockRows*a.stride)
		for i := range block {
			block[i] = codes[(i+i/a.stride)%len(codes)]
		}
		agree(t, block, newQuery(v, norm, a.stride), a.stride)
	})
}

func TestOver(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	inf := float32(math.Inf(-1))
	var dots [tileRows]int32
	var scale, rest tile
	q := &query{step: 1e-4, onRest: 1.01}
	for i := range 5000 {
		for i := range dots {
			dots[i] = int32(r.Uint32())
			scale[i] = r.Float32() / 1e5
			rest[i] = r.Float32()
			if r.IntN(5) == 0 {
				rest[i] = inf
			}
		}
		floor := float32(noFloor)
		if i%50 > 0 { // exactly a bound, where one bit would show
			p := r.IntN(tileRows)
			score, err := q.approx(dots[p], scale[p], rest[p])
			floor = score + err
		}
		want := plainOver(&dots, &scale, &rest, q, floor)
		for _, k := range kernels() {
			if got := k.over(&dots, &scale, &rest, q, floor); got != want {
				t.Fatalf("%v, floor %v: %x, want %x", k, floor, got, want)
			}
		}
	}
	for i := range rest {
		rest[i] = inf
	}
	for _, k := range kernels() {
		if got := k.over(&dots, &scale, &rest, q, noFloor); got != 0 {
			t.Errorf("%v: a free slot reaches the floor: %x", k, got)
		}
	}
}

// TestBound checks what Search rests on: the score lies within the bounds.
func TestBound(t *testing.T) {
	for _, sh := range shapes {
		for _, dim := range []int{1, 2, 7, 48, 256} {
			t.Run(fmt.Sprint(sh.name, "/", dim), func(t *testing.T) {
				r := rand.New(rand.NewPCG(9, uint64(dim)))
				vs, v := sh.make(r, 1100, dim)
				s := build(t, Options{Dim: dim}, vs)
				queries := [][]float32{v, vs[0], random(r, dim)}
				for _, v := range queries {
					norm := plain.length(v)
					q := newQuery(v, norm, s.arena.stride)
					var dots [blockRows]int32
					for i, b := range s.arena.blocks {
						plainDots(dots[:], b.codes, q, s.arena.stride)
						for p := range min(blockRows, len(vs)-i*blockRows) {
							exact := plain.score(v, s.arena.row(uint32(i*blockRows+p)), norm)
							score, err := q.approx(dots[p], b.scale[p], b.rest[p])
							if exact < score-err-q.extra || exact > score+err+q.extra {
								t.Fatalf("score %v is not in %v +- %v", exact, score, err+q.extra)
							}
						}
					}
				}
			})
		}
	}
}

func TestNthGreatest(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 3000 {
		x := make([]float32, 1+r.IntN(60))
		kinds := 1 + r.IntN(60)
		for i := range x {
			x[i] = float32(r.IntN(kinds))
		}
		n := 1 + r.IntN(len(x))
		sorted := slices.Sorted(slices.Values(x))
		if got, want := nthGreatest(x, n), sorted[len(x)-n]; got != want {
			t.Fatalf("%d-th of %v: %v, want %v", n, sorted, got, want)
		}
	}
}

func TestDot(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	for _, dim := range []int{1, 7, 15, 16, 17, 48, 256, 384, 768, 1000} {
		for range 50 {
			x, y := random(r, dim), random(r, dim)
			x[r.IntN(dim)] *= 1e30
			y[r.IntN(dim)] *= 1e-30
			want := plain.dot(x, y)
			var simple float64
			for i := range x {
				simple += float64(x[i]) * float64(y[i])
			}
			if math.Abs(want-simple) > 1e-12*plain.length(x)*plain.length(y) {
				t.Fatalf("dim %d: %v, want %v", dim, want, simple)
			}
			for _, k := range kernels() {
				if got := k.dot(x, y); got != want {
					t.Fatalf("%v, dim %d: %v, want %v", k, dim, got, want)
				}
			}
		}
	}
}
