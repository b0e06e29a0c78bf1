// Package onnx computes vectors with ONNX Runtime.
//
// It runs the built-in model and sentence-embedding transformers from a
// folder, on the CPU. The runtime is a shared library that is found and loaded
// while the program runs; without it every Open fails with an error that says
// so, and package embed/static gives the same vectors for the built-in model.
//
// The runtime's environment exists once in a process. All open models share it, and so must
// name the same library.
package onnx

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/model"
)

// batchSize is the number of texts in one run of a model. For the built-in
// model 32 were faster for each text than 128, whose padding is longer and
// whose rows leave the cache.
const batchSize = 32

// Model is a loaded model. It is safe for concurrent use; a call runs on the
// caller's thread unless more threads were asked for.
type Model struct {
	info   embed.Info
	engine engine
}

var _ embed.Embedder = (*Model)(nil)

// engine is what the built-in model and transformers do differently.
type engine interface {
	query(ctx context.Context, text string, dst []float32) error
	documents(ctx context.Context, docs []embed.Document, dst []float32) error
	Close() error
}

// OpenBuiltin loads the built-in model with the runtime's library at lib. It
// takes some 60 ms, most of it for the library's 35 MB and a copy of the
// model's 16 MB.
func OpenBuiltin(lib string) (*Model, error) {
	card, err := model.ReadCard()
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	b, err := newBag(lib, card)
	if err != nil {
		return nil, fmt.Errorf("onnx: built-in model: %w", err)
	}
	return &Model{
		info:   embed.Info{Name: "builtin", Dim: card.Dim, Backend: "onnxruntime", Reason: lib, SHA256: card.SHA256.ONNX},
		engine: b,
	}, nil
}

// Info implements embed.Embedder.
func (m *Model) Info() embed.Info { return m.info }

// Query implements embed.Embedder.
func (m *Model) Query(ctx context.Context, text string) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dst := make([]float32, m.info.Dim)
	if err := m.engine.query(ctx, text, dst); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return dst, nil
}

// Documents implements embed.Embedder. The order of docs does not matter for
// speed: texts of similar length are run together.
func (m *Model) Documents(ctx context.Context, docs []embed.Document, dst []float32) error {
	if len(dst) != len(docs)*m.info.Dim {
		return fmt.Errorf("onnx: %d numbers for %d vectors of %d", len(dst), len(docs), m.info.Dim)
	}
	if err := m.engine.documents(ctx, docs, dst); err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	return nil
}

// Close implements embed.Embedder. The last Model closed unloads the library.
func (m *Model) Close() error {
	if err := m.engine.Close(); err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	return nil
}

// inBatches calls run with the indexes of texts of similar length, longest
// first, so that little of a batch is padding. Texts of length 0 are left out.
// It stops when ctx ends.
func inBatches(ctx context.Context, lengths []int, run func(batch []int, longest int) error) error {
	order := make([]int, 0, len(lengths))
	for i, n := range lengths {
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lengths[b], lengths[a]) })
	for batch := range slices.Chunk(order, batchSize) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := run(batch, lengths[batch[0]]); err != nil {
			return err
		}
	}
	return ctx.Err()
}
