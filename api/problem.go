package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/search"

	"github.com/quarry-search/quarry/index"
)

// The codes of errors, as clients see them.
const (
	codeInvalidRequest   = "invalid_request"
	codeInvalidPath      = "invalid_path"
	codeInvalidPattern   = "invalid_pattern"
	codeUnauthorized     = "unauthorized"
	codeForbiddenOrigin  = "forbidden_origin"
	codeForbiddenRoot    = "forbidden_root"
	codePermissionDenied = "permission_denied"
	codeNotFound         = "not_found"
	codeHandleExpired    = "handle_expired"
	codeMethodNotAllowed = "method_not_allowed"
	codeWrongProject     = "wrong_project"
	codeNoVectors        = "no_vectors"
	codeUnsupported      = "unsupported_language"
	codeBinaryFile       = "binary_file"
	codeFileTooLarge     = "file_too_large"
	codeNoLLM            = "no_llm"
	codePayloadTooLarge  = "payload_too_large"
	codeRateLimited      = "rate_limited"
	codeNoMemory         = "no_memory"
	codeUnavailable      = "unavailable"
	codeInternal         = "internal"
	codeTimeout          = "timeout"
)

// status is the one map from an error's code to its HTTP status.
func status(code string) int {
	switch code {
	case codeInvalidRequest, codeInvalidPath, codeInvalidPattern:
		return http.StatusBadRequest
	case codeUnauthorized:
		return http.StatusUnauthorized
	case codeForbiddenOrigin, codeForbiddenRoot, codePermissionDenied:
		return http.StatusForbidden
	case codeNotFound, codeHandleExpired:
		return http.StatusNotFound
	case codeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case codeWrongProject:
		return http.StatusConflict
	case codeNoVectors, codeUnsupported, codeBinaryFile, codeFileTooLarge, codeNoLLM:
		return http.StatusUnprocessableEntity
	case codePayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case codeRateLimited:
		return http.StatusTooManyRequests
	case codeNoMemory, codeUnavailable:
		return http.StatusServiceUnavailable
	case codeTimeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// A problem is an error whose text is meant for the client.
type problem struct {
	code    string
	message string
}

func (p problem) Error() string { return p.message }

func problemf(code, format string, args ...any) error {
	return problem{code, fmt.Sprintf(format, args...)}
}

// classify says what a client is told about err. The text of an unexpected
// error stays in the log.
func classify(err error) problem {
	var p problem
	var tooLarge *http.MaxBytesError
	var pattern *answer.PatternError
	var signal *search.SignalError
	var place *answer.PlaceError
	var target *answer.TargetError
	var unsupported *answer.UnsupportedError
	var diff *calls.DiffError
	var project *ProjectError
	var root *RootError
	var busy *BusyError
	var file *grep.FileError
	var over *index.OverlayError
	var crowded *crowdedError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &project):
		return problem{codeWrongProject, project.Error()}
	case errors.As(err, &root):
		if root.NotAllowed {
			return problem{codeForbiddenRoot, root.Error()}
		}
		return problem{codeInvalidPath, root.Error()}
	case errors.As(err, &busy):
		return problem{codeNoMemory, busy.Error()}
	case errors.As(err, &crowded):
		return problem{codeRateLimited, crowded.Error()}
	case errors.As(err, &tooLarge):
		return problem{codePayloadTooLarge, fmt.Sprintf("the body is larger than %d bytes", tooLarge.Limit)}
	case errors.Is(err, index.ErrOutside):
		return problem{codeInvalidPath, "the path is outside the root"}
	case errors.As(err, &pattern):
		return problem{codeInvalidPattern, pattern.Error()}
	case errors.As(err, &signal):
		return problem{codeInvalidRequest, signal.Error()}
	case errors.As(err, &place):
		return problem{codeNotFound, place.Error()}
	case errors.As(err, &target):
		return problem{codeNotFound, target.Error()}
	case errors.As(err, &file):
		return fileProblem(file)
	case index.Transient(err):
		return problem{codeUnavailable, "the system cannot do this now (" + index.Cause(err) + "); asked again, it may"}
	case errors.As(err, &over):
		return problem{codeInvalidRequest, over.Error()}
	case errors.As(err, &diff):
		return problem{codeInvalidRequest, diff.Error()}
	case errors.As(err, &unsupported):
		return problem{codeUnsupported, unsupported.Error()}
	case errors.Is(err, fs.ErrNotExist):
		return problem{codeNotFound, "the path does not exist"}
	case errors.Is(err, search.ErrNoVectors):
		return problem{codeNoVectors, err.Error()}
	case errors.Is(err, answer.ErrPattern):
		return problem{codeInvalidPattern, "the pattern is malformed"}
	case errors.Is(err, answer.ErrClosed):
		return problem{codeNoMemory, "the project is leaving the memory; asked again, it is there or gone"}
	case errors.Is(err, context.DeadlineExceeded):
		return problem{codeTimeout, "the request did not finish in time"}
	}
	return problem{codeInternal, "internal error"}
}

// problemBody is the shape of every error.
type problemBody struct {
	Error     string `json:"error"`
	Message   string `json:"message"`
	RequestID string `json:"request_id"`
}

// fail answers with the error. A client that has gone away gets nothing.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.explain(w, r, s.prepare(w, r, err))
}

// prepare logs an error as far as it is a fault of the server, and sets the headers
// that go with its code.
func (s *Server) prepare(w http.ResponseWriter, r *http.Request, err error) problem {
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler)
	}
	p := classify(err)
	if p.code == codeInternal {
		if panicked := (*fault.Error)(nil); errors.As(err, &panicked) {
			s.metrics.panics.Inc() // of a goroutine of the index
		}
		s.log.ErrorContext(r.Context(), "request failed", "endpoint", endpoint(r),
			"request_id", w.Header().Get("X-Request-Id"), "err", err)
	}
	switch p.code {
	case codeRateLimited:
		after := time.Second
		if crowded := (*crowdedError)(nil); errors.As(err, &crowded) {
			s.metrics.refused.WithLabelValues(crowded.what).Inc()
			after = max(after, crowded.after)
		}
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	case codeNoMemory:
		after := time.Second
		if busy := (*BusyError)(nil); errors.As(err, &busy) {
			after = max(after, busy.After)
		}
		w.Header().Set("Retry-After", strconv.Itoa(int(after.Seconds())))
	case codeUnavailable:
		w.Header().Set("Retry-After", "1")
	case codeUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	return p
}

func (s *Server) explain(w http.ResponseWriter, r *http.Request, p problem) {
	s.write(w, r, status(p.code), problemBody{p.code, p.message, w.Header().Get("X-Request-Id")})
}

// methodNotAllowed names the methods that the path has in the Allow header.
func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		if s.router.Match(chi.NewRouteContext(), m, r.URL.Path) {
			w.Header().Add("Allow", m)
			if m == http.MethodGet {
				w.Header().Add("Allow", http.MethodHead)
			}
		}
	}
	s.fail(w, r, problemf(codeMethodNotAllowed, "the endpoint does not take this method"))
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, problemf(codeNotFound, "there is no such endpoint"))
}
