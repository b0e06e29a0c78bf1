package api

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/search"
)

// asked sends requests of a session to a real index.
func asked(t *testing.T) (h http.Handler, ask func(path, body string) sessionReply) {
	x, _ := openReal(t)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	return h, func(path, body string) sessionReply {
		t.Helper()
		var got sessionReply
		r := c.post(h, path, body)
		if r.status != 200 {
			t.Fatalf("%s %s: %d %s", path, body, r.status, r.body)
		}
		r.decode(t, &got)
		return got
	}
}

type sessionReply struct {
	Results    []search.Result `json:"results"`
	Definition struct {
		Sent    bool   `json:"sent"`
		Content string `json:"content"`
	} `json:"definition"`
	Text    string        `json:"text"`
	Receipt *wire.Receipt `json:"receipt"`
}

const (
	asks    = `{"query":"validate token","limit":1,"max_tokens":500,"session_id":"s"}`
	without = `{"query":"validate token","limit":1,"max_tokens":500}`
)

// What a session was sent is a reference the second time, over all endpoints, and only
// for that session.
func TestSession(t *testing.T) {
	_, ask := asked(t)
	first := ask("/search", asks)
	r := first.Receipt
	if first.Results[0].Sent || r == nil || r.Files != 1 || r.References != 0 || r.TokensSent < 10 || r.TokensRaw <= r.TokensSent || r.SessionTokensSent != r.TokensSent {
		t.Errorf("first: %+v %+v", first.Results, r)
	}
	second := ask("/search", asks)
	if got := second.Results[0]; !got.Sent || got.Brief || got.Content != "func ValidateToken(t string) error {" || second.Receipt.References != 1 ||
		second.Receipt.SessionTokensSent != first.Receipt.TokensSent+second.Receipt.TokensSent {
		t.Errorf("second: %+v %+v", second.Results, second.Receipt)
	}
	if got := ask("/context", `{"target":"ValidateToken","session_id":"s"}`); !got.Definition.Sent || got.Definition.Content != "" || !strings.Contains(got.Text, "(sent before)") {
		t.Errorf("a context: %+v", got)
	}
	for _, body := range []string{without, strings.Replace(asks, `"s"`, `"other"`, 1)} {
		if got := ask("/search", body); got.Results[0].Sent {
			t.Errorf("%s: %+v", body, got.Results)
		}
	}
	// Without a budget nothing is left out, and what is given counts.
	if got := ask("/search", `{"query":"validate token","limit":1,"session_id":"s"}`); got.Results[0].Sent || got.Receipt == nil {
		t.Errorf("no budget: %+v %+v", got.Results, got.Receipt)
	}
	if got := ask("/search", `{"query":"validate token","limit":1}`); got.Receipt != nil {
		t.Errorf("a receipt that nobody asked for: %+v", got.Receipt)
	}
	ask("/extract", `{"symbol":"Allow","session_id":7}`)
	if got := ask("/context", `{"target":"Allow","session_id":"7"}`); !got.Definition.Sent {
		t.Errorf("after /extract: %+v", got)
	}
	fresh := ask("/search", strings.Replace(asks, `"s"`, `"s","fresh":"true"`, 1))
	if fresh.Results[0].Sent || fresh.Receipt.SessionTokensSent != fresh.Receipt.TokensSent {
		t.Errorf("fresh: %+v %+v", fresh.Results, fresh.Receipt)
	}
}

