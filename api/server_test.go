package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

func TestNewRefuses(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("no index: no error")
	}
	if _, err := New(Options{Index: newFake(t), Limits: Limits{Limit: -1}}); err == nil {
		t.Error("negative limit: no error")
	}
	reg := prometheus.NewRegistry()
	if _, err := New(Options{Index: newFake(t), Registry: reg}); err != nil {
		t.Error(err)
	}
	if _, err := New(Options{Index: newFake(t), Registry: reg}); err == nil {
		t.Error("registry used twice: no error")
	}
}

func TestFaults(t *testing.T) {
	secret := "the text of the query"
	wait := func(ctx context.Context, _ search.Query) (search.Answer, error) {
		<-ctx.Done()
		return search.Answer{}, fmt.Errorf("search: %w", ctx.Err())
	}
	for _, tc := range []struct {
		name   string
		search func(context.Context, search.Query) (search.Answer, error)
		status int
		code   string
		log    string
	}{
		{"panic", func(context.Context, search.Query) (search.Answer, error) { panic("boom") }, 500, "internal", "server_test.go"},
		{"nil dereference", func(context.Context, search.Query) (search.Answer, error) {
			var x *search.Query
			return search.Answer{Matches: x.Limit}, nil
		}, 500, "internal", "nil pointer"},
		{"error", func(context.Context, search.Query) (search.Answer, error) {
			return search.Answer{}, errors.New("disk on fire")
		}, 500, "internal", "disk on fire"},
		{"closed", func(context.Context, search.Query) (search.Answer, error) { return search.Answer{}, answer.ErrClosed }, 503, "no_memory", ""},
		{"no descriptors", func(context.Context, search.Query) (search.Answer, error) {
			return search.Answer{}, fmt.Errorf("look: %w", &fs.PathError{Op: "open", Path: "/home/me/secret", Err: syscall.EMFILE})
		}, 503, "unavailable", ""},
		{"timeout", wait, 504, "timeout", ""},
		{"not a number", func(context.Context, search.Query) (search.Answer, error) {
			return search.Answer{Results: []search.Result{{Score: math.NaN()}}}, nil
		}, 500, "internal", "unsupported value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log journal
			x := newFake(t)
			x.search = tc.search
			c, h := newChecker(t), newServer(t, x, Options{Logger: log.logger(slog.LevelInfo)}).Handler()
			r := c.post(h, "/search", `{"query":"`+secret+`","timeout_ms":20}`)
			var p wire.Problem
			r.decode(t, &p)
			if r.status != tc.status || p.Code != tc.code || p.RequestID != r.header.Get("X-Request-Id") {
				t.Errorf("%d %s", r.status, r.body)
			}
			switch {
			case tc.log == "" && log.String() != "":
				t.Errorf("logged %s", log.String())
			case tc.log != "" && (!strings.Contains(log.String(), tc.log) || !strings.Contains(log.String(), p.RequestID)):
				t.Errorf("logged %q, without %q or the request's id", log.String(), tc.log)
			case strings.Contains(string(r.body), "fire") || strings.Contains(log.String(), secret):
				t.Errorf("leaked: %s %s", r.body, log.String())
			}
			x.search = nil
			if r := c.post(h, "/search", `{"query":"a"}`); r.status != 200 {
				t.Errorf("afterwards: %d %s", r.status, r.body)
			}
		})
	}
}

