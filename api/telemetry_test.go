package api

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/te"

	"github.com/quarry-search/quarry/api/wire"
)

func TestEventForEveryInvocation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "te.jsonl")
	log, err := te.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	x := grepFake(t, 3, 612, 235)
	c, h := newChecker(t), newServer(t, x, Options{Envelope: EnvelopeOptions{Log: log}}).Handler()
	var body wire.GrepResponse
	req := request(http.MethodPost, "/grep", `{"pattern":"secret words"}`)
	req.Header.Set("X-Agent-Id", "claude-dc")
	req.Header.Set("X-Session-Id", "s1")
	c.do(h, req).decode(t, &body)
	raw := c.get(h, "/grep?pattern=a&raw=true")
	c.get(h, "/grep?pattern=a(b")
	c.get(h, "/cat?path=src/auth/jwt.ts&format=te")
	c.get(h, "/find")
	c.get(h, "/handles/"+body.Meta.Handle)
	c.get(h, "/handles/res_000000000000")
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret") {
		t.Error("the telemetry has the text of a query")
	}
	var events []te.Event
	for line := range strings.Lines(string(text)) {
		var e te.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Timestamp.IsZero() || e.Timestamp.Before(began.Truncate(time.Second)) || e.Timestamp.After(time.Now()) || e.LatencyMS < 0 || e.OutputSize == 0 {
			t.Errorf("%+v", e)
		}
		events = append(events, e)
	}
	bytes := raw.trailer.Get("X-Matches")
	if bytes != "850" {
		t.Errorf("%s matches", bytes)
	}
	full := int64(len(raw.body))
	for i, want := range []te.Event{
		{Cmd: "grep", Mode: "enriched", AgentID: "claude-dc", SessionID: "s1", InputSize: full, Truncated: true, HandleCreated: true},
		{Cmd: "grep", Mode: "raw", InputSize: full, OutputSize: full},
		{Cmd: "grep", Mode: "error"},
		{Cmd: "cat", Mode: "enriched", InputSize: 35},
		{Cmd: "find", Mode: "enriched"},
		{Cmd: "handle", Mode: "enriched", InputSize: full, Truncated: true},
		{Cmd: "handle", Mode: "error"},
	} {
		got := events[i]
		if want.Mode == "error" {
			if got.Error == nil || *got.Error == "" {
				t.Errorf("event %d has no error", i)
			}
		} else if got.Error != nil {
			t.Errorf("event %d has the error %s", i, *got.Error)
		}
		got.Timestamp, got.LatencyMS, got.Error = time.Time{}, 0, nil
		if want.OutputSize == 0 {
			got.OutputSize = 0
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("event %d: %s", i, diff)
		}
	}
	if len(events) != 7 {
		t.Errorf("%d events", len(events))
	}
}

// A log that cannot be written fails no request, and with the operator's leave it has
// the query.
func TestTelemetryQueriesAndFailures(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "te.jsonl")
	log, err := te.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	x := grepFake(t, 1, 0, 0)
	c, h := newChecker(t), newServer(t, x, Options{Envelope: EnvelopeOptions{Log: log, LogQueries: true}}).Handler()
	c.get(h, "/grep?pattern=needle")
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `"query":"needle"`) {
		t.Errorf("%s %v", text, err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if r := c.get(h, "/grep?pattern=needle"); r.status != 200 {
		t.Errorf("%d", r.status)
	}
	off := newServer(t, x, Options{Envelope: EnvelopeOptions{Off: true}}).Handler()
	if r := c.get(off, "/grep?pattern=needle"); r.status != 404 {
		t.Errorf("%d %s", r.status, r.body)
	}
}
