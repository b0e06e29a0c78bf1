package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mat"

	"github.com/quarry-search/quarry/embed"
)

// wordsAtOnce is how many words an encoder gets at a time. It is fixed: one of 8 bits
// scales its numbers by the batch, so another size would give other vectors.
const wordsAtOnce = 256

// encodeWords returns the vectors of words, one after the other, as the encoder gives
// them for a text that is the word alone. Words of one length come together, so that
// little of a batch is padding.
func encodeWords(ctx context.Context, encoder embed.Embedder, words []string, workers int) ([]float32, error) {
	dim := encoder.Info().Dim
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(words[a]) - len(words[b]) })
	out := make([]float32, len(words)*dim)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, workers))
	for list := range slices.Chunk(order, wordsAtOnce) {
		group.Go(func() error {
			docs, vectors := make([]embed.Document, len(list)), make([]float32, len(list)*dim)
			for k, i := range list {
				docs[k].Text = words[i]
			}
			if err := encoder.Documents(ctx, docs, vectors); err != nil {
				return fmt.Errorf("encode words: %w", err)
			}
			for k, i := range list {
				copy(out[i*dim:][:dim], vectors[k*dim:])
			}
			return nil
		})
	}
	return out, group.Wait()
}

// reduce brings vectors of length from to their first principal components, to of them, and
// to unit length: less their mean, turned so that the covariance is diagonal. A vector that
// is the mean has no direction; it stays zero. The sign of a component is the one with which
// its largest number is positive.
func reduce(vectors []float32, from, to int) ([]float32, error) {
	n := len(vectors) / from
	if to > from {
		return nil, fmt.Errorf("an encoder of %d dimensions cannot begin words of %d: take a smaller --dim", from, to)
	}
	mean := make([]float64, from)
	for i := range n {
		for k, x := range vectors[i*from:][:from] {
			mean[k] += float64(x) / float64(n)
		}
	}
	centred := mat.NewDense(n, from, nil)
	for i := range n {
		row := centred.RawRowView(i)
		for k, x := range vectors[i*from:][:from] {
			row[k] = float64(x) - mean[k]
		}
	}
	covariance := mat.NewSymDense(from, nil)
	covariance.SymOuterK(1/float64(n), centred.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return nil, errors.New("the principal components of the words do not converge")
	}
	var all mat.Dense
	eigen.VectorsTo(&all)
	axes := mat.NewDense(from, to, nil)
	for c := range to {
		axis := mat.Col(nil, from-1-c, &all) // eigenvalues rise
		most := slices.MaxFunc(axis, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
		for k, x := range axis {
			axes.Set(k, c, math.Copysign(1, most)*x)
		}
	}
	var turned mat.Dense
	turned.Mul(centred, axes)
	out := make([]float32, n*to)
	for i := range n {
		row, square := turned.RawRowView(i), 0.0
		for _, x := range row {
			square += x * x
		}
		if square < 1e-12 {
			continue
		}
		for k, x := range row {
			out[i*to+k] = float32(x / math.Sqrt(square))
		}
	}
	return out, nil
}
