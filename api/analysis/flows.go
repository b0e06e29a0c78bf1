package analysis

import (
	"context"
	"errors"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/flow"
)

// flowsAnswer is an answer to /flows.
type flowsAnswer struct {
	flow.FlowsAnswer
	offset int
}

func (a *flowsAnswer) Paging() (*answer.Page, int) { return &a.Page, a.offset }

func (a *flowsAnswer) Wire(meta wire.Meta, index wire.Index) any {
	return &wire.FlowsResponse{
		Flows: service.Each(a.Flows, func(f *flow.Flow) wire.Flow {
			return wire.Flow{
				Preset: f.Preset, Source: wire.FlowPlace(f.Source), Sink: wire.FlowPlace(f.Sink), Confidence: f.Confidence, Test: f.Test,
				Steps: service.Each(f.Steps, func(s *flow.FlowStep) wire.FlowStep { return wire.FlowStep(*s) }),
			}
		}),
		Sources: a.Sources, Sinks: a.Sinks, Functions: a.Looked, NotLooked: a.NotLooked,
		Counts:   service.Each(a.Counts, func(c *flow.Counted) wire.FlowCount { return wire.FlowCount(*c) }),
		Complete: a.Complete, Incomplete: a.Because, Total: a.Total, Truncated: a.Truncated, NextOffset: a.Next, Index: index, Meta: meta,
	}
}

// flows answers with the paths of values from sources to sinks.
func (s *analyses) flows(ctx context.Context, c *service.Call, q *wire.FlowsRequest) (*wire.FlowsResponse, error) {
	path := q.Path
	return as[wire.FlowsResponse](s.Ask(ctx, c, q, func() service.Question {
		return service.Question{Command: "flows", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Path: &path, Heavy: true}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Flows(ctx, flow.FlowsQuery{
			Preset: q.Preset, Source: q.Source, Sink: q.Sink, Sanitizer: q.Sanitizer, Depth: q.Depth, Functions: q.Functions,
			Limit: q.Limit, Offset: q.Offset, Scope: calls.Scope{Path: path, Glob: q.Glob, Tests: string(q.Tests)},
		})
		var query *flow.QueryError
		if errors.As(err, &query) {
			err = &wire.Problem{Code: wire.CodeInvalidRequest, Message: err.Error()}
		}
		return &flowsAnswer{a, q.Offset}, a.State, err
	}))
}
