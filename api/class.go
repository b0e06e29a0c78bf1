package api

import (
	"context"
	"time"
)

// A class is the kind of slot that a request needs. Each has slots and a line of its own,
// so that requests that are long at work keep nobody waiting whose answer is a matter of
// a few milliseconds.
type class string

// The classes. What is asked of nobody's index waits for no slot: /health, /ready,
// /status, /metrics and what else is told from memory. So does /verify, of which one runs,
// and what is only queued: /invalidate and /reindex.
const (
	cheap    class = "cheap"    // from tables: words, vectors, symbols, files, the edges of one symbol
	heavy    class = "heavy"    // all texts, all edges, many searches, or a copy of the index
	streamed class = "streamed" // sent as it is found, and so waits for its client
)

// classes are all of them.
func classes() []class { return []class{cheap, heavy, streamed} }

// From where on a request is heavy that else is cheap.
const (
	heavySearches = 4         // searches of one request: its queries times its projects
	heavyFiles    = 2000      // files of a project whose call graph /impact goes through
	heavyText     = 128 << 10 // bytes of a text to be summarised
)

// heavily makes the request a heavy one if it is so.
func (d *decoder) heavily(so bool) {
	if so {
		d.class = heavy
	}
}

// inSlot does some work when a slot of its class is free, and says how long that took.
func (s *Server) inSlot(ctx context.Context, c class, work func() error) (waited time.Duration, err error) {
	if c == "" {
		c = cheap
	}
	slots, t := s.slots[c], trailOf(ctx)
	t.class = c
	start := time.Now()
	err = slots.acquire(ctx)
	waited = time.Since(start)
	t.waited += waited
	if err != nil {
		return 0, err
	}
	began := time.Now()
	defer func() { // also after a panic
		held := time.Since(began)
		slots.release(held)
		t.worked += held
	}()
	s.metrics.queue[c].Observe(waited.Seconds())
	return waited, work()
}
