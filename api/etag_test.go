package api

import (
	"net/http"
	"strings"
	"testing"
)

// TestETags asks for everything that can be read twice: the second time with the
// tag of the first answer, in all the forms that a client may give it.
func TestETags(t *testing.T) {
	x, _ := openReal(t)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	get := func(method, target string, tags ...string) reply {
		req := request(method, target, "")
		for _, tag := range tags {
			req.Header.Add("If-None-Match", tag)
		}
		return c.do(h, req)
	}
	for _, target := range []string{
		"/search?query=token", "/search?queries=token&queries=rules", "/structure", "/skeleton?path=src", "/extract?symbol=Allow",
		"/extract?file=src/auth/token.go", "/calls", "/impact?target=Allow", "/references?target=Allow", "/context?target=Allow", "/trace?symbol=Allow", "/cfg?target=Allow", "/startup?task=token",
		"/openapi.yaml", "/version",
	} {
		first := get(http.MethodGet, target)
		tag := first.header.Get("ETag")
		if first.status != 200 || len(tag) < 4 || !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) {
			t.Errorf("%s: %d, tag %s", target, first.status, tag)
			continue
		}
		for _, tc := range []struct {
			method string
			tags   []string
			status int
		}{
			{"GET", []string{tag}, 304},
			{"HEAD", []string{tag}, 304},
			{"GET", []string{"W/" + tag}, 304}, // If-None-Match compares weakly
			{"GET", []string{"*"}, 304},
			{"GET", []string{` "other" ,	W/` + tag + ` `}, 304},
			{"GET", []string{`"other"`, tag}, 304}, // in two lines
			{"GET", []string{`"a, b",` + tag}, 304},
			{"GET", []string{""}, 200},
			{"HEAD", []string{`"other"`}, 200},
			{"GET", []string{`"other", W/"another"`}, 200},
			{"GET", []string{strings.Trim(tag, `"`)}, 200},
			{"GET", []string{`"x` + tag[1:]}, 200},
			{"GET", []string{`"a, *, ` + tag[1:]}, 200}, // all of it is one tag
			{"GET", []string{"w/" + tag}, 200},
		} {
			r := get(tc.method, target, tc.tags...)
			if r.status != tc.status || r.header.Get("ETag") != tag {
				t.Errorf("%s %s with %q: %d, tag %s, want %d, %s", tc.method, target, tc.tags, r.status, r.header.Get("ETag"), tc.status, tag)
			}
			if empty := tc.status == 304 || tc.method == "HEAD"; empty != (len(r.body) == 0) {
				t.Errorf("%s %s with %q: %d bytes", tc.method, target, tc.tags, len(r.body))
			}
			if r.status == 200 && tc.method == "GET" && string(r.body) != string(first.body) {
				t.Errorf("%s: another response to the same request", target)
			}
		}
	}
	// What changes always, and what is no answer, has none.
	for _, target := range []string{"/status", "/health", "/ready", "/search", "/extract?symbol=Nobody"} {
		if r := get(http.MethodGet, target, "*"); r.header.Get("ETag") != "" || r.status == 304 {
			t.Errorf("%s: %d, tag %s", target, r.status, r.header.Get("ETag"))
		}
	}
}
