package vector

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// someTokens returns n vectors of dim numbers, of lengths up to 1.
func someTokens(r *rand.Rand, n, dim int) (all []float32) {
	for range n {
		length := r.Float32()
		for _, x := range random(r, dim) {
			all = append(all, x*length)
		}
	}
	return all
}

// keeping returns a Store of vectors of 5 numbers, of which 3 are plain, that keeps tokens.
func keeping(tb testing.TB, tokens, dim int) *Store {
	tb.Helper()
	s, err := New(Options{Dim: 5, Rounded: true, Plain: 3, Tokens: tokens, TokenDim: dim})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

var (
	plainOne   = []float32{0.6, 0, 0.8, 0, 0}
	refinedOne = []float32{0.6, 0, 0, 0, 0.8}
)

// addTokens adds a refined vector with tokens.
func addTokens(tb testing.TB, s *Store, id uint32, tokens []float32) Code {
	tb.Helper()
	code, err := NewCoder(s.arena.Options).Append(nil, refinedOne, tokens)
	if err == nil {
		err = s.AddCode(id, code)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return code
}

// maxSim is the definition: of vectors of dim numbers, one after the other.
func maxSim(question, document []float32, dim int) float64 {
	sum, lengths := 0.0, 0.0
	for q := range slices.Chunk(question, dim) {
		best := math.Inf(-1)
		for d := range slices.Chunk(document, dim) {
			best = max(best, dot(q, d))
		}
		sum, lengths = sum+best, lengths+math.Sqrt(dot(q, q))
	}
	return sum / lengths
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestLate compares scores with the definition, of what is kept exactly but for the rounding
// of the question, and of what was given nearly.
func TestLate(t *testing.T) {
	for _, shape := range [][2]int{{32, 32}, {32, 48}, {33, 64}, {64, 32}, {1, 8}, {2, 24}, {5, 1024}} {
		n, dim := shape[0], shape[1]
		t.Run(fmt.Sprint(n, "x", dim), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(8, uint64(dim)))
			s := keeping(t, n, dim)
			for id := range uint32(40) {
				given := someTokens(r, max(1, n-int(id)%3), dim)
				addTokens(t, s, id, given)
				kept := s.Tokens(id)
				if len(kept) != n*dim {
					t.Fatalf("%d numbers are kept of %d tokens", len(kept), n)
				}
				for i, x := range kept {
					want := 0.0
					if i < len(given) {
						want = min(max(float64(given[i]), -0.5), 0.5)
					}
					if off := math.Abs(float64(x) - want); off > tokenStep/2+1e-6 {
						t.Fatalf("number %d is kept as %v, was %v", i, x, want)
					}
				}
				for _, asked := range []int{1, 24, 3} {
					question := someTokens(r, asked, dim)
					got := s.Late(question).With(id)
					if want := maxSim(question, kept, dim); math.Abs(got-want) > 0.01 {
						t.Errorf("%d tokens and %d: %v, want %v", asked, id, got, want)
					}
				}
			}
		})
	}
}

// TestLateKernels compares the kernels, of the greatest numbers that there are, too.
func TestLateKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, dim := range []int{8, 32, 40, 1024} {
		for _, n := range []int{1, 32, 64} {
			s := keeping(t, n, dim)
			for round := range 10 {
				tokens, question := someTokens(r, n, dim), someTokens(r, 3, dim)
				if round%2 == 0 {
					for _, numbers := range [][]float32{tokens, question} {
						for i := range numbers {
							numbers[i] = float32(2*r.IntN(2) - 1)
						}
					}
					copy(tokens, question[:dim])
				}
				addTokens(t, s, 1, tokens)
				late := s.Late(question)
				s.arena.kernel = plain
				want := late.With(1)
				for _, k := range kernels() {
					s.arena.kernel = k
					if got := late.With(1); got != want {
						t.Fatalf("%v, %d tokens of %d: %v, in plain Go %v", k, n, dim, got, want)
					}
				}
			}
		}
	}
}

