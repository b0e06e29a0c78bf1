package index

import "github.com/quarry-search/quarry/index/internal/graph"

// A Step is a symbol that a search in the call graph began with, or came to: from
// there it may go on in another index, by Links.
type Step struct {
	Place
	Depth      int
	Confidence string // the weakest on the way
}

func (w *walk) step(id graph.ID, depth int, c graph.Confidence) Step {
	return Step{w.place(id), depth, c.String()}
}

// begin returns the steps of a target's seeds. Of a file they are all that others can
// call in it, classes, too.
func (w *walk) begin(seeds []graph.ID, at *target) []Step {
	steps := make([]Step, 0, len(seeds))
	for _, id := range seeds {
		steps = append(steps, w.step(id, 0, graph.Exact))
	}
	if at.record == nil || at.symbol >= 0 {
		return steps
	}
	for i := range at.record.symbols {
		s := &at.record.symbols[i]
		for _, id := range w.g.Named(at.record.path, s.name, int(s.nameLine)) {
			if w.node(id).Kind == graph.ClassNode {
				steps = append(steps, w.step(id, 0, graph.Exact))
			}
		}
	}
	return steps
}

// nodesAt returns the nodes at places that an answer named; those that are gone since
// are left out.
func (w *walk) nodesAt(places []Place) (ids []graph.ID) {
	for _, p := range places {
		if p.Symbol == "" {
			if id := w.g.File(p.File); id != 0 {
				ids = append(ids, id)
			}
			continue
		}
		_, name, _ := lastPart(p.Symbol)
		for _, id := range w.g.Named(p.File, name, p.Line) {
			if w.place(id) == p {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
