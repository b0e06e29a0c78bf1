package api

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/mcp"
	"github.com/quarry-search/quarry/api/wire"
)

// mcpFields are fields of the query string of /mcp that go with every question that
// comes on it: an agent's configuration has one address for each project.
func mcpFields() []string { return []string{"project", "session_id", "agent_id"} }

// mcpKey finds, in the context of a call, the request that brought it: the protocol's library
// stands between the two.
type mcpKey struct{}

// An mcpRequest is a request to /mcp.
type mcpRequest struct {
	id     string
	fields map[string]any // that go with every question
}

// An mcpAsker asks the server itself, with the fields of the request to /mcp.
type mcpAsker struct{ s *Server }

// Ask implements mcp.Asker.
func (a mcpAsker) Ask(ctx context.Context, endpoint string, fields map[string]any) (answer any, text string, err error) {
	from, _ := ctx.Value(mcpKey{}).(mcpRequest)
	with := maps.Clone(fields)
	if with == nil {
		with = map[string]any{}
	}
	maps.Copy(with, from.fields)
	return a.s.ask(ctx, wayMCP, from.id, endpoint, with)
}

func (s *Server) newMCP() *mcp.Server {
	return mcp.New(mcp.Options{Asker: mcpAsker{s}, Version: s.version, Logger: s.log, Panicked: s.Panicked})
}

// mcp answers one message of the Model Context Protocol.
func (s *Server) mcp(protocol http.Handler) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		c.asks = true
		query := fields.Query(r.URL.RawQuery)
		common := commonFields(query)
		if query.Err != nil {
			s.fail(w, r, c, query.Err)
			return
		}
		body, err := s.readBody(w, r)
		if err != nil {
			s.fail(w, r, c, err)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), mcpKey{}, mcpRequest{c.ID, common}))
		r.Body = io.NopCloser(bytes.NewReader(body))
		p := &plainErrors{ResponseWriter: w}
		protocol.ServeHTTP(p, r)
		if p.status != 0 {
			s.fail(w, r, c, wire.Problemf(wire.CodeInvalidRequest, "%s", strings.TrimSpace(p.text.String())))
		}
	}
}

// commonFields reads what goes with every question.
func commonFields(query *fields.Fields) map[string]any {
	common := map[string]any{}
	for _, name := range mcpFields() {
		if v := query.Text(name, fields.MaxPath); v != "" {
			common[name] = v
		}
	}
	return common
}

// listTools says which tools there are, as functions that a model may call.
func (s *Server) listTools(w http.ResponseWriter, r *http.Request, c *exchange) {
	s.write(w, r, c, http.StatusOK, mcp.Functions())
}

// callTool has a tool answer the arguments that are the body. Whatever it says has one form.
func (s *Server) callTool(tools *mcp.Server) handler {
	return func(w http.ResponseWriter, r *http.Request, c *exchange) {
		c.asks = true
		query := fields.Query(r.URL.RawQuery)
		text := query.OneOf("format", "json", "text") == "text"
		common := commonFields(query)
		for name, id := range map[string]string{"session_id": query.ID("session_id", r.Header.Get("X-Session-Id")), "agent_id": query.ID("agent_id", r.Header.Get("X-Agent-Id"))} {
			if id != "" {
				common[name] = id
			}
		}
		c.notice(w, query, "project", "format")
		name, err := url.PathUnescape(chi.URLParam(r, "name"))
		if err != nil {
			err = wire.Problemf(wire.CodeInvalidRequest, "the name of the tool is malformed")
		}
		var body []byte
		if err = cmp.Or(query.Err, err); err == nil {
			body, err = s.readBody(w, r)
		}
		var data any
		if err == nil {
			ctx := context.WithValue(r.Context(), mcpKey{}, mcpRequest{c.ID, common})
			data, err = tools.Call(ctx, name, bytes.TrimSpace(body), text)
		}
		if err != nil {
			p := s.prepare(w, r, c, err)
			s.write(w, r, c, status(p.Code), &wire.ToolResult{Error: p.Message, Code: p.Code, RequestID: c.ID})
			return
		}
		s.write(w, r, c, http.StatusOK, &wire.ToolResult{OK: true, Data: data})
	}
}

// plainErrors keeps back errors in plain text, with which the protocol's library refuses
// what is no message: here, all errors are objects with a code.
type plainErrors struct {
	http.ResponseWriter
	status int // of the error; 0: there is none
	text   strings.Builder
}

func (p *plainErrors) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.status = status
		p.Header().Del("Content-Type")
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *plainErrors) Write(b []byte) (int, error) {
	if p.status != 0 {
		return p.text.Write(b)
	}
	return p.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (p *plainErrors) Unwrap() http.ResponseWriter { return p.ResponseWriter }
