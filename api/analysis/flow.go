package analysis

import (
	"context"
	"errors"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/flow"
)

// controlAnswer is an answer to /cfg.
type controlAnswer struct {
	flow.ControlAnswer
	drawing string
	offset  int
}

func (a *controlAnswer) Paging() (*answer.Page, int) { return &a.Page, a.offset }

func (a *controlAnswer) Wire(meta wire.Meta, index wire.Index) any {
	return &wire.ControlResponse{
		Target: a.Target, Function: wire.FlowFunction(a.Function), Entry: a.Entry, Exits: a.Exits, Complexity: a.Complexity, Loops: a.Loops,
		Blocks:      service.Each(a.Blocks, func(b *flow.Block) wire.ControlBlock { return wire.ControlBlock(*b) }),
		Edges:       service.Each(a.Edges, func(e *flow.Edge) wire.ControlEdge { return wire.ControlEdge(*e) }),
		Unreachable: a.Unreachable, Drawing: a.drawing, Complete: a.Complete, Incomplete: a.Because, Alternatives: service.Each(a.Others, place),
		Total: a.Total, Truncated: a.Truncated, NextOffset: a.Next, Index: index, Meta: meta,
	}
}

// control answers with the control flow of a function.
func (s *analyses) control(ctx context.Context, c *service.Call, q *wire.ControlRequest) (*wire.ControlResponse, error) {
	return as[wire.ControlResponse](s.Ask(ctx, c, q, func() service.Question {
		return service.Question{Command: "cfg", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Control(ctx, flow.ControlQuery{Target: q.Target, Limit: q.Limit, Offset: q.Offset})
		picture := ""
		if err == nil && q.Draw != "" {
			picture, err = a.Draw(q.Draw)
		}
		return &controlAnswer{a, picture, q.Offset}, a.State, drawn(err)
	}))
}

// dataAnswer is an answer to /dfg.
type dataAnswer struct {
	flow.DataAnswer
	offset int
}

func (a *dataAnswer) Paging() (*answer.Page, int) { return &a.Page, a.offset }

func (a *dataAnswer) Wire(meta wire.Meta, index wire.Index) any {
	return &wire.DataResponse{
		Target: a.Target, Function: wire.FlowFunction(a.Function),
		Variables: service.Each(a.Variables, func(v *flow.Variable) wire.FlowVariable { return wire.FlowVariable(*v) }),
		Refs:      service.Each(a.Refs, func(r *flow.Ref) wire.FlowRef { return wire.FlowRef(*r) }),
		Edges: service.Each(a.Edges, func(p *flow.DefUse) wire.DefUse {
			return wire.DefUse{Variable: p.Variable, Def: wire.FlowRef(p.Def), Use: wire.FlowRef(p.Use), Maybe: p.Maybe}
		}),
		Complete: a.Complete, Incomplete: a.Because, Alternatives: service.Each(a.Others, place),
		Total: a.Total, Truncated: a.Truncated, NextOffset: a.Next, Index: index, Meta: meta,
	}
}

// data answers with the data flow of a function.
func (s *analyses) data(ctx context.Context, c *service.Call, q *wire.DataRequest) (*wire.DataResponse, error) {
	return as[wire.DataResponse](s.Ask(ctx, c, q, func() service.Question {
		return service.Question{Command: "dfg", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Data(ctx, flow.DataQuery{Target: q.Target, Variable: q.Variable, Limit: q.Limit, Offset: q.Offset})
		return &dataAnswer{a, q.Offset}, a.State, err
	}))
}

// sliceAnswer is an answer to /slice.
type sliceAnswer struct {
	flow.SliceAnswer
	drawing string
	offset  int
}

func (a *sliceAnswer) Paging() (*answer.Page, int) { return &a.Page, a.offset }

func (a *sliceAnswer) Wire(meta wire.Meta, index wire.Index) any {
	return &wire.SliceResponse{
		Target: a.Target, Function: wire.FlowFunction(a.Function), Direction: a.Direction, Variable: a.Variable, Functions: a.Functions,
		Lines:   service.Each(a.Lines, func(l *flow.SliceLine) wire.SliceLine { return wire.SliceLine(*l) }),
		Drawing: a.drawing, Complete: a.Complete, Incomplete: a.Because, Total: a.Total, Truncated: a.Truncated, NextOffset: a.Next, Index: index, Meta: meta,
	}
}

// slice answers with what a line depends on, or what depends on it.
func (s *analyses) slice(ctx context.Context, c *service.Call, q *wire.SliceRequest) (*wire.SliceResponse, error) {
	return as[wire.SliceResponse](s.Ask(ctx, c, q, func() service.Question {
		return service.Question{Command: "slice", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Heavy: q.Depth > 0}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Slice(ctx, flow.SliceQuery{
			Target: q.Target, Direction: q.Direction, Variable: q.Variable, To: q.To, Depth: q.Depth, Limit: q.Limit, Offset: q.Offset,
		})
		picture := ""
		if err == nil && q.Draw != "" {
			picture, err = a.Draw(q.Draw)
		}
		return &sliceAnswer{a, picture, q.Offset}, a.State, drawn(err)
	}))
}

// drawn says of an answer that cannot be drawn that the request wants too much.
func drawn(err error) error {
	if large := (*flow.SizeError)(nil); errors.As(err, &large) {
		return &wire.Problem{Code: wire.CodeInvalidRequest, Message: err.Error()}
	}
	return err
}
