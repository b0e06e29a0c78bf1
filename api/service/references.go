package service

import (
	"context"

	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/references"
)

// referencesResponse is an answer to /references.
type referencesResponse struct {
	references.Answer
	meta   wire.Meta
	offset int
}

func (b *referencesResponse) trim(share float64) bool {
	if !trimPage(b, &b.Page, b.offset, &b.meta, share) {
		return false
	}
	b.Files = answer.SomeOf(b.Files, share)
	return true
}

func (b *referencesResponse) short() bool { return b.meta.Truncated }

func (b *referencesResponse) wire() any {
	return &wire.ReferencesResponse{
		Target: b.Target, Definition: optional(b.Definition, definitionOf), References: Each(b.References, referenceOf), Ambiguous: Each(b.Ambiguous, referenceOf),
		Counts: wire.ReferenceCounts(b.Counts), Files: b.Files, Complete: b.Complete, Incomplete: b.Because, Alternatives: Each(b.Others, placeIn),
		Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Index: indexOf(b.State), Meta: b.meta,
	}
}

func referenceOf(r *references.Reference) wire.Reference {
	return wire.Reference{
		Symbol: r.Symbol, File: r.File, Line: r.Line, Column: r.Column, Changed: r.Changed, Kind: wire.ReferenceKind(r.Kind), Confidence: wire.Confidence(r.Confidence), Test: r.Test,
	}
}

// References answers with the places that name a symbol.
func (s *Service) References(ctx context.Context, c *Call, q *wire.ReferencesRequest) (*wire.ReferencesResponse, error) {
	s.fill(c, q)
	ask := references.Query{
		Target: q.Target, Kind: string(q.Kind), Limit: q.Limit, Offset: q.Offset, Scope: narrowing(q.Path, q.Glob, q.Tests, q.IncludeTests),
	}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, class: slot.Heavy}
	return as[wire.ReferencesResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		if err := resolve(v, &ask.Path); err != nil {
			return nil, answer.State{}, err
		}
		a, err := v.References(ctx, ask)
		return &referencesResponse{a, metaOf("references", &a.Page, v), q.Offset}, a.State, err
	}))
}
