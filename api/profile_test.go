package api

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// Profiles are there only if that is asked for, only for this machine, and behind the
// guard of everything else.
func TestProfiles(t *testing.T) {
	ask := func(opt Options, from string, headers ...string) int {
		t.Helper()
		req := request("GET", "/debug/pprof/goroutine?debug=1", "")
		req.RemoteAddr = from
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			if name == "Host" {
				req.Host = value
			}
			req.Header.Set(name, value)
		}
		rec := httptest.NewRecorder()
		newServer(t, newFake(t), opt).Handler().ServeHTTP(rec, req)
		if rec.Code == 200 && !strings.Contains(rec.Body.String(), "goroutine profile:") {
			t.Errorf("no profile: %s", rec.Body)
		}
		return rec.Code
	}
	on := Options{Pprof: true}
	guarded := Options{Pprof: true, Token: testToken}
	for _, tc := range []struct {
		name    string
		opt     Options
		from    string
		headers []string
		want    int
	}{
		{"off", Options{}, "127.0.0.1:9", nil, 404},
		{"here", on, "127.0.0.1:9", nil, 200},
		{"here by IPv6", on, "[::1]:9", nil, 200},
		{"here, mapped", on, "[::ffff:127.0.0.1]:9", nil, 200},
		{"elsewhere", on, "192.168.1.7:9", nil, 403},
		{"elsewhere, with the token", guarded, "192.168.1.7:9", []string{"Authorization: Bearer " + testToken}, 403},
		{"no address", on, "@", nil, 403},
		{"through a proxy", on, "127.0.0.1:9", []string{"X-Forwarded-For: 192.168.1.7"}, 403},
		{"a page", on, "127.0.0.1:9", []string{"Origin: https://evil.example"}, 403},
		{"another name", on, "127.0.0.1:9", []string{"Host: evil.example"}, 403},
		{"without the token", guarded, "127.0.0.1:9", nil, 401},
		{"with the token", guarded, "127.0.0.1:9", []string{"Authorization: Bearer " + testToken}, 200},
	} {
		if got := ask(tc.opt, tc.from, tc.headers...); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
	// Nor by a question that comes another way than HTTP.
	s := newServer(t, newFake(t), on)
	if status, _, err := askFrom(t.Context(), s.Socket(), "/debug/pprof/heap", nil); err != nil || status != 404 {
		t.Errorf("asked from inside: %d, %v", status, err)
	}
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/heap"} {
		req := request("GET", path, "")
		req.RemoteAddr = "127.0.0.1:9"
		rec := httptest.NewRecorder()
		if s.Handler().ServeHTTP(rec, req); rec.Code != 200 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
}
