package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/search"
)

// The whole envelope of the relay's protocol goes in and comes out.
func TestRPCEnvelope(t *testing.T) {
	h, c := newServer(t, newFake(t), Options{}).Handler(), newChecker(t)
	before := time.Now().UnixMilli()
	ids := map[string]bool{}
	for _, tc := range []struct {
		payload, from string
		success       bool
		code          string
	}{
		{`{"service":"tldr","method":"semantic","params":{"query":"token"},"timeout_ms":30000}`, "tldr", true, ""},
		{`{"service":"code","method":"search","params":{"query":"token"}}`, "code", true, ""},
		{`{"method":"ping"}`, "quarry", true, ""},
		{`{"service":"other","method":"semantic","params":{"query":"token"}}`, "quarry", false, serviceNotFound},
		{`{"service":"tldr","method":"semantic","params":{}}`, "tldr", false, serviceError},
	} {
		r := c.post(h, "/rpc", `{"v":1,"type":"SERVICE_REQUEST","id":"r-1","ts":1,"from":"Lead","payload":`+tc.payload+`}`)
		var got wire.RPCEnvelope
		r.decode(t, &got)
		if r.status != 200 || got.V != 1 || got.Type != serviceResponse || got.From != tc.from || got.To != "Lead" ||
			got.Timestamp < before || got.Timestamp > time.Now().UnixMilli() || got.Payload.RequestID != "r-1" || got.Payload.Success != tc.success {
			t.Errorf("%s: %d %s", tc.payload, r.status, r.body)
		}
		if ids[got.ID] = true; got.Payload.Error != nil && got.Payload.Error.Code != tc.code || (got.Payload.Error == nil) != tc.success {
			t.Errorf("%s: %s", tc.payload, r.body)
		}
	}
	if len(ids) != 5 {
		t.Errorf("ids %v", ids)
	}
	// What is no envelope has its fields by itself, whatever else it has.
	var got wire.RPCResponse
	r := c.post(h, "/rpc", `{"type":"NOTE","payload":{"method":"semantic"},"method":"ping"}`)
	if r.decode(t, &got); !got.Success || got.RequestID != r.header.Get("X-Request-Id") {
		t.Errorf("%s", r.body)
	}
}

