package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/te"

	"github.com/quarry-search/quarry/api/wire"
)

// With a coach, answers to sessions have its forms, the telemetry says which, and what
// the session does next is scored.
func TestEnvelopeWithACoach(t *testing.T) {
	path := filepath.Join(t.TempDir(), "te.jsonl")
	log, err := te.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	learning := coach.Open(coach.Options{Source: rand.NewPCG(1, 2)})
	c, h := newChecker(t), newServer(t, grepFake(t, 3, 612, 235), Options{Coach: learning, Envelope: EnvelopeOptions{Log: log}}).Handler()
	forms := map[int]bool{}
	for i := range 60 {
		var body wire.GrepResponse
		c.post(h, "/grep", fmt.Sprintf(`{"pattern":"validateToken","session_id":"s%d"}`, i)).decode(t, &body)
		forms[body.Meta.V] = true
		c.get(h, fmt.Sprintf("/handles/%s?session_id=s%d", body.Meta.Handle, i))
	}
	if len(forms) < 3 {
		t.Errorf("forms %v", forms)
	}
	scored := 0
	for _, r := range learning.Report()["grep"] {
		scored += r.Scored
		if r.Scored > 0 && r.Mean != 1 {
			t.Errorf("%+v", r)
		}
	}
	if scored != 60 {
		t.Errorf("%d answers are scored, want 60", scored)
	}
	// Who has no session gets the default form.
	var body wire.GrepResponse
	c.post(h, "/grep", `{"pattern":"validateToken"}`).decode(t, &body)
	if err := log.Close(); err != nil || body.Meta.V != 1 {
		t.Errorf("%v, form %d", err, body.Meta.V)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var e te.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if (e.Strategy != nil) != (e.Cmd == "grep" && e.SessionID != "") {
			t.Errorf("%s", line)
		}
	}
}

// What a session does at the other endpoints is the next action, too.
func TestCoachSeesOtherEndpoints(t *testing.T) {
	for _, next := range []struct {
		target, body string
		mean         float64 // -9: not scored
	}{
		{"/extract", `{"file":"src/auth/use.ts"}`, 2},
		{"/calls", `{"target":"validateToken"}`, 2},
		{"/summarize", `{"content":"x"}`, 2},
		{"/search", `{"query":"something else"}`, -9},
		{"/grep", `{"pattern":"validateToken"}`, -1},
	} {
		learning := coach.Open(coach.Options{Source: rand.NewPCG(1, 2)})
		x := grepFake(t, 3, 612, 235)
		x.outlined = "src/auth/use.ts"
		h := newServer(t, x, Options{Coach: learning}).Handler()
		for _, r := range []*http.Request{request(http.MethodPost, "/grep", `{"pattern":"validateToken"}`), request(http.MethodPost, next.target, next.body)} {
			r.Header.Set("X-Session-Id", "one")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", r.URL, w.Code, w.Body)
			}
		}
		got := -9.0
		for _, r := range learning.Report()["grep"] {
			if r.Scored > 0 {
				got = r.Mean
			}
		}
		if got != next.mean {
			t.Errorf("%s after a grep scores %g, want %g", next.target, got, next.mean)
		}
	}
}
