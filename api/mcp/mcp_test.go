package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/api/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fake is a Connection that remembers what it was asked.
type fake struct {
	answer func(ctx context.Context, endpoint string, fields map[string]any) (int, string, error)

	mu    sync.Mutex
	asked []string
}

func (f *fake) Ask(ctx context.Context, endpoint string, fields map[string]any) (int, []byte, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return 0, nil, err
	}
	f.mu.Lock()
	f.asked = append(f.asked, endpoint+" "+string(text))
	f.mu.Unlock()
	status, body, err := f.answer(ctx, endpoint, fields)
	return status, []byte(body), err
}

// body is an answer of an index in a state, with more fields.
func body(state string, progress float64, more string) string {
	return fmt.Sprintf(`{"index":{"state":%q,"generation":1,"progress":%v,"vectors":1,"freshness":"FRESH","pending":0,"root":"/r"},`+
		`"meta":{"v":1,"cmd":"x","matches":0,"truncated":false}%s}`, state, progress, more)
}

func ready(context.Context, string, map[string]any) (int, string, error) {
	return 200, body("ready", 1, `,"results":[]`), nil
}

// connect returns a client of a server in this process.
func connect(t *testing.T, opt Options, client *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	here, there := sdk.NewInMemoryTransports()
	ended := make(chan error, 1)
	s := New(opt)
	go func() { ended <- s.Run(ctx, there) }()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, client).Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		cancel()
	})
	return c
}

func call(t *testing.T, c *sdk.ClientSession, name, arguments string) *sdk.CallToolResult {
	t.Helper()
	params := &sdk.CallToolParams{Name: name}
	if arguments != "" {
		params.Arguments = json.RawMessage(arguments)
	}
	res, err := c.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	return res
}

func textOf(res *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		b.WriteString(c.(*sdk.TextContent).Text)
	}
	return b.String()
}

// TestRequests has arguments in and what the endpoint is asked out.
func TestRequests(t *testing.T) {
	for _, tc := range []struct{ tool, arguments, want string }{
		{"search", `{"query":"a b"}`, `/search {"limit":8,"query":"a b"}`},
		{"search", `{"query":"a","limit":"3","code":true,"path":"x","lang":null}`, `/search {"limit":"3","max_tokens":2000,"path":"x","query":"a"}`},
		{"search", `{"query":"a","code":"true","max_tokens":100}`, `/search {"limit":8,"max_tokens":100,"query":"a"}`},
		{"search", `{"query":"a","explain":"short","rerank":true}`, `/search {"explain":"short","limit":8,"query":"a","rerank":true}`},
		{"context", `{"target":"A.b"}`, `/context {"max_tokens":2000,"target":"A.b"}`},
		{"impact", `{"diff":"--- a"}`, `/impact {"diff":"--- a","limit":30}`},
		{"calls", `{"target":"A","direction":"callers","offset":30}`, `/calls {"depth":1,"direction":"callers","limit":30,"offset":30,"target":"A"}`},
		{"references", `{"target":"A","kind":"write"}`, `/references {"kind":"write","limit":30,"target":"A"}`},
		{"definition", `{"file":"a.go","line":"3","name":"A"}`, `/definition {"line":"3","name":"A","path":"a.go"}`},
		{"trace", `{"symbol":"A","to":"B"}`, `/trace {"depth":1,"target":"A","to":"B"}`},
		{"calls", `{"func":"A","top_k":3}`, `/calls {"depth":1,"direction":"both","limit":3,"target":"A"}`},
		{"outline", `{"path":"."}`, `/skeleton {"docs":true,"lines":true,"max_tokens":2000,"target":"."}`},
		{"read", `{"file":"a.go"}`, `/cat {"path":"a.go"}`},
		{"related", `{"target":"a.go:9"}`, `/related {"limit":5,"target":"a.go:9"}`},
		{"read", `{"path":"a.go","start":3}`, `/cat {"path":"a.go","start":3}`},
		{"summarize", `{"content":"x","level":"L1"}`, `/summarize {"content":"x","level":"L1"}`},
		{"related", `{"file":"a.go","line":9}`, `/related {"file":"a.go","limit":5,"line":9}`},
		{"status", `{}`, `/status {}`},
		{"status", ``, `/status {}`},

		{"search", `{}`, "invalid_request: query is missing"},
		{"search", `{"query":"a","code":"yes"}`, "invalid_request: code must be true or false"},
		{"search", `{"query":"a","glob":"*.go"}`, `invalid_request: search has no argument "glob"; it takes query, path, lang, limit, code, max_tokens, explain, rerank`},
		{"calls", `{"target":"A","symbol":"B"}`, `invalid_request: calls has no argument "symbol"; it takes target, direction, depth, limit, offset`},
		{"calls", `{"target":"A","lmit":3}`, `invalid_request: calls has no argument "lmit"; it takes target, direction, depth, limit, offset; did you mean limit?`},
		{"status", `{"verbose":true}`, "invalid_request: status takes no arguments"},
		{"read", `[1]`, "invalid_request: the arguments of read must be an object"},
		{"read", `"path"`, "invalid_request: the arguments of read must be an object"},
	} {
		f := &fake{answer: ready}
		c := connect(t, Options{Asker: Remote(f)}, nil)
		res := call(t, c, tc.tool, tc.arguments)
		if got := strings.Join(f.asked, "\n"); got != tc.want && !(res.IsError && got == "" && textOf(res) == tc.want) {
			t.Errorf("%s %s: asked %s, answered %s\nwant %s", tc.tool, tc.arguments, got, textOf(res), tc.want)
		}
	}
}

