package analysis

import (
	"context"
	"errors"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/diagnostics"
)

// diagnosticsAnswer is an answer to /diagnostics.
type diagnosticsAnswer struct {
	diagnostics.Answer
	offset int
}

func (a *diagnosticsAnswer) Paging() (*answer.Page, int) { return &a.Page, a.offset }

func (a *diagnosticsAnswer) Wire(meta wire.Meta, index wire.Index) any {
	return &wire.DiagnosticsResponse{
		Findings: service.Each(a.Findings, func(f *diagnostics.Finding) wire.Diagnostic { return wire.Diagnostic(*f) }), Counts: a.Counts, Files: a.Files,
		NotLookedAt: a.NotLookedAt, Complete: a.Complete, Incomplete: a.Because,
		Total: a.Total, Truncated: a.Truncated, NextOffset: a.Next, Index: index, Meta: meta,
	}
}

// diagnostics answers what is wrong with some files.
func (s *analyses) diagnostics(ctx context.Context, c *service.Call, q *wire.DiagnosticsRequest) (*wire.DiagnosticsResponse, error) {
	var ask diagnostics.Query
	return as[wire.DiagnosticsResponse](s.Ask(ctx, c, q, func() service.Question {
		ask = diagnostics.Query{Path: q.Path, Glob: q.Glob, Lang: q.Lang, Kind: q.Kind, SARIF: q.SARIF, Limit: q.Limit, Offset: q.Offset}
		return service.Question{Command: "diagnostics", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Path: &ask.Path, Heavy: true}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Diagnostics(ctx, ask)
		var query *diagnostics.QueryError
		if errors.As(err, &query) {
			err = &wire.Problem{Code: wire.CodeInvalidRequest, Message: err.Error()}
		}
		return &diagnosticsAnswer{a, q.Offset}, a.State, err
	}))
}
