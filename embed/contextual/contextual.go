// Package contextual computes better vectors than the built-in model alone: those of an encoder
// that reads the words of a question or of a chunk together, joined to those of the built-in
// model, which adds up words. It says what the encoder reads and has its file; package
// embed/onnx runs it.
//
// A vector has 384 places: 256 of the built-in model, then 128 of the encoder. Vectors of
// documents come in two kinds, as embed.Refiner has them: with the built-in model's places only,
// which take microseconds, and with all, which take one to two milliseconds of a thread. Where
// the encoder gives vectors of single tokens, too, those of a document that count most are
// given with the latter.
package contextual

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/wordpiece"
)

// share is how much the encoder counts: the cosine of a question and a document with all places
// is (1-share) times that of the built-in model's vectors plus share times that of the
// encoder's.
const share = 0.5

// The encoder gives outputs numbers, of which the first ones were trained to be a vector, too:
// half of them lose little and cost half (see MODEL.md).
const (
	outputs = 256
	used    = 128
)

// kept is how many tokens of a document are given vectors, those that are longest: rows have up
// to 96, and half of them say little.
const kept = 32

// An Encoder runs the model of ONNX. It is safe for concurrent use.
type Encoder interface {
	// Encode writes the vector of a row of tokens to vector, which has room for 256 numbers,
	// and those of the tokens, one after the other, to tokens, TokenDim numbers for each.
	Encode(ctx context.Context, row []int64, vector, tokens []float32) error
	// TokenDim returns the length of the vector of a token, 0 where the model has none.
	TokenDim() int
	Close() error
}

// Words is a model that adds up words, and compares them: package embed/static has it.
type Words interface {
	embed.Embedder
	embed.Comparer
}

// Model computes vectors with both. It is safe for concurrent use, and starts no goroutines.
type Model struct {
	Words
	info       embed.Info
	plain      int
	tokens     embed.Tokens
	encoder    Encoder
	vocabulary *wordpiece.Vocabulary
}

var (
	_ embed.Refiner  = (*Model)(nil)
	_ embed.Comparer = (*Model)(nil)
)

// New returns both models as one, which owns them: Close closes both. Backend and reason are
// those of the encoder, for Info.
func New(words Words, encoder Encoder, backend, reason string) (*Model, error) {
	vocabulary, err := wordpiece.Builtin()
	if err != nil {
		return nil, fmt.Errorf("contextual: %w", err)
	}
	of := words.Info()
	made := fmt.Appendf(nil, "%s\n%s\n%g\n", of.SHA256, sum, share)
	var tokens embed.Tokens
	if dim := encoder.TokenDim(); dim > 0 {
		tokens = embed.Tokens{Count: kept, Dim: dim}
		made = fmt.Appendf(made, "%d tokens of %d\n", kept, dim)
	}
	both := sha256.Sum256(made)
	return &Model{
		Words: words, encoder: encoder, vocabulary: vocabulary, plain: of.Dim, tokens: tokens,
		info: embed.Info{
			Name: of.Name + "+contextual", Dim: of.Dim + used, Backend: backend, Reason: reason, SHA256: hex.EncodeToString(both[:]),
		},
	}, nil
}

// Info implements embed.Embedder. The checksum is of the checksums of both models' files, of
// the share and of which tokens are given vectors.
func (m *Model) Info() embed.Info { return m.info }

// Plain implements embed.Refiner.
func (m *Model) Plain() int { return m.plain }

// Tokens implements embed.Refiner.
func (m *Model) Tokens() embed.Tokens { return m.tokens }

// PlainQuery implements embed.Refiner: it is the built-in model's Query.
func (m *Model) PlainQuery(ctx context.Context, text string) ([]float32, error) {
	return m.Words.Query(ctx, text)
}

// Query implements embed.Embedder.
func (m *Model) Query(ctx context.Context, text string) ([]float32, error) {
	vector, _, err := m.QueryTokens(ctx, text)
	return vector, err
}

