package resolve

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Where a type is expected, a function that is written there takes the types of its
// parameters from it. That is decided by the text, not by values, so it costs no
// cells: TypeScript calls it contextual typing.

// maxContext bounds the objects within objects that are typed so.
const maxContext = 4

// ExpectInit is for an initial value.
func (*language) ExpectInit(e *eval.Evaluator, x ir.Expr, declared pointsto.Set) {
	expect(e, x, declared, nil)
}

func expectAt(e *eval.Evaluator, x ir.Expr, declared pointsto.Set, with program.Substitution, depth int) {
	if x == 0 || declared == 0 || depth > maxContext {
		return
	}
	f := e.File.IR
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Lambda:
		e.Contextual(e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(e.File.Funcs[n.Ref])}), declared, with)
		expectCallable(e, n, declared, with)
	case ir.Assign:
		expectAt(e, n.B, declared, with, depth)
	case ir.Union:
		for _, a := range f.Args[n.Lo:n.Hi] {
			expectAt(e, a.X, declared, with, depth+1)
		}
	case ir.Object:
		for _, a := range f.Args[n.Lo:n.Hi] {
			if a.Name == 0 {
				continue
			}
			if op := f.Exprs[a.X].Op; op == ir.Name || op == ir.Local || holdsFunction(e, a.X, 0) {
				expectMember(e, a.X, e.File.Names[a.Name], declared, with, depth)
			}
		}
	case ir.List:
		for i, a := range f.Args[n.Lo:n.Hi] {
			if holdsFunction(e, a.X, 0) {
				expectAt(e, a.X, e.Item(declared, pointsto.ItemName(i)), with, depth+1)
			}
		}
	}
}

// holdsFunction reports whether an expression is or contains a function literal in
// the places where expect looks.
func holdsFunction(e *eval.Evaluator, x ir.Expr, depth int) bool {
	n := &e.File.IR.Exprs[x]
	switch {
	case depth > maxContext:
		return false
	case n.Op == ir.Lambda:
		return true
	case n.Op == ir.Assign:
		return holdsFunction(e, n.B, depth+1)
	case n.Op == ir.Object, n.Op == ir.List, n.Op == ir.Union:
		for _, a := range e.File.IR.Args[n.Lo:n.Hi] {
			if holdsFunction(e, a.X, depth+1) {
				return true
			}
		}
	}
	return false
}

// expectCallable is contextual for an interface that is called itself.
func expectCallable(e *eval.Evaluator, n *ir.Node, declared pointsto.Set, with program.Substitution) {
	g := e.Family
	for _, d := range g.Elems(declared) {
		if c := g.ClassOf(d); c != nil && g.Values.Info[d].Kind == pointsto.Decl && c.Info.Kind == ir.Interface {
			for _, m := range g.Declared(c, g.Names.Intern("()")) {
				passTypes(e, e.File.Funcs[n.Ref], m.ID, d, c, with)
			}
		}
	}
}

// expectMember types the function that lies under a name of an object.
func expectMember(e *eval.Evaluator, x ir.Expr, n intern.Name, declared pointsto.Set, with program.Substitution, depth int) {
	g := e.Family
	for _, d := range g.Elems(declared) {
		switch i := g.Values.Info[d]; i.Kind {
		case pointsto.Generic:
			if g.Names.Text[i.ID] == "map" {
				expectAt(e, x, g.Values.Arg(d, -1), with, depth+1)
			}
			continue
		case pointsto.Decl, pointsto.Inst:
		default:
			continue
		}
		c := g.ClassOf(d)
		if c == nil {
			continue
		}
		list, at := g.Member(c, n)
		if at < 0 {
			continue
		}
		s := g.MRO(c)[at]
		for _, m := range list {
			f := g.Entities[m.ID].File
			if f == nil {
				continue
			}
			if m.Kind == ir.VarMember {
				expectAt(e, x, e.Family.Instantiate(f.VarTypes[m.Ref], d, &s), with, depth+1)
			} else if node := &e.File.IR.Exprs[x]; m.Kind == ir.FuncMember && node.Op == ir.Lambda {
				passTypes(e, e.File.Funcs[node.Ref], m.ID, d, s.Class, with)
			}
		}
		implement(e, s.Class, n, x)
	}
}

// implement notes that a function in an object is what a member of an interface is
// there. Which object a call through the interface meets is seldom known.
func implement(e *eval.Evaluator, c *program.Class, n intern.Name, x ir.Expr) {
	if c.Info.Kind != ir.Interface {
		return
	}
	node := &e.File.IR.Exprs[x]
	if node.Op == ir.Lambda {
		e.Write(pointsto.CellKey{Kind: pointsto.ObjectCell, ID: c.ID, Sub: uint32(n)}, e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(e.File.Funcs[node.Ref])}))
		return
	}
	if node.Op != ir.Name && node.Op != ir.Local {
		return
	}
	e.Mute++
	s := e.Eval(x)
	e.Mute--
	for _, v := range e.Family.Elems(s) {
		i := e.Family.Values.Info[v]
		if i.Kind != pointsto.Func {
			continue
		}
		if fn := e.Family.Func(edge.ID(i.ID)); fn != nil && !program.IsSignature(fn) {
			e.Write(pointsto.CellKey{Kind: pointsto.ObjectCell, ID: c.ID, Sub: uint32(n)}, e.Family.Values.Single(v))
		}
	}
}

