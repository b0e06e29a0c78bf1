package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/text"
	"github.com/quarry-search/quarry/api/wire"
)

const (
	headerMatches = "X-Matches" // says how much there is, whatever the form of the answer
	headerIgnored = "X-Ignored" // and which fields of the request had no effect
)

// headerMissing says what was not looked at for a raw answer, which has no breadcrumbs.
const headerMissing = "X-Not-Searched"

// asking returns the handler of an endpoint.
func (s *Server) asking(e *service.Endpoint) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		start := time.Now()
		h := w.Header()
		if e.Readable {
			h.Add("Vary", "Accept")
		}
		raw := &rawAnswer{w: w, head: r.Method == http.MethodHead, control: http.NewResponseController(w), limit: s.limits.WriteTimeout}
		c.Raw, c.Extend = raw, func(by time.Duration) { _ = raw.control.SetWriteDeadline(time.Now().Add(by)) }
		defer c.Close()
		request, err := s.read(w, r, e, c)
		if e.Envelope != "" || c.Form.Rag {
			h.Set("Cache-Control", "no-store") // a handle is made for each answer
		}
		var body any
		if err == nil {
			body, err = s.answer(r.Context(), e, c, request)
		}
		if c.Generated {
			s.setGeneration(w, c.Generation)
		}
		c.sayIgnored(h)
		if c.Counted && (c.IsText || !c.Form.Raw) { // else it is the trailer
			h.Set(headerMatches, strconv.Itoa(c.Matches))
			c.sayMissing(h)
		}
		var p *wire.Problem
		size := int64(0)
		switch {
		case err != nil:
			size, p = s.refuse(w, r, c, err)
		case c.Broken != nil:
			s.broken(r, c, raw.n)
		case raw.begun || raw.gone || body == nil && !c.IsText:
			raw.begin()
			size = raw.n
		case c.IsText:
			size = c.sendText(w, r, http.StatusOK, c.Text)
		case c.JSON == nil:
			size = s.write(w, r, c, statusOf(request, body), body)
		case !e.Gives || e.Envelope != "":
			size = c.send(w, r, http.StatusOK, body, c.JSON)
		default:
			s.respond(w, r, c, body, start)
		}
		if raw.begun {
			h.Set(headerMatches, strconv.Itoa(c.Matches))
			c.sayMissing(h)
		}
		if e.Envelope != "" || c.Form.Rag {
			s.metrics.endpoint(c.Endpoint).cut(c.Cut)
		}
		s.service.Sent(r.Context(), &c.Call, size, p)
	}
}

// sayIgnored names what had no effect, for the forms of an answer that have no head.
func (c *exchange) sayIgnored(h http.Header) {
	if len(c.Ignored) > 0 {
		h.Set(headerIgnored, strings.Join(c.Ignored, ", "))
	}
}

// callerFields are those that every request may have.
var callerFields = []string{"session_id", "agent_id", "strict"}

// notice names the fields of a request that has no struct but those that it takes, which are an
// error where it is strict.
func (c *exchange) notice(w http.ResponseWriter, d *fields.Fields, takes ...string) {
	d.Spell(struct{}{}, d.Flag("strict"), slices.Concat(takes, callerFields)...)
	c.Ignored = append(c.Ignored, d.Ignored...)
	c.sayIgnored(w.Header())
}

// taking has a handler without a request of its own say which parameters it does not take.
func (s *Server) taking(h handler, takes ...string) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		d := fields.Query(r.URL.RawQuery)
		if d.Err == nil { // else it is for whoever reads some to say so
			if c.notice(w, d, takes...); d.Err != nil {
				s.fail(w, r, c, d.Err)
				return
			}
		}
		h(w, r, c)
	}
}

// sayMissing notes what was not looked at.
func (c *exchange) sayMissing(h http.Header) {
	if c.Missing != "" {
		h.Set(headerMissing, c.Missing)
	}
}

