package ingest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// An embed.Refiner has better vectors of documents than those that an index is built with,
// and takes a hundred times as long for them. An index is searched with the others until
// Run has replaced them, while nothing else is to be done. Whether a vector is one of the
// others is seen from itself, so that every file that keeps vectors says it.
const (
	refineAtOnce = 64   // new chunks of an update, at most, that get the better vectors at once: an edit must not make an index worse
	refineList   = 2048 // chunks that are looked for together
	refineCommit = 512  // vectors in a commit. Each makes a generation, so that there should be few; 512 take the lock for a millisecond
)

// refinesAll reports whether no vector is left for later.
func (x *Writer) refinesAll() bool { return x.Refiner != nil && x.Opt.Refine }

// computing returns what computes the vectors of so many new chunks.
func (x *Writer) computing(chunks int) compute {
	switch {
	case x.refinesAll():
		return x.better
	case x.Refiner != nil && chunks <= refineAtOnce && x.Counters.Unrefined.Load() == nil:
		return x.betterOrPlain
	}
	return x.plainly
}

// better computes the vectors that stay.
func (x *Writer) better(ctx context.Context, docs []embed.Document, dst, tokens []float32) error {
	if err := x.Refiner.Refine(ctx, docs, dst, tokens); err != nil {
		return err
	}
	x.Counters.Refined.Add(uint64(len(docs)))
	return nil
}

// betterOrPlain computes the others where that fails.
func (x *Writer) betterOrPlain(ctx context.Context, docs []embed.Document, dst, tokens []float32) error {
	err := x.better(ctx, docs, dst, tokens)
	if err == nil || ctx.Err() != nil {
		return err
	}
	x.unrefine(err)
	return x.plainly(ctx, docs, dst, nil)
}

// PlainVector writes the vector of a chunk that is there before the better one.
func (x *Writer) PlainVector(ctx context.Context, at store.ChunkRef, dst []float32) error {
	r, p := at.Record, at.Record.Chunk(at.Chunk)
	doc := r.Describe(p, string(r.Text.Slice(int(p.Start), int(p.End))))
	return x.Opt.Embedder.Documents(ctx, []embed.Document{doc}, dst)
}

// unrefine notes that there are no better vectors until the next build.
func (x *Writer) unrefine(err error) {
	text := err.Error()
	if x.Counters.Unrefined.Swap(&text) == nil {
		x.Log.Error("vectors are not refined until the next build", "root", x.Tree.Root(), "err", err)
	}
	x.Settled()
}

// refineLater has Run look for vectors to replace.
func (x *Writer) refineLater() {
	if x.Counters.Plain.Load() > 0 {
		select {
		case x.refinable <- struct{}{}:
		default:
		}
	}
}

// refining replaces vectors whenever there are some to be replaced, until ctx ends.
func (x *Writer) refining(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.refinable:
		}
		for left := true; left && x.Counters.Unrefined.Load() == nil; {
			err := fault.Caught(func() (err error) {
				left, err = x.refineSome(ctx)
				return err
			})
			if ctx.Err() != nil || errors.Is(err, answer.ErrClosed) {
				return
			}
			if err != nil {
				x.unrefine(err)
			}
		}
	}
}

// refineSome replaces some vectors, and reports whether there may be more. Nothing waits for
// it but for the length of a commit: it computes without the writer's token, and begins
// nothing new while somebody has that.
func (x *Writer) refineSome(ctx context.Context) (left bool, err error) {
	if err := x.Acquire(ctx); err != nil {
		return false, err
	}
	list := x.unrefined(refineList)
	x.Release()
	if len(list) == 0 {
		return false, nil
	}
	batches, vectors := make(chan []missing), make(chan embedded, queueLength)
	outer, stop := context.WithCancel(ctx)
	defer stop()
	work, inner := fault.WithContext(outer)
	work.Go(func() error {
		defer close(batches)
		for ; len(list) > 0; list = list[min(embedChunks, len(list)):] {
			if err := x.Acquire(inner); err != nil { // gives way to a build or an update
				return err
			}
			batch := x.current(list[:min(embedChunks, len(list))])
			x.Release()
			select {
			case batches <- batch:
			case <-inner.Done():
				return inner.Err()
			}
		}
		return nil
	})
	next := func(ctx context.Context) ([]missing, error) {
		for batch := range batches {
			if len(batch) > 0 {
				return batch, nil
			}
		}
		return nil, nil
	}
	for range max(1, x.Opt.Workers) {
		work.Go(func() error { return embedAll(inner, x.View, next, x.better, vectors, false) })
	}
	committed := make(chan error, 1)
	go func() {
		err := fault.Caught(func() error { return x.refined(ctx, vectors) })
		if err != nil {
			stop() // nobody takes what is computed
		}
		committed <- err
	}()
	err = work.Wait()
	close(vectors)
	return true, cmp.Or(<-committed, err)
}

// unrefined returns up to n chunks whose vectors are to be replaced, first those of the files
// that were changed last. The caller holds the writer's token.
func (x *Writer) unrefined(n int) (list []missing) {
	if x.Counters.Plain.Load() == 0 {
		return nil
	}
	newest := func(a, b *store.Record) int {
		return cmp.Or(cmp.Compare(b.ModTime, a.ModTime), strings.Compare(a.Path, b.Path))
	}
	for _, r := range slices.SortedFunc(maps.Values(x.Table.Files), newest) {
		for i := range r.Chunks {
			if !x.Table.Vectors.IsPlain(r.Chunks[i].ID) {
				continue
			}
			if list = append(list, missing{record: r, piece: uint32(i), again: true}); len(list) == n {
				return list
			}
		}
	}
	return list
}

// current returns those of some chunks whose files are still the same. The caller holds the
// writer's token.
func (x *Writer) current(items []missing) []missing {
	same := make([]missing, 0, len(items))
	for _, m := range items {
		if x.Table.Files[m.record.Path] == m.record {
			same = append(same, m)
		}
	}
	return same
}

// refined commits vectors as they come.
func (x *Writer) refined(ctx context.Context, vectors <-chan embedded) error {
	var all embedded
	for v := range vectors {
		all.items, all.codes = append(all.items, v.items...), append(all.codes, v.codes...)
		if len(all.items) >= refineCommit {
			if err := x.commitRefined(ctx, all); err != nil {
				return err
			}
			all = embedded{}
		}
	}
	if len(all.items) == 0 {
		return nil
	}
	return x.commitRefined(ctx, all)
}

func (x *Writer) commitRefined(ctx context.Context, v embedded) error {
	if slices.ContainsFunc(v.codes, func(c vector.Code) bool { return len(c) > 0 && x.Vectors.IsPlain(c) }) {
		return errors.New("a refined vector is none: it is 0 where the others are") // and would be asked for for ever
	}
	if err := x.Acquire(ctx); err != nil {
		return err
	}
	defer x.Release()
	x.Opt.Throttle.Worker().Wait(ctx.Done(), true)
	defer x.LockTable()()
	return x.enter(v)
}
