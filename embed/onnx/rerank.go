package onnx

import (
	"context"
	"fmt"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/quarry-search/quarry/embed/rerank"
	"github.com/quarry-search/quarry/embed/wordpiece"
)

// A Reranker runs a cross-encoder: a model that reads a question and a passage together. It
// is safe for concurrent use.
type Reranker struct {
	*session
	words *wordpiece.Vocabulary
}

// Names of a reranker's inputs and output.
const (
	rowTokensInput = "tokens"
	rowTypesInput  = "types"
	scoresOutput   = "scores"
)

// OpenReranker loads a reranker with the runtime's library at lib: a model of the built-in
// vocabulary, which may be compressed with zstd. Threads is the number of threads that one call may use, at least 1.
func OpenReranker(lib string, model []byte, threads int) (*Reranker, error) {
	model, free, err := expanded(model)
	if err != nil {
		return nil, fmt.Errorf("onnx: reranker: %w", err)
	}
	defer free()
	words, err := wordpiece.Builtin()
	if err != nil {
		return nil, err
	}
	s, err := newSession(lib, source{data: model}, []string{rowTokensInput, rowTypesInput}, []string{scoresOutput}, threads)
	if err != nil {
		return nil, fmt.Errorf("onnx: reranker: %w", err)
	}
	return &Reranker{s, words}, nil
}

// Rerank returns a number for each passage, higher where it answers the question.
func (r *Reranker) Rerank(ctx context.Context, question string, passages []rerank.Passage) ([]float32, error) {
	rows := rerank.Rows(r.words, question, passages)
	lengths := make([]int, len(rows))
	for i := range rows {
		lengths[i] = len(rows[i].Tokens)
	}
	scores := make([]float32, len(rows))
	err := inBatches(ctx, lengths, func(batch []int, longest int) error {
		tokens, types := make([]int64, len(batch)*longest), make([]int64, len(batch)*longest)
		for n, i := range batch {
			copy(tokens[n*longest:], rows[i].Tokens)
			copy(types[n*longest:], rows[i].Types)
		}
		values := make([]ort.Value, 0, 3)
		defer func() { destroy(values) }()
		shape := ort.NewShape(int64(len(batch)), int64(longest))
		for _, data := range [][]int64{tokens, types} {
			t, err := ort.NewTensor(shape, data)
			if err != nil {
				return err
			}
			values = append(values, t)
		}
		out, err := ort.NewEmptyTensor[float32](ort.NewShape(int64(len(batch))))
		if err != nil {
			return err
		}
		values = append(values, out)
		if err := r.run(values[:2], values[2:]); err != nil {
			return err
		}
		for n, i := range batch {
			scores[i] = out.GetData()[n]
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("onnx: reranker: %w", err)
	}
	return scores, nil
}
