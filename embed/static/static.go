// Package static evaluates the built-in model in plain Go, or one of the same
// form from a folder.
//
// It needs no library next to the program, and gives the vectors that package
// embed/onnx gives, to 1e-4 in each number, by test. It does not run ONNX
// graphs: it reads the two tensors of the model from its file and knows what the
// graph does with them, which is to add up rows.
//
// A document is four sums of rows, one for each of its parts (model.Weights). Those of its
// path are kept from one document to the next, since the chunks of a file come one after
// the other.
//
// It is also the faster of the two. A document of 1,000 bytes with three names, of
// four in a file, takes 3.7 us on one core of an EPYC of 2024, its tokens included, and
// 10 us where there is no AVX2, and a query 1 us; on a Xeon of 2023 ONNX Runtime took
// 1.7 times as long as the latter for a document and at least four times for a query
// (BenchmarkDocument and BenchmarkQuery of both packages).
package static

import (
	"context"
	"fmt"
	"sync"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

// Model is the built-in model, or what Open found. It is safe for concurrent use,
// and starts no goroutines: callers that want to use more cores call it from more
// of them.
type Model struct {
	info    embed.Info
	weights model.Weights
	tokens  *tokenizer.Identifiers
	table   *table
	scratch *sync.Pool // of *scratch

	comparisons *sync.Pool // of *comparison
}

var _ embed.Embedder = (*Model)(nil)

// scratch is what one text needs, and one document: a vector for each part but
// the text, whose vector becomes the document's.
type scratch struct {
	bag tokenizer.Bag
	sum sum

	names, folder, stem []float32
	path                []float32 // what folder and stem add
}

// New returns the built-in model. It takes about 6 ms and 2.2 MB; the table
// itself stays where the program was loaded from.
func New() (*Model, error) {
	card, err := model.ReadCard()
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	m, err := newModel(model.ONNX(), model.Vocabulary(), card.Fields, newInfo("builtin", card))
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	return m, nil
}

func newInfo(name string, card model.Card) embed.Info {
	return embed.Info{Name: name, Dim: card.Dim, Backend: "go", Reason: "evaluated in plain Go", SHA256: card.SHA256.ONNX}
}

func newModel(onnx, vocab []byte, weights model.Weights, info embed.Info) (*Model, error) {
	t, err := readTable(onnx)
	if err != nil {
		return nil, fmt.Errorf("model file: %w", err)
	}
	tokens, err := tokenizer.NewIdentifiers(vocab)
	if err != nil {
		return nil, err
	}
	if t.dim != info.Dim || len(t.scales) != tokens.Size() {
		return nil, fmt.Errorf("the table has %d rows of %d, the vocabulary %d words and the card the dimension %d",
			len(t.scales), t.dim, tokens.Size(), info.Dim)
	}
	m := &Model{
		info:    info,
		weights: weights,
		tokens:  tokens,
		table:   t,
		scratch: &sync.Pool{New: func() any { return newScratch(t.dim) }},
	}
	m.comparisons = &sync.Pool{New: func() any { return newComparison(m) }}
	return m, nil
}

func newScratch(dim int) *scratch {
	all := make([]float32, 4*dim)
	return &scratch{names: all[:dim], folder: all[dim : 2*dim], stem: all[2*dim : 3*dim], path: all[3*dim:]}
}

// WithReason returns the same model with another Info().Reason: why plain Go
// was chosen, such as the folders in which no ONNX Runtime was found.
func (m *Model) WithReason(reason string) *Model {
	n := *m
	n.info.Reason = reason
	return &n
}

// Info implements embed.Embedder.
func (m *Model) Info() embed.Info { return m.info }

// Query implements embed.Embedder.
func (m *Model) Query(ctx context.Context, text string) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dst := make([]float32, m.table.dim)
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	m.part(dst, s, text, tokenizer.QueryLimit)
	return dst, nil
}

// Documents implements embed.Embedder.
func (m *Model) Documents(ctx context.Context, docs []embed.Document, dst []float32) error {
	if len(dst) != len(docs)*m.table.dim {
		return fmt.Errorf("static: %d numbers for %d vectors of %d", len(dst), len(docs), m.table.dim)
	}
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	for i, d := range docs {
		if i%32 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if i == 0 || d.Path != docs[i-1].Path {
			folder, stem := model.SplitPath(d.Path)
			m.part(s.folder, s, folder, tokenizer.FolderLimit)
			m.part(s.stem, s, stem, tokenizer.StemLimit)
			m.weights.Path(s.path, s.folder, s.stem)
		}
		v := dst[i*m.table.dim:][:m.table.dim]
		m.part(s.names, s, d.Names, tokenizer.NamesLimit)
		m.part(v, s, d.Text, tokenizer.TextLimit)
		m.weights.Document(v, v, s.names, s.path)
	}
	return nil
}

// part writes the unit vector of one bag to dst.
func (m *Model) part(dst []float32, s *scratch, text string, limit int) {
	m.tokens.Part(&s.bag, text, limit)
	m.table.embed(dst, &s.bag, &s.sum)
}

// Close implements embed.Embedder; there is nothing to release.
func (m *Model) Close() error { return nil }
