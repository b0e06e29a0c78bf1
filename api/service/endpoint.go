package service

import (
	"context"
	"reflect"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// An Endpoint is a question that can be asked by its path, whatever the transport.
type Endpoint struct {
	Path     string
	Readable bool   // its answers can be had as text
	Envelope string // the command of the envelope that it is; "": none
	Gives    bool   // it answers from an index: background work gives way to it

	// Answer takes what Read has made, and returns a pointer to a struct of api/wire; nil where
	// the answer is the call's text, or has been sent.
	Answer func(ctx context.Context, c *Call, request any) (any, error)

	request func() any                                   // a new one
	first   func(d *fields.Fields, c *Call, request any) // reads what comes before the fields with tags
	last    func(d *fields.Fields, request any)          // and what comes after them
}

// Of returns an endpoint that answers requests of a type.
func Of[Q, A any](path string, answer func(context.Context, *Call, *Q) (A, error)) Endpoint {
	return Endpoint{
		Path:    path,
		request: func() any { return new(Q) },
		Answer: func(ctx context.Context, c *Call, request any) (any, error) {
			body, err := answer(ctx, c, request.(*Q))
			if v := reflect.ValueOf(body); err != nil || !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
				return nil, err
			}
			if c.JSON == nil { // else it has been made with its head
				c.head(body)
			}
			return body, nil
		},
	}
}

// then adds what is read of a request besides its fields with tags.
func then[Q any](e Endpoint, first func(d *fields.Fields, c *Call, q *Q), last func(d *fields.Fields, q *Q)) Endpoint {
	if first != nil {
		e.first = func(d *fields.Fields, c *Call, request any) { first(d, c, request.(*Q)) }
	}
	if last != nil {
		e.last = func(d *fields.Fields, request any) { last(d, request.(*Q)) }
	}
	return e
}

// Then has an endpoint check more of its requests.
func Then[Q any](e Endpoint, last func(d *fields.Fields, q *Q)) Endpoint { return then(e, nil, last) }

// Endpoints are all that answer from an index, and those of handles.
func (s *Service) Endpoints() []Endpoint {
	asking := []Endpoint{
		then(Of("/search", s.Search), s.readQueries, readSearch),
		then(Of("/related", s.Related), nil, readRelated),
		Of("/structure", s.Structure),
		Of("/skeleton", s.Skeleton),
		then(Of("/extract", s.Extract), readExtract, nil),
		Of("/imports", s.Imports),
		then(Of("/calls", s.Calls), nil, readCalls),
		then(Of("/impact", s.Impact), nil, readImpact),
		Of("/references", s.References),
		Of("/context", s.Context),
		then(Of("/trace", s.Trace), nil, readTrace),
		then(Of("/startup", s.Startup), nil, readStartup),
		then(Of("/summarize", s.Summarize), nil, s.readSummarize),
	}
	enveloped := []Endpoint{
		then(Of("/grep", s.Grep), nil, readGrep),
		then(Of("/cat", s.Cat), nil, readCat),
		then(Of("/find", s.Find), nil, readFind),
		Of("/handles/{id}", s.Handle),
		Of("/handles", s.ListHandles),
	}
	for i := range asking {
		asking[i].Readable, asking[i].Gives = true, true
	}
	for i, cmd := range []string{cmdGrep, cmdCat, cmdFind, cmdHandle, cmdHandle} {
		e := &enveloped[i]
		e.Envelope, e.Readable, e.Gives = cmd, e.Path != "/handles", cmd != cmdHandle
	}
	return append(asking, enveloped...)
}

// The formats of answers.
const (
	formatJSON = "json"
	formatText = "text"
	formatTE   = "te"
)

