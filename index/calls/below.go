package calls

import (
	"iter"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
)

// Below yields some classes and those that inherit from them, or implement them, too, the nearest
// first: at most most.
func (w *Walk) Below(classes []graph.ID, most int, implements bool) iter.Seq[graph.ID] {
	return func(yield func(graph.ID) bool) {
		list := slices.Clone(classes)
		known := map[graph.ID]bool{}
		for _, id := range list {
			known[id] = true
		}
		for i := 0; i < min(len(list), most) && yield(list[i]); i++ {
			w.G.In(list[i], func(e graph.Edge) bool {
				if (e.Kind == graph.Inherits || implements && e.Kind == graph.Implements) && !known[e.From] {
					known[e.From] = true
					list = append(list, e.From)
				}
				return len(list) < most
			})
		}
	}
}