// TestRefusals hands on what an endpoint refuses as an error of the tool.
func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		status int
		body   string
		err    error
		want   string
	}{
		{400, `{"error":"invalid_request","message":"limit must be a whole number from 1 to 100"}`, nil, "invalid_request: limit must be a whole number from 1 to 100"},
		{409, `{"error":"wrong_project","message":"there is no project x"}`, nil, "wrong_project: there is no project x"},
		{502, `<html>`, nil, "unavailable: /search was answered 502"},
		{0, "", errors.New("no server of /r listens"), "unavailable: no server of /r listens"},
	} {
		f := &fake{answer: func(context.Context, string, map[string]any) (int, string, error) { return tc.status, tc.body, tc.err }}
		res := call(t, connect(t, Options{Asker: Remote(f)}, nil), "search", `{"query":"a"}`)
		if !res.IsError || textOf(res) != tc.want || res.StructuredContent != nil {
			t.Errorf("%+v: %v %s", tc, res.IsError, textOf(res))
		}
	}
	// What is not understood is an error of the protocol, and so is a tool that there is not.
	f := &fake{answer: func(context.Context, string, map[string]any) (int, string, error) { return 200, "[", nil }}
	c := connect(t, Options{Asker: Remote(f)}, nil)
	for _, name := range []string{"search", "nothing"} {
		if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: map[string]any{"query": "a"}}); err == nil {
			t.Errorf("%s was answered", name)
		}
	}
}

// TestPanic keeps the process, and the session, alive.
func TestPanic(t *testing.T) {
	first := true
	f := &fake{answer: func(ctx context.Context, e string, m map[string]any) (int, string, error) {
		if first {
			first = false
			panic("of the asker")
		}
		return ready(ctx, e, m)
	}}
	c := connect(t, Options{Asker: Remote(f)}, nil)
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "search", Arguments: map[string]any{"query": "a"}}); err == nil || !strings.Contains(err.Error(), "internal error") {
		t.Errorf("%v", err)
	}
	if res := call(t, c, "search", `{"query":"a"}`); res.IsError {
		t.Errorf("%s", textOf(res))
	}
}

// TestCancellation ends the work under a call that nobody waits for, and the session
// goes on.
func TestCancellation(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	f := &fake{}
	f.answer = func(ctx context.Context, endpoint string, fields map[string]any) (int, string, error) {
		if fields["query"] != "slow" {
			return ready(ctx, endpoint, fields)
		}
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return 0, "", ctx.Err()
	}
	c := connect(t, Options{Asker: Remote(f), Poll: time.Millisecond}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		params := &sdk.CallToolParams{Name: "search", Arguments: map[string]any{"query": "slow"}}
		params.SetProgressToken("slow")
		_, err := c.CallTool(ctx, params)
		answered <- err
	}()
	<-began
	cancel()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("the call: %v", err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the work: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the work goes on")
	}
	if res := call(t, c, "search", `{"query":"a"}`); res.IsError {
		t.Errorf("%s", textOf(res))
	}
}

