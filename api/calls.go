package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
)

// Bounds of what is asked of the call graph.
const (
	maxSteps     = 10
	defaultEdges = 100
	maxEdges     = 1000
	defaultDepth = 10 // of an impact
)

// callsBody is the response of /calls.
type callsBody struct {
	calls.CallsAnswer
	Across *wire.AcrossCalls `json:"across,omitempty"`
	Index  wire.Index        `json:"index"`
	Meta   searchMeta        `json:"meta"`
	offset int
}

func (b *callsBody) trim(share float64) bool {
	n := b.Given()
	across := b.Across != nil && shortenAcross(&b.Across.Calls, &b.Across.AcrossMeta, share)
	if n <= 1 {
		return across
	}
	n = answer.Fewer(n, share)
	b.Keep(n)
	b.Page.Shorten(b.offset, n, cutSize)
	b.Lacks(b.Cuts)
	b.Meta.Truncated, b.Meta.Cuts = true, b.Cuts
	return true
}

// calls answers with edges of the call graph.
func (s *Server) calls(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	q := calls.CallsQuery{
		Direction: d.oneOf("direction", calls.Callees, calls.Callers, calls.Both),
		Depth:     d.count("depth", 1, 1, maxSteps),
		Limit:     d.count("limit", 1, defaultEdges, maxEdges),
		Offset:    d.count("offset", 0, 0, maxOffset),
		External:  d.flag("external"),
		Steps:     s.several(),
	}
	if d.has("target") || d.has("query") || d.has("func") {
		q.Target = d.target("target", "query", "func")
	}
	d.heavily(q.Target == "")
	d.jsonOnly()
	s.answer(w, r, d, func(ctx context.Context, x Index) (trimmer, answer.State, error) {
		a, err := x.Calls(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		across, err := s.callsAcross(ctx, x, &q, &a)
		if err != nil {
			return nil, a.State, err
		}
		return &callsBody{a, across, newIndexBody(a.State), metaOf("calls", &a.Page, d), q.Offset}, a.State, nil
	})
}
