package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
)

// importsBody is the response of /imports.
type importsBody struct {
	outline.ImportsAnswer
	Index  wire.Index `json:"index"`
	Meta   searchMeta `json:"meta"`
	offset int
}

func (b *importsBody) trim(share float64) bool {
	return shorten(&b.Files, &b.Page, b.offset, &b.Meta, share) || shortenFirst(b.Files, &b.Page, &b.Meta, share)
}

// imports answers with what files import, or with the files that import something.
func (s *Server) imports(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	q := outline.ImportsQuery{
		Path:   d.text("path", maxPath),
		Glob:   d.few("glob", maxName),
		Lang:   d.few("lang", maxName),
		Module: d.text("module", maxPath),
		Head:   d.flag("head"),
		Limit:  d.count("limit", 1, defaultStructure, maxStructure),
		Offset: d.count("offset", 0, 0, maxOffset),
	}
	d.jsonOnly()
	s.answer(w, r, d, func(ctx context.Context, x Index) (trimmer, answer.State, error) {
		if err := resolve(x, &q.Path); err != nil {
			return nil, answer.State{}, err
		}
		a, err := x.Imports(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		body := &importsBody{ImportsAnswer: a, Index: newIndexBody(a.State), Meta: metaOf("imports", &a.Page, d), offset: q.Offset}
		if a.Total == 0 {
			body.Meta.Unindexed, err = unindexed(x, q.Path)
		}
		return body, a.State, err
	})
}
