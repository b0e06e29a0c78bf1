package call

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frame"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Choice leaves of several functions those that a call can mean.
type Choice struct {
	*frame.Frame
	Types Types
}

// Types is what a Choice asks about types.
type Types interface {
	// Elements is what a loop over values gives.
	Elements(s pointsto.Set, n *ir.Node) pointsto.Set
	// Suits is what the language says of how well a value suits a declared type: a number as
	// Match has it. up is the class of the declared one.
	Suits(declared, given pointsto.Info, up *program.Class) (n int, ok bool)
}

// among leaves of several functions of one name those that a call can mean: by
// the number of arguments, then by their types. told says that the language tells them apart
// by their parameters, and possible that more than one is left where only one can run.
func (ch Choice) among(list []program.Entry, args []Argument, told bool) (chosen []program.Entry, possible bool) {
	g := ch.Family
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
	if ch.File.Lang.Variants {
		return defined, g.Variants(defined)
	}
	for _, m := range defined {
		f := g.Entities[m.ID].File
		told = told || f != nil && f.Lang.Overloads
	}
	if !told {
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
		n, certain := ch.match(m.ID, args)
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

// Of is among for a call. Where more of them fit than a set may have, nobody can
// tell which is meant, and the call says so.
func (ch Choice) Of(c *Call, list []program.Entry, told bool) (chosen []program.Entry, possible bool) {
	chosen, possible = ch.among(list, c.Args, told)
	if len(chosen) > pointsto.MaxValues {
		c.Many = true
		return nil, false
	}
	return chosen, possible
}

// Match says how well arguments fit declared parameters: -1 when one cannot be
// what is declared, else a number that grows with each that surely is.
func (ch Choice) Match(id edge.ID, args []Argument) int {
	n, _ := ch.match(id, args)
	return n
}

// match is Match. sure says that each argument surely is what is declared.
func (ch Choice) match(id edge.ID, args []Argument) (score int, sure bool) {
	g := ch.Family
	fn, f := g.Func(id), g.Entities[id].File
	sure = true
	for i, a := range args {
		p := program.ParamFor(fn, f, i, a.Name, ch.File)
		if p < 0 && a.Name != 0 {
			return -1, false
		}
		declared, value := pointsto.Set(0), a.Value
		if a.Kind == ir.Spread {
			value = ch.Types.Elements(value, nil)
		}
		if p >= 0 && value != 0 {
			if declared = f.VarTypes[fn.Params[p].Var]; fn.Params[p].Kind == ir.Variadic {
				declared = ch.Types.Elements(declared, nil)
			}
		}
		if declared == 0 {
			sure = false
			continue
		}
		best := -1
		for _, d := range g.Elems(declared) {
			for _, v := range g.Elems(value) {
				best = max(best, ch.Fits(d, v))
			}
		}
		if best < 0 {
			return -1, false
		}
		score, sure = score+best, sure && best > 0
	}
	return score, sure
}

// Fits says how well a value suits a declared type: -1 not at all, 3 exactly.
func (ch Choice) Fits(d, v pointsto.Value) int {
	g := ch.Family
	if d == v {
		return 3
	}
	di, vi := g.Values.Info[d], g.Values.Info[v]
	up, k := g.ClassOf(d), g.ClassOf(v)
	if n, ok := ch.Types.Suits(di, vi, up); ok {
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
