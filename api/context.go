package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
)

// Defaults of /context.
const (
	defaultContextDepth  = 2
	defaultContextTokens = 4000
)

// contextBody is the response of /context.
type contextBody struct {
	brief.ContextAnswer
	Index wire.Index `json:"index"`
	Meta  searchMeta `json:"meta"`

	Receipt receipt `json:"receipt"`
}

// trim does nothing: the budget bounds the response.
func (b *contextBody) trim(float64) bool { return false }

// context answers with what one must know to work on something.
func (s *Server) context(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	// Everything is there twice, as text and by itself, and escaped.
	most := max(1, s.limits.Response/16)
	q := brief.ContextQuery{
		Target:    d.target("target", "query", "entry", "symbol"),
		Depth:     d.count("depth", 1, defaultContextDepth, maxSteps),
		MaxTokens: d.count("max_tokens", 1, min(defaultContextTokens, most), most),
	}
	d.jsonOnly()
	s.answerReader(w, r, d, func(ctx context.Context, x Index, sent *answer.Sent) (trimmer, answer.State, error) {
		q.Sent = sent
		a, err := x.Context(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		meta := metaOf("context", &a.Page, d)
		meta.Tokens = a.Tokens
		return &contextBody{ContextAnswer: a, Index: newIndexBody(a.State), Meta: meta}, a.State, nil
	})
}
