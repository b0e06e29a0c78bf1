package parsing

import (
	"errors"
	"runtime"
	"sync"
	"time"
)

const (
	tries     = 4 // attempts to start a worker
	firstWait = 20 * time.Millisecond
)

// errClosed is the error of a caller that needs a worker after Close.
var errClosed = errors.New("parsing: closed")

// A set is the workers of one priority.
type set struct {
	pool  *Pool
	lower func()
	slots chan struct{} // a token for each worker at work

	mu      sync.Mutex
	idle    []*process // the one used last comes last
	asked   chan chan begun
	quit    chan struct{} // closed to end the starter; nil: there is none
	stopped chan struct{} // closed when it has ended
	closed  bool
}

// A begun is what became of a start.
type begun struct {
	process *process
	err     error
}

// take returns a worker that is idle, or a new one.
func (s *set) take() (*process, error) {
	wait := firstWait
	for try := 1; ; try++ {
		one, err := s.latest()
		if err == nil {
			if err = one.greet(); err == nil {
				return one, nil
			}
			s.pool.end(one)
		}
		if try == tries || errors.Is(err, errClosed) {
			return nil, err
		}
		time.Sleep(wait) // there may be no memory, process or descriptor just now
		wait *= 4
	}
}

// latest returns the worker that became idle last, or a new one.
func (s *set) latest() (*process, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		one := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return one, nil
	}
	s.mu.Unlock()
	return s.start()
}

// give takes a worker back whose text is done, unless it has grown too large.
func (s *set) give(one *process) {
	if one.sinceLook >= lookEvery {
		one.sinceLook = 0
		if most := s.pool.opt.Memory; most > 0 && one.memory.resident() > most {
			s.pool.replaced.Add(1)
			s.pool.end(one)
			return
		}
	}
	s.keep(one)
}

// keep makes a worker idle.
func (s *set) keep(one *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.pool.end(one)
		return
	}
	one.idle = time.Now()
	s.idle = append(s.idle, one)
}

// start starts a worker.
func (s *set) start() (*process, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errClosed
	}
	if s.quit == nil {
		s.asked, s.quit, s.stopped = make(chan chan begun), make(chan struct{}), make(chan struct{})
		go s.starter()
	}
	s.mu.Unlock()
	answer := make(chan begun, 1)
	select {
	case s.asked <- answer:
		b := <-answer
		return b.process, b.err
	case <-s.stopped:
		return nil, errClosed
	}
}

// starter starts workers, on one thread: they have its priority, and the kernel ends them
// when it ends. It also ends those that nobody needs any more.
func (s *set) starter() {
	defer close(s.stopped)
	runtime.LockOSThread() // and not unlocked: the thread ends with this function
	if s.lower != nil {
		s.lower()
	}
	look := time.NewTicker(idleTime / 2)
	defer look.Stop()
	for {
		select {
		case <-s.quit:
			return
		case answer := <-s.asked:
			one, err := s.pool.begin()
			answer <- begun{one, err}
		case now := <-look.C:
			s.trim(now.Add(-idleTime))
		}
	}
}

// trim ends the workers that have been idle since a time or longer, but for one: the next
// edit needs it.
func (s *set) trim(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.idle) > 1 && s.idle[0].idle.Before(since) {
		s.pool.end(s.idle[0])
		s.idle = s.idle[1:]
	}
}

// close ends the idle workers and the starter. Those at work end when they are given back.
func (s *set) close() {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	for _, one := range s.idle {
		s.pool.end(one)
	}
	s.idle = nil
	s.mu.Unlock()
	if s.quit != nil && !closed {
		close(s.quit)
		<-s.stopped
	}
}
