package calls

import (
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
)

// A Neighbour is a symbol around another in the call graph.
type Neighbour struct {
	answer.Place
	Signature  string       `json:"signature,omitempty"`
	Depth      int          `json:"depth"`
	Via        answer.Place `json:"via"`        // the step before it on the way from the target
	CallSites  []int        `json:"call_sites"` // lines of the calls between the two
	Confidence string       `json:"confidence"` // the weakest on the way
	Kind       string       `json:"kind"`
}

// Open gives the calls from a node that are not resolved and not external.
func (w *Walk) Open(id graph.ID, yield func(graph.Site)) {
	w.G.Sites(id, func(s graph.Site) bool {
		if s.Reason != graph.External {
			yield(s)
		}
		return true
	})
}

// Neighbour writes out what a search came to.
func (w *Walk) Neighbour(r Reached) Neighbour {
	return Neighbour{
		Place: w.Place(r.ID), Depth: r.Depth, Via: w.Place(r.Via), CallSites: r.Lines(),
		Kind: r.Kind.String(), Confidence: r.Confidence.String(),
	}
}
