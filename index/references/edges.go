package references

import (
	"cmp"
	"context"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Direction is that of a calls.CallsQuery which asks for whatever names the target, not for its
// calls alone.
const Direction = "references"

// ByMention is the rule of an edge that a place of the text makes which names a symbol. That of one which names a
// method of an interface outside of the index, which the symbol's type implements, is the rule "hierarchy".
const ByMention = "mention"

// Edges answers a calls.CallsQuery of that direction, of one step, with the references to the
// target. It returns the errors of References.
func Edges(ctx context.Context, x *store.View, q calls.CallsQuery) (calls.CallsAnswer, error) {
	found, err := References(ctx, x, Query{Target: q.Target, Limit: q.Limit, Offset: q.Offset, Scope: q.Scope})
	a := calls.CallsAnswer{
		Target: q.Target, Direction: Direction, Definition: found.Definition, Edges: []calls.CallEdge{}, Ambiguous: []calls.CallEdge{}, Unresolved: []calls.CallSite{},
		Counts:       calls.CallCounts{Edges: found.Counts.References, Ambiguous: found.Counts.Ambiguous},
		Completeness: found.Completeness, Others: found.Others, Page: found.Page, State: found.State,
	}
	if err != nil {
		return a, err
	}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	for i := range found.References {
		a.Edges = append(a.Edges, edgeOf(x.Table, &found.References[i], found.Definition))
	}
	for i := range found.Ambiguous {
		a.Ambiguous = append(a.Ambiguous, edgeOf(x.Table, &found.Ambiguous[i], found.Definition))
	}
	return a, nil
}

func edgeOf(t *store.Table, r *Reference, to *answer.Definition) calls.CallEdge {
	from := answer.Place{File: r.File, Line: 1, Changed: r.Changed}
	if record := t.Files[r.File]; record != nil {
		in := store.Enclosing{Record: record}
		if i := in.At(r.Line, r.Column); i >= 0 {
			from = record.Place(i)
			from.Changed = r.Changed
		}
	}
	rule := ByMention
	if r.way {
		rule = graph.ByHierarchy.String()
	}
	kinds := map[string]string{"call": "calls", "import": "imports", "inherit": "inherits"}
	return calls.CallEdge{
		From: from, To: calls.CallTarget{Symbol: to.Symbol, File: &to.File, Line: &to.Line}, Line: r.Line, Column: r.Column,
		Kind: cmp.Or(kinds[r.Kind], "references"), Confidence: r.Confidence, Rule: rule, Depth: 1, Test: r.Test,
	}
}
