package te

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTelemetryFields(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "te_telemetry.jsonl")
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	code := "invalid_pattern"
	strategy := DefaultStrategy()
	for _, e := range []Event{
		{Timestamp: time.Now(), Cmd: "grep", Mode: Enriched},
		{Cmd: "grep", Mode: ErrorMode, Error: &code, Query: "a(b", Strategy: &strategy},
	} {
		if err := l.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	eleven := []string{
		"agent_id", "cmd", "error", "handle_created", "input_size", "latency_ms", "mode", "output_size", "session_id", "timestamp", "truncated",
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		var keys []string
		for k := range e {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		want := slices.Clone(eleven)
		if i == 1 {
			want = append(want, "query", "strategy")
			slices.Sort(want)
		} else if e["error"] != nil {
			t.Errorf("error %v", e["error"])
		}
		if diff := cmp.Diff(want, keys); diff != "" {
			t.Errorf("event %d: %s", i, diff)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	// After the end nothing is written, and nothing fails.
	if err := l.Write(Event{}); err != nil {
		t.Error(err)
	}
	if err := (*Log)(nil).Write(Event{}); err != nil {
		t.Error(err)
	}
}

// The file goes aside when it is full, and no event is torn.
func TestTelemetryRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "te.jsonl")
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	l.most = 10_000
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if err := l.Write(Event{Cmd: "grep", Mode: Enriched}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	for _, file := range []string{path, path + Rotated} {
		text, err := os.ReadFile(file)
		if err != nil || len(text) > 10_000 {
			t.Errorf("%d bytes, %v", len(text), err)
		}
		if _, bad, err := Sum(bytes.NewReader(text)); bad > 0 || err != nil {
			t.Errorf("%d torn lines, %v", bad, err)
		}
	}
}

func TestSum(t *testing.T) {
	text := `{"cmd":"grep","mode":"enriched","input_size":1000,"output_size":100,"truncated":true,"latency_ms":5}
{"cmd":"grep","mode":"enriched","input_size":10,"output_size":100,"latency_ms":1}
{"cmd":"cat","mode":"raw","input_size":7,"output_size":7,"latency_ms":2}
{"cmd":"gr`
	got, bad, err := Sum(strings.NewReader(text))
	want := []Stats{
		{Cmd: "cat", Mode: "raw", N: 1, BytesIn: 7, BytesOut: 7, Median: 2, P95: 2},
		{Cmd: "grep", Mode: "enriched", N: 2, Truncated: 0.5, BytesIn: 1010, BytesOut: 200, Saved: 810, Median: 5, P95: 5},
	}
	if diff := cmp.Diff(want, got); diff != "" || bad != 1 || err != nil {
		t.Errorf("%d bad, %v\n%s", bad, err, diff)
	}
}
