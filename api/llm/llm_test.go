package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/index/summary"
	"github.com/quarry-search/quarry/index/tokens"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-the-secret-key-of-a-test"

// An endpoint is an OpenAI endpoint of a test.
type endpoint struct {
	*httptest.Server
	answer func(prompt string) (status int, body string) // nil: says "a summary"

	mu      sync.Mutex
	prompts []string
	header  http.Header
}

func said(text string) string {
	b, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}}}})
	return string(b)
}

func newEndpoint(t *testing.T, answer func(string) (int, string)) *endpoint {
	e := &endpoint{answer: answer}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string `json:"model"`
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/chat/completions" || body.Model != "small" || len(body.Messages) != 1 {
			t.Errorf("%s %+v: %v", r.URL.Path, body, err)
			return
		}
		e.mu.Lock()
		e.prompts, e.header = append(e.prompts, body.Messages[0].Content), r.Header
		e.mu.Unlock()
		status, text := http.StatusOK, said("a summary")
		if e.answer != nil {
			status, text = e.answer(body.Messages[0].Content)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) asked() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.prompts)
}

func (e *endpoint) client(t *testing.T, timeout time.Duration) *Client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	c, err := New(Options{BaseURL: e.URL + "/v1/", Model: "small", Key: testKey, Timeout: timeout, HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPrompts(t *testing.T) {
	e := newEndpoint(t, nil)
	c := e.client(t, 0)
	for level, want := range map[summary.Level]string{
		summary.L1: "Summarize this context in 2-3 sentences. Focus on:\n1. What is being worked on\n2. Current state/progress\n3. Key decisions made\n\nKeep it actionable and concise.\n\nCONTEXT:\nthe text",
		summary.L2: "Create a detailed but compact summary:\n1. Goal and current focus\n2. Key technical details and decisions\n3. Blockers or hypotheses being tested\n4. Important file/function references\n\nFormat as bullet points. Max 500 tokens.\n\nCONTEXT:\nthe text",
	} {
		got, err := c.Summarize(t.Context(), "the text", level, 0)
		if err != nil || got != "a summary" {
			t.Errorf("%s: %q, %v", level, got, err)
		}
		if last := e.prompts[len(e.prompts)-1]; last != want {
			t.Errorf("%s: the prompt is %q", level, last)
		}
	}
	if got := e.header.Get("Authorization"); got != "Bearer "+testKey {
		t.Errorf("Authorization %q", got)
	}
	if got, err := c.Summarize(t.Context(), " \n", summary.L1, 0); got != "" || err != nil {
		t.Errorf("of nothing: %q, %v", got, err)
	}
	if _, err := c.Summarize(t.Context(), "the text", summary.L3, 0); err == nil {
		t.Error("L3 has a prompt")
	}
	if n := e.asked(); n != 2 {
		t.Errorf("asked %d times", n)
	}
	plain, err := New(Options{BaseURL: e.URL + "/v1", Model: "small", HTTPClient: e.Client()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Summarize(t.Context(), "the text", summary.L1, 0); err != nil || e.header.Get("Authorization") != "" {
		t.Errorf("without a key: %v, Authorization %q", err, e.header.Get("Authorization"))
	}
	e.Client().CloseIdleConnections()
}

// TestChunks: a long text is summarised in chunks that have all of it, and the chunks'
// summaries together.
func TestChunks(t *testing.T) {
	e := newEndpoint(t, func(prompt string) (int, string) {
		return http.StatusOK, said(fmt.Sprintf("of %d", strings.Count(prompt, "Paragraph")))
	})
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "Paragraph %d is about something that takes a sentence of some length to say.\n\n", i)
	}
	got, err := e.client(t, 0).Summarize(t.Context(), text.String(), summary.L1, 0)
	if err != nil || got != "of 0" {
		t.Fatalf("%q, %v", got, err)
	}
	n, chunks := 0, len(e.prompts)-1
	for _, p := range e.prompts[:chunks] {
		if tokens.Estimate(p) > chunkTokens+100 || !strings.HasPrefix(p, "Create a detailed") {
			t.Errorf("a chunk of %d tokens: %.60q", tokens.Estimate(p), p)
		}
		n += strings.Count(p, "Paragraph")
	}
	last := e.prompts[chunks]
	if n != 1000 || chunks < 4 || chunks > 6 || !strings.HasPrefix(last, "Summarize this context") || strings.Count(last, "of ") < chunks {
		t.Errorf("%d paragraphs in %d chunks, then %q", n, chunks, last)
	}
}

// TestOnce: equal questions are asked once, whoever asks them when.
func TestOnce(t *testing.T) {
	started, release := make(chan struct{}, 8), make(chan struct{})
	e := newEndpoint(t, func(string) (int, string) {
		started <- struct{}{}
		<-release
		return http.StatusOK, said("a summary")
	})
	c := e.client(t, 0)
	first, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := c.Summarize(first, "text", summary.L1, 0); err == nil {
			t.Error("the first has an answer, though it gave up")
		}
	})
	<-started
	var right atomic.Int32
	for range 7 {
		all.Go(func() {
			if got, err := c.Summarize(t.Context(), "text", summary.L1, 0); err == nil && got == "a summary" {
				right.Add(1)
			}
		})
	}
	cancel()
	<-started // somebody else asks, in place of the first
	close(release)
	all.Wait()
	if n := e.asked(); n != 2 || right.Load() != 7 {
		t.Errorf("asked %d times, %d right answers", n, right.Load())
	}
	for _, q := range []struct {
		text  string
		level summary.Level
		most  int
		asked int
	}{{"text", summary.L1, 0, 2}, {"text", summary.L2, 0, 3}, {"text", summary.L1, 50, 4}, {"other", summary.L1, 0, 5}, {"other", summary.L1, 300, 5}} {
		if _, err := c.Summarize(t.Context(), q.text, q.level, q.most); err != nil || e.asked() != q.asked {
			t.Errorf("%+v: asked %d times, %v", q, e.asked(), err)
		}
	}
}

