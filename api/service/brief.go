package service

import (
	"context"

	"github.com/quarry-search/quarry/api/several"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
)

// contextResponse is an answer to /context.
type contextResponse struct {
	brief.ContextAnswer
	meta    wire.Meta
	receipt wire.Receipt
}

// trim does nothing: the budget bounds the response.
func (b *contextResponse) trim(float64) bool { return false }

func (b *contextResponse) short() bool { return b.meta.Truncated }

func (b *contextResponse) wire() any {
	return &wire.ContextResponse{
		Target: b.Target, Searched: b.Searched, Definition: optional(b.Definition, itemOf), Functions: Each(b.Functions, itemOf), Callers: Each(b.Callers, itemOf),
		Types: Each(b.Types, itemOf), Tests: Each(b.Tests, itemOf), Imports: Each(b.Imports, importedOf), Results: Each(b.Found, several.ResultOf),
		Text: b.Text, Tokens: b.Tokens, TokensRaw: b.TokensRaw, Complete: b.Complete, OpenCalls: b.Open, Incomplete: b.Because, Alternatives: Each(b.Others, placeIn),
		Total: b.Total, Truncated: b.Truncated, NextOffset: b.Next, Index: indexOf(b.State), Meta: b.meta, Receipt: b.receipt,
	}
}

// Context answers with what one must know to work on something.
func (s *Service) Context(ctx context.Context, c *Call, q *wire.ContextRequest) (*wire.ContextResponse, error) {
	s.fill(c, q)
	ask := brief.ContextQuery{Target: q.Target, Depth: q.Depth, MaxTokens: q.MaxTokens}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, fresh: q.Fresh, class: slot.Cheap, remembers: true}
	return as[wire.ContextResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		ask.Sent = v.reader.Sent("")
		a, err := v.Context(ctx, ask)
		meta := metaOf("context", &a.Page, v)
		meta.Tokens = a.Tokens
		return &contextResponse{ContextAnswer: a, meta: meta}, a.State, err
	}))
}

// startupResponse is an answer to /startup.
type startupResponse struct {
	brief.StartupAnswer
	meta    wire.Meta
	receipt wire.Receipt
}

// trim does nothing: the budget bounds the response.
func (b *startupResponse) trim(float64) bool { return false }

func (b *startupResponse) short() bool { return b.meta.Truncated }

func (b *startupResponse) wire() any {
	return &wire.StartupResponse{
		Text: b.Text, Results: Each(b.Results, several.ResultOf), Structure: optional(b.Structure, overviewOf), Entry: optional(b.Entry, itemOf), NoEntry: b.NoEntry,
		Tokens: b.Tokens, TokensRaw: b.TokensRaw, Index: indexOf(b.State), Meta: b.meta, Receipt: b.receipt,
	}
}

// Startup answers with what somebody should know who begins a task.
func (s *Service) Startup(ctx context.Context, c *Call, q *wire.StartupRequest) (*wire.StartupResponse, error) {
	s.fill(c, q)
	ask := brief.StartupQuery{Task: q.Task, Entry: q.EntryPoint, Limit: q.Limit, MaxTokens: q.MaxTokens}
	j := job{scope: q.Scope, timeout: q.TimeoutMS, overlay: q.Overlay, fresh: q.Fresh, class: slot.Heavy, remembers: true}
	return as[wire.StartupResponse](s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		ask.Sent = v.reader.Sent("")
		a, err := v.Startup(ctx, ask)
		meta := metaOf("startup", &a.Page, v)
		meta.Tokens = a.Tokens
		return &startupResponse{StartupAnswer: a, meta: meta}, a.State, err
	}))
}
