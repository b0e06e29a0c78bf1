package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/text"
	"github.com/quarry-search/quarry/api/wire"
)

// The codes of a failed service request, as the relay has them.
const (
	serviceNotFound = "SERVICE_NOT_FOUND"
	serviceError    = "SERVICE_ERROR"
	serviceTimeout  = "TIMEOUT"
)

// The types of the relay's envelopes.
const (
	serviceRequest  = "SERVICE_REQUEST"
	serviceResponse = "SERVICE_RESPONSE"
)

// services are the names under which the relay may know this server.
func services() []string { return []string{"code", "quarry", "tldr"} }

func failf(detail, format string, args ...any) *wire.ServiceFailure {
	return &wire.ServiceFailure{Code: serviceError, Message: fmt.Sprintf(format, args...), Detail: detail}
}

// rpc answers a SERVICE_REQUEST, or its payload alone. What the service says is 200,
// whether it is a result or an error.
func (s *Server) rpc(w http.ResponseWriter, r *http.Request, c *exchange) {
	c.asks = true
	d := s.decode(w, r)
	who := identify(d, r)
	if d.Err != nil {
		s.fail(w, r, c, d.Err)
		return
	}
	payload, enveloped := d.Values["payload"].(map[string]any)
	enveloped = enveloped && d.Values["type"] == serviceRequest
	request := d
	if enveloped {
		c.notice(w, d, "v", "type", "id", "ts", "from", "to", "payload")
		request = fields.New(payload)
		request.Err = d.Err // of the envelope, where it is strict
		who = identify(request, r)
	}
	c.notice(w, request, "request_id", "service", "method", "params", "timeout_ms", "id")
	body := wire.RPCResponse{RequestID: c.ID}
	for _, id := range []any{d.Values["id"], request.Values["request_id"]} {
		if id != nil {
			body.RequestID = id
		}
	}
	result, failure, err := s.serveRequest(r, c, request, who)
	if err != nil {
		s.fail(w, r, c, err)
		return
	}
	body.Ignored = c.Ignored
	c.sayIgnored(w.Header())
	body.Success, body.Result, body.Error = failure == nil, result, failure
	if !enveloped {
		s.write(w, r, c, http.StatusOK, &body)
		return
	}
	service, _ := request.Values["service"].(string)
	if !slices.Contains(services(), service) {
		service = name
	}
	to, _ := d.Values["from"].(string)
	s.write(w, r, c, http.StatusOK, &wire.RPCEnvelope{
		V: 1, Type: serviceResponse, ID: newUUID(), Timestamp: time.Now().UnixMilli(), From: service, To: to, Payload: body,
	})
}

// A caller is who asks a service.
type caller struct{ session, agent string }

// identify reads who asks: the headers X-Session-Id and X-Agent-Id, else the fields
// session_id and agent_id.
func identify(d *fields.Fields, r *http.Request) caller {
	return caller{d.ID("session_id", r.Header.Get("X-Session-Id")), d.ID("agent_id", r.Header.Get("X-Agent-Id"))}
}

