package onnx

import (
	"context"
	"fmt"

	ort "github.com/yalue/onnxruntime_go"
)

// An Encoder runs a network that makes a vector of a row of tokens and, where it can, one of
// each of them. It is safe for concurrent use; a call runs on the caller's thread.
type Encoder struct {
	*session
	tokenDim int
}

// Names of an encoder's outputs; its input is that of a reranker's tokens. A model may lack
// the second.
const (
	vectorsOutput = "vectors" // [rows, numbers]
	wordsOutput   = "words"   // [rows, tokens, numbers]
)

// OpenEncoder loads an encoder, which may be compressed with zstd, with the runtime's library
// at lib. The built-in one takes some 0.1 s and 30 MB, and 3 MB for each call at the same time:
// rows are run one by one, so that the runtime's arena stays small.
func OpenEncoder(lib string, model []byte) (*Encoder, error) {
	model, free, err := expanded(model)
	if err != nil {
		return nil, fmt.Errorf("onnx: encoder: %w", err)
	}
	defer free()
	outputs, tokenDim := []string{vectorsOutput}, 0
	if shape := outputShape(model, wordsOutput); shape != nil {
		outputs, tokenDim = append(outputs, wordsOutput), shape[len(shape)-1]
		if len(shape) != 3 || tokenDim < 1 {
			return nil, fmt.Errorf("onnx: encoder: the output %s has the shape %v, want rows, tokens and a fixed number of numbers", wordsOutput, shape)
		}
	}
	s, err := newSession(lib, source{data: model}, []string{rowTokensInput}, outputs, 1)
	if err != nil {
		return nil, fmt.Errorf("onnx: encoder: %w", err)
	}
	return &Encoder{s, tokenDim}, nil
}

// TokenDim returns the length of the vector of a token, 0 where the model has none.
func (e *Encoder) TokenDim() int { return e.tokenDim }

// Encode writes the vector of a row of tokens to vector, whose length is the model's, and those
// of the tokens, one after the other, to tokens, TokenDim numbers for each.
func (e *Encoder) Encode(ctx context.Context, row []int64, vector, tokens []float32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(tokens) != len(row)*e.tokenDim {
		return fmt.Errorf("onnx: encoder: %d numbers for %d tokens of %d", len(tokens), len(row), e.tokenDim)
	}
	values := make([]ort.Value, 0, 3)
	defer func() { destroy(values) }()
	in, err := ort.NewTensor(ort.NewShape(1, int64(len(row))), row)
	if err != nil {
		return fmt.Errorf("onnx: encoder: %w", err)
	}
	values = append(values, in)
	out, err := ort.NewTensor(ort.NewShape(1, int64(len(vector))), vector)
	if err != nil {
		return fmt.Errorf("onnx: encoder: %w", err)
	}
	values = append(values, out)
	if e.tokenDim > 0 {
		out, err := ort.NewTensor(ort.NewShape(1, int64(len(row)), int64(e.tokenDim)), tokens)
		if err != nil {
			return fmt.Errorf("onnx: encoder: %w", err)
		}
		values = append(values, out)
	}
	if err := e.run(values[:1], values[1:]); err != nil {
		return fmt.Errorf("onnx: encoder: %w", err)
	}
	return nil
}
