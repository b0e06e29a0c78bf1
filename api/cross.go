package api

import (
	"net/http"
	"slices"
	"strings"
)

// What pages of other origins may send, and what they may read of an answer.
var (
	crossMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}
	crossHeaders = []string{"Accept", "Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "Mcp-Protocol-Version", "Mcp-Session-Id", "Origin", "X-Agent-Id", "X-Request-Id", "X-Session-Id"}
	crossReads   = []string{"ETag", "Retry-After", "Server-Timing", "X-Index-Generation", "X-Request-Id", headerMatches}
)

// crossOrigin says in the headers of answers that pages of some origins may read them, as
// the Fetch standard has it. What comes from elsewhere the guard refuses. A browser is never
// told to send what it keeps for this server by itself (cookies): a page has to know the
// token, if there is one. A preflight goes on to the guard, which also looks at Host.
func crossOrigin(origins []string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			next.ServeHTTP(w, r)
		})
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
