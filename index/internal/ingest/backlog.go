package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/internal/priority"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// backlog holds the committed chunks that have no vector yet. It is not
// bounded: it holds no text, and words must not wait for a slow model.
type backlog struct {
	mu     sync.Mutex
	items  []missing
	closed bool
	wake   chan struct{}
}

type missing struct {
	record *store.Record
	piece  uint32
	again  bool // it has a vector, which is to be replaced
}

func newBacklog() *backlog { return &backlog{wake: make(chan struct{}, 1)} }

func (b *backlog) add(items []missing) {
	b.mu.Lock()
	b.items = append(b.items, items...)
	b.mu.Unlock()
	b.signal()
}

func (b *backlog) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

// sort puts what waits in the order of paths. Sums of ONNX Runtime differ in the last
// bits with what else is in a batch: so the same files give the same vectors.
func (b *backlog) sort() {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.SortFunc(b.items, func(x, y missing) int {
		return cmp.Or(strings.Compare(x.record.Path, y.record.Path), cmp.Compare(x.piece, y.piece))
	})
}

func (b *backlog) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.signal()
}

func (b *backlog) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take returns the next items, waiting for the first; none at the end.
func (b *backlog) take(ctx context.Context) ([]missing, error) {
	const n = embedChunks
	for {
		b.mu.Lock()
		if k := min(n, len(b.items)); k > 0 && (k == n || b.closed) {
			items := b.items[:k:k]
			b.items = b.items[k:]
			b.mu.Unlock()
			return items, nil
		}
		closed := b.closed
		b.mu.Unlock()
		if closed {
			return nil, nil
		}
		select {
		case <-b.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// resume puts chunks in the backlog that an interrupted or failed run has left
// without a vector, and those whose vector is to be replaced where none is left for later.
func (x *Writer) resume(behind *backlog) {
	whole := x.Counters.Embedded.Load() == x.Counters.Chunks.Load()
	if x.Dim == 0 || whole && !(x.refinesAll() && x.Counters.Plain.Load() > 0) {
		return
	}
	for _, r := range x.Table.Files {
		if r.Full() && !x.refinesAll() {
			continue
		}
		var left []missing
		ready := len(r.Chunks)
		for i := range r.Chunks {
			switch id := r.Chunks[i].ID; {
			case !r.Full() && !x.Table.Vectors.Has(id):
				ready--
				left = append(left, missing{record: r, piece: uint32(i)})
			case x.refinesAll() && x.Table.Vectors.IsPlain(id):
				left = append(left, missing{record: r, piece: uint32(i), again: true})
			}
		}
		x.Counters.Embedded.Add(int64(ready - r.Ready))
		r.Ready = ready
		behind.add(left)
	}
}

// embedded is a batch of vectors on its way to the commit.
type embedded struct {
	items []missing
	codes []vector.Code
}

// compute writes the vectors of documents and, where they have some, of their tokens, as
// embed.Refiner does.
type compute func(ctx context.Context, docs []embed.Document, dst, tokens []float32) error

// plainly computes the vectors that an index is searched with at first.
func (x *Writer) plainly(ctx context.Context, docs []embed.Document, dst, _ []float32) error {
	began := time.Now()
	if err := x.Opt.Embedder.Documents(ctx, docs, dst); err != nil {
		return err
	}
	x.Opt.Observer.Embedded(len(docs), time.Since(began))
	return nil
}

// embedAll computes the vectors of what next returns, batch after batch, as one of several.
func embedAll(ctx context.Context, x *store.View, next func(context.Context) ([]missing, error), vectorsOf compute, out chan<- embedded, small bool) error {
	if x.Opt.Background {
		priority.Lower()
	}
	docs := make([]embed.Document, 0, embedChunks)
	vectors := make([]float32, embedChunks*x.Dim)
	numbers := x.Vectors.Tokens * x.Vectors.TokenDim
	tokens := make([]float32, embedChunks*numbers)
	coder := vector.NewCoder(x.Vectors)
	way := x.Opt.Throttle.Worker()
	for {
		way.Wait(ctx.Done(), small)
		items, err := next(ctx)
		if err != nil || len(items) == 0 {
			return err
		}
		docs = docs[:0]
		for i := 0; i < len(items); {
			// The pieces of a file come one after the other: unpack them at once.
			r, j := items[i].record, i
			for j < len(items) && items[j].record == r {
				j++
			}
			base := r.Chunks[items[i].piece].Start
			src := string(r.Text.Slice(int(base), int(r.Chunks[items[j-1].piece].End)))
			for ; i < j; i++ {
				p := &r.Chunks[items[i].piece]
				docs = append(docs, r.Describe(p, src[p.Start-base:p.End-base]))
			}
		}
		if err := vectorsOf(ctx, docs, vectors[:len(docs)*x.Dim], tokens[:len(docs)*numbers]); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &ModelError{err}
		}
		codes, err := encode(coder, items, vectors, tokens)
		if err != nil {
			return err
		}
		select {
		case out <- embedded{items, codes}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// encode makes the codes of some items' vectors: here, so that the commit, for which
// searches wait, has only to put them in their places.
func encode(coder *vector.Coder, items []missing, vectors, tokens []float32) ([]vector.Code, error) {
	codes, dim, numbers := make([]vector.Code, len(items)), coder.Dim, coder.Tokens*coder.TokenDim
	for i, m := range items {
		var err error
		if codes[i], err = coder.Append(nil, vectors[i*dim:(i+1)*dim], tokens[i*numbers:(i+1)*numbers]); err != nil {
			return nil, fmt.Errorf("index: %s: %w", m.record.Path, err)
		}
	}
	return codes, nil
}