// TestFallback is the test of the specification's Cerebras fallback: whatever goes wrong at
// the endpoint, the local summary is the answer, and nothing of the key or of the endpoint's
// words is in what is said about it.
func TestFallback(t *testing.T) {
	local := summary.Text(strings.Repeat("We decided to keep HS256 in auth.py. ", 100)+"The tests fail.", summary.Options{Level: summary.L1})
	content := strings.Repeat("We decided to keep HS256 in auth.py. ", 100) + "The tests fail."
	long := strings.Repeat(" ", maxResponse)
	for name, test := range map[string]struct {
		answer func(string) (int, string)
		want   string
	}{
		"refused": {func(string) (int, string) {
			return 401, `{"error":{"message":"Incorrect API key provided: ` + testKey + `","type":"invalid_request_error","code":"invalid_api_key"}}`
		}, "the endpoint answered 401"},
		"no JSON":  {func(string) (int, string) { return 502, "<html>" + testKey }, "the endpoint answered 502"},
		"limited":  {func(string) (int, string) { return 429, `{"error":{"message":"slow down"}}` }, "the endpoint answered 429"},
		"nonsense": {func(string) (int, string) { return 200, "hello" }, "does not follow the protocol"},
		"nothing":  {func(string) (int, string) { return 200, `{"choices":[]}` }, "no answer"},
		"empty":    {func(string) (int, string) { return 200, said(" \n") }, "an empty answer"},
		"too long": {func(string) (int, string) { return 200, long + said("x") }, "longer than 1 MiB"},
		"slow": {func(string) (int, string) {
			time.Sleep(500 * time.Millisecond)
			return 200, said("too late")
		}, "deadline exceeded"},
	} {
		e := newEndpoint(t, test.answer)
		timeout := 10 * time.Second
		if name == "slow" {
			timeout = 50 * time.Millisecond
		}
		c := e.client(t, timeout)
		r, by, why := c.Replace(t.Context(), content, local, 0, tokens.Estimate)
		if by != "local" || r.Text != local.Text || r.TokensOut != local.TokensOut || why == nil || !strings.Contains(why.Error(), test.want) {
			t.Errorf("%s: %s %q: %v", name, by, r.Text, why)
		}
		for _, secret := range []string{testKey, "Incorrect", "slow down", "<html>", "HS256"} {
			if strings.Contains(fmt.Sprintf("%v %+v", why, c), secret) {
				t.Errorf("%s: %q is in %v %+v", name, secret, why, c)
			}
		}
	}
	gone := newEndpoint(t, nil)
	c := gone.client(t, 0)
	gone.Close()
	if r, by, why := c.Replace(t.Context(), content, local, 0, tokens.Estimate); by != "local" || r.Text != local.Text || why == nil || !strings.Contains(why.Error(), "cannot be reached") {
		t.Errorf("gone: %s %q: %v", by, r.Text, why)
	}
	// Where the local summary is not shorter, it is the beginning of the text.
	whole := summary.Result{Text: content, Level: summary.L1, TokensIn: tokens.Estimate(content), TokensOut: tokens.Estimate(content), Chunks: 1}
	if r, _, _ := c.Replace(t.Context(), content, whole, 20, tokens.Estimate); !strings.HasPrefix(content, r.Text) || r.TokensOut > 20 || !r.Truncated || r.Text == "" {
		t.Errorf("truncated raw content: %+v", r)
	}
}

