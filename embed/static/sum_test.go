package static

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quarry-search/quarry/embed/tokenizer"
)

// embedSlowly is table.embed as the graph has it, in float32.
func (t *table) embedSlowly(dst []float32, bag *tokenizer.Bag) {
	clear(dst)
	for i, id := range bag.IDs {
		w := bag.Weights[i] * t.scales[id]
		row := t.rows[int(id)*t.dim:][:len(dst)]
		for k, e := range row {
			dst[k] += w * float32(int8(e))
		}
	}
	var square float64
	for _, x := range dst {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return
	}
	norm := float32(1 / math.Sqrt(square))
	for k := range dst {
		dst[k] *= norm
	}
}

func TestFastSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fills := map[string]func() byte{
		"random":   func() byte { return byte(r.Uint32()) },
		"least":    func() byte { return 0x80 },
		"greatest": func() byte { return 0x7f },
	}
	for name, fill := range fills {
		for _, dim := range []int{16, 48, 64, 80, 256, 272} {
			const n = 100
			tab := &table{dim: dim, rows: make([]byte, n*dim)}
			for i := range tab.rows {
				tab.rows[i] = fill()
			}
			for _, size := range []int{1, 2, 7, n} {
				rows, bias := make([]sumRow, size), uint64(0)
				for i := range rows {
					rows[i] = sumRow{at: uint64(r.IntN(n) * dim), q: r.Uint64N(maxSum / n)}
					if size == 1 {
						rows[i].q = maxSum
					}
					bias += 128 * rows[i].q
				}
				got, want := make([]uint32, dim), make([]uint32, dim)
				tab.add(got, rows, bias)
				if tab.addPlain(want, rows, 0); !slices.Equal(got, want) {
					t.Fatalf("%s, %d rows of %d: %v, want %v", name, size, dim, got, want)
				}
			}
		}
	}
}
