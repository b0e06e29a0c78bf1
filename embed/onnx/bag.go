package onnx

import (
	"context"
	"fmt"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

// bag runs the built-in model, whose graph takes token ids and their weights
// and gives a unit vector for each text. The parts of a document are texts of
// their own; their vectors are added here.
type bag struct {
	*session
	dim     int
	weights model.Weights
	tokens  *tokenizer.Identifiers
	scratch sync.Pool // of *bagScratch
}

// bagScratch holds the bags of many texts, one after the other, the documents
// that they are parts of, and the tensors of a batch.
type bagScratch struct {
	bag     tokenizer.Bag
	ids     []int32
	weights []float32
	starts  []int // where each text's tokens begin; one more at the end
	lengths []int

	docs    []parts
	vectors []float32 // of the texts
	path    []float32 // what the folder and stem of a document add

	batchIDs     []int64
	batchWeights []float32
	batchOut     []float32
}

// parts are the places of a document's texts among those of a bagScratch. Its
// stem comes after its folder; documents of one file share both.
type parts struct{ folder, names, text int }

func newBag(lib string, card model.Card) (*bag, error) {
	tokens, err := tokenizer.NewIdentifiers(model.Vocabulary())
	if err != nil {
		return nil, err
	}
	s, err := newSession(lib, source{data: model.ONNX()}, []string{"ids", "weights"}, []string{"embedding"}, 1)
	if err != nil {
		return nil, err
	}
	b := &bag{session: s, dim: card.Dim, weights: card.Fields, tokens: tokens}
	b.scratch.New = func() any { return &bagScratch{path: make([]float32, card.Dim)} }
	return b, nil
}

func (b *bag) query(ctx context.Context, text string, dst []float32) error {
	s := b.scratch.Get().(*bagScratch)
	defer b.scratch.Put(s)
	s.reset()
	b.keep(s, text, tokenizer.QueryLimit)
	return b.embed(ctx, s, dst)
}

func (b *bag) documents(ctx context.Context, docs []embed.Document, dst []float32) error {
	s := b.scratch.Get().(*bagScratch)
	defer b.scratch.Put(s)
	// So many at a time that sorting their texts by length pays, which puts the
	// names and paths into batches of their own, and not so many that their
	// tokens fill the cache.
	const group = 8 * batchSize
	for len(docs) > 0 {
		n := min(len(docs), group)
		s.reset()
		for i, d := range docs[:n] {
			var p parts
			if i > 0 && d.Path == docs[i-1].Path {
				p.folder = s.docs[i-1].folder
			} else {
				folder, stem := model.SplitPath(d.Path)
				p.folder = b.keep(s, folder, tokenizer.FolderLimit)
				b.keep(s, stem, tokenizer.StemLimit)
			}
			p.names = b.keep(s, d.Names, tokenizer.NamesLimit)
			p.text = b.keep(s, d.Text, tokenizer.TextLimit)
			s.docs = append(s.docs, p)
		}
		size := len(s.lengths) * b.dim
		s.vectors = slices.Grow(s.vectors[:0], size)[:size]
		if err := b.embed(ctx, s, s.vectors); err != nil {
			return err
		}
		b.add(s, dst[:n*b.dim])
		docs, dst = docs[n:], dst[n*b.dim:]
	}
	return ctx.Err()
}

// add writes the vectors of the documents in s, whose parts' vectors are in
// s.vectors, to dst.
func (b *bag) add(s *bagScratch, dst []float32) {
	vector := func(text int) []float32 { return s.vectors[text*b.dim:][:b.dim] }
	for i, p := range s.docs {
		if i == 0 || p.folder != s.docs[i-1].folder {
			b.weights.Path(s.path, vector(p.folder), vector(p.folder+1))
		}
		b.weights.Document(dst[i*b.dim:][:b.dim], vector(p.text), vector(p.names), s.path)
	}
}

func (s *bagScratch) reset() {
	s.ids, s.weights, s.lengths = s.ids[:0], s.weights[:0], s.lengths[:0]
	s.starts = append(s.starts[:0], 0)
	s.docs = s.docs[:0]
}

// keep adds the tokens of text, limit of them at most, and returns its place
// among the texts.
func (b *bag) keep(s *bagScratch, text string, limit int) int {
	b.tokens.Part(&s.bag, text, limit)
	s.ids = append(s.ids, s.bag.IDs...)
	s.weights = append(s.weights, s.bag.Weights...)
	s.starts = append(s.starts, len(s.ids))
	s.lengths = append(s.lengths, len(s.bag.IDs))
	return len(s.lengths) - 1
}

// embed writes the vectors of the texts in s to dst. A text without a token
// has the zero vector and is not run.
func (b *bag) embed(ctx context.Context, s *bagScratch, dst []float32) error {
	clear(dst)
	return inBatches(ctx, s.lengths, func(batch []int, longest int) error {
		n := len(batch) * longest
		s.batchIDs = slices.Grow(s.batchIDs[:0], n)[:n]
		s.batchWeights = slices.Grow(s.batchWeights[:0], n)[:n]
		s.batchOut = slices.Grow(s.batchOut[:0], len(batch)*b.dim)[:len(batch)*b.dim]
		for row, text := range batch {
			ids, weights := s.batchIDs[row*longest:][:longest], s.batchWeights[row*longest:][:longest]
			from, to := s.starts[text], s.starts[text+1]
			for k, id := range s.ids[from:to] {
				ids[k] = int64(id)
			}
			copy(weights, s.weights[from:to])
			clear(ids[to-from:])
			clear(weights[to-from:])
		}
		if err := b.runBatch(s, int64(len(batch)), int64(longest)); err != nil {
			return err
		}
		for row, text := range batch {
			copy(dst[text*b.dim:][:b.dim], s.batchOut[row*b.dim:])
		}
		return nil
	})
}

// runBatch wraps the slices of s in tensors and runs the graph.
func (b *bag) runBatch(s *bagScratch, rows, longest int64) error {
	ids, err := ort.NewTensor(ort.NewShape(rows, longest), s.batchIDs)
	if err != nil {
		return fmt.Errorf("token ids: %w", err)
	}
	defer ids.Destroy()
	weights, err := ort.NewTensor(ort.NewShape(rows, longest), s.batchWeights)
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	defer weights.Destroy()
	out, err := ort.NewTensor(ort.NewShape(rows, int64(b.dim)), s.batchOut)
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	defer out.Destroy()
	return b.run([]ort.Value{ids, weights}, []ort.Value{out})
}
