package calls

import (
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Step is a symbol that a search in the call graph began with, or came to: from
// there it may go on in another index, by Links.
type Step struct {
	answer.Place
	Depth      int
	Confidence string // the weakest on the way
}

func (w *Walk) step(id graph.ID, depth int, c graph.Confidence) Step {
	return Step{w.Place(id), depth, c.String()}
}

// begin returns the steps of a target's seeds. Of a file they are all that others can
// call in it, classes, too.
func (w *Walk) begin(seeds []graph.ID, at *store.Target) []Step {
	steps := make([]Step, 0, len(seeds))
	for _, id := range seeds {
		steps = append(steps, w.step(id, 0, graph.Exact))
	}
	if at.Record == nil || at.Symbol >= 0 {
		return steps
	}
	for i := range at.Record.Symbols {
		s := &at.Record.Symbols[i]
		for _, id := range w.G.Named(at.Record.Path, s.Name, int(s.NameLine)) {
			if w.Node(id).Kind == graph.ClassNode {
				steps = append(steps, w.step(id, 0, graph.Exact))
			}
		}
	}
	return steps
}

// nodesAt returns the nodes at places that an answer named; those that are gone since
// are left out.
func (w *Walk) nodesAt(places []answer.Place) (ids []graph.ID) {
	for _, p := range places {
		if p.Symbol == "" {
			if id := w.G.File(p.File); id != 0 {
				ids = append(ids, id)
			}
			continue
		}
		_, name, _ := LastPart(p.Symbol)
		for _, id := range w.G.Named(p.File, name, p.Line) {
			if w.Place(id) == p {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
