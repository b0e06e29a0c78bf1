package summary

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"
)

// A ranked unit has what the choice needs.
type ranked struct {
	*unit
	order  int // in the text
	topic  topic
	worth  float64 // of its place and its words
	score  float64 // worth and centrality
	vector []float32
}

// rank gives units their topic and what they are worth without their neighbours: their
// words, and their place. Texts say first what they are about, and last how far it is.
func rank(units []unit) []ranked {
	out := make([]ranked, len(units))
	edge := max(1, float64(len(units))/10)
	for i := range units {
		u := &units[i]
		r := ranked{unit: u, order: i}
		r.topic, r.worth = u.cue()
		if near := 1 - float64(i)/edge; near > 0 {
			r.worth += 0.3 * near
		}
		if near := 1 - float64(len(units)-1-i)/edge; near > 0 && len(units) > 3 {
			r.worth += 0.15 * near
		}
		if u.first {
			r.worth += 0.1
		}
		out[i] = r
	}
	return out
}

// center gives units their vectors and their score: what they are worth, and how near
// they are to the middle of all of them.
func center(units []ranked, embed func([]string) [][]float32) {
	texts := make([]string, len(units))
	for i := range units {
		texts[i] = units[i].text
	}
	vectors := vectorsOf(texts, embed)
	var middle []float32
	for i := range units {
		units[i].vector = vectors[i]
		if middle == nil {
			middle = make([]float32, len(vectors[i]))
		}
		for k, v := range vectors[i] {
			middle[k] += v
		}
	}
	most := 0.0
	near := make([]float64, len(units))
	for i := range units {
		near[i] = max(0, cosine(units[i].vector, middle))
		most = max(most, near[i])
	}
	for i := range units {
		units[i].score = units[i].worth
		if most > 0 {
			units[i].score += 0.5 * near[i] / most
		}
	}
}

// vectorsOf asks embed, or without it counts words. A model that knows hardly any of the
// words, as of another language, is worse than those.
func vectorsOf(texts []string, embed func([]string) [][]float32) [][]float32 {
	if embed != nil {
		if vectors := embed(texts); len(vectors) == len(texts) {
			unknown := 0
			for _, v := range vectors {
				if !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
					unknown++
				}
			}
			if 2*unknown <= len(texts) {
				return vectors
			}
		}
	}
	return wordVectors(texts)
}

// wordDim is the length of vectors of words. Two words that share a place are rare
// enough: a sentence has twenty.
const wordDim = 256

// wordVectors weighs the words of each text by how few texts have them.
func wordVectors(texts []string) [][]float32 {
	all := make([][]string, len(texts))
	having := map[string]int{}
	for i, text := range texts {
		all[i] = words(text)
		seen := map[string]bool{}
		for _, w := range all[i] {
			if !seen[w] {
				seen[w] = true
				having[w]++
			}
		}
	}
	out := make([][]float32, len(texts))
	for i := range texts {
		v := make([]float32, wordDim)
		for _, w := range all[i] {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w))
			v[h.Sum32()%wordDim] += float32(math.Log(1 + float64(len(texts))/float64(having[w])))
		}
		out[i] = v
	}
	return out
}

// words returns the words of a text in small letters. Those of Chinese and Japanese, which
// have no blanks between them, are characters.
func words(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWord(r) }) {
		if !strings.ContainsFunc(w, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
			out = append(out, w)
			continue
		}
		for _, r := range w {
			out = append(out, string(r))
		}
	}
	return out
}

// cosine returns how alike two vectors are, 0 if one is zero.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range min(len(a), len(b)) {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// sameness is what a unit loses that says what a chosen one says.
const sameness = 0.7

// A choice takes units one after the other, the best that is left first, where those are
// worth less that are like one that was taken.
type choice struct {
	units []ranked
	gone  []bool
	alike []float64 // to the most alike of those that were taken
	least float64   // what a unit must be worth then
}

func newChoice(units []ranked) *choice {
	return &choice{units, make([]bool, len(units)), make([]float64, len(units)), math.Inf(-1)}
}

// best takes the best unit that is left, that may be taken and is worth it, -1: there is none.
func (c *choice) best(may func(*ranked) bool) int {
	at, most := -1, math.Inf(-1)
	for i := range c.units {
		if c.gone[i] || !may(&c.units[i]) {
			continue
		}
		if s := c.units[i].score - sameness*c.alike[i]; s > most && s >= c.least {
			at, most = i, s
		}
	}
	if at >= 0 {
		c.gone[at] = true
		for i := range c.units {
			if !c.gone[i] {
				c.alike[i] = max(c.alike[i], cosine(c.units[i].vector, c.units[at].vector))
			}
		}
	}
	return at
}
