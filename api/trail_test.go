package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/search"
)

// What is slow is logged once, with what it used and never with what was asked.
func TestSlowQuery(t *testing.T) {
	x, run := openReal(t)
	run()
	s := newServer(t, x, Options{SlowQuery: time.Nanosecond})
	c, h := newChecker(t), s.Handler()
	if r := c.post(h, "/invalidate", `{"all":true,"wait":true}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	for _, tc := range []struct {
		target, body, endpoint string
		want                   []string // of the plan
	}{
		{"/search", `{"query":"where is a canaryword token validated","path":"src/auth"}`, "/search", []string{"mode", "searches", "bytes", "candidates", "weighed", "matches"}},
		{"/search", `{"query":"canaryword|Token","mode":"regex"}`, "/search", []string{"mode", "files", "read", "matches"}},
		{"/search", `{"query":"ValidateToken","mode":"symbol"}`, "/search", []string{"mode", "matches"}},
		{"/grep", `{"pattern":"canaryword|ValidateToken","path":"src/auth"}`, "/grep", []string{"files", "read"}},
		{"/grep", `{"pattern":"ValidateToken","raw":true}`, "/grep", []string{"files", "read"}},
		{"/impact", `{"target":"ValidateToken"}`, "/impact", []string{"nodes"}},
		{"/calls", `{}`, "/calls", nil},
		{"/search", `{"query":"canaryword","overlay":[{"path":"src/auth/token.go","content":"package auth // canaryword\n"}]}`, "/search", []string{"overlay"}},
		{"/rpc", `{"method":"semantic","params":{"query":"canaryword"}}`, "/search", []string{"mode"}},
		{"/relay", `{"line":"->relay:code semantic canaryword"}`, "/search", []string{"mode"}},
		{"/search", `{"query":"","path":"src/auth"}`, "/search", nil},
	} {
		var log journal
		s.log = slog.New(slog.NewJSONHandler(&log, nil))
		req := request("POST", tc.target, tc.body)
		req.Header.Set("X-Request-Id", "the-id")
		r := c.do(h, req)
		text := log.String()
		for _, secret := range []string{"canaryword", "Validate", "validated", "src/auth", "token.go"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s %s: the log has %q: %s", tc.target, tc.body, secret, text)
			}
		}
		if strings.Count(text, "\n") != 1 {
			t.Errorf("%s %s (%d): not one line: %s", tc.target, tc.body, r.status, text)
			continue
		}
		var line struct {
			Level, Endpoint, Project string
			Request                  string `json:"request_id"`
			Class                    string
			Queue, Work, Total       int64
			Status                   int
			Bytes                    int64
			Plan                     map[string]any
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line.Level != "WARN" || line.Endpoint != tc.endpoint || line.Request != "the-id" || line.Total < line.Work || line.Status != r.status && tc.target == tc.endpoint || line.Bytes == 0 {
			t.Errorf("%s %s: %s", tc.target, tc.body, text)
		}
		if r.status == 200 && (line.Project != "shop" || line.Class == "" || line.Work <= 0) {
			t.Errorf("%s %s: %s", tc.target, tc.body, text)
		}
		for _, name := range tc.want {
			if line.Plan[name] == nil {
				t.Errorf("%s %s: no %s in %s", tc.target, tc.body, name, text)
			}
		}
	}
}

// Only the time in the line and at work makes a request slow.
func TestSlowQueryThreshold(t *testing.T) {
	x := newFake(t)
	var log journal
	took := 0 * time.Millisecond
	x.search = func(context.Context, search.Query) (search.Answer, error) {
		time.Sleep(took)
		return search.Answer{State: x.State()}, nil
	}
	h := newServer(t, x, Options{Logger: log.logger(slog.LevelInfo), SlowQuery: 500 * time.Millisecond}).Handler()
	c := newChecker(t)
	c.post(h, "/search", `{"query":"a"}`)
	c.get(h, "/status")
	if log.String() != "" {
		t.Errorf("fast, and logged: %s", log.String())
	}
	took = 550 * time.Millisecond
	c.post(h, "/search", `{"query":"a"}`)
	if !strings.Contains(log.String(), "slow request") {
		t.Errorf("slow, and not logged: %s", log.String())
	}
	var off journal
	c.post(newServer(t, x, Options{Logger: off.logger(slog.LevelInfo)}).Handler(), "/search", `{"query":"a"}`)
	if off.String() != "" {
		t.Errorf("turned off, and logged: %s", off.String())
	}
}
