package client

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxSilence ends a stream that says nothing: the server says something every
	// 15 s.
	maxSilence = 45 * time.Second
	// maxEventLine is more than 1,000 paths of the longest kind, in bytes.
	maxEventLine = 8 << 20
)

// Events yields what commits change until ctx ends or the loop is left. The first
// event is the present state. A connection that breaks is made again and goes on
// with what was missed; one that cannot be made, with the repetitions of every
// request, is an error, the last that is yielded.
func (c *Client) Events(ctx context.Context, req EventsRequest) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		s := stream{last: req.LastID, yield: yield}
		for idle := 0; ; idle++ {
			before := s.last
			open, err := c.stream(ctx, req, &s)
			if s.left {
				return
			}
			if s.last != before {
				idle = 0
			}
			if ctx.Err() != nil || !open || !sleep(ctx, pause(idle)) {
				if ctx.Err() != nil {
					err = fmt.Errorf("client: GET /events: %w", context.Cause(ctx))
				}
				yield(nil, err)
				return
			}
		}
	}
}

// A stream is what connections that follow each other have in common.
type stream struct {
	last    string // ID of the last event
	greeted bool   // the present state was yielded
	left    bool   // the loop was
	yield   func(*Event, error) bool
}

// stream yields the events of one connection and says why it ended, and whether
// it brought any.
func (c *Client) stream(ctx context.Context, req EventsRequest, s *stream) (got bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(maxSilence, func() { cancel(fmt.Errorf("nothing was heard for %s", maxSilence)) })
	defer silence.Stop()
	q := url.Values{}
	text(q, "project", cmp.Or(req.Project, c.opt.Project))
	k := get("/events", q)
	k.header = http.Header{"Accept": {"text/event-stream"}}
	if s.last != "" {
		k.header.Set("Last-Event-ID", s.last)
	}
	resp, err := c.do(ctx, k)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEventLine)
	var kind, id, data string
	for lines.Scan() {
		silence.Reset(maxSilence)
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "id":
			id = value
		case "data":
			data = value // the server's events have one line
		}
		if lines.Text() != "" || data == "" {
			continue
		}
		e := &Event{ID: id}
		if err := json.Unmarshal([]byte(data), e); err != nil {
			return got, fmt.Errorf("client: GET /events: the event is not one of Quarry: %w", err)
		}
		got = true
		known := kind == "hello" && s.greeted
		if kind != "hello" || s.last == "" {
			s.last = id
		}
		kind, id, data = "", "", ""
		if known {
			continue // it is the state again, after a connection broke
		}
		s.greeted = true
		if !s.yield(e, nil) {
			s.left = true
			return got, nil
		}
	}
	return got, fmt.Errorf("client: GET /events: the stream broke off: %w", cmp.Or(context.Cause(ctx), lines.Err(), io.ErrUnexpectedEOF))
}
