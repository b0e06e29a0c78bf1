package static

import (
	"math"
	"slices"
	"unsafe"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

var _ embed.Comparer = (*Model)(nil)

// comparison compares the words of one question with those of texts.
type comparison struct {
	model *Model
	bag   tokenizer.Bag

	asked   asked
	norms   cosines // one by the length of the row of each word of the question
	weights []float64
	total   float64

	known []uint32 // by word: position after that in words, if it is of this round
	base  uint32   // positions up to this one are of earlier rounds
	words []cosines
	rows  []sumRow // of the words of a text that were not known before
}

// mostCompared is how many words of a question are compared.
const mostCompared = 10

// cosines are those of one word and each of the question's.
type cosines [mostCompared]float32

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
	c.words, c.weights, c.total = c.words[:0], c.weights[:0], 0
	c.asked.reset(c.model.table.dim)
	tokenizer.Subwords(question, func(word []byte) {
		w := weight(string(word))
		if w <= 0 || len(c.weights) == mostCompared {
			return
		}
		c.model.tokens.Part(&c.bag, string(word), 1)
		for _, id := range c.bag.IDs {
			row, square := c.model.table.row(id), 0
			for _, x := range row {
				square += int(int8(x)) * int(int8(x))
			}
			if square == 0 {
				continue
			}
			c.norms[len(c.weights)] = float32(1 / math.Sqrt(float64(square)))
			c.asked.put(len(c.weights), row)
			c.weights = append(c.weights, w)
			c.total += w
		}
	})
}

// With implements embed.Comparison.
func (c *comparison) With(names string, text []byte) (named, both float64) {
	if c.total == 0 {
		return 0, 0
	}
	var best cosines
	for i := range best {
		best[i] = -1
	}
	c.nearest(names, &best)
	named = c.mean(&best)
	c.nearest(unsafe.String(unsafe.SliceData(text), len(text)), &best) // it is read, and not kept
	return named, c.mean(&best)
}

// mean returns that of the question's words, weighted; 0 where there was none to compare
// them with.
func (c *comparison) mean(best *cosines) float64 {
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
func (c *comparison) nearest(text string, best *cosines) {
	c.model.tokens.Part(&c.bag, text, tokenizer.TextLimit)
	table := c.model.table
	c.rows = c.rows[:0]
	next := c.base + uint32(len(c.words))
	for _, id := range c.bag.IDs {
		if c.known[id] <= c.base {
			next++
			c.known[id] = next
			c.rows = append(c.rows, sumRow{at: uint64(id) * uint64(table.dim)})
		}
	}
	table.fetch(c.rows)
	c.words = slices.Grow(c.words, len(c.rows))
	for _, r := range c.rows {
		c.words = append(c.words, c.measure(table.rows[r.at:][:table.dim]))
	}
	asked := c.weights
	for _, id := range c.bag.IDs {
		near := &c.words[c.known[id]-c.base-1]
		for i := range asked {
			if near[i] > best[i] {
				best[i] = near[i]
			}
		}
	}
}

// measure returns the cosines of a row and each of the question's.
func (c *comparison) measure(row []byte) (near cosines) {
	var dots dots
	square := c.asked.dots(&dots, row)
	if square == 0 {
		return near
	}
	norm := float32(1 / math.Sqrt(float64(square)))
	for i := range c.weights {
		near[i] = float32(dots[i]) * norm * c.norms[i]
	}
	return near
}

// Close implements embed.Comparison.
func (c *comparison) Close() { c.model.comparisons.Put(c) }