// read makes a request of what was sent, and says who asks.
func (s *Server) read(w http.ResponseWriter, r *http.Request, e *service.Endpoint, c *exchange) (any, error) {
	c.Session, c.Agent, c.Host = r.Header.Get("X-Session-Id"), r.Header.Get("X-Agent-Id"), r.Host
	c.Plain = prefers(r.Header.Values("Accept"), "text/plain")
	request, err := s.service.Read(e, s.decode(w, r), &c.Call)
	if q, ok := request.(*wire.HandleRequest); ok {
		q.Handle = chi.URLParam(r, "id")
	}
	return request, err
}

// prefers reports whether a client asks for one media type and for nothing else.
func prefers(accept []string, kind string) bool {
	first, _, _ := strings.Cut(strings.Join(accept, ","), ";")
	return strings.TrimSpace(first) == kind
}

// respond sends an answer of an index, or says that the client has it. What is sent is
// counted, and noted in the session.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, c *exchange, body any, start time.Time) {
	took := time.Since(start)
	h := w.Header()
	h.Set("Server-Timing", fmt.Sprintf("queue;dur=%.3f, search;dur=%.3f, total;dur=%.3f", ms(c.Waited), ms(took-c.Waited), ms(took)))
	// The receipt of a session is part of what the tag is of: an answer with references is
	// never taken for one without.
	salt := uint64(0)
	if c.Form.Text { // another tag than that of the JSON that it is of
		salt = 1
	}
	if fresh(w, r, fmt.Sprintf(`"g%d-%016x"`, c.Generation, xxhash.Sum64(c.JSON.Bytes())^salt)) {
		return
	}
	s.deliver(c, r.Method != http.MethodHead)
	c.send(w, r, http.StatusOK, body, c.JSON)
}

// deliver counts an answer, and notes in the session that it is there; not for one that is
// its head only.
func (s *Server) deliver(c *exchange, whole bool) {
	m := s.metrics.endpoint(c.Endpoint)
	m.cut(c.Cut)
	if !whole {
		return
	}
	c.Delivered()
	if tokens, raw, ok := c.Cost(); ok {
		m.charge(tokens, raw)
	}
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// statusOf is the status of an answer that tells of no index.
func statusOf(request, body any) int {
	switch b := body.(type) {
	case *wire.Reindexed:
		return http.StatusAccepted
	case *wire.Invalidated:
		if !request.(*wire.InvalidateRequest).Wait {
			return http.StatusAccepted
		}
	case *wire.Ready:
		if !b.Ready {
			return http.StatusServiceUnavailable
		}
	}
	return http.StatusOK
}

// broken ends an answer of which a part is out, so that the client sees that it is not
// whole.
func (s *Server) broken(r *http.Request, c *exchange, size int64) {
	s.log.WarnContext(r.Context(), "an answer was broken off", "endpoint", c.Endpoint, "err", c.Broken)
	s.service.Sent(r.Context(), &c.Call, size, service.Classify(c.Broken))
	panic(http.ErrAbortHandler)
}

// refuse answers with an error, in the form that was asked for.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, c *exchange, err error) (size int64, p *wire.Problem) {
	p = s.prepare(w, r, c, err)
	if said, ok := s.service.Failure(&c.Call, err, p); ok {
		return c.sendText(w, r, status(p.Code), said), p
	}
	return s.explain(w, r, c, p), p
}

// decode reads the fields of a request. The body is taken for JSON whatever its
// Content-Type: curl says form data when it is told nothing.
func (s *Server) decode(w http.ResponseWriter, r *http.Request) *fields.Fields {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return fields.Query(r.URL.RawQuery)
	}
	body, err := s.readBody(w, r)
	if err != nil {
		return &fields.Fields{Err: err}
	}
	return fields.JSON(body)
}

// readBody reads a request's body within its limits.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	// A client that sends its header and no body must not hold a goroutine for
	// ever. Where there is no connection (in a test), there is no deadline.
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(s.limits.BodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{})
	}
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &tooLarge):
		return nil, wire.Problemf(wire.CodePayloadTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, wire.Problemf(wire.CodeInvalidRequest, "the body did not arrive within %v", s.limits.BodyTimeout)
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	}
	return nil, wire.Problemf(wire.CodeInvalidRequest, "the body ended early")
}

