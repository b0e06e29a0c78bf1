package api

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api/llm"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/summary"
)

const llmKey = "sk-the-secret-key-of-a-test"

// newLLM returns a client of an endpoint that answers as the test says, and how often it
// was asked.
func newLLM(t *testing.T, answer http.HandlerFunc) (*llm.Client, *atomic.Int32) {
	t.Helper()
	asked := new(atomic.Int32)
	e := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Authorization") != "Bearer "+llmKey {
			t.Errorf("Authorization %q", r.Header.Get("Authorization"))
		}
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(e.Close)
	c, err := llm.New(llm.Options{BaseURL: e.URL + "/v1", Model: "small", Key: llmKey, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}})
	if err != nil {
		t.Fatal(err)
	}
	return c, asked
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": text}}}})
	}
}

// ask posts fields to /summarize.
func ask(t *testing.T, c *checker, h http.Handler, fields map[string]any) (b wire.SummarizeResponse) {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	r := c.post(h, "/summarize", string(body))
	if r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}
	r.decode(t, &b)
	return b
}

// A notes has a goal, a decision and a problem among much else.
func notes(paragraphs int) string {
	return "The goal is exact token expiry in auth.py.\n\n" + strings.Repeat("Somebody looked out of the window, and the rain fell. Nothing else of note was seen.\n\n", paragraphs) +
		"We decided to keep HS256. The root cause is the clock.\n"
}

func TestSummarizeLLM(t *testing.T) {
	client, asked := newLLM(t, says("The model's words."))
	var log journal
	x, c := newFake(t), newChecker(t)
	h := newServer(t, x, Options{LLM: client, Logger: log.logger(slog.LevelDebug)}).Handler()
	text := notes(60)
	if b := ask(t, c, h, map[string]any{"content": text, "engine": "llm"}); b.Summary != "The model's words." || b.Engine != "llm" || b.Fallback || b.TokensOut != 5 || b.Level != string(summary.L1) {
		t.Errorf("%+v", b)
	}
	if b := ask(t, c, h, map[string]any{"content": text}); b.Engine != "local" || b.Fallback {
		t.Errorf("the engine of a request that names none: %+v", b)
	}
	for _, level := range []string{"L0", "L3"} {
		if b := ask(t, c, h, map[string]any{"content": text, "engine": "llm", "level": level}); b.Engine != "local" || b.Fallback {
			t.Errorf("%s needs a model: %+v", level, b)
		}
	}
	if b := ask(t, c, h, map[string]any{"content": "short", "engine": "llm"}); b.Summary != "short" || b.Engine != "local" {
		t.Errorf("what is taken as it is: %+v", b)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the endpoint was asked %d times", n)
	}
	byDefault := newServer(t, x, Options{LLM: client, LLMByDefault: true}).Handler()
	if b := ask(t, c, byDefault, map[string]any{"content": text}); b.Engine != "llm" {
		t.Errorf("the operator's engine: %+v", b)
	}
	if b := ask(t, c, byDefault, map[string]any{"content": text, "engine": "local"}); b.Engine != "local" {
		t.Errorf("local, although the operator has another: %+v", b)
	}
	if b := ask(t, c, byDefault, map[string]any{"path": "src"}); b.Engine != "local" {
		t.Errorf("code: %+v", b)
	}
	status := c.get(h, "/status")
	if strings.Contains(log.String()+string(status.body), llmKey) {
		t.Error("the key is told")
	}
}

func TestSummarizeFallback(t *testing.T) {
	client, _ := newLLM(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"no such key: `+llmKey+`"}}`, http.StatusUnauthorized)
	})
	var log journal
	x, c := newFake(t), newChecker(t)
	h := newServer(t, x, Options{LLM: client, Logger: log.logger(slog.LevelDebug)}).Handler()
	local := ask(t, c, h, map[string]any{"content": notes(60)})
	b := ask(t, c, h, map[string]any{"content": notes(60), "engine": "llm"})
	if !b.Fallback || b.Engine != "local" || b.Summary != local.Summary || b.Summary == "" || b.TokensOut != local.TokensOut {
		t.Errorf("%+v", b)
	}
	if text := log.String(); !strings.Contains(text, "answered 401") || strings.Contains(text, llmKey) || strings.Contains(text, "HS256") {
		t.Errorf("the log: %s", text)
	}
}

// Whoever waits for the model keeps nobody from searching, and gets the local summary when
// the time is over.
func TestSummarizeSlow(t *testing.T) {
	entered, release := make(chan struct{}, 2), make(chan struct{})
	client, _ := newLLM(t, func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	x, c := newFake(t), newChecker(t)
	h := newServer(t, x, Options{LLM: client, Limits: Limits{Slots: 1}}).Handler()
	summary := func(milliseconds int) {
		if b := ask(t, c, h, map[string]any{"content": notes(60), "engine": "llm", "timeout_ms": milliseconds}); !b.Fallback || b.Summary == "" {
			t.Errorf("%+v", b)
		}
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { summary(30_000) })
	<-entered
	if r := c.post(h, "/search", `{"query":"token","timeout_ms":20000}`); r.status != http.StatusOK {
		t.Errorf("a search alongside it: %d %s", r.status, r.body)
	}
	summary(2000) // in which the local one must be made
	close(release)
	waiting.Wait()
}

// A text as large as a body may be is summarised, in chunks, and given back whole only as
// far as a response may go.
func TestSummarizeLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	x, c := newFake(t), newChecker(t)
	// It is about size: a busy machine takes longer than a request may.
	h := newServer(t, x, Options{Limits: Limits{Timeout: 5 * time.Minute}}).Handler()
	var b strings.Builder
	const size = 950_000
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "Sentence %d is about the window and the rain.\n\n", i)
	}
	for _, level := range []string{"L1", "L2", "auto"} {
		got := ask(t, c, h, map[string]any{"content": notes(0) + b.String(), "level": level})
		if got.Chunks < size/24_000 || got.TokensOut > 600 || got.TokensIn < size/100*24 || !strings.Contains(got.Summary, "exact token expiry") {
			t.Errorf("%s: %d chunks, %d tokens of %d: %s", level, got.Chunks, got.TokensOut, got.TokensIn, got.Summary)
		}
	}
	// In JSON a line separator takes three times its bytes.
	var got wire.SummarizeResponse
	c.post(h, "/summarize", `{"level":"L3","content":"`+strings.Repeat("\u2028x ", 200_000)+`"}`).decode(t, &got)
	if text, err := json.Marshal(got); err != nil || len(text) > 1<<20 || !got.Truncated || got.Meta.TruncatedBy[0] != "size" || got.TokensOut < 50_000 {
		t.Errorf("%d bytes, %d tokens of %d, %v %v", len(text), got.TokensOut, got.TokensIn, got.Meta, err)
	}
	if r := c.post(h, "/summarize", `{"content":"`+strings.Repeat("a", 1<<20)+`"}`); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("more than a body may have: %d", r.status)
	}
}
