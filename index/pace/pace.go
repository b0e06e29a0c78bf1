// Package pace holds background work back, for the sake of those who wait for answers
// and of the machine's owner.
//
// A Gate stands between two kinds of work. Whoever answers a request says so with
// Answer. Whoever works in the background calls Wait between two small pieces of work,
// such as two files:
//
//	Answer() ------------.            .------ Wait(): while an answer is being made, and
//	     ... answering   |   Gate     |       while work is paused
//	done() --------------'            '------ Insist(): somebody waits for the work itself
//
// Two things make Wait wait. While an answer is being made it waits for that to end, but
// for no longer than a few times as long as the work before it took: work that nobody
// lets go on would never end, and its result is what answers are made of. And while a
// Judge says that work is to pause it waits until he no longer does, or until somebody
// insists.
//
// A Gate has no goroutine and no ticker. The Judge is asked by who waits, at most once a
// second, so that a program at rest costs nothing.
package pace

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// patience is how often the time of the work before it a Wait gives way to answers:
	// under requests without a pause, work has a fifth of its time.
	patience = 4
	// leastWait and mostWait bound that. An answer takes a few milliseconds; one that
	// takes longer than mostWait, as for a slow reader, is no reason to stand still.
	leastWait = 5 * time.Millisecond
	mostWait  = 250 * time.Millisecond
	// judgeEvery is the least time between two questions to the Judge.
	judgeEvery = time.Second
)

// A Judge says why background work is to pause now, as the end of a sentence that begins
// with "paused: "; "" that it is not. It is asked by one goroutine at a time.
type Judge func(now time.Time) (reason string)

// A Gate lets background work go on, or holds it back. Its zero value is open and gives
// way to answers only; a nil one is always open. It is safe for concurrent use.
type Gate struct {
	judge Judge // nil: nothing pauses

	answers  atomic.Int64
	insists  atomic.Int64
	held     atomic.Int64           // calls of Wait that are paused
	reason   atomic.Pointer[string] // the Judge's last
	mu       sync.Mutex
	free     chan struct{} // closed when the last answer is done, or somebody insists; nil: nobody waits for it
	judging  sync.Mutex
	judgedAt time.Time // under judging
}

// New returns a Gate that pauses work when judge says so; nil: never.
func New(judge Judge) *Gate { return &Gate{judge: judge} }

// Answer says that an answer is being made until done is called, which must happen once.
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

// Insist says that somebody waits for the work: nothing pauses it until done is called,
// which must happen once. It gives way to answers all the same.
func (g *Gate) Insist() (done func()) {
	if g == nil {
		return func() {}
	}
	g.insists.Add(1)
	g.wake()
	return func() { g.insists.Add(-1) }
}

// Insisted reports whether somebody insists.
func (g *Gate) Insisted() bool { return g != nil && g.insists.Load() > 0 }

// wake ends every wait that is under way; those that have to wait on wait again.
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

// Paused returns why work that wants to go on does not; "" if there is none, or it may.
func (g *Gate) Paused() string {
	if g == nil || g.held.Load() == 0 {
		return ""
	}
	if r := g.reason.Load(); r != nil {
		return *r
	}
	return ""
}

// A Worker is one goroutine's way through a Gate.
type Worker struct {
	gate *Gate
	from time.Time // when it was let through last
}

// Worker returns the way of a goroutine, which it must not share.
func (g *Gate) Worker() *Worker { return &Worker{gate: g, from: time.Now()} }

// Wait is called between two pieces of work. It returns when the next may begin, or when
// stop is closed. Work that is small is not paused, but gives way to answers.
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

// Yield is called within a piece of work, between two parts of it. It gives way to answers
// as Wait does, but for no longer than a few times as long as the part before it took: a
// piece that has many parts does not take longer by that.
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

// pause waits for as long as the Judge says so and nobody insists.
func (g *Gate) pause(stop <-chan struct{}) {
	if g.Insisted() || g.ask() == "" {
		return
	}
	g.held.Add(1)
	defer g.held.Add(-1)
	timer := time.NewTimer(judgeEvery)
	defer timer.Stop()
	for {
		free := g.waiting()
		if g.Insisted() || g.ask() == "" {
			return
		}
		timer.Reset(judgeEvery)
		select {
		case <-free:
		case <-timer.C:
		case <-stop:
			return
		}
	}
}

// ask returns why work is to pause, from the Judge or from his last word.
func (g *Gate) ask() string {
	if g.judge == nil {
		return ""
	}
	g.judging.Lock()
	defer g.judging.Unlock()
	if now := time.Now(); g.judgedAt.IsZero() || now.Sub(g.judgedAt) >= judgeEvery {
		g.judgedAt = now
		reason := g.judge(now)
		g.reason.Store(&reason)
	}
	return *g.reason.Load()
}
