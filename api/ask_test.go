package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
)

// TestAsk asks inside what HTTP would have to show a token for.
func TestAsk(t *testing.T) {
	x, run := openReal(t)
	run()
	s := newServer(t, x, Options{Token: "a token of some length"})
	if _, _, err := x.Invalidate(index.Invalidation{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := x.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		endpoint string
		fields   map[string]any
		status   int
		code     string
	}{
		{"/search", map[string]any{"query": "validate", "limit": json.Number("1")}, http.StatusOK, ""},
		{"/search", nil, http.StatusBadRequest, "invalid_request"},
		{"/status", nil, http.StatusOK, ""},
		{"/status", map[string]any{"project": "nobody"}, http.StatusConflict, "wrong_project"},
		{"/nowhere", nil, http.StatusNotFound, "not_found"},
	} {
		status, body, err := askFrom(t.Context(), s.Socket(), c.endpoint, c.fields)
		if err != nil {
			t.Errorf("%s: %v", c.endpoint, err)
			continue
		}
		var got struct{ Error string }
		if err := json.Unmarshal(body, &got); err != nil || status != c.status || got.Error != c.code {
			t.Errorf("%s %v: %d %s, %v", c.endpoint, c.fields, status, body, err)
		}
	}
	// As an endpoint asks another one.
	within := context.WithValue(t.Context(), chi.RouteCtxKey, chi.NewRouteContext())
	if status, body, err := askFrom(within, s.Socket(), "/trace", map[string]any{"symbol": "ValidateToken"}); status != http.StatusOK || err != nil {
		t.Errorf("from an endpoint: %d %s, %v", status, body, err)
	}
	if status, _, err := askFrom(t.Context(), s.Socket(), "/events", nil); status != http.StatusNotFound || err != nil {
		t.Errorf("/events was asked for: %d, %v", status, err)
	}
	if status, _, err := askFrom(t.Context(), s.Socket(), "/search", map[string]any{"query": func() {}}); status != http.StatusBadRequest || err != nil {
		t.Errorf("a function was taken for a query: %d, %v", status, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := askFrom(ended, s.Socket(), "/search", map[string]any{"query": "validate"}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// askFrom asks for an answer as a status and its JSON, or its text.
func askFrom(ctx context.Context, a Asker, endpoint string, fields map[string]any) (code int, body []byte, err error) {
	answer, text, err := a.Ask(ctx, endpoint, fields)
	p := (*wire.Problem)(nil)
	switch {
	case errors.As(err, &p):
		answer, code = p, status(p.Code)
	case err != nil:
		return 0, nil, err
	case answer == nil:
		return http.StatusOK, []byte(text), nil
	default:
		code = http.StatusOK
	}
	b, err := service.Encode(answer)
	return code, b.Bytes(), err
}
