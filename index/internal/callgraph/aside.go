package callgraph

import (
	"cmp"
	"slices"
	"time"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/priority"
)

// Large changes of the call graph are made aside: in a goroutine, while the old graph
// answers and says that it is behind. It is one of two things: what changed is put into
// the graph and solved, with a frozen copy of it to answer, or the graph is made again of
// the lowered forms of all files.

// remaking is a graph that is made of all files, or brought up to date, in the background.
type remaking struct {
	graph *graph.Graph  // once there is one; under pending
	done  chan struct{} // closed at the end
}

// RemakeFiles is how many files of n must change for the graph to be made again in the
// background in place of being updated, which takes no less then: with 1,000 of the
// 9,916 files of the Go distribution 20 to 50 s, for which an update waits.
func RemakeFiles(n int) int { return max(256, n/20) }

// asideBytes is how large a graph is that is brought up to date aside: with 1 MB that
// takes some hundredths of a second, and of the Go distribution, with 300 MB, seconds.
const asideBytes = 1 << 20

// SmallWork is how many files, as after a save in an editor, are never paused: they take
// some hundredths of a second.
const SmallWork = 16

// AsideFiles is how many new files are put into a graph aside, however small it is: as
// the first build of a larger tree does, which is ready without waiting for the solver.
const AsideFiles = 64

// heavy reports whether what is to be done takes longer than somebody should wait for.
func (c *Graph) heavy() bool {
	if c.Weight.Load() > cmp.Or(c.Large, asideBytes) || c.Graph.Shrunk() {
		return true
	}
	c.pending.Lock()
	defer c.pending.Unlock()
	return c.remaking != nil || len(c.Changes) >= AsideFiles
}

// aside brings a large graph up to date in the background: meanwhile a copy of it, as
// snapshots have it, answers and says that it is behind, nobody waits, and files go on
// being committed. The caller holds mu, which questions can take while the copy is made; who would change
// the graph meanwhile leaves that to the one who copies, for a lock that is waited for stops questions, too. It
// reports whether somebody sees to the changes.
func (c *Graph) aside() (begun bool) {
	live := c.Graph
	r := &remaking{done: make(chan struct{})}
	c.pending.Lock()
	other := c.remaking != nil
	if !other {
		c.remaking, c.last, c.copying = r, r, true
	}
	c.pending.Unlock()
	if other {
		return true // and looks at the end for what came meanwhile
	}
	c.Mu.Unlock()
	c.Mu.RLock()
	same := c.Graph == live
	var copied *graph.Graph
	if same {
		Quietly(func() { copied = live.Frozen() })
	}
	c.Mu.RUnlock()
	c.Mu.Lock()
	c.pending.Lock()
	defer c.pending.Unlock()
	c.copying = false
	if !same || c.Graph != live {
		c.remaking = nil
		close(r.done)
		return false
	}
	changes := c.Changes
	c.Changes, c.waiting = nil, 0
	c.Graph = copied
	r.graph = live
	small := len(changes) <= SmallWork
	go c.complete(r, small, func() (_ *graph.Graph, ok bool) {
		c.yield(live, small)
		defer live.Between(nil)
		Quietly(func() { ok = c.apply(live, changes) })
		return live, ok
	})
	return true
}

// Quietly runs work on a thread of low priority, and waits for it. Where a lock is taken
// for which questions wait, the priority must be theirs again: on a busy machine a thread
// of low priority may have to wait for its turn with the lock in its hands.
func Quietly(work func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		priority.Lower()
		work()
	}()
	<-done
}

// replace begins to make a graph of all committed files in place of one that cannot be
// updated. Until it is there the old one answers, which says that it is behind; files
// go on being committed meanwhile, and are put in at the end. The caller holds mu.
func (c *Graph) replace() {
	c.pending.Lock()
	if c.remaking != nil {
		c.pending.Unlock()
		return
	}
	known := len(c.Changes)
	r := &remaking{done: make(chan struct{})}
	c.remaking, c.last = r, r
	c.pending.Unlock()
	// A commit notes its changes under the Index's lock: the records have all that were
	// known, and those that come now are put in once more, which does no harm.
	remake := c.Remake()
	c.pending.Lock()
	c.Changes = slices.Clone(c.Changes[known:])
	c.waiting = 0
	for i := range c.Changes {
		c.Changes[i].Was = nil // the records may have them already: there is nothing to move
		if f := c.Changes[i].File; f != nil {
			c.waiting += len(f.Exprs)
		}
	}
	c.pending.Unlock()
	go c.complete(r, false, func() (made *graph.Graph, ok bool) {
		work := func() {
			made = remake()
			c.pending.Lock()
			r.graph = made
			c.pending.Unlock()
			c.yield(made, false)
			defer made.Between(nil)
			ok = !c.Stop.Load() && c.settle(made)
		}
		if c.Background {
			Quietly(work)
		} else {
			work()
		}
		return made, ok
	})
}

