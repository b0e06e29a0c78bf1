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

// Page is service.Answer's.
func (a *deadAnswer) Page() (p *answer.Page, offset int) { return &a.Answer.Page, a.offset }

// Wire is service.Answer's.
func (a *deadAnswer) Wire(meta wire.Meta, index wire.Index) any {
	out := &wire.DeadResponse{
		Dead: make([]wire.Dead, len(a.Dead)), Counts: countsOf(a.Counts), LookedAt: countsOf(a.Looked), NotLooked: a.NotLooked,
		Complete: a.Complete, Incomplete: a.Because, Total: a.Total, Truncated: a.Truncated, NextOffset: a.Next, Index: index, Meta: meta,
	}
	for i := range a.Dead {
		out.Dead[i] = deadOf(&a.Dead[i])
	}
	return out
}

func countsOf(list []dead.Count) []wire.DeadCount {
	out := make([]wire.DeadCount, len(list))
	for i, c := range list {
		out[i] = wire.DeadCount{Kind: wire.DeadKind(c.Kind), Count: c.Count}
	}
	return out
}

func deadOf(f *dead.Finding) wire.Dead {
	d := wire.Dead{
		Symbol: f.Symbol, File: f.File, Line: f.Line, EndLine: f.EndLine, Kind: wire.DeadKind(f.Kind), Lang: f.Lang,
		Confidence: wire.DeadConfidence(f.Confidence), Reason: wire.DeadReason(f.Reason), Why: f.Why,
		Exported: f.Exported, Test: f.Test, Changed: f.Changed,
	}
	for _, u := range f.Users {
		d.Users = append(d.Users, wire.Place(u))
	}
	if f.Root != nil {
		at := wire.Place(*f.Root)
		d.Root = &at
	}
	return d
}

// findDead answers with code that nothing uses.
func findDead(s *service.Service) func(context.Context, *service.Call, *wire.DeadRequest) (any, error) {
	return func(ctx context.Context, c *service.Call, q *wire.DeadRequest) (any, error) {
		for _, lang := range q.Lang {
			if !slices.Contains(dead.Languages(), lang) {
				return nil, &wire.Problem{Code: wire.CodeInvalidRequest, Message: fmt.Sprintf("dead code is not looked for in %q: lang is one of %s", lang, strings.Join(dead.Languages(), ", "))}
			}
		}
		return s.Ask(ctx, c, q, func() service.Question {
			return service.Question{Command: "dead", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Path: &q.Path, Heavy: true}
		}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
			a, err := x.Dead(ctx, dead.Query{
				Lang: q.Lang, Kind: string(q.Kind), Confidence: string(q.Confidence), Exports: string(q.Exports), Entries: q.Entry,
				Limit: q.Limit, Offset: q.Offset, Scope: calls.Scope{Path: q.Path, Glob: q.Glob, Tests: string(q.Tests)},
			})
			return &deadAnswer{a, q.Offset}, a.State, err
		})
	}
}
