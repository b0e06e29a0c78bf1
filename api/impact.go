package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
)

// impactBody is the response of /impact.
type impactBody struct {
	calls.ImpactAnswer
	Across *wire.AcrossImpact `json:"across,omitempty"`
	Index  wire.Index         `json:"index"`
	Meta   searchMeta         `json:"meta"`
	offset int
}

func (b *impactBody) trim(share float64) bool {
	across := b.Across != nil && shortenAcross(&b.Across.Callers, &b.Across.AcrossMeta, share)
	if shorten(&b.Callers, &b.Page, b.offset, &b.Meta, share) {
		b.Ambiguous = b.Ambiguous[:int(share*float64(len(b.Ambiguous)))]
		b.Lacks(b.Cuts)
		return true
	}
	return across
}

// impact answers with what a change may affect.
func (s *Server) impact(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	q := calls.ImpactQuery{
		Diff:    d.text("diff", int(s.limits.Body)),
		Depth:   d.count("depth", 1, defaultDepth, maxSteps),
		Path:    d.text("path", maxPath),
		NoTests: !d.flagOr("include_tests", true),
		Limit:   d.count("limit", 1, defaultEdges, maxEdges),
		Offset:  d.count("offset", 0, 0, maxOffset),
		Steps:   s.several(),
	}
	named := d.has("target") || d.has("query") || d.has("func")
	switch {
	case named && d.has("diff"):
		d.failf("target and diff cannot both be given")
	case !d.has("diff"):
		q.Target = d.target("target", "query", "func")
	}
	d.heavily(d.has("diff"))
	d.farther = true
	d.jsonOnly()
	s.answer(w, r, d, func(ctx context.Context, x Index) (trimmer, answer.State, error) {
		if err := resolve(x, &q.Path); err != nil {
			return nil, answer.State{}, err
		}
		a, err := x.Impact(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		across, err := s.impactAcross(ctx, x, &q, &a)
		if err != nil {
			return nil, a.State, err
		}
		return &impactBody{a, across, newIndexBody(a.State), metaOf("impact", &a.Page, d), q.Offset}, a.State, nil
	})
}