// QueryTokens implements embed.Refiner.
func (m *Model) QueryTokens(ctx context.Context, text string) (vector, tokens []float32, err error) {
	words, err := m.Words.Query(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	vector = make([]float32, m.info.Dim)
	copy(vector, words)
	tokens, err = m.join(ctx, question(m.vocabulary, text), vector)
	return vector, tokens, err
}

// Documents implements embed.Embedder.
func (m *Model) Documents(ctx context.Context, docs []embed.Document, dst []float32) error {
	dim := m.info.Dim
	if len(dst) != len(docs)*dim {
		return fmt.Errorf("contextual: %d numbers for %d vectors of %d", len(dst), len(docs), dim)
	}
	if err := m.Words.Documents(ctx, docs, dst[:len(docs)*m.plain]); err != nil {
		return err
	}
	for i := len(docs) - 1; i >= 0; i-- { // from the last: a vector moves away from those before it
		copy(dst[i*dim:], dst[i*m.plain:][:m.plain])
		clear(dst[i*dim:][m.plain:dim])
	}
	return nil
}

// Refine implements embed.Refiner. Documents are read one by one: on one thread that is as fast
// as many at a time, and the vector of one does not depend on which others are with it, as it
// would with weights of 8 bits, which scale numbers by all that is read together.
func (m *Model) Refine(ctx context.Context, docs []embed.Document, dst, tokens []float32) error {
	n := m.tokens.Numbers()
	if len(tokens) != len(docs)*n {
		return fmt.Errorf("contextual: %d numbers for the tokens of %d documents, %d each", len(tokens), len(docs), n)
	}
	if err := m.Documents(ctx, docs, dst); err != nil {
		return err
	}
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		all, err := m.join(ctx, document(m.vocabulary, d), dst[i*m.info.Dim:][:m.info.Dim])
		if err != nil {
			return err
		}
		longest(tokens[i*n:][:n], all, m.tokens.Dim)
	}
	return nil
}

// join adds what the encoder says of a row to a vector of the built-in model, the first places
// of dst, and returns the vectors of the tokens between [CLS] and [SEP]. Where one of them knows
// no word, the other is the vector.
func (m *Model) join(ctx context.Context, row []int64, dst []float32) (tokens []float32, err error) {
	if row == nil {
		return nil, nil
	}
	var v [outputs]float32
	tokens = make([]float32, len(row)*m.tokens.Dim)
	if err := m.encoder.Encode(ctx, row, v[:], tokens); err != nil {
		return nil, fmt.Errorf("contextual: %w", err)
	}
	tokens = tokens[m.tokens.Dim : len(tokens)-m.tokens.Dim]
	encoded := v[:used]
	length := norm(encoded)
	if length == 0 {
		return tokens, nil
	}
	most := share
	if norm(dst[:m.plain]) == 0 {
		most = 1
	}
	for i := range dst[:m.plain] {
		dst[i] *= float32(math.Sqrt(1 - most))
	}
	for i, x := range encoded {
		dst[m.plain+i] = x * float32(math.Sqrt(most)/length)
	}
	return tokens, nil
}

// longest writes the longest of some vectors of dim numbers to dst, in their order, as many as
// there is room for, and zeros after them. Of equal ones the first are taken.
func longest(dst, all []float32, dim int) {
	clear(dst)
	if len(dst) == 0 {
		return
	}
	list := slices.Collect(slices.Chunk(all, dim))
	lengths := make([]float64, len(list))
	order := make([]int, len(list))
	for i, v := range list {
		lengths[i], order[i] = norm(v), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lengths[b], lengths[a]) })
	order = order[:min(len(order), len(dst)/dim)]
	slices.Sort(order)
	for n, i := range order {
		copy(dst[n*dim:], list[i])
	}
}

func norm(v []float32) float64 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Sqrt(square)
}

// Close implements embed.Embedder.
func (m *Model) Close() error { return errors.Join(m.encoder.Close(), m.Words.Close()) }
