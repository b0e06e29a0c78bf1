package api

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
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

// observe names each request, times it, counts it, and turns a panic into an
// error response.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		ctx, t := s.withTrail(r.Context(), func() string {
			if id := r.Header.Get("X-Request-Id"); saneID(id) {
				return id
			}
			return fmt.Sprintf("%016x", rand.Uint64())
		})
		r = r.WithContext(ctx)
		id := t.id
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")

		rec := &recorder{ResponseWriter: w}
		s.metrics.inFlight.Inc()
		s.metrics.ways[wayOf(r.Context())].Inc()
		defer func() {
			s.metrics.inFlight.Dec()
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				s.metrics.panics.Inc()
				s.log.ErrorContext(r.Context(), "panic", "endpoint", endpoint(r), "request_id", id,
					"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if rec.status == 0 {
					p = nil
					s.explain(rec, r, problem{codeInternal, "internal error"})
				} else { // half a response is out: the client must see that it is broken
					p = http.ErrAbortHandler
				}
			}
			if p != nil && rec.status == 0 {
				rec.status = statusGone
			}
			took := time.Since(start)
			s.metrics.endpoint(r).took(rec.status, took.Seconds())
			s.log.DebugContext(r.Context(), "request", "method", r.Method, "endpoint", endpoint(r),
				"status", rec.status, "took", took, "request_id", id)
			s.slow(r.Context(), t, endpoint(r), rec.status, rec.bytes, took)
			if p != nil {
				panic(p)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// answering has background work give way while a request is answered from an index.
func (s *Server) answering(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer s.opt.Throttle.Answer()()
		next(w, r)
	}
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
// Sec-Fetch-Site. Other clients send neither of the last two.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fromInside(r) {
			next.ServeHTTP(w, r)
			return
		}
		if !s.allowedHost(r.Host) {
			s.fail(w, r, problemf(codeForbiddenOrigin, "the Host header does not name a loopback address"))
			return
		}
		if origins := r.Header.Values("Origin"); len(origins) > 0 {
			for _, o := range origins {
				if !slices.Contains(s.opt.AllowOrigins, o) {
					s.fail(w, r, problemf(codeForbiddenOrigin, "the Origin is not allowed"))
					return
				}
			}
			if preflight(r) { // a browser asks whether it may ask, and shows no token; crossOrigin has answered
				w.WriteHeader(http.StatusNoContent)
				return
			}
		} else if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			s.fail(w, r, problemf(codeForbiddenOrigin, "requests from pages of other sites are not allowed"))
			return
		}
		if err := s.authorize(r); err != nil && !openPath(r.URL.Path) {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) allowedHost(hostport string) bool {
	if s.token != nil {
		return true
	}
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
	for _, h := range s.opt.AllowHosts {
		if h == "*" || strings.EqualFold(h, host) {
			return true
		}
	}
	return false
}
