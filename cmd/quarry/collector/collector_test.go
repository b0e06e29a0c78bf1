package collector

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// percent returns what is set, and leaves it so.
func percent() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

// collectUntil collects until something holds, for a minute at most. It asks for what the
// test asks for, and not for a change: a collection that the runtime began by itself, between
// what is let go and what is made, sets a percentage that is neither of the two.
func collectUntil(holds func() bool) {
	for deadline := time.Now().Add(time.Minute); !holds() && time.Now().Before(deadline); {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

func TestCollector(t *testing.T) {
	runtime.GC() // what a test before this one has left
	before := percent()
	const allowance = 192 << 20 // a third of it for small heaps
	c := New(40, allowance)
	tighten := c.Loosen(All)
	if p := percent(); p < 100 {
		t.Errorf("a small heap: %d", p)
	}
	resume := c.Stop()
	if p := percent(); p != -1 {
		t.Errorf("stopped: %d", p)
	}
	resume()
	resume() // counts once
	if p := percent(); p < 100 {
		t.Errorf("resumed: %d", p)
	}
	// As the heap grows, the allowance is a smaller part of it.
	grown := make([]byte, 128<<20)
	collectUntil(func() bool { return percent() == 40 })
	if p := percent(); p != 40 {
		t.Errorf("with 128 MiB live: %d", p)
	}
	runtime.KeepAlive(grown)
	second := c.Loosen(All)
	tighten()
	grown = make([]byte, 32<<20)
	collectUntil(func() bool { return percent() >= 60 })
	if p := percent(); p < 60 {
		t.Errorf("the heap is small again, and one build runs: %d", p)
	}
	// Other work asks for a part of it, or for more than there is.
	third := c.Loosen(allowance / 6)
	second()
	part := percent()
	if part < 60 || part > 100 {
		t.Errorf("a sixth of the allowance for 32 MiB: %d", part)
	}
	fourth := c.Loosen(4 * allowance)
	if p := percent(); p < 3*part/2 || p > 200 {
		t.Errorf("more than the allowance for 32 MiB: %d", p)
	}
	fourth()
	if p := percent(); p != part {
		t.Errorf("a sixth of the allowance again: %d, was %d", p, part)
	}
	runtime.KeepAlive(grown)
	third()
	if p := percent(); p != 40 {
		t.Errorf("at the end: %d", p)
	}
	// Without a build, too, garbage is no more than the allowance.
	c.Close()
	c = New(40, 64<<20)
	grown = make([]byte, 512<<20)
	collectUntil(func() bool { return percent() == 6 })
	if p := percent(); p != 6 { // half the allowance
		t.Errorf("with 512 MiB live: %d", p)
	}
	runtime.KeepAlive(grown)
	// But not a small part of what a collection looks through.
	grown = nil
	linked := make([]*int, 64<<20)
	part = 0
	collectUntil(func() bool { part = percent(); return part >= 12 && part <= scanned })
	if part < 12 || part > scanned {
		t.Errorf("with 512 MiB of pointers: %d", part)
	}
	runtime.KeepAlive(linked)
	c.Close()
	if p := percent(); p != before {
		t.Errorf("closed: %d, was %d", p, before)
	}
	var none *Collector
	none.Close()
	if none.Loosen(All)() {
		t.Error("what changes nothing makes garbage less")
	}
	none.Stop()()
}

// Who tightens hears whether there may be less garbage than before it.
func TestTighten(t *testing.T) {
	debug.FreeOSMemory() // what a test before this one has left
	c := New(40, 64<<20)
	defer c.Close()
	one, two := c.Loosen(32<<20), c.Loosen(All)
	for i, step := range []struct {
		tighten func() bool
		less    bool
	}{{one, false}, {two, true}, {two, false}, {c.Loosen(1), false}} {
		if less := step.tighten(); less != step.less {
			t.Errorf("step %d: less garbage %v, want %v", i, less, step.less)
		}
	}
}

// Of a large heap, what is not used goes back: the limit is near what the heap may be, and
// it is as before once the heap is small, nothing is collected, or the collector closed.
func TestCollectorLimit(t *testing.T) {
	runtime.GC()
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	before := limit()
	const allowance = 16 << 20
	c := New(40, allowance)
	defer c.Close()
	if l := limit(); l != before {
		t.Errorf("a small heap: %d", l)
	}
	grown := make([]byte, 256<<20)
	collectUntil(func() bool { return limit() >= 256<<20 && limit() <= 400<<20 })
	if l := limit(); l < 256<<20 || l > 400<<20 {
		t.Errorf("with 256 MiB live: %d", l)
	}
	// It leaves room for the garbage that there may be, collection after collection: were it
	// to fall, more and more would be collected.
	for range 30 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if l := limit(); l < (256<<20)*(100+int64(percent()))/100 {
		t.Errorf("after 30 collections: %d, and %d %% of garbage", l, percent())
	}
	resume := c.Stop()
	if l := limit(); l != before {
		t.Errorf("stopped: %d", l)
	}
	resume()
	if l := limit(); l == before {
		t.Errorf("resumed: %d", l)
	}
	runtime.KeepAlive(grown)
	grown = nil
	collectUntil(func() bool { return limit() == before })
	if l := limit(); l != before {
		t.Errorf("small again: %d", l)
	}
	grown = make([]byte, 256<<20)
	collectUntil(func() bool { return limit() != before })
	c.Close()
	if l := limit(); l != before {
		t.Errorf("closed: %d", l)
	}
	runtime.KeepAlive(grown)
}
