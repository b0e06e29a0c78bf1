package dead

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// each calls use with the numbers from 0 to n-1, on several processors. worker is the number of the goroutine,
// less than texts.Workers().
func each(ctx context.Context, n int, use func(worker, i int)) error {
	var next atomic.Int64
	var group errgroup.Group
	for worker := range min(texts.Workers(), n) {
		group.Go(func() error {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				use(worker, i)
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// A memo keeps what was found of items. Several goroutines may ask; one at a time finds out.
type memo[T any] struct {
	mu    *sync.Mutex
	find  func(int32) T
	known []atomic.Pointer[T]
}

func newMemo[T any](p *program, find func(int32) T) memo[T] {
	return memo[T]{&p.mu, find, make([]atomic.Pointer[T], len(p.items))}
}

func (m *memo[T]) of(i int32) T {
	if v := m.known[i].Load(); v != nil {
		return *v
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if v := m.known[i].Load(); v != nil {
		return *v
	}
	v := m.find(i)
	m.known[i].Store(&v)
	return v
}

// textOf unpacks the text of a record. It is good until the next one is asked for: items come file by file.
func (p *program) textOf(r *store.Record) []byte {
	if r != p.last {
		p.last, p.text = r, r.Text.AppendAll(p.text[:0])
	}
	return p.text
}
