package api

import (
	"net/http"

	"github.com/go-chi/cors"
)

// crossOrigin says in the headers of answers that pages of some origins may read them. What
// comes from elsewhere the guard refuses. A browser is never told to send what it keeps for
// this server by itself (cookies): a page has to know the token, if there is one.
func crossOrigin(origins []string) func(http.Handler) http.Handler {
	return cors.Handler(cors.Options{
		AllowedOrigins:     origins,
		AllowedMethods:     []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete},
		AllowedHeaders:     []string{"Accept", "Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "Mcp-Protocol-Version", "Mcp-Session-Id", "X-Agent-Id", "X-Request-Id", "X-Session-Id"},
		ExposedHeaders:     []string{"ETag", "Retry-After", "Server-Timing", "X-Index-Generation", "X-Request-Id", headerMatches},
		MaxAge:             600,  // seconds
		OptionsPassthrough: true, // to the guard, which also looks at Host
	})
}

// preflight reports whether a browser asks what it may ask.
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}
