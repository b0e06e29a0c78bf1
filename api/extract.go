package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/outline"
)

// extractBody is the response of /extract for a definition.
type extractBody struct {
	*outline.ExtractedSymbol
	Index wire.Index `json:"index"`
	Meta  searchMeta `json:"meta"`
}

func (b *extractBody) trim(share float64) bool {
	if b.Meta.Cuts != nil && slices.Contains(b.Meta.Cuts, cutSize) {
		return false
	}
	b.Shorten(int(share * float64(len(b.Content)) / 2)) // some bytes take two and more in JSON
	b.Meta.Truncated, b.Meta.Cuts = true, append(slices.Clip(b.Meta.Cuts), cutSize)
	return true
}

// outlineBody is the response of /extract for a file.
type outlineBody struct {
	*outline.ExtractedFile
	Index wire.Index `json:"index"`
	Meta  searchMeta `json:"meta"`
}

func (b *outlineBody) trim(share float64) bool {
	if !b.Shorten(share) {
		return false
	}
	b.Meta.cut(cutSize)
	return true
}

// extract answers with one definition, or with the outline of a file.
func (s *Server) extract(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	var q outline.ExtractQuery
	if d.has("file") && !d.has("symbol") {
		q.Target = d.target("file")
	} else {
		q.Target = d.target("symbol", "target", "query")
		if file := d.text("file", maxPath); file != "" {
			q.Target = file + ":" + q.Target
		}
	}
	q.MaxTokens = d.count("max_tokens", 1, 0, maxTokens)
	d.jsonOnly()
	s.answerReader(w, r, d, func(ctx context.Context, x Index, _ *answer.Sent) (trimmer, answer.State, error) {
		a, err := x.Extract(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		meta := searchMeta{V: 1, Cmd: "extract", Matches: 1, Clamped: d.clamped, Changed: a.Changed, Unchecked: a.Unchecked, Overlay: d.overlaid("")}
		if a.File != nil {
			meta.Matches = len(a.File.Symbols)
			return &outlineBody{a.File, newIndexBody(a.State), meta}, a.State, nil
		}
		meta.Overlay = d.overlaid("extract")
		if a.Symbol.Truncated {
			meta.Truncated, meta.Cuts = true, []answer.Cut{answer.CutTokens}
		}
		if q.MaxTokens > 0 {
			meta.Tokens = a.Symbol.Tokens
		}
		return &extractBody{a.Symbol, newIndexBody(a.State), meta}, a.State, nil
	})
}
