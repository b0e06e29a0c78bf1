package api

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/quarry-search/quarry/api/slot"
)

// spareConnections is how many connections beyond Limits.Connections are accepted, to be
// answered 429 or, where they ask how the server is, as ever. More wait in the system's
// queue: they take no descriptor.
const spareConnections = 64

// lateKey marks the context of a connection that is one too many.
type lateKey struct{}

// bounded bounds the connections of a listener.
func (s *Server) bounded(l net.Listener) net.Listener {
	return netutil.LimitListener(l, s.limits.Connections+spareConnections)
}

// A connTable is the open connections of a server. Where there are too many, the one on
// which nothing has gone on for the longest gives way to a new one: who opens connections
// and asks nothing keeps nobody out. The zero value is an empty one.
type connTable struct {
	mu    sync.Mutex
	open  map[net.Conn]*list.Element // its place in quiet; nil: a request runs on it, or begins
	quiet list.List                  // net.Conn, between two requests or before the first, the longest first
}

// count returns how many are open.
func (t *connTable) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// add takes a new connection. Where there are more than most it closes quiet ones; late
// says that there are none.
func (t *connTable) add(c net.Conn, most int) (late bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.open) >= most {
		e := t.quiet.Front()
		if e == nil {
			late = true
			break
		}
		oldest := t.quiet.Remove(e).(net.Conn)
		delete(t.open, oldest)
		if over, ok := oldest.(*tls.Conn); ok { // without the farewell, which may have to wait
			oldest = over.NetConn()
		}
		_ = oldest.Close()
	}
	if t.open == nil {
		t.open = map[net.Conn]*list.Element{}
	}
	t.open[c] = t.quiet.PushBack(c)
	return late
}

// becomes keeps the books when a connection's state changes.
func (t *connTable) becomes(c net.Conn, state http.ConnState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, known := t.open[c]
	if !known || state == http.StateNew {
		return // it has given way, or add has taken it
	}
	if e != nil {
		t.quiet.Remove(e)
	}
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(t.open, c)
	case http.StateIdle:
		t.open[c] = t.quiet.PushBack(c)
	default:
		t.open[c] = nil
	}
}

// countConnections keeps the table of a server's connections.
func (s *Server) countConnections(hs *http.Server) {
	hs.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if s.connections.add(c, s.limits.Connections) {
			return context.WithValue(ctx, lateKey{}, true)
		}
		return ctx
	}
	hs.ConnState = s.connections.becomes
}

// uncrowd refuses what comes on a connection that is one too many, and has it closed.
func (s *Server) uncrowd(next handler) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		if r.Context().Value(lateKey{}) != nil {
			w.Header().Set("Connection", "close")
			if !probes(r.URL.Path) {
				s.fail(w, r, c, slot.Crowdedf(slot.CrowdConnections, "%d connections are open already", s.limits.Connections))
				return
			}
		}
		next(w, r, c)
	}
}

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

// asked keeps the books for Idle; what it returns is called when the request has ended.
func (a *activity) asked(s *Server, path string) func() {
	if probes(path) {
		return func() {}
	}
	a.running.Add(1)
	return func() {
		a.last.Store(int64(time.Since(s.started)))
		a.running.Add(-1)
	}
}
