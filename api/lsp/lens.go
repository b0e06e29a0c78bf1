package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
)

// lenses answers with a lens above each function of a file. What it says is asked for when the
// editor shows it.
func (r *request) lenses(ctx context.Context, p *protocol.CodeLensParams) (any, error) {
	path, f, err := r.outline(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CodeLens{}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if s.Kind != "function" && s.Kind != "method" && s.Kind != "constructor" {
			continue
		}
		line, column := r.nameIn(path, s.Line, s.EndLine, s.Name)
		out = append(out, protocol.CodeLens{
			Range: r.text(path).span(line-1, column-1, len(s.Name), r.encoding), Data: data(fmt.Sprintf("%s:%d:%d", path, line, column)),
		})
	}
	return out, nil
}

// resolveLens says how many call a function. The command shows what a change of it may break.
func (r *request) resolveLens(ctx context.Context, p *protocol.CodeLens) (any, error) {
	target, err := targetOf(p.Data)
	if err != nil {
		return nil, err
	}
	n, err := r.callers(ctx, target)
	if err != nil {
		return nil, err
	}
	argument, err := json.Marshal(map[string]any{"target": target})
	if err != nil {
		return nil, err
	}
	p.Command = protocol.Command{Title: n.String(), Command: commandImpact, Arguments: []protocol.LSPAny{argument}}
	return p, nil
}