// A command ends at its deadline, with the code of the relay.
func TestRPCTimeout(t *testing.T) {
	x := newFake(t)
	x.search = func(ctx context.Context, q search.Query) (search.Answer, error) {
		<-ctx.Done()
		return search.Answer{}, ctx.Err()
	}
	h, c := newServer(t, x, Options{Limits: Limits{Timeout: time.Hour}}).Handler(), newChecker(t)
	for body, want := range map[string]string{
		`{"method":"semantic","params":{"query":"a"},"timeout_ms":30}`:   "semantic did not finish within 30 ms",
		`{"method":"semantic","params":{"query":"a"},"timeout_ms":"30"}`: "semantic did not finish within 30 ms",
		`{"method":"semantic","params":{"query":"a","timeout_ms":30}}`:   "the request did not finish in time",
	} {
		start := time.Now()
		var got wire.RPCResponse
		r := c.post(h, "/rpc", body)
		if r.decode(t, &got); r.status != 200 || got.Success || got.Error == nil || got.Error.Code != serviceTimeout || got.Error.Message != want {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
		if took := time.Since(start); took < 25*time.Millisecond {
			t.Errorf("%s: took %v", body, took)
		}
	}
	// A line of an agent ends so, too.
	r := c.post(h, "/relay", `{"text":"->relay:tldr semantic a\n->relay:tldr semantic b","timeout_ms":30}`)
	if got := string(r.body); r.status != 200 || strings.Count(got, "[tldr error] ") != 2 || !strings.Contains(got, "in time") {
		t.Errorf("%d %s", r.status, got)
	}
}

// A client that goes away ends the work, and is not answered.
func TestRPCClientGone(t *testing.T) {
	x := newFake(t)
	began := make(chan struct{})
	x.search = func(ctx context.Context, q search.Query) (search.Answer, error) {
		close(began)
		<-ctx.Done()
		return search.Answer{}, ctx.Err()
	}
	_, url := serve(t, newServer(t, x, Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/rpc", strings.NewReader(`{"method":"semantic","params":{"query":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	var wg sync.WaitGroup
	wg.Go(func() {
		if resp, err := tr.RoundTrip(req); err == nil {
			resp.Body.Close()
			t.Errorf("answered %s", resp.Status)
		}
	})
	<-began
	cancel()
	wg.Wait()
}

// Who asks is known to the endpoint: a session is sent a place once.
func TestRPCSession(t *testing.T) {
	x, run := openReal(t)
	run()
	h, c := newServer(t, x, Options{}).Handler(), newChecker(t)
	if r := c.post(h, "/invalidate", `{"all":true,"wait":true}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	body := `{"method":"search","params":{"query":"ValidateToken","max_tokens":500,"limit":1}}`
	for i, want := range []bool{false, true} {
		req := request(http.MethodPost, "/rpc", body)
		req.Header.Set("X-Session-Id", "s1")
		r := c.do(h, req)
		if got := strings.Contains(string(r.body), `"sent":true`); got != want {
			t.Errorf("time %d: %s", i, r.body)
		}
	}
	if r := c.post(h, "/rpc", body); strings.Contains(string(r.body), `"sent":true`) {
		t.Errorf("another session: %s", r.body)
	}
	line := `{"line":"->relay:code search ValidateToken --limit 1 --max-tokens 500","session_id":"s1"}`
	if r := c.post(h, "/relay", line); !strings.Contains(string(r.body), "[sent before]") {
		t.Errorf("a line: %s", r.body)
	}
}

// The status of every command that takes nothing.
func TestRPCPing(t *testing.T) {
	x := newFake(t)
	h, c := newServer(t, x, Options{Version: "1.2.3"}).Handler(), newChecker(t)
	for _, method := range []string{"ping", "status"} {
		var got struct {
			Success bool
			Result  struct{ Version, Root string }
		}
		r := c.post(h, "/rpc", fmt.Sprintf(`{"method":%q}`, method))
		if r.decode(t, &got); !got.Success || got.Result.Version != "1.2.3" || got.Result.Root != x.root {
			t.Errorf("%s: %s", method, r.body)
		}
	}
	for _, method := range []string{"warm", "reindex"} {
		if r := c.post(h, "/rpc", fmt.Sprintf(`{"method":%q,"params":{}}`, method)); !strings.Contains(string(r.body), `"success":true`) {
			t.Errorf("%s: %s", method, r.body)
		}
	}
	if len(x.invs) != 2 || !x.invs[0].All {
		t.Errorf("told %+v", x.invs)
	}
}

// Every command leads to an endpoint that there is, and is named in its documentation.
func TestCommands(t *testing.T) {
	s, c := newServer(t, newFake(t), Options{}), newChecker(t)
	about := c.doc.Paths.Value("/rpc").Post.Description
	for _, method := range command.Names(answered) {
		cmd := command.All()[method]
		if item := c.doc.Paths.Value(cmd.Endpoint); item == nil {
			t.Errorf("%s: %s is not documented", method, cmd.Endpoint)
		}
		if !regexp.MustCompile("`" + method + "`").MatchString(about) {
			t.Errorf("%s is not in the description of /rpc", method)
		}
		if _, failure, err := s.command(t.Context(), wayRPC, "", method, nil); err != nil || failure != nil && failure.Code != serviceError || failure != nil && failure.Detail == wire.CodeInternal {
			t.Errorf("%s of nothing: %+v, %v", method, failure, err)
		}
	}
}

// The params of a command are the caller's, and stay as they are.
func TestCommandFields(t *testing.T) {
	for _, tc := range []struct{ method, params, want string }{
		{"semantic", `{"query":"a","k":5}`, `{"limit":5,"query":"a"}`},
		{"semantic", `{"query":"a","limit":1,"k":5}`, `{"k":5,"limit":1,"query":"a"}`},
		{"search", `{"pattern":"a.b"}`, `{"mode":"regex","query":"a.b"}`},
		{"search", `{"pattern":"a.b","mode":"lexical"}`, `{"mode":"lexical","query":"a.b"}`},
		{"search", `{"query":"a","target":"src"}`, `{"path":"src","query":"a"}`},
		{"search", `{"query":"a","target":"b","path":"src"}`, `{"path":"src","query":"a","target":"b"}`},
		{"context", `{"query":"","target":"a"}`, `{"query":"","target":"a"}`},
		{"context", `{"entry":"f","file":"a.go"}`, `{"target":"a.go:f"}`},
		{"context", `{"file":"a.go"}`, `{"target":"a.go"}`},
		{"impact", `{"function":"f"}`, `{"target":"f"}`},
		{"impact", `{"diff":"x"}`, `{"diff":"x"}`},
		{"references", `{"symbol":"a"}`, `{"target":"a"}`},
		{"trace", `{"symbol":"a","to":"b"}`, `{"target":"a","to":"b"}`},
		{"trace", `{"target":"a","to":"b"}`, `{"target":"a","to":"b"}`},
		{"trace", `{"query":"a","target":"b"}`, `{"target":"a","to":"b"}`},
		{"structure", `{"target":"src","max_results":3}`, `{"limit":3,"path":"src"}`},
		{"extract", `{"file":"a.go"}`, `{"file":"a.go"}`},
		{"extract", `{"file":"a.go","query":"f"}`, `{"file":"a.go","target":"f"}`},
		{"related", `{"query":"a.go:12"}`, `{"file":"a.go","line":"12"}`},
		{"related", `{"query":"a.go","target":"12"}`, `{"file":"a.go","line":"12"}`},
		{"related", `{"file":"a:b","line":3}`, `{"file":"a:b","line":3}`},
		{"summarize", `{"query":"src/a.go"}`, `{"target":"src/a.go"}`},
		{"summarize", `{"query":"Cart.add"}`, `{"target":"Cart.add"}`},
		{"summarize", `{"target":"src/a.go:f"}`, `{"target":"src/a.go:f"}`},
		{"summarize", `{"query":"how tokens end"}`, `{"target":"how tokens end"}`},
		{"summarize", `{"content":"a"}`, `{"content":"a"}`},
		{"startup", `{"query":"fix it","target":"main"}`, `{"entry_point":"main","task":"fix it"}`},
		{"grep", `{"query":"a","target":"src"}`, `{"path":"src","pattern":"a"}`},
		{"cat", `{"file":"a"}`, `{"path":"a"}`},
		{"find", `{"query":"*.go"}`, `{"name":"*.go"}`},
		{"notify", `{"file":"a"}`, `{"path":"a"}`},
	} {
		var params map[string]any
		if err := json.Unmarshal([]byte(tc.params), &params); err != nil {
			t.Fatal(err)
		}
		cmd := command.All()[tc.method]
		got, err := json.Marshal(cmd.Fields(params))
		if err != nil || string(got) != tc.want {
			t.Errorf("%s %s: %s, %v, want %s", tc.method, tc.params, got, err, tc.want)
		}
		if after, _ := json.Marshal(params); len(params) > 0 && !json.Valid(after) || string(after) != canonical(t, tc.params) {
			t.Errorf("%s %s became %s", tc.method, tc.params, after)
		}
	}
}

// canonical is a JSON object with its fields in order.
func canonical(t *testing.T, text string) string {
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
