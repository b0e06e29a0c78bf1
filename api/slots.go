package api

import (
	"context"
	"errors"
	"sync/atomic"
)

// slots bound how many searches run at once. More would not finish sooner: a
// search keeps a processor busy. Those that find no slot wait in line, because
// clients of an agent take a refusal for a failure.
type slots struct {
	free    chan struct{}
	waiting atomic.Int64
	queue   int64
}

func newSlots(n, queue int) *slots {
	return &slots{free: make(chan struct{}, n), queue: int64(queue)}
}

// acquire takes a slot, to be given back with release. It fails with
// rate_limited when the line is too long, or ctx's deadline comes first.
func (s *slots) acquire(ctx context.Context) error {
	select {
	case s.free <- struct{}{}:
		return nil
	default:
	}
	if s.waiting.Add(1) > s.queue {
		s.waiting.Add(-1)
		return problemf(codeRateLimited, "%d searches are waiting already", s.queue)
	}
	defer s.waiting.Add(-1)
	select {
	case s.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return problemf(codeRateLimited, "no search slot became free in time")
		}
		return ctx.Err()
	}
}

func (s *slots) release() { <-s.free }
