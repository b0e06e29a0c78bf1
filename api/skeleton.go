package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
)

// defaultSkeletons is how many files /skeleton gives when nobody says.
const defaultSkeletons = 20

// skeletonBody is the response of /skeleton.
type skeletonBody struct {
	outline.Skeletons
	Index  wire.Index `json:"index"`
	Meta   searchMeta `json:"meta"`
	offset int
}

func (b *skeletonBody) trim(share float64) bool {
	if shorten(&b.Files, &b.Page, b.offset, &b.Meta, share) {
		b.Join()
		return true
	}
	if !b.ShortenFirst(share) {
		return false
	}
	b.Meta.cut(cutSize)
	return true
}

// skeleton answers with code without the bodies of its functions.
func (s *Server) skeleton(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	q := outline.SkeletonQuery{
		Path:      d.target("path", "target", "query"),
		Glob:      d.few("glob", maxName),
		Lang:      d.few("lang", maxName),
		Limit:     d.count("limit", 1, min(defaultSkeletons, s.limits.Limit), s.limits.Limit),
		Offset:    d.count("offset", 0, 0, maxOffset),
		NoDocs:    !d.flagOr("docs", true),
		Lines:     d.flag("lines"),
		MaxTokens: d.count("max_tokens", 1, 0, maxTokens),
	}
	d.jsonOnly()
	s.answer(w, r, d, func(ctx context.Context, x Index) (trimmer, answer.State, error) {
		a, err := x.Skeleton(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		body := &skeletonBody{Skeletons: a, Index: newIndexBody(a.State), Meta: metaOf("skeleton", &a.Page, d), offset: q.Offset}
		if q.MaxTokens > 0 {
			body.Meta.Tokens = a.Tokens
		}
		return body, a.State, nil
	})
}
