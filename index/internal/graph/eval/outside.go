package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Outside is what a call of something outside the index gives: it may call the
// functions it gets, with what the receiver holds, and return any of that.
func (e *Evaluator) Outside(c *Call, recv pointsto.Value) pointsto.Set {
	g := e.Family
	if s, ok := e.Lang.Outside(e, c, recv); ok {
		return s
	}
	held := pointsto.Set(0)
	if recv != 0 {
		i := g.Values.Info[recv]
		switch i.Kind {
		case pointsto.Generic:
			for _, a := range g.Args(i.Args) {
				held = g.Union(held, a)
			}
		case pointsto.Object:
			held = e.GetItem(edge.ID(i.ID), pointsto.SomeItem)
		case pointsto.Inst, pointsto.Decl:
			held = g.Values.Single(recv)
		}
	}
	returns := pointsto.Set(0)
	for _, a := range c.Args {
		for _, v := range g.Elems(a.Value) {
			i := g.Values.Info[v]
			if i.Kind == pointsto.Generic && g.Names.Text[i.ID] == program.ConstructorRef {
				returns = g.Union(returns, e.Instances(g.Values.Arg(v, 0), nil))
				continue
			}
			if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
				continue
			}
			if fn := g.Func(edge.ID(i.ID)); fn != nil {
				for p := range fn.Params {
					e.Pass(edge.ID(i.ID), p, held)
				}
				returns = g.Union(returns, e.Returned(edge.ID(i.ID), i.Base, nil))
			}
		}
	}
	out := pointsto.Set(0)
	if c.External != 0 {
		out = e.External(c.External)
	}
	if recv != 0 && held != 0 {
		if k := g.Values.Info[recv].Kind; k == pointsto.Generic || k == pointsto.Object {
			for _, a := range c.Args { // what is put into it can be taken out again
				for _, v := range g.Elems(a.Value) {
					if j := g.Values.Info[v]; j.Kind == pointsto.Inst || j.Kind == pointsto.Decl {
						held = g.Union(held, g.Values.Single(v))
					}
				}
			}
			out = g.Union(out, g.Union(held, e.Generic("list", g.Union(held, returns))))
			if k == pointsto.Object {
				out = g.Union(out, g.Values.Single(recv))
			}
		}
	} else if returns != 0 {
		out = g.Union(out, g.Union(returns, e.Generic("list", returns)))
	}
	return out
}

// CallUniversal calls a member that is not declared. ok is false when the class has
// none of the name.
func (e *Evaluator) CallUniversal(c *Call, k *program.Class, v pointsto.Value) (pointsto.Set, bool) {
	path, typed, ok := e.Lang.Universal(e, k, v, c.Name)
	if !ok {
		return 0, false
	}
	c.External = e.Family.Names.Intern(path)
	return e.Family.Union(typed, e.Outside(c, 0)), true
}

// applied is a generic function or class with its arguments, as a value.
func (e *Evaluator) applied(x ir.Expr, n *ir.Node) pointsto.Set {
	if n.A == 0 {
		e.TypeRefs(x)
		return e.Typ(x)
	}
	for _, a := range e.File.IR.Args[n.Lo:n.Hi] {
		e.TypeRefs(a.X)
	}
	if e.File.Lang.ByArity {
		if s := e.ofArity(e.TypeName(n.A), int(n.Hi-n.Lo)); s != 0 {
			return s
		}
	}
	return e.Eval(n.A)
}

// apply calls a value with one argument: a decorator.
func (e *Evaluator) apply(fn pointsto.Value, arg pointsto.Set, n *ir.Node) pointsto.Set {
	c := &Call{Node: n, Args: []Argument{{Value: arg}}}
	s := e.Invoke(c, fn, edge.ByFlow)
	e.conclude(c)
	return s
}

// possibleExtensions adds the extensions that a call of a member may mean where its receiver is
// from the library: nobody knows the type of its properties and results, nor what its classes
// are below. Of texts and numbers it is known.
func (e *Evaluator) possibleExtensions(c *Call, recv pointsto.Info) {
	g := e.Family
	if !e.File.Lang.Extends || recv.Kind != pointsto.External || len(c.Callees) > 0 || program.IsWord(program.LiteralWord(g.Names.Text[recv.ID])) {
		return
	}
	id, ok := g.Names.Lookup(program.AnyType)
	if !ok || g.Foreign[id] == nil {
		return
	}
	var list []program.Entry
	for _, m := range e.Lang.InSight(e, g.Find(g.Foreign[id], c.Name)) {
		if fn := g.Func(m.ID); fn != nil && call.Takes(fn, c.Args) && e.Lang.Applies(e, m, c.Args) {
			list = append(list, m)
		}
	}
	chosen, _ := e.Overload(c, list)
	for _, m := range chosen {
		c.Add(m.ID, edge.ByType, true)
	}
}
