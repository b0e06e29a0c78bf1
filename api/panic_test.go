package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/fault"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// A faulty is an index of which every method panics that a request waits for: the
// interface is nil.
type faulty struct {
	Index
	fake *fake
}

func (f faulty) State() answer.State                 { return f.fake.State() }
func (f faulty) Work() answer.Work                   { return f.fake.Work() }
func (f faulty) Root() string                        { return f.fake.Root() }
func (f faulty) Resolve(path string) (string, error) { return f.fake.Resolve(path) }

// Grep panics as the real one does: in a goroutine.
func (f faulty) Grep(context.Context, grep.GrepQuery) (*grep.GrepAnswer, error) {
	var group fault.Group
	group.Go(func() { panic("planted in a goroutine") })
	group.Wait()
	return nil, nil
}

// A panic on any way in is counted, answered 500 with the request's id, and the server
// answers the next request.
func TestPanicsOnEveryWay(t *testing.T) {
	var log journal
	x := newFake(t)
	s := newServer(t, faulty{fake: x}, Options{Logger: log.logger(slog.LevelInfo), Limits: Limits{Slots: 1, Heavy: 1, Queue: 1}})
	c, h := newChecker(t), s.Handler()
	faults := 0
	for _, tc := range []struct{ target, body string }{
		{"/search", `{"query":"a"}`}, {"/search", `{"query":"a","mode":"regex"}`}, {"/search", `{"query":"a","overlay":[{"path":"src/a.ts","content":""}]}`},
		{"/search", `{"query":"a","format":"te"}`}, {"/search", `{"query":"a","session_id":"s"}`}, {"/search", `{"query":"a","session_id":"s"}`},
		{"/related", `{"file":"src/auth/jwt.ts","line":1}`}, {"/structure", `{}`}, {"/skeleton", `{"target":"a"}`}, {"/extract", `{"target":"a"}`},
		{"/imports", `{"file":"src/auth/jwt.ts"}`}, {"/arch", `{}`}, {"/calls", `{"target":"a"}`}, {"/calls", `{}`}, {"/impact", `{"target":"a"}`}, {"/dead", `{}`}, {"/definition", `{"path":"src/auth/jwt.ts","line":1,"column":1}`}, {"/references", `{"target":"a"}`}, {"/context", `{"target":"a"}`},
		{"/cfg", `{"target":"a"}`}, {"/dfg", `{"target":"a"}`}, {"/diagnostics", `{}`}, {"/slice", `{"target":"a:1"}`}, {"/flows", `{"preset":"all"}`}, {"/graph", `{"target":"a"}`}, {"/map", `{}`},
		{"/trace", `{"symbol":"a"}`}, {"/grep", `{"pattern":"a"}`}, {"/grep", `{"pattern":"a","raw":true}`}, {"/cat", `{"path":"a"}`}, {"/find", `{"path":"src"}`},
		{"/summarize", `{"content":"a b c."}`}, {"/summarize", `{"path":"src"}`}, {"/startup", `{}`}, {"/verify", `{}`}, {"/invalidate", `{"all":true}`}, {"/reindex", `{}`},
	} {
		req := request("POST", tc.target, tc.body)
		req.Header.Set("X-Request-Id", "the-id")
		r := c.do(h, req)
		var p wire.Problem
		if err := json.Unmarshal(r.body, &p); r.status != 500 || err != nil || p.Code != wire.CodeInternal || p.RequestID != "the-id" {
			t.Errorf("%s %s: %d %s", tc.target, tc.body, r.status, r.body)
		}
		faults++
	}
	for _, path := range []string{"/status", "/events"} {
		if r := c.get(h, path); r.status != 500 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
		faults++
	}
	// The ways that go on to these: the fault comes back as each has it.
	for _, tc := range []struct{ target, body, want string }{
		{"/rpc", `{"method":"semantic","params":{"query":"a"}}`, `"detail":"internal"`},
		{"/relay", `{"line":"->relay:code semantic a"}`, "internal error"},
		{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"a"}}}`, "internal error"},
	} {
		req := request("POST", tc.target, tc.body)
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Request-Id", "the-id")
		if r := c.do(h, req); r.status != 200 || !strings.Contains(string(r.body), tc.want) {
			t.Errorf("%s: %d %s", tc.target, r.status, r.body)
		}
		faults++
	}
	if status, body, err := askFrom(t.Context(), s.Socket(), "/search", map[string]any{"query": "a"}); err != nil || status != 500 {
		t.Errorf("asked from inside: %d %s %v", status, body, err)
	}
	faults++
	if n := strings.Count(log.String(), "msg=panic"); n != faults {
		t.Errorf("%d panics are logged, want %d", n, faults)
	}
	if strings.Count(log.String(), "request_id=the-id") != faults-3 { // two that were not given one, and that from inside
		t.Errorf("the log does not have the ids: %s", log.String()[:1000])
	}
	if n, _ := s.service.AtWork(); n != 0 {
		t.Errorf("%d slots are not given back", n)
	}
	if text := string(c.get(h, "/metrics").body); !strings.Contains(text, "quarry_panics_total "+itoa(faults)) || !strings.Contains(text, "quarry_requests_in_flight 1\n") {
		t.Errorf("panics are not counted, want %d", faults)
	}
	if r := c.get(h, "/health"); r.status != 200 {
		t.Errorf("health: %d", r.status)
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// A panic after the first bytes of an answer breaks it off: the client must not take the
// half for the whole.
func TestPanicInTheMiddle(t *testing.T) {
	x := newFake(t)
	_, url := serve(t, newServer(t, halfway{x}, Options{}))
	client := plainClient(t)
	resp, err := client.Get(url + "/grep?pattern=a&raw=true")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		t.Errorf("a half was taken for the whole: %v", err)
	}
	resp, err = client.Get(url + "/health")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

// halfway writes some lines and panics.
type halfway struct{ *fake }

func (h halfway) GrepRaw(_ context.Context, _ grep.GrepQuery, _ grep.RawOptions, w io.Writer) (grep.Printed, error) {
	for range 10_000 {
		if _, err := io.WriteString(w, "src/auth/jwt.ts:1:export function validateToken() {}\n"); err != nil {
			return grep.Printed{}, err
		}
	}
	panic("planted after the beginning")
}
