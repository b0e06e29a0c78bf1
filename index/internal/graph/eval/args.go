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
		return defined, e.variants(defined)
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
	if own := withoutExtensions(g, fitting); len(own) > 0 {
		fitting = own
	}
	if len(fitting) == 1 {
		return fitting, false
	}
	// One that takes a variable number counts only where no other can be meant, and
	// one whose defaults are needed only where none fits without.
	best, score, rest := fitting[:0:0], -1, 1<<10
	for _, m := range fitting {
		n := e.Match(m.ID, args)
		spare := spareParams(g.Func(m.ID), len(args))
		switch {
		case n < 0:
		case spare > rest:
			continue
		case spare < rest:
			best, score, rest = append(best[:0], m), n, spare
			continue
		}
		switch {
		case n > score:
			best, score = append(best[:0], m), n
		case n == score:
			best = append(best, m)
		}
	}
	if score < 0 {
		return fitting, true
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

// withoutExtensions leaves out the methods that are written outside of a class:
// its own come first.
func withoutExtensions(g *program.Family, list []program.Entry) []program.Entry {
	var own []program.Entry
	for _, m := range list {
		if fn := g.Func(m.ID); fn == nil || fn.Flags&ir.Extension == 0 {
			own = append(own, m)
		}
	}
	return own
}

// spareParams is the number of parameters that n arguments leave to their
// defaults; more than any for a function that takes a variable number.
func spareParams(fn *ir.FuncInfo, n int) int {
	for _, p := range fn.Params {
		if p.Kind == ir.Variadic {
			return 1 << 9
		}
	}
	return max(0, len(fn.Params)-n)
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
	g := e.Family
	fn, f := g.Func(id), g.Entities[id].File
	score := 0
	for i, a := range args {
		p := ParamFor(fn, f, i, a.Name, e.File)
		if p < 0 && a.Name != 0 {
			return -1
		}
		if p < 0 || a.Value == 0 {
			continue
		}
		declared := f.VarTypes[fn.Params[p].Var]
		if fn.Params[p].Kind == ir.Variadic {
			declared = e.Elements(declared, nil)
		}
		if declared == 0 {
			continue
		}
		best := -1
		for _, d := range g.Elems(declared) {
			for _, v := range g.Elems(a.Value) {
				best = max(best, e.suits(d, v))
			}
		}
		if best < 0 {
			return -1
		}
		score += best
	}
	return score
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

// ParamFor returns the number of the parameter that takes an argument, or -1.
func ParamFor(fn *ir.FuncInfo, f *program.File, i int, keyword ir.Str, from *program.File) int {
	if keyword != 0 {
		n := from.Names[keyword]
		for p := range fn.Params {
			if f.Names[fn.Params[p].Name] == n {
				return p
			}
		}
		for p := range fn.Params {
			if fn.Params[p].Kind == ir.KwVariadic {
				return p
			}
		}
		return -1
	}
	for p := range fn.Params {
		switch fn.Params[p].Kind {
		case ir.Variadic:
			return p
		case ir.Positional:
			if i == 0 {
				return p
			}
			i--
		}
	}
	return -1
}

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
		p := ParamFor(fn, f, i, a.Name, e.File)
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

// variants reports whether functions of one name are for different builds, of
// which each has one: they lie in different files.
func (e *Evaluator) variants(list []program.Entry) bool {
	for i, m := range list {
		for _, o := range list[:i] {
			if e.Family.Entities[m.ID].File == e.Family.Entities[o.ID].File {
				return false
			}
		}
	}
	return true
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
		lambda := f != nil && g.Entities[i.ID].Name == 0 && e.HasReceiver(f, ir.Func(g.Entities[i.ID].Ref))
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

// HasReceiver reports whether a function literal of a file has a receiver.
func (e *Evaluator) HasReceiver(f *program.File, fn ir.Func) bool {
	return e.Lang.HasReceiver(e.Family, f, fn)
}
