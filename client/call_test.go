package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A script answers requests one after the other: a status with a body, or an error.
type script struct {
	t       *testing.T
	answers []any // *http.Response or error
	sent    []string
	at      []time.Time
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.sent = append(s.sent, req.Method+" "+req.URL.RequestURI()+" "+string(body))
	s.at = append(s.at, time.Now())
	if len(s.answers) == 0 {
		s.t.Fatalf("one request too many: %q", s.sent)
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	if err, ok := next.(error); ok {
		return nil, err
	}
	return next.(*http.Response), nil
}

// answer is a response with a body and headers, each "Name: value".
func answer(status int, body string, headers ...string) *http.Response {
	h := http.Header{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// busy is an answer that puts a request off.
func busy(seconds string) *http.Response {
	return answer(429, `{"error":"rate_limited","message":"64 searches are waiting already","request_id":"r1"}`, "Retry-After: "+seconds)
}

func dialError() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

func resetError() error {
	return &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
}

const found = `{"results":[{"file":"a.go","line":1,"end_line":2,"content":"x","score":0.5,"signature":"x","novel":1}],"index":{"state":"ready"},"meta":{"v":1},"later":{}}`

// TestRetries says for each kind of failure how often a request is sent, and
// how long that takes at least and at most.
func TestRetries(t *testing.T) {
	search := func(ctx context.Context, c *Client) error {
		r, err := c.Search(ctx, SearchRequest{Query: "x"})
		if err == nil && r.Results[0].File != "a.go" {
			err = fmt.Errorf("%+v", r)
		}
		return err
	}
	reindex := func(ctx context.Context, c *Client) error {
		_, err := c.Reindex(ctx, ReindexRequest{})
		return err
	}
	for _, c := range []struct {
		name        string
		answers     []any
		opt         Options
		do          func(context.Context, *Client) error
		deadline    time.Duration
		sent        int
		least, most time.Duration
		fails       bool
	}{
		{name: "at once", answers: []any{answer(200, found)}, do: search, sent: 1},
		{name: "nobody listens yet", answers: []any{dialError(), dialError(), answer(200, found)}, do: search, sent: 3, least: 150 * time.Millisecond, most: 300 * time.Millisecond},
		{name: "nobody listens", answers: []any{dialError(), dialError(), dialError(), dialError()}, do: search, sent: 4, least: 350 * time.Millisecond, most: 700 * time.Millisecond, fails: true},
		{name: "an unknown host", answers: []any{&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}}, do: search, sent: 1, fails: true},
		{name: "not sent, so that once is once", answers: []any{dialError(), answer(202, `{"generation":3}`)}, do: reindex, sent: 2, most: 100 * time.Millisecond},
		{name: "broken, a question", answers: []any{resetError(), io.EOF, answer(200, found)}, do: search, sent: 3, most: 300 * time.Millisecond},
		{name: "broken, what is done once", answers: []any{resetError()}, do: reindex, sent: 1, fails: true},
		{name: "put off", answers: []any{busy("2"), answer(200, found)}, do: search, sent: 2, least: 2 * time.Second, most: 2 * time.Second},
		{name: "put off, what is done once", answers: []any{busy("1"), answer(202, `{}`)}, do: reindex, sent: 2, least: time.Second, most: time.Second},
		{name: "put off, but not until when", answers: []any{answer(503, `{"error":"no_memory","message":"no room","request_id":"r"}`)}, do: search, sent: 1, fails: true},
		{name: "put off beyond the deadline", answers: []any{busy("10")}, do: search, deadline: 5 * time.Second, sent: 1, fails: true},
		{name: "put off beyond the timeout", answers: []any{busy("40")}, do: search, sent: 1, fails: true},
		{name: "never", answers: []any{busy("1")}, opt: Options{Retries: -1}, do: search, sent: 1, fails: true},
		{name: "once", answers: []any{busy("1"), busy("1")}, opt: Options{Retries: 1}, do: search, sent: 2, least: time.Second, most: time.Second, fails: true},
		{name: "a fault of the server", answers: []any{answer(500, `{"error":"internal","message":"internal error","request_id":"r"}`)}, do: search, sent: 1, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{t: t, answers: c.answers}
				opt := c.opt
				opt.HTTPClient = &http.Client{Transport: s}
				ctx := t.Context()
				if c.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				began := time.Now()
				if err := c.do(ctx, newClient(t, "http://localhost:3456", opt)); (err != nil) != c.fails {
					t.Errorf("error %v, want one: %v", err, c.fails)
				}
				if len(s.sent) != c.sent {
					t.Errorf("sent %d times, want %d", len(s.sent), c.sent)
				}
				if took := time.Since(began); took < c.least || took > c.most {
					t.Errorf("it took %v, want %v to %v", took, c.least, c.most)
				}
				for _, again := range s.sent {
					if again != s.sent[0] {
						t.Errorf("sent %q after %q", again, s.sent[0])
					}
				}
			})
		})
	}
}

