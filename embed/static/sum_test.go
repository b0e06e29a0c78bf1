package static

import (
	"math"

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
