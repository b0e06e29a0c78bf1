package slot

import (
	"context"
	"slices"
	"testing"
	"time"
)

// Those that wait are served in the order in which they came, and one that has gone holds
// nobody up.
func TestSlotsInOrder(t *testing.T) {
	s := New(Heavy, 1, 64)
	if err := s.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	order := make(chan int, 20)
	gone, leave := context.WithCancel(t.Context())
	for i := range 20 {
		ctx := t.Context()
		if i%5 == 2 {
			ctx = gone
		}
		go func() {
			if err := s.Acquire(ctx); err != nil {
				order <- -1
				return
			}
			order <- i
			s.Release(0)
		}()
		for s.waiting.Load() != int64(i+1) {
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(2 * time.Millisecond) // between the count and the line
	}
	leave()
	for range 4 {
		if i := <-order; i != -1 {
			t.Errorf("%d had a slot that was not free", i)
		}
	}
	s.Release(0)
	var got []int
	for range 16 {
		got = append(got, <-order)
	}
	if !slices.IsSorted(got) || slices.Contains(got, -1) {
		t.Errorf("the order was %v", got)
	}
}

// A refusal says when it is worth trying again.
func TestRetryAfter(t *testing.T) {
	s := New(Cheap, 2, 0)
	for range 100 {
		for range 2 {
			if err := s.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s.Release(5 * time.Second)
		s.Release(5 * time.Second)
	}
	for range 2 {
		if err := s.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var e *CrowdedError
	if err := s.Acquire(t.Context()); !asCrowded(err, &e) || e.After < 2*time.Second || e.After > 3*time.Second || e.What != "cheap" {
		t.Errorf("%+v", e)
	}
	s.Release(time.Hour * 1000)
	s.Release(0)
	s.free <- struct{}{}
	s.free <- struct{}{}
	if err := s.Acquire(t.Context()); !asCrowded(err, &e) || e.After != maxRetry {
		t.Errorf("%+v", e)
	}
}

func asCrowded(err error, e **CrowdedError) (ok bool) {
	*e, ok = err.(*CrowdedError)
	return ok
}