// TestTokens holds which vectors have tokens, whatever becomes of them, and that codes bring
// them along.
func TestTokens(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	s := keeping(t, 4, 8)
	question := someTokens(r, 2, 8)
	late := s.Late(question)
	had := s.Bytes()
	if err := s.Add(1, plainOne); err != nil {
		t.Fatal(err)
	}
	empty := s.Bytes()
	if code := s.AppendCode(nil, 1); len(code) != 8+5 || s.Tokens(1) != nil || late.With(1) != 0 || s.Tokens(9) != nil || late.With(9) != 0 {
		t.Errorf("a plain vector has the code %v and the tokens %v", code, s.Tokens(1))
	}
	first, second := someTokens(r, 4, 8), someTokens(r, 3, 8)
	one := addTokens(t, s, 1, first) // in its place
	if got := s.Bytes() - empty; got != blockRows*4*8/2 || empty-had > 1<<20 {
		t.Errorf("the tokens of a block take %d bytes", got)
	}
	two := addTokens(t, s, 2, second)
	for id, want := range map[uint32]Code{1: one, 2: two} {
		if got := s.AppendCode([]byte("x"), id)[1:]; len(got) != 8+5+16 || !bytes.Equal(got, want) || s.arena.CodeBytes(append(got, 1, 2, 3)) != len(got) {
			t.Errorf("the code of %d is %v, want %v", id, got, want)
		}
	}
	of := late.With(1)
	if of == 0 || of == late.With(2) {
		t.Errorf("a question is as near to one as to another: %v", of)
	}
	for _, none := range [][]float32{nil, make([]float32, 8), {0, float32(math.NaN()), 0, 0, 0, 0, 0, 1}, {float32(math.Inf(1)), 0, 0, 0, 0, 0, 0, 0}} {
		if got := s.Late(none).With(1); got != 0 {
			t.Errorf("the tokens %v are near: %v", none, got)
		}
	}
	c := s.Clone()
	addTokens(t, s, 1, second)
	if late.With(1) != late.With(2) || c.Late(question).With(1) != of {
		t.Error("tokens are not replaced, or those of a clone are")
	}
	if err := s.Add(1, refinedOne); err != nil || !slices.Equal(s.Tokens(1), make([]float32, 32)) || late.With(1) != 0 {
		t.Errorf("without tokens there are %v, %v", s.Tokens(1), err)
	}
	none := build(t, Options{Dim: 5, Rounded: true}, [][]float32{refinedOne})
	if none.Tokens(0) != nil || none.Late(question).With(0) != 0 {
		t.Error("a Store without tokens compares them")
	}
	s.Remove(2)
	if err := s.Add(3, plainOne); err != nil || s.Tokens(2) != nil || s.Tokens(3) != nil { // in the slot of the other
		t.Errorf("the tokens of what was removed: %v, %v, %v", s.Tokens(2), s.Tokens(3), err)
	}
}

func TestTokensRefused(t *testing.T) {
	s := keeping(t, 2, 8)
	code := addTokens(t, s, 1, []float32{1, 0, 0, -1, 0, 0, 0, 0})
	if err := s.Add(2, plainOne); err != nil {
		t.Fatal(err)
	}
	plain := s.AppendCode(nil, 2)
	for name, bad := range map[string]Code{
		"short":                  code[:len(code)-1],
		"without":                code[:8+5],
		"long":                   append(slices.Clone(code), zeroCodes),
		"no code, low":           append(slices.Clone(code[:len(code)-1]), 0x80),
		"no code, high":          append(slices.Clone(code[:len(code)-1]), 0x08),
		"tokens of a plain one":  append(slices.Clone(plain), code[8+5:]...),
		"half of the plain ones": plain[:len(plain)-1],
	} {
		if err := s.AddCode(3, bad); err == nil || s.Len() != 2 {
			t.Errorf("%s: error %v, Len %d", name, err, s.Len())
		}
	}
	coder := NewCoder(s.arena.Options)
	for _, bad := range [][]float32{{1}, make([]float32, 9), make([]float32, 24), {float32(math.NaN()), 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, float32(math.Inf(-1))}} {
		if _, err := coder.Append(nil, refinedOne, bad); err == nil {
			t.Errorf("the tokens %v are taken", bad)
		}
	}
	for _, bad := range []Options{
		{Tokens: 1}, {TokenDim: 8}, {Tokens: 1, TokenDim: 12}, {Tokens: -1, TokenDim: 8}, {Tokens: 65, TokenDim: 8}, {Tokens: 1, TokenDim: 2 * MaxDim},
	} {
		bad.Dim, bad.Rounded = 5, true
		if _, err := New(bad); err == nil {
			t.Errorf("there is a Store with %+v", bad)
		}
	}
	if _, err := New(Options{Dim: 5, Tokens: 1, TokenDim: 8}); err == nil {
		t.Error("a Store that does not round keeps tokens")
	}
}

// TestAreTokens tries each byte at each place.
func TestAreTokens(t *testing.T) {
	for n := range 20 {
		for at := range n {
			for b := range 256 {
				codes := bytes.Repeat([]byte{zeroCodes}, n)
				codes[at] = uint8(b)
				if got := areTokens(codes); got != (b&15 != 0 && b>>4 != 0) {
					t.Fatalf("%#x at %d of %d: %v", b, at, n, got)
				}
			}
		}
	}
}

// BenchmarkLate compares a question with the 40 chunks that are read.
// Run: go test -run '^$' -bench Late ./index/internal/vector
func BenchmarkLate(b *testing.B) {
	r := rand.New(rand.NewPCG(8, 10))
	s := keeping(b, 32, 32)
	const chunks = 40
	for id := range uint32(chunks) {
		addTokens(b, s, id, someTokens(r, 32, 32))
	}
	for _, n := range []int{6, 24} {
		question := someTokens(r, n, 32)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				late := s.Late(question)
				for id := range uint32(chunks) {
					late.With(id)
				}
			}
		})
	}
}
