package api

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/web"
)

// statusGone stands in the metrics for requests that got no response, because
// the client went away.
const statusGone = 499

// A recorder remembers the status of a response.
type recorder struct {
	http.ResponseWriter
	status int // 0: nothing written yet
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// A handler answers an HTTP request, of which c is what the server knows.
type handler func(w http.ResponseWriter, r *http.Request, c *exchange)

// An exchange is a request at work, whatever way it came, with what it leaves for the log
// and the metrics. It goes from hand to hand.
type exchange struct {
	service.Call
	way  way
	asks bool // it has other endpoints answer, which are logged themselves
}

// standard is a handler that needs to know nothing of the exchange.
func standard(h http.Handler) handler {
	return func(w http.ResponseWriter, r *http.Request, _ *exchange) { h.ServeHTTP(w, r) }
}

// handle makes a handler one of the router: around it is all that every request has.
func (s *Server) handle(h handler) http.HandlerFunc {
	h = s.observe(s.uncrowd(s.crossOrigin(s.guard(h))))
	return func(w http.ResponseWriter, r *http.Request) {
		defer s.activity.asked(s, r.URL.Path)()
		h(w, r, &exchange{Call: service.Call{Endpoint: endpoint(r)}})
	}
}

// observe names each request, times it, counts it, and turns a panic into an
// error response.
func (s *Server) observe(next handler) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		if c.ID = r.Header.Get("X-Request-Id"); !saneID(c.ID) {
			c.ID = newID()
		}
		w.Header().Set("X-Request-Id", c.ID)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		ctx, end := s.count(r.Context(), c)
		r = r.WithContext(ctx)
		rec := &recorder{ResponseWriter: w}
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				s.panicked(ctx, c, p)
				if rec.status == 0 {
					p = nil
					s.explain(rec, r, c, &wire.Problem{Code: wire.CodeInternal, Message: "internal error"})
				} else { // half a response is out: the client must see that it is broken
					p = http.ErrAbortHandler
				}
			}
			if p != nil && rec.status == 0 {
				rec.status = statusGone
			}
			end(r.Method, rec.status, rec.bytes)
			if p != nil {
				panic(p)
			}
		}()
		next(rec, r, c)
	}
}

// newID returns an id for a request that came without one.
func newID() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// panicked logs and counts a panic.
func (s *Server) panicked(ctx context.Context, c *exchange, p any) {
	s.metrics.panics.Inc()
	s.log.ErrorContext(ctx, "panic", "endpoint", c.Endpoint, "request_id", c.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
}

// count begins to count and to time a request. end must be called.
func (s *Server) count(ctx context.Context, c *exchange) (_ context.Context, end func(method string, status int, size int64)) {
	start := time.Now()
	if s.opt.SlowQuery > 0 {
		ctx, c.Plan = answer.WithPlan(ctx)
	}
	s.metrics.inFlight.Inc()
	s.metrics.ways[c.way].Inc()
	return ctx, func(method string, status int, size int64) {
		s.metrics.inFlight.Dec()
		took := time.Since(start)
		s.metrics.endpoint(c.Endpoint).took(status, took.Seconds())
		if c.HadSlot {
			s.metrics.queue[c.Class].Observe(c.Waited.Seconds())
		}
		s.log.DebugContext(ctx, "request", "method", method, "endpoint", c.Endpoint, "status", status, "took", took, "request_id", c.ID)
		s.slow(ctx, c, status, size, took)
	}
}

// slow logs a request that has waited and worked for long: figures, and names that are the
// operator's, and nothing that a client has written or that a file holds. One without a slot
// counts from its beginning to its end; with one, a client that takes its time does not make
// it slow.
func (s *Server) slow(ctx context.Context, c *exchange, status int, size int64, took time.Duration) {
	counts := c.Waited + c.Worked
	if c.Class == "" {
		counts = took
	}
	if s.opt.SlowQuery <= 0 || counts < s.opt.SlowQuery || c.asks || c.Lasts {
		return
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "slow request",
		slog.String("endpoint", c.Endpoint), slog.String("request_id", c.ID), slog.String("project", c.Project),
		slog.String("class", string(c.Class)), slog.Duration("queue", c.Waited), slog.Duration("work", c.Worked), slog.Duration("total", took),
		slog.Int("status", status), slog.Int64("bytes", size), slog.Any("plan", c.Plan()))
}

// endpoint is the pattern of the route, never what the client sent: it labels
// metrics and logs.
func endpoint(r *http.Request) string {
	if c := chi.RouteContext(r.Context()); c != nil && strings.Trim(c.RoutePattern(), "/*") != "" {
		return c.RoutePattern()
	}
	return other
}

// saneID says whether a client's request id can stand in headers and logs.
func saneID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}

