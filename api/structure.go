package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/search"
)

// Bounds of /structure.
const (
	defaultStructure = 500
	maxStructure     = 5000    // files
	maxOffset        = 1 << 30 // entries of a list to pass over
	maxDepth         = 64
)

// structureBody is the response of /structure.
type structureBody struct {
	Root string `json:"root"`
	outline.StructureAnswer
	Index  wire.Index `json:"index"`
	Meta   searchMeta `json:"meta"`
	offset int
}

func (b *structureBody) trim(share float64) bool {
	return shorten(&b.Files, &b.Page, b.offset, &b.Meta, share) || shortenFirst(b.Files, &b.Page, &b.Meta, share)
}

// structure answers with the symbols of files.
func (s *Server) structure(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	q := outline.StructureQuery{
		Path:   d.text("path", maxPath),
		Glob:   d.few("glob", maxName),
		Lang:   d.few("lang", maxName),
		Kind:   d.someOf("kind", search.Kinds()...),
		Limit:  d.count("limit", 1, defaultStructure, maxStructure),
		Offset: d.count("offset", 0, 0, maxOffset),
		Depth:  d.count("depth", 1, 0, maxDepth),
	}
	d.jsonOnly()
	s.answer(w, r, d, func(ctx context.Context, x Index) (trimmer, answer.State, error) {
		if err := resolve(x, &q.Path); err != nil {
			return nil, answer.State{}, err
		}
		a, err := x.Structure(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		body := &structureBody{Root: x.Root(), StructureAnswer: a, Index: newIndexBody(a.State), Meta: metaOf("structure", &a.Page, d), offset: q.Offset}
		if a.Total == 0 {
			body.Meta.Unindexed, err = unindexed(x, q.Path)
		}
		return body, a.State, err
	})
}
