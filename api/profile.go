package api

import (
	"net/http"
	"net/http/pprof"
	"net/netip"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/api/wire"
)

// profiles adds Go's own profiles. They are not in openapi.yaml: what they answer is no
// form of ours, and no client may rely on a server having them.
func (s *Server) profiles(r chi.Router) {
	get := func(path string, h http.HandlerFunc) { r.Get(path, s.handle(s.operators(s.nearby(h)))) }
	get("/debug/pprof/*", pprof.Index)
	get("/debug/pprof/cmdline", pprof.Cmdline)
	get("/debug/pprof/profile", pprof.Profile)
	get("/debug/pprof/symbol", pprof.Symbol)
	r.Post("/debug/pprof/symbol", s.handle(s.operators(s.nearby(pprof.Symbol))))
	get("/debug/pprof/trace", pprof.Trace)
}

// nearby refuses what does not come from this machine: a profile tells names of
// functions, and takes a processor. A proxy on this machine speaks for somebody else.
func (s *Server) nearby(next http.HandlerFunc) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		c.Lasts = true
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		handedOn := r.Header.Get("Forwarded") != "" || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Via") != ""
		if err != nil || !from.Addr().Unmap().IsLoopback() || handedOn {
			s.fail(w, r, c, wire.Problemf(wire.CodePermissionDenied, "profiles are for this machine only"))
			return
		}
		next(w, r)
	}
}