// TestProgress has an index being built: the call waits for it, tells how far it is, and
// answers from the whole.
func TestProgress(t *testing.T) {
	var mu sync.Mutex
	looks := 0
	f := &fake{answer: func(_ context.Context, endpoint string, _ map[string]any) (int, string, error) {
		mu.Lock()
		defer mu.Unlock()
		if endpoint == "/status" {
			looks++
		}
		switch {
		case looks >= 4:
			return 200, body("ready", 1, `,"results":[{"file":"a.go","line":1}]`), nil
		case endpoint == "/context":
			return 404, `{"error":"not_found","message":"no symbol is called \"A\""}`, nil
		}
		return 200, body("indexing", 0.2*float64(looks), `,"results":[]`), nil
	}}
	var told []float64
	heard := make(chan struct{}, 100)
	c := connect(t, Options{Asker: Remote(f), Poll: 5 * time.Millisecond, Patience: time.Minute}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, n *sdk.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			if n.Params.ProgressToken != "t" || n.Params.Total != 1 || n.Params.Message == "" {
				t.Errorf("%+v", n.Params)
			}
			told = append(told, n.Params.Progress)
			heard <- struct{}{}
		},
	})
	for _, params := range []*sdk.CallToolParams{
		{Name: "search", Arguments: map[string]any{"query": "a"}},
		{Name: "context", Arguments: map[string]any{"target": "A"}}, // 404 so far
	} {
		mu.Lock()
		looks, told = 0, nil
		mu.Unlock()
		params.SetProgressToken("t")
		res, err := c.CallTool(t.Context(), params)
		if err != nil || res.IsError || res.StructuredContent.(map[string]any)["index"].(map[string]any)["state"] != "ready" {
			t.Errorf("%s: %+v, %v", params.Name, res, err)
		}
		<-heard
		mu.Lock()
		if len(told) == 0 || !slices.IsSorted(told) || len(slices.Compact(slices.Clone(told))) != len(told) {
			t.Errorf("%s: told %v", params.Name, told)
		}
		mu.Unlock()
	}
}

// TestBuiltMeanwhile has a build end between an answer that a symbol is not there and the look at
// the state.
func TestBuiltMeanwhile(t *testing.T) {
	f := &fake{}
	f.answer = func(_ context.Context, endpoint string, _ map[string]any) (int, string, error) {
		if endpoint == "/calls" && len(f.asked) == 1 {
			return 404, `{"error":"not_found","message":"no symbol is called \"A\"; the index is still being built"}`, nil
		}
		return 200, body("ready", 1, `,"edges":[],"total":0`), nil
	}
	if res := call(t, connect(t, Options{Asker: Remote(f)}, nil), "calls", `{"target":"A"}`); res.IsError || len(f.asked) != 3 {
		t.Errorf("asked %q: %s", f.asked, textOf(res))
	}
}

// TestPatience bounds the wait for an index that takes long, for all calls together.
func TestPatience(t *testing.T) {
	f := &fake{answer: func(_ context.Context, endpoint string, _ map[string]any) (int, string, error) {
		if endpoint == "/context" {
			return 404, `{"error":"not_found","message":"no symbol is called \"A\""}`, nil
		}
		return 200, body("indexing", 0.43, `,"results":[]`), nil
	}}
	c := connect(t, Options{Asker: Remote(f), Poll: 5 * time.Millisecond, Patience: 50 * time.Millisecond}, nil)
	began := time.Now()
	res := call(t, c, "search", `{"query":"a"}`)
	if waited := time.Since(began); waited < 50*time.Millisecond || len(f.asked) > 12 { // one each Poll
		t.Errorf("waited %v, asked %d times", waited, len(f.asked))
	}
	if got := res.StructuredContent.(map[string]any)["index"].(map[string]any); got["state"] != "indexing" || got["progress"] != 0.43 {
		t.Errorf("%v", got)
	}
	n := len(f.asked)
	call(t, c, "search", `{"query":"b"}`)
	if got := f.asked[n:]; !cmp.Equal(got, []string{`/search {"limit":8,"query":"b"}`}) {
		t.Errorf("without patience it asked %q", got)
	}
	if res := call(t, c, "context", `{"target":"A"}`); !res.IsError || textOf(res) != `not_found: no symbol is called "A", so far: the index is still being built` {
		t.Errorf("%s", textOf(res))
	}
	if res := call(t, c, "status", ``); res.IsError {
		t.Errorf("%s", textOf(res))
	}
}

