package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/grep"
)

// findBody is the response of /find.
type findBody struct {
	Paths       []grep.FoundPath `json:"paths"`
	Breadcrumbs []string         `json:"breadcrumbs"`
	Clamped     []string         `json:"clamped,omitempty"`
	Index       wire.Index       `json:"index"`
	Meta        te.Meta          `json:"meta"`
}

// find answers with paths, the likeliest first.
func (s *Server) find(w http.ResponseWriter, r *http.Request) {
	e := s.envelope(w, r, cmdFind)
	e.close(e.answerFind())
}

func (e *envelope) answerFind() error {
	d := e.d
	q := grep.FindQuery{Path: d.text("path", maxPath), Name: d.few("name", maxName), Type: d.oneOf("type", "f", "d")}
	opt := e.options(e.opt.Envelope.GrepChars)
	e.note(strings.Join(append([]string{q.Path}, q.Name...), " "))
	var f grep.Found
	var l *te.Listing
	err := e.within(func(ctx context.Context, p Project) (err error) {
		x := p.Index
		if err := resolve(x, &q.Path); err != nil {
			return err
		}
		if f, err = x.Find(ctx, q); err != nil {
			return err
		}
		if f.Total == 0 {
			if _, err := unindexed(x, q.Path); err != nil {
				return err
			}
		}
		for _, p := range f.Paths {
			e.event.InputSize += int64(len(p.Path)) + 1
		}
		e.head(f.State.Generation, f.Total)
		done := coach.Action{Kind: coach.Search, Query: cmp.Or(strings.Join(q.Name, " "), q.Path)}
		defer func() { e.saw(done) }()
		if e.raw {
			return nil
		}
		l = te.NewListing(&f, opt)
		for _, p := range l.Paths {
			done.Files = append(done.Files, p.Path)
		}
		if e.event.Truncated = l.Meta.Truncated; e.event.Truncated {
			l.Meta.Handle = e.keep(f.Total, &findHandle{root: x.Root(), query: q, from: len(l.Paths), base: e.base})
			done.Handle = l.Meta.Handle
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case e.raw:
		e.send(http.StatusOK, te.RawPaths(e.base, f.Paths))
		return nil
	case e.text:
		e.send(http.StatusOK, l.Text(l.Meta.Handle))
		return nil
	}
	return e.sendJSON(&findBody{l.Paths, te.Texts(l.Crumbs), d.clamped, newIndexBody(f.State), l.Meta})
}
