// Package slot bounds how many requests are at work at once. What there is too much of is
// refused with an error that says when it is worth trying again.
package slot

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Slots bound how many requests of a class work at once. More would not finish sooner:
// each keeps a processor busy. Those that find no slot wait in line, first come, first
// served, because clients of an agent take a refusal for a failure.
type Slots struct {
	class   Class
	free    chan struct{} // whoever waits to send is served in order
	waiting atomic.Int64
	queue   int64
	held    atomic.Int64 // nanoseconds for which a slot was held lately, as a moving mean
}

// New returns slots of a class, with a line that is so long.
func New(c Class, n, queue int) *Slots {
	return &Slots{class: c, free: make(chan struct{}, n), queue: int64(queue)}
}

// Acquire takes a slot, to be given back with Release. It fails with rate_limited when
// the line is too long, or ctx's deadline comes first.
func (s *Slots) Acquire(ctx context.Context) error {
	select {
	case s.free <- struct{}{}:
		return nil
	default:
	}
	if s.waiting.Add(1) > s.queue {
		s.waiting.Add(-1)
		return s.refuse("%d %s requests are waiting already", s.queue, s.class)
	}
	defer s.waiting.Add(-1)
	select {
	case s.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return s.refuse("no slot for a %s request became free in time", s.class)
		}
		return ctx.Err()
	}
}

// Release gives a slot back that was held for some time.
func (s *Slots) Release(held time.Duration) {
	mean := s.held.Load()
	s.held.Store(mean + (int64(held)-mean)/8) // one that gets lost between two does no harm
	<-s.free
}

// maxRetry bounds the time after which a client is told to try again.
const maxRetry = 30 * time.Second

// refuse says when it is worth trying again: when those that wait now have been served,
// if they take as long as those before them.
func (s *Slots) refuse(format string, args ...any) error {
	after := time.Duration(s.held.Load()) * time.Duration(s.waiting.Load()+1) / time.Duration(cap(s.free))
	return &CrowdedError{string(s.class), fmt.Sprintf(format, args...), min(after, maxRetry)}
}

// A CrowdedError refuses what could be answered another time.
type CrowdedError struct {
	What    string // there is too much of, for the metrics: a class, or another of crowds
	message string
	After   time.Duration // until it is worth trying again; less than a second: a second
}

// The crowds besides the classes.
const (
	CrowdVerify      = "verify"
	CrowdEvents      = "events"
	CrowdSession     = "session"
	CrowdConnections = "connections"
	CrowdProjects    = "projects"
)

// Crowds are all that there can be too much of.
func Crowds() []string {
	all := []string{CrowdVerify, CrowdEvents, CrowdSession, CrowdConnections, CrowdProjects}
	for _, c := range Classes() {
		all = append(all, string(c))
	}
	return all
}

// Error returns a sentence for the client.
func (e *CrowdedError) Error() string { return e.message }

// Crowdedf returns a CrowdedError.
func Crowdedf(what, format string, args ...any) error {
	return &CrowdedError{What: what, message: fmt.Sprintf(format, args...)}
}

// A Class is the kind of slot that a request needs. Each has slots and a line of its own,
// so that requests that are long at work keep nobody waiting whose answer is a matter of
// a few milliseconds.
type Class string

// The classes. What is asked of nobody's index waits for no slot: /health, /ready,
// /status, /metrics and what else is told from memory. So does /verify, of which one runs,
// and what is only queued: /invalidate and /reindex.
const (
	Cheap    Class = "cheap"    // from tables: words, vectors, symbols, files, the edges of one symbol
	Heavy    Class = "heavy"    // all texts, all edges, many searches, or a copy of the index
	Streamed Class = "streamed" // sent as it is found, and so waits for its client
)

// Classes are all of them.
func Classes() []Class { return []Class{Cheap, Heavy, Streamed} }

// Waiting returns how many requests wait for a slot.
func (s *Slots) Waiting() int { return int(s.waiting.Load()) }

// Busy returns how many requests have a slot.
func (s *Slots) Busy() int { return len(s.free) }
