package service

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/remainder"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/highlight"
)

// fileProblem says what a client is told of a file that is not shown.
func fileProblem(e *grep.FileError) *wire.Problem {
	switch e.Reason {
	case grep.RefusedBinary, grep.RefusedEncoding:
		return &wire.Problem{Code: wire.CodeBinaryFile, Message: e.Error()}
	case grep.RefusedSize:
		return &wire.Problem{Code: wire.CodeFileTooLarge, Message: e.Error()}
	case grep.RefusedFolder:
		return &wire.Problem{Code: wire.CodeInvalidPath, Message: e.Error()}
	case grep.RefusedArchived:
		return &wire.Problem{Code: wire.CodeNoFolder, Message: e.Error()}
	case grep.RefusedNow:
		return &wire.Problem{Code: wire.CodeUnavailable, Message: e.Error()}
	}
	return &wire.Problem{Code: wire.CodePermissionDenied, Message: e.Error()}
}

// Cat answers with the lines of a file; with nil where the answer is the call's text.
func (s *Service) Cat(ctx context.Context, c *Call, request *wire.CatRequest) (*wire.CatResponse, error) {
	s.fill(c, request)
	e := s.envelope(c, cmdCat, request.Scope, request.TimeoutMS)
	if request.Highlight && (c.Form.TE || c.Form.Text) {
		return nil, wire.Problemf(wire.CodeInvalidRequest, "highlight is of answers in JSON")
	}
	q := grep.ReadQuery{Path: request.Path, Start: request.Start, End: request.End}
	opt := e.options(e.opt.Envelope.CatChars, request.Limit)
	e.note(q.Path)
	if q.Start > 0 || q.End > 0 { // who knows the lines wants them all
		opt.Strategy.Preview = 0
	}
	var f grep.FileText
	var shown *te.Contents
	var classes *wire.Highlight
	err := e.within(ctx, slot.Cheap, func(ctx context.Context, p Project) (err error) {
		if f, err = read(ctx, p.Index, q); err != nil {
			return err
		}
		if request.Number {
			f.Text = te.Numbered(f.Text, f.Start)
		}
		c.event.InputSize = int64(len(f.Text))
		e.head(f.State.Generation, f.Lines)
		done := coach.Action{Kind: coach.Read, Files: []string{f.File}}
		defer func() { e.saw(done) }()
		if c.Form.Raw {
			return nil
		}
		shown = te.NewContents(&f, opt)
		if c.Cut = shown.Meta.Truncated; c.Cut {
			q.Path = f.File
			shown.Meta.Handle = e.keep(ctx, f.Lines, &remainder.Cat{Root: p.Index.Root(), Query: q, Number: request.Number, From: shown.Next, Hash: f.Hash})
			done.Handle = shown.Meta.Handle
		}
		if request.Highlight {
			classes, err = classesOf(ctx, p.Index, &f, shown.Text)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case c.Form.Raw:
		e.say(f.Text)
		return nil, nil
	case c.Form.TE:
		e.say(shown.Render(shown.Meta.Handle))
		return nil, nil
	}
	return encoded(c, &wire.CatResponse{
		File: f.File, Start: f.Start, Content: shown.Text, Breadcrumbs: te.Texts(shown.Crumbs), Highlight: classes, Changed: f.Changed, Clamped: c.Clamped,
		Index: indexOf(f.State), Meta: shown.Meta.Wire(),
	})
}

// classesOf returns the classes of the lines of a file that are shown.
func classesOf(ctx context.Context, x Index, f *grep.FileText, shown string) (*wire.Highlight, error) {
	q := highlight.Query{File: f.File, Lang: f.Lang, Hash: f.Hash, Text: f.Whole, Start: f.Start, Lines: len(strings.SplitAfter(shown, "\n"))}
	if shown == "" || strings.HasSuffix(shown, "\n") {
		q.Lines--
	}
	a, err := x.Highlight(ctx, q)
	return &wire.Highlight{Classes: highlight.Classes(), Lines: a.Lines, Incomplete: a.Because}, err
}

// read gives a file to the caller as the index does, with the path that was asked for
// in its errors.
func read(ctx context.Context, x Index, q grep.ReadQuery) (grep.FileText, error) {
	asked := q.Path
	if err := fields.CheckPath(asked); err != nil {
		return grep.FileText{}, err
	}
	f, err := x.Read(ctx, q)
	if errors.Is(err, index.ErrOutside) {
		err = wire.Problemf(wire.CodeInvalidPath, "the path %q is outside the root", asked)
	} else if p := Classify(err); err != nil && p.Code == wire.CodeNotFound {
		if place := (*answer.PlaceError)(nil); !errors.As(err, &place) {
			err = wire.Problemf(wire.CodeNotFound, "the path %q does not exist", filepath.ToSlash(asked))
		}
	}
	return f, err
}

// readFind checks the paths of a request.
func readFind(d *fields.Fields, q *wire.FindRequest) {
	readPaths(d, q.Paths)
	if len(q.Written) > 0 && len(q.Written) != len(q.Paths) {
		d.Failf("written has %d elements, and paths has %d", len(q.Written), len(q.Paths))
	}
	if len(q.Expression) > maxPaths {
		d.Failf("expression has more than %d elements", maxPaths)
	}
	for i, file := range q.Expression {
		if i == 0 || q.Expression[i-1] != "-newer" {
			continue
		}
		if err := fields.CheckPath(file); err != nil && d.Err == nil {
			d.Err = err
		}
	}
}

// Find answers with paths, the likeliest first; with nil where the answer is the call's
// text.
func (s *Service) Find(ctx context.Context, c *Call, request *wire.FindRequest) (*wire.FindResponse, error) {
	s.fill(c, request)
	e := s.envelope(c, cmdFind, request.Scope, request.TimeoutMS)
	q := te.FindOf(request)
	opt := e.options(e.opt.Envelope.GrepChars, request.Limit)
	e.note(strings.Join(slices.Concat([]string{q.Path}, q.Name, q.Expression), " "))
	var f grep.Found
	var l *te.Listing
	err := e.within(ctx, slot.Cheap, func(ctx context.Context, p Project) (err error) {
		x := p.Index
		if err := resolveAll(x, &q.Path, q.Paths); err != nil {
			return err
		}
		if f, err = x.Find(ctx, q); err != nil {
			return err
		}
		if f.Total == 0 {
			if _, err := unsearched(x, q.Path, q.Paths); err != nil {
				return err
			}
		}
		for _, p := range f.Paths {
			c.event.InputSize += int64(len(p.Path)) + 1
		}
		e.head(f.State.Generation, f.Total)
		done := coach.Action{Kind: coach.Search, Query: cmp.Or(strings.Join(q.Name, " "), strings.Join(q.Expression, " "), q.Path)}
		defer func() { e.saw(done) }()
		if c.Form.Raw {
			c.Missing = te.Unlisted(f.Secret)
			return nil
		}
		l = te.NewListing(&f, opt)
		for _, p := range l.Paths {
			done.Files = append(done.Files, p.Path)
		}
		if c.Cut = l.Meta.Truncated; c.Cut {
			l.Meta.Handle = e.keep(ctx, f.Total, &remainder.Find{Root: x.Root(), Query: q, From: len(l.Paths), Base: e.base})
			done.Handle = l.Meta.Handle
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case c.Form.Raw:
		e.say(te.RawPaths(e.base, f.Paths))
		return nil, nil
	case c.Form.TE:
		e.say(l.Text(l.Meta.Handle))
		return nil, nil
	}
	return encoded(c, &wire.FindResponse{
		Paths: Each(l.Paths, foundPathOf), Breadcrumbs: te.Texts(l.Crumbs), Clamped: c.Clamped, Index: indexOf(f.State), Meta: l.Meta.Wire(),
	})
}
