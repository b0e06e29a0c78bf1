package api

import (
	"net/http"
	"sync/atomic"
	"time"
)

// activity says when the server was last asked something.
type activity struct {
	running atomic.Int64 // requests, streams of events among them
	last    atomic.Int64 // nanoseconds after the start of the server
}

// probes are the paths that are asked by whatever looks after the server, not by clients
// that need it.
func probes(path string) bool { return path == "/health" || path == "/ready" || path == "/metrics" }

// Idle returns how long nobody has asked the server anything, but how it is: with
// /health, /ready and /metrics. While a request or a stream of events runs that is 0.
func (s *Server) Idle() time.Duration {
	if s.activity.running.Load() > 0 {
		return 0
	}
	return max(time.Since(s.started)-time.Duration(s.activity.last.Load()), 0)
}

// active keeps the books for Idle.
func (s *Server) active(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !probes(r.URL.Path) {
			s.activity.running.Add(1)
			defer func() {
				s.activity.last.Store(int64(time.Since(s.started)))
				s.activity.running.Add(-1)
			}()
		}
		next.ServeHTTP(w, r)
	})
}
