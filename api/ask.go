package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/text"
	"github.com/quarry-search/quarry/api/wire"
)

// maxAsked bounds a text that is sent as it is found, in bytes: that of a raw grep has no
// bound of its own.
const maxAsked = 16 << 20

// answer has an endpoint answer a request. While it gives something from an index, background
// work gives way.
func (s *Server) answer(ctx context.Context, e *service.Endpoint, c *exchange, request any) (any, error) {
	if e.Gives {
		defer s.opt.Throttle.Answer()()
	}
	return e.Answer(ctx, &c.Call, request)
}

// An Asker asks a Server otherwise than by HTTP: see Ask.
type Asker struct {
	s   *Server
	way way
}

// Socket returns what answers the requests that come on Unix sockets.
func (s *Server) Socket() Asker { return Asker{s, waySocket} }

// Ask answers a request as the endpoint of a path does, such as "/search": with its
// limits, its place in the queue, its sessions and its metrics. fields are those of its JSON
// body, or of the query string where it takes no body. The answer is a pointer to a struct
// of api/wire; it is nil where the fields want a text, which text is then.
//
// Ask checks neither token nor origin: its caller answers for the client. The error is a
// *wire.Problem, but that of ctx when ctx has ended; text is what the envelope says of it,
// where its text was wanted.
func (a Asker) Ask(ctx context.Context, endpoint string, fields map[string]any) (answer any, text string, err error) {
	return a.s.ask(ctx, a.way, newID(), endpoint, fields)
}

// Panicked counts a panic in code that hands on what Ask answers, in /metrics.
func (s *Server) Panicked() { s.metrics.panics.Inc() }

// ask is Ask for a request that came some way, with an id.
func (s *Server) ask(ctx context.Context, by way, id, endpoint string, values map[string]any) (answer any, said string, err error) {
	c := &exchange{way: by, Call: service.Call{ID: id, Endpoint: endpoint, Inside: true}}
	defer s.activity.asked(s, endpoint)()
	e := s.endpoints[endpoint]
	if e == nil {
		c.Endpoint = other
	}
	ctx, end := s.count(ctx, c)
	size, code := int64(0), http.StatusOK
	defer func() {
		if p := recover(); p != nil {
			s.panicked(ctx, c, p)
			answer, said, err = nil, "", &wire.Problem{Code: wire.CodeInternal, Message: "internal error"}
			code = http.StatusInternalServerError
		}
		end(http.MethodPost, code, size)
	}()
	if err := ctx.Err(); err != nil {
		code = statusGone
		return nil, "", err
	}
	if e == nil {
		err = wire.Problemf(wire.CodeNotFound, "there is no such endpoint")
	} else {
		answer, said, size, err = s.askOne(ctx, e, c, values)
	}
	switch {
	case err == nil:
		return answer, said, nil
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		code = statusGone
		return nil, "", err
	}
	p, _ := s.classify(ctx, c, err)
	code = status(p.Code)
	if envelope, ok := s.service.Failure(&c.Call, err, p); ok { // it has words of its own
		return nil, envelope, &wire.Problem{Code: p.Code, Message: s.service.Words(p)}
	}
	return nil, "", p
}

// askOne has an endpoint answer, and counts what it answers.
func (s *Server) askOne(ctx context.Context, e *service.Endpoint, c *exchange, values map[string]any) (answer any, said string, size int64, err error) {
	out := &collected{}
	c.Raw = out
	defer c.Close()
	request, err := s.service.Read(e, fields.New(values), &c.Call)
	if err == nil {
		answer, err = s.answer(ctx, e, c, request)
	}
	if err == nil && c.Broken != nil {
		err = c.Broken
	}
	switch {
	case err != nil:
		s.service.Sent(ctx, &c.Call, 0, service.Classify(err))
		return nil, "", 0, err
	case c.IsText:
		said, answer = c.Text, nil
	case c.Form.Raw && e.Envelope != "":
		said, answer = out.String(), nil
	case c.Form.Text:
		if said, err = text.Render(answer, c.Form.Query); err != nil {
			return nil, "", 0, err
		}
		answer = nil
	}
	if size = int64(len(said)); c.JSON != nil && answer != nil {
		size = int64(c.JSON.Len())
	}
	s.service.Sent(ctx, &c.Call, size, nil)
	s.deliver(c, true)
	return answer, said, size, nil
}

// collected is a text that is kept as it is found.
type collected struct{ strings.Builder }

func (c *collected) Write(b []byte) (int, error) {
	if c.Len()+len(b) > maxAsked {
		return 0, fmt.Errorf("api: the answer is larger than %d bytes", maxAsked)
	}
	return c.Builder.Write(b)
}

// Begin implements service.RawWriter.
func (c *collected) Begin(uint64) {}

// Begun implements service.RawWriter.
func (c *collected) Begun() bool { return c.Len() > 0 }

// Gone implements service.RawWriter.
func (c *collected) Gone() bool { return false }

// Size implements service.RawWriter.
func (c *collected) Size() int64 { return int64(c.Len()) }
