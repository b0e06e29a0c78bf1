package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/search"
)

// message is a request of the protocol as any client would send it.
func message(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
}

// toMCP makes the request that carries it.
func toMCP(target, body string) *http.Request {
	r := request("POST", target, body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

// event returns the message of a stream that has one.
func (r reply) event(t *testing.T) (m struct {
	Result struct {
		IsError bool
		Content []struct{ Text string }
		Tools   []struct{ Name string }
	}
	Error struct {
		Code    int
		Message string
	}
}) {
	t.Helper()
	_, data, ok := strings.Cut(string(r.body), "data: ")
	if !ok {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return m
}

func TestMCP(t *testing.T) {
	ps, shop, depot := several(t)
	c, h := newChecker(t), newServer(t, nil, Options{Projects: ps}).Handler()
	if n := len(c.do(h, toMCP("/mcp", message("tools/list", "{}"))).event(t).Result.Tools); n != 15 {
		t.Errorf("%d tools", n)
	}
	status := message("tools/call", `{"name":"status","arguments":{}}`)
	for target, want := range map[string]string{
		"/mcp": shop.root, "/mcp?project=depot": depot.root, "/mcp?project=" + depot.root: depot.root, "/mcp?session_id=a&agent_id=b": shop.root,
	} {
		if res := c.do(h, toMCP(target, status)).event(t).Result; res.IsError || !strings.HasPrefix(res.Content[0].Text, want+"\n") {
			t.Errorf("%s: %+v", target, res)
		}
	}
	if res := c.do(h, toMCP("/mcp?project=stall", status)).event(t).Result; !res.IsError || !strings.HasPrefix(res.Content[0].Text, "wrong_project: ") {
		t.Errorf("%+v", res)
	}
	c.do(h, toMCP("/mcp?session_id=s1&project=depot", message("tools/call", `{"name":"context","arguments":{"target":"a"}}`)))
	if ps.held != 0 {
		t.Errorf("%d projects were not released", ps.held)
	}
	if r := c.do(h, toMCP("/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)); r.status != 202 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestMCPRefuses has everything that is not the protocol answered as the other endpoints
// answer such things.
func TestMCPRefuses(t *testing.T) {
	s := newServer(t, newFake(t), Options{Limits: Limits{Body: 1000}})
	c, h := newChecker(t), s.Handler()
	for _, tc := range []struct {
		target, body string
		header       http.Header
		status       int
		code         string
	}{
		{"/mcp", "", nil, 400, wire.CodeInvalidRequest},
		{"/mcp", "{", nil, 400, wire.CodeInvalidRequest},
		{"/mcp", "[]", nil, 400, wire.CodeInvalidRequest},
		{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"nonsense"}`, nil, 400, wire.CodeInvalidRequest},
		{"/mcp", message("ping", "{}"), http.Header{"Content-Type": {"text/plain"}}, 400, wire.CodeInvalidRequest},
		{"/mcp", message("ping", "{}"), http.Header{"Accept": {"text/html"}}, 400, wire.CodeInvalidRequest},
		{"/mcp", message("ping", "{}"), http.Header{"Mcp-Protocol-Version": {"1999-01-01"}}, 400, wire.CodeInvalidRequest},
		{"/mcp", message("ping", `{"x":"`+strings.Repeat("x", 1000)+`"}`), nil, 413, wire.CodePayloadTooLarge},
		{"/mcp?project=" + strings.Repeat("x", 5000), message("ping", "{}"), nil, 400, wire.CodeInvalidRequest},
		{"/mcp", message("ping", "{}"), http.Header{"Origin": {"https://evil.example"}}, 403, wire.CodeForbiddenOrigin},
	} {
		r := toMCP(tc.target, tc.body)
		for name, v := range tc.header {
			r.Header[name] = v
		}
		got := c.do(h, r)
		var p wire.Problem
		if err := json.Unmarshal(got.body, &p); err != nil || got.status != tc.status || p.Code != tc.code || p.Message == "" {
			t.Errorf("%.100s %v: %d %s", tc.body, tc.header, got.status, got.body)
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		if r := c.do(h, request(method, "/mcp", "")); r.status != 405 || r.header.Get("Allow") != "POST" {
			t.Errorf("%s: %d %v", method, r.status, r.header)
		}
	}
}

// TestMCPEndsWithItsRequest: a client that goes away ends the work for it, in the oldest
// version of the protocol and in the newest; the server is not idle before that.
func TestMCPEndsWithItsRequest(t *testing.T) {
	newest := `{"name":"search","arguments":{"query":"slow"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
	for version, params := range map[string]string{"2025-03-26": `{"name":"search","arguments":{"query":"slow"}}`, "2026-07-28": newest} {
		x := newFake(t)
		began, ended := make(chan struct{}), make(chan error, 1)
		x.search = func(ctx context.Context, _ search.Query) (search.Answer, error) {
			close(began)
			<-ctx.Done()
			ended <- ctx.Err()
			return search.Answer{}, ctx.Err()
		}
		s := newServer(t, x, Options{})
		_, url := serve(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "POST", url+"/mcp", strings.NewReader(message("tools/call", params)))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "search",
		} {
			r.Header.Set(name, value)
		}
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			tr := &http.Transport{DisableKeepAlives: true}
			if resp, err := (&http.Client{Transport: tr}).Do(r); err == nil {
				resp.Body.Close()
			}
		}()
		select {
		case <-began:
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the call does not begin", version)
		}
		if s.Idle() != 0 {
			t.Errorf("%s: idle during a call", version)
		}
		cancel()
		<-gone
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", version, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the work goes on", version)
		}
		for deadline := time.Now().Add(10 * time.Second); s.Idle() == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the request goes on", version)
			}
		}
	}
}
