package parsing

import (
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

const (
	idleTime  = 20 * time.Second // a worker that nobody needed for so long ends, but for the last
	lookEvery = 256 << 10        // bytes of text between two looks at a worker's memory
	maxFaults = 1 << 14          // texts that are remembered as faulty
	// mostDeaths is how many new workers a text must end before it is to blame: whoever
	// kills one, such as the system for want of memory, seldom hits the same text again.
	mostDeaths = 3
)

// Options configure a Pool.
type Options struct {
	Command []string      // a program, and arguments with which it calls Serve; required
	Size    int           // workers at work at once, of each priority; 0: one for each processor
	Time    time.Duration // processor time that a text may take; 0: two seconds; the parsers give up by themselves before
	Memory  int64         // bytes with which a worker is replaced when its text is done; 0: any
	Lower   func()        // lowers the priority of the calling thread; nil: there is one priority
	Logger  *slog.Logger  // nil: nothing is logged
}

// A Pool starts workers as they are needed, keeps them, and replaces them. It is safe for
// concurrent use.
type Pool struct {
	opt  Options
	log  *slog.Logger
	sets [2]set // of usual and of low priority

	mu     sync.Mutex
	faults map[syntax.TextKey]syntax.Fault
	oldest []syntax.TextKey // keys of faults, in order
	live   map[*process]struct{}
	asides []*aside // the oldest first

	running sync.WaitGroup // for each aside that is not done

	started, crashed, late, memory, replaced atomic.Uint64
}

// Counts say what has happened to workers and texts since the pool was made.
type Counts struct {
	Live                  int    // workers that there are now
	Started               uint64 // workers
	Replaced              uint64 // workers that had too much memory when their text was done
	Crashed, Late, Memory uint64 // texts, by their fault
	Resident              int64  // bytes of memory that the workers have now, what they share left out
}

// NewPool returns a Pool without workers. Close must be called when no Engine of it is
// used any more.
func NewPool(opt Options) *Pool {
	if opt.Size <= 0 {
		opt.Size = runtime.NumCPU()
	}
	if opt.Time <= 0 {
		opt.Time = 2 * time.Second
	}
	p := &Pool{opt: opt, log: opt.Logger, faults: map[syntax.TextKey]syntax.Fault{}, live: map[*process]struct{}{}}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	for i, lower := range []func(){nil, opt.Lower} {
		s := &p.sets[i]
		s.pool, s.lower, s.slots = p, lower, make(chan struct{}, opt.Size)
	}
	return p
}

// Close ends all workers, and waits for those that still parse texts aside.
func (p *Pool) Close() {
	for i := range p.sets {
		p.sets[i].close()
	}
	p.mu.Lock()
	for one := range p.live {
		endGroup(one.cmd.Process)
	}
	p.mu.Unlock()
	p.running.Wait()
}

// Engine returns an Engine for Parsers: of low priority for those that work in the
// background.
func (p *Pool) Engine(low bool) syntax.Engine { return engine{pool: p, set: p.set(low)} }

// Impatient is Engine for a caller that would rather go on than wait long for one text. The
// fault of a text that takes longer than patience is Unfinished. It is parsed aside,
// finished is called when that is done, and the next call returns the outcome.
func (p *Pool) Impatient(low bool, patience time.Duration, finished func()) syntax.Engine {
	return engine{p, p.set(low), patience, finished}
}

func (p *Pool) set(low bool) *set {
	if low && p.opt.Lower != nil {
		return &p.sets[1]
	}
	return &p.sets[0]
}

// Warm starts workers ahead until there are n. It does not wait for them.
func (p *Pool) Warm(n int, low bool) {
	s := p.set(low)
	s.mu.Lock()
	n = min(n, p.opt.Size) - len(s.idle) - len(s.slots)
	s.mu.Unlock()
	for range n {
		one, err := s.start()
		if err != nil {
			return // whoever needs one will try again
		}
		s.keep(one)
	}
}

// Counts returns what has happened so far.
func (p *Pool) Counts() Counts {
	c := Counts{
		Started: p.started.Load(), Replaced: p.replaced.Load(),
		Crashed: p.crashed.Load(), Late: p.late.Load(), Memory: p.memory.Load(),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.Live = len(p.live)
	for one := range p.live {
		c.Resident += one.memory.resident()
	}
	return c
}

// begin starts a worker; see start.
func (p *Pool) begin() (*process, error) {
	one, err := start(p.opt.Command)
	if err != nil {
		return nil, err
	}
	p.started.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live[one] = struct{}{}
	return one, nil
}

// end ends a worker.
func (p *Pool) end(one *process) {
	p.mu.Lock()
	delete(p.live, one)
	p.mu.Unlock()
	one.kill()
}

// Fault returns the remembered fault of a text.
func (p *Pool) Fault(key syntax.TextKey) syntax.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faults[key]
}

// Remember makes the pool answer a text with a fault from now on, without another attempt.
func (p *Pool) Remember(key syntax.TextKey, fault syntax.Fault) {
	if fault == syntax.NoFault || fault.Passes() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.faults[key]; !known {
		if len(p.oldest) == maxFaults {
			delete(p.faults, p.oldest[0])
			p.oldest = p.oldest[1:]
		}
		p.oldest = append(p.oldest, key)
	}
	p.faults[key] = fault
}
