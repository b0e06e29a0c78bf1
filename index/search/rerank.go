package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/quarry-search/quarry/index/internal/store"
)

// A Reranker takes a second look at the first results of a ranking.
type Reranker = store.Reranker

// ErrNoReranker is returned for a query by Rerank where there is none.
var ErrNoReranker = errors.New("nothing can rerank here: the index has no reranker")

const (
	// Reranked is how many chunks get a second look, the first ones of the ranking.
	Reranked = 20
	// rerankWeight is what a score of 1 by the Reranker is worth, in the ranking's own scores.
	rerankWeight = 1.0
)

// rerank puts the first chunks in the order of the sum of both scores. What comes after them
// stays there. The probabilities stay with the places: the first is as likely right as the
// first was.
func rerank(ctx context.Context, by Reranker, question string, chosen []hit, explained bool) error {
	chosen = chosen[:min(len(chosen), Reranked)]
	if len(chosen) == 0 {
		return nil
	}
	texts := make([]string, len(chosen))
	chances := make([]float64, len(chosen))
	for i := range chosen {
		texts[i], chances[i] = chosen[i].text(), chosen[i].score.Chance
	}
	scores, err := by.Rerank(ctx, question, texts)
	if err != nil {
		return fmt.Errorf("index: rerank: %w", err)
	}
	if len(scores) != len(texts) {
		return fmt.Errorf("index: rerank: %d scores for %d texts", len(scores), len(texts))
	}
	for i := range chosen {
		score := float64(scores[i])
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return fmt.Errorf("index: rerank: a score of %v", score)
		}
		chosen[i].score.Score += rerankWeight * score
		if explained {
			chosen[i].explain = append(chosen[i].explain, Signal{"rerank", score, rerankWeight, rerankWeight * score})
		}
	}
	slices.SortStableFunc(chosen, func(a, b hit) int { return cmp.Compare(b.score.Score, a.score.Score) })
	for i := range chosen {
		chosen[i].score.Chance = chances[i]
	}
	return nil
}

// text is what the second look sees of a chunk: its path on a line, and its source.
func (h *hit) text() string {
	return h.record.Path + "\n" + string(h.record.Text.Slice(int(h.piece.Start), int(h.piece.End)))
}
