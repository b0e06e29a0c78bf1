package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
)

// A listener reads a stream of events as a client does. Close checks the whole
// exchange against the document.
type listener struct {
	t    *testing.T
	req  *http.Request
	resp *http.Response
	all  bytes.Buffer
	in   *bufio.Scanner
}

type heard struct {
	kind, id string
	answer.Event
}

// listen opens a stream; last is the id of the last event that the client has.
func listen(t *testing.T, url, last string) *listener {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	l := &listener{t: t, req: req}
	if l.resp, err = (&http.Client{Transport: tr}).Do(req); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.resp.Body.Close() })
	if got := l.resp.Header.Get("Content-Type"); l.resp.StatusCode != 200 || got != "text/event-stream; charset=utf-8" {
		t.Fatalf("%s, %s", l.resp.Status, got)
	}
	l.in = bufio.NewScanner(io.TeeReader(l.resp.Body, &l.all))
	return l
}

// next returns the next event.
func (l *listener) next() (e heard) {
	l.t.Helper()
	for l.in.Scan() {
		name, value, _ := strings.Cut(l.in.Text(), ": ")
		switch name {
		case "event":
			e.kind = value
		case "id":
			e.id = value
		case "data":
			var v any
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				l.t.Fatal(err)
			}
			if err := newChecker(l.t).doc.Components.Schemas["Event"].Value.VisitJSON(v); err != nil {
				l.t.Error(err)
			}
			if err := json.Unmarshal([]byte(value), &e.Event); err != nil {
				l.t.Fatal(err)
			}
		case "":
			return e
		}
	}
	l.t.Fatalf("the stream has ended: %v", l.in.Err())
	return e
}

// end reads the stream to its end, which must come, and checks the exchange.
func (l *listener) end() {
	l.t.Helper()
	for l.in.Scan() {
	}
	if err := l.in.Err(); err != nil {
		l.t.Error(err)
	}
	newChecker(l.t).check(l.req, nil, l.resp, l.all.Bytes())
}

func TestEvents(t *testing.T) {
	x, run := openReal(t)
	run()
	s := newServer(t, x, Options{})
	_, url := serve(t, s)
	c := newChecker(t)
	c.post(s.Handler(), "/invalidate", `{"all":true,"wait":true}`)
	l := listen(t, url, "")
	hello := l.next()
	if hello.kind != "hello" || hello.State != answer.Ready || hello.Generation != x.State().Generation || len(hello.Changed) > 0 || hello.All {
		t.Errorf("%+v", hello)
	}
	file := filepath.Join(x.Root(), "src", "auth", "token.go")
	if err := os.WriteFile(file, []byte("package auth\n\nfunc CheckToken() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.post(s.Handler(), "/invalidate", `{"path":"src/auth/token.go","wait":true}`)
	change := l.next()
	for len(change.Changed) == 0 { // another state may come first
		change = l.next()
	}
	if change.kind != "change" || !slices.Equal(change.Changed, []string{"src/auth/token.go"}) || change.Generation <= hello.Generation {
		t.Errorf("%+v after %+v", change, hello)
	}
	for state := change.State; state != answer.Ready; {
		state = l.next().State
	}

	// Who comes back gets what was missed; who comes from elsewhere is told so.
	again := listen(t, url, hello.id)
	again.next()
	if e := again.next(); e.id != change.id && !slices.Equal(e.Changed, change.Changed) {
		t.Errorf("%+v, want %+v", e, change)
	}
	stranger := listen(t, url, "f00-3")
	stranger.next()
	if e := stranger.next(); !e.All {
		t.Errorf("%+v", e)
	}

	h := s.Handler()
	if r := c.get(h, "/events?project=other"); r.status != 409 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.do(h, request("HEAD", "/events", "")); r.status != 200 || len(r.body) > 0 {
		t.Errorf("HEAD: %d %s", r.status, r.body)
	}
}

// TestEventsEnd ends a server with open streams: they end at once, and nothing
// waits for the grace of other requests.
func TestEventsEnd(t *testing.T) {
	s := newServer(t, newFake(t), Options{Limits: Limits{Grace: time.Hour}})
	ctx, cancel := context.WithCancel(t.Context())
	ls, addr, err := Listen(ctx, "", 0, 9)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ls...) }()
	streams := []*listener{listen(t, "http://"+addr, ""), listen(t, "http://"+addr, "")}
	for _, l := range streams {
		l.next()
	}
	cancel()
	for _, l := range streams {
		l.end()
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestEventsOutliveTheWriteTimeout has events come after the server's time for a
// whole response.
func TestEventsOutliveTheWriteTimeout(t *testing.T) {
	x := newFake(t)
	x.changes = make(chan answer.Event)
	s := newServer(t, x, Options{})
	hs := httptest.NewUnstartedServer(s.Handler())
	hs.Config.WriteTimeout = 50 * time.Millisecond
	hs.Start()
	defer hs.Close()
	l := listen(t, hs.URL, "")
	l.next()
	for i := range 3 {
		time.Sleep(60 * time.Millisecond)
		x.changes <- answer.Event{ID: fmt.Sprint("a-", i), Generation: uint64(i), State: answer.Ready, Changed: []string{"x.go"}}
		if e := l.next(); e.id != fmt.Sprint("a-", i) {
			t.Errorf("%+v", e)
		}
	}
	// The client goes, and so does its stream.
	l.resp.Body.Close()
	deadline := time.Now().Add(5 * time.Second)
	for s.streams.Load() != 0 {
		if time.Now().After(deadline) {
			t.Fatal("the stream goes on")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestEventsAreLimited(t *testing.T) {
	s := newServer(t, newFake(t), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var streams sync.WaitGroup
	for range maxStreams {
		streams.Go(func() {
			s.Handler().ServeHTTP(httptest.NewRecorder(), request("GET", "/events", "").WithContext(ctx))
		})
	}
	for s.streams.Load() < maxStreams {
		time.Sleep(time.Millisecond)
	}
	c := newChecker(t)
	r := c.get(s.Handler(), "/events")
	var p wire.Problem
	r.decode(t, &p)
	if r.status != 429 || p.Code != wire.CodeRateLimited || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.get(s.Handler(), "/health"); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	cancel()
	streams.Wait()
	if n := s.streams.Load(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

func TestEventsAreNeverSilentForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newFake(t)
		x.changes = make(chan answer.Event)
		s := newServer(t, x, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		rec := httptest.NewRecorder()
		var stream sync.WaitGroup
		stream.Go(func() { s.Handler().ServeHTTP(rec, request("GET", "/events", "").WithContext(ctx)) })
		time.Sleep(2*heartbeat + time.Second)
		x.changes <- answer.Event{ID: "a-8", Generation: 8, State: answer.Ready, Changed: []string{}}
		time.Sleep(heartbeat - time.Second)
		cancel()
		stream.Wait()
		const want = "event: hello\nid: a-7\ndata: {\"generation\":7,\"state\":\"ready\",\"changed\":[]}\n\n" +
			": still here\n\n: still here\n\n" +
			"event: change\nid: a-8\ndata: {\"generation\":8,\"state\":\"ready\",\"changed\":[]}\n\n"
		if got := rec.Body.String(); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
}
