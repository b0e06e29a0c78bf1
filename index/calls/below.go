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

// Above reports whether a type is one of those that another one, or one of its supertypes, inherits from or implements.
func (w *Walk) Above(up, id graph.ID) bool {
	list := w.Supertypes(id)
	for i := 0; i < len(list); i++ {
		if list[i] == up {
			return true
		}
		for _, further := range w.Supertypes(list[i]) {
			if !slices.Contains(list, further) {
				list = append(list, further)
			}
		}
	}
	return false
}

// Within reports whether the methods of a type are some of those of another one, and not all.
func (w *Walk) Within(few, many graph.ID) bool { return w.Has(many, few) && !w.Has(few, many) }

// Has reports whether a type has methods of all names that another one has, with those of types that they embed.
func (w *Walk) Has(many, few graph.ID) bool {
	names := func(class graph.ID) map[string]bool {
		names, all := map[string]bool{}, []graph.ID{class}
		for i := 0; i < len(all); i++ {
			for _, m := range w.G.Members(all[i]) {
				names[PlainName(w.Node(m))] = true
			}
			w.G.Out(all[i], func(e graph.Edge) bool {
				if e.Kind == graph.Inherits && !slices.Contains(all, e.To) {
					all = append(all, e.To)
				}
				return true
			})
		}
		return names
	}
	all := names(many)
	for name := range names(few) {
		if !all[name] {
			return false
		}
	}
	return true
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
