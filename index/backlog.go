package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quarry-search/quarry/embed"
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
	record *record
	piece  uint32
}

func newBacklog() *backlog { return &backlog{wake: make(chan struct{}, 1)} }

func (b *backlog) add(r *record, pieces []uint32) {
	b.mu.Lock()
	for _, n := range pieces {
		b.items = append(b.items, missing{r, n})
	}
	b.mu.Unlock()
	b.signal()
}

// sort puts what waits in the order of paths. Sums of ONNX Runtime differ in the last
// bits with what else is in a batch: so the same files give the same vectors.
func (b *backlog) sort() {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.SortFunc(b.items, func(x, y missing) int {
		return cmp.Or(strings.Compare(x.record.path, y.record.path), cmp.Compare(x.piece, y.piece))
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

// take returns up to n items, waiting for the first; none at the end.
func (b *backlog) take(ctx context.Context, n int) ([]missing, error) {
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
// without a vector.
func (x *View) resume(behind *backlog) {
	if x.dim == 0 || x.state.embedded.Load() == x.state.chunks.Load() {
		return
	}
	for _, r := range x.table.files {
		if r.ready == len(r.pieces) {
			continue
		}
		var left []uint32
		for i := range r.pieces {
			if !x.table.vectors.Has(r.pieces[i].id) {
				left = append(left, uint32(i))
			}
		}
		ready := len(r.pieces) - len(left)
		x.state.embedded.Add(int64(ready - r.ready))
		r.ready = ready
		behind.add(r, left)
	}
}

// embedded is a batch of vectors on its way to the commit.
type embedded struct {
	items []missing
	codes []vector.Code
}

// embedAll computes the vectors of the backlog, batch after batch, as one of several.
func (x *View) embedAll(ctx context.Context, behind *backlog, out chan<- embedded, small bool) error {
	if x.opt.Background {
		lowerPriority()
	}
	docs := make([]embed.Document, 0, embedChunks)
	vectors := make([]float32, embedChunks*x.dim)
	coder := vector.NewCoder(x.dim)
	way := x.opt.Throttle.Worker()
	for {
		way.Wait(ctx.Done(), small)
		items, err := behind.take(ctx, embedChunks)
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
			base := r.pieces[items[i].piece].start
			src := string(r.text.slice(int(base), int(r.pieces[items[j-1].piece].end)))
			for ; i < j; i++ {
				p := &r.pieces[items[i].piece]
				docs = append(docs, r.describe(p, src[p.start-base:p.end-base]))
			}
		}
		began := time.Now()
		if err := x.opt.Embedder.Documents(ctx, docs, vectors[:len(docs)*x.dim]); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &modelError{err}
		}
		x.opt.Observer.Embedded(len(docs), time.Since(began))
		codes, err := x.encode(coder, items, vectors)
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
func (x *View) encode(coder *vector.Coder, items []missing, vectors []float32) ([]vector.Code, error) {
	codes, size := make([]vector.Code, len(items)), vector.CodeBytes(x.dim)
	memory := make([]byte, len(items)*size)
	for i, m := range items {
		var err error
		if codes[i], err = coder.Append(memory[i*size:i*size:(i+1)*size], vectors[i*x.dim:(i+1)*x.dim]); err != nil {
			return nil, fmt.Errorf("index: %s: %w", m.record.path, err)
		}
	}
	return codes, nil
}