// yield has a graph that is resolved aside give way to answers, and pause as files do.
// Small changes are not paused. One that is resolved under mu does neither: answers wait
// for it.
func (c *Graph) yield(g *graph.Graph, small bool) {
	g.Between(func() func() {
		if c.Background {
			priority.Lower()
		}
		way := c.Throttle.Worker()
		return func() { way.Wait(c.Ending, small) }
	})
}

// complete puts what work has made in the place of the graph.
func (c *Graph) complete(r *remaking, small bool, work func() (made *graph.Graph, ok bool)) {
	defer close(r.done)
	defer c.Bulk.Begin(small)()
	began := time.Now()
	made, ok := work()
	if !c.Stop.Load() {
		c.Observer.Solved(time.Since(began))
	}
	c.Mu.Lock()
	c.pending.Lock()
	c.remaking, r.graph = nil, nil
	stopped := c.Stop.Load()
	if !stopped {
		c.Missing.Store(false) // with remaking: see note
	}
	c.pending.Unlock()
	if stopped {
		c.Mu.Unlock()
		return
	}
	if !ok {
		made = graph.New()
	}
	c.Graph = made
	c.count()
	c.Mu.Unlock()
	c.Resolve() // what came meanwhile
	c.Changed()
}

// Wait waits until no graph is being made.
func (c *Graph) Wait() {
	for {
		c.pending.Lock()
		r := c.remaking
		c.pending.Unlock()
		if r == nil {
			return
		}
		<-r.done
	}
}

// WaitFor is wait for no longer than some time. It reports whether no graph is being made.
func (c *Graph) WaitFor(most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		c.pending.Lock()
		r := c.remaking
		c.pending.Unlock()
		if r == nil {
			return true
		}
		select {
		case <-r.done:
		case <-timer.C:
			return false
		}
	}
}

// Halt ends the making of a graph, and waits for that, and for what is done after it.
func (c *Graph) Halt() {
	if !c.Stop.Swap(true) {
		close(c.Ending)
	}
	for before := (*remaking)(nil); ; {
		c.pending.Lock()
		r := c.last
		if r != nil && r.graph != nil {
			r.graph.Halt()
		}
		c.pending.Unlock()
		if r == before {
			break
		}
		<-r.done
		before = r
	}
	c.pending.Lock()
	precomputing := c.precomputing
	c.pending.Unlock()
	if precomputing != nil {
		<-precomputing.done
	}
}

// Precompute runs work in the background that makes answers faster, unless some is being done
// already. The work is to end soon once Stop is set: Halt waits for it. What of it takes no lock
// it does Quietly.
func (c *Graph) Precompute(work func()) {
	c.pending.Lock()
	defer c.pending.Unlock()
	if c.Stop.Load() {
		return
	}
	if c.precomputing != nil {
		select {
		case <-c.precomputing.done:
		default:
			return
		}
	}
	r := &remaking{done: make(chan struct{})}
	c.precomputing = r
	go func() {
		defer close(r.done)
		work()
	}()
}

// manyLate reports whether the changes that were not lowered are so many that the graph
// is made again.
func (c *Graph) manyLate() bool {
	c.pending.Lock()
	defer c.pending.Unlock()
	n := 0
	for i := range c.Changes {
		if c.Changes[i].Late {
			n++
		}
	}
	return n > 0 && n >= RemakeFiles(c.Files())
}

// Lazy reports whether the next resolve makes the graph of all files again, so that it
// needs nothing of those that change until then: they may come late. The caller holds the
// writer's token.
func (c *Graph) Lazy() bool {
	c.pending.Lock()
	defer c.pending.Unlock()
	return c.remaking == nil && c.Missing.Load()
}

// A Bulk is told that more files are about to be indexed than an editor saves at once, or
// that a call graph is about to be made of them, and by end that this is over. Several may
// go on at a time.
type Bulk func() (end func())

// Begin tells it, unless the work is small.
func (b Bulk) Begin(small bool) (end func()) {
	if b == nil || small {
		return func() {}
	}
	return b()
}
