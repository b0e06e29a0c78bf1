package service

import (
	"cmp"
	"context"

	"github.com/quarry-search/quarry/api/across"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/trace"
)

// callsResponse is an answer to /calls.
type callsResponse struct {
	calls.CallsAnswer
	across *wire.AcrossCalls
	meta   wire.Meta
	offset int
}

func (b *callsResponse) trim(share float64) bool {
	shorter := b.across != nil && across.Shorten(&b.across.Calls, &b.across.AcrossMeta, share)
	return trimPage(b, &b.Page, b.offset, &b.meta, share) || shorter
}

func (b *callsResponse) short() bool { return b.meta.Truncated }

func (b *callsResponse) wire() any {
	return &wire.CallsResponse{
		Target: b.Target, Direction: wire.Direction(b.Direction), Definition: optional(b.Definition, definitionOf),
		Edges: Each(b.Edges, edgeOf), Ambiguous: Each(b.Ambiguous, edgeOf), External: Each(b.External, edgeOf),
		Unresolved: Each(b.Unresolved, func(c *calls.CallSite) wire.UnresolvedCall {
			return wire.UnresolvedCall{From: placeIn(&c.From), Name: c.Name, Line: c.Line, Column: c.Column, Reason: c.Reason, Candidates: c.Candidates, CallSites: c.CallSites, Test: c.Test}
		}),
		Counts: wire.CallCounts(b.Counts), Complete: b.Complete, OpenCalls: b.Open, Incomplete: b.Because, Alternatives: Each(b.Others, placeIn),
		Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Across: b.across, Index: indexOf(b.State), Meta: b.meta,
	}
}

// Calls answers with edges of the call graph.
func (s *Service) Calls(ctx context.Context, c *Call, q *wire.CallsRequest) (*wire.CallsResponse, error) {
	s.fill(c, q)
	ask := calls.CallsQuery{
		Target: q.Target, Direction: string(q.Direction), Depth: q.Depth, Limit: q.Limit, Offset: q.Offset, External: q.External, Group: q.Group,
		Steps: s.across.Several(ctx), Scope: narrowing(q.Path, q.Glob, q.Tests, nil),
	}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, class: heavyIf(q.Target == "" || q.Direction == wire.ReferencesTo)}
	return as[wire.CallsResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		if err := resolve(v, &ask.Path); err != nil {
			return nil, answer.State{}, err
		}
		a, err := v.Calls(ctx, ask)
		if err != nil {
			return nil, a.State, err
		}
		others, err := s.across.Calls(ctx, v.Index, &ask, &a)
		return &callsResponse{a, others, metaOf("calls", &a.Page, v), q.Offset}, a.State, err
	}))
}

// narrowing is what a request narrows its answer to.
func narrowing(path string, glob []string, tests wire.Tests, include *bool) calls.Scope {
	if include != nil && !*include {
		tests = wire.WithoutTests
	}
	return calls.Scope{Path: path, Glob: glob, Tests: string(tests)}
}

// impactResponse is an answer to /impact.
type impactResponse struct {
	impact.Answer
	across *wire.AcrossImpact
	meta   wire.Meta
	offset int
}

func (b *impactResponse) trim(share float64) bool {
	shorter := b.across != nil && across.Shorten(&b.across.Callers, &b.across.AcrossMeta, share)
	return trimPage(b, &b.Page, b.offset, &b.meta, share) || shorter
}

func (b *impactResponse) short() bool { return b.meta.Truncated }

func (b *impactResponse) wire() any {
	return &wire.ImpactResponse{
		Target: b.Target, Definition: optional(b.Definition, definitionOf),
		Changed: Each(b.Changed, func(c *impact.Change) wire.ChangedSymbol {
			return wire.ChangedSymbol{Symbol: c.Symbol, File: c.File, Line: c.Line, Kind: c.Kind, Change: c.Change}
		}),
		LeftOut: Each(b.LeftOut, leftOutOf),
		Unfollowed: Each(b.Unfollowed, func(l *impact.Lost) wire.Unfollowed {
			return wire.Unfollowed{Symbol: l.Symbol, File: l.File, Line: l.Line, Kind: l.Kind, Reason: l.Reason, Mentions: l.Mentions}
		}),
		Callers: Each(b.Callers, callerOf), Ambiguous: Each(b.Ambiguous, callerOf), Counts: wire.ImpactCounts(b.Counts), Tests: b.Tests, Files: b.Files,
		Runs:     Each(b.Runs, func(r *impact.Run) wire.TestRun { return wire.TestRun(*r) }),
		Complete: b.Complete, OpenCalls: b.Open, Incomplete: b.Because, Alternatives: Each(b.Others, placeIn),
		Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Across: b.across, Index: indexOf(b.State), Meta: b.meta,
	}
}

