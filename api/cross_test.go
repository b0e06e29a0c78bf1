package api

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestCrossOrigin has pages of an origin that is allowed ask, before and with what they want,
// and pages of others refused as if none were allowed.
func TestCrossOrigin(t *testing.T) {
	const good = "https://ide.example"
	for _, tc := range []struct {
		name, method, origin, host, token string
		allow                             []string
		want                              int
		cors                              bool
	}{
		{"preflight", "OPTIONS", good, "localhost:3456", "", []string{good}, 204, true},
		{"preflight with a token to come", "OPTIONS", good, "localhost:3456", testToken, []string{good}, 204, true},
		{"preflight of another", "OPTIONS", "https://evil.example", "localhost:3456", "", []string{good}, 403, false},
		{"preflight of one that begins so", "OPTIONS", good + ".evil.example", "localhost:3456", "", []string{good}, 403, false},
		{"preflight of a file", "OPTIONS", "null", "localhost:3456", "", []string{good}, 403, false},
		{"preflight under another name", "OPTIONS", good, "evil.example", "", []string{good}, 403, true},
		{"nothing is allowed", "OPTIONS", good, "localhost:3456", "", nil, 403, false},
		{"ask", "POST", good, "localhost:3456", "", []string{"https://other.example", good}, 200, true},
		{"ask from another", "POST", "https://evil.example", "localhost:3456", "", []string{good}, 403, false},
		{"ask without the token", "POST", good, "localhost:3456", testToken, []string{good}, 401, true},
		{"ask where nothing is allowed", "POST", good, "localhost:3456", "", nil, 403, false},
	} {
		h := newServer(t, newFake(t), Options{AllowOrigins: tc.allow, Token: tc.token}).Handler()
		r := request(tc.method, "/search", `{"query":"a"}`)
		r.Host = tc.host
		r.Header.Set("Origin", tc.origin)
		if tc.method == "OPTIONS" {
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", "authorization, content-type, x-session-id")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		allowed := w.Header().Get("Access-Control-Allow-Origin")
		if w.Code != tc.want || (allowed == tc.origin) != tc.cors || allowed != "" && !tc.cors {
			t.Errorf("%s: %d, allowed %q: %s", tc.name, w.Code, allowed, w.Body)
		}
		if tc.want == 204 && !strings.EqualFold(w.Header().Get("Access-Control-Allow-Headers"), "authorization, content-type, x-session-id") {
			t.Errorf("%s: %v", tc.name, w.Header())
		}
		if w.Header().Get("Access-Control-Allow-Credentials") != "" || allowed == "*" {
			t.Errorf("%s: %v", tc.name, w.Header())
		}
		if slices.Contains(w.Header().Values("Vary"), "Origin") != (tc.allow != nil) {
			t.Errorf("%s: Vary %v", tc.name, w.Header().Values("Vary"))
		}
	}
	// Who sends no Origin is told nothing but that answers differ by it.
	w := httptest.NewRecorder()
	newServer(t, newFake(t), Options{AllowOrigins: []string{good}}).Handler().ServeHTTP(w, request(http.MethodGet, "/version", ""))
	if w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Error(w.Code, w.Header())
	}
	for _, o := range []string{"*", "https://*.example", "null"} {
		if _, err := New(Options{Index: newFake(t), AllowOrigins: []string{o}}); err == nil {
			t.Errorf("%s is taken", o)
		}
	}
}
