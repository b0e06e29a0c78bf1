package eval

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/defuse"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// The analysis does not tell the callers of a function apart, but for what the function
// gives back of what it is passed. A decorator that returns its class, a wrapper that
// returns what the wrapped function does: were their results kept as values, each caller
// would get what all callers pass. So a result is kept as what is passed (pointsto.Passed),
// what calling that gives (pointsto.PassedResult), or a function literal together with what
// the function around it was passed, and each call puts its own arguments in. These are
// parametric summaries, after Sharir and Pnueli, "Two approaches to interprocedural data
// flow analysis", 1981, of languages whose variables have no types.

// chains are those of the file.
func (e *Evaluator) chains() *defuse.Chains {
	if e.chainsOf != e.File {
		e.chainsOf, e.defUse = e.File, defuse.Of(e.File.IR, e.defUse)
	}
	return e.defUse
}

// passedOpen reports whether a parameter has what is passed, and nothing else. But where
// types are checked, one of a declared type has what that lets through.
func (e *Evaluator) passedOpen(v ir.Var) bool {
	return (e.File.Lang.Decorates || e.File.VarTypes[v] == 0) && !e.File.Closed(e.Family, v)
}

// where are functions that are returned if a parameter is absent: what a decorator gives
// that has its options in parentheses; or values that are returned if it is not.
func (e *Evaluator) where(param ir.Expr, s pointsto.Set) pointsto.Set {
	kind := pointsto.WhereAbsent
	if param != 0 && e.File.IR.Exprs[param].Flags&ir.Given != 0 {
		kind = pointsto.WhereGiven
	}
	if param == 0 || s == 0 || !e.File.Lang.Dynamic || kind == pointsto.WhereAbsent && !e.HasFunc(s) {
		return s
	}
	n := ir.Var(e.File.IR.Exprs[param].Ref)
	v := e.chains().Var(n)
	if v.Func != e.Func || v.Param == 0 || !v.Passed() || !e.passedOpen(n) {
		return s
	}
	i := pointsto.Info{Kind: kind, ID: uint32(e.File.Funcs[v.Func]), Base: pointsto.Value(v.Param)}
	return e.Family.Values.Single(e.Family.Values.TypedWithin(i, []pointsto.Set{s}, pointsto.MaxWritten))
}

// passes reports which parameters may be in what an expression gives.
func (e *Evaluator) passes(x ir.Expr) uint64 { return e.chains().Passes(x, e.passedOpen) }

// givenBack is what an expression that is returned gives, with what is passed in the
// place of its values; s is the expression's value.
func (e *Evaluator) givenBack(x ir.Expr, s pointsto.Set) pointsto.Set {
	if !e.File.Lang.Dynamic || e.UnitNumber == 0 || !e.File.Lang.Decorates && len(e.File.Results.Of(e.Func)) > 0 {
		return s
	}
	e.chains().Begin()
	if e.passes(x) == 0 {
		return s
	}
	several, last, unused, effect, at, readAt := e.several, e.last, e.unused, e.forEffect, e.At, e.readAt
	e.Mute++
	e.dry++
	e.unused, e.forEffect, e.summarizing = false, false, true
	if t, ok := e.symbolic(x); ok {
		s = t
	}
	e.dry--
	e.Mute--
	e.summarizing = false
	e.several, e.last, e.unused, e.forEffect, e.At, e.readAt = several, last, unused, effect, at, readAt
	return s
}