// Only what reaches the reader is remembered: no error, no HEAD, and no 304.
func TestSessionRemembersWhatIsSent(t *testing.T) {
	h, ask := asked(t)
	c := newChecker(t)
	const target = "/search?query=validate+token&limit=1&max_tokens=500&session_id=s"
	if r := c.do(h, request(http.MethodHead, target, "")); r.status != 200 {
		t.Fatalf("HEAD: %d", r.status)
	}
	c.get(h, target+"&mode=nonsense")
	req := request(http.MethodGet, target, "")
	req.Header.Set("If-None-Match", "*")
	if r := c.do(h, req); r.status != 304 {
		t.Fatalf("with *: %d", r.status)
	}
	first := c.get(h, target)
	if strings.Contains(string(first.body), `"sent":true`) {
		t.Errorf("the first answer has a reference: %s", first.body)
	}
	// The next answer is another one.
	req = request(http.MethodGet, target, "")
	req.Header.Set("If-None-Match", first.header.Get("ETag"))
	if r := c.do(h, req); r.status != 200 || !strings.Contains(string(r.body), `"sent":true`) {
		t.Errorf("with the tag of the first: %d %s", r.status, r.body)
	}
	// The header wins over the field.
	req = request(http.MethodGet, target, "")
	req.Header.Set("X-Session-Id", "somebody-else")
	if r := c.do(h, req); strings.Contains(string(r.body), `"sent":true`) {
		t.Errorf("another session: %s", r.body)
	}
	metrics := string(c.get(h, "/metrics").body)
	for _, want := range []string{"quarry_sessions 2", `quarry_tokens_returned_total{endpoint="/search"} `, `quarry_tokens_raw_total{endpoint="/search"} `} {
		if !strings.Contains(metrics, want) {
			t.Errorf("/metrics has no %q", want)
		}
	}
	if strings.Contains(metrics, "somebody-else") {
		t.Error("a session's id is in the metrics")
	}
	for path, body := range map[string]string{
		"/context": `{"target":"Allow"}`, "/startup": `{"task":"token"}`, "/skeleton": `{"path":"src"}`, "/extract": `{"symbol":"Allow"}`,
	} {
		ask(path, body)
		if !strings.Contains(string(c.get(h, "/metrics").body), `quarry_tokens_returned_total{endpoint="`+path+`"} `) {
			t.Errorf("%s is not counted", path)
		}
	}
}

func TestBadIDs(t *testing.T) {
	h, _ := asked(t)
	c := newChecker(t)
	for _, body := range []string{
		`"session_id":"` + strings.Repeat("x", 129) + `"`, `"agent_id":"é"`, `"session_id":"a\nb"`, `"session_id":true`, `"agent_id":["a"]`, `"session_id":"s","fresh":3`,
	} {
		if r := c.post(h, "/search", `{"query":"a",`+body+`}`); r.status != 400 {
			t.Errorf("%.40s: %d %s", body, r.status, r.body)
		}
	}
	req := request(http.MethodPost, "/impact", `{"target":"Allow"}`)
	req.Header.Set("X-Agent-Id", "caf\xe9")
	if r := c.do(h, req); r.status != 400 {
		t.Errorf("a bad header: %d %s", r.status, r.body)
	}
	if r := c.post(h, "/search", `{"query":"a","session_id":"`+strings.Repeat("x", 128)+`","agent_id":null}`); r.status != 200 {
		t.Errorf("128 bytes: %d %s", r.status, r.body)
	}
}

// Several at once of one session: one of them is sent the text.
func TestSessionTakesTurns(t *testing.T) {
	_, ask := asked(t)
	var mu sync.Mutex
	whole := 0
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got := ask("/search", asks); !got.Results[0].Sent {
				mu.Lock()
				whole++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if whole != 1 {
		t.Errorf("%d of 8 answers have the text", whole)
	}
}

// The results of several projects are in one budget, and each project has its session.
func TestSessionOfProjects(t *testing.T) {
	ps, _, _ := several(t)
	c, h := newChecker(t), newServer(t, nil, Options{Projects: ps}).Handler()
	var got sessionReply
	for n := range 2 {
		r := c.post(h, "/search", `{"query":"a","projects":"*","max_tokens":1000,"session_id":"s"}`)
		r.decode(t, &got)
		if (got.Receipt.References > 0) != (n > 0) || got.Receipt.Files < 2 || r.status != 200 {
			t.Errorf("%d: %s", n, r.body)
		}
	}
	var one sessionReply
	c.post(h, "/search", `{"query":"a","project":"shop","max_tokens":1000,"session_id":"s"}`).decode(t, &one)
	if one.Receipt.SessionTokensSent <= one.Receipt.TokensSent || one.Receipt.SessionTokensSent >= got.Receipt.SessionTokensSent {
		t.Errorf("the session of one of two projects: %+v of %+v", one.Receipt, got.Receipt)
	}
}