// TestBeforeTheGraph: "none is known" before the first call graph is no answer yet.
func TestBeforeTheGraph(t *testing.T) {
	for _, most := range []time.Duration{time.Minute, time.Nanosecond} {
		early := 3
		f := &fake{answer: func(_ context.Context, endpoint string, _ map[string]any) (int, string, error) {
			if early--; endpoint == "/calls" && early >= 0 {
				return 200, body("ready", 1, `,"edges":[],"incomplete":["`+wire.GraphBuilding+`"]`), nil
			}
			return 200, body("ready", 1, `,"edges":[],"complete":true`), nil
		}}
		c := connect(t, Options{Asker: Remote(f), Poll: time.Millisecond, Patience: most}, nil)
		res := call(t, c, "calls", `{"target":"A"}`)
		if got := res.StructuredContent.(map[string]any)["complete"]; got != (most == time.Minute) {
			t.Errorf("with patience of %v: complete %v, asked %q", most, got, f.asked)
		}
	}
}

// TestMore says how a list goes on.
func TestMore(t *testing.T) {
	f := &fake{answer: func(context.Context, string, map[string]any) (int, string, error) {
		return 200, body("ready", 1, `,"callers":[],"total":90,"truncated":true,"next_offset":30`), nil
	}}
	res := call(t, connect(t, Options{Asker: Remote(f)}, nil), "impact", `{"target":"A"}`)
	if !strings.HasSuffix(textOf(res), "\n[offset 30 continues]\n") {
		t.Errorf("%s", textOf(res))
	}
	if got := more([]byte(body("ready", 1, ""))); got != "" {
		t.Errorf("%q", got)
	}
}

// TestNoSubscriptions: a stream that would never say anything is not opened.
func TestNoSubscriptions(t *testing.T) {
	s := New(Options{Asker: Remote(&fake{answer: ready})})
	h := s.receive(func(context.Context, string, sdk.Request) (sdk.Result, error) { return nil, nil })
	if _, err := h(t.Context(), "subscriptions/listen", nil); !errors.Is(err, errNoSubscriptions) {
		t.Errorf("%v", err)
	}
}

// TestWaiting tells a client that its call goes on, as when a server is started for it.
func TestWaiting(t *testing.T) {
	heard := make(chan string, 100)
	f := &fake{answer: func(ctx context.Context, endpoint string, fields map[string]any) (int, string, error) {
		select {
		case <-heard:
		case <-time.After(10 * time.Second):
			t.Error("nothing is told")
		}
		return ready(ctx, endpoint, fields)
	}}
	c := connect(t, Options{Asker: Remote(f), Poll: time.Millisecond}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, n *sdk.ProgressNotificationClientRequest) {
			select {
			case heard <- n.Params.Message:
			default:
			}
		},
	})
	params := &sdk.CallToolParams{Name: "search", Arguments: map[string]any{"query": "a"}}
	params.SetProgressToken(7)
	if res, err := c.CallTool(t.Context(), params); err != nil || res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestBound cuts lists that an endpoint does not cut, and counts what it cuts.
func TestBound(t *testing.T) {
	names := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint("f", i)
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	x := tool{name: "impact", endpoint: "/impact", output: reflect.TypeFor[affected]()}
	leftOut := `,"left_out":[` + strings.Repeat(`{"file":"a","reason":"b"},`, longest+1) + `{"file":"a","reason":"b"}]`
	given := func(endpoint, more string) any {
		answer, err := wire.Decode(endpoint, []byte(body("ready", 1, more)))
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	res, err := x.result(given("/impact", `,"callers":[],"tests":`+names(longest+8)+`,"files":`+names(longest)+leftOut), false)
	if err != nil {
		t.Fatal(err)
	}
	var got affected
	if err := json.Unmarshal(res.fields, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tests) != longest || got.TestsMore != 8 || len(got.Files) != longest || got.FilesMore != 0 || len(got.LeftOut) != longest || got.LeftMore != 2 {
		t.Errorf("%+v", got)
	}
	if !strings.HasSuffix(res.text, "\n[8 more test files]\n") {
		t.Errorf("%s", res.text)
	}
	// An outline counts some itself.
	x = tool{name: "outline", endpoint: "/skeleton", output: reflect.TypeFor[outlined]()}
	if res, err = x.result(given("/skeleton", leftOut+`,"left_out_more":5`), false); err != nil {
		t.Fatal(err)
	}
	var outline outlined
	if err := json.Unmarshal(res.fields, &outline); err != nil || len(outline.LeftOut) != longest || outline.LeftOutMore != 7 {
		t.Errorf("%+v, %v", outline, err)
	}
	if _, err := wire.Decode("/impact", []byte(`{"tests":1`)); err == nil {
		t.Error("half an answer was taken")
	}
}
