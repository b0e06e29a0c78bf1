package call

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frame"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// Edges makes the edges of the call. It reports whether it leads somewhere, or need not: if not,
// Lost must follow.
func (c *Call) Edges(fr *frame.Frame) bool {
	// Values come in no order: of two ways to one function the less sure one counts.
	// The receiver of a method is one of its class or below, whatever is known to come.
	slices.SortStableFunc(c.Callees, func(a, b Callee) int {
		switch {
		case a.Possible == b.Possible:
			return int(a.Rule) - int(b.Rule)
		case a.Possible:
			return -1
		}
		return 1
	})
	for _, v := range c.via {
		c.Callees = slices.DeleteFunc(c.Callees, func(h Callee) bool { return program.ContainsEntry(fr.Family.Overrides(v), h.To) })
		fr.Edge(edge.Edge{From: fr.Owner(), To: v.Method, Kind: edge.Calls, Confidence: edge.Possible, Rule: edge.ByHierarchy, Pos: c.Node.Pos, Via: fr.Family.DispatchNumber(v)})
	}
	certain := 0
	for i, h := range c.Callees {
		if !h.Possible && !leadsTo(c.Callees[:i], h.To) {
			certain++
		}
	}
	for i, h := range c.Callees {
		if leadsTo(c.Callees[:i], h.To) {
			continue
		}
		confidence := edge.Exact
		switch {
		case h.Possible:
			confidence = edge.Possible
		case certain > 1 || h.Rule == edge.ByHierarchy:
			confidence = edge.Scoped
		}
		fr.Edge(edge.Edge{From: fr.Owner(), To: h.To, Kind: edge.Calls, Confidence: confidence, Rule: h.Rule, Pos: c.Node.Pos})
		for _, to := range fr.Family.Promised(h.To) { // by a type parameter it is the trait's that is called
			fr.Edge(edge.Edge{From: fr.Owner(), To: to, Kind: edge.References, Rule: edge.ByHierarchy, Pos: c.Node.Pos})
		}
	}
	if fr.Family.TooManySteps() {
		c.Many = true // what was followed may not be all
	}
	return len(c.Callees)+len(c.via) > 0 && !c.Many || c.Quiet || c.Known
}

// Lost says that the call leads nowhere, and why.
func (c *Call) Lost(fr *frame.Frame) {
	s := program.Site{From: fr.Owner(), Pos: c.Node.Pos, Reason: c.Reason, Name: c.Name}
	switch {
	case c.External != 0 && !c.Open:
		s.Reason, s.Name = edge.External, c.External
	case c.Many:
		s.Reason = edge.TooMany
	case c.Name == 0:
		s.Reason = edge.NoName
	}
	fr.Site(s)
}

// leadsTo reports whether a definition is among what was found to be called.
func leadsTo(callees []Callee, to edge.ID) bool {
	return slices.ContainsFunc(callees, func(c Callee) bool { return c.To == to })
}
