package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
)

// traceBody is the response of /trace.
type traceBody struct {
	calls.TraceAnswer
	Index wire.Index `json:"index"`
	Meta  searchMeta `json:"meta"`
}

func (b *traceBody) trim(share float64) bool {
	before := len(b.Callers) + len(b.Callees) + len(b.Paths)
	b.Keep(share)
	if len(b.Callers)+len(b.Callees)+len(b.Paths) == before {
		return false
	}
	b.Page.Shorten(0, 0, cutSize)
	b.Next = 0
	b.Lacks(b.Cuts)
	b.Meta.Truncated, b.Meta.Cuts = true, b.Cuts
	return true
}

// trace answers with what is around a symbol in the call graph, or between two.
func (s *Server) trace(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	q := calls.TraceQuery{
		Target: d.target("symbol", "target", "query"),
		Depth:  d.count("depth", 1, 1, maxSteps),
		Limit:  d.count("limit", 1, 0, s.limits.Limit),
	}
	if d.has("to") {
		q.To = d.target("to")
	}
	d.jsonOnly()
	s.answer(w, r, d, func(ctx context.Context, x Index) (trimmer, answer.State, error) {
		a, err := x.Trace(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		return &traceBody{a, newIndexBody(a.State), metaOf("trace", &a.Page, d)}, a.State, nil
	})
}
