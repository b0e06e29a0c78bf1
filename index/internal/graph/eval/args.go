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
	return e.Item(a.Value, pointsto.ItemName(nth))
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

// Contextual gives the parameters of a function the types that the place where it
// is passed declares.
func (e *Evaluator) Contextual(s, declared pointsto.Set, with func(pointsto.Info) (pointsto.Set, bool)) {
	g := e.Family
	for _, d := range g.Elems(declared) {
		i := g.Values.Info[d]
		args := g.Args(i.Args)
		if i.Kind == pointsto.Generic && g.Names.Text[i.ID] == program.ExtensionForm && len(args) > 1 {
			e.PassReceiver(s, args[:len(args)-1], with)
			continue
		}
		if i.Kind != pointsto.Generic || g.Names.Text[i.ID] != "func" || len(args) < 2 {
			if c := g.ClassOf(d); c != nil && c.Target != 0 {
				e.Inside(d, func() { e.Contextual(s, c.Target, with) })
			} else if c != nil && c.Abstract() {
				e.PassMethod(s, d, c)
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
