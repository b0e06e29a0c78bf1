package api

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/index/grep"
)

// EnvelopeOptions configure /grep, /cat, /find and /handles. The zero value works.
type EnvelopeOptions struct {
	Off         bool          // these endpoints answer 404
	Preview     int           // matches of a section of a large grep; 0: 10
	GrepChars   int           // characters of an answer to grep and find, if the agent's budget is larger; 0: 20,000
	GrepTimeout time.Duration // of a grep; then what was found is the answer; 0: 5 s
	CatLines    int           // lines of a file that are shown at first; 0: 50
	CatChars    int           // characters of an answer to cat, if the agent's budget is larger; 0: 30,000
	Budgets     te.Budgets    // nil: te.DefaultBudgets
	Log         *te.Log       // for telemetry; the caller closes it; nil: none
	LogQueries  bool          // the log has the text of queries
}

func (o EnvelopeOptions) withDefaults() EnvelopeOptions {
	o.Preview = cmp.Or(o.Preview, te.DefaultStrategy().Preview)
	o.GrepChars = cmp.Or(o.GrepChars, 20_000)
	o.GrepTimeout = cmp.Or(o.GrepTimeout, 5*time.Second)
	o.CatLines = cmp.Or(o.CatLines, 50)
	o.CatChars = cmp.Or(o.CatChars, 30_000)
	if o.Budgets = maps.Clone(o.Budgets); o.Budgets == nil {
		o.Budgets = te.DefaultBudgets()
	}
	return o
}

// The commands of the envelope, as headers and telemetry call them.
const (
	cmdGrep   = "grep"
	cmdCat    = "cat"
	cmdFind   = "find"
	cmdHandle = "handle"
)

// findPreview is how many paths of a longer list are shown.
const findPreview = 25

// strategy chooses the form of an answer to a session: the coach's, or without one the
// form that is configured.
func (s *Server) strategy(cmd, session string) (form te.Strategy, chosen bool) {
	if s.opt.Coach != nil && session != "" && cmd != cmdHandle && cmd != cmdRag {
		f := s.opt.Coach.Choose(cmd)
		return te.Strategy{V: f.ID, Preview: f.Preview, HotZone: f.HotZone, Density: string(f.Density)}, true
	}
	form = te.DefaultStrategy()
	switch cmd {
	case cmdGrep:
		form.Preview = s.opt.Envelope.Preview
	case cmdCat:
		form.Preview = s.opt.Envelope.CatLines
	case cmdFind:
		form.Preview = findPreview
	}
	return form, false
}

// saw tells the coach what the session has done. Only an answer that left something out
// says anything of its form.
func (e *envelope) saw(a coach.Action) {
	if a.Cmd = e.cmd; e.event.Strategy != nil && e.event.Truncated {
		a.Form = e.form.V
	}
	e.opt.Coach.Saw(e.event.SessionID, a)
}

// An envelope is one exchange with an endpoint of the envelope.
type envelope struct {
	*Server
	w     http.ResponseWriter
	r     *http.Request
	d     *decoder
	cmd   string
	text  bool // the answer is text, not JSON
	raw   bool // and that of the command itself
	base  te.Base
	form  te.Strategy
	start time.Time
	event te.Event
}

// envelope reads the fields that all endpoints of the envelope have. The caller closes
// it.
func (s *Server) envelope(w http.ResponseWriter, r *http.Request, cmd string) *envelope {
	return s.envelopeOf(w, r, s.decode(w, r), cmd)
}

// envelopeOf is envelope for a request whose fields have been decoded.
func (s *Server) envelopeOf(w http.ResponseWriter, r *http.Request, d *decoder, cmd string) *envelope {
	e := &envelope{Server: s, w: w, r: r, d: d, cmd: cmd, start: time.Now()}
	d.refuseOverlay()
	formats := []string{formatJSON, "te"}
	if d.readable {
		formats = append(formats, formatText)
	}
	format := e.d.oneOf("format", formats...)
	e.text = format == "te" || format == "" && prefersText(r.Header.Values("Accept"))
	if e.raw = e.d.flag("raw"); e.raw {
		if e.text = true; format == formatJSON {
			e.d.failf("raw has no JSON form")
		}
	}
	e.base = te.Base(e.d.text("base", maxPath))
	e.event = te.Event{AgentID: e.d.agent, SessionID: e.d.session, Cmd: cmd, Mode: te.Enriched}
	if e.raw {
		e.event.Mode = te.RawMode
	}
	var chosen bool
	if e.form, chosen = s.strategy(cmd, e.d.session); chosen && !e.raw {
		e.event.Strategy = &e.form
	}
	if s.opt.Envelope.Off && e.d.err == nil {
		e.d.err = problemf(codeNotFound, "the tool envelope is turned off in the server's configuration")
	}
	w.Header().Set("Cache-Control", "no-store") // a handle is made for each answer
	return e
}

