package api

import (
	"context"
	"net"
	"net/http"

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

// countConnections keeps the number of a server's open connections.
func (s *Server) countConnections(hs *http.Server) {
	hs.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		if s.connections.Add(1) > int64(s.limits.Connections) {
			return context.WithValue(ctx, lateKey{}, true)
		}
		return ctx
	}
	hs.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed || state == http.StateHijacked {
			s.connections.Add(-1)
		}
	}
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
