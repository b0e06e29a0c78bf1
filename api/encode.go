package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// buffers are reused between responses. A rare large one is not kept.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keepBuffer = 256 << 10 // bytes

func release(b *bytes.Buffer) {
	if b.Cap() <= keepBuffer {
		b.Reset()
		buffers.Put(b)
	}
}

// encode returns v as JSON, in a buffer to be given back with release.
func encode(v any) (*bytes.Buffer, error) {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false) // it is code that we send, not a page
	return b, e.Encode(v)
}

// encodeSearch encodes the response to a search. When it is too long, results
// are left out from the end, whole ones, and meta.truncated says so.
func (s *Server) encodeSearch(body *searchBody) (*bytes.Buffer, error) {
	for {
		b, err := encode(body)
		n := len(body.Results)
		if err != nil || b.Len() <= s.limits.Response || n <= 1 {
			return b, err
		}
		fit := n * s.limits.Response / b.Len()
		body.Results = body.Results[:max(1, min(fit, n-1))]
		body.Meta.Truncated = true
		release(b)
	}
}

// write answers with v as JSON.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, v any) {
	b, err := encode(v)
	defer release(b)
	if err != nil { // a number that JSON does not have, from a func of Options
		s.log.ErrorContext(r.Context(), "encode", "endpoint", endpoint(r), "err", err)
		b.Reset()
		status = http.StatusInternalServerError
		_ = json.NewEncoder(b).Encode(problemBody{codeInternal, "internal error", w.Header().Get("X-Request-Id")})
	}
	send(w, r, status, b)
}

func send(w http.ResponseWriter, r *http.Request, status int, b *bytes.Buffer) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b.Bytes()) // it fails only when the client has gone
	}
}

// matchesTag says whether an If-None-Match header names the tag.
func matchesTag(header, tag string) bool {
	for t := range strings.SplitSeq(header, ",") {
		t = strings.TrimSpace(t)
		if t == "*" || strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return false
}
