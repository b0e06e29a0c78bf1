// Package typeparam infers what type parameters stand for from what is passed.
package typeparam

import (
	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frame"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// An Inference finds what type parameters stand for in a call.
type Inference struct {
	*frame.Frame
	Results Results
}

// Results is what an Inference asks the evaluation.
type Results interface {
	// Returned is what a function returns, as seen on a receiver.
	Returned(id edge.ID, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set
	// Elements is what a loop over values gives.
	Elements(s pointsto.Set, n *ir.Node) pointsto.Set
	// Extended is the type that an extension is declared to extend.
	Extended(id edge.ID) pointsto.Set
}

// Bindings are the type parameters of a function as a call shows them.
func (in Inference) Bindings(c *call.Call, id edge.ID, recv pointsto.Value) map[pointsto.Info]pointsto.Set {
	g := in.Family
	fn := g.Func(id)
	if fn == nil || len(fn.TypeParams()) == 0 {
		return nil
	}
	f := g.Entities[id].File
	found := map[pointsto.Info]pointsto.Set{}
	for i := range c.Explicit {
		found[pointsto.Info{Kind: pointsto.Param, ID: uint32(id), Base: pointsto.Value(i)}] = c.Explicit[i]
	}
	for i, a := range c.Args {
		p := program.ParamFor(fn, f, i, a.Name, in.File)
		if p < 0 {
			continue
		}
		declared := f.VarTypes[fn.Params[p].Var]
		if fn.Params[p].Kind == ir.Variadic {
			declared = in.Results.Elements(declared, nil)
		}
		in.unify(declared, a.Value, found, 0)
	}
	if fn.Flags&ir.Extension != 0 && recv != 0 {
		in.unify(in.Results.Extended(id), g.Values.Single(recv), found, 0)
	}
	return found
}

// Arguments are the type arguments that the arguments of a constructor show.
func (in Inference) Arguments(c *call.Call, k *program.Class) []pointsto.Set {
	g := in.Family
	found := map[pointsto.Info]pointsto.Set{}
	for _, m := range g.ConstructorsIn(k) {
		f := g.Entities[m.ID].File
		for i, p := range g.Func(m.ID).Params {
			if i < len(c.Args) {
				in.unify(f.VarTypes[p.Var], c.Args[i].Value, found, 0)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	args := make([]pointsto.Set, len(k.Info.TypeParams))
	for i := range args {
		args[i] = found[pointsto.Info{Kind: pointsto.Param, ID: uint32(k.ID), Base: pointsto.Value(i)}]
	}
	return args
}

// unify finds what type parameters stand for, from a declared type and a value of it.
func (in Inference) unify(declared, given pointsto.Set, found map[pointsto.Info]pointsto.Set, depth int) {
	g := in.Family
	if depth > pointsto.MaxDepth {
		return
	}
	for _, d := range g.Elems(declared) {
		di := g.Values.Info[d]
		if di.Kind == pointsto.Param {
			found[di] = g.Union(found[di], given)
			continue
		}
		args := g.Args(di.Args)
		if len(args) == 0 {
			continue
		}
		for _, v := range g.Elems(given) {
			vi := g.Values.Info[v]
			if g.IsFunctionType(di) {
				if vi.Kind == pointsto.Func || vi.Kind == pointsto.Bound {
					in.unify(args[len(args)-1], in.Results.Returned(edge.ID(vi.ID), vi.Base, nil), found, depth+1)
				} else if vi.Kind == pointsto.Generic {
					in.unify(args[len(args)-1], g.Values.Arg(v, -1), found, depth+1)
				}
				continue
			}
			if vi.Kind == pointsto.Object {
				in.unify(args[len(args)-1], in.GetItem(edge.ID(vi.ID), pointsto.SomeItem), found, depth+1)
				continue
			}
			have := g.Args(vi.Args)
			if up, k := g.ClassOf(d), g.ClassOf(v); up != nil && k != nil && up != k {
				// As the base sees it.
				for _, s := range g.MRO(k) {
					if s.Class == up {
						as := g.SubstValue(s.As, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(v, k, p) })
						have = g.Args(g.Values.Info[as].Args)
					}
				}
			}
			for i := range args {
				switch {
				case i < len(have) && len(have) == len(args):
					in.unify(args[i], have[i], found, depth+1)
				case len(have) > 0:
					in.unify(args[i], have[len(have)-1], found, depth+1)
				}
			}
		}
	}
}
