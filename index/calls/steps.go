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

// Step is the step to a node.
func (w *Walk) Step(id graph.ID, depth int, c graph.Confidence) Step {
	return Step{w.Place(id), depth, c.String()}
}

// Begin returns the steps of a target's seeds. Of a file they are all that others can
// call in it, classes, too.
func (w *Walk) Begin(seeds []graph.ID, at *store.Target) []Step {
	steps := make([]Step, 0, len(seeds))
	for _, id := range seeds {
		steps = append(steps, w.Step(id, 0, graph.Exact))
	}
	if at.Record == nil || at.Symbol >= 0 {
		return steps
	}
	for i := range at.Record.Symbols {
		s := &at.Record.Symbols[i]
		for _, id := range w.G.Named(at.Record.Path, s.Name, int(s.NameLine)) {
			if w.Node(id).Kind == graph.ClassNode {
				steps = append(steps, w.Step(id, 0, graph.Exact))
			}
		}
	}
	return steps
}
