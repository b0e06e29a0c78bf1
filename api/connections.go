package api

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"

	"golang.org/x/net/netutil"
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
func (s *Server) uncrowd(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(lateKey{}) != nil {
			w.Header().Set("Connection", "close")
			if !probes(r.URL.Path) && !fromInside(r) {
				s.fail(w, r, crowdedf(crowdConnections, "%d connections are open already", s.limits.Connections))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
