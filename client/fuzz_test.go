package client

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// An echo answers every request with the same.
type echo struct {
	status int
	kind   string
	body   string
	ended  func() // is called when the answer has been read
}

// A noted body tells that it is closed.
type noted struct {
	io.Reader
	closed func()
}

func (n noted) Close() error {
	n.closed()
	return nil
}

func (e echo) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: e.status, Status: http.StatusText(e.status), Header: http.Header{"Content-Type": {e.kind}, "Retry-After": {"0"}},
		Body: noted{strings.NewReader(e.body), e.ended}, Request: r,
	}, nil
}

// FuzzAnswer has anything answer for a server: each method gives an answer or an error,
// and an error of a status that is none of success.
func FuzzAnswer(f *testing.F) {
	f.Add(uint8(0), `{"results":[{"file":"a","line":1,"score":0.5}],"state":"ready"}`)
	f.Add(uint8(1), `{"error":"not_found","message":"there is none","request_id":"x"}`)
	f.Add(uint8(0), `{"results":null}`)
	f.Add(uint8(2), `<html>`)
	f.Add(uint8(3), ``)
	f.Add(uint8(0), "event: hello\nid: a-1\ndata: {\"generation\":1,\"changed\":[]}\n\nevent: change\ndata: {\n\n")
	f.Add(uint8(0), `[[[[`)
	statuses := []int{200, 404, 500, 204, 503, 301, 422}
	f.Fuzz(func(t *testing.T, n uint8, body string) {
		status := statuses[int(n)%len(statuses)]
		c, err := New("http://localhost:3456", Options{Retries: -1, HTTPClient: &http.Client{Transport: echo{status, "application/json", body, func() {}}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		var failed []error
		note := func(err error) { failed = append(failed, err) }
		_, err = c.Search(ctx, SearchRequest{Query: "a"})
		note(err)
		_, err = c.SearchAll(ctx, SearchRequest{Queries: []string{"a"}})
		note(err)
		_, err = c.Extract(ctx, ExtractRequest{Target: "a"})
		note(err)
		_, err = c.Outline(ctx, ExtractRequest{File: "a"})
		note(err)
		_, err = c.Calls(ctx, CallsRequest{})
		note(err)
		_, err = c.Impact(ctx, ImpactRequest{})
		note(err)
		_, err = c.Context(ctx, ContextRequest{})
		note(err)
		_, err = c.Structure(ctx, StructureRequest{})
		note(err)
		_, err = c.Grep(ctx, GrepRequest{Pattern: "a"})
		note(err)
		_, err = c.Handle(ctx, HandleRequest{Handle: "a/../b"})
		note(err)
		_, err = c.Status(ctx, StatusRequest{})
		note(err)
		_, err = c.Projects(ctx)
		note(err)
		for i, err := range failed {
			if status >= 400 && err == nil {
				t.Errorf("method %d takes status %d for an answer", i, status)
			}
		}
		// A stream that breaks off is started again, until nobody waits for it.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		c, err = New("http://localhost:3456", Options{Retries: -1, HTTPClient: &http.Client{Transport: echo{status, "text/event-stream", body, cancel}}})
		if err != nil {
			t.Fatal(err)
		}
		events := 0
		for _, err := range c.Events(ctx, EventsRequest{}) {
			if events++; err != nil {
				break
			}
		}
		if lines := strings.Count(body, "\n") + 2; events > lines {
			t.Errorf("%d events of %d lines", events, lines)
		}
	})
}
