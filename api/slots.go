package api

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// slots bound how many requests of a class work at once. More would not finish sooner:
// each keeps a processor busy. Those that find no slot wait in line, first come, first
// served, because clients of an agent take a refusal for a failure.
type slots struct {
	class   class
	free    chan struct{} // whoever waits to send is served in order
	waiting atomic.Int64
	queue   int64
	held    atomic.Int64 // nanoseconds for which a slot was held lately, as a moving mean
}

func newSlots(c class, n, queue int) *slots {
	return &slots{class: c, free: make(chan struct{}, n), queue: int64(queue)}
}

// acquire takes a slot, to be given back with release. It fails with rate_limited when
// the line is too long, or ctx's deadline comes first.
func (s *slots) acquire(ctx context.Context) error {
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

// release gives a slot back that was held for some time.
func (s *slots) release(held time.Duration) {
	mean := s.held.Load()
	s.held.Store(mean + (int64(held)-mean)/8) // one that gets lost between two does no harm
	<-s.free
}

// maxRetry bounds the time after which a client is told to try again.
const maxRetry = 30 * time.Second

// refuse says when it is worth trying again: when those that wait now have been served,
// if they take as long as those before them.
func (s *slots) refuse(format string, args ...any) error {
	after := time.Duration(s.held.Load()) * time.Duration(s.waiting.Load()+1) / time.Duration(cap(s.free))
	return &crowdedError{string(s.class), fmt.Sprintf(format, args...), min(after, maxRetry)}
}

// A crowdedError refuses what could be answered another time.
type crowdedError struct {
	what    string // there is too much of, for the metrics: a class, or another of crowds
	message string
	after   time.Duration // until it is worth trying again; less than a second: a second
}

// The crowds besides the classes.
const (
	crowdVerify      = "verify"
	crowdEvents      = "events"
	crowdSession     = "session"
	crowdConnections = "connections"
	crowdProjects    = "projects"
)

// crowds are all that there can be too much of.
func crowds() []string {
	all := []string{crowdVerify, crowdEvents, crowdSession, crowdConnections, crowdProjects}
	for _, c := range classes() {
		all = append(all, string(c))
	}
	return all
}

// Error returns a sentence for the client.
func (e *crowdedError) Error() string { return e.message }

func crowdedf(what, format string, args ...any) error {
	return &crowdedError{what: what, message: fmt.Sprintf(format, args...)}
}
