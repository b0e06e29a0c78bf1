package resolve

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Extensions are the methods that the files implement for a type from outside the index,
// and after them those of traits that they implement for any type.
func (l *language) Extensions(e *eval.Evaluator, i pointsto.Info, n intern.Name) []program.Entry {
	if list := e.Family.Find(e.Family.Foreign[intern.Name(i.ID)], n); len(list) > 0 {
		return list
	}
	return l.ofAll(e.Family, n)
}

// ofAll are the methods of a name of the traits that the files implement for any type,
// impl<T> A for T, of which no bound in the index says more.
func (l *language) ofAll(g *program.Family, n intern.Name) (all []program.Entry) {
	if !l.sought {
		l.sought = true
		for _, p := range g.Paths() {
			f := g.Files[p]
			for _, id := range f.Classes {
				if k := g.Classes[id]; k != nil && k.File == f && k.Info.Kind == ir.Extends && g.PartOf[id] == 0 && forAny(g, k) {
					l.blankets = append(l.blankets, k)
				}
			}
		}
	}
	for _, k := range l.blankets {
		if list, at := g.Member(k, n); at >= 0 && list[0].Kind == ir.FuncMember && !g.Demanded(g.MRO(k)[at].Class, list) {
			all = append(all, list...)
		}
	}
	return all
}

// forAny reports whether an impl block is one of a trait for a type parameter with no bound
// in the index.
func forAny(g *program.Family, k *program.Class) bool {
	if len(k.Own) == 0 {
		return false
	}
	return slices.ContainsFunc(g.Elems(k.Target), func(v pointsto.Value) bool {
		i := g.Values.Info[v]
		return i.Kind == pointsto.Param && !slices.ContainsFunc(g.Elems(g.Bounds[pointsto.Info{Kind: pointsto.Param, ID: i.ID, Base: i.Base}]), func(b pointsto.Value) bool {
			return g.ClassOf(b) != nil
		})
	})
}
