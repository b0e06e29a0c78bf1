package host

import (
	"context"
	"errors"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index/answer"
)

// Projects of Options.Snapshot have names in place of roots.

// Know makes a project known, or says how it is while it is not in memory.
func (h *Host) Know(name string, files, chunks int, indexed bool) error {
	p, _, err := h.enter(name, name, nil)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.live == nil {
		p.last = answer.State{State: answer.Ready, Progress: 1, Freshness: answer.Unknown, Root: name, Files: files, Chunks: chunks}
		if !indexed {
			p.last.State, p.last.Progress = answer.Indexing, 0
		}
	}
	return nil
}

// Drop takes a project out. Requests that use it have a while to end.
func (h *Host) Drop(ctx context.Context, name string) error {
	p, err := h.taken(ctx, name)
	if p == nil || err != nil {
		return err
	}
	defer p.give()
	h.leave(ctx, p)
	return nil
}

// taken takes a project, for whoever gives it back; nil if there is none of the name.
func (h *Host) taken(ctx context.Context, name string) (*project, error) {
	h.mu.Lock()
	p := h.find(name)
	h.mu.Unlock()
	if p == nil {
		return nil, nil
	}
	return p, p.take(ctx)
}

// Loaded returns the names of the projects that are in memory.
func (h *Host) Loaded() (names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.projects {
		if p.live != nil {
			names = append(names, p.name)
		}
	}
	return names
}

// replaceTime is how long what was replaced waits for requests that use it: as long as one
// may take.
const replaceTime = 30 * time.Second

// Replace has a project that is in memory answer from what Open returns now. Requests that have begun
// end with what they began with, and those that come meanwhile are answered from it, too.
// Where there is no room for both, the project leaves the memory until the next request.
func (h *Host) Replace(ctx context.Context, name string) error {
	p, err := h.taken(ctx, name)
	if p == nil || err != nil {
		return err
	}
	defer p.give()
	h.mu.Lock()
	old, gone := p.live, p.gone || h.ended
	h.mu.Unlock()
	if old == nil || gone {
		return nil
	}
	err = h.makeRoom(p)
	if busy := (*api.BusyError)(nil); errors.As(err, &busy) && h.putAway(p) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := h.open(ctx, p, ""); err != nil {
		return err
	}
	h.mu.Lock()
	p.work = p.work.Add(old.x.Work())
	h.mu.Unlock()
	h.drain(ctx, old, replaceTime)
	old.end()
	return nil
}
