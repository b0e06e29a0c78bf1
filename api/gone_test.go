package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index"
)

// openLarge returns the built index of a root in which everything takes its time: many
// files that call one another, and texts that a regular expression is slow on.
func openLarge(t *testing.T, files int) *index.Index {
	dir := filepath.Join(t.TempDir(), "large")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	filler := strings.Repeat("// aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab aab\n", 400)
	for i := range files {
		var b strings.Builder
		fmt.Fprintf(&b, "package large\n\n")
		for j := range 10 {
			fmt.Fprintf(&b, "// F%dx%d is one of many.\nfunc F%dx%d() { F%dx%d(); Hub() }\n\n", i, j, i, j, (i*7+1)%files, (j+3)%10)
		}
		if i == 0 {
			b.WriteString("// Hub is called by all.\nfunc Hub() {}\n")
		}
		b.WriteString(filler)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, err := index.Open(dir, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x
}

// A client that goes away ends the work underneath, on a real index: its goroutines end,
// its slot is free, and nothing is answered.
func TestGoneClientsEndWork(t *testing.T) {
	x := openLarge(t, 300)
	s := newServer(t, x, Options{})
	_, url := serve(t, s)
	client := plainClient(t)
	changed := strconv.Quote("package large\n\n" + strings.Repeat("func Added() { Hub() }\n", 2_000))
	for _, tc := range []struct{ name, target, body string }{
		{"regex", "/search", `{"query":"(a+)+[^a]{0,3}(a|b)*c$","mode":"regex"}`},
		{"grep", "/grep", `{"pattern":"(a+)+[^a]{0,3}(a|b)*c$"}`},
		{"raw grep", "/grep", `{"pattern":"a","raw":true}`},
		{"impact", "/impact", `{"target":"Hub","depth":10,"limit":1000}`},
		{"all calls", "/calls", `{}`},
		{"search", "/search", `{"queries":["one of many","called by all","hub","many","one","F1x1","is one of","by all"]}`},
		{"overlay", "/search", `{"query":"hub","overlay":[{"path":"f1.go","content":` + changed + `}]}`},
		{"verify", "/verify", `{}`},
		{"summary", "/summarize", `{"path":""}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, after := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond} {
				ctx, cancel := context.WithTimeout(t.Context(), after)
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+tc.target, strings.NewReader(tc.body))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := client.Do(req)
				if err == nil { // it was fast enough, or had begun to answer
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				cancel()
				until(t, "the work goes on", func() bool {
					slots, verifying := s.service.AtWork()
					return s.activity.running.Load() == 0 && slots == 0 && !verifying
				})
				until(t, "goroutines of the index stay", func() bool { return atWork() == 0 })
			}
		})
	}
	// Nothing is broken by that: the same questions have their answers.
	c, h := newChecker(t), s.Handler()
	for _, tc := range []struct{ target, body string }{
		{"/search", `{"query":"hub"}`}, {"/grep", `{"pattern":"Hub"}`}, {"/impact", `{"target":"Hub"}`},
		{"/search", `{"query":"Added","mode":"symbol","overlay":[{"path":"f1.go","content":"package large\n\nfunc Added() { Hub() }\n"}]}`},
		{"/verify", `{"sample":5}`},
	} {
		if r := c.post(h, tc.target, tc.body); r.status != 200 {
			t.Errorf("%s %s: %d %s", tc.target, tc.body, r.status, r.body)
		}
	}
}

// atWork counts the goroutines that are in the index's code.
func atWork() int {
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
		return -1
	}
	n := 0
	for stack := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(stack, "quarry/index.(") {
			n++
		}
	}
	return n
}
