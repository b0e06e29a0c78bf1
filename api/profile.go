package api

import (
	"net/http"
	"net/http/pprof"
	"net/netip"

	"github.com/go-chi/chi/v5"
)

// profiles adds Go's own profiles. They are not in openapi.yaml: what they answer is no
// form of ours, and no client may rely on a server having them.
func (s *Server) profiles(r chi.Router) {
	r = r.With(nearby(s))
	r.Get("/debug/pprof/*", pprof.Index)
	r.Get("/debug/pprof/cmdline", pprof.Cmdline)
	r.Get("/debug/pprof/profile", pprof.Profile)
	r.Get("/debug/pprof/symbol", pprof.Symbol)
	r.Post("/debug/pprof/symbol", pprof.Symbol)
	r.Get("/debug/pprof/trace", pprof.Trace)
}

// nearby refuses what does not come from this machine: a profile tells names of
// functions, and takes a processor. A proxy on this machine speaks for somebody else.
func nearby(s *Server) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			trailOf(r.Context()).lasts = true
			from, err := netip.ParseAddrPort(r.RemoteAddr)
			handedOn := r.Header.Get("Forwarded") != "" || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Via") != ""
			if err != nil || !from.Addr().Unmap().IsLoopback() || handedOn || fromInside(r) {
				s.fail(w, r, problemf(codePermissionDenied, "profiles are for this machine only"))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
