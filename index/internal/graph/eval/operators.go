package eval

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// operate is an operator that a class defines by a member.
func (e *Evaluator) operate(on, with pointsto.Set, n *ir.Node) pointsto.Set {
	at := e.At
	e.At = n.Pos
	defer func() { e.At = at }()
	out := pointsto.Set(0)
	for _, v := range e.Family.Elems(on) {
		switch e.Family.Values.Info[v].Kind {
		case pointsto.Inst, pointsto.Decl:
			out = e.Family.Union(out, e.OperatorOf(v, e.File.Names[n.Name], with))
		case pointsto.External:
			out = e.Family.Union(out, e.reflected(v, e.File.Names[n.Name], with))
		}
	}
	return out
}

// OperatorOf calls a member that the language calls by itself, with one argument.
func (e *Evaluator) OperatorOf(v pointsto.Value, n intern.Name, with pointsto.Set) pointsto.Set {
	c := e.Family.ClassOf(v)
	if c == nil {
		return 0
	}
	found, at := e.Family.Member(c, n)
	if at < 0 || found[0].Kind != ir.FuncMember {
		return 0
	}
	e.ImplicitOn(v, found[0])
	e.PassSelf(found[0].ID, v)
	e.Pass(found[0].ID, 0, with)
	return e.Returned(found[0].ID, v, nil)
}

// reflected is an operator on something outside the index: the method of the right
// operand, where that is an object of the project, or else a thing of the same kind.
func (e *Evaluator) reflected(v pointsto.Value, n intern.Name, with pointsto.Set) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, w := range g.Elems(with) {
		if k := g.Values.Info[w].Kind; k == pointsto.Inst || k == pointsto.Decl {
			out = g.Union(out, e.OperatorOf(w, g.Names.Intern("__r"+strings.TrimPrefix(g.Names.Text[n], "__")), g.Values.Single(v)))
		}
	}
	if out == 0 {
		return g.Values.Single(v)
	}
	return out
}

// operation is an operator with its operands: where one of them is an object of the
// project, it may be a function of it.
func (e *Evaluator) operation(n *ir.Node) pointsto.Set {
	g, f := e.Family, e.File.IR
	var args []Argument
	object := false
	for _, a := range f.Args[n.Lo:n.Hi] {
		s := e.Eval(a.X)
		if e.address(a.X) {
			s = 0
		}
		args = append(args, Argument{Value: s, X: a.X})
		for _, v := range g.Elems(s) {
			k := g.ClassOf(v)
			object = object || k != nil && k.Info.Kind != ir.Enum && g.Values.Info[v].Kind != pointsto.Class
		}
	}
	if !object || len(args) == 0 {
		return 0
	}
	c := &Call{Node: n, Name: e.File.Names[n.Name], Args: args[1:], Quiet: true}
	at := e.At
	e.At = n.Pos
	defer func() { e.At = at }()
	out := pointsto.Set(0)
	for _, v := range g.Elems(args[0].Value) {
		if k := g.ClassOf(v); k != nil && g.Values.Info[v].Kind != pointsto.Class {
			if list, where := g.Member(k, c.Name); where >= 0 && list[0].Kind == ir.FuncMember {
				out = g.Union(out, e.CallInstance(c, v, k, 0, args[0].Value, edge.ByType))
			}
		}
	}
	if len(c.Callees) == 0 && e.File.Lang.FreeOperators {
		c.Args = args
		if s, found, rule := e.inScope(c.Name, false, false); found { // [over.match.oper] of C++'s standard
			out = e.CallValues(c, s, rule)
		}
	}
	e.conclude(c)
	return out
}

// address reports whether an operand is a pointer, which has no operators of a class.
func (e *Evaluator) address(x ir.Expr) bool {
	if !e.File.Lang.PointerFields {
		return false
	}
	f := e.File.IR
	n := &f.Exprs[x]
	recv := pointsto.Set(0)
	switch n.Op {
	case ir.This:
		return true
	case ir.Local:
		return f.Exprs[f.Vars[n.Ref].Type].Pointer()
	case ir.Name:
		if k := e.ImplicitClass(); k != nil {
			recv = e.Family.Values.Single(e.Family.Self(k, pointsto.Decl))
		}
	case ir.Attr:
		e.Mute++
		recv = e.Eval(n.A)
		e.Mute--
	}
	for _, v := range e.Family.Elems(recv) {
		if k := e.Family.ClassOf(v); k != nil {
			list, at := e.Family.Member(k, e.File.Names[n.Name])
			if at < 0 || list[0].Kind != ir.VarMember || !e.Family.Entities[list[0].ID].File.Pointers[ir.Var(list[0].Ref)] {
				return false
			}
		}
	}
	return recv != 0
}

// Operator calls a member that the language calls by itself, and returns its
// result.
func (e *Evaluator) Operator(v pointsto.Value, names ...string) pointsto.Set {
	c := e.Family.ClassOf(v)
	if c == nil {
		return 0
	}
	out := pointsto.Set(0)
	for _, n := range names {
		found, at := e.Family.Member(c, e.Family.Names.Intern(n))
		if at < 0 || found[0].Kind != ir.FuncMember {
			continue
		}
		run := found[0]
		for _, m := range found { // an indexer reads and writes by one name
			if e.IsGetter(m) {
				run = m
			}
		}
		e.ImplicitOn(v, run)
		e.PassSelf(run.ID, v)
		out = e.Family.Union(out, e.Family.Instantiate(e.Returned(run.ID, v, nil), v, &e.Family.MRO(c)[at]))
	}
	return out
}
