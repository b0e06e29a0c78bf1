package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/quarry-search/quarry/embed/rerank"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Reranker takes a second look at the first results of a ranking.
type Reranker = store.Reranker

// ErrNoReranker is returned for a query by Rerank where there is none.
var ErrNoReranker = errors.New("nothing can rerank here: the index has no reranker")

const (
	// Reranked is how many chunks get a second look, the first ones of the ranking. Of 10 to
	// 40, 20 did best on the questions that functions answer (docs/ranking.md).
	Reranked = 20
	// rerankedOfFile is how many of one file may be among them.
	rerankedOfFile = 3
	// rerankWeight is what a score of 1 by the Reranker is worth, in the ranking's own scores.
	rerankWeight = 1.2
)

// rereads reports whether the first results get a second look. Where the question is nothing
// but a name, what defines it comes first, and there is nothing to read.
func (q *Query) rereads(asked rank.Query) bool { return q.Rerank && asked.Symbol == "" }

// secondLook puts the first chunks in the order of the sum of both scores, and leaves as many
// of a file as the query asks for; what comes after them stays there. The probabilities stay
// with the places: the first is as likely right as the first was.
func secondLook(ctx context.Context, by Reranker, asked rank.Query, q Query, chosen []hit) ([]hit, error) {
	seen := chosen[:min(len(chosen), Reranked)]
	if len(seen) == 0 {
		return chosen, nil
	}
	passages := make([]rerank.Passage, len(seen))
	chances := make([]float64, len(chosen))
	for i := range chosen {
		chances[i] = chosen[i].score.Chance
	}
	for i := range seen {
		r := seen[i].result(asked)
		passages[i] = seen[i].passage(&r)
	}
	scores, err := by.Rerank(ctx, q.Text, passages)
	if err != nil {
		return nil, fmt.Errorf("index: rerank: %w", err)
	}
	if len(scores) != len(passages) {
		return nil, fmt.Errorf("index: rerank: %d scores for %d passages", len(scores), len(passages))
	}
	for i := range seen {
		score := float64(scores[i])
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return nil, fmt.Errorf("index: rerank: a score of %v", score)
		}
		seen[i].score.Score += rerankWeight * score
		if q.Explain {
			seen[i].explain = append(seen[i].explain, Signal{"rerank", score, rerankWeight, rerankWeight * score})
		}
	}
	slices.SortStableFunc(seen, func(a, b hit) int { return cmp.Compare(b.score.Score, a.score.Score) })
	chosen = ofFiles(chosen, cmp.Or(q.PerFile, asked.PerFile()), q.PerFile == 0, q.Limit)
	for i := range chosen {
		chosen[i].score.Chance = chances[i]
	}
	return chosen, nil
}

// ofFiles returns the first limit hits, perFile of each file at most; with fill, where that
// leaves places, the others after them.
func ofFiles(all []hit, perFile int, fill bool, limit int) []hit {
	count := map[*store.Record]int{}
	var some, more []hit
	for _, h := range all {
		if count[h.record]++; count[h.record] <= perFile {
			some = append(some, h)
		} else {
			more = append(more, h)
		}
	}
	if fill {
		some = append(some, more...)
	}
	return some[:min(len(some), limit)]
}
