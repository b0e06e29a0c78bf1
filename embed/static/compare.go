package static

import (
	"math"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

var _ embed.Comparer = (*Model)(nil)

// comparison compares the words of one question with those of texts.
type comparison struct {
	model *Model
	bag   tokenizer.Bag

	rows    []float32 // unit vectors of the question's words, one after the other
	weights []float64
	total   float64

	known []uint32 // by word: position after that in cosines, if it is of this round
	base  uint32   // positions up to this one are of earlier rounds
	words []likeness
}

// most words of a question are compared.
const mostCompared = 10

type likeness [mostCompared]float32

// Compare implements embed.Comparer.
func (m *Model) Compare(question string, weight func(word string) float64) embed.Comparison {
	c := m.comparisons.Get().(*comparison)
	c.begin(question, weight)
	return c
}

func newComparison(m *Model) *comparison {
	return &comparison{model: m, known: make([]uint32, m.tokens.Size())}
}

// begin makes c ready for a question.
func (c *comparison) begin(question string, weight func(word string) float64) {
	if c.base += uint32(len(c.words)); c.base > math.MaxUint32/2 {
		clear(c.known)
		c.base = 0
	}
	c.words, c.rows, c.weights, c.total = c.words[:0], c.rows[:0], c.weights[:0], 0
	tokenizer.Subwords(question, func(word []byte) {
		w := weight(string(word))
		if w <= 0 || len(c.weights) == mostCompared {
			return
		}
		c.model.tokens.Part(&c.bag, string(word), 1)
		for _, id := range c.bag.IDs {
			row, norm := c.model.table.row(id), 0.0
			for _, x := range row {
				norm += float64(int8(x)) * float64(int8(x))
			}
			if norm == 0 {
				continue
			}
			norm = 1 / math.Sqrt(norm)
			for _, x := range row {
				c.rows = append(c.rows, float32(float64(int8(x))*norm))
			}
			c.weights = append(c.weights, w)
			c.total += w
		}
	})
}

// With implements embed.Comparison.
func (c *comparison) With(texts ...string) float64 {
	if c.total == 0 {
		return 0
	}
	var best likeness
	for i := range best {
		best[i] = -1
	}
	for _, text := range texts {
		c.nearest(text, &best)
	}
	if best[0] == -1 {
		return 0
	}
	sum := 0.0
	for i, w := range c.weights {
		sum += w * float64(best[i])
	}
	return sum / c.total
}

// nearest raises best to the cosines of the nearest words of a text.
func (c *comparison) nearest(text string, best *likeness) {
	c.model.tokens.Part(&c.bag, text, tokenizer.TextLimit)
	for _, id := range c.bag.IDs {
		at := c.known[id]
		if at <= c.base {
			c.words = append(c.words, c.measure(id))
			at = c.base + uint32(len(c.words))
			c.known[id] = at
		}
		l := &c.words[at-c.base-1]
		for i := range c.weights {
			best[i] = max(best[i], l[i])
		}
	}
}

// measure returns the cosines of a word and each of the question's.
func (c *comparison) measure(id int32) (l likeness) {
	row, dim := c.model.table.row(id), c.model.table.dim
	var square int32
	for _, x := range row {
		square += int32(int8(x)) * int32(int8(x))
	}
	if square == 0 {
		return l
	}
	norm := float32(1 / math.Sqrt(float64(square)))
	for i := range c.weights {
		var a, b float32
		asked := c.rows[i*dim:][:dim]
		for k := 0; k+1 < len(row) && k+1 < len(asked); k += 2 {
			a += float32(int8(row[k])) * asked[k]
			b += float32(int8(row[k+1])) * asked[k+1]
		}
		l[i] = (a + b) * norm
	}
	return l
}

// Close implements embed.Comparison.
func (c *comparison) Close() { c.model.comparisons.Put(c) }
