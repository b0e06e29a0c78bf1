package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// PassArgs lets arguments flow into parameters.
func (e *Evaluator) PassArgs(c *Call, id edge.ID, recv pointsto.Value, at *program.Ancestor) {
	g := e.Family
	fn := g.Func(id)
	if fn == nil || e.UnitNumber == 0 {
		return
	}
	f := g.Entities[id].File
	var found map[pointsto.Info]pointsto.Set
	for i, a := range c.Args {
		switch a.Kind {
		case ir.Spread, ir.KwSpread:
			items := e.Elements(a.Value, nil)
			for p := range fn.Params {
				if p >= i {
					e.Pass(id, p, e.spread(a, fn, f, p, p-i, items))
				}
			}
			continue
		case ir.Block:
			e.Write(pointsto.CellKey{Kind: pointsto.BlockCell, ID: id, Sub: 0}, a.Value)
			if p := len(fn.Params) - 1; p >= 0 && fn.Params[p].Kind == ir.Positional {
				e.give1(c, id, fn, f, p, a.Value, &found, recv)
			}
			continue
		}
		p := program.ParamFor(fn, f, i, a.Name, e.File)
		if p < 0 {
			continue
		}
		s := a.Value
		switch fn.Params[p].Kind {
		case ir.Variadic:
			s = e.Generic("list", s)
		case ir.KwVariadic:
			s = e.Generic("map", 0, s)
		}
		e.give1(c, id, fn, f, p, s, &found, recv)
		e.Lang.ExpectArgument(e, c, id, recv, a.X, p)
	}
}

// spread is what a spread argument gives a parameter.
func (e *Evaluator) spread(a Argument, fn *ir.FuncInfo, f *program.File, p, nth int, items pointsto.Set) pointsto.Set {
	switch {
	case fn.Params[p].Kind == ir.Variadic:
		return e.Generic("list", items)
	case fn.Params[p].Kind == ir.KwVariadic:
		return e.Generic("map", 0, items)
	case a.Kind == ir.KwSpread:
		return e.Item(a.Value, f.IR.String(fn.Params[p].Name))
	}
	return e.Item(a.Value, ItemName(nth))
}

func (e *Evaluator) give1(c *Call, id edge.ID, fn *ir.FuncInfo, f *program.File, p int, s pointsto.Set, found *map[pointsto.Info]pointsto.Set, recv pointsto.Value) {
	declared := f.VarTypes[fn.Params[p].Var]
	if declared != 0 && e.HasFunc(s) {
		if *found == nil {
			*found = e.Bindings(c, id, recv)
		}
		k := e.Family.ClassOf(recv)
		e.Contextual(s, declared, func(p pointsto.Info) (pointsto.Set, bool) {
			if r := (*found)[p]; r != 0 {
				return r, true
			}
			if k != nil {
				return e.Family.ArgOf(recv, k, p)
			}
			return 0, false
		})
	}
	e.Pass(id, p, s)
}

// HasFunc reports whether a function is among some values.
func (e *Evaluator) HasFunc(s pointsto.Set) bool {
	for _, v := range e.Family.Elems(s) {
		if k := e.Family.Values.Info[v].Kind; k == pointsto.Func || k == pointsto.Bound {
			return true
		}
	}
	return false
}

// Contextual gives the parameters of a function the types that the place where it
// is passed declares.
func (e *Evaluator) Contextual(s, declared pointsto.Set, with func(pointsto.Info) (pointsto.Set, bool)) {
	g := e.Family
	for _, d := range g.Elems(declared) {
		i := g.Values.Info[d]
		args := g.Args(i.Args)
		if i.Kind == pointsto.Generic && g.Names.Text[i.ID] == program.ExtensionForm && len(args) > 1 {
			e.contextualReceiver(s, args[:len(args)-1], with)
			continue
		}
		if i.Kind != pointsto.Generic || g.Names.Text[i.ID] != "func" || len(args) < 2 {
			if c := g.ClassOf(d); c != nil && c.Target != 0 {
				e.inside(d, func() { e.Contextual(s, c.Target, with) })
			} else if c != nil && c.Abstract() {
				e.contextualMethod(s, d, c)
			} else if i.Kind == pointsto.Generic {
				e.Lang.ContextOf(e, s, i, with)
			}
			continue
		}
		for _, v := range g.Elems(s) {
			vi := g.Values.Info[v]
			if vi.Kind != pointsto.Func && vi.Kind != pointsto.Bound {
				continue
			}
			for p := range args[:len(args)-1] {
				t := args[p]
				if with != nil {
					t = g.Subst(t, with)
				}
				e.Pass(edge.ID(vi.ID), p, t)
			}
		}
	}
}

// contextualMethod is contextual for an interface with one method.
func (e *Evaluator) contextualMethod(s pointsto.Set, d pointsto.Value, c *program.Class) {
	g := e.Family
	var only *ir.FuncInfo
	var f *program.File
	for _, m := range c.Bag.Entries {
		if fn := g.Func(m.ID); m.Kind == ir.FuncMember && fn != nil && fn.Flags&ir.Abstract != 0 {
			if only != nil {
				return
			}
			only, f = fn, g.Entities[m.ID].File
		}
	}
	if only == nil {
		return
	}
	for _, v := range g.Elems(s) {
		vi := g.Values.Info[v]
		if vi.Kind != pointsto.Func && vi.Kind != pointsto.Bound {
			continue
		}
		for p := range only.Params {
			t := g.Subst(f.VarTypes[only.Params[p].Var], func(q pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(d, c, q) })
			e.Pass(edge.ID(vi.ID), p, t)
		}
	}
}

// Pass lets a value flow into a parameter.
func (e *Evaluator) Pass(id edge.ID, p int, s pointsto.Set) {
	fn := e.Family.Func(id)
	if fn == nil || s == 0 || p < 0 || p >= len(fn.Params) { // a deleter takes nothing
		return
	}
	f := e.Family.Entities[id].File
	if f.Closed(e.Family, fn.Params[p].Var) {
		return
	}
	e.become(f.VarTypes[fn.Params[p].Var], s)
	e.Write(pointsto.CellKey{Kind: pointsto.ParamCell, ID: id, Sub: uint32(p)}, e.admit(f.VarTypes[fn.Params[p].Var], s))
}

// PassSelf lets a receiver flow into a method.
func (e *Evaluator) PassSelf(id edge.ID, recv pointsto.Value) {
	if recv == 0 {
		return
	}
	f := e.Family.Entities[id].File
	if f == nil || !f.Lang.Dynamic && e.Family.Values.Info[recv].Kind != pointsto.Object {
		return
	}
	e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: id, Sub: 0}, e.Family.Values.Single(recv))
}

// contextualReceiver gives lambdas the receiver and the parameters that a function
// type with a receiver has.
func (e *Evaluator) contextualReceiver(s pointsto.Set, types []pointsto.Set, with func(pointsto.Info) (pointsto.Set, bool)) {
	g := e.Family
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
			continue
		}
		f := g.Entities[i.ID].File
		lambda := f != nil && g.Entities[i.ID].Name == 0 && e.Lang.HasReceiver(g, f, ir.Func(g.Entities[i.ID].Ref))
		for p, t := range types {
			if with != nil {
				t = g.Subst(t, with)
			}
			switch {
			case !lambda:
				e.Pass(edge.ID(i.ID), p, t)
			case p == 0:
				e.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: edge.ID(i.ID), Sub: 0}, t)
			default:
				e.Pass(edge.ID(i.ID), p-1, t)
			}
		}
	}
}
