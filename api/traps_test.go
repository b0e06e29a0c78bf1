package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// serve runs a server on a free port of the loopback addresses until the test
// ends, and returns the port and its base URL.
func serve(t testing.TB, s *Server) (port, url string) {
	t.Helper()
	port = serveOn(t, s, "localhost")
	return port, "http://127.0.0.1:" + port
}

// serveOn is serve for any host.
func serveOn(t testing.TB, s *Server, host string) (port string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ls, addr, err := Listen(ctx, host, 0, 9)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ls...) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	_, port, err = net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// A client that probes once while the first build runs must not conclude that
// there is no search.
func TestT2FirstBuild(t *testing.T) {
	x := newFake(t)
	x.results = nil
	x.setState(func(s *answer.State) {
		s.State, s.Progress, s.Freshness, s.Files = answer.Indexing, 0.25, answer.Unknown, 0
	})
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()

	var health wire.Health
	r := c.get(h, "/health")
	r.decode(t, &health)
	if r.status != 200 || health.Status != "ok" || !health.Indexing {
		t.Errorf("/health: %d %s", r.status, r.body)
	}
	r = c.post(h, "/search", `{"query":"auth"}`)
	if r.status != 200 || !strings.HasPrefix(string(r.body), `{"results":[],"index":{"state":"indexing"`) {
		t.Errorf("/search: %d %s", r.status, r.body)
	}
	var ready wire.Ready
	r = c.get(h, "/ready")
	r.decode(t, &ready)
	if r.status != 503 || ready.Ready || ready.Index.Progress != 0.25 || r.header.Get("Retry-After") != "1" {
		t.Errorf("/ready: %d %s", r.status, r.body)
	}

	for _, tc := range []struct {
		state string
		files int
		want  int
	}{{answer.Ready, 0, 200}, {answer.Ready, 5, 200}, {answer.Stale, 5, 200}, {answer.Failed, 5, 200}, {answer.Failed, 0, 503}} {
		x.setState(func(s *answer.State) { s.State, s.Files = tc.state, tc.files })
		if r := c.get(h, "/ready"); r.status != tc.want {
			t.Errorf("/ready with %s and %d files: %d", tc.state, tc.files, r.status)
		}
		if r := c.get(h, "/health"); r.status != 200 {
			t.Errorf("/health with %s: %d", tc.state, r.status)
		}
	}
}

// localhost may be either loopback address.
func TestT3BothLoopbackAddresses(t *testing.T) {
	port, _ := serve(t, newServer(t, newFake(t), Options{}))
	hosts := []string{"127.0.0.1", "localhost"}
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		l.Close()
		hosts = append(hosts, "::1")
	}
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: checkedTransport{newChecker(t), tr}}
	for _, host := range hosts {
		resp, err := client.Get("http://" + net.JoinHostPort(host, port) + "/health")
		if err != nil {
			t.Error(err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("%s: %s", host, resp.Status)
		}
	}
}

// A connection lives between two requests for as long as IdleTimeout says, and
// no other timeout stands in for it.
func TestT4IdleConnections(t *testing.T) {
	hs := newServer(t, newFake(t), Options{}).httpServer(context.Background())
	if hs.IdleTimeout != 120*time.Second || hs.ReadTimeout != 0 || hs.ReadHeaderTimeout != 5*time.Second || hs.WriteTimeout != 70*time.Second {
		t.Errorf("timeouts: idle %v, read %v, header %v, write %v", hs.IdleTimeout, hs.ReadTimeout, hs.ReadHeaderTimeout, hs.WriteTimeout)
	}

	port, _ := serve(t, newServer(t, newFake(t), Options{Limits: Limits{HeaderTimeout: 50 * time.Millisecond, BodyTimeout: 50 * time.Millisecond}}))
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	br := bufio.NewReader(conn)
	for range 3 {
		fmt.Fprint(conn, "POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{\"query\":\"a\"}")
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatalf("the connection did not live: %v", err)
		}
		io.Copy(io.Discard, resp.Body)
		time.Sleep(120 * time.Millisecond)
	}

	port, _ = serve(t, newServer(t, newFake(t), Options{Limits: Limits{IdleTimeout: 50 * time.Millisecond}}))
	idle, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	fmt.Fprint(idle, "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
	idle.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.ReadAll(idle); err != nil { // to the end of the connection
		t.Errorf("the idle connection was not closed: %v", err)
	}
}

