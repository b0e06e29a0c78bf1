package parsing

import (
	"bytes"
	"slices"
	"time"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Bounds of the texts that are parsed aside, or wait there to be collected. While there is no
// room, who is impatient waits.
const (
	asidesFor  = 2       // for each worker that may be at work
	asideBytes = 2 << 20 // of text, unless there is one only: trees take some 16 times as much
)

// An aside is a text that took longer than somebody waits, and its tree.
type aside struct {
	attempt
	done   chan struct{} // closed when what follows is there
	nodes  []byte
	faulty bool
	fault  syntax.Fault
}

// aside returns the one that has the text of an attempt, nil if there is none.
func (p *Pool) aside(t *attempt) *aside {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.asides {
		// Keys are no proof: somebody may have made two texts for one key.
		if a.key == t.key && a.language == t.language && bytes.Equal(a.text, t.text) {
			return a
		}
	}
	return nil
}

// setAside has the pool go on with an attempt that is not finished. It does nothing and
// returns false where there is no room.
func (p *Pool) setAside(t *attempt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.hasRoom(len(t.text)) {
		i := slices.IndexFunc(p.asides, (*aside).over)
		if i < 0 {
			return false
		}
		p.asides = slices.Delete(p.asides, i, i+1) // nobody has collected it: the file has changed since
	}
	a := &aside{attempt: *t, done: make(chan struct{})}
	a.text = bytes.Clone(t.text)
	p.asides = append(p.asides, a)
	p.running.Go(func() {
		a.faulty, a.fault = a.run(0, func(nodes int) []byte {
			a.nodes = make([]byte, nodes*syntax.NodeSize)
			return a.nodes
		})
		if a.fault != syntax.NoFault { // the pool remembers it, or it passes
			p.drop(a)
		}
		close(a.done)
		a.finished()
	})
	return true
}

// hasRoom reports whether there is room aside for a text of so many bytes.
func (p *Pool) hasRoom(size int) bool {
	for _, a := range p.asides {
		size += len(a.text)
	}
	return len(p.asides) == 0 || len(p.asides) < asidesFor*p.opt.Size && size <= asideBytes
}

// drop forgets an aside.
func (p *Pool) drop(a *aside) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asides = slices.DeleteFunc(p.asides, func(o *aside) bool { return o == a })
}

// over reports whether its text is done.
func (a *aside) over() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// collect is Parse of a text that is parsed aside.
func (a *aside) collect(patience time.Duration, room func(int) []byte) (faulty bool, fault syntax.Fault) {
	if !a.over() {
		wait := time.NewTimer(patience)
		defer wait.Stop()
		select {
		case <-a.done:
		case <-wait.C:
			return false, syntax.Unfinished
		}
	}
	a.pool.drop(a)
	if a.fault == syntax.NoFault {
		copy(room(len(a.nodes)/syntax.NodeSize), a.nodes)
	}
	return a.faulty, a.fault
}
