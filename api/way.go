package api

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// A way is one by which requests come, for /metrics. A request to /mcp, /rpc or /relay
// comes by HTTP, and what it asks the other endpoints for comes by its own way.
type way int

const (
	wayHTTP way = iota
	waySocket
	wayMCP
	wayRPC
	wayRelay
	ways
)

func (w way) String() string { return [ways]string{"http", "socket", "mcp", "rpc", "relay"}[w] }

// wayKey finds it in a request's context.
type wayKey struct{}

func by(ctx context.Context, w way) context.Context { return context.WithValue(ctx, wayKey{}, w) }

func wayOf(ctx context.Context) way {
	w, _ := ctx.Value(wayKey{}).(way)
	return w
}

// countWays returns a counter of requests for each way.
func countWays(in *prometheus.CounterVec) (all [ways]prometheus.Counter) {
	for w := range all {
		all[w] = in.WithLabelValues(way(w).String())
	}
	return all
}

// A SocketAsker asks a Server on behalf of clients on Unix sockets: see Server.Ask.
type SocketAsker struct{ s *Server }

// Socket returns what answers the requests that come on Unix sockets.
func (s *Server) Socket() SocketAsker { return SocketAsker{s} }

// Ask is Server.Ask.
func (a SocketAsker) Ask(ctx context.Context, endpoint string, fields map[string]any) (status int, body []byte, err error) {
	return a.s.Ask(by(ctx, waySocket), endpoint, fields)
}
