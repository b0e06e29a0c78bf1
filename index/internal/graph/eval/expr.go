package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Eval returns the values of an expression, and makes the edges of the calls and
// references in it.
func (e *Evaluator) Eval(x ir.Expr) pointsto.Set {
	if x == 0 || e.Family.Depth > program.MaxNesting {
		return 0
	}
	e.Family.Depth++
	s := e.expr(x)
	e.Family.Depth--
	return s
}

func (e *Evaluator) expr(x ir.Expr) pointsto.Set {
	g, f := e.Family, e.File.IR
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Local:
		s := e.local(ir.Var(n.Ref))
		e.NestedRefs(s, n)
		return s
	case ir.Name:
		if n.Flags&ir.Path != 0 {
			if s, ok := e.Lang.PathHead(e, e.File.Names[n.Name]); ok {
				return s
			}
		}
		s, rule := e.nameValue(n)
		s = e.ofArity(s, 0)
		e.Refs(s, n, rule)
		return s
	case ir.Attr:
		recv := e.Eval(n.A)
		s := e.AttrAt(recv, e.File.Names[n.Name], n.Pos)
		if (e.File.Lang.Separate || e.File.Lang.FieldReads) && n.Flags&ir.Path == 0 {
			s = e.NoMethods(s, e.File.Names[n.Name])
		}
		s = g.StaticBelow(s, recv, e.File.Lang.AnyCount)
		e.Refs(s, n, e.ruleOf(n.A, recv))
		return s
	case ir.Call, ir.New:
		s, _ := e.callOf(n)
		return s
	case ir.Index:
		return e.index(n)
	case ir.Lit:
		if null := e.File.Lang.Null; null != "" && f.String(n.Name) == null {
			return 0
		}
		return e.External(e.File.Names[n.Name])
	case ir.List, ir.Object:
		return e.literal(x, n)
	case ir.Lambda:
		return e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(e.File.Funcs[n.Ref])})
	case ir.ClassX:
		return e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(g.Canonical(e.File, ir.Class(n.Ref)))})
	case ir.Union:
		s := pointsto.Set(0)
		for _, a := range f.Args[n.Lo:n.Hi] {
			s = g.Union(s, e.Eval(a.X))
		}
		return s
	case ir.This:
		return e.Self(e.Func)
	case ir.Super:
		return e.super(n)
	case ir.Elem:
		s := e.Eval(n.A)
		at := e.At
		e.At = n.Pos
		defer func() { e.At = at }()
		return e.Elements(s, n)
	case ir.Await:
		s := e.Eval(n.A)
		at := e.At
		e.At = n.Pos
		defer func() { e.At = at }()
		return e.Await(s)
	case ir.Cast:
		return e.cast(e.Eval(n.A), n.B)
	case ir.Assign:
		s := e.Eval(n.B)
		e.Bind(n.A, s)
		return s
	case ir.Result:
		return e.result(n)
	case ir.Imported:
		return e.imported(e.File, ir.Import(n.Ref), 0)
	case ir.Decorate:
		return e.decorated(n, e.Eval(n.B))
	case ir.Apply:
		return e.applied(x, n)
	case ir.Deref:
		return e.Lang.Deref(e, e.Eval(n.A))
	case ir.Opaque:
		if n.Name != 0 && e.File.Lang.OperatorFuncs {
			return e.operation(n)
		}
	case ir.TypeOf:
		if n.A == 0 {
			return e.ClassesOf(e.Self(e.Func))
		}
		return e.ClassesOf(e.Eval(n.A))
	case ir.Iter:
		values := e.Eval(n.A)
		if n.B != 0 && !e.sequence(e.Eval(n.B)) {
			return e.Eval(f.Args[n.Lo].X)
		}
		return e.Generic("iterator", values)
	}
	return e.opaque(n)
}

// index is x[i].
func (e *Evaluator) index(n *ir.Node) pointsto.Set {
	e.Eval(n.B)
	recv := e.Eval(n.A)
	at := e.At
	e.At = n.Pos
	defer func() { e.At = at }()
	if s, ok := e.Lang.Index(e, recv, n.B); ok {
		return s
	}
	if n.Name != 0 {
		return e.Item(recv, e.File.IR.String(n.Name))
	}
	return e.Item(recv, pointsto.SomeItem)
}

// opaque is an expression that is known by its parts alone, or an operator.
func (e *Evaluator) opaque(n *ir.Node) pointsto.Set {
	var operands [2]pointsto.Set
	for i, a := range e.File.IR.Args[n.Lo:n.Hi] {
		s := e.Eval(a.X)
		if i < len(operands) {
			operands[i] = s
		}
	}
	if n.Op == ir.Opaque && n.Name != 0 {
		return e.operate(operands[0], operands[1], n)
	}
	return 0
}

// Await is what a promise, future or result holds.
func (e *Evaluator) Await(s pointsto.Set) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		if args := g.Args(i.Args); i.Kind == pointsto.Generic && len(args) > 0 {
			out = g.Union(out, args[0])
			continue
		}
		if s, ok := e.Lang.Await(e, v); ok {
			out = g.Union(out, s)
			continue
		}
		out = g.Union(out, g.Values.Single(v))
	}
	return out
}

// cast narrows to a type: to what of the values is of it, and the type itself.
func (e *Evaluator) cast(s pointsto.Set, typ ir.Expr) pointsto.Set {
	e.TypeRefs(typ)
	t := e.Typ(typ)
	if t == 0 {
		return s
	}
	return e.Family.Narrow(s, t, e.File.Lang)
}

// decorated is what decorators make of a value.
func (e *Evaluator) decorated(n *ir.Node, inner pointsto.Set) pointsto.Set {
	g := e.Family
	decorators := e.Eval(n.A)
	out := pointsto.Set(0)
	for _, d := range g.Elems(decorators) {
		switch i := g.Values.Info[d]; i.Kind {
		case pointsto.Func, pointsto.Bound, pointsto.Class, pointsto.Inst, pointsto.Decl:
			out = g.Union(out, g.OrClass(e.apply(d, inner, n), inner))
		default:
			out = g.Union(out, inner)
		}
	}
	if decorators == 0 && !e.later(n.A) {
		out = inner
	}
	return out
}

// later reports whether an expression is a call of something in the index: what it
// gives may only be found out later.
func (e *Evaluator) later(x ir.Expr) bool {
	n := &e.File.IR.Exprs[x]
	if n.Op != ir.Call {
		return false
	}
	e.Mute++
	defer func() { e.Mute-- }()
	for _, v := range e.Family.Elems(e.Eval(n.A)) {
		switch e.Family.Values.Info[v].Kind {
		case pointsto.Func, pointsto.Bound, pointsto.Class:
			return true
		}
	}
	return false
}
