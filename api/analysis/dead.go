package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
)

// deadAnswer is an answer to /dead on its way.
type deadAnswer struct {
	dead.Answer
	offset int
}

// Paging is service.Answer's.
func (a *deadAnswer) Paging() (p *answer.Page, offset int) { return &a.Page, a.offset }

// Wire is service.Answer's.
func (a *deadAnswer) Wire(meta wire.Meta, index wire.Index) any {
	return &wire.DeadResponse{
		Dead: service.Each(a.Dead, deadOf), Counts: service.Each(a.Counts, countOf), LookedAt: service.Each(a.Looked, countOf), NotLooked: a.NotLooked,
		Complete: a.Complete, Incomplete: a.Because, Total: a.Total, Truncated: a.Truncated, NextOffset: a.Next, Index: index, Meta: meta,
	}
}

func countOf(c *dead.Count) wire.DeadCount {
	return wire.DeadCount{Kind: wire.DeadKind(c.Kind), Count: c.Count}
}

func deadOf(f *dead.Finding) wire.Dead {
	d := wire.Dead{
		Symbol: f.Symbol, File: f.File, Line: f.Line, EndLine: f.EndLine, Kind: wire.DeadKind(f.Kind), Lang: f.Lang,
		Confidence: wire.DeadConfidence(f.Confidence), Reason: wire.DeadReason(f.Reason), Why: f.Why,
		Exported: f.Exported, Test: f.Test, Changed: f.Changed, Users: service.Each(f.Users, place),
	}
	if f.Root != nil {
		at := wire.Place(*f.Root)
		d.Root = &at
	}
	return d
}

// dead answers with code that nothing uses.
func (s *analyses) dead(ctx context.Context, c *service.Call, q *wire.DeadRequest) (*wire.DeadResponse, error) {
	for _, lang := range q.Lang {
		if !slices.Contains(dead.Languages(), lang) {
			return nil, &wire.Problem{Code: wire.CodeInvalidRequest, Message: fmt.Sprintf("dead code is not looked for in %q: lang is one of %s", lang, strings.Join(dead.Languages(), ", "))}
		}
	}
	if len(q.Entry) > 0 && slices.Contains(dead.WithinFiles(), string(q.Kind)) {
		return nil, &wire.Problem{Code: wire.CodeInvalidRequest, Message: fmt.Sprintf("entry_points say what is run, which makes no difference to kind %q", q.Kind)}
	}
	return as[wire.DeadResponse](s.Ask(ctx, c, q, func() service.Question {
		return service.Question{Command: "dead", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Path: &q.Path, Heavy: true}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Dead(ctx, dead.Query{
			Lang: q.Lang, Kind: string(q.Kind), Confidence: string(q.Confidence), Exports: string(q.Exports), Entries: q.Entry,
			Limit: q.Limit, Offset: q.Offset, Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
		})
		return &deadAnswer{a, q.Offset}, a.State, err
	}))
}
