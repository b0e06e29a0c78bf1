package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/quarry-search/quarry/api/mcp"
)

// mcpFields are fields of the query string of /mcp that go with every question that
// comes on it: an agent's configuration has one address for each project.
func mcpFields() []string { return []string{"project", "session_id", "agent_id"} }

// mcpFieldsKey finds them in a request's context.
type mcpFieldsKey struct{}

// An insideAsker asks the server itself, with the fields of the request to /mcp.
type insideAsker struct{ s *Server }

func (a insideAsker) Ask(ctx context.Context, endpoint string, fields map[string]any) (int, []byte, error) {
	with := map[string]any{}
	for name, v := range fields {
		with[name] = v
	}
	common, _ := ctx.Value(mcpFieldsKey{}).(map[string]any)
	for name, v := range common {
		with[name] = v
	}
	return a.s.Ask(by(ctx, wayMCP), endpoint, with)
}

func (s *Server) newMCP() http.Handler {
	return mcp.New(mcp.Options{Asker: insideAsker{s}, Version: s.version, Logger: s.log, Panicked: s.Panicked}).Handler(s.limits.Body)
}

// mcp answers one message of the Model Context Protocol.
func (s *Server) mcp(handler http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		common := map[string]any{}
		query := decodeQuery(r.URL.RawQuery)
		for _, name := range mcpFields() {
			if v := query.text(name, maxPath); v != "" {
				common[name] = v
			}
		}
		if query.err != nil {
			s.fail(w, r, query.err)
			return
		}
		body, err := s.readBody(w, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), mcpFieldsKey{}, common))
		r.Body = io.NopCloser(bytes.NewReader(body))
		p := &plainErrors{ResponseWriter: w}
		handler.ServeHTTP(p, r)
		if p.status != 0 {
			s.fail(w, r, problemf(codeInvalidRequest, "%s", strings.TrimSpace(p.text.String())))
		}
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