// TestRetriesEnd ends the context during a pause and during a request.
func TestRetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{t: t, answers: []any{busy("3")}}
		c := newClient(t, "http://localhost:3456", Options{HTTPClient: &http.Client{Transport: s}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		_, err := c.Search(ctx, SearchRequest{Query: "x"})
		if e := (*Error)(nil); !errors.As(err, &e) || e.Code != CodeRateLimited || time.Since(began) != time.Second || len(s.sent) != 1 {
			t.Errorf("%v after %v and %d requests; want rate_limited after 1s and one", err, time.Since(began), len(s.sent))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, "http://localhost:3456", Options{Timeout: 2 * time.Second, HTTPClient: &http.Client{Transport: hanging{}}})
		began := time.Now()
		_, err := c.Search(t.Context(), SearchRequest{Query: "x"})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 2s") || time.Since(began) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// hanging never answers.
type hanging struct{}

func (hanging) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		resp *http.Response
		want Error
		text string
	}{
		{"a problem", answer(404, `{"error":"not_found","message":"the path \"x\" does not exist","request_id":"r7"}`),
			Error{Status: 404, Code: CodeNotFound, Message: `the path "x" does not exist`, RequestID: "r7"}, `quarry: the path "x" does not exist (not_found)`},
		{"put off", busy("7"), Error{Status: 429, Code: CodeRateLimited, Message: "64 searches are waiting already", RequestID: "r1", RetryAfter: 7 * time.Second},
			"quarry: 64 searches are waiting already (rate_limited)"},
		{"of a proxy", answer(502, "<html>", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT"), Error{Status: 502, Message: "the server answered 502 Bad Gateway"},
			"quarry: the server answered 502 Bad Gateway (502)"},
		{"moved", answer(304, ""), Error{Status: 304, Message: "the server answered 304 Not Modified"}, "quarry: the server answered 304 Not Modified (304)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := newClient(t, "http://localhost:3456", Options{Retries: -1, HTTPClient: &http.Client{Transport: &script{t: t, answers: []any{c.resp}}}})
			_, err := cl.Search(t.Context(), SearchRequest{Query: "x"})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			if diff := cmp.Diff(c.want, *e); diff != "" || err.Error() != c.text {
				t.Errorf("%v; (-want +got):\n%s", err, diff)
			}
		})
	}
	for name, resp := range map[string]*http.Response{
		"is not one of Quarry": answer(200, "<html>"),
		"broke off":            {StatusCode: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader("{"), broken{}))},
		"is longer than":       {StatusCode: 200, Body: io.NopCloser(endless{})},
	} {
		c := newClient(t, "http://localhost:3456", Options{HTTPClient: &http.Client{Transport: &script{t: t, answers: []any{resp}}}})
		if _, err := c.Health(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v; want that it %s", err, name)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat(" ", len(p))), nil }

// TestScope looks at what is sent of the options.
func TestScope(t *testing.T) {
	var answers []any
	for range 9 {
		answers = append(answers, answer(200, "{}"))
	}
	s := &script{t: t, answers: answers}
	c := newClient(t, "http://localhost:3456/", Options{Project: "shop", AgentID: "coder", SessionID: "s 1", HTTPClient: &http.Client{Transport: s}})
	ctx := t.Context()
	for _, err := range []error{
		call1(c.Search(ctx, SearchRequest{Query: "x"})),
		call1(c.Search(ctx, SearchRequest{Query: "x", Scope: Scope{Project: "depot", SessionID: "s2"}})),
		call1(c.Search(ctx, SearchRequest{Query: "x", Projects: []string{"*"}})),
		call1(c.Reindex(ctx, ReindexRequest{Reset: true})),
		call1(c.Status(ctx, StatusRequest{Skipped: new(int)})),
		call1(c.Handle(ctx, HandleRequest{Handle: "res/1", Chunk: 2})),
		call1(c.Handles(ctx, Scope{AgentID: "other"})),
		call1(c.Ready(ctx)),
		c.RemoveProject(ctx, "/home/me/my shop"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{
		`POST /search {"query":"x","project":"shop","agent_id":"coder","session_id":"s 1","shape":"quarry"}`,
		`POST /search {"query":"x","project":"depot","agent_id":"coder","session_id":"s2","shape":"quarry"}`,
		`POST /search {"query":"x","projects":["*"],"agent_id":"coder","session_id":"s 1","shape":"quarry"}`,
		`POST /reindex {"reset":true,"project":"shop"}`,
		`GET /status?project=shop&skipped=0 `,
		`GET /handles/res%2F1?agent_id=coder&chunk=2&session_id=s+1 `,
		`GET /handles?agent_id=other&session_id=s+1 `,
		`GET /ready?project=shop `,
		`DELETE /projects/%2Fhome%2Fme%2Fmy%20shop `,
	}
	if diff := cmp.Diff(want, s.sent); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestAsk has answers in types of the caller's own, and as they come.
func TestAsk(t *testing.T) {
	s := &script{t: t, answers: []any{
		answer(200, found), answer(200, `{"v":1}`), answer(404, `{"error":"not_found","message":"no","request_id":"r"}`),
		answer(404, "nothing", "X-Matches: 0"), answer(200, "text"),
	}}
	c := newClient(t, "http://localhost:3456", Options{Retries: -1, HTTPClient: &http.Client{Transport: s}})
	ctx := t.Context()
	var own struct{ Results []struct{ Signature string } }
	var whole json.RawMessage
	if err := c.Ask(ctx, "/search", SearchRequest{Query: "x"}, &own, &whole); err != nil || len(own.Results) != 1 || own.Results[0].Signature != "x" || string(whole) != found {
		t.Errorf("%+v %s %v", own, whole, err)
	}
	if err := c.Ask(ctx, "/status?skipped=0", nil, &whole); err != nil || string(whole) != `{"v":1}` {
		t.Errorf("%s %v", whole, err)
	}
	if err := c.Ask(ctx, "/calls", CallsRequest{}, &whole); err == nil || err.Error() != "quarry: no (not_found)" {
		t.Errorf("%v", err)
	}
	resp, err := c.Raw(ctx, RawRequest{Method: http.MethodPost, Path: "/grep", Body: GrepRequest{Pattern: "x"}, Header: http.Header{"Accept": {"text/plain"}}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 404 || resp.Header.Get("X-Matches") != "0" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if err := c.Ask(ctx, "/health", nil, &whole); err == nil || !strings.Contains(err.Error(), "is not one of Quarry") {
		t.Errorf("%v", err)
	}
	want := []string{`POST /search {"query":"x"}`, "GET /status?skipped=0 ", `POST /calls {}`, `POST /grep {"pattern":"x"}`, "GET /health "}
	if diff := cmp.Diff(want, s.sent); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// call1 keeps the error of a call.
func call1[A any](_ A, err error) error { return err }

// TestMisuse holds that what cannot be meant is not sent.
func TestMisuse(t *testing.T) {
	c := newClient(t, "http://localhost:3456", Options{HTTPClient: &http.Client{Transport: &script{t: t}}})
	ctx := t.Context()
	for name, err := range map[string]error{
		"SearchAll takes several": call1(c.Search(ctx, SearchRequest{Queries: []string{"a", "b"}})),
		"SearchAll without":       call1(c.SearchAll(ctx, SearchRequest{Query: "a"})),
		"Extract without":         call1(c.Extract(ctx, ExtractRequest{File: "a.go"})),
		"Outline of a symbol":     call1(c.Outline(ctx, ExtractRequest{File: "a.go", Target: "x"})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "client: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, address := range []string{"", "localhost:3456", "/tmp/quarry.sock", "http://", "ftp://host", "http://host/?a=b", "http://host\x00"} {
		if _, err := New(address, Options{}); err == nil {
			t.Errorf("New takes the address %q", address)
		}
	}
	if _, err := New("http://localhost", Options{Timeout: -1}); err == nil {
		t.Error("New takes a negative timeout")
	}
}

// TestKeepAlive counts the connections of many requests, also of failing ones.
func TestKeepAlive(t *testing.T) {
	var made atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer secret" {
			t.Errorf("Authorization %q", got)
		}
		if r.Header["Idempotency-Key"] != nil {
			t.Error("a header was sent that is only for net/http")
		}
		if r.URL.Path == "/health" {
			w.WriteHeader(http.StatusTeapot)
		}
		fmt.Fprint(w, found)
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			made.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	c := newClient(t, srv.URL, Options{Token: "secret"})
	for range 20 {
		if _, err := c.Search(t.Context(), SearchRequest{Query: "x"}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Health(t.Context()); err == nil {
			t.Fatal("a teapot is no error")
		}
	}
	if n := made.Load(); n != 1 {
		t.Errorf("%d connections for 40 requests in a row, want 1", n)
	}
	// The server closes the connection that is kept; the next request finds out.
	srv.CloseClientConnections()
	if _, err := c.Search(t.Context(), SearchRequest{Query: "x"}); err != nil {
		t.Errorf("after the server closed the connection: %v", err)
	}
}

// newClient returns a client that is closed when the test ends.
func newClient(t *testing.T, address string, opt Options) *Client {
	t.Helper()
	c, err := New(address, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
