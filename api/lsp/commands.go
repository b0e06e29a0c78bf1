package lsp

import (
	"context"
	"encoding/json"
	"maps"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	render "github.com/quarry-search/quarry/api/text"
	"github.com/quarry-search/quarry/api/wire"
)

// The commands. Each takes one object with the fields of its endpoint, and gives the answer, with
// the same as a text for people in "text".
const (
	commandSearch  = "quarry.search"
	commandImpact  = "quarry.impact"
	commandContext = "quarry.context"
)

func commands() []string { return []string{commandContext, commandImpact, commandSearch} }

// execute has a command done.
func (r *request) execute(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	fields := map[string]any{}
	if len(p.Arguments) != 1 || json.Unmarshal(p.Arguments[0], &fields) != nil || fields == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s takes one argument, an object with the fields of its endpoint", p.Command)
	}
	fields = maps.Clone(fields)
	fields["strict"] = true
	switch p.Command {
	case commandSearch:
		return answered[wire.SearchResponse](ctx, r, "/search", fields)
	case commandImpact:
		return answered[wire.ImpactResponse](ctx, r, "/impact", fields)
	case commandContext:
		return answered[wire.ContextResponse](ctx, r, "/context", fields)
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no command %q", p.Command)
}

func answered[T any](ctx context.Context, r *request, endpoint string, fields map[string]any) (any, error) {
	a, err := ask[T](ctx, r, endpoint, "", fields)
	if err != nil {
		return nil, err
	}
	readable, err := render.Render(a, "")
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(map[string]any{"answer": a, "text": readable})
	return protocol.LSPAny(out), err
}
