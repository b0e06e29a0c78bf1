package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPage opens addresses as browsers and other clients do: what is the page's, and that the
// API's own addresses mean what they mean without it.
func TestPage(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	link := http.Header{"Accept": {browser}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}}
	frame := http.Header{"Accept": {browser}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"iframe"}}
	own := http.Header{"Origin": {"http://localhost:3456"}, "Sec-Fetch-Site": {"same-origin"}}
	named := http.Header{"Origin": {"http://quarry.internal"}}
	for _, tc := range []struct {
		name           string
		method, target string
		header         http.Header
		host           string
		opt            Options
		want           int
		is             string // what the answer has in it, or the Location
	}{
		{"front", "GET", "/", http.Header{"Accept": {browser}}, "", Options{}, 303, "/-/search"},
		{"front for others", "GET", "/", http.Header{"Accept": {"*/*"}}, "", Options{}, 404, `"not_found"`},
		{"front without an Accept", "GET", "/", nil, "", Options{}, 404, `"not_found"`},
		{"front, head", "HEAD", "/", http.Header{"Accept": {browser}}, "", Options{}, 303, "/-/search"},
		{"front, post", "POST", "/", http.Header{"Accept": {browser}}, "", Options{}, 405, "method_not_allowed"},
		{"view", "GET", "/-/search?q=a", http.Header{"Accept": {browser}}, "", Options{}, 200, "<!doctype html>"},
		{"view that there is not", "GET", "/-/nothing/of/this", http.Header{"Accept": {browser}}, "", Options{}, 200, "<!doctype html>"},
		{"view for others", "GET", "/-/search", nil, "", Options{}, 404, "there is no such endpoint"},
		{"asset that there is not", "GET", "/-/assets/0/app.js", http.Header{"Accept": {browser}}, "", Options{}, 404, "there is no such endpoint"},
		{"view, post", "POST", "/-/search", http.Header{"Accept": {browser}}, "", Options{}, 405, "method_not_allowed"},
		{"search of a browser", "GET", "/search?query=a", http.Header{"Accept": {browser}}, "", Options{}, 200, `"results"`},
		{"unknown address of a browser", "GET", "/nothing", http.Header{"Accept": {browser}}, "", Options{}, 404, `"not_found"`},
		{"without the token", "GET", "/-/search", http.Header{"Accept": {browser}}, "", Options{Token: testToken}, 200, "<!doctype html>"},
		{"front without the token", "GET", "/", http.Header{"Accept": {browser}}, "", Options{Token: testToken}, 303, "/-/search"},
		{"front for others without the token", "GET", "/", nil, "", Options{Token: testToken}, 401, "unauthorized"},
		{"an answer without the token", "GET", "/search?query=a", http.Header{"Accept": {browser}}, "", Options{Token: testToken}, 401, "unauthorized"},
		{"a path that climbs without the token", "GET", "/-/../search?query=a", http.Header{"Accept": {browser}}, "", Options{Token: testToken}, 200, "<!doctype html>"},
		{"link on another site", "GET", "/-/search", link, "", Options{}, 200, "<!doctype html>"},
		{"frame on another site", "GET", "/-/search", frame, "", Options{}, 403, "forbidden_origin"},
		{"link on another site to an answer", "GET", "/search?query=a", link, "", Options{}, 403, "forbidden_origin"},
		{"under a name that leads here", "GET", "/-/search", http.Header{"Accept": {browser}}, "evil.example", Options{}, 403, "forbidden_origin"},
		{"question of the page", "POST", "/search", own, "localhost:3456", Options{}, 200, `"results"`},
		{"question of a program's page", "POST", "/search", http.Header{"Origin": {"app://localhost:3456"}}, "localhost:3456", Options{}, 403, "forbidden_origin"},
		{"question of a page on another port", "POST", "/search", own, "localhost:3457", Options{}, 403, "forbidden_origin"},
		{"question of the page by a name", "POST", "/search", named, "quarry.internal", Options{AllowHosts: []string{"quarry.internal"}}, 200, `"results"`},
		{"question of a page by any name", "POST", "/search", named, "quarry.internal", Options{AllowHosts: []string{"*"}}, 403, "forbidden_origin"},
	} {
		body := ""
		if tc.target == "/search" && tc.method == "POST" {
			body = `{"query":"a"}`
		}
		req := request(tc.method, tc.target, body)
		for name, values := range tc.header {
			req.Header[name] = values
		}
		if tc.host != "" {
			req.Host = tc.host
		}
		w := httptest.NewRecorder()
		newServer(t, newFake(t), tc.opt).Handler().ServeHTTP(w, req)
		if said := w.Body.String() + w.Header().Get("Location"); w.Code != tc.want || !strings.Contains(said, tc.is) {
			t.Errorf("%s: %d %s", tc.name, w.Code, said)
		}
		if html := strings.Contains(w.Body.String(), "<!doctype html>"); html != (w.Header().Get("Content-Security-Policy") != "") {
			t.Errorf("%s: the policy is %q", tc.name, w.Header().Get("Content-Security-Policy"))
		}
	}
}
