package api

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
)

// TestEventsOfWhoMayNot takes a project away from a user who listens to it: the next event is not told.
func TestEventsOfWhoMayNot(t *testing.T) {
	for _, how := range []string{"stays", "the project is withdrawn", "the token expires"} {
		x := newFake(t)
		x.changes = make(chan answer.Event, 2)
		var withdrawn, expired atomic.Bool
		s := newServer(t, x, Options{Identify: func(_ context.Context, token string) (*identity.Identity, error) {
			if token != "ann" || expired.Load() {
				return nil, wire.Problemf(wire.CodeUnauthorized, "the token has expired")
			}
			return &identity.Identity{Owner: token, Sees: func(string) bool { return !withdrawn.Load() }}, nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		w := &watched{ResponseRecorder: httptest.NewRecorder()}
		w.told = func(text string) {
			switch {
			case strings.Contains(text, "hello"): // what happens then, and a change
				withdrawn.Store(how == "the project is withdrawn")
				expired.Store(how == "the token expires")
				x.changes <- answer.Event{ID: "a-2", Changed: []string{"a.go"}}
			case strings.Contains(text, "change"):
				cancel()
			}
		}
		s.Handler().ServeHTTP(w, withToken(request("GET", "/events", "").WithContext(ctx), "Bearer ann"))
		cancel()
		if got := w.Body.String(); strings.Contains(got, "a.go") != (how == "stays") {
			t.Errorf("%s: %s", how, got)
		}
	}
}

// A watched response says what is written.
type watched struct {
	*httptest.ResponseRecorder
	told func(text string)
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.ResponseRecorder.Write(p)
	w.told(string(p))
	return n, err
}

// TestOwners has two ask as the same session: neither has what is the other's.
func TestOwners(t *testing.T) {
	x, _ := openReal(t)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, x, Options{Identify: func(_ context.Context, token string) (*identity.Identity, error) {
		return &identity.Identity{Owner: token, Sees: func(string) bool { return true }}, nil
	}})
	ask := func(who, method, path, body string) string {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, withToken(request(method, path, body), "Bearer "+who))
		return w.Body.String()
	}
	const search = `{"query": "ValidateToken", "session_id": "s", "max_tokens": 1000}`
	first := ask("ann", "POST", "/search", search)
	if again, other := ask("ann", "POST", "/search", search), ask("bob", "POST", "/search", search); again == first || strings.Contains(first, `"already_sent"`) != strings.Contains(other, `"already_sent"`) {
		t.Errorf("ann %s, again %s, bob %s", first, again, other)
	}
	if got := ask("eve", "GET", "/status", ""); strings.Contains(got, `"tokens_sent"`) || !strings.Contains(got, `"resident_bytes":0`) {
		t.Errorf("the sessions of others, or the memory of the process: %s", got)
	}
	if got := ask("ann", "GET", "/status", ""); !strings.Contains(got, `"tokens_sent"`) {
		t.Errorf("no session of her own: %s", got)
	}
}