// Agents are shown the first 100 characters of content. The index sees to what
// they are; the server passes every result on as it is.
func TestT5ResultsUnmodified(t *testing.T) {
	x := newFake(t)
	x.results = []search.Result{
		{File: "a b/ü.go", Line: 3, EndLine: 9, Content: "\tfunc <T any>(a && b) \"q\" \\ \u2028 é 漢字 😀\n\treturn\n", Score: 1,
			Role: answer.RoleDefinition, Signature: "func <T any>(a && b)", Symbol: "<T>", Kind: "function", Lang: "go"},
		{File: "z.txt", Line: 1, EndLine: 1, Content: "  leading and trailing  ", Score: 1e-9, Signature: "leading"},
		{File: "a.go", Line: 1, EndLine: 80, Content: strings.Repeat("x", 2000), Score: 0.5, Signature: "x", Role: answer.RoleTest},
	}
	r := newChecker(t).post(newServer(t, x, Options{}).Handler(), "/search", `{"query":"q"}`)
	var body wire.SearchResponse
	r.decode(t, &body)
	if diff := cmp.Diff(resultsOf(x.results), body.Results); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(r.body), `func <T any>(a && b)`) {
		t.Errorf("escaped as for a page: %s", r.body)
	}
	if strings.Count(string(r.body), `"role"`) != 2 {
		t.Errorf("a result without role has one: %s", r.body)
	}
}

// A port is no project: whoever asks can see which root answers, and can have
// the wrong one refused.
func TestT17Project(t *testing.T) {
	x := newFake(t)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	var health wire.Health
	c.get(h, "/health").decode(t, &health)
	var found wire.SearchResponse
	c.post(h, "/search", `{"query":"a"}`).decode(t, &found)
	if health.Root != x.root || found.Index.Root != x.root {
		t.Errorf("roots: %q, %q", health.Root, found.Index.Root)
	}
	for _, target := range []string{"/search", "/invalidate", "/reindex"} {
		r := c.post(h, target, `{"query":"a","all":true,"project":"other"}`)
		if r.status != 409 || !strings.Contains(string(r.body), `"wrong_project"`) {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
		if r := c.post(h, target, `{"query":"a","all":true,"project":"shop"}`); r.status >= 300 {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
	}
	if len(x.queries) != 2 || len(x.invs) != 2 {
		t.Errorf("the index saw refused requests: %v %v", x.queries, x.invs)
	}
}

// curl calls a JSON body form data, and so could a web page, which must be
// refused by other signs.
func TestT21AnyContentTypeButNoPages(t *testing.T) {
	c, h := newChecker(t), newServer(t, newFake(t), Options{}).Handler()
	for _, tc := range []struct {
		name   string
		header [2]string
		host   string
		want   int
	}{
		{"curl", [2]string{"Content-Type", "application/x-www-form-urlencoded"}, "localhost:3456", 200},
		{"no type", [2]string{"Content-Type", ""}, "127.0.0.1:3456", 200},
		{"form on a page", [2]string{"Origin", "https://evil.example"}, "localhost:3456", 403},
		{"file opened in a browser", [2]string{"Origin", "null"}, "localhost:3456", 403},
		{"name that resolves to loopback", [2]string{"Accept", "*/*"}, "evil.example:3456", 403},
	} {
		for _, target := range []string{"/search", "/reindex"} {
			req := request("POST", target, `{"query":"a"}`)
			req.Header.Set(tc.header[0], tc.header[1])
			req.Host = tc.host
			r := c.do(h, req)
			if r.status != tc.want && !(tc.want == 200 && r.status == 202) {
				t.Errorf("%s, %s: %d %s", tc.name, target, r.status, r.body)
			}
			for k := range r.header {
				if strings.HasPrefix(k, "Access-Control-") {
					t.Errorf("%s: %s", tc.name, k)
				}
			}
		}
	}
}

func TestAllowHosts(t *testing.T) {
	x := newFake(t)
	for _, tc := range []struct {
		allow []string
		want  []int
	}{{nil, []int{403, 403}}, {[]string{"Quarry.internal"}, []int{200, 403}}, {[]string{"*"}, []int{200, 200}}} {
		h := newServer(t, x, Options{AllowHosts: tc.allow}).Handler()
		var got []int
		for _, host := range []string{"quarry.internal:3456", "other"} {
			req := request("GET", "/version", "")
			req.Host = host
			got = append(got, newChecker(t).do(h, req).status)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%v: %v", tc.allow, got)
		}
	}
}