// serveRequest does what the payload of a SERVICE_REQUEST asks for. The error is that of a
// client that has gone.
func (s *Server) serveRequest(r *http.Request, c *exchange, d *fields.Fields, who caller) (any, *wire.ServiceFailure, error) {
	if service, ok := d.Values["service"].(string); d.Has("service") && (!ok || service != "" && !slices.Contains(services(), service)) {
		return nil, &wire.ServiceFailure{Code: serviceNotFound, Message: fmt.Sprintf("Service '%v' not available", d.Values["service"])}, nil
	}
	method := d.Text("method", fields.MaxName)
	if method == "" {
		d.Failf("method is missing or empty")
	}
	params, ok := d.Values["params"].(map[string]any)
	if !ok && d.Has("params") {
		d.Failf("params must be an object")
	}
	limit := s.timeout(d)
	if d.Err != nil {
		return nil, failf(service.Classify(d.Err).Code, "%s", d.Err), nil
	}
	if params = who.named(params); d.Has("strict") && params["strict"] == nil {
		params["strict"] = d.Values["strict"]
	}
	readable := params["format"] == "text"
	if readable {
		delete(params, "format")
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	result, failure, err := s.command(ctx, wayRPC, c.ID, method, params)
	if failure != nil && failure.Code == serviceTimeout && ctx.Err() != nil {
		failure.Message = fmt.Sprintf("%s did not finish within %d ms", method, limit.Milliseconds())
	}
	switch {
	case err != nil || failure != nil:
		return nil, failure, err
	case readable:
		said, failure := result.text()
		if failure != nil {
			return nil, failure, nil
		}
		return said, nil, nil
	case result.body == nil:
		return result.said, nil, nil
	case result.List:
		list, ignored := result.results()
		c.Ignored = append(c.Ignored, ignored...)
		return list, nil, nil
	}
	return result.body, nil, nil
}

// timeout reads timeout_ms, at most and by default Limits.Timeout.
func (s *Server) timeout(d *fields.Fields) time.Duration {
	most := int(s.limits.Timeout.Milliseconds())
	return time.Duration(d.Count("timeout_ms", 1, most, most)) * time.Millisecond
}

// named returns parameters that also name the caller, where they did not.
func (who caller) named(params map[string]any) map[string]any {
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	for field, id := range map[string]string{"session_id": who.session, "agent_id": who.agent} {
		if id != "" && out[field] == nil {
			out[field] = id
		}
	}
	return out
}

// A commandResult is what an endpoint answered to a command.
type commandResult struct {
	command.Command
	query string
	body  any    // of api/wire; nil: it is a text
	said  string // that text
}

// command asks the endpoint of a method. Whoever asks bounds the time by ctx.
func (s *Server) command(ctx context.Context, by way, id, method string, params map[string]any) (*commandResult, *wire.ServiceFailure, error) {
	c := s.commands[method]
	switch {
	case !answered(c):
		return nil, failf("unknown_command", "Unknown command: %s; there are %s", method, commandNames()), nil
	}
	asked := c.Fields(params)
	body, said, err := s.ask(ctx, by, id, c.Endpoint, asked)
	problem := (*wire.Problem)(nil)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &wire.ServiceFailure{Code: serviceTimeout, Message: "the command did not finish in time", Detail: wire.CodeTimeout}, nil
	case said != "" && err != nil: // the envelope says it its own way
		return nil, failf("", "%s", said), nil
	case errors.As(err, &problem):
		f := failf(problem.Code, "%s", problem.Message)
		if problem.Code == wire.CodeTimeout {
			f.Code = serviceTimeout
		}
		return nil, f, nil
	case err != nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, failf(wire.CodeInternal, "%s", err), nil
	}
	result := &commandResult{Command: c, body: body, said: said}
	result.query, _ = asked["query"].(string)
	return result, nil, nil
}

// results are the search results of the answer alone, with the parameters that had no effect, or
// all of it where it has none.
func (c *commandResult) results() (list any, ignored []string) {
	switch b := c.body.(type) {
	case *wire.SearchResponse:
		return b.Results, b.Meta.Ignored
	case *wire.OsgrepResponse:
		return b.Results, b.Meta.Ignored
	}
	return c.body, nil
}

// text is the answer for a model to read.
func (c *commandResult) text() (string, *wire.ServiceFailure) {
	if c.body == nil {
		return c.said, nil
	}
	render := text.Render
	if c.List {
		render = text.List
	}
	out, err := render(c.body, c.query)
	if err != nil {
		return "", failf(wire.CodeInternal, "%s", err)
	}
	return out, nil
}

// newUUID returns a random identifier in the form of RFC 9562, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// answered reports whether an endpoint has the answer to a command: these are the methods
// of /rpc, and the words that follow a service in its lines.
func answered(c command.Command) bool { return c.Endpoint != "" }

// commandNames are those of all commands, in order.
func commandNames() string { return strings.Join(command.Names(answered), ", ") }