// Read makes a request of its fields, and says in the call how the answer is wanted.
func (s *Service) Read(e *Endpoint, d *fields.Fields, c *Call) (any, error) {
	q := e.request()
	scope := scopeOf(q)
	if e.Readable {
		c.Form.choose(d, c.Plain)
	}
	d.Spell(q, d.Flag("strict"), e.besides()...)
	scope.SessionID, scope.AgentID = d.ID("session_id", c.Session), d.ID("agent_id", c.Agent)
	switch {
	case e.Envelope != "":
		s.readEnvelope(e.Envelope, e.Readable, d, c, *scope)
	case e.Path == "/search" && d.Values["format"] == formatTE:
		delete(d.Values, "format") // it is the one of this answer
		c.Form.Rag = true
		s.readEnvelope(cmdRag, true, d, c, *scope)
		c.Form.TE = false
		if d.Has("queries") || d.Has("projects") {
			d.Failf("format te is for one query of one project")
		}
	case e.Path == "/summarize":
		refuseOverlay(d)
	}
	if e.first != nil {
		e.first(d, c, q)
	}
	d.Read(q, &s.bounds)
	if c.Form.Rag {
		c.Form.Limit = d.Count("limit", 1, 0, 1<<30)
	}
	if e.last != nil {
		e.last(d, q)
	}
	d.Check(q)
	if e.Gives && e.Envelope == "" {
		jsonOnly(d)
	}
	s.readCommon(e, d, q, scope)
	c.Clamped, c.Ignored = d.Clamped, d.Ignored
	return q, d.Err
}

// besides are the fields that are read besides those of the request's struct: of the caller,
// and of the form of the answer.
func (e *Endpoint) besides() []string {
	list := []string{"session_id", "agent_id", "strict"}
	if e.Readable || e.Envelope != "" {
		list = append(list, "format")
	}
	if e.Envelope != "" || e.Path == "/search" {
		list = append(list, "raw", "base")
	}
	switch {
	case e.Envelope != "" || e.Path == "/summarize":
		list = append(list, "overlay") // it is refused, unless it is empty
	case e.Path == "/search":
		list = append(list, "shape")
	}
	return list
}

// readCommon reads the fields that all requests have, as far as this one has them.
func (s *Service) readCommon(e *Endpoint, d *fields.Fields, request any, scope *wire.Scope) {
	common := commonOf(request)
	if common.timeout != nil {
		*common.timeout = d.Timeout(request, &s.bounds)
	}
	if common.overlay != nil {
		*common.overlay = readOverlay(d)
	}
	if e.Envelope != cmdHandle { // a handle knows its project
		scope.Project = d.Text("project", fields.MaxPath)
	}
	if common.project != nil {
		*common.project = scope.Project
	}
	if remembers := e.Gives && e.Envelope == "" && e.Path != "/summarize"; remembers {
		if fresh := d.Flag("fresh"); common.fresh != nil {
			*common.fresh = fresh
		}
	}
}

// choose reads whether the answer is to be text, and what a text says was looked for. What
// is wrong with the field format is said by whoever reads it.
func (f *Form) choose(d *fields.Fields, plain bool) {
	format, _ := d.Values["format"].(string)
	f.Text = format == formatText || format == "" && plain
	for _, name := range []string{"q", "query"} {
		if q, ok := d.Values[name].(string); ok {
			f.Query = q
		}
	}
}

// jsonOnly refuses every format but JSON and text.
func jsonOnly(d *fields.Fields) {
	if f := d.Text("format", fields.MaxName); f != "" && f != formatJSON && f != formatText {
		d.Failf("format %q is not supported; the formats are json and text", f)
	}
}

// readEnvelope reads the fields that all endpoints of the envelope have.
func (s *Service) readEnvelope(cmd string, readable bool, d *fields.Fields, c *Call, scope wire.Scope) {
	refuseOverlay(d)
	formats := []string{formatJSON, formatTE}
	if readable {
		formats = append(formats, formatText)
	}
	format := d.OneOf("format", formats...)
	c.Form.TE = format == formatTE || format == "" && c.Plain
	if c.Form.Raw = d.Flag("raw"); c.Form.Raw {
		if c.Form.TE = true; format == formatJSON {
			d.Failf("raw has no JSON form")
		}
	}
	c.Form.Base = d.Text("base", fields.MaxPath)
	s.begin(c, cmd, scope)
	if s.opt.Envelope.Off && d.Err == nil {
		d.Err = wire.Problemf(wire.CodeNotFound, "the tool envelope is turned off in the server's configuration")
	}
}
