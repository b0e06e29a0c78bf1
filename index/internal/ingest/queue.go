package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/oserror"
)

// An Invalidation names what may have changed.
type Invalidation struct {
	Paths   []string // files or folders, relative to the root or absolute inside it
	Pattern string   // a glob with ** over indexed paths
	All     bool     // everything: walk the root again
	Reset   bool     // with All: read and parse every file again, whatever its time
}

// queue is what Run has still to do. Tickets count the calls of Invalidate;
// Flush waits until those before it are worked off.
type queue struct {
	mu         sync.Mutex
	paths      map[string]bool
	all, reset bool
	ticket     uint64
	finished   uint64
	waiting    []waiter
	wake       chan struct{} // holds one token while there may be work
}

type waiter struct {
	ticket uint64
	done   chan struct{}
}

// Invalidate queues work for Run and returns at once, with the number of paths
// queued. It returns ErrOutside or ErrPattern, and then nothing is queued.
func (x *Writer) Invalidate(inv Invalidation) (queued int, generation uint64, err error) {
	if x.Tree.Sealed() {
		return 0, 0, source.ErrNoFolder
	}
	paths := map[string]bool{}
	for _, p := range inv.Paths {
		rel, err := x.Tree.Resolve(p)
		if err != nil {
			return 0, 0, err
		}
		paths[rel] = true
	}
	if inv.Pattern != "" {
		if !doublestar.ValidatePattern(inv.Pattern) {
			return 0, 0, fmt.Errorf("%w: %q", answer.ErrPattern, inv.Pattern)
		}
		x.Mu.RLock()
		for p := range x.Table.Files {
			if ok, _ := doublestar.Match(inv.Pattern, p); ok {
				paths[p] = true
			}
		}
		x.Mu.RUnlock()
	}
	queued = len(paths)
	q := &x.queue
	q.mu.Lock()
	if q.paths == nil {
		q.paths = map[string]bool{}
	}
	maps.Copy(q.paths, paths)
	if inv.All {
		q.all = true
		q.reset = q.reset || inv.Reset
		queued = int(x.Counters.Files.Load())
	}
	q.ticket++
	x.Counters.Queued.Store(int64(q.size()))
	q.mu.Unlock()
	x.signal()
	return queued, x.Counters.Generation.Load(), nil
}

// size returns the number of queued paths; a whole walk counts as one.
func (q *queue) size() int {
	if q.all {
		return len(q.paths) + 1
	}
	return len(q.paths)
}

func (x *Writer) signal() {
	select {
	case x.queue.wake <- struct{}{}:
	default:
	}
}

// Flush waits until everything queued before the call is visible to Search. What
// Options.Throttle pauses goes on meanwhile. It needs a running Run.
func (x *Writer) Flush(ctx context.Context) error {
	q := &x.queue
	q.mu.Lock()
	if q.finished >= q.ticket {
		q.mu.Unlock()
		return x.Retries.wait(ctx)
	}
	w := waiter{q.ticket, make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	defer x.Opt.Throttle.Expedite()()
	select {
	case <-w.done:
		return x.Retries.wait(ctx)
	case <-ctx.Done():
		q.mu.Lock()
		q.waiting = slices.DeleteFunc(q.waiting, func(o waiter) bool { return o.done == w.done })
		q.mu.Unlock()
		return ctx.Err()
	}
}

// Run builds the index, then works off what Invalidate queues, until ctx ends.
// A build that fails is reported by State and in the log, and tried again at
// the next Invalidate. What fails for an error that passes, see Transient, is tried again
// at growing intervals, up to half a minute, until it does not. Alongside, vectors are
// replaced by better ones where the embedder has such, see embed.Refiner. It returns nil
// when ctx ends.
func (x *Writer) Run(ctx context.Context, progress func(Progress)) error {
	if x.Refiner != nil {
		inner, stop := context.WithCancel(ctx)
		var group sync.WaitGroup
		group.Go(func() { x.refining(inner) })
		defer group.Wait()
		defer stop()
	}
	_, err := x.Build(ctx, progress)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, answer.ErrClosed) {
			return err
		}
		if err != nil && !oserror.Transient(err) {
			x.Log.Error("indexing failed", "error", err)
		}
		timer.Stop()
		if due := x.Retries.Next(); !due.IsZero() {
			timer.Reset(time.Until(due))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-x.queue.wake:
			err = x.drain(ctx)
		case <-timer.C:
			_, err = x.Retry(ctx)
		}
	}
}

func (x *Writer) drain(ctx context.Context) error {
	q := &x.queue
	q.mu.Lock()
	paths, all, reset, ticket := slices.Sorted(maps.Keys(q.paths)), q.all, q.reset, q.ticket
	n := int64(q.size())
	x.Counters.Updating.Add(n) // first, so that no reader sees neither
	x.Counters.Queued.Store(0)
	clear(q.paths)
	q.all, q.reset = false, false
	q.mu.Unlock()
	var err error
	switch {
	case all:
		_, err = x.BuildAll(ctx, nil, reset)
	case len(paths) > 0:
		_, err = x.Update(ctx, paths)
	}
	x.Counters.Updating.Add(-n) // first, so that State agrees when Flush returns
	x.Settled()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.finished = max(q.finished, ticket)
	q.waiting = slices.DeleteFunc(q.waiting, func(w waiter) bool {
		if w.ticket > q.finished {
			return false
		}
		close(w.done)
		return true
	})
	return err
}