func TestFlush(t *testing.T) {
	x := newFake(t)
	x.flush = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	r := newChecker(t).post(newServer(t, x, Options{}).Handler(), "/invalidate", `{"all":true,"wait":true,"timeout_ms":"20"}`)
	if r.status != 504 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestMetrics(t *testing.T) {
	x := newFake(t)
	c := newChecker(t)
	h := newServer(t, x, Options{
		Figures: Figures{Watcher: func() map[string]uint64 { return map[string]uint64{"events": 12, "overflows": 1} }},
	}).Handler()
	c.post(h, "/search", `{"query":"find the needle"}`)
	c.get(h, "/search?query=needle&limit=x")
	c.get(h, "/needle/needle")
	x.search = func(context.Context, search.Query) (search.Answer, error) { panic("needle") }
	c.post(h, "/search", `{"query":"needle"}`)
	text := string(c.get(h, "/metrics").body)
	for _, line := range []string{
		`quarry_request_seconds_count{code="200",endpoint="/search"} 1`,
		`quarry_request_seconds_count{code="400",endpoint="/search"} 1`,
		`quarry_request_seconds_count{code="500",endpoint="/search"} 1`,
		`quarry_request_seconds_count{code="404",endpoint="other"} 1`,
		`quarry_request_seconds_bucket{code="200",endpoint="/search",le="0.0005"}`,
		`quarry_requests_in_flight 1`, // this one
		`quarry_panics_total 1`,
		`quarry_rate_limited_total{class="cheap"} 0`,
		`quarry_queue_seconds_count{class="cheap"} 2`,
		`quarry_queue_waiting{class="heavy"} 0`,
		`quarry_index_files 1`,
		`quarry_index_chunks 2`,
		`quarry_index_generation 7`,
		`quarry_index_vectors_ratio 1`,
		`quarry_index_pending 0`,
		`quarry_watcher_total{what="events"} 12`,
		`quarry_watcher_total{what="overflows"} 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no %s", line)
		}
	}
	if strings.Contains(text, "needle") {
		t.Error("the metrics have text from requests")
	}
	if s := string(c.get(h, "/metrics").body); !strings.Contains(s, "quarry_requests_in_flight 1\n") {
		t.Error("requests in flight do not come down")
	}
}

// TestRefining says how far vectors are refined, and nothing where there is one kind of them.
func TestRefining(t *testing.T) {
	x, c := newFake(t), newChecker(t)
	h := newServer(t, x, Options{}).Handler()
	none, most, all := -1.0, 0.995, 1.0
	for _, tc := range []struct {
		share   float64
		failure string
		want    []string // of the text and the metrics
	}{
		{none, "", []string{"quarry_index_unrefined_chunks 0"}},
		{most, "", []string{"quarry_index_unrefined_chunks 1", "[index is refined to 99 %]"}},
		{most, "it is broken", []string{"[index is refined to 99 %]"}},
		{all, "", []string{"quarry_index_unrefined_chunks 0"}},
	} {
		x.setState(func(s *answer.State) {
			if s.Chunks, s.Refined, s.Unrefined = 200, &tc.share, tc.failure; tc.share == none {
				s.Refined = nil
			}
		})
		var st wire.Status
		c.get(h, "/status").decode(t, &st)
		var found wire.SearchResponse
		c.post(h, "/search", `{"query":"a"}`).decode(t, &found)
		for where, got := range map[string]*float64{"status": st.Index.Refined, "answer": found.Index.Refined} {
			if (got == nil) != (tc.share == none) || got != nil && *got != tc.share {
				t.Errorf("%+v: in the %s %v", tc, where, got)
			}
		}
		if st.Index.RefineError != tc.failure {
			t.Errorf("%+v: %q", tc, st.Index.RefineError)
		}
		text := string(c.get(h, "/metrics").body) + string(c.post(h, "/search", `{"query":"a","format":"text"}`).body)
		for _, want := range tc.want {
			if !strings.Contains(text, want) {
				t.Errorf("%+v: no %s", tc, want)
			}
		}
		if strings.Contains(text, "[index is refined") != (len(tc.want) > 1 || tc.failure != "") {
			t.Errorf("%+v: a note", tc)
		}
	}
}

func TestStatus(t *testing.T) {
	x := newFake(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	x.full = index.Status{
		Symbols: 3, References: 4, Terms: 5, SourceBytes: 6, LastIndexedAt: &at, LastCommit: "1f0c", LastError: "bad", BuildSeconds: 0.5, SCIPFiles: 7,
		Coverage: index.Coverage{Indexed: 1, Skipped: 2, Reasons: map[string]int{"binary": 2}, Truncated: true, Source: "git",
			Unparsed: map[string]int{"parser_crashed": 1}, Texts: []answer.SkippedFile{{Path: "deep.java", Reason: "parser_crashed"}},
			Files: []answer.SkippedFile{{Path: "a.png", Reason: "binary", Detail: "NUL byte"}}, Languages: map[string]int{"typescript": 1}},
		Model: &embed.Info{Name: "builtin", Dim: 256, Backend: "go", Reason: "no library", SHA256: "ab"},
		Snapshot: &answer.Origin{
			Program: "quarry 1", By: "job 7", Made: &at, ID: strings.Repeat("0a", 32), Verified: true, SignedBy: "SHA256:x", Trusted: true,
			Texts: 3, Proved: 2, Rebuilt: []string{"a.go"}, NRebuilt: 1,
		},
	}
	c := newChecker(t)
	s := newServer(t, x, Options{Version: "1.2.3", Sockets: func() []string { return []string{"/tmp/q.sock"} }})
	var got wire.Status
	r := c.get(s.Handler(), "/status?skipped=20000")
	r.decode(t, &got)
	if x.skipped != 10_000 {
		t.Errorf("asked for %d skipped files", x.skipped)
	}
	if diff := cmp.Diff(service.CoverageOf(&x.full.Coverage), got.Coverage); diff != "" {
		t.Error(diff)
	}
	if got.Model == nil || got.Model.Backend != "go" || got.Index.Symbols != 3 || string(got.Index.State) != x.state.State || got.Index.Files != x.state.Files || !got.Index.LastIndexedAt.Equal(at) ||
		got.URL != "http://localhost:3456" || got.Sockets[0] != "/tmp/q.sock" || got.Root != x.root || got.Version != "1.2.3" || got.Index.SCIPFiles != 7 {
		t.Errorf("%s", r.body)
	}
	if diff := cmp.Diff(service.StatusIndexOf(&x.full).Snapshot, got.Index.Snapshot); diff != "" {
		t.Error(diff)
	}
	c.get(s.Handler(), "/status?skipped=0")
	if x.skipped != 0 {
		t.Errorf("asked for %d skipped files", x.skipped)
	}
	c.get(s.Handler(), "/status")
	if x.skipped != defaultSkipped {
		t.Errorf("asked for %d skipped files", x.skipped)
	}

	// With nothing to say, lists and tables are empty and the rest is null.
	x.full = index.Status{}
	r = c.get(newServer(t, x, Options{}).Handler(), "/status")
	for _, part := range []string{`"files":[]`, `"reasons":{}`, `"languages":{}`, `"sockets":[]`, `"model":null,"no_model":"the index was opened without a model"`, `"watcher":null`, `"last_indexed_at":null`} {
		if !strings.Contains(string(r.body), part) {
			t.Errorf("no %s in %s", part, r.body)
		}
	}

	ps := &fakes{list: []Project{{Name: "shop", Index: x, NoModel: "turned off", Watcher: func() *wire.Watcher { return &wire.Watcher{Mode: "poll", Watches: 3} }}}}
	r = c.get(newServer(t, nil, Options{Projects: ps}).Handler(), "/status")
	if !strings.Contains(string(r.body), `"model":null,"no_model":"turned off"`) || !strings.Contains(string(r.body), `"watcher":{"mode":"poll","watches":3,"polled":0`) {
		t.Errorf("no reason or no watcher: %s", r.body)
	}

	// Every capability is an endpoint.
	for _, name := range got.Capabilities {
		if newChecker(t).doc.Paths.Value("/"+name) == nil {
			t.Errorf("no endpoint for %s", name)
		}
	}

	s = newServer(t, x, Options{})
	_, url := serve(t, s)
	resp, err := newOsgrepClient(t, url).http.Get(url + "/status")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(text), `"url":"`+url+`"`) {
		t.Errorf("no %s in %s", url, text)
	}
}

func TestRequestID(t *testing.T) {
	c, h := newChecker(t), newServer(t, newFake(t), Options{}).Handler()
	for id, kept := range map[string]bool{
		"abc-1.2_3:4": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "a b": false, "a\"b": false, "é": false, "": false,
	} {
		req := request("GET", "/health", "")
		req.Header.Set("X-Request-Id", id)
		if got := c.do(h, req).header.Get("X-Request-Id"); (got == id) != kept || got == "" {
			t.Errorf("%q became %q", id, got)
		}
	}
}

func TestETag(t *testing.T) {
	x := newFake(t)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	get := func(tag string) reply {
		req := request("GET", "/search?query=a", "")
		req.Header.Set("If-None-Match", tag)
		return c.do(h, req)
	}
	first := get("")
	tag := first.header.Get("ETag")
	if !strings.HasPrefix(tag, `"g7-`) || first.header.Get("Server-Timing") == "" {
		t.Fatalf("headers %v", first.header)
	}
	if r := get(`"x", W/` + tag); r.status != 304 || len(r.body) != 0 || r.header.Get("ETag") != tag {
		t.Errorf("%d %v", r.status, r.header)
	}
	x.setState(func(s *answer.State) { s.Pending++ })
	if r := get(tag); r.status != 200 || r.header.Get("ETag") == tag {
		t.Errorf("another response has the same tag: %d %v", r.status, r.header)
	}
	req := request("POST", "/search", `{"query":"a"}`)
	req.Header.Set("If-None-Match", "*")
	if r := c.do(h, req); r.status != 200 {
		t.Errorf("POST: %d", r.status)
	}
}

// A response that would be too long loses whole results, and says so.
func TestResponseLimit(t *testing.T) {
	x := newFake(t)
	x.results = nil
	for i := range 50 {
		x.results = append(x.results, search.Result{File: fmt.Sprint(i), Line: 1, EndLine: 1, Content: strings.Repeat("\x01", 1+i*40), Score: 1, Signature: "s"})
	}
	for _, limit := range []int{20_000, 5_000, 1} {
		var body wire.SearchResponse
		r := newChecker(t).post(newServer(t, x, Options{Limits: Limits{Response: limit}}).Handler(), "/search", `{"query":"a","limit":50}`)
		r.decode(t, &body)
		n := len(body.Results)
		if n == 0 || n == 50 || n > 1 && len(r.body) > limit || !body.Meta.Truncated {
			t.Errorf("%d bytes with %d results for %d", len(r.body), n, limit)
		}
		if diff := cmp.Diff(resultsOf(x.results[:n]), body.Results); diff != "" {
			t.Error(diff)
		}

		var batch wire.BatchResponse
		r = newChecker(t).post(newServer(t, x, Options{Limits: Limits{Response: limit}}).Handler(), "/search", `{"queries":["a","b"],"limit":50,"max_tokens":900000}`)
		r.decode(t, &batch)
		for _, a := range batch.Answers {
			n := len(a.Results)
			if n == 0 || n == 50 || n > 1 && len(r.body) > limit || !a.Meta.Truncated || !slices.Equal(a.Meta.TruncatedBy, []string{"size"}) || a.Meta.Tokens != tokensOf(a.Results) {
				t.Errorf("%d bytes with %d results for %d, cut by %v, %d tokens", len(r.body), n, limit, a.Meta.TruncatedBy, a.Meta.Tokens)
			}
		}
		if len(batch.Answers) != 2 {
			t.Errorf("%d answers", len(batch.Answers))
		}
	}
}

func TestSlots(t *testing.T) {
	x := newFake(t)
	entered, release := make(chan bool, 10), make(chan bool)
	x.search = func(context.Context, search.Query) (search.Answer, error) {
		entered <- true
		<-release
		return search.Answer{State: x.State()}, nil
	}
	s := newServer(t, x, Options{Limits: Limits{Slots: 1, Queue: 1}})
	c, h := newChecker(t), s.Handler()
	replies := make(chan reply, 2)
	ask := func() { replies <- c.post(h, "/search", `{"query":"a"}`) }
	go ask()
	<-entered
	// A place in the line is free, but no slot in time.
	if r := c.post(h, "/search", `{"query":"a","timeout_ms":20}`); r.status != 429 || r.header.Get("Retry-After") != "1" {
		t.Errorf("%d %s", r.status, r.body)
	}
	go ask()
	for s.service.Waiting(slot.Cheap) == 0 {
		time.Sleep(time.Millisecond)
	}
	if r := c.post(h, "/search", `{"query":"a"}`); r.status != 429 { // no place in the line
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.get(h, "/health"); r.status != 200 { // never in line
		t.Errorf("%d %s", r.status, r.body)
	}
	close(release)
	for range 2 {
		if r := <-replies; r.status != 200 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if !strings.Contains(string(c.get(h, "/metrics").body), `quarry_rate_limited_total{class="cheap"} 2`) {
		t.Error("refusals are not counted")
	}
}

// tokensOf is what results cost together.
func tokensOf(results []wire.SearchResult) (n int) {
	for _, r := range results {
		n += (&search.Result{File: r.File, Line: r.Line, EndLine: r.EndLine, Content: r.Content, Signature: r.Signature, Symbol: r.Symbol, Kind: r.Kind, Lang: r.Lang, Role: string(r.Role)}).Tokens()
	}
	return n
}

// resultsOf are results of an index as an answer has them.
func resultsOf(list []search.Result) (all []wire.SearchResult) {
	for _, r := range list {
		all = append(all, wire.SearchResult{
			File: r.File, Line: r.Line, EndLine: r.EndLine, Content: r.Content, Score: r.Score, Role: wire.Role(r.Role), Signature: r.Signature, Symbol: r.Symbol, Kind: r.Kind, Lang: r.Lang,
		})
	}
	return all
}

// TestGraphBuilding: what the index says before there is a call graph is what clients look for.
func TestGraphBuilding(t *testing.T) {
	if answer.GraphBuilding != wire.GraphBuilding {
		t.Errorf("%q is not %q", answer.GraphBuilding, wire.GraphBuilding)
	}
}
