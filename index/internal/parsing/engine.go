package parsing

import (
	"errors"
	"time"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

type engine struct {
	pool     *Pool
	set      *set
	patience time.Duration // 0: without end
	finished func()
}

func (e engine) Parse(language string, key syntax.TextKey, text []byte, room func(int) []byte) (faulty bool, fault syntax.Fault) {
	if fault := e.pool.Fault(key); fault != syntax.NoFault {
		return false, fault
	}
	t := attempt{engine: e, language: language, key: key, text: text}
	if e.patience > 0 {
		if a := e.pool.aside(&t); a != nil {
			return a.collect(e.patience, room)
		}
	}
	e.set.slots <- struct{}{}
	defer func() { <-e.set.slots }()
	faulty, fault = t.run(e.patience, room)
	if fault == syntax.Unfinished && !e.pool.setAside(&t) {
		return t.run(0, room)
	}
	return faulty, fault
}

// An attempt is a text that is being parsed.
type attempt struct {
	engine
	language string
	key      syntax.TextKey
	text     []byte
	worker   *process // which has the text; nil: none has
	deaths   int      // of new workers
}

// run has the text parsed. With a patience the fault may be Unfinished, and run goes on
// when it is called again.
func (t *attempt) run(patience time.Duration, room func(int) []byte) (faulty bool, fault syntax.Fault) {
	p := t.pool
	for {
		var err error
		if t.worker == nil {
			if t.worker, err = t.set.take(); err != nil {
				if !errors.Is(err, errClosed) {
					p.log.Error("no process can be started for parsing", "err", err)
				}
				return false, syntax.Unavailable
			}
			err = t.worker.ask(p.opt.Time, t.language, t.text)
		}
		if err == nil {
			faulty, err = t.worker.hear(p.opt.Time, patience, len(t.text), room)
		}
		if errors.Is(err, errSlow) {
			return false, syntax.Unfinished
		}
		one := t.worker
		t.worker = nil
		if err == nil {
			t.set.give(one)
			return faulty, syntax.NoFault
		}
		if errors.Is(err, errGaveUp) || errors.Is(err, errRefused) {
			t.set.give(one)
		} else {
			p.end(one)
		}
		if fault := t.blame(one, err); fault != syntax.NoFault {
			p.log.Warn("a text cannot be parsed", "language", t.language, "bytes", len(t.text), "fault", fault.String(), "said", one.last.first())
			p.Remember(t.key, fault)
			return false, fault
		}
	}
}

// blame says what is wrong with the text, by the error that a worker had with it; NoFault:
// perhaps nothing, and it is to be tried again.
func (t *attempt) blame(one *process, err error) syntax.Fault {
	p := t.pool
	switch {
	case errors.Is(err, errGaveUp), errors.Is(err, errLate):
		p.late.Add(1)
		return syntax.Late
	case errors.Is(err, errRefused):
		p.crashed.Add(1)
		return syntax.Crashed
	case one.served > 1:
		return syntax.NoFault // perhaps another text has ruined the worker
	case t.deaths+1 < mostDeaths:
		t.deaths++ // perhaps somebody has killed it
		return syntax.NoFault
	case errors.Is(err, errStuck):
		p.late.Add(1)
		return syntax.Late
	case errors.Is(err, errLarge), one.last.noMemory(), one.killed:
		p.memory.Add(1)
		return syntax.OutOfMemory
	}
	p.crashed.Add(1)
	return syntax.Crashed
}
