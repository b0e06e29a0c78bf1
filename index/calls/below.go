package calls

import (
	"iter"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
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

// Supertypes returns the types that a type inherits from or implements. A struct of Go that has
// another one embedded is none of it.
func (w *Walk) Supertypes(id graph.ID) (up []graph.ID) {
	w.G.Out(id, func(e graph.Edge) bool {
		if w.isBase(e) {
			up = append(up, e.To)
		}
		return true
	})
	slices.Sort(up)
	return slices.Compact(up)
}

// Subtypes is the other way.
func (w *Walk) Subtypes(id graph.ID) (down []graph.ID) {
	w.G.In(id, func(e graph.Edge) bool {
		if w.isBase(e) {
			down = append(down, e.From)
		}
		return true
	})
	slices.Sort(down)
	return slices.Compact(down)
}

func (w *Walk) isBase(e graph.Edge) bool {
	return e.Kind == graph.Implements || e.Kind == graph.Inherits && (w.Node(e.From).Language != "go" || w.Node(e.To).ClassKind == ir.Interface)
}
