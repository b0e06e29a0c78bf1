package api

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/throttle"
)

func TestDescriptors(t *testing.T) {
	dir := t.TempDir()
	if d := descriptorsIn(dir); d != nil {
		t.Errorf("from nothing: %+v", d)
	}
	for _, name := range []string{"0", "1", "2", "3"} {
		put(t, filepath.Join(dir, "fd", name), "")
	}
	if d := descriptorsIn(dir); d == nil || *d != (wire.Descriptors{Open: 3, Limit: 0}) {
		t.Errorf("no limits: %+v", d)
	}
	put(t, filepath.Join(dir, "limits"), "Limit   Soft Limit  Hard Limit  Units\nMax open files            1024                 4096                 files\n")
	if d := descriptorsIn(dir); d == nil || *d != (wire.Descriptors{Open: 3, Limit: 1024}) {
		t.Errorf("%+v", d)
	}
	put(t, filepath.Join(dir, "limits"), "Max open files            unlimited            unlimited            files\n")
	if d := descriptorsIn(dir); d == nil || *d != (wire.Descriptors{Open: 3, Limit: 0}) {
		t.Errorf("unlimited: %+v", d)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestResources: /status and /metrics say what is used of what there is, and why indexing
// is paused; /health says that, too.
func TestResources(t *testing.T) {
	f := newFake(t)
	f.state.State, f.state.Freshness, f.state.Pending, f.state.Paused = answer.Stale, answer.Dated, 40, "the machine runs on battery"
	f.full.State = f.state
	h := newServer(t, f, Options{
		Figures:     Figures{Watches: func() Watches { return Watches{Watched: 7, Polled: 2, Limit: 9, Granted: 12} }},
		Descriptors: func() *wire.Descriptors { return &wire.Descriptors{Open: 14, Limit: 1024} },
	}).Handler()
	c := newChecker(t)
	status := string(c.get(h, "/status").body)
	for _, want := range []string{`"descriptors":{"open":14,"limit":1024}`, `"pending":40,"paused":"the machine runs on battery"`} {
		if !strings.Contains(status, want) {
			t.Errorf("/status has no %s:\n%s", want, status)
		}
	}
	if health := string(c.get(h, "/health").body); !strings.Contains(health, `"paused":"the machine runs on battery"`) {
		t.Errorf("/health: %s", health)
	}
	metrics := string(c.get(h, "/metrics").body)
	for _, want := range []string{"\nquarry_watches 7\n", "\nquarry_polled_folders 2\n", "\nquarry_watch_limit 9\n", "\nquarry_watches_granted 12\n"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("/metrics has no %q", want)
		}
	}
}

// TestAnswersAreTold: background work gives way to an answer, and not to a request that
// waits for that work.
func TestAnswersAreTold(t *testing.T) {
	f := newFake(t)
	gate := throttle.New(nil)
	waits := func() bool {
		began := time.Now()
		gate.Worker().Wait(nil, true)
		return time.Since(began) > 3*time.Millisecond
	}
	f.search = func(context.Context, search.Query) (search.Answer, error) {
		if !waits() {
			t.Error("work goes on alongside a search")
		}
		return search.Answer{State: f.state, Results: f.results}, nil
	}
	flushed := false
	f.flush = func(context.Context) error {
		flushed = true
		for range 20 { // the test's own machine may stop
			if !waits() {
				return nil
			}
		}
		t.Error("work gives way to a caller that waits for it")
		return nil
	}
	h := newServer(t, f, Options{Throttle: gate}).Handler()
	c := newChecker(t)
	if got := c.do(h, request(http.MethodPost, "/search", `{"query":"x"}`)); got.status != http.StatusOK {
		t.Errorf("search: %d %s", got.status, got.body)
	}
	if got := c.do(h, request(http.MethodPost, "/invalidate", `{"all":true,"wait":true}`)); got.status != http.StatusOK || !flushed {
		t.Errorf("invalidate: %d %s", got.status, got.body)
	}
}
