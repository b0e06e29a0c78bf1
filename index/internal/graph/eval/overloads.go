package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// choose leaves of several functions of one name those that a call can mean: by
// the number of arguments, then by their types. possible says that more than one
// is left where only one can run.
func (e *Evaluator) choose(list []program.Entry, args []Argument) (chosen []program.Entry, possible bool) {
	g := e.Family
	list, overloads := e.Lang.Narrow(g, list)
	var defined []program.Entry
	for _, m := range list {
		if fn := g.Func(m.ID); m.Kind == ir.FuncMember && fn != nil && fn.Flags&ir.Prototype == 0 {
			defined = append(defined, m)
		}
	}
	if len(defined) == 0 {
		defined = list
	}
	if len(defined) == 1 {
		return defined, false
	}
	if e.File.Lang.Variants {
		return defined, g.Variants(defined)
	}
	for _, m := range defined {
		f := g.Entities[m.ID].File
		overloads = overloads || f != nil && f.Lang.Overloads
	}
	if !overloads {
		return defined, false
	}
	fitting := defined[:0:0]
	for _, m := range defined {
		if fn := g.Func(m.ID); fn != nil && Takes(fn, args) {
			fitting = append(fitting, m)
		}
	}
	if len(fitting) == 0 {
		fitting = defined
	}
	if own := program.WithoutExtensions(g, fitting); len(own) > 0 {
		fitting = own
	}
	if len(fitting) == 1 {
		return fitting, false
	}
	// One that takes a variable number counts only where no other is sure to fit, and
	// one whose defaults are needed only where none fits without.
	best, score, rest, sure := fitting[:0:0], -1, 1<<10, false
	var variable []program.Entry
	for _, m := range fitting {
		n, certain := e.match(m.ID, args)
		spare := program.SpareParams(g.Func(m.ID), len(args))
		if n >= 0 && spare == program.VariableSpare {
			variable = append(variable, m)
		}
		switch {
		case n < 0:
		case spare > rest:
			continue
		case spare < rest:
			best, score, rest, sure = append(best[:0:0], m), n, spare, certain
			continue
		}
		switch {
		case n > score:
			best, score, sure = append(best[:0:0], m), n, certain
		case n == score:
			best, sure = append(best, m), sure || certain
		}
	}
	if score < 0 {
		return fitting, true
	}
	if rest < program.VariableSpare && !sure {
		best = g.AddOthers(best, variable, len(args))
	}
	return best, len(best) > 1
}

// Overload is choose for a call. Where more of them fit than a set may have, nobody can
// tell which is meant, and the call says so.
func (e *Evaluator) Overload(c *Call, list []program.Entry) (chosen []program.Entry, possible bool) {
	chosen, possible = e.choose(list, c.Args)
	if len(chosen) > pointsto.MaxValues {
		c.Many = true
		return nil, false
	}
	return chosen, possible
}

// Takes reports whether a function can be called with so many arguments.
func Takes(fn *ir.FuncInfo, args []Argument) bool {
	least, most := 0, 0
	for _, p := range fn.Params {
		switch p.Kind {
		case ir.Positional, ir.KwOnly:
			most++
			if p.Default == 0 {
				least++
			}
		case ir.Variadic, ir.KwVariadic:
			most = 1 << 20
		}
	}
	for _, a := range args {
		if a.Kind == ir.Spread || a.Kind == ir.KwSpread {
			return true
		}
	}
	return len(args) >= least && len(args) <= most
}

// Match says how well arguments fit declared parameters: -1 when one cannot be
// what is declared, else a number that grows with each that surely is.
func (e *Evaluator) Match(id edge.ID, args []Argument) int {
	n, _ := e.match(id, args)
	return n
}

