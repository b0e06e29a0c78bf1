package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// metered returns a server of a real index with all that /metrics can show, what it
// registers with, and the address.
func metered(t *testing.T) (s *Server, reg *prometheus.Registry, url string) {
	t.Helper()
	meters := NewMeters()
	x, run := openRealWith(t, meters)
	run()
	reg = prometheus.NewRegistry()
	s = newServer(t, x, Options{Registry: reg, Meters: meters, Figures: Figures{
		Departed:          func() answer.Work { return answer.Work{Parsed: 100} },
		Watches:           func() Watches { return Watches{Watched: 3, Polled: 1, Limit: 9, Granted: 12} },
		SocketConnections: func() int { return 2 },
		Watcher:           func() map[string]uint64 { return map[string]uint64{"events": 5} },
		Parsers:           func() index.ParserCounts { return index.ParserCounts{Live: 2, Crashed: 1} },
	}})
	_, url = serve(t, s)
	if err := x.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.Invalidate(index.Invalidation{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := x.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, reg, url
}

// families returns what is registered, by name, with the number of series.
func families(t *testing.T, reg *prometheus.Registry) map[string]int {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, f := range all {
		if names[f.GetName()] = len(f.GetMetric()); f.GetHelp() == "" {
			t.Errorf("%s has no help", f.GetName())
		}
	}
	return names
}

// traffic asks in every way.
func traffic(t *testing.T, s *Server, url string) {
	t.Helper()
	send := func(path, body string, want int) {
		t.Helper()
		resp, err := http.Post(url+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != want {
			t.Fatalf("%s %s: %d %v", path, body, resp.StatusCode, err)
		}
	}
	for range 3 {
		send("/search", `{"query":"token","mode":"lexical","session_id":"s1"}`, 200)
	}
	send("/search", `{"query":"token","mode":"lexical","limit":1}`, 200) // and leaves one out
	send("/search", `{"query":""}`, 400)
	send("/no/such/place", `{}`, 404)
	send("/rpc", `{"method":"search","params":{"query":"token"}}`, 200)
	send("/relay", `{"line":"->relay:code search token"}`, 200)
	send("/structure", `{"overlay":[{"path":"src/new.go","content":"package src\n"}]}`, 200)
	send("/structure", `{"overlay":[{"path":"src/new.go","content":"package src\n"}]}`, 200)
	for range 2 {
		if status, _, err := askFrom(t.Context(), s.Socket(), "/search", map[string]any{"query": "token"}); status != 200 || err != nil {
			t.Fatal(status, err)
		}
	}
	if status, _, err := askFrom(t.Context(), Asker{s, wayMCP}, "/status", nil); status != 200 || err != nil {
		t.Fatal(status, err)
	}
}

// TestMetricsAreDocumented compares what a server shows after real traffic with what
// openapi.yaml says, and with the conventions of Prometheus.
func TestMetricsAreDocumented(t *testing.T) {
	s, reg, url := metered(t)
	traffic(t, s, url)
	got := families(t, reg)
	documented := map[string]bool{}
	doc := newChecker(t).doc.Paths.Value("/metrics").Get.Description
	for _, name := range regexp.MustCompile("`(quarry_\\w+)`").FindAllStringSubmatch(doc, -1) {
		documented[name[1]] = true
		if got[name[1]] == 0 {
			t.Errorf("%s is documented, and not shown", name[1])
		}
	}
	for name := range got {
		if !documented[name] {
			t.Errorf("%s is shown, and not documented", name)
		}
	}
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(all).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestMetricsAreExact counts a traffic that is known.
func TestMetricsAreExact(t *testing.T) {
	s, reg, url := metered(t)
	s.opt.Meters.Saved(2*time.Second, nil)
	s.opt.Meters.Saved(time.Second, errors.New("disk full"))
	s.opt.Meters.Followed(80 * time.Millisecond)
	s.opt.Meters.Embedded(64, 3*time.Millisecond)
	traffic(t, s, url)
	// A client that listens to events and one that goes away.
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text := string(newChecker(t).get(s.Handler(), "/metrics").body)
	work := s.projects.List(t.Context())[0].Work
	for _, line := range []string{
		`quarry_request_seconds_count{code="200",endpoint="/search"} 8`, // 4, 1 by /rpc, 1 by /relay, 2 by socket
		`quarry_request_seconds_count{code="400",endpoint="/search"} 1`,
		`quarry_request_seconds_count{code="404",endpoint="other"} 1`,
		`quarry_request_seconds_count{code="200",endpoint="/rpc"} 1`,
		`quarry_request_seconds_count{code="200",endpoint="/relay"} 1`,
		`quarry_requests_total{way="http"} 12`, // with that for events, and this one
		`quarry_requests_total{way="socket"} 2`,
		`quarry_requests_total{way="mcp"} 1`,
		`quarry_requests_total{way="rpc"} 1`,
		`quarry_requests_total{way="relay"} 1`,
		`quarry_requests_in_flight 2`,
		`quarry_event_streams 1`,
		`quarry_connections{way="socket"} 2`,
		`quarry_answers_truncated_total{endpoint="/search"} 1`,
		`quarry_sessions 1`,
		`quarry_sessions_seen_total 1`,
		`quarry_overlays 1`,
		`quarry_cache_hits_total{cache="overlay"} 1`,
		`quarry_cache_misses_total{cache="overlay"} 1`,
		`quarry_projects_in_state{state="ready"} 1`,
		`quarry_projects_in_state{state="error"} 0`,
		`quarry_watches 3`,
		`quarry_polled_folders 1`,
		`quarry_build_seconds_count 2`,
		`quarry_snapshot_save_seconds_sum 2`,
		`quarry_snapshot_save_errors_total 1`,
		`quarry_watcher_lag_seconds_bucket{le="0.1"} 1`,
		`quarry_watcher_lag_seconds_bucket{le="0.075"} 0`,
		`quarry_embed_batch_seconds_count 1`,
		`quarry_graph_lag_generations 0`,
		fmt.Sprintf(`quarry_files_parsed_total %d`, work.Parsed+100),
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			name, _, _ := strings.Cut(line, "{")
			name, _, _ = strings.Cut(name, " ")
			t.Errorf("no %s, but %q", line, regexp.MustCompile(`(?m)^`+name+`.*`).FindAllString(text, 30))
		}
	}
	// Every generation is a commit; vectors, and those in which nothing had changed, are
	// commits without one.
	count := func(name string) (n int) {
		if m := regexp.MustCompile(`(?m)^` + name + ` (\d+)$`).FindStringSubmatch(text); m != nil {
			n, _ = strconv.Atoi(m[1]) // it is a number
		}
		return n
	}
	commits, generation, solves := count("quarry_commit_seconds_count"), count("quarry_index_generation"), count("quarry_graph_solve_seconds_count")
	if generation == 0 || commits < generation || commits > 2*generation+8 || solves != 1 {
		t.Errorf("generation %d, %d commits, %d solves", generation, commits, solves)
	}
	cancel()
	http.DefaultClient.CloseIdleConnections()
	for deadline := time.Now().Add(10 * time.Second); s.connections.count() != 0 || s.streams.Load() != 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections and %d streams are left", s.connections.count(), s.streams.Load())
		}
	}
	if n := families(t, reg)["quarry_connections"]; n != 2 {
		t.Errorf("%d series of connections", n)
	}
}

// TestMetricsStayFew sends what nobody has thought of: the series are those of the words
// that the code has.
func TestMetricsStayFew(t *testing.T) {
	reg := prometheus.NewRegistry()
	s := newServer(t, newFake(t), Options{Registry: reg})
	h := s.Handler()
	rnd := rand.New(rand.NewPCG(1, 2))
	endpoints := []string{"/search", "/grep", "/handles/", "/projects/", "/cat", "/relay", "/rpc", "/mcp", "/"}
	methods := []string{"GET", "POST", "PUT", "DELETE", "BREW", "OPTIONS", "HEAD"}
	for i := range 10_000 {
		odd := fmt.Sprintf("odd%d", i)
		path := endpoints[rnd.IntN(len(endpoints))]
		if rnd.IntN(2) == 0 {
			path += odd
		}
		req := request(methods[rnd.IntN(len(methods))], path+"?"+odd+"="+odd, `{"query":"`+odd+`","session_id":"`+odd+`","path":"`+odd+`","method":"`+odd+`","line":"->relay:code `+odd+`"}`)
		req.Header.Set("X-Agent-Id", odd)
		h.ServeHTTP(sink{http.Header{}}, req)
	}
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	series := 0
	for _, f := range all {
		for _, m := range f.GetMetric() {
			series++
			for _, l := range m.GetLabel() {
				if strings.Contains(l.GetValue(), "odd") {
					t.Fatalf("%s has the label %s", f.GetName(), l)
				}
			}
		}
	}
	if most := 40 + 3*len(s.metrics.endpoints) + 8*len(endpoints); series > most {
		t.Errorf("%d series, more than %d", series, most)
	}
	if s.metrics.endpoints["/handles/{id}"] == nil || len(s.metrics.endpoints) > 50 {
		t.Errorf("%d endpoints", len(s.metrics.endpoints))
	}
}
