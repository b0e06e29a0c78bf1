package index

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/ingest"
)

// drafts are private copies of an Index, each of which has some files as nobody has saved
// them. A draft is made once, by copying the table, and then kept: the next request, a
// keystroke later, has it bring some files in line, which costs what a save costs. So it
// follows what is saved, too. At most maxDrafts are kept, and none that nobody has asked
// for during draftIdle. They are safe for concurrent use.
type drafts struct {
	mu     sync.Mutex
	list   []*draft
	freed  chan struct{} // closed when a draft can be had; nil: nobody waits
	closed bool
	timer  *time.Timer // nil: nothing is to be dropped

	bytes atomic.Int64 // that they take, about
	kept  atomic.Int64 // how many there are

	found, made atomic.Uint64 // requests that found one as they needed it, and that had one made or changed
}

// Bounds of what is kept. Two: an editor and an agent, or two editors, on one root; more
// take turns. A draft takes about as much as the vectors of the index, some of its words,
// and a call graph, once that is asked for.
const (
	maxDrafts = 2
	draftIdle = 5 * time.Minute
)

// take returns a draft that has an overlay, which nobody changes until it is given back.
// Several requests with the same overlay have one between them, and make it once.
func (all *drafts) take(ctx context.Context, base *ingest.Writer, o *overlaid) (*draft, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all.mu.Lock()
		if all.closed {
			all.mu.Unlock()
			return nil, answer.ErrClosed
		}
		d, wait := all.pick(base, o)
		if wait != nil {
			var m *making
			if d != nil { // it is being made with this very overlay
				m = d.making
				m.awaited++
			}
			all.mu.Unlock()
			select {
			case <-wait:
			case <-ctx.Done():
			}
			if m != nil {
				all.mu.Lock()
				m.awaited--
				m.abandon()
				all.mu.Unlock()
			}
			continue
		}
		if d.busy == nil { // it is as it should be
			d.users++
			all.found.Add(1)
			all.mu.Unlock()
			answer.Note(ctx, func(p *answer.Plan) { p.Overlay = "kept" })
			return d, nil
		}
		// Also when this client goes away, if others wait for it; else it ends.
		work, stop := context.WithCancel(context.WithoutCancel(ctx))
		m := &making{stop: stop}
		d.making = m
		all.made.Add(1)
		all.mu.Unlock()
		answer.Note(ctx, func(p *answer.Plan) { p.Overlay = "made" })
		gone := context.AfterFunc(ctx, func() {
			all.mu.Lock()
			defer all.mu.Unlock()
			m.left = true
			m.abandon()
		})
		err := fault.Caught(func() error { return d.prepare(work, o) })
		gone()
		stop()
		all.mu.Lock()
		d.making = nil
		close(d.busy)
		d.busy = nil
		all.wake()
		if err == nil && all.closed {
			err = answer.ErrClosed
		}
		if err != nil {
			all.drop(d)
			all.mu.Unlock()
			return nil, err
		}
		d.users++
		all.weigh()
		all.mu.Unlock()
		return d, nil
	}
}

// pick chooses a draft: one that has the overlay, or one to bring in line with it, which
// is marked as busy; or says what to wait for. The caller holds the lock.
func (all *drafts) pick(base *ingest.Writer, o *overlaid) (d *draft, wait <-chan struct{}) {
	var idle *draft
	shared := -1
	for _, one := range all.list {
		same := one.key == o.key
		switch {
		case same && one.busy != nil:
			return one, one.busy
		case same && one.generation == base.Counters.Generation.Load():
			return one, nil
		case one.busy == nil && one.users == 0:
			n := 0
			for path := range o.texts {
				if _, ok := one.over[path]; ok {
					n++
				}
			}
			if n > shared || n == shared && one.used.Before(idle.used) {
				idle, shared = one, n
			}
		}
	}
	if shared <= 0 && len(all.list) < maxDrafts {
		idle = &draft{base: base}
		all.list = append(all.list, idle)
	}
	if idle == nil {
		if all.freed == nil {
			all.freed = make(chan struct{})
		}
		return nil, all.freed
	}
	idle.busy, idle.key = make(chan struct{}), o.key
	return idle, nil
}

// A making is the work on a draft that is busy. Its fields are under the lock of drafts.
type making struct {
	stop    context.CancelFunc
	left    bool // who does the work has gone
	awaited int  // others who want the same
}

// abandon ends the work when nobody waits for it any more.
func (m *making) abandon() {
	if m.left && m.awaited == 0 {
		m.stop()
	}
}

// give takes a draft back.
func (all *drafts) give(d *draft) {
	all.mu.Lock()
	defer all.mu.Unlock()
	d.users--
	d.used = time.Now()
	all.wake()
	all.weigh()
	if all.timer == nil && !all.closed {
		all.timer = time.AfterFunc(draftIdle, func() { all.sweep(draftIdle) })
	}
}

// wake has those look again who wait for a draft. The caller holds the lock.
func (all *drafts) wake() {
	if all.freed != nil {
		close(all.freed)
		all.freed = nil
	}
}

// weigh notes what the drafts take. The caller holds the lock.
func (all *drafts) weigh() {
	n := int64(0)
	for _, d := range all.list {
		if d.busy == nil && d.index != nil {
			n += d.bytes()
		}
	}
	all.bytes.Store(n)
	all.kept.Store(int64(len(all.list)))
}

// drop closes a draft that nobody uses. The caller holds the lock.
func (all *drafts) drop(d *draft) {
	for i, one := range all.list {
		if one == d {
			all.list = append(all.list[:i:i], all.list[i+1:]...)
			break
		}
	}
	if d.index != nil {
		if err := d.index.Close(); err != nil {
			d.base.Log.Warn("a draft of the index could not be closed", "err", err)
		}
	}
	all.weigh()
}

// sweep drops the drafts that nobody has asked for during some time.
func (all *drafts) sweep(idle time.Duration) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.timer != nil {
		all.timer.Stop()
		all.timer = nil
	}
	if all.closed {
		return
	}
	for _, d := range append([]*draft{}, all.list...) {
		if d.busy == nil && d.users == 0 && time.Since(d.used) >= idle {
			all.drop(d)
		}
	}
	all.wake()
	if len(all.list) > 0 {
		all.timer = time.AfterFunc(draftIdle, func() { all.sweep(draftIdle) })
	}
}

// close drops all drafts for good. Whoever still has one is told ErrClosed by it.
func (all *drafts) close() {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.closed = true
	if all.timer != nil {
		all.timer.Stop()
		all.timer = nil
	}
	all.wake()
	for len(all.list) > 0 {
		d := all.list[0]
		if busy := d.busy; busy != nil { // who makes it sees that all is closed, and drops it
			all.mu.Unlock()
			<-busy
			all.mu.Lock()
			continue
		}
		all.drop(d)
	}
}