// symbolic is the value of an expression with what is passed in the place of its values.
// ok is false where that is no other than its value.
func (e *Evaluator) symbolic(x ir.Expr) (s pointsto.Set, ok bool) {
	if e.tooDeep() {
		return 0, false
	}
	defer e.up()
	if e.passes(x) == 0 {
		return 0, false
	}
	g, f := e.Family, e.File.IR
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Local:
		v := e.chains().Var(ir.Var(n.Ref))
		if v.Func == 0 {
			return e.symbolic(v.From)
		}
		s = e.Single(pointsto.Info{Kind: pointsto.Passed, ID: uint32(e.File.Funcs[v.Func]), Base: pointsto.Value(v.Param)})
		if v.Param > 0 {
			if d := f.Funcs[v.Func].Params[v.Param-1].Default; d != 0 {
				s = g.Union(s, e.Eval(d))
			}
		}
		return s, true
	case ir.Lambda:
		return e.closure(ir.Func(n.Ref))
	case ir.Assign:
		return e.symbolic(n.B)
	case ir.Cast:
		return e.symbolic(n.A)
	case ir.Decorate:
		if inner, ok := e.symbolic(n.B); ok {
			return e.decorated(n, inner), true
		}
	case ir.Union:
		for _, a := range f.Args[n.Lo:n.Hi] {
			t, some := e.symbolic(a.X)
			if !some {
				t = e.Eval(a.X)
			}
			s, ok = g.Union(s, t), ok || some
		}
		return s, ok
	case ir.Call:
		was := e.symbols
		e.symbols = true
		s, outside := e.callOf(n)
		e.symbols = was
		// What something outside the index makes of an argument depends on its values.
		if outside && !g.Values.HasPassed(s) {
			return 0, false
		}
		return s, true
	}
	return 0, false
}

// operand is the value of an operand of a call.
func (e *Evaluator) operand(x ir.Expr) pointsto.Set {
	if e.symbols {
		if s, ok := e.symbolic(x); ok {
			return s
		}
		e.symbols = false
		defer func() { e.symbols = true }()
	}
	return e.Eval(x)
}

// closure is a function literal with what the function around it is passed.
func (e *Evaluator) closure(fn ir.Func) (pointsto.Set, bool) {
	info := &e.File.IR.Funcs[fn]
	outer := info.Outer
	if outer == 0 {
		return 0, false
	}
	id := uint32(e.File.Funcs[outer])
	bits := e.chains().Captures(fn, e.passedOpen)
	env := make([]pointsto.Set, min(len(e.File.IR.Funcs[outer].Params)+1, 63))
	for p := range env {
		if bits&(1<<p) != 0 {
			env[p] = e.Single(pointsto.Info{Kind: pointsto.Passed, ID: id, Base: pointsto.Value(p)})
		}
	}
	return e.Family.Values.Single(e.Family.Values.Typed(pointsto.Info{Kind: pointsto.Func, ID: uint32(e.File.Funcs[fn])}, env)), true
}

// A passing is a call of a function, as far as its summary needs it.
type passing struct {
	callee edge.ID
	call   *Call         // nil: any call
	self   pointsto.Set  // the receiver; 0: any
	env    pointsto.List // what the function around the callee was passed; 0: anything
}

// bind puts what a call passes into what a function gives back. Where that is not known,
// it may be what any call gets.
func (e *Evaluator) bind(s pointsto.Set, p passing) pointsto.Set {
	g := e.Family
	if f := g.Entities[p.callee].File; f == nil || !f.Lang.Dynamic || !g.Values.HasPassed(s) {
		return s
	}
	parts, known := []pointsto.Set(nil), true
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		to, ok := g.Values.Single(v), true
		switch {
		case i.Kind == pointsto.Passed:
			to, ok = e.passedAs(i, p)
		case i.Kind == pointsto.PassedResult:
			if to, ok = e.passedAs(i, p); ok {
				to = e.resultOf(to)
			}
		case i.Kind == pointsto.WhereAbsent, i.Kind == pointsto.WhereGiven:
			to, ok = e.bindWhere(i, p)
		case i.Args != 0:
			to, ok = e.bindArgs(i, p)
		}
		parts, known = append(parts, to), known && ok
	}
	if !known {
		parts = append(parts, e.Cell(pointsto.CellKey{Kind: pointsto.AnyResultCell, ID: p.callee}))
	}
	return g.Values.UnionOf(parts)
}

// bindWhere is bind of what is given where a call passes nothing, or something.
func (e *Evaluator) bindWhere(i pointsto.Info, p passing) (s pointsto.Set, known bool) {
	g := e.Family
	if i.Args == 0 {
		return 0, false
	}
	passed, known := e.passedAs(i, p)
	s = e.bind(g.Args(i.Args)[0], p)
	if !known {
		return s, true
	}
	if i.Kind == pointsto.WhereGiven && e.leavesOut(i, p) {
		return 0, true
	}
	for _, v := range g.Elems(passed) {
		switch j := g.Values.Info[v]; {
		case j.Kind == pointsto.Passed && passed == g.Values.Single(v):
			j.Kind, j.Args = i.Kind, 0
			return g.Values.Single(g.Values.TypedWithin(j, []pointsto.Set{s}, pointsto.MaxWritten)), true
		case i.Kind == pointsto.WhereGiven:
			return s, true
		case j.Kind == pointsto.Func, j.Kind == pointsto.Bound, j.Kind == pointsto.Class:
		default:
			return s, true // it may be None
		}
	}
	if passed != 0 {
		return 0, true
	}
	return s, true
}

