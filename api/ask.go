package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"
)

// maxAsked bounds the answer to Ask, in bytes: that of a raw grep has no bound of its own.
const maxAsked = 16 << 20

// insider marks the context of a request that Ask made: who may ask was found out
// before it came here.
type insider struct{}

// Ask answers a request that came another way than HTTP, such as a line on a Unix
// socket or the call of a tool, exactly as the endpoint would: with its limits, its
// place in the queue, its sessions and its metrics. The endpoint is a path such as
// "/search"; fields are those of its JSON body, or of the query string where it takes
// no body. The answer is the HTTP status and the body.
//
// Ask checks neither token nor origin: its caller answers for the client. It returns
// an error when ctx has ended, when the fields are not JSON, or when the answer is
// larger than 16 MiB. /events, which has no end, cannot be asked for.
func (s *Server) Ask(ctx context.Context, endpoint string, fields map[string]any) (status int, body []byte, err error) {
	r, err := s.inside(ctx, endpoint, fields)
	if err != nil {
		return 0, nil, err
	}
	defer func() {
		// A handler ends so when nobody waits for its answer, or it could not be sent.
		if p := recover(); p == http.ErrAbortHandler {
			if err = ctx.Err(); err == nil {
				err = fmt.Errorf("api: the answer of %s is larger than %d bytes", endpoint, maxAsked)
			}
		} else if p != nil {
			panic(p)
		}
	}()
	w := &collected{header: http.Header{}, status: http.StatusOK}
	s.router.ServeHTTP(w, r)
	if w.over {
		return 0, nil, fmt.Errorf("api: the answer of %s is larger than %d bytes", endpoint, maxAsked)
	}
	return w.status, w.body.Bytes(), nil
}

// Panicked counts a panic in code that hands on what Ask answers, in /metrics.
func (s *Server) Panicked() { s.metrics.panics.Inc() }

// inside makes the request of Ask.
func (s *Server) inside(ctx context.Context, endpoint string, fields map[string]any) (*http.Request, error) {
	if endpoint == "/events" {
		return nil, errors.New("api: /events has no end, and cannot be asked for")
	}
	ctx = context.WithValue(ctx, insider{}, true)
	// Where an endpoint asks another one, the router must not go on with the first's route.
	ctx = context.WithValue(ctx, chi.RouteCtxKey, (*chi.Context)(nil))
	if !s.router.Match(chi.NewRouteContext(), http.MethodPost, endpoint) {
		query := url.Values{}
		for name, v := range fields {
			if v != nil {
				query.Set(name, fmt.Sprint(v))
			}
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, nil)
		if err != nil {
			return nil, fmt.Errorf("api: %q is no endpoint", endpoint)
		}
		r.URL.RawQuery = query.Encode()
		return r, nil
	}
	if fields == nil {
		fields = map[string]any{}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("api: the fields of %s: %w", endpoint, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("api: %q is no endpoint", endpoint)
	}
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

// fromInside reports whether a request comes from Ask.
func fromInside(r *http.Request) bool { return r.Context().Value(insider{}) != nil }

// collected is a response that is kept.
type collected struct {
	header http.Header
	status int
	wrote  bool
	over   bool // it is larger than maxAsked
	body   bytes.Buffer
}

func (c *collected) Header() http.Header { return c.header }

func (c *collected) WriteHeader(status int) {
	if !c.wrote {
		c.status, c.wrote = status, true
	}
}

func (c *collected) Write(b []byte) (int, error) {
	c.wrote = true
	if c.over = c.over || c.body.Len()+len(b) > maxAsked; c.over {
		return 0, errors.New("the answer is too large")
	}
	return c.body.Write(b)
}
