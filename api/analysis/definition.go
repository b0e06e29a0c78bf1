package analysis

import (
	"context"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/references"
)

// definitionAnswer is an answer to /definition.
type definitionAnswer struct{ references.Meaning }

func (a *definitionAnswer) Paging() (*answer.Page, int) { return &a.Page, 0 }

func (a *definitionAnswer) Wire(meta wire.Meta, index wire.Index) any {
	out := &wire.DefinitionResponse{
		File: a.File, Name: a.Name, Line: a.Line, Column: a.Column, Definitions: service.Each(a.Definitions, definedOf), Ambiguous: service.Each(a.Ambiguous, definedOf),
		Above: service.Each(a.Above, relativeOf), Below: service.Each(a.Below, relativeOf), TypeOf: service.Each(a.TypeOf, definedOf), Complete: a.Complete, Incomplete: a.Because, Total: a.Total, Truncated: a.Truncated, Index: index, Meta: meta,
	}
	if l := a.Local; l != nil {
		out.Local = &wire.LocalVariable{Line: l.Line, Column: l.Column, Symbol: l.Symbol, Uses: service.Each(l.Uses, func(u *references.Use) wire.Use { return wire.Use(*u) })}
	}
	return out
}

func definedOf(d *references.Defined) wire.Defined {
	return wire.Defined{Definition: wire.Definition(d.Definition), NameLine: d.NameLine, Column: d.Column, Confidence: wire.Confidence(d.Confidence)}
}

func relativeOf(r *references.Relative) wire.Relative {
	return wire.Relative{Defined: definedOf(&r.Defined), Depth: r.Depth}
}

// definition answers what is named at a place.
func (s *analyses) definition(ctx context.Context, c *service.Call, q *wire.DefinitionRequest) (*wire.DefinitionResponse, error) {
	var ask references.PlaceQuery
	return as[wire.DefinitionResponse](s.Ask(ctx, c, q, func() service.Question {
		ask = references.PlaceQuery{File: q.Path, Line: q.Line, Column: q.Column, Name: q.Name, Uses: q.Uses, Types: q.Types, TypeOf: q.TypeOf}
		return service.Question{Command: "definition", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Path: &ask.File}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.NamedAt(ctx, ask)
		return &definitionAnswer{a}, a.State, err
	}))
}