// Impact answers with what a change may affect.
func (s *Service) Impact(ctx context.Context, c *Call, q *wire.ImpactRequest) (*wire.ImpactResponse, error) {
	s.fill(c, q)
	ask := impact.Query{
		Target: q.Target, Diff: q.Diff, Files: q.Files, Edited: q.Edited, Depth: cmp.Or(q.Depth, calls.AllSteps), Limit: q.Limit, Offset: q.Offset, Steps: s.across.Several(ctx),
		Scope: narrowing(q.Path, q.Glob, q.Tests, q.IncludeTests), Runs: q.Commands,
	}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, class: heavyIf(q.Target == ""), farther: true}
	return as[wire.ImpactResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		err := resolve(v, &ask.Path)
		for i := range ask.Files {
			err = cmp.Or(err, resolve(v, &ask.Files[i]))
		}
		if err == nil && (q.Git || q.Base != "") {
			ask.Diff, err = s.changes(ctx, v.Root(), q.Base)
		}
		if err != nil {
			return nil, answer.State{}, err
		}
		a, err := v.Impact(ctx, ask)
		if err != nil {
			return nil, a.State, err
		}
		others, err := s.across.Impact(ctx, v.Index, &ask, &a)
		return &impactResponse{a, others, metaOf("impact", &a.Page, v), q.Offset}, a.State, err
	}))
}

// changes asks git what has changed in a root.
func (s *Service) changes(ctx context.Context, root, base string) (string, error) {
	if s.opt.Diff == nil {
		return "", wire.Problemf(wire.CodeInvalidRequest, "this server cannot ask git what has changed; files or diff says it")
	}
	diff, err := s.opt.Diff(ctx, root, cmp.Or(base, "HEAD"))
	if err != nil {
		return "", wire.Problemf(wire.CodeInvalidRequest, "%v", err)
	}
	return diff + "\n", nil // one that is empty is a diff, too
}

// traceResponse is an answer to /trace.
type traceResponse struct {
	trace.Answer
	meta wire.Meta
}

func (b *traceResponse) trim(share float64) bool {
	before := len(b.Callers) + len(b.Callees) + len(b.Paths)
	b.Keep(share)
	if len(b.Callers)+len(b.Callees)+len(b.Paths) == before {
		return false
	}
	b.Page.Shorten(0, 0, cutSize)
	b.Next = 0
	b.Lacks(b.Cuts)
	b.meta.Truncated, b.meta.TruncatedBy = true, cutsOf(b.Cuts)
	return true
}

func (b *traceResponse) short() bool { return b.meta.Truncated }

func (b *traceResponse) wire() any {
	return &wire.TraceResponse{
		Symbol: b.Symbol, Definition: optional(b.Definition, definitionOf), Callers: Each(b.Callers, neighbourOf), Callees: Each(b.Callees, neighbourOf),
		To: optional(b.To, definitionOf),
		Paths: Each(b.Paths, func(p *trace.CallPath) wire.Chain {
			return wire.Chain{Hops: Each(p.Hops, edgeOf), Confidence: wire.Confidence(p.Confidence)}
		}),
		Backward: b.Backward, Text: b.Text, Tokens: b.Tokens, Complete: b.Complete, OpenCalls: b.Open, Incomplete: b.Because, Alternatives: Each(b.Others, placeIn),
		Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Index: indexOf(b.State), Meta: b.meta,
	}
}

// Trace answers with what is around a symbol in the call graph, or between two.
func (s *Service) Trace(ctx context.Context, c *Call, q *wire.TraceRequest) (*wire.TraceResponse, error) {
	s.fill(c, q)
	ask := trace.Query{Target: q.Target, To: q.To, Depth: q.Depth, Limit: q.Limit}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, class: slot.Cheap}
	return as[wire.TraceResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		a, err := v.Trace(ctx, ask)
		return &traceResponse{a, metaOf("trace", &a.Page, v)}, a.State, err
	}))
}
