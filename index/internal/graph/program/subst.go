package program

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
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

// Instantiate puts the receiver's type arguments into what a member of its class gives.
func (g *Family) Instantiate(s pointsto.Set, recv pointsto.Value, at *Ancestor) pointsto.Set {
	if at == nil || !g.HasParam(s, pointsto.MaxDepth+1) {
		return s
	}
	c := g.ClassOf(recv)
	return g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) {
		if edge.ID(p.ID) == at.Class.ID {
			arg := g.Values.Arg(at.As, int(p.Base))
			if c == nil {
				return arg, arg != 0
			}
			arg = g.Subst(arg, func(q pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(recv, c, q) })
			return arg, arg != 0
		}
		return 0, false
	})
}

// ThroughMRO replaces the parameters of base classes in what a method returned.
func (g *Family) ThroughMRO(s pointsto.Set, recv pointsto.Value, k *Class) pointsto.Set {
	if !g.HasParam(s, pointsto.MaxDepth+1) {
		return s
	}
	for i := range g.MRO(k) {
		s = g.Instantiate(s, recv, &g.MRO(k)[i])
	}
	return s
}

// Settled reports whether types without parameters say all of what is of them.
func (g *Family) Settled(t pointsto.Set, l *Lang) bool {
	return t != 0 && !g.HasParam(t, pointsto.MaxDepth+1) && !g.Open(t, l)
}

// SettledResult is a result of a type parameter's type, where the call shows what
// the parameter stands for and that says all of it: what other instances of the
// function return does not count then. It is 0 for all others.
func (g *Family) SettledResult(id edge.ID, nth uint32, recv pointsto.Value, found map[pointsto.Info]pointsto.Set, l *Lang) pointsto.Set {
	f := g.Entities[id].File
	results := f.Results.Of(ir.Func(g.Entities[id].Ref))
	if !f.Lang.Exact || int(nth) >= len(results) {
		return 0
	}
	declared := results[nth]
	if !g.HasParam(declared, pointsto.MaxDepth+1) {
		return 0
	}
	t := g.Subst(declared, func(p pointsto.Info) (pointsto.Set, bool) { r := found[p]; return r, r != 0 })
	if k := g.ClassOf(recv); k != nil {
		t = g.ThroughMRO(t, recv, k)
	}
	if !g.Settled(t, l) {
		return 0
	}
	return t
}
