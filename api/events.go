package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/index/answer"
)

const (
	maxStreams = 64 // open at once
	// heartbeat is how long a stream is silent at most: proxies cut connections
	// after a minute, and only a write finds out that a client has gone without a word.
	heartbeat = 15 * time.Second
	// eventTimeout is for the client to take an event.
	eventTimeout = 10 * time.Second
	// maxEventID bounds what a client gives back as Last-Event-ID, in bytes.
	maxEventID = 64
)

// endingKey finds, in a request's context, the one that ends when Serve does.
// Requests outlive it by Limits.Grace; streams, which would wait for ever, do not.
type endingKey struct{}

// withEnding returns base with a context for streams, and what ends it.
func withEnding(base context.Context) (context.Context, context.CancelFunc) {
	ending, end := context.WithCancel(base)
	return context.WithValue(base, endingKey{}, ending), end
}

// events tells, as long as the client listens, what commits have changed.
func (s *Server) events(w http.ResponseWriter, r *http.Request, c *exchange) {
	c.Lasts = true
	p, done, err := s.project(w, r, c)
	if err != nil {
		s.fail(w, r, c, err)
		return
	}
	defer done() // an open stream keeps its project in memory
	if n := s.streams.Add(1); n > maxStreams {
		s.streams.Add(-1)
		s.fail(w, r, c, slot.Crowdedf(slot.CrowdEvents, "%d event streams are open already", maxStreams))
		return
	}
	defer s.streams.Add(-1)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if ending, ok := ctx.Value(endingKey{}).(context.Context); ok {
		defer context.AfterFunc(ending, cancel)()
	}
	now, err := p.Index.Changes(ctx, answer.Event{})
	if err != nil {
		s.fail(w, r, c, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // or nginx keeps events to itself
	s.setGeneration(w, now.Generation)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	st := stream{w: w, control: http.NewResponseController(w)}
	if st.send("hello", now) != nil {
		return
	}
	last := now
	if id := r.Header.Get("Last-Event-ID"); id != "" && len(id) <= maxEventID {
		last.ID = id
	}
	for {
		wait, stop := context.WithTimeout(ctx, heartbeat)
		next, err := p.Index.Changes(wait, last)
		stop()
		if who, denied := s.authorize(r); denied != nil || !who.May(c.Project) {
			return // the token has expired, or the project is no longer for whoever listens
		}
		switch {
		case ctx.Err() != nil || errors.Is(err, answer.ErrClosed):
			return
		case errors.Is(err, context.DeadlineExceeded):
			err = st.write(": still here\n\n")
		case err == nil:
			err, last = st.send("change", next), next
		}
		if err != nil {
			return // the client has gone, or takes nothing
		}
	}
}

// A stream writes server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s stream) send(kind string, e answer.Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: %s\nid: %s\ndata: %s\n\n", kind, e.ID, data))
}

func (s stream) write(text string) error {
	// The server's own deadline is for a whole response, which this has not.
	// Where there is no connection (in a test), there is no deadline.
	_ = s.control.SetWriteDeadline(time.Now().Add(eventTimeout))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
