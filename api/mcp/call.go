package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	spelling "github.com/quarry-search/quarry/api/fields"
	render "github.com/quarry-search/quarry/api/text"
	"github.com/quarry-search/quarry/api/wire"
)

var (
	errInternal        = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
	errNoSubscriptions = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "nothing here changes that a client could subscribe to"}
)

// A refusal is an answer of an endpoint that is not a success. It is told to the model,
// who can ask otherwise, and is no error of the protocol.
type refusal struct {
	code    string // as in the HTTP interface
	message string
}

func (r *refusal) Error() string { return r.code + ": " + r.message }

func refused(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}, IsError: true}
}

// handler answers the calls of a tool.
func (s *Server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		p := s.report(ctx, req)
		res, err := s.run(ctx, &t, req.Params.Arguments, p)
		p.end()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, new(*refusal)):
			return refused(err), nil
		case err != nil:
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: res.text}}, StructuredContent: res.fields}, nil
	}
}

// run has the endpoint of a tool answer a call. What is refused is a *refusal.
func (s *Server) run(ctx context.Context, t *tool, arguments json.RawMessage, p *progress) (*outcome, error) {
	fields, own, err := t.request(arguments)
	if err != nil {
		return nil, &refusal{wire.CodeInvalidRequest, err.Error()}
	}
	answer, err := s.answer(ctx, t.endpoint, fields, p)
	if err != nil {
		return nil, err
	}
	return t.result(answer, own["code"] == true)
}

// An outcome is what a call has: short text for a reader, and the fields of the output schema
// for a program. A client shows the model one of them or both, so that each says all that
// matters.
type outcome struct {
	text   string
	fields json.RawMessage
}

// request makes an endpoint's fields of a call's arguments, and keeps those apart that
// are the tool's own. What the endpoint checks is left to it: it says better what is
// wrong. A field that there is not is an error, because a model that has made one up
// means something by it.
func (t *tool) request(arguments json.RawMessage) (fields, own map[string]any, err error) {
	given := map[string]any{}
	if len(arguments) > 0 {
		d := json.NewDecoder(bytes.NewReader(arguments))
		d.UseNumber()
		if err := d.Decode(&given); err != nil || d.More() {
			return nil, nil, fmt.Errorf("the arguments of %s must be an object", t.name)
		}
	}
	t.spell(given)
	fields, own = map[string]any{}, map[string]any{}
	var names []string
	for _, f := range t.fields {
		if !f.unlisted {
			names = append(names, f.name)
		}
		v := given[f.name]
		delete(given, f.name)
		if v == nil {
			v = f.value
		}
		switch {
		case v == nil && f.required:
			return nil, nil, fmt.Errorf("%s is missing", f.name)
		case v == nil:
		case f.own && v != "true" && v != "false" && v != true && v != false:
			return nil, nil, fmt.Errorf("%s must be true or false", f.name)
		case f.own:
			own[f.name] = v == true || v == "true"
		default:
			fields[f.name] = v
		}
	}
	if len(given) > 0 {
		var unknown []string
		for name := range given {
			unknown = append(unknown, name)
		}
		slices.Sort(unknown)
		if len(names) == 0 {
			return nil, nil, fmt.Errorf("%s takes no arguments", t.name)
		}
		near := spelling.Nearest(unknown[0], names)
		if near != "" {
			near = "; did you mean " + near + "?"
		}
		return nil, nil, fmt.Errorf("%s has no argument %q; it takes %s%s", t.name, unknown[0], strings.Join(names, ", "), near)
	}
	for name, v := range t.always {
		fields[name] = v
	}
	if t.name == "search" && own["code"] != true {
		delete(fields, "max_tokens") // it is about source that is not shown
	}
	return fields, own, nil
}

// spell gives arguments that came under another name of the endpoint's field the name that the
// tool has. One of a field that is given stays, and is unknown.
func (t *tool) spell(given map[string]any) {
	for _, n := range spelling.Names(wire.NewRequest(t.endpoint)) {
		if !slices.ContainsFunc(t.fields, func(f field) bool { return f.name == n.Field }) {
			continue
		}
		for _, alias := range n.Aliases {
			taken := slices.ContainsFunc(t.fields, func(f field) bool { return f.name == alias })
			if v := given[alias]; v != nil && given[n.Field] == nil && !taken && alias != "line" {
				given[n.Field] = v
				delete(given, alias)
			}
		}
	}
}

// ask asks an endpoint once. What is not a success is a *refusal.
func (s *Server) ask(ctx context.Context, endpoint string, fields map[string]any) (answer any, text string, err error) {
	answer, text, err = s.asker.Ask(ctx, endpoint, fields)
	switch p := (*wire.Problem)(nil); {
	case errors.As(err, &p):
		return nil, "", &refusal{p.Code, p.Message}
	case errors.As(err, new(*garbledError)):
		return nil, "", fmt.Errorf("mcp: %w", err)
	case err != nil:
		return nil, "", &refusal{wire.CodeUnavailable, err.Error()}
	}
	return answer, text, nil
}

// result makes of an endpoint's answer that of a call.
func (t *tool) result(answer any, code bool) (*outcome, error) {
	answer, cut := bound(answer)
	out := t.cut(answer, code)
	if a, ok := out.(*affected); ok {
		a.TestsMore, a.FilesMore, a.LeftMore, a.LostMore = cut.tests, cut.files, cut.leftOut, cut.unfollowed
	}
	text := ""
	var err error
	if v, ok := out.(*state); ok {
		text = v.text() // the whole has a list of all files that are left out
	} else if text, err = render.Render(answer, ""); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	if v, ok := out.(*found); ok && code {
		text += v.source()
	}
	if more := more(out); more != "" {
		text = strings.TrimRight(text, "\n") + "\n" + more
	}
	structured, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("mcp: the answer of %s: %w", t.endpoint, err)
	}
	return &outcome{text, structured}, nil
}
