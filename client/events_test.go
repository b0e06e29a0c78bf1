package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestEvents reads a stream whose connections break, and looks at how they are
// made again.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := &telephone{calls: []any{
			dialError(),
			said("event: hello\nid: a-7\ndata: {\"generation\":7,\"state\":\"ready\",\"changed\":[]}\n\n",
				": still here\n\n",
				"event: change\r\nid: a-8\r\ndata: {\"generation\":8,\"state\":\"stale\",\"changed\":[\"a.go\"]}\r\n\r\n",
				"event: change\nid: a-9\nda"),
			busy("3"),
			said("event: hello\nid: a-9\ndata: {\"generation\":9,\"state\":\"ready\",\"changed\":[]}\n\n"), // and silence
			said("event: hello\nid: a-9\ndata: {\"generation\":9,\"state\":\"ready\",\"changed\":[]}\n\n",
				"event: change\nid: a-9\ndata: {\"generation\":9,\"state\":\"ready\",\"changed\":[],\"all\":true}\n\n"),
		}}
		line.calls[3].(*speech).hangs = true
		c := newClient(t, "http://localhost:3456", Options{Project: "shop", HTTPClient: &http.Client{Transport: line}})
		var got []Event
		began := time.Now()
		for e, err := range c.Events(t.Context(), EventsRequest{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, *e)
			if e.All {
				break
			}
		}
		want := []Event{
			{ID: "a-7", Generation: 7, State: StateReady, Changed: []string{}},
			{ID: "a-8", Generation: 8, State: StateStale, Changed: []string{"a.go"}},
			{ID: "a-9", Generation: 9, State: StateReady, Changed: []string{}, All: true},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"", "", "a-8", "a-8", "a-8"}, line.asked); diff != "" {
			t.Errorf("Last-Event-ID (-want +got):\n%s", diff)
		}
		if took := time.Since(began).Round(time.Second); took != maxSilence+3*time.Second {
			t.Errorf("it took %v: the pause that was asked for and the longest silence are %v", took, maxSilence+3*time.Second)
		}
	})
}

// TestEventsEnd has streams end in each way.
func TestEventsEnd(t *testing.T) {
	hello := "event: hello\nid: a-7\ndata: {\"generation\":7,\"state\":\"ready\",\"changed\":[]}\n\n"
	refused := answer(409, `{"error":"wrong_project","message":"this server has the project \"shop\"","request_id":"r"}`)
	for name, c := range map[string]struct {
		calls  []any
		events int
		check  func(error) bool
	}{
		"refused": {[]any{refused}, 0, func(err error) bool {
			e := (*Error)(nil)
			return errors.As(err, &e) && e.Code == CodeWrongProject
		}},
		"gone":       {[]any{said(hello), dialError(), dialError(), dialError(), dialError()}, 1, func(err error) bool { return strings.Contains(err.Error(), "refused") }},
		"not events": {[]any{said("data: {\n\n")}, 0, func(err error) bool { return strings.Contains(err.Error(), "not one of Quarry") }},
		"no longer wanted": {[]any{&speech{parts: []string{hello}, hangs: true}}, 1, func(err error) bool {
			return errors.Is(err, context.DeadlineExceeded)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				cl := newClient(t, "http://localhost:3456", Options{HTTPClient: &http.Client{Transport: &telephone{calls: c.calls}}})
				events := 0
				var last error
				for e, err := range cl.Events(ctx, EventsRequest{}) {
					if last != nil {
						t.Error("something is yielded after an error")
					}
					if last = err; e != nil {
						events++
					}
				}
				if events != c.events || last == nil || !c.check(last) {
					t.Errorf("%d events and %v, want %d", events, last, c.events)
				}
			})
		})
	}
}

// A telephone answers each request with the next of its calls.
type telephone struct {
	calls []any // *speech, *http.Response or error
	asked []string
}

func (l *telephone) RoundTrip(req *http.Request) (*http.Response, error) {
	l.asked = append(l.asked, req.Header.Get("Last-Event-ID"))
	if len(l.calls) == 0 {
		return nil, fmt.Errorf("one call too many")
	}
	next := l.calls[0]
	l.calls = l.calls[1:]
	switch next := next.(type) {
	case *speech:
		next.ctx = req.Context()
		return &http.Response{StatusCode: 200, Body: io.NopCloser(next)}, nil
	case *http.Response:
		return next, nil
	default:
		return nil, next.(error)
	}
}

// A speech is a body that comes in parts, and then ends or hangs.
type speech struct {
	parts []string
	hangs bool
	ctx   context.Context // of the request
}

func said(parts ...string) *speech { return &speech{parts: parts} }

func (s *speech) Read(p []byte) (int, error) {
	switch {
	case len(s.parts) > 0:
		n := copy(p, s.parts[0])
		if s.parts[0] = s.parts[0][n:]; s.parts[0] == "" {
			s.parts = s.parts[1:]
		}
		return n, nil
	case s.hangs:
		<-s.ctx.Done()
		return 0, s.ctx.Err()
	}
	return 0, io.EOF
}