// guard keeps web pages out. A page can send requests to a loopback address in
// two ways: under its own name, which it makes resolve to that address, and then
// Host is its name; or across origins, and then the browser says so in Origin or
// Sec-Fetch-Site. Other clients send neither of the last two. The server's own page is
// let in, and a link of another site may lead to it: it holds nothing of the index.
func (s *Server) guard(next handler) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		if !s.allowedHost(r.Host) {
			s.fail(w, r, c, wire.Problemf(wire.CodeForbiddenOrigin, "the Host header does not name a loopback address"))
			return
		}
		if origins := r.Header.Values("Origin"); len(origins) > 0 {
			for _, o := range origins {
				if !slices.Contains(s.opt.AllowOrigins, o) && !s.own(o, r.Host) {
					s.fail(w, r, c, wire.Problemf(wire.CodeForbiddenOrigin, "the Origin is not allowed"))
					return
				}
			}
			if preflight(r) { // a browser asks whether it may ask, and shows no token; crossOrigin has answered
				w.WriteHeader(http.StatusNoContent)
				return
			}
		} else if site := r.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") && !leadsToPage(r) {
			s.fail(w, r, c, wire.Problemf(wire.CodeForbiddenOrigin, "requests from pages of other sites are not allowed"))
			return
		}
		who, err := s.authorize(r)
		if err == nil && asksProjects(r.URL.Path) {
			err = s.unready()
		}
		if err != nil && !openPath(r.URL.Path) && !isPage(r) {
			s.fail(w, r, c, err)
			return
		}
		if err != nil {
			who = identity.Nobody()
		}
		if who != nil {
			r = r.WithContext(identity.With(r.Context(), who))
		}
		next(w, r, c)
	}
}

// own reports whether an Origin is the server's own: that of the host which the request is sent
// to. That any Host is accepted makes no name the server's: a page can have one lead here.
func (s *Server) own(origin, host string) bool {
	scheme, of, _ := strings.Cut(origin, "://")
	return (scheme == "http" || scheme == "https") && strings.EqualFold(of, host) && (s.asksToken() || s.named(host))
}

