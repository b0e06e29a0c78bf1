// Package throttle slows background work down or pauses it, so that requests are answered
// quickly and other programs are not disturbed.
//
// A Gate coordinates two kinds of work. Code that answers a request calls Answer. Code that
// works in the background calls Wait between two small units of work, such as two files:
//
//	Answer() ------------.            .------ Wait(): while an answer is being made, and
//	     ... answering   |   Gate     |       while work is paused
//	done() --------------'            '------ Expedite(): a caller waits for the work itself
//
// Wait blocks for two reasons. While an answer is being made it waits for that to end, but
// for no longer than a few times as long as the work before it took: otherwise a steady
// stream of requests would starve the work whose result they need. And while a Policy says
// that work is to pause, it waits until the Policy no longer does, or until a caller
// expedites the work.
//
// A Gate has no goroutine and no ticker. Waiting workers ask the Policy, at most once a
// second, so that an idle program costs nothing.
package throttle

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// patience is the longest Wait, as a multiple of the time that the work before it took:
	// under a constant load of requests, work still gets a fifth of the time.
	patience = 4
	// leastWait and mostWait bound it. An answer takes a few milliseconds; one that takes
	// longer than mostWait, such as one to a slow reader, is no reason to stand still.
	leastWait = 5 * time.Millisecond
	mostWait  = 250 * time.Millisecond
	// policyEvery is the least time between two questions to the Policy.
	policyEvery = time.Second
)

// A Policy says why background work is to pause now, as the end of a sentence that begins
// with "paused: "; "" means that it is not. It is asked by one goroutine at a time.
type Policy func(now time.Time) (reason string)

// A Gate lets background work go on, or holds it back. Its zero value is open and gives
// way to answers only; a nil one is always open. It is safe for concurrent use.
type Gate struct {
	policy Policy // nil: nothing pauses

	answers   atomic.Int64
	expedited atomic.Int64
	held      atomic.Int64           // calls of Wait that are paused
	reason    atomic.Pointer[string] // the Policy's last
	mu        sync.Mutex
	free      chan struct{} // closed when the last answer is done, or work is expedited; nil: nobody waits for it
	asking    sync.Mutex
	askedAt   time.Time // under asking
}

// New returns a Gate that pauses work when policy says so; nil: never.
func New(policy Policy) *Gate { return &Gate{policy: policy} }

// Answer marks an answer as being made until done is called, which must happen exactly once.
func (g *Gate) Answer() (done func()) {
	if g == nil {
		return func() {}
	}
	g.answers.Add(1)
	return func() {
		if g.answers.Add(-1) == 0 {
			g.wake()
		}
	}
}

// Expedite marks the work as awaited: nothing pauses it until done is called,
// which must happen once. It gives way to answers all the same.
func (g *Gate) Expedite() (done func()) {
	if g == nil {
		return func() {}
	}
	g.expedited.Add(1)
	g.wake()
	return func() { g.expedited.Add(-1) }
}

// Expedited reports whether a caller waits for the work.
func (g *Gate) Expedited() bool { return g != nil && g.expedited.Load() > 0 }

// wake ends every wait that is under way; those that still have reason to wait start over.
func (g *Gate) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free != nil {
		close(g.free)
		g.free = nil
	}
}

// waiting returns what wake closes.
func (g *Gate) waiting() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free == nil {
		g.free = make(chan struct{})
	}
	return g.free
}

// Paused returns why pending work is paused; "" if there is none, or it may go on.
func (g *Gate) Paused() string {
	if g == nil || g.held.Load() == 0 {
		return ""
	}
	if r := g.reason.Load(); r != nil {
		return *r
	}
	return ""
}

// A Worker is one goroutine's access to a Gate.
type Worker struct {
	gate *Gate
	from time.Time // when it was let through last
}

// Worker returns the access of one goroutine, which must not share it.
func (g *Gate) Worker() *Worker { return &Worker{gate: g, from: time.Now()} }

// Wait is called between two units of work. It returns when the next may begin, or when stop
// is closed. Small work is never paused, but yields to answers.
func (w *Worker) Wait(stop <-chan struct{}, small bool) {
	g := w.gate
	if g == nil {
		return
	}
	if !small {
		g.pause(stop)
	}
	if g.answers.Load() > 0 {
		g.giveWay(stop, min(max(patience*time.Since(w.from), leastWait), mostWait))
	}
	w.from = time.Now()
}

// Yield is called within a unit of work, between two parts of it. It yields to answers as
// Wait does, but for no longer than a few times as long as the part before it took, so that
// the number of parts does not add to the time.
func (w *Worker) Yield(stop <-chan struct{}) {
	g := w.gate
	if g == nil {
		return
	}
	if g.answers.Load() > 0 {
		g.giveWay(stop, min(patience*time.Since(w.from), mostWait))
	}
	w.from = time.Now()
}

// giveWay waits until no answer is being made, for no longer than most.
func (g *Gate) giveWay(stop <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		free := g.waiting()
		if g.answers.Load() == 0 {
			return
		}
		select {
		case <-free:
		case <-timer.C:
			return
		case <-stop:
			return
		}
	}
}

// pause waits for as long as the Policy says so and nobody expedites the work.
func (g *Gate) pause(stop <-chan struct{}) {
	if g.Expedited() || g.ask() == "" {
		return
	}
	g.held.Add(1)
	defer g.held.Add(-1)
	timer := time.NewTimer(policyEvery)
	defer timer.Stop()
	for {
		free := g.waiting()
		if g.Expedited() || g.ask() == "" {
			return
		}
		timer.Reset(policyEvery)
		select {
		case <-free:
		case <-timer.C:
		case <-stop:
			return
		}
	}
}

// ask returns why work is to pause, from the Policy or from its last answer.
func (g *Gate) ask() string {
	if g.policy == nil {
		return ""
	}
	g.asking.Lock()
	defer g.asking.Unlock()
	if now := time.Now(); g.askedAt.IsZero() || now.Sub(g.askedAt) >= policyEvery {
		g.askedAt = now
		reason := g.policy(now)
		g.reason.Store(&reason)
	}
	return *g.reason.Load()
}
