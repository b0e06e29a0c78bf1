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

// traitOf is the trait that an impl block implements with a member; 0 for members of
// a type's own, and of traits.
func traitOf(g *program.Family, m program.Entry) pointsto.Set {
	part := g.Classes[g.Entities[m.ID].Outer]
	if part == nil || part.Info.Kind != ir.Extends || len(part.Own) == 0 {
		return 0
	}
	return part.Own[0].Values
}

// implementsTrait reports whether a member implements one of a trait.
func implementsTrait(g *program.Family, m program.Entry, trait pointsto.Value) bool {
	want := g.Values.Info[trait]
	for _, v := range g.Elems(traitOf(g, m)) {
		i := g.Values.Info[v]
		if k := g.ClassOf(v); k != nil && k == g.ClassOf(trait) || i.ID == want.ID && k == nil && want.Kind != pointsto.Class {
			return true
		}
	}
	return false
}

// ownFirst leaves of the members of one name those of the type itself, if there are
// any: they come before those of traits.
func ownFirst(g *program.Family, list []program.Entry) []program.Entry {
	if len(list) < 2 {
		return list
	}
	var own []program.Entry
	for _, m := range list {
		if part := g.Classes[g.Entities[m.ID].Outer]; m.Kind == ir.FuncMember && (part == nil || part.Info.Kind != ir.Extends || len(part.Info.Bases) == 0) {
			own = append(own, m)
		}
	}
	if len(own) > 0 {
		return own
	}
	return list
}

// makesSelf reports whether a function without a receiver, by the path of a trait, gives what
// implements it: Default::default does, and what is declared so.
func makesSelf(g *program.Family, traits pointsto.Set, n intern.Name) bool {
	for _, v := range g.Elems(traits) {
		switch k := g.ClassOf(v); {
		case k == nil:
			if g.Values.Info[v].Kind != pointsto.External || program.LastName(g.Names.Text[g.Values.Info[v].ID]) != "Default" {
				return false
			}
		case k.Info.Kind != ir.Trait:
			return false
		default:
			list := g.Declared(k, n)
			if len(list) != 1 || list[0].Kind != ir.FuncMember || g.Func(list[0].ID).Self != 0 {
				return false
			}
			f := g.Entities[list[0].ID].File
			if f == nil {
				return false
			}
			g.Load(f)
			if results := g.Func(list[0].ID).Results; len(results) != 1 || f.IR.Exprs[results[0]].Op != ir.ClassX || f.IR.Exprs[results[0]].Flags&ir.Implicit == 0 {
				return false
			}
		}
	}
	return traits != 0
}