func TestReplace(t *testing.T) {
	e := newEndpoint(t, func(string) (int, string) {
		return 200, said("One sentence about it. " + strings.Repeat("Another one that is too many. ", 50))
	})
	c := e.client(t, 0)
	content := strings.Repeat("We keep HS256. ", 200)
	local := summary.Text(content, summary.Options{Level: summary.L1})
	r, by, err := c.Replace(t.Context(), content, local, 12, tokens.Estimate)
	if err != nil || by != "llm" || r.Text != "One sentence about it." || !r.Truncated || r.TokensOut != 6 || r.TokensIn != local.TokensIn {
		t.Errorf("%s %+v, %v", by, r, err)
	}
	for _, level := range []summary.Level{summary.L0, summary.L3} {
		asIs := summary.Text(content, summary.Options{Level: level})
		if r, by, err := c.Replace(t.Context(), content, asIs, 0, tokens.Estimate); by != "local" || err != nil || r.Text != asIs.Text {
			t.Errorf("%s: %s %v", level, by, err)
		}
	}
	if n := e.asked(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestOptions(t *testing.T) {
	for base, ok := range map[string]bool{
		"http://localhost:11434/v1": true, "https://api.example.com/v1/": true,
		"": false, "localhost:11434": false, "ftp://x/v1": false, "http://user:secret@host/v1": false, "http://": false, "%": false,
	} {
		_, err := New(Options{BaseURL: base, Model: "m"})
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := New(Options{BaseURL: "http://localhost/v1"}); err == nil {
		t.Error("no model")
	}
}

func TestCache(t *testing.T) {
	c := newCache(3, 100)
	ask := func(name, text string) (asked bool) {
		got, err := c.once(t.Context(), keyOf(name, summary.L1, 1), func() (string, error) {
			asked = true
			return text, nil
		})
		if err != nil || got != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		return asked
	}
	for _, step := range []struct {
		name  string
		bytes int
		asked bool
	}{{"a", 10, true}, {"b", 10, true}, {"c", 10, true}, {"a", 10, false}, {"d", 10, true}, {"b", 10, true}, {"a", 10, false},
		{"huge", 101, true}, {"huge", 101, true}, {"a", 10, false}, {"large", 95, true}, {"large", 95, false}, {"a", 10, true}} {
		if asked := ask(step.name, strings.Repeat("x", step.bytes)); asked != step.asked {
			t.Errorf("%+v: asked %v", step, asked)
		}
		if c.order.Len() > c.entries || c.held > c.bytes || len(c.known) != c.order.Len() || len(c.flying) != 0 {
			t.Errorf("after %+v: %d entries of %d bytes", step, c.order.Len(), c.held)
		}
	}
}