// leadsToPage reports whether a browser opens the page as a document of its own, not in a frame.
func leadsToPage(r *http.Request) bool {
	return isPage(r) && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isPage reports whether a request is for the page or what leads to it, which are the same
// whatever is indexed.
func isPage(r *http.Request) bool {
	return r.URL.Path == "/" && web.WantsHTML(r) || strings.HasPrefix(r.URL.Path, web.Prefix)
}

func (s *Server) allowedHost(hostport string) bool {
	return s.asksToken() || slices.Contains(s.opt.AllowHosts, "*") || s.named(hostport)
}

// named reports whether a Host is a name of this machine, or one that the operator has named.
func (s *Server) named(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if host == "" || host == "localhost" { // empty in HTTP/1.0, which no browser speaks
		return true
	}
	if a, err := netip.ParseAddr(host); err == nil && a.Unmap().IsLoopback() {
		return true
	}
	return slices.ContainsFunc(s.opt.AllowHosts, func(h string) bool { return strings.EqualFold(h, host) })
}

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

// countWays returns a counter of requests for each way.
func countWays(in *prometheus.CounterVec) (all [ways]prometheus.Counter) {
	for w := range all {
		all[w] = in.WithLabelValues(way(w).String())
	}
	return all
}

// openPath reports whether a path is one of the two probes: a container's health check
// and a load balancer have no token to show. They say less without it.
func openPath(path string) bool { return path == "/health" || path == "/ready" }

// asksToken reports whether requests must show a token.
func (s *Server) asksToken() bool { return s.token != nil || s.opt.Identify != nil }

// trusts reports whether a request may know what the server serves.
func (s *Server) trusts(r *http.Request) bool {
	_, err := s.authorize(r)
	return err == nil
}

// authorize says who asks, nil where the server tells nobody apart, and refuses a request
// without a token, if there is one.
func (s *Server) authorize(r *http.Request) (*identity.Identity, error) {
	if !s.asksToken() {
		return nil, nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	switch {
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		return nil, wire.Problemf(wire.CodeUnauthorized, "the server asks for a token: Authorization: Bearer TOKEN")
	case s.token.Is(token):
		return identity.Operator(), nil
	case s.opt.Identify != nil:
		return s.opt.Identify(r.Context(), token)
	}
	return nil, wire.Problemf(wire.CodeUnauthorized, "the token is not the server's")
}

// operators keeps a handler to those who may know what the server does for everybody.
func (s *Server) operators(next handler) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		if !identity.Of(r.Context()).Operates() {
			s.fail(w, r, c, wire.Problemf(wire.CodePermissionDenied, "this is for operators only"))
			return
		}
		next(w, r, c)
	}
}

// What pages of other origins may send, and what they may read of an answer.
var (
	crossMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}
	crossHeaders = []string{"Accept", "Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "Mcp-Protocol-Version", "Mcp-Session-Id", "Origin", "X-Agent-Id", "X-Request-Id", "X-Session-Id"}
	crossReads   = []string{"ETag", "Retry-After", "Server-Timing", "X-Index-Generation", "X-Request-Id", headerMatches, headerIgnored}
)

// crossOrigin says in the headers of answers that pages of some origins may read them, as
// the Fetch standard has it. What comes from elsewhere the guard refuses. A browser is never
// told to send what it keeps for this server by itself (cookies): a page has to know the
// token, if there is one. A preflight goes on to the guard, which also looks at Host.
func (s *Server) crossOrigin(next handler) handler {
	origins := s.opt.AllowOrigins
	if len(origins) == 0 {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		h, origin := w.Header(), r.Header.Get("Origin")
		h.Add("Vary", "Origin")
		known := origin != "" && slices.Contains(origins, strings.ToLower(origin))
		if preflight(r) {
			h.Add("Vary", "Access-Control-Request-Method")
			h.Add("Vary", "Access-Control-Request-Headers")
			if known {
				allow(h, r, origin)
			}
		} else if known && slices.Contains(crossMethods, r.Method) {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Expose-Headers", strings.Join(crossReads, ", "))
		}
		next(w, r, c)
	}
}

// allow answers a preflight, if everything that it asks for is allowed.
func allow(h http.Header, r *http.Request, origin string) {
	method := strings.ToUpper(r.Header.Get("Access-Control-Request-Method"))
	if !slices.Contains(crossMethods, method) {
		return
	}
	var headers []string
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		if name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name == "" {
			continue
		}
		if !slices.ContainsFunc(crossHeaders, func(h string) bool { return strings.EqualFold(h, name) }) {
			return
		}
		headers = append(headers, name)
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Methods", method)
	if len(headers) > 0 {
		h.Set("Access-Control-Allow-Headers", strings.Join(headers, ", "))
	}
	h.Set("Access-Control-Max-Age", "600") // seconds
}

// preflight reports whether a browser asks what it may ask.
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}