// CallHeld calls what objects are known to hold for a member of an interface.
func (*language) CallHeld(e *eval.Evaluator, c *eval.Call, k *program.Class, others int) pointsto.Set {
	if k.Info.Kind != ir.Interface {
		return 0
	}
	g := e.Family
	held := g.Elems(e.Cell(pointsto.CellKey{Kind: pointsto.ObjectCell, ID: k.ID, Sub: uint32(c.Name)}))
	out := pointsto.Set(0)
	for _, v := range held {
		i := g.Values.Info[v]
		if i.Kind != pointsto.Func {
			continue
		}
		c.Add(edge.ID(i.ID), edge.ByHierarchy, len(held)+others > 1)
		e.PassArgs(c, edge.ID(i.ID), 0, nil)
		out = g.Union(out, e.Returned(edge.ID(i.ID), 0, nil))
	}
	return out
}

// KnownObject reports whether an object that has a member is among some values.
func (*language) KnownObject(e *eval.Evaluator, s pointsto.Set, n intern.Name) bool {
	for _, v := range e.Family.Elems(s) {
		if e.Family.Values.Info[v].Kind != pointsto.Object {
			continue
		}
		for _, w := range e.Family.Elems(e.Item(e.Family.Values.Single(v), e.Family.Names.Text[n])) {
			i := e.Family.Values.Info[w]
			if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
				continue
			}
			if fn := e.Family.Func(edge.ID(i.ID)); fn != nil && !program.IsSignature(fn) {
				return true
			}
		}
	}
	return false
}

// passTypes gives a function the parameter types of a signature, as a member of the
// type d.
func passTypes(e *eval.Evaluator, fn, signature edge.ID, d pointsto.Value, c *program.Class, with program.Substitution) {
	g := e.Family
	sig := g.Func(signature)
	if sig == nil {
		return
	}
	f := g.Entities[signature].File
	for p := range sig.Params {
		t := g.Subst(f.VarTypes[sig.Params[p].Var], func(q pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(d, c, q) })
		if with != nil {
			t = g.Subst(t, with)
		}
		e.Pass(fn, p, t)
	}
}

// declaredOf is the declared type of what is assigned to, or nothing.
func declaredOf(e *eval.Evaluator, x ir.Expr) pointsto.Set {
	g := e.Family
	n := &e.File.IR.Exprs[x]
	switch n.Op {
	case ir.Local:
		return e.File.VarTypes[n.Ref]
	case ir.Name:
		for _, m := range g.Find(g.Bag(e.File.ID), e.File.Names[n.Name]) {
			if m.Kind == ir.VarMember && g.Entities[m.ID].File == e.File {
				return e.File.VarTypes[m.Ref]
			}
		}
	case ir.Attr:
		out := pointsto.Set(0)
		e.Mute++
		recv := e.Eval(n.A)
		e.Mute--
		for _, v := range g.Elems(recv) {
			c := g.ClassOf(v)
			if c == nil {
				continue
			}
			list, at := g.Member(c, e.File.Names[n.Name])
			if at < 0 {
				continue
			}
			s := g.MRO(c)[at]
			for _, m := range list {
				if f := g.Entities[m.ID].File; m.Kind == ir.VarMember && f != nil {
					out = g.Union(out, e.Family.Instantiate(f.VarTypes[m.Ref], v, &s))
				}
			}
		}
		return out
	}
	return 0
}

// ExpectAssigned is expect of what is assigned to a target.
func (*language) ExpectAssigned(e *eval.Evaluator, target, x ir.Expr) {
	if e.UnitNumber != 0 && holdsFunction(e, x, 0) {
		expect(e, x, declaredOf(e, target), nil)
	}
}

// ExpectReturned is expect of what a function with a declared result returns.
func (*language) ExpectReturned(e *eval.Evaluator, x ir.Expr) {
	if e.UnitNumber == 0 || len(e.File.Results.Of(e.Func)) == 0 || !holdsFunction(e, x, 0) {
		return
	}
	declared := e.File.Results.Of(e.Func)[0]
	if e.File.IR.Funcs[e.Func].Flags&ir.Async != 0 {
		declared = e.Await(declared)
	}
	expect(e, x, declared, nil)
}

// ExpectArgument is expect of an argument for a parameter.
func (*language) ExpectArgument(e *eval.Evaluator, c *eval.Call, id edge.ID, recv pointsto.Value, x ir.Expr, p int) {
	if e.UnitNumber == 0 || x == 0 || !holdsFunction(e, x, 0) {
		return
	}
	fn, f := e.Family.Func(id), e.Family.Entities[id].File
	declared := f.VarTypes[fn.Params[p].Var]
	if declared == 0 {
		return
	}
	if fn.Params[p].Kind == ir.Variadic {
		declared = e.Elements(declared, nil)
	}
	_, with := bindingOf(e, c, id, recv)
	expect(e, x, declared, with)
}

// expect types the functions in an expression by what is expected of it.
func expect(e *eval.Evaluator, x ir.Expr, declared pointsto.Set, with program.Substitution) {
	if declared != 0 && e.UnitNumber != 0 {
		expectAt(e, x, declared, with, 0)
	}
}
