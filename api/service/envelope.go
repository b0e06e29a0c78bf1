package service

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"time"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
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
	NoHandles   bool          // what an answer leaves out has no handle: this process ends with it
}

// WithDefaults returns the options with the default for each that is zero.
func (o EnvelopeOptions) WithDefaults() EnvelopeOptions {
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
	cmdRag    = "rag" // a search in the form of the envelope
)

// findPreview is how many paths of a longer list are shown.
const findPreview = 25

// strategy chooses the form of an answer to a session: the coach's, or without one the
// form that is configured.
func (s *Service) strategy(cmd, session string) (form te.Strategy, chosen bool) {
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

// A RawWriter takes an answer of any length as it is found.
type RawWriter interface {
	io.Writer
	Begin(generation uint64) // says which index answers, before anything is written
	Begun() bool             // a part of the answer is out
	Gone() bool              // nobody takes it any more
	Size() int64             // bytes that were written
}

// An envelope is one exchange with an endpoint of the envelope.
type envelope struct {
	*Service
	c       *Call
	scope   wire.Scope
	timeout int // in milliseconds
	base    te.Base
	form    te.Strategy
}

// begin begins an exchange: the telemetry hears of it, whatever comes of it.
func (s *Service) begin(c *Call, cmd string, scope wire.Scope) {
	c.start, c.cmd = time.Now(), cmd
	c.event = &te.Event{AgentID: scope.AgentID, SessionID: scope.SessionID, Cmd: cmd, Mode: te.Enriched}
	if c.Form.Raw {
		c.event.Mode = te.RawMode
	}
}

// envelope returns an exchange with a command.
func (s *Service) envelope(c *Call, cmd string, scope wire.Scope, timeout int) *envelope {
	if c.event == nil {
		s.begin(c, cmd, scope)
	}
	e := &envelope{Service: s, c: c, scope: scope, timeout: timeout, base: te.Base(c.Form.Base)}
	var chosen bool
	if e.form, chosen = s.strategy(cmd, scope.SessionID); chosen && !c.Form.Raw {
		c.event.Strategy = &e.form
	}
	return e
}

// saw tells the coach what the session has done. Only an answer that left something out
// says anything of its form.
func (e *envelope) saw(a coach.Action) {
	if a.Cmd = e.c.cmd; e.c.event.Strategy != nil && e.c.Cut {
		a.Form = e.form.V
	}
	e.opt.Coach.Saw(e.scope.SessionID, a)
}

// options returns the bounds of an answer of at most so many characters.
func (e *envelope) options(most, limit int) te.Options {
	return te.Options{Strategy: e.form, Base: e.base, Budget: min(most, e.opt.Envelope.Budgets.Of(e.scope.AgentID)), Limit: limit}
}

// note keeps the query's text for the telemetry, where the operator wants that.
func (e *envelope) note(query string) {
	if e.opt.Envelope.LogQueries {
		e.c.event.Query = query
	}
}

// within does some work with the project that the request is about, in a slot of a class
// and in time.
func (e *envelope) within(ctx context.Context, class slot.Class, work func(ctx context.Context, p Project) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(e.timeout)*time.Millisecond)
	defer cancel()
	p, done, err := e.project(ctx, e.c, e.scope.Project)
	if err != nil {
		return err
	}
	defer done()
	return e.inSlot(ctx, e.c, class, func() error { return work(ctx, p) })
}

// head notes what every answer says of itself.
func (e *envelope) head(generation uint64, matches int) {
	e.c.Generation, e.c.Generated = generation, true
	e.c.Matches, e.c.Counted = matches, true
}

// say answers with a text.
func (e *envelope) say(text string) { e.c.Text, e.c.IsText = text, true }

// encoded finishes an answer that is a struct.
func encoded[T any](c *Call, body *T) (*T, error) {
	c.head(body)
	b, err := Encode(body)
	if err != nil {
		return nil, err
	}
	c.JSON = b
	return body, nil
}

// keep stores a value for the caller and returns its handle, "" where it is too large or nobody
// could ask for it.
func (e *envelope) keep(ctx context.Context, matches int, v te.Value) string {
	if e.opt.Envelope.NoHandles {
		return ""
	}
	id := e.handles.Put(te.Handle{Owner: identity.Owner(ctx), Session: e.scope.SessionID, Cmd: e.c.cmd, Matches: matches, Value: v})
	e.c.event.HandleCreated = id != ""
	return id
}

// Failure returns the words of the envelope for an error, where the answer was to be its
// text.
func (s *Service) Failure(c *Call, err error, p *wire.Problem) (text string, ok bool) {
	if !c.Form.TE {
		return "", false
	}
	if f := (*grep.FileError)(nil); errors.As(err, &f) && f.Size >= 0 {
		return te.Refusal(f.Size, te.RefusedType(f), p.Code, p.Message), true
	}
	return te.Failure(c.cmd, p.Code, p.Message), true
}

// Words returns the sentence that the envelope has for an error.
func (s *Service) Words(p *wire.Problem) string { return te.Sentence(p.Code, p.Message) }

// Sent ends an exchange of the envelope: it notes the event. size is that of what was sent,
// problem what went wrong. Telemetry never fails a request.
func (s *Service) Sent(ctx context.Context, c *Call, size int64, problem *wire.Problem) {
	if c.event == nil {
		return
	}
	e := *c.event
	if e.OutputSize = size; problem != nil {
		e.Mode, e.Error = te.ErrorMode, &problem.Code
	}
	e.Truncated = c.Cut
	e.Timestamp = c.start.UTC()
	e.LatencyMS = time.Since(c.start).Milliseconds()
	if err := s.opt.Envelope.Log.Write(e); err != nil {
		s.log.WarnContext(ctx, "telemetry", "err", err)
	}
}

// saw tells the coach what a session has done besides the envelope: it is what the answer
// before it led to. Of readings, files are what the bill is of.
func (s *Service) saw(c *Call, d response) {
	if s.opt.Coach == nil || c.reader == nil || c.reader.ID == "" {
		return
	}
	a := coach.Action{Kind: coach.Other}
	switch c.Endpoint {
	case "/search", "/related":
		a = coach.Action{Kind: coach.Search, Cmd: "search", Query: c.words}
	case "/extract", "/context", "/skeleton":
		a = coach.Action{Kind: coach.Read, Cmd: "extract"}
		if outline, ok := d.(*outlineResponse); ok {
			a.Files = []string{outline.File}
		}
		if c.sum != nil {
			for file := range c.sum.Files {
				a.Files = append(a.Files, file[1])
			}
		}
	}
	s.opt.Coach.Saw(c.reader.ID, a)
}
