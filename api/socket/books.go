package socket

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quarry-search/quarry/index/tokens"
)

// Bounds of what is counted. Nothing of it outlives the server.
const (
	maxHooks    = 1000
	maxSessions = 1000
	maxMetrics  = 100 // of a hook
	sessionName = 8   // characters of a session's name that count, as in llm-tldr
)

// books count what clients have asked and told. They are safe for concurrent use.
type books struct {
	mu            sync.Mutex
	requests      int
	invalidations int
	hooks         map[string]*hook
	sessions      map[string]*session
}

// A hook is a program that reports what it has done.
type hook struct {
	invocations, successes int
	metrics                map[string]float64 // sums
	began                  time.Time
}

// A session is a client that has said its name.
type session struct {
	requests    int
	raw, answer int // tokens of the files as they are, and of the answers
	began, last time.Time
}

func (b *books) request() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests++
}

func (b *books) invalidated(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.invalidations += n
}

// track counts a run of a hook, and returns all runs of it; false when there are too
// many hooks for one more.
func (b *books) track(name string, success bool, metrics fields) (total int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.hooks[name]
	if h == nil {
		if len(b.hooks) == maxHooks {
			return 0, false
		}
		if b.hooks == nil {
			b.hooks = map[string]*hook{}
		}
		h = &hook{metrics: map[string]float64{}, began: time.Now()}
		b.hooks[name] = h
	}
	h.invocations++
	if success {
		h.successes++
	}
	for name := range metrics {
		v, ok := metrics.float(name)
		if _, had := h.metrics[name]; ok && (had || len(h.metrics) < maxMetrics) {
			h.metrics[name] += v
		}
	}
	return h.invocations, true
}

// told counts what a session was told, and what that would have cost as it is.
func (b *books) told(name string, raw int, text string) {
	if name == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sessions == nil {
		b.sessions = map[string]*session{}
	}
	name = short(name)
	s := b.sessions[name]
	if s == nil {
		if len(b.sessions) == maxSessions { // the one that has been quiet for the longest goes
			quiet := ""
			for n, o := range b.sessions {
				if quiet == "" || o.last.Before(b.sessions[quiet].last) {
					quiet = n
				}
			}
			delete(b.sessions, quiet)
		}
		s = &session{began: time.Now()}
		b.sessions[name] = s
	}
	s.requests++
	s.raw += raw
	s.answer += tokens.Estimate(text)
	s.last = time.Now()
}

func short(name string) string {
	if r := []rune(name); len(r) > sessionName {
		return string(r[:sessionName])
	}
	return name
}

// A reading is what the books say, in llm-tldr's words.
type reading struct {
	invalidations int
	session       any // of the one asked for; nil: it is not known
	sessions      fields
	hooks         fields
}

func (b *books) read(name string) reading {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := reading{invalidations: b.invalidations, hooks: fields{}}
	if s := b.sessions[short(name)]; s != nil && name != "" {
		saved := 0.0
		if s.raw > 0 {
			saved = 100 * float64(s.raw-s.answer) / float64(s.raw)
		}
		r.session = fields{
			"session_id": short(name), "raw_tokens": s.raw, "tldr_tokens": s.answer, "requests": s.requests, "savings_tokens": s.raw - s.answer,
			"savings_percent": saved, "timestamp": s.last.Format(time.RFC3339), "started_at": s.began.Format(time.RFC3339),
		}
	}
	raw, answer := 0, 0
	for _, s := range b.sessions {
		raw, answer = raw+s.raw, answer+s.answer
	}
	ids := slices.Sorted(maps.Keys(b.sessions))
	if ids == nil {
		ids = []string{}
	}
	r.sessions = fields{
		"active_sessions": len(ids), "total_raw_tokens": raw, "total_tldr_tokens": answer, "total_requests": b.requests, "session_ids": ids,
	}
	for name, h := range b.hooks {
		r.hooks[name] = fields{
			"hook_name": name, "invocations": h.invocations, "successes": h.successes, "failures": h.invocations - h.successes,
			"success_rate": 100 * float64(h.successes) / float64(h.invocations), "metrics": maps.Clone(h.metrics),
			"started_at": h.began.Format(time.RFC3339),
		}
	}
	return r
}