// leavesOut reports whether a call has no argument for a parameter, which is None then.
func (e *Evaluator) leavesOut(i pointsto.Info, p passing) bool {
	id, n := edge.ID(i.ID), int(i.Base)-1
	if id != p.callee || p.call == nil || n < 0 {
		return false
	}
	fn, f := e.Family.Func(id), e.Family.Entities[id].File
	if d := fn.Params[n].Default; d != 0 && f.IR.Exprs[d].Op != ir.Opaque {
		return false
	}
	for at, a := range p.call.Args {
		if program.ParamFor(fn, f, at, a.Name, e.File) == n {
			return false
		}
	}
	return true
}

// bindArgs is bind of the arguments of a value. A function literal can do without what
// the function around it was passed.
func (e *Evaluator) bindArgs(i pointsto.Info, p passing) (s pointsto.Set, known bool) {
	g := e.Family
	args, changed := slices.Clone(g.Args(i.Args)), false
	known = true
	for n, a := range args {
		out := pointsto.Set(0)
		for _, v := range g.Elems(a) {
			to, ok := g.Values.Single(v), true
			if j := g.Values.Info[v]; j.Kind == pointsto.Passed {
				to, ok = e.passedAs(j, p)
				changed = true
			}
			out, known = g.Union(out, to), known && ok
		}
		args[n] = out
	}
	if !changed {
		return e.Single(i), true
	}
	i.Args = 0
	if !known && i.Kind == pointsto.Func {
		return e.Single(i), true
	}
	return g.Values.Single(g.Values.Typed(i, args)), known
}

// passedAs is what a call passes as a parameter. known is false where that is not told.
func (e *Evaluator) passedAs(i pointsto.Info, p passing) (s pointsto.Set, known bool) {
	i.Kind, i.Args = pointsto.Passed, 0
	id, n := edge.ID(i.ID), int(i.Base)
	switch {
	case id == p.callee && n == 0:
		return p.self, p.self != 0
	case id == p.callee && p.call != nil && !p.call.Unknown:
		return e.argument(p.call, id, n-1)
	case p.env != 0 && id == e.around(p.callee) && n < len(e.Family.Args(p.env)):
		return e.Family.Args(p.env)[n], true
	case e.summarizing && e.File.Funcs[e.Func] == id:
		return e.Single(i), true // of the function that is summarized
	}
	return 0, false
}

// argument is what a call passes as a parameter. ok is false where that cannot be told.
func (e *Evaluator) argument(c *Call, id edge.ID, n int) (s pointsto.Set, ok bool) {
	fn := e.Family.Func(id)
	f := e.Family.Entities[id].File
	for i, a := range c.Args {
		if a.Kind != ir.Plain {
			return 0, false
		}
		if program.ParamFor(fn, f, i, a.Name, e.File) == n {
			s = e.Family.Union(s, a.Value)
		}
	}
	return s, true
}

// resultOf is what calls of values give, whatever they pass.
func (e *Evaluator) resultOf(s pointsto.Set) pointsto.Set {
	if e.tooDeep() {
		return 0
	}
	defer e.up()
	last, unused, symbols := e.last, e.unused, e.symbols
	e.Mute++
	e.dry++
	e.unused, e.symbols = false, false
	out := e.CallValues(&Call{Node: &ir.Node{}, Unknown: true, Reason: edge.FunctionValue}, s, edge.ByFlow)
	e.dry--
	e.Mute--
	e.last, e.unused, e.symbols = last, unused, symbols
	return out
}

// around is the function that a function is written in, or 0.
func (e *Evaluator) around(id edge.ID) edge.ID {
	at := &e.Family.Entities[id]
	if at.File == nil || e.Family.Func(id) == nil {
		return 0
	}
	return at.File.Funcs[at.File.IR.Funcs[at.Ref].Outer]
}