// match is Match. sure says that each argument surely is what is declared.
func (e *Evaluator) match(id edge.ID, args []Argument) (score int, sure bool) {
	g := e.Family
	fn, f := g.Func(id), g.Entities[id].File
	sure = true
	for i, a := range args {
		p := program.ParamFor(fn, f, i, a.Name, e.File)
		if p < 0 && a.Name != 0 {
			return -1, false
		}
		declared := pointsto.Set(0)
		if p >= 0 && a.Value != 0 {
			if declared = f.VarTypes[fn.Params[p].Var]; fn.Params[p].Kind == ir.Variadic {
				declared = e.Elements(declared, nil)
			}
		}
		if declared == 0 {
			sure = false
			continue
		}
		best := -1
		for _, d := range g.Elems(declared) {
			for _, v := range g.Elems(a.Value) {
				best = max(best, e.suits(d, v))
			}
		}
		if best < 0 {
			return -1, false
		}
		score, sure = score+best, sure && best > 0
	}
	return score, sure
}

// suits says how well a value suits a declared type: -1 not at all, 3 exactly.
func (e *Evaluator) suits(d, v pointsto.Value) int {
	g := e.Family
	if d == v {
		return 3
	}
	di, vi := g.Values.Info[d], g.Values.Info[v]
	up, k := g.ClassOf(d), g.ClassOf(v)
	if n, ok := e.Lang.Suits(e, di, vi, up); ok {
		return n
	}
	switch {
	case up != nil && k != nil:
		if up == k {
			return 3
		}
		if g.IsAbove(up, k) {
			return 2
		}
		return -1
	case di.Kind == pointsto.Param || vi.Kind == pointsto.Param || vi.Kind == pointsto.Many:
		return 0
	case up != nil && (vi.Kind == pointsto.Func || vi.Kind == pointsto.Bound):
		if up.Abstract() {
			return 1
		}
		return -1
	case up != nil && (vi.Kind == pointsto.External || vi.Kind == pointsto.Generic):
		return -1
	case k != nil && (di.Kind == pointsto.External || di.Kind == pointsto.Generic):
		switch g.Names.Text[di.ID] {
		case "Object", "object", "Any", "any", "mixed", "T":
			return 0
		}
		if k.Foreign {
			return 0
		}
		return -1
	case di.Kind == pointsto.External && vi.Kind == pointsto.External:
		return program.SameWord(g.Names.Text[di.ID], g.Names.Text[vi.ID])
	case di.Kind == pointsto.Generic && vi.Kind == pointsto.Generic:
		if di.ID == vi.ID {
			return 2
		}
		return 0
	case di.Kind == pointsto.Generic && g.Names.Text[di.ID] == program.ExtensionForm && (vi.Kind == pointsto.Func || vi.Kind == pointsto.Bound):
		return 2
	case di.Kind == pointsto.Generic && g.Names.Text[di.ID] == "func":
		if vi.Kind == pointsto.Func || vi.Kind == pointsto.Bound {
			fn := g.Func(edge.ID(vi.ID))
			if fn != nil && len(fn.Params) != len(g.Args(di.Args))-1 {
				return 0
			}
			return 2
		}
		if vi.Kind == pointsto.External {
			return -1
		}
	}
	return 0
}

// orBelow adds what may run in the place of a method.
func (e *Evaluator) orBelow(c *Call, via program.Dispatch) {
	impls := e.Family.Overrides(via)
	if len(impls) > program.FewOverrides {
		c.via = append(c.via, via)
		return
	}
	for _, o := range impls {
		c.Callees = append(c.Callees, Callee{o.ID, edge.ByHierarchy, true})
	}
}

// boundBelow is orBelow of a method that was taken as a value from what may be an instance
// of a class below.
func (e *Evaluator) boundBelow(c *Call, id edge.ID, fn *ir.FuncInfo, recv pointsto.Value) {
	k := e.Family.ClassOf(recv)
	if k == nil || e.Family.Values.Info[recv].Kind != pointsto.Decl || fn.Class == 0 || fn.Flags&(ir.Private|ir.Static|ir.Abstract) != 0 {
		return
	}
	if !k.File.Lang.VirtualOnly || e.Family.IsVirtual(k, e.Family.Entities[id].Name) {
		e.orBelow(c, program.Dispatch{Class: k.ID, Method: id, AnyCount: e.File.Lang.AnyCount})
	}
}
