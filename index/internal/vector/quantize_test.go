package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQuantizeKernels compares the kernels on vectors of equal numbers, of spikes, of
// numbers of all sizes and of such as lie between two codes.
func TestQuantizeKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	fills := map[string]func(i int) float32{
		"random": func(int) float32 { return float32(r.NormFloat64()) / 16 },
		"equal":  func(i int) float32 { return float32(1-i%3) / 16 },
		"spike":  func(i int) float32 { return float32(math.Pow(0.5, float64(i))) },
		"sizes":  func(int) float32 { return float32(math.Ldexp(r.Float64()-0.5, -r.IntN(140))) },
		"halves": func(i int) float32 { return float32(i%15-7) / 14 },
		"zero":   func(int) float32 { return 0 },
	}
	for name, fill := range fills {
		for _, dim := range []int{16, 128, 256, 384, MaxDim} {
			for range 20 {
				v := make([]float32, dim)
				for i := range v {
					v[i] = fill(i)
				}
				codes, rest := make([]int8, dim), make([]float32, dim)
				scale := plain.quantize(codes, rest, v)
				for _, k := range kernels() {
					gotCodes, got := make([]int8, dim), slices.Clone(v)
					if s := k.quantize(gotCodes, got, got); s != scale || !slices.Equal(gotCodes, codes) || !slices.Equal(got, rest) {
						t.Fatalf("%s, %v, %d numbers: scale %v, want %v, or other codes or another rest", name, k, dim, s, scale)
					}
				}
			}
		}
	}
}
