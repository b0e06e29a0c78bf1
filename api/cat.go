package api

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// catBody is the response of /cat.
type catBody struct {
	File        string     `json:"file"`
	Start       int        `json:"start"`
	Content     string     `json:"content"`
	Breadcrumbs []string   `json:"breadcrumbs"`
	Changed     bool       `json:"changed,omitempty"`
	Clamped     []string   `json:"clamped,omitempty"`
	Index       wire.Index `json:"index"`
	Meta        te.Meta    `json:"meta"`
}

// refusedType says what a file holds, as far as that is why it is refused.
func refusedType(e *grep.FileError) string {
	switch e.Reason {
	case grep.RefusedBinary:
		return "binary"
	case grep.RefusedEncoding, grep.RefusedSize:
		return te.Sniff(e.File, "")
	}
	return ""
}

// fileProblem says what a client is told of a file that is not shown.
func fileProblem(e *grep.FileError) problem {
	switch e.Reason {
	case grep.RefusedBinary, grep.RefusedEncoding:
		return problem{codeBinaryFile, e.Error()}
	case grep.RefusedSize:
		return problem{codeFileTooLarge, e.Error()}
	case grep.RefusedFolder:
		return problem{codeInvalidPath, e.Error()}
	case grep.RefusedNow:
		return problem{codeUnavailable, e.Error()}
	}
	return problem{codePermissionDenied, e.Error()}
}

// cat answers with the lines of a file.
func (s *Server) cat(w http.ResponseWriter, r *http.Request) {
	e := s.envelope(w, r, cmdCat)
	e.close(e.answerCat())
}

func (e *envelope) answerCat() error {
	d := e.d
	q := grep.ReadQuery{
		Path:  d.text("path", maxPath),
		Start: d.count("start", 1, 0, maxLines),
		End:   d.count("end", 1, 0, maxLines),
	}
	if q.Path == "" {
		d.failf("path is missing or empty")
	}
	if q.End > 0 && q.End < q.Start {
		d.failf("end must not be before start")
	}
	opt := e.options(e.opt.Envelope.CatChars)
	e.note(q.Path)
	if d.has("start") || d.has("end") { // who knows the lines wants them all
		opt.Strategy.Preview = 0
	}
	var f grep.FileText
	var c *te.Contents
	err := e.within(func(ctx context.Context, p Project) (err error) {
		if f, err = e.read(ctx, p.Index, q); err != nil {
			return err
		}
		e.event.InputSize = int64(len(f.Text))
		e.head(f.State.Generation, f.Lines)
		done := coach.Action{Kind: coach.Read, Files: []string{f.File}}
		defer func() { e.saw(done) }()
		if e.raw {
			return nil
		}
		c = te.NewContents(&f, opt)
		if e.event.Truncated = c.Meta.Truncated; e.event.Truncated {
			q.Path = f.File
			c.Meta.Handle = e.keep(f.Lines, &catHandle{root: p.Index.Root(), query: q, from: c.Next, hash: f.Hash})
			done.Handle = c.Meta.Handle
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case e.raw:
		e.send(http.StatusOK, f.Text)
		return nil
	case e.text:
		e.send(http.StatusOK, c.Render(c.Meta.Handle))
		return nil
	}
	return e.sendJSON(&catBody{f.File, f.Start, c.Text, te.Texts(c.Crumbs), f.Changed, d.clamped, newIndexBody(f.State), c.Meta})
}

// read gives a file to the caller as the index does, with the path that was asked for
// in its errors.
func (e *envelope) read(ctx context.Context, x Index, q grep.ReadQuery) (grep.FileText, error) {
	asked := q.Path
	if err := checkPath(asked); err != nil {
		return grep.FileText{}, err
	}
	f, err := x.Read(ctx, q)
	if errors.Is(err, index.ErrOutside) {
		err = problemf(codeInvalidPath, "the path %q is outside the root", asked)
	} else if p := classify(err); err != nil && p.code == codeNotFound {
		if place := (*answer.PlaceError)(nil); !errors.As(err, &place) {
			err = problemf(codeNotFound, "the path %q does not exist", filepath.ToSlash(asked))
		}
	}
	return f, err
}
