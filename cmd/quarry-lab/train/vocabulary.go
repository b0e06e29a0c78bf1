package train

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/embed/tokenizer"
)

const (
	saturation = 300 // pairs of one repository that hold a word; beyond it only every eighth counts
	rarest     = 4   // pairs that a word of the vocabulary must be in
)

// vocabulary are the words of a model, the most frequent first.
type vocabulary struct {
	words []string
	idf   []float32 // by id: ln(1 + pairs / pairs with the word)
	ids   map[string]uint16
}

// bytes is the vocabulary as package tokenizer reads it.
func (v *vocabulary) bytes() []byte {
	var b bytes.Buffer
	for _, w := range v.words {
		b.WriteString(w + "\n")
	}
	return b.Bytes()
}

// countWords makes the vocabulary of at most size words of the pairs that keep
// wants, reading those of workers repositories at a time.
func countWords(ctx context.Context, files [][]string, size, workers int, keep func(repository int, p *Pair) bool) (*vocabulary, error) {
	counts := make([]map[string]int32, len(files))
	pairs := make([]int, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, workers))
	for i, names := range files {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			c := wordCounter{count: map[string]*wordCount{}}
			for _, name := range names {
				err := readPairs(name, func(p *Pair) {
					if keep(i, p) {
						c.add(p)
					}
				})
				if err != nil {
					return err
				}
			}
			counts[i], pairs[i] = c.saturated(), c.pairs
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return makeVocabulary(counts, pairs, size)
}

// wordCounter counts the pairs of one repository that hold each word.
type wordCounter struct {
	count map[string]*wordCount
	pairs int
}

type wordCount struct{ pairs, last int }

func (c *wordCounter) add(p *Pair) {
	c.pairs++
	for _, s := range []string{p.Query, p.Path, p.Names, p.Text} {
		tokenizer.Subwords(s, func(subword []byte) {
			n := c.count[string(subword)]
			if n == nil {
				n = &wordCount{}
				c.count[string(subword)] = n
			}
			if n.last != c.pairs {
				n.last = c.pairs
				n.pairs++
			}
		})
	}
}

func (c *wordCounter) saturated() map[string]int32 {
	out := make(map[string]int32, len(c.count))
	for w, n := range c.count {
		if n.pairs > saturation {
			n.pairs = saturation + (n.pairs-saturation)/8
		}
		out[w] = int32(n.pairs)
	}
	return out
}

func makeVocabulary(counts []map[string]int32, pairs []int, size int) (*vocabulary, error) {
	sum, total := map[string]int{}, 0
	for i, c := range counts {
		total += pairs[i]
		for w, n := range c {
			sum[w] += int(n)
		}
	}
	v := &vocabulary{ids: map[string]uint16{}}
	for w, n := range sum {
		if n >= rarest {
			v.words = append(v.words, w)
		}
	}
	slices.SortFunc(v.words, func(a, b string) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(a, b)) })
	v.words = v.words[:min(size, len(v.words))]
	if len(v.words) == 0 {
		return nil, errors.New("vocabulary: no word is in enough pairs")
	}
	for i, w := range v.words {
		v.ids[w] = uint16(i)
		v.idf = append(v.idf, float32(math.Log(1+float64(total)/float64(sum[w]))))
	}
	return v, nil
}
