package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/wire"
)

const testToken = "correct-horse-battery"

// withToken sets a request's Authorization header; "" sets none.
func withToken(req *http.Request, authorization string) *http.Request {
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	return req
}

// Every documented operation but the two probes wants the token, and so does
// every path that is not documented.
func TestTokenIsAskedFor(t *testing.T) {
	var log journal
	s := newServer(t, newFake(t), Options{Token: testToken, Logger: log.logger(slog.LevelDebug)})
	if s.opt.Token != "" {
		t.Error("the server keeps the token")
	}
	c, h := newChecker(t), s.Handler()
	bodies := map[string]string{"/search": `{"query":"token"}`, "/invalidate": `{"all":true}`, "/reindex": `{}`}
	targets := []string{"GET /nothing", "POST /health/", "DELETE /search", "OPTIONS /search", "HEAD /status", "GET //health", "GET /health/../status"}
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			target := method + " " + path
			open := path == "/health" || path == "/ready"
			if (op.Responses.Status(401) == nil) != (path == "/health") || (op.Security != nil) != open {
				t.Errorf("%s: what is documented of the token is not what is done", target)
			}
			if !open {
				targets = append(targets, target)
			}
		}
	}
	for _, target := range targets {
		method, path, _ := strings.Cut(target, " ")
		body := ""
		if method == http.MethodPost {
			body = bodies[path]
		}
		if path == "/search" && method == http.MethodGet {
			path += "?query=token&token=" + testToken // not a place for it
		}
		for _, authorization := range []string{
			"", "Bearer", "Bearer ", "Bearer wrong", "Bearer " + testToken[1:], "Bearer " + testToken + "x", "Bearer " + testToken + " x",
			"Basic " + testToken, testToken, "Bearer" + testToken,
		} {
			r := c.do(h, withToken(request(method, path, body), authorization))
			if r.status != 401 || r.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s with %q: %d %v %s", target, authorization, r.status, r.header, r.body)
			}
			var p wire.Problem
			if method != http.MethodHead && (json.Unmarshal(r.body, &p) != nil || p.Code != "unauthorized") {
				t.Errorf("%s with %q: %s", target, authorization, r.body)
			}
		}
		for _, authorization := range []string{"Bearer " + testToken, "bearer " + testToken, "BEARER  " + testToken + " "} {
			req := request(method, path, body)
			if path == "/events" { // it would last until the client goes
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				req = req.WithContext(ctx)
			}
			if r := c.do(h, withToken(req, authorization)); r.status == 401 || r.status == 403 && !strings.Contains(string(r.body), wire.CodeForbiddenRoot) || r.status >= 500 {
				t.Errorf("%s with %q: %d %s", target, authorization, r.status, r.body)
			}
		}
	}
	for _, path := range []string{"/health", "/ready"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if r := c.do(h, request(method, path, "")); r.status != 200 {
				t.Errorf("%s %s: %d", method, path, r.status)
			}
		}
	}
	if bytes.Contains([]byte(log.String()), []byte(testToken)) {
		t.Error("the token is in the log")
	}
}

// The probes say nothing of what is served to a client that does not show the token, and whether
// there is a project they do not say at all.
func TestProbesWithoutToken(t *testing.T) {
	x := newFake(t)
	s, c := newServer(t, x, Options{Token: testToken, Version: "9.8.7"}), newChecker(t)
	ask := func(target, authorization string) reply {
		return c.do(s.Handler(), withToken(request("GET", target, ""), authorization))
	}
	for _, authorization := range []string{"", "Bearer wrong"} {
		for target, want := range map[string]string{
			"/health": `{"status":"ok","instance":"` + s.Instance() + `"}`,
			"/ready":  `{"ready":true}`,
		} {
			r := ask(target, authorization)
			if r.status != 200 || strings.TrimSpace(string(r.body)) != want || r.header.Get("X-Index-Generation") != "" {
				t.Errorf("%s with %q: %d %v %s", target, authorization, r.status, r.header, r.body)
			}
		}
		for _, project := range []string{"x", filepath.Base(x.Root()), x.Root()} {
			r := ask("/ready?project="+url.QueryEscape(project), authorization)
			if r.status != 401 || bytes.Contains(r.body, []byte(filepath.Dir(x.Root()))) {
				t.Errorf("%s with %q: %d %s", project, authorization, r.status, r.body)
			}
		}
	}
	for _, target := range []string{"/health", "/ready", "/ready?project=" + url.QueryEscape(x.Root())} {
		r := ask(target, "Bearer "+testToken)
		if r.status != 200 || !bytes.Contains(r.body, []byte(x.Root())) || bytes.Contains(r.body, []byte(s.Instance())) || r.header.Get("X-Index-Generation") == "" {
			t.Errorf("%s: %d %v %s", target, r.status, r.header, r.body)
		}
	}
	if other := newServer(t, newFake(t), Options{Token: testToken}); other.Instance() == s.Instance() {
		t.Error("two servers have one word")
	}
}

// The token stands in for the check of the Host, never for that of the Origin.
func TestTokenAndPages(t *testing.T) {
	c := newChecker(t)
	ask := func(opt Options, host, origin, authorization string) int {
		req := withToken(request("POST", "/search", `{"query":"a"}`), authorization)
		req.Host = host
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		return c.do(newServer(t, newFake(t), opt).Handler(), req).status
	}
	bearer := "Bearer " + testToken
	for _, tc := range []struct {
		opt                         Options
		host, origin, authorization string
		want                        int
	}{
		{Options{Token: testToken}, "quarry:3456", "", bearer, 200},
		{Options{Token: testToken}, "192.168.1.5:3456", "", bearer, 200},
		{Options{Token: testToken}, "quarry:3456", "", "", 401},
		{Options{Token: testToken}, "quarry:3456", "https://evil.example", bearer, 403},
		{Options{Token: testToken, AllowOrigins: []string{"app://editor"}}, "quarry:3456", "app://editor", bearer, 200},
		{Options{Token: testToken, AllowOrigins: []string{"app://editor"}}, "quarry:3456", "app://editor", "", 401},
		{Options{}, "quarry:3456", "", bearer, 403}, // a token that nobody asks for opens nothing
		{Options{}, "localhost:3456", "", bearer, 200},
	} {
		if got := ask(tc.opt, tc.host, tc.origin, tc.authorization); got != tc.want {
			t.Errorf("%+v: %d", tc, got)
		}
	}
}

// Where the server listens on all addresses, /status names the one that was asked.
func TestStatusURLOfAllAddresses(t *testing.T) {
	s := newServer(t, newFake(t), Options{Token: testToken})
	port := serveOn(t, s, "0.0.0.0")
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	url := fmt.Sprintf("http://127.0.0.1:%s", port)
	req, err := http.NewRequest("GET", url+"/status", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := checkedTransport{newChecker(t), tr}.RoundTrip(withToken(req, "Bearer "+testToken))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var st wire.Status
	if err := json.NewDecoder(resp.Body).Decode(&st); err != nil || st.URL != url {
		t.Errorf("url %q, %v; want %q", st.URL, err, url)
	}
}
