// Package collector sets the pace of Go's garbage collector, for the programs that build
// and read indexes.
package collector

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// A Collector sets how eagerly Go's garbage collector works: as it was set up, except
// while a snapshot is read or a first build runs. It is the one place that changes the
// setting while the program runs; a nil Collector changes nothing. It is safe for
// concurrent use.
type Collector struct {
	percent   int   // as it was set up
	allowance int64 // bytes of garbage that a first build may leave lying

	mu    sync.Mutex
	off   int // who wants no collection
	loose int // first builds
	now   int // as it is set
}

// New returns a Collector that comes back to percent (as of GOGC) and lets a
// first build leave so many bytes of garbage, or percent of the heap if that is more.
func New(percent int, allowance int64) *Collector {
	return &Collector{percent: percent, allowance: allowance, now: percent}
}

// Stop has nothing collected until resume is called, for who reads what stays.
func (c *Collector) Stop() (resume func()) {
	if c == nil {
		return func() {}
	}
	return c.enter(&c.off)
}

// Loosen has less collected until tighten is called. A percentage of a small heap is
// little: of a build that makes 3 GB of garbage on a heap that grows to 400 MB, a
// seventh of the processor's time went into collecting.
func (c *Collector) Loosen() (tighten func()) {
	if c == nil {
		return func() {}
	}
	tighten = c.enter(&c.loose)
	c.watch()
	return tighten
}

// enter counts somebody in, and out again at the first call of leave.
func (c *Collector) enter(n *int) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
	c.set()
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		*n--
		c.set()
	})
}

// set does what those want who are counted. The caller holds mu.
func (c *Collector) set() {
	want := c.percent
	switch {
	case c.off > 0:
		want = -1
	case c.loose > 0:
		want = c.pace()
	}
	if want != c.now {
		debug.SetGCPercent(want)
		c.now = want
	}
}

// pace returns the percentage that comes nearest to the allowance, in steps: setting it
// stops the world for a moment.
func (c *Collector) pace() int {
	const step, most = 20, 1000
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return c.percent
	}
	p := min(c.allowance*100/max(int64(live[0].Value.Uint64()), 1), most)
	return max(int(p)/step*step, c.percent)
}

// watch sets the percentage anew after each collection, as long as a first build runs:
// the collector itself finds the object that nobody has.
func (c *Collector) watch() {
	sentinel := new([16]byte)
	runtime.AddCleanup(sentinel, func(c *Collector) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.loose > 0 {
			c.set()
			c.watch()
		}
	}, c)
}
