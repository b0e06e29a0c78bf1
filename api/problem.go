package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/fault"
)

// status is the one map from an error's code to its HTTP status.
func status(code string) int {
	switch code {
	case wire.CodeInvalidRequest, wire.CodeInvalidPath, wire.CodeInvalidPattern:
		return http.StatusBadRequest
	case wire.CodeUnauthorized:
		return http.StatusUnauthorized
	case wire.CodeForbiddenOrigin, wire.CodeForbiddenRoot, wire.CodePermissionDenied:
		return http.StatusForbidden
	case wire.CodeNotFound, wire.CodeHandleExpired:
		return http.StatusNotFound
	case wire.CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case wire.CodeWrongProject:
		return http.StatusConflict
	case wire.CodeElsewhere: // another gateway answers: no client sees it
		return http.StatusMisdirectedRequest
	case wire.CodeNoVectors, wire.CodeNoReranker, wire.CodeNoFolder, wire.CodeUnsupportedLanguage, wire.CodeBinaryFile, wire.CodeFileTooLarge, wire.CodeNoLLM:
		return http.StatusUnprocessableEntity
	case wire.CodePayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case wire.CodeRateLimited:
		return http.StatusTooManyRequests
	case wire.CodeNoMemory, wire.CodeUnavailable:
		return http.StatusServiceUnavailable
	case wire.CodeTimeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// fail answers with the error. A client that has gone away gets nothing.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, c *exchange, err error) {
	s.explain(w, r, c, s.prepare(w, r, c, err))
}

// prepare says what a client is told about an error, and sets the headers that go with its
// code.
func (s *Server) prepare(w http.ResponseWriter, r *http.Request, c *exchange, err error) *wire.Problem {
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler)
	}
	p, after := s.classify(r.Context(), c, err)
	if after > 0 {
		w.Header().Set("Retry-After", retryAfter(after))
	}
	if p.Code == wire.CodeUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	return p
}

// classify counts an error, logs it as far as it is a fault of the server, and says when it
// is worth trying again; 0: it is not said.
func (s *Server) classify(ctx context.Context, c *exchange, err error) (p *wire.Problem, after time.Duration) {
	p = service.Classify(err)
	switch p.Code {
	case wire.CodeInternal:
		if panicked := (*fault.Error)(nil); errors.As(err, &panicked) {
			s.metrics.panics.Inc() // of a goroutine of the index
		}
		s.log.ErrorContext(ctx, "request failed", "endpoint", c.Endpoint, "request_id", c.ID, "err", err)
	case wire.CodeRateLimited:
		after = time.Second
		if crowded := (*slot.CrowdedError)(nil); errors.As(err, &crowded) {
			s.metrics.refused.WithLabelValues(crowded.What).Inc()
			after = max(after, crowded.After)
		}
	case wire.CodeNoMemory:
		after = time.Second
		if busy := (*BusyError)(nil); errors.As(err, &busy) {
			after = max(after, busy.After.Truncate(time.Second))
		}
	case wire.CodeUnavailable:
		after = time.Second
	}
	return p, after
}

func (s *Server) explain(w http.ResponseWriter, r *http.Request, c *exchange, p *wire.Problem) (size int64) {
	return s.write(w, r, c, status(p.Code), &wire.Problem{Code: p.Code, Message: p.Message, RequestID: c.ID})
}

// methodNotAllowed names the methods that the path has in the Allow header.
func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request, c *exchange) {
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		if s.router.Match(chi.NewRouteContext(), m, r.URL.Path) {
			w.Header().Add("Allow", m)
			if m == http.MethodGet {
				w.Header().Add("Allow", http.MethodHead)
			}
		}
	}
	s.fail(w, r, c, wire.Problemf(wire.CodeMethodNotAllowed, "the endpoint does not take this method"))
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request, c *exchange) {
	s.fail(w, r, c, wire.Problemf(wire.CodeNotFound, "there is no such endpoint"))
}