// write answers with v as JSON, or with the text of it.
func (s *Server) write(w http.ResponseWriter, r *http.Request, c *exchange, status int, v any) (size int64) {
	b, err := service.Encode(v)
	defer service.Release(b)
	if err != nil { // a number that JSON does not have, from a func of Options
		s.log.ErrorContext(r.Context(), "encode", "endpoint", c.Endpoint, "err", err)
		b.Reset()
		status = http.StatusInternalServerError
		v = &wire.Problem{Code: wire.CodeInternal, Message: "internal error", RequestID: c.ID}
		_ = json.NewEncoder(b).Encode(v)
	}
	return c.send(w, r, status, v, b)
}

// send answers with the JSON of a body, or with its text where the request wants that, and
// returns how many bytes that is.
func (c *exchange) send(w http.ResponseWriter, r *http.Request, status int, body any, encoded *bytes.Buffer) int64 {
	if c.Form.Text {
		if t, err := text.Render(body, c.Form.Query); err == nil {
			return c.sendText(w, r, status, t)
		}
	}
	return sendBytes(w, r, status, "application/json", encoded.Bytes())
}

// sendText answers with a text.
func (c *exchange) sendText(w http.ResponseWriter, r *http.Request, status int, text string) int64 {
	return sendBytes(w, r, status, "text/plain", []byte(text))
}

func sendBytes(w http.ResponseWriter, r *http.Request, status int, kind string, body []byte) int64 {
	h := w.Header()
	h.Set("Content-Type", kind+"; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // it fails only when the client has gone
	}
	return int64(len(body))
}

// A rawAnswer is an answer of any length, whose trailer says how much it was.
type rawAnswer struct {
	w     http.ResponseWriter
	head  bool  // nothing but the header is sent
	n     int64 // bytes
	begun bool
	gone  bool // the client

	control *http.ResponseController
	limit   time.Duration // for the client to take what is written
}

// Begin implements service.RawWriter.
func (s *rawAnswer) Begin(generation uint64) {
	s.w.Header().Set("X-Index-Generation", strconv.FormatUint(generation, 10))
}

// Begun implements service.RawWriter.
func (s *rawAnswer) Begun() bool { return s.begun }

// Gone implements service.RawWriter.
func (s *rawAnswer) Gone() bool { return s.gone }

// Size implements service.RawWriter.
func (s *rawAnswer) Size() int64 { return s.n }

func (s *rawAnswer) Write(b []byte) (int, error) {
	s.begin()
	if s.head {
		return len(b), nil
	}
	// The server's own deadline is for a whole response, from its beginning: a client
	// that takes nothing would hold a slot for as long. Where there is no connection (in
	// a test), there is no deadline.
	_ = s.control.SetWriteDeadline(time.Now().Add(s.limit))
	n, err := s.w.Write(b)
	s.n += int64(n)
	s.gone = err != nil
	return n, err
}

// begin sends the header, if that has not been sent.
func (s *rawAnswer) begin() {
	if !s.begun && !s.gone {
		s.begun = true
		s.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		s.w.Header().Set("Trailer", headerMatches+", "+headerMissing)
		s.w.WriteHeader(http.StatusOK)
	}
}

// retryAfter is a header's value.
func retryAfter(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// fresh sets the tag of a response and reports whether the client has that response;
// then it has been told so.
func fresh(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("ETag", tag)
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !matchesTag(r.Header.Values("If-None-Match"), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// matchesTag says whether the lines of an If-None-Match header name the tag. They
// are compared weakly, as that header wants it. What is no list of tags ends the
// line.
func matchesTag(lines []string, tag string) bool {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "*" {
			return true
		}
		for line != "" {
			line = strings.TrimPrefix(strings.TrimLeft(line, " \t,"), "W/")
			if !strings.HasPrefix(line, `"`) {
				break
			}
			end := strings.IndexByte(line[1:], '"') // a tag has no quotes in it, and no escapes
			if end < 0 {
				break
			}
			if line[:end+2] == tag {
				return true
			}
			line = line[end+2:]
		}
	}
	return false
}
