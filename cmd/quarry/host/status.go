package host

import (
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/watcher"
)

// WatcherStatus is how /status shows a watcher.
type WatcherStatus struct {
	Mode      watcher.Mode `json:"mode"`
	Reason    string       `json:"reason,omitempty"`
	Watches   int          `json:"watches"`
	Polled    int          `json:"polled"`
	Limit     int          `json:"limit"`   // of Watches; 0: not known
	Granted   int          `json:"granted"` // by the kernel, to all programs of a user; 0: not known
	Events    uint64       `json:"events"`
	Batches   uint64       `json:"batches"`
	Failures  uint64       `json:"failures"`
	Overflows uint64       `json:"overflows"`
	LastEvent *time.Time   `json:"last_event"`
	LastError string       `json:"last_error,omitempty"`
}

// NewWatcherStatus returns what a watcher says, in that form.
func NewWatcherStatus(s watcher.Status) WatcherStatus {
	out := WatcherStatus{
		Mode: s.Mode, Reason: s.Reason, Watches: s.Watches, Polled: s.Polled, Limit: s.Limit, Granted: s.Granted,
		Events: s.Events, Batches: s.Batches, Failures: s.Failures, Overflows: s.Overflows,
		LastError: s.LastError,
	}
	if !s.LastEvent.IsZero() {
		out.LastEvent = &s.LastEvent
	}
	return out
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
		if p.live != nil {
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
		if p.live == nil {
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
