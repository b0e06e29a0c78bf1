package program

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
)

// A Substitution gives type parameters their arguments; nil keeps them.
type Substitution func(pointsto.Info) (pointsto.Set, bool)

// Subst replaces type parameters in a set.
func (g *Family) Subst(s pointsto.Set, with func(p pointsto.Info) (pointsto.Set, bool)) pointsto.Set {
	if s == 0 || !g.HasParam(s, pointsto.MaxDepth+1) {
		return s
	}
	return (&replacing{g: g, with: with}).set(s)
}

// SubstValue replaces the type parameters among a value's type arguments.
func (g *Family) SubstValue(v pointsto.Value, with func(p pointsto.Info) (pointsto.Set, bool)) pointsto.Value {
	if g.Values.Info[v].Args == 0 {
		return v
	}
	return (&replacing{g: g, with: with}).value(v)
}

// A replacing is one call of subst. Types of types share their arguments:
// without the memory of what was replaced, a set of sixty types three deep is
// sixty times sixty times sixty of them.
type replacing struct {
	g    *Family
	with Substitution
	sets map[pointsto.Set]pointsto.Set // made when an argument is met
}

func (r *replacing) set(s pointsto.Set) pointsto.Set {
	g := r.g
	parts := make([]pointsto.Set, 0, 8)
	for _, v := range g.Elems(s) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Param {
			if to, ok := r.with(i); ok {
				parts = append(parts, to)
				continue
			}
		}
		parts = append(parts, g.Values.Single(r.value(v)))
	}
	return g.Values.UnionOf(parts)
}

func (r *replacing) value(v pointsto.Value) pointsto.Value {
	g := r.g
	i := g.Values.Info[v]
	if i.Args == 0 {
		return v
	}
	var args []pointsto.Set
	for n, s := range g.Args(i.Args) {
		if to := r.arg(s); to != s {
			if args == nil {
				args = slices.Clone(g.Args(i.Args))
			}
			args[n] = to
		}
	}
	if args == nil {
		return v
	}
	i.Args = 0
	return g.Values.Typed(i, args)
}

// arg is set, remembered.
func (r *replacing) arg(s pointsto.Set) pointsto.Set {
	if s == 0 || !r.g.HasParam(s, pointsto.MaxDepth+1) {
		return s
	}
	if to, ok := r.sets[s]; ok {
		return to
	}
	to := r.set(s)
	if r.sets == nil {
		r.sets = map[pointsto.Set]pointsto.Set{}
	}
	r.sets[s] = to
	return to
}

// HasParam reports whether there is a type parameter in a set or, fewer than limit
// deep, in the arguments of its values; limit is at most MaxDepth+1.
func (g *Family) HasParam(s pointsto.Set, limit int) bool {
	if s == 0 || limit <= 0 {
		return false
	}
	known := g.Values.Mark(s)
	shift := 2 * (limit - 1)
	switch *known >> shift & 3 {
	case 1:
		return false
	case 2:
		return true
	}
	has := g.findParam(s, limit)
	bits := uint8(1)
	if has {
		bits = 2
	}
	*g.Values.Mark(s) |= bits << shift // known may have moved
	return has
}

func (g *Family) findParam(s pointsto.Set, limit int) bool {
	for _, v := range g.Elems(s) {
		i := &g.Values.Info[v]
		if i.Kind == pointsto.Param {
			return true
		}
		for _, a := range g.Args(i.Args) {
			if g.HasParam(a, limit-1) {
				return true
			}
		}
	}
	return false
}

// OrClass takes what is not known of what a decorator makes of a class for that class.
func (g *Family) OrClass(made, class pointsto.Set) pointsto.Set {
	for _, v := range g.Elems(class) {
		if g.Values.Info[v].Kind != pointsto.Class {
			return made
		}
	}
	out := pointsto.Set(0)
	for _, v := range g.Elems(made) {
		switch g.Values.Info[v].Kind {
		case pointsto.External, pointsto.Many, pointsto.ManyFuncs:
			out = g.Union(out, class)
		default:
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}
