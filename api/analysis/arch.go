package analysis

import (
	"context"
	"errors"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/calls"
)

// architectureAnswer is an answer to /arch.
type architectureAnswer struct {
	architecture.Answer
	query *architecture.Query
}

// Paging returns the page of the section; an overview has no next one.
func (b *architectureAnswer) Paging() (*answer.Page, int) { return &b.Page, b.query.Offset }

// Wire returns the response.
func (b *architectureAnswer) Wire(meta wire.Meta, index wire.Index) any {
	if b.query.Section == "" && b.query.Draw == "" {
		b.Next = 0
	}
	return &wire.ArchResponse{
		Level: b.Level, Kinds: b.Kinds, Totals: wire.ArchTotals(b.Totals),
		Layers: service.Each(b.Layers, func(l *architecture.Layer) wire.ArchLayer { return wire.ArchLayer(*l) }), Modules: service.Each(b.Modules, func(m *architecture.Module) wire.ArchModule { return wire.ArchModule(*m) }),
		Matrix: service.Each(b.Matrix, cellOf), Cycles: service.Each(b.Cycles, cycleOf),
		Hubs: service.Each(b.Hubs, func(h *architecture.Hub) wire.ArchHub { return wire.ArchHub(*h) }), GodFiles: service.Each(b.GodFiles, func(g *architecture.GodFile) wire.ArchGodFile { return wire.ArchGodFile(*g) }),
		Violations: service.Each(b.Violations, func(v *architecture.Violation) wire.ArchViolation { return wire.ArchViolation(*v) }),
		Together:   service.Each(b.Together, func(p *architecture.Pair) wire.ArchPair { return wire.ArchPair(*p) }),
		Functions:  service.Each(b.Functions, func(f *architecture.Function) wire.ArchFunction { return wire.ArchFunction(*f) }),
		Drawing:    b.Drawing, Rules: b.Rules, NotLookedAt: b.NotLookedAt, Complete: b.Complete, Incomplete: b.Because,
		Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Index: index, Meta: meta,
	}
}

func cellOf(c *architecture.Cell) wire.ArchCell { return wire.ArchCell(*c) }

func cycleOf(c *architecture.Cycle) wire.ArchCycle {
	return wire.ArchCycle{
		Modules: c.Modules, Path: c.Path, Edges: c.Edges, TypeOnly: c.TypeOnly, TestOnly: c.TestOnly, Cut: service.Each(c.Cut, cellOf), Weight: c.Weight, Exact: c.Exact,
	}
}

// arch answers how the parts of a program depend on each other.
func (s *analyses) arch(ctx context.Context, c *service.Call, q *wire.ArchRequest) (*wire.ArchResponse, error) {
	var ask architecture.Query
	return as[wire.ArchResponse](s.Ask(ctx, c, q, func() service.Question {
		ask = architecture.Query{
			Level: q.Level, Depth: q.Depth, Section: q.Section, Kinds: q.Kinds, Draw: q.Draw, Rules: q.Rules, Limit: q.Limit, Offset: q.Offset, Lang: q.Lang,
			Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
		}
		return service.Question{Command: "arch", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Path: &ask.Path, Heavy: true}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Architecture(ctx, ask)
		var query *architecture.QueryError
		var rules *architecture.RulesError
		if errors.As(err, &query) || errors.As(err, &rules) {
			err = &wire.Problem{Code: wire.CodeInvalidRequest, Message: err.Error()}
		}
		return &architectureAnswer{a, &ask}, a.State, drawn(err)
	}))
}
