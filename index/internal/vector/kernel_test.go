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

// agree checks every kernel against the sum over codes of tileRows slots, which
// are stored the way that put does it.
func agree(t *testing.T, codes func(slot, i int) int8, q *query) {
	t.Helper()
	width := len(q.digits)
	packed := make([]uint8, blockRows*width/2)
	var want [tileRows]int32
	row, zeros, woven := make([]int8, width), make([]int8, width), make([]uint8, width)
	for p := range tileRows {
		var sum int64
		for i, d := range q.digits {
			row[i] = codes(p, i)
			sum += int64(row[i]) * int64(d)
		}
		weave(woven, row, zeros)
		packCodes(packed, p, woven)
		if want[p] = int32(sum); int64(want[p]) != sum {
			t.Fatalf("%d leaves an int32", sum)
		}
	}
	for _, k := range kernels() {
		var got [tileRows]int32
		if k.dots(&got, packed, packed, q); got != want {
			t.Fatalf("%v, %d codes: %v, want %v", k, width, got, want)
		}
	}
}

func TestDots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fills := map[string]func(slot, i int) int8{
		"random": func(int, int) int8 { return int8(r.IntN(2*maxCode+1) - maxCode) },
		"most":   func(int, int) int8 { return maxCode },
		"least":  func(int, int) int8 { return -maxCode },
		"turns":  func(slot, i int) int8 { return maxCode * int8(1-(slot+i)%2*2) },
	}
	for _, dim := range []int{1, 7, 31, 32, 33, 48, 256, 384, 768} {
		queries := map[string][]float32{"random": random(r, dim), "ones": make([]float32, dim), "flat": make([]float32, dim), "spike": make([]float32, dim)}
		for i := range dim {
			queries["ones"][i] = 1
			queries["flat"][i] = -1
		}
		queries["spike"][dim-1] = 5
		width := newArena(Options{Dim: dim}).width
		for _, fill := range fills {
			for _, v := range queries {
				agree(t, fill, newQuery(v, plain.length(v), width, 0))
			}
		}
	}
	// The greatest sum that there can be.
	ones := make([]float32, MaxDim)
	for i := range ones {
		ones[i] = 1
	}
	agree(t, fills["most"], newQuery(ones, plain.length(ones), MaxDim, 0))
}

func FuzzDots(f *testing.F) {
	f.Add([]byte{1, 15, 8}, []byte{0, 3, 250}, uint8(40))
	f.Add([]byte{15}, []byte{127}, uint8(0))
	f.Fuzz(func(t *testing.T, codes, digits []byte, dim uint8) {
		if len(codes) == 0 || len(digits) == 0 {
			return
		}
		v := make([]float32, int(dim)+1)
		for i := range v {
			v[i] = float32(int8(digits[i%len(digits)]))
		}
		norm := plain.length(v)
		if norm == 0 {
			return
		}
		agree(t, func(slot, i int) int8 {
			return int8(codes[(slot*len(v)+i)%len(codes)]%16) - codeZero
		}, newQuery(v, norm, newArena(Options{Dim: len(v)}).width, 0))
	})
}

func TestOver(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	inf := float32(math.Inf(-1))
	var dots [tileRows]int32
	var scale, rest tile
	const step, onRest = 1e-4, 1.01
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
			floor = approx(dots[p], scale[p], step) + float32(rest[p]*onRest)
		}
		want := plainOver(&dots, &scale, &rest, step, onRest, floor)
		for _, k := range kernels() {
			if got := k.over(&dots, &scale, &rest, step, onRest, floor); got != want {
				t.Fatalf("%v, floor %v: %x, want %x", k, floor, got, want)
			}
		}
	}
	for i := range rest {
		rest[i] = inf
	}
	for _, k := range kernels() {
		if got := k.over(&dots, &scale, &rest, step, onRest, noFloor); got != 0 {
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
					q := newQuery(v, norm, s.arena.width, s.arena.narrow)
					var dots [tileRows]int32
					for i := range vs {
						b, p := s.arena.blocks[i/blockRows], i%blockRows
						if p%tileRows == 0 {
							plainDots(&dots, s.arena.codes(i), q, s.arena.width/wordDims)
						}
						{
							exact := plain.score(v, s.arena.row(uint32(i), nil), norm, 1)
							score, err := approx(dots[p%tileRows], b.scale[p], q.step), b.rest[p]*q.onRest
							if exact < score-err-q.extra || exact > score+err+q.extra {
								t.Fatalf("score %v is not in %v +- %v", exact, score, err+q.extra)
							}
							sel := selection{query: q, slots: []uint32{uint32(i)}, dots: make([]int32, i+1)}
							sel.dots[i] = dots[p%tileRows]
							for _, k := range kernels() {
								s.arena.kernel = k
								sel.bound(&s.arena)
								if fine := sel.narrow[0]; exact < fine.low || exact > fine.high {
									t.Fatalf("%v: score %v is not in %v to %v", k, exact, fine.low, fine.high)
								}
							}
						}
					}
				}
			})
		}
	}
}

// TestFine compares the kernels on random and on extreme codes.
func TestFine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 11))
	for _, rounds := range []int{1, 2, 3, 6, 256} {
		for i := range 60 {
			codes, digits := make([]uint8, rounds*fineDims/2), make([]int8, rounds*fineDims)
			for j := range codes {
				codes[j] = uint8(r.Uint32())
				if i == 0 {
					codes[j] = 0xff
				}
			}
			for j := range digits {
				digits[j] = int8(r.IntN(2*maxDigit+1) - maxDigit)
				if i < 2 {
					digits[j] = int8(maxDigit * (1 - 2*i))
				}
			}
			q := &query{fine: digits, offset: int32(r.IntN(1000))}
			want := plainFine(codes, digits) - q.offset
			for _, k := range kernels() {
				if got := k.fine(codes, q); got != want {
					t.Fatalf("%v, %d rounds: %d, want %d", k, rounds, got, want)
				}
			}
		}
	}
}

// TestPackRow unpacks what packRow has packed.
func TestPackRow(t *testing.T) {
	const n = 3 * fineDims
	r := rand.New(rand.NewPCG(3, 12))
	codes, fine, woven, row := make([]int8, n), make([]int8, n), make([]uint8, n), make([]uint8, n)
	for i := range codes {
		codes[i], fine[i] = int8(r.IntN(2*maxCode+1)-maxCode), int8(r.IntN(2*maxCode+1)-maxCode)
	}
	weave(woven, codes, fine)
	packRow(row, woven)
	for i := range codes {
		unit := make([]int8, n)
		unit[i] = 1
		if got := plainFine(row[:n/2], unit) - codeZero; got != int32(fine[i]) {
			t.Fatalf("fine code %d is %d, want %d", i, got, fine[i])
		}
		if got := plainFine(row[n/2:], unit) - codeZero; got != int32(codes[i]) {
			t.Fatalf("code %d is %d, want %d", i, got, codes[i])
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
