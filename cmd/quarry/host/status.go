package host

import (
	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/watcher"
)

// watcherStatus returns what a watcher says, as /status shows it.
func watcherStatus(s watcher.Status) *wire.Watcher {
	return &wire.Watcher{
		Mode: string(s.Mode), Reason: s.Reason, Watches: s.Watches, Polled: s.Polled, Limit: s.Limit, Granted: s.Granted,
		Events: int(s.Events), Batches: int(s.Batches), Failures: int(s.Failures), Overflows: int(s.Overflows),
		LastEvent: s.LastEvent, LastError: s.LastError,
	}
}

// Departed returns the work of projects that are gone, which List does not have.
func (h *Host) Departed() answer.Work {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.departed
}

// WatcherCounters returns what the watchers of all projects have counted since the Host
// was made, by name.
func (h *Host) WatcherCounters() map[string]uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	sum := h.watched
	for _, p := range h.projects {
		if p.live != nil && p.live.w != nil {
			sum = sum.add(p.live.w.Status())
		}
	}
	return map[string]uint64{"events": sum.events, "batches": sum.batches, "failures": sum.failures, "overflows": sum.overflows}
}

// Watches returns how many folders of all projects are watched and polled now, how many
// may be watched, and how many the kernel grants.
func (h *Host) Watches() api.Watches {
	h.mu.Lock()
	defer h.mu.Unlock()
	var sum api.Watches
	for _, p := range h.projects {
		if p.live == nil || p.live.w == nil {
			continue
		}
		s := p.live.w.Status()
		sum.Watched, sum.Polled = sum.Watched+s.Watches, sum.Polled+s.Polled
		sum.Limit, sum.Granted = max(sum.Limit, s.Limit), max(sum.Granted, s.Granted)
	}
	return sum
}

// counts are what watchers have counted.
type counts struct{ events, batches, failures, overflows uint64 }

func (c counts) add(s watcher.Status) counts {
	return counts{c.events + s.Events, c.batches + s.Batches, c.failures + s.Failures, c.overflows + s.Overflows}
}
