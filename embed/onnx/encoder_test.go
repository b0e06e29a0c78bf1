package onnx

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// tinyEncoder is an encoder whose tokens have vectors of hidden numbers, out of a table, and
// whose rows have that of their first token. Without words it lacks the output of the tokens.
func tinyEncoder(table []float32, words bool) []byte {
	var g graph
	g.floats("table", table, vocabulary, hidden)
	g.tensor("zero", 7, make([]byte, 8))
	g.node("Gather", wordsOutput, nil, "table", rowTokensInput)
	g.node("Gather", vectorsOutput, map[string]int64{"axis": 1}, wordsOutput, "zero")
	g.value(11, rowTokensInput, 7, "rows", "length")
	g.value(12, vectorsOutput, 1, "rows", "hidden")
	if words {
		g.value(12, wordsOutput, 1, "rows", "length", hiddenDim)
	}
	return g.file()
}

func TestEncoderTokens(t *testing.T) {
	lib := library(t)
	r := rand.New(rand.NewPCG(5, 7))
	table := make([]float32, vocabulary*hidden)
	for i := range table {
		table[i] = r.Float32()
	}
	for _, words := range []bool{true, false} {
		model := tinyEncoder(table, words)
		if words { // and as a small program has it
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			model = w.EncodeAll(model, nil)
			w.Close()
		}
		e, err := OpenEncoder(lib, model)
		if err != nil {
			t.Fatal(err)
		}
		dim := 0
		if words {
			dim = hidden
		}
		if e.TokenDim() != dim {
			t.Errorf("tokens of %d numbers, want %d", e.TokenDim(), dim)
		}
		row := []int64{3, 17, 4, 60}
		vector, tokens := make([]float32, hidden), make([]float32, len(row)*dim)
		if err := e.Encode(t.Context(), row, vector, tokens); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(vector, table[3*hidden:4*hidden]) {
			t.Errorf("the vector of the row is %v", vector)
		}
		for i, id := range row {
			if words && !slices.Equal(tokens[i*hidden:][:hidden], table[id*hidden:][:hidden]) {
				t.Errorf("the vector of token %d is %v", i, tokens[i*hidden:][:hidden])
			}
		}
		if err := e.Encode(t.Context(), row, vector, make([]float32, len(row)*dim+1)); err == nil {
			t.Error("room for one number too many is taken")
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := e.Encode(over, row, vector, tokens); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that is over gives %v", err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	unused(t)
}

// TestOutputShape reads files of which some are no models.
func TestOutputShape(t *testing.T) {
	table := make([]float32, vocabulary*hidden)
	whole := tinyEncoder(table, true)
	for _, test := range []struct {
		name, output string
		model        []byte
		want         []int
	}{
		{"words", wordsOutput, whole, []int{0, 0, hidden}},
		{"vectors", vectorsOutput, whole, []int{0, 0}},
		{"no such output", "word", whole, nil},
		{"of another model", wordsOutput, tinyEncoder(table, false), nil},
		{"no model", wordsOutput, []byte("no model"), nil},
		{"nothing", wordsOutput, nil, nil},
	} {
		if got := outputShape(test.model, test.output); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	for n := range whole { // wherever it is cut off
		outputShape(whole[:n], wordsOutput)
	}
	if _, err := OpenEncoder(library(t), func() []byte {
		var g graph
		g.value(12, wordsOutput, 1, "rows", "length", "numbers")
		return g.file()
	}()); err == nil {
		t.Error("tokens of a length that is not fixed are taken")
	}
	if got := fixed(binary.AppendUvarint([]byte{8}, 1<<40)); got != 0 {
		t.Errorf("a length of %d", got)
	}
}
