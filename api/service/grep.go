package service

import (
	"context"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/grep"
)

func newMatches(lines []grep.GrepLine) []wire.GrepMatch {
	list := make([]wire.GrepMatch, len(lines))
	for i := range lines {
		l := &lines[i]
		list[i] = wire.GrepMatch{File: l.File, Line: l.Line, Content: te.Clip(l), Role: wire.Role(l.Role), Symbol: l.Symbol}
	}
	return list
}

// Grep answers with the lines that match, the best first; with nil where the answer is the
// call's text, or was sent as it was found.
func (s *Service) Grep(ctx context.Context, c *Call, request *wire.GrepRequest) (*wire.GrepResponse, error) {
	s.fill(c, request)
	e := s.envelope(c, cmdGrep, request.Scope, request.TimeoutMS)
	q := grep.GrepQuery{
		Pattern: request.Pattern, Literal: request.Literal, IgnoreCase: request.IgnoreCase, Word: request.Word, Path: request.Path, Glob: request.Glob,
	}
	opt := e.options(e.opt.Envelope.GrepChars, request.Limit)
	e.note(q.Pattern)
	if c.Form.Raw {
		// What is sent as it is found waits for a client that takes its time: such
		// answers have slots of their own, and a bound for each write.
		return nil, e.within(ctx, slot.Streamed, func(ctx context.Context, p Project) error { return e.sendRaw(ctx, p, q, opt.Limit) })
	}
	var body *wire.GrepResponse
	err := e.within(ctx, slot.Heavy, func(ctx context.Context, p Project) (err error) {
		body, err = e.grep(ctx, p.Index, q, opt)
		return err
	})
	if err != nil || c.Form.TE {
		return nil, err
	}
	body.Clamped = c.Clamped
	return encoded(c, body)
}

// grep asks the index; where the answer is a text, it has been given.
func (e *envelope) grep(ctx context.Context, x Index, q grep.GrepQuery, opt te.Options) (*wire.GrepResponse, error) {
	if err := resolve(x, &q.Path); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, e.opt.Envelope.GrepTimeout)
	defer cancel()
	g, err := x.Grep(limited, q)
	if err != nil {
		return nil, err
	}
	nothing := false
	if g.Matches == 0 {
		if nothing, err = unindexed(x, q.Path); err != nil {
			return nil, err
		}
	}
	e.c.event.InputSize = g.Bytes
	e.head(g.State.Generation, g.Matches)
	res, err := grepResult(ctx, x, g, opt)
	if err != nil {
		return nil, err
	}
	if nothing {
		res.Crumbs = append(res.Crumbs, te.Crumb{Text: "no file at or below the path is searched"})
	}
	if e.c.Cut = res.Meta.Truncated; e.c.Cut {
		res.Meta.Handle = e.keep(g.Matches, &grepHandle{root: x.Root(), grep: g, rest: res.Rest, base: e.base})
	}
	e.saw(coach.Action{Kind: coach.Search, Query: q.Pattern, Files: filesOf(res.Lines), Handle: res.Meta.Handle})
	if e.c.Form.TE {
		e.say(res.Text(res.Meta.Handle))
		return nil, nil
	}
	return &wire.GrepResponse{
		Matches: newMatches(res.Lines), Breadcrumbs: te.Texts(res.Crumbs), Searched: g.Searched, Unread: g.Unread, Index: indexOf(g.State), Meta: envelopeMeta(&res.Meta),
	}, nil
}

// filesOf returns the files of lines, some of them more than once.
func filesOf(lines []grep.GrepLine) []string {
	var files []string
	for i := range lines {
		if n := len(files); n == 0 || files[n-1] != lines[i].File {
			files = append(files, lines[i].File)
		}
	}
	return files
}

// grepResult takes the lines to show from the index.
func grepResult(ctx context.Context, x Index, g *grep.GrepAnswer, opt te.Options) (*te.Result, error) {
	var shown []te.Shown
	for _, span := range opt.Spans(g) {
		lines, gone, err := x.Lines(ctx, g, span.From, span.N)
		if err != nil {
			return nil, err
		}
		shown = append(shown, te.Shown{Span: span, Lines: lines, Gone: gone})
	}
	return te.NewResult(g, shown, opt), nil
}

// sendRaw answers with all lines as grep prints them, by path, or with as many as limit,
// without an envelope.
func (e *envelope) sendRaw(ctx context.Context, p Project, q grep.GrepQuery, limit int) error {
	if err := resolve(p.Index, &q.Path); err != nil {
		return err
	}
	out := e.c.Raw
	out.Begin(p.Index.State().Generation)
	matches, err := p.Index.GrepRaw(ctx, q, grep.RawOptions{Name: e.base.Path, Limit: limit}, out)
	e.c.event.InputSize = out.Size()
	if err == nil && matches == 0 {
		_, err = unindexed(p.Index, q.Path)
	}
	switch {
	case out.Gone():
		return nil
	case err != nil && out.Begun():
		e.c.Broken = err
		return nil
	case err != nil:
		return err
	}
	e.saw(coach.Action{Kind: coach.Search, Query: q.Pattern})
	e.c.Matches, e.c.Counted = matches, true
	return nil
}
