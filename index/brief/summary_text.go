package brief

import (
	"context"
	"fmt"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/summary"
)

// SummarizeText says what a text is about, see summary.Text. Its sentences are compared by
// the vectors of the index's model, and without one, or where it fails, by their words. It
// looks at nothing else of the index, which need not be built.
func SummarizeText(ctx context.Context, x *store.View, q TextQuery) (Summary, error) {
	opt := summary.Options{Level: q.Level, MaxTokens: q.MaxTokens, Count: q.Count}
	if x.Opt.Embedder != nil {
		opt.Embed = func(sentences []string) [][]float32 { return sentenceVectors(ctx, x, sentences) }
	}
	r := summary.Text(q.Text, opt)
	s := Summary{
		Text: r.Text, Level: r.Level, TokensIn: r.TokensIn, TokensOut: r.TokensOut, Truncated: r.Truncated, Chunks: r.Chunks,
		Files: r.Files[:min(len(r.Files), namedFiles)], State: x.State(),
	}
	return s, ctx.Err()
}

// namedFiles bounds the Files of a Summary of a text, which can name any number.
const namedFiles = 100

// sentencesAtOnce is how many sentences an embedder gets at once.
const sentencesAtOnce = 32

// sentenceVectors returns a vector for each of some sentences, nil if there are none to be
// had.
func sentenceVectors(ctx context.Context, x *store.View, sentences []string) [][]float32 {
	out := make([][]float32, 0, len(sentences))
	for start := 0; start < len(sentences); start += sentencesAtOnce {
		batch := sentences[start:min(start+sentencesAtOnce, len(sentences))]
		docs := make([]embed.Document, len(batch))
		for i, s := range batch {
			docs[i].Text = s
		}
		vectors := make([]float32, len(docs)*x.Dim)
		if err := x.Opt.Embedder.Documents(ctx, docs, vectors); err != nil {
			if ctx.Err() == nil {
				x.Log.WarnContext(ctx, "a summary goes by words", "err", fmt.Errorf("vectors of %d sentences: %w", len(docs), err))
			}
			return nil
		}
		for i := range docs {
			out = append(out, vectors[i*x.Dim:(i+1)*x.Dim])
		}
	}
	return out
}
