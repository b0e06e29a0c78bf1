package api

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/text"
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

// A serviceFailure says why a command has no result.
type serviceFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Detail  string `json:"detail,omitempty"` // the code of the endpoint's error
}

func failf(detail, format string, args ...any) *serviceFailure {
	return &serviceFailure{serviceError, fmt.Sprintf(format, args...), detail}
}

// rpcBody is the payload of a SERVICE_RESPONSE.
type rpcBody struct {
	RequestID any             `json:"request_id"`
	Success   bool            `json:"success"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *serviceFailure `json:"error,omitempty"`
}

// rpcEnvelope is a SERVICE_RESPONSE.
type rpcEnvelope struct {
	V         int     `json:"v"`
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Timestamp int64   `json:"ts"` // Unix time in milliseconds
	From      string  `json:"from"`
	To        string  `json:"to,omitempty"`
	Payload   rpcBody `json:"payload"`
}

// rpc answers a SERVICE_REQUEST, or its payload alone. What the service says is 200,
// whether it is a result or an error.
func (s *Server) rpc(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	if d.err != nil {
		s.fail(w, r, d.err)
		return
	}
	payload, enveloped := d.fields["payload"].(map[string]any)
	enveloped = enveloped && d.fields["type"] == serviceRequest
	request := d
	if enveloped {
		request = &decoder{fields: payload, session: d.session, agent: d.agent}
		request.identify(r.Header)
	}
	body := rpcBody{RequestID: w.Header().Get("X-Request-Id")}
	for _, id := range []any{d.fields["id"], request.fields["request_id"]} {
		if id != nil {
			body.RequestID = id
		}
	}
	result, failure, err := s.serveRequest(r, request)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body.Success, body.Result, body.Error = failure == nil, result, failure
	if !enveloped {
		s.write(w, r, http.StatusOK, body)
		return
	}
	service, _ := request.fields["service"].(string)
	if !slices.Contains(services(), service) {
		service = name
	}
	to, _ := d.fields["from"].(string)
	s.write(w, r, http.StatusOK, rpcEnvelope{1, serviceResponse, newUUID(), time.Now().UnixMilli(), service, to, body})
}

// serveRequest does what the payload of a SERVICE_REQUEST asks for. The error is that of a
// client that has gone.
func (s *Server) serveRequest(r *http.Request, d *decoder) (json.RawMessage, *serviceFailure, error) {
	if service, ok := d.fields["service"].(string); d.has("service") && (!ok || service != "" && !slices.Contains(services(), service)) {
		return nil, &serviceFailure{Code: serviceNotFound, Message: fmt.Sprintf("Service '%v' not available", d.fields["service"])}, nil
	}
	method := d.text("method", maxName)
	if method == "" {
		d.failf("method is missing or empty")
	}
	params, ok := d.fields["params"].(map[string]any)
	if !ok && d.has("params") {
		d.failf("params must be an object")
	}
	limit := s.timeout(d)
	if d.err != nil {
		return nil, failf(classify(d.err).code, "%s", d.err), nil
	}
	params = d.named(params)
	readable := params["format"] == formatText
	if readable {
		delete(params, "format")
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	result, failure, err := s.command(by(ctx, wayRPC), method, params)
	if failure != nil && failure.Code == serviceTimeout && ctx.Err() != nil {
		failure.Message = fmt.Sprintf("%s did not finish within %d ms", method, limit.Milliseconds())
	}
	if err != nil || failure != nil {
		return nil, failure, err
	}
	body := result.body
	if readable {
		if body, failure = result.text(); failure != nil {
			return nil, failure, nil
		}
	} else if result.List {
		body = result.results()
	}
	if readable || !json.Valid(body) { // a text
		body, err = json.Marshal(string(body))
	}
	return body, nil, err
}

// named returns parameters that also name the caller, where they did not.
func (d *decoder) named(params map[string]any) map[string]any {
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	for field, id := range map[string]string{"session_id": d.session, "agent_id": d.agent} {
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
	body  []byte
}

// command asks the endpoint of a method. Whoever asks bounds the time by ctx.
func (s *Server) command(ctx context.Context, method string, params map[string]any) (*commandResult, *serviceFailure, error) {
	c := s.commands[method]
	switch {
	case c.Refusal != "":
		return nil, failf("not_supported", "%s", c.Refusal), nil
	case !answered(c):
		return nil, failf("unknown_command", "Unknown command: %s; there are %s", method, commandNames()), nil
	}
	fields := fieldsOf(&c, params)
	status, body, err := s.Ask(ctx, c.Endpoint, fields)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &serviceFailure{Code: serviceTimeout, Message: "the command did not finish in time", Detail: codeTimeout}, nil
	case err != nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, failf(codeInternal, "%s", err), nil
	case status >= http.StatusBadRequest:
		return nil, failureOf(body), nil
	}
	result := &commandResult{Command: c, body: body}
	result.query, _ = fields["query"].(string)
	return result, nil, nil
}

// failureOf reads the body of an error, which is text where the request wanted that.
func failureOf(body []byte) *serviceFailure {
	var p problemBody
	if json.Unmarshal(body, &p) != nil || p.Message == "" {
		return failf("", "%s", body)
	}
	f := failf(p.Error, "%s", p.Message)
	if p.Error == codeTimeout {
		f.Code = serviceTimeout
	}
	return f
}

// results are the search results of the answer alone, or all of it where it has none.
func (c *commandResult) results() []byte {
	var body struct {
		Results json.RawMessage `json:"results"`
	}
	if json.Unmarshal(c.body, &body) != nil || body.Results == nil {
		return c.body
	}
	return body.Results
}

// text is the answer for a model to read.
func (c *commandResult) text() ([]byte, *serviceFailure) {
	if !json.Valid(c.body) { // it is one
		return c.body, nil
	}
	endpoint := c.Endpoint
	if c.List {
		endpoint = text.Semantic
	}
	out, err := text.RenderQuery(endpoint, c.query, c.body)
	if err != nil {
		return nil, failf(codeInternal, "%s", err)
	}
	return []byte(out), nil
}

// newUUID returns a random identifier in the form of RFC 9562, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
