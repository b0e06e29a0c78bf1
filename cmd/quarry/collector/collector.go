// Package collector tunes Go's garbage collector for programs that build and read indexes.
package collector

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
)

// A Collector sets how eagerly Go's garbage collector works. Garbage may grow to a
// percentage of what lives, as with GOGC, but to no more than an allowance, of a small heap
// to no more than a third of that, and of a large heap to half of it: of 3 GB, 40 % would be a gigabyte that only waits. It may be a part
// of what a collection has to look through, though, however large that is. While many
// files are indexed, it may be as much as that work asks for however small the heap is,
// within the allowance, and while a snapshot is read, anything.
//
// Of a large heap it also bounds what the runtime keeps without using it: by itself that
// is a tenth of all. The bound is Go's memory limit, and no more than what that was when
// the Collector was made.
//
// It is the one place that changes these settings while the program runs; a nil Collector
// changes nothing. It is safe for concurrent use.
type Collector struct {
	percent   int   // as it was set up
	allowance int64 // bytes of garbage
	most      int64 // bytes, the memory limit as it was set up

	mu     sync.Mutex
	off    int     // who wants no collection
	loose  []int64 // bytes of garbage that there may be however small the heap is
	now    int     // as it is set
	limit  int64   // as above
	before int     // as it was set
	closed bool
}

// New sets the collector to percent (as of GOGC), within so many bytes of garbage, until
// Close puts back what was set before.
func New(percent int, allowance int64) *Collector {
	c := &Collector{percent: percent, allowance: allowance, now: percent}
	c.most = debug.SetMemoryLimit(-1)
	c.limit = c.most
	c.before = debug.SetGCPercent(percent)
	c.watch()
	return c
}

// Close puts back what was set before New.
func (c *Collector) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		debug.SetGCPercent(c.before)
		debug.SetMemoryLimit(c.most)
	}
}

// Stop has nothing collected until resume is called, for a caller that reads what stays.
func (c *Collector) Stop() (resume func()) {
	if c == nil {
		return func() {}
	}
	undo := c.change(func() { c.off++ }, func() { c.off-- })
	return func() { undo() }
}

// All is as much garbage as the allowance.
const All = math.MaxInt64

// Loosen has less collected until tighten is called: there may be so many bytes of
// garbage, within the allowance. A percentage of a small heap is little: of a build that
// makes 3 GB of garbage on a heap that grows to 400 MB, a seventh of the processor's time
// went into collecting. Tighten says, at its first call, whether there may be less garbage
// from then on: what lies about is then worth giving back, which a program at rest does
// only after minutes.
func (c *Collector) Loosen(garbage int64) (tighten func() (less bool)) {
	if c == nil {
		return func() bool { return false }
	}
	return c.change(func() { c.loose = append(c.loose, garbage) }, func() {
		i := slices.Index(c.loose, garbage)
		c.loose = slices.Delete(c.loose, i, i+1)
	})
}

// change notes what somebody wants, and at the first call of undo that they no longer do.
func (c *Collector) change(do, back func()) (undo func() (less bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	c.set()
	undone := false
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if undone {
			return false
		}
		undone = true
		before := c.now
		back()
		c.set()
		return c.now < before
	}
}

// set does what those want who are counted. The caller holds mu.
func (c *Collector) set() {
	if c.closed {
		return
	}
	want := -1
	if c.off == 0 {
		want = c.percentage()
	}
	if want != c.now {
		debug.SetGCPercent(want)
		c.now = want
	}
	// Steps of a 64th: it stops the world for a moment, too.
	if limit := c.bound(); limit < c.limit-c.limit/64 || limit > c.limit {
		debug.SetMemoryLimit(limit)
		c.limit = limit
	}
}

// bound returns the memory limit: what the heap may grow to until the next collection,
// and what the runtime has besides it or cannot fill, with a margin. The first is computed
// from what lives, and not taken from the runtime's goal, which the limit that is set now
// may hold down: limits made of such goals only fall, until all that is done is collecting.
func (c *Collector) bound() int64 {
	bytes, ok := read("/gc/heap/live:bytes", "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes",
		"/memory/classes/heap/free:bytes", "/memory/classes/heap/objects:bytes")
	if !ok {
		return c.most
	}
	live, rest := bytes[0], bytes[1]-bytes[2]-bytes[3]-bytes[4]
	if c.off > 0 || live <= large*c.allowance || live > c.most/2 {
		return c.most
	}
	sum := live + live/100*int64(c.now) + rest
	return min(c.most, sum+sum/64+c.allowance/8)
}

// read returns some of the runtime's metrics; ok is false where it does not have one.
func read(names ...string) (values []int64, ok bool) {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() != metrics.KindUint64 {
			return nil, false
		}
		values = append(values, int64(min(s.Value.Uint64(), math.MaxInt64)))
	}
	return values, true
}

// scanned is how much garbage there may be, as a percentage of what a collection looks
// through, which is what it costs: half of the heap of a large index are vectors, texts
// and postings, which have no pointers.
const scanned = 16

// A third of the allowance is for any heap, the rest for one of which it is a quarter. What
// stays is spread among the garbage: of an index of 340 MB, 140 MB more were kept with 380
// MB of garbage, and 90 MB with 130, for a twentieth more of the time that a build takes.
const third, quarter = 3, 4

// large is how many times the allowance a heap is of which half as much may be garbage.
const large = 4

// percentage returns the percentage that comes nearest to the allowance, or to scanned where
// that is more, in steps: setting it stops the world for a moment.
func (c *Collector) percentage() int {
	heap, ok := read("/gc/heap/live:bytes", "/gc/scan/heap:bytes")
	if !ok {
		return c.percent
	}
	live, scan := heap[0], heap[1]
	garbage := min(max(live/quarter, c.allowance/third), c.allowance)
	if live > large*c.allowance {
		garbage /= 2
	}
	live = max(live, 1)
	p := step(max(garbage*100, scan*scanned) / live)
	if p <= c.percent {
		return p
	}
	var loose int64
	for _, l := range c.loose {
		loose = max(loose, min(l, garbage))
	}
	return max(c.percent, step(loose*100/live))
}

// step returns what is set in place of a percentage.
func step(p int64) int {
	const least, most = 5, 1000
	switch {
	case p < 20:
		p = max(p, least)
	case p < 40:
		p = p / 5 * 5
	default:
		p = min(p/20*20, most)
	}
	return int(p)
}

// watch sets the percentage again after each collection: the collector itself finds the
// object that nobody has.
func (c *Collector) watch() {
	sentinel := new([16]byte)
	runtime.AddCleanup(sentinel, func(c *Collector) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.closed {
			c.set()
			c.watch()
		}
	}, c)
}
