package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	spelling "github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// Functions returns the tools as OpenAI's interface and those after it take them.
func Functions() []wire.Tool {
	var list []wire.Tool
	for _, t := range tools() {
		list = append(list, wire.Tool{Type: "function", Function: wire.ToolFunction{Name: t.name, Description: t.about, Parameters: t.input()}})
	}
	return list
}

// Call has a tool answer, by its name, as it answers over the protocol: with the fields of its
// output, or with the text that stands next to them. The arguments are a JSON object, or
// nothing. What is refused is a *wire.Problem, also a name that no tool has.
func (s *Server) Call(ctx context.Context, name string, arguments json.RawMessage, text bool) (any, error) {
	all := tools()
	i := slices.IndexFunc(all, func(t tool) bool { return t.name == name })
	if i < 0 {
		var names []string
		for _, t := range all {
			names = append(names, t.name)
		}
		if near := spelling.Nearest(name, names); near != "" {
			return nil, wire.Problemf(wire.CodeNotFound, "there is no tool %.64q; did you mean %s?", name, near)
		}
		return nil, wire.Problemf(wire.CodeNotFound, "there is no tool %.64q; there are %s", name, strings.Join(names, ", "))
	}
	out, err := s.run(ctx, &all[i], arguments, &progress{})
	var r *refusal
	switch {
	case errors.As(err, &r):
		return nil, &wire.Problem{Code: r.code, Message: r.message}
	case err != nil:
		return nil, err
	case text:
		return out.text, nil
	}
	return out.fields, nil
}