// prefersText reports whether a client asks for plain text and for nothing else.
func prefersText(accept []string) bool { return prefers(accept, "text/plain") }

// prefers reports whether a client asks for one media type and for nothing else.
func prefers(accept []string, kind string) bool {
	first, _, _ := strings.Cut(strings.Join(accept, ","), ";")
	return strings.TrimSpace(first) == kind
}

// options returns the bounds of an answer of at most so many characters.
func (e *envelope) options(most int) te.Options {
	return te.Options{
		Strategy: e.form, Base: e.base,
		Budget: min(most, e.opt.Envelope.Budgets.Of(e.event.AgentID)),
		Limit:  e.d.count("limit", 1, 0, maxOffset),
	}
}

// note keeps the query's text for the telemetry, where the operator wants that.
func (e *envelope) note(query string) {
	if e.opt.Envelope.LogQueries {
		e.event.Query = query
	}
}

// within does some work with the project that the request is about, in a slot and in
// time.
func (e *envelope) within(work func(ctx context.Context, p Project) error) error {
	return e.about(func(ctx context.Context, p Project) error {
		_, err := e.inSlot(ctx, e.d.class, func() error { return work(ctx, p) })
		return err
	})
}

// about is within without a slot.
func (e *envelope) about(work func(ctx context.Context, p Project) error) error {
	ctx, cancel := context.WithTimeout(e.r.Context(), e.timeout(e.d))
	defer cancel()
	p, done, err := e.project(ctx, e.d)
	if err != nil {
		return err
	}
	defer done()
	return work(ctx, p)
}

// close ends the exchange: it answers with err, if there is one, and notes the event.
// Telemetry never fails a request.
func (e *envelope) close(err error) {
	if err != nil {
		e.refuse(err)
	}
	e.metrics.endpoint(e.r).cut(e.event.Truncated)
	e.event.Timestamp = e.start.UTC()
	e.event.LatencyMS = time.Since(e.start).Milliseconds()
	if err := e.opt.Envelope.Log.Write(e.event); err != nil {
		e.log.WarnContext(e.r.Context(), "telemetry", "err", err)
	}
}

// refuse answers with an error, in the form that was asked for.
func (e *envelope) refuse(err error) {
	p := e.prepare(e.w, e.r, err)
	e.event.Mode, e.event.Error = te.ErrorMode, &p.code
	if !e.text {
		e.explain(e.w, e.r, p)
		e.event.OutputSize, _ = strconv.ParseInt(e.w.Header().Get("Content-Length"), 10, 64)
		return
	}
	text := te.Failure(e.cmd, p.code, p.message)
	if f := (*grep.FileError)(nil); errors.As(err, &f) && f.Size >= 0 {
		text = te.Refusal(f.Size, refusedType(f), p.code, p.message)
	}
	e.send(status(p.code), text)
}

// head sets what every answer says of itself.
func (e *envelope) head(generation uint64, matches int) {
	e.setGeneration(e.w, generation)
	e.w.Header().Set(headerMatches, strconv.Itoa(matches))
}

// send answers with a text.
func (e *envelope) send(status int, text string) {
	e.event.OutputSize = int64(len(text))
	h := e.w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	e.w.WriteHeader(status)
	if e.r.Method != http.MethodHead {
		_, _ = e.w.Write([]byte(text)) // it fails only when the client has gone
	}
}

// sendJSON answers with v.
func (e *envelope) sendJSON(v any) error {
	b, err := encode(v)
	defer release(b)
	if err != nil {
		return err
	}
	e.event.OutputSize = int64(send(e.w, e.r, http.StatusOK, b))
	return nil
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
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		s.w.Header().Set("Trailer", headerMatches)
		s.w.WriteHeader(http.StatusOK)
	}
}

// headerMatches says how much there is, whatever the form of the answer.
const headerMatches = "X-Matches"

// keep stores a value for the caller and returns its handle, "" where it is too large.
func (e *envelope) keep(matches int, v te.Value) string {
	id := e.handles.Put(te.Handle{Session: e.event.SessionID, Cmd: e.cmd, Matches: matches, Value: v})
	e.event.HandleCreated = id != ""
	return id
}
