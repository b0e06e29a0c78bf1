package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Where a type is expected, a function that is written there takes the types of its
// parameters from it. That is decided by the text, not by values, so it costs no
// cells: TypeScript calls it contextual typing.

// maxContext bounds the objects within objects that are typed so.
const maxContext = 4

// ExpectInit is for an initial value.
func (*javascript) ExpectInit(e *eval, x ir.Expr, declared set) { e.expect(x, declared, nil) }

// expect types the functions in an expression by what is expected of it.
func (e *eval) expect(x ir.Expr, declared set, with substitution) {
	if declared != 0 && e.n != 0 {
		e.expectAt(x, declared, with, 0)
	}
}

func (e *eval) expectAt(x ir.Expr, declared set, with substitution, depth int) {
	if x == 0 || declared == 0 || depth > maxContext {
		return
	}
	f := e.f.ir
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Lambda:
		e.contextual(e.single(valueInfo{kind: vFunc, id: uint32(e.f.funcs[n.Ref])}), declared, with)
		e.expectCallable(n, declared, with)
	case ir.Assign:
		e.expectAt(n.B, declared, with, depth)
	case ir.Union:
		for _, a := range f.Args[n.Lo:n.Hi] {
			e.expectAt(a.X, declared, with, depth+1)
		}
	case ir.Object:
		for _, a := range f.Args[n.Lo:n.Hi] {
			if a.Name == 0 {
				continue
			}
			if op := f.Exprs[a.X].Op; op == ir.Name || op == ir.Local || e.holdsFunction(a.X, 0) {
				e.expectMember(a.X, e.f.names[a.Name], declared, with, depth)
			}
		}
	case ir.List:
		for i, a := range f.Args[n.Lo:n.Hi] {
			if e.holdsFunction(a.X, 0) {
				e.expectAt(a.X, e.item(declared, itemName(i)), with, depth+1)
			}
		}
	}
}

// holdsFunction reports whether an expression is or contains a function literal in
// the places where expect looks.
func (e *eval) holdsFunction(x ir.Expr, depth int) bool {
	n := &e.f.ir.Exprs[x]
	switch {
	case depth > maxContext:
		return false
	case n.Op == ir.Lambda:
		return true
	case n.Op == ir.Assign:
		return e.holdsFunction(n.B, depth+1)
	case n.Op == ir.Object, n.Op == ir.List, n.Op == ir.Union:
		for _, a := range e.f.ir.Args[n.Lo:n.Hi] {
			if e.holdsFunction(a.X, depth+1) {
				return true
			}
		}
	}
	return false
}

// expectCallable is contextual for an interface that is called itself.
func (e *eval) expectCallable(n *ir.Node, declared set, with substitution) {
	g := e.g
	for _, d := range g.elems(declared) {
		if c := g.classOf(d); c != nil && g.values.info[d].kind == vDecl && c.info.Kind == ir.Interface {
			for _, m := range g.declared(c, g.names.intern("()")) {
				e.passTypes(e.f.funcs[n.Ref], m.id, d, c, with)
			}
		}
	}
}

// expectMember types the function that lies under a name of an object.
func (e *eval) expectMember(x ir.Expr, n name, declared set, with substitution, depth int) {
	g := e.g
	for _, d := range g.elems(declared) {
		switch i := g.values.info[d]; i.kind {
		case vGeneric:
			if g.names.text[i.id] == "map" {
				e.expectAt(x, g.values.arg(d, -1), with, depth+1)
			}
			continue
		case vDecl, vInst:
		default:
			continue
		}
		c := g.classOf(d)
		if c == nil {
			continue
		}
		list, at := g.member(c, n)
		if at < 0 {
			continue
		}
		s := g.lineOf(c)[at]
		for _, m := range list {
			f := g.entities[m.id].file
			if f == nil {
				continue
			}
			if m.kind == ir.VarMember {
				e.expectAt(x, e.seen1(f.varTypes[m.ref], d, &s), with, depth+1)
			} else if node := &e.f.ir.Exprs[x]; m.kind == ir.FuncMember && node.Op == ir.Lambda {
				e.passTypes(e.f.funcs[node.Ref], m.id, d, s.class, with)
			}
		}
		e.implement(s.class, n, x)
	}
}

// implement notes that a function in an object is what a member of an interface is
// there. Which object a call through the interface meets is seldom known.
func (e *eval) implement(c *class, n name, x ir.Expr) {
	if c.info.Kind != ir.Interface {
		return
	}
	node := &e.f.ir.Exprs[x]
	if node.Op == ir.Lambda {
		e.write(cellKey{cObject, c.id, uint32(n)}, e.single(valueInfo{kind: vFunc, id: uint32(e.f.funcs[node.Ref])}))
		return
	}
	if node.Op != ir.Name && node.Op != ir.Local {
		return
	}
	e.mute++
	s := e.eval(x)
	e.mute--
	for _, v := range e.g.elems(s) {
		i := e.g.values.info[v]
		if i.kind != vFunc {
			continue
		}
		if fn := e.g.fn(ID(i.id)); fn != nil && !isSignature(fn) {
			e.write(cellKey{cObject, c.id, uint32(n)}, e.g.values.single(v))
		}
	}
}

// CallHeld calls what objects are known to hold for a member of an interface.
func (*javascript) CallHeld(e *eval, c *calling, k *class, others int) set {
	if k.info.Kind != ir.Interface {
		return 0
	}
	g := e.g
	held := g.elems(e.cell(cellKey{cObject, k.id, uint32(c.name)}))
	out := set(0)
	for _, v := range held {
		i := g.values.info[v]
		if i.kind != vFunc {
			continue
		}
		c.hits = append(c.hits, hit{ID(i.id), ByHierarchy, len(held)+others > 1})
		e.passArgs(c, ID(i.id), 0, nil)
		out = g.union(out, e.returned(ID(i.id), 0, nil))
	}
	return out
}

// KnownObject reports whether an object that has a member is among some values.
func (*javascript) KnownObject(e *eval, s set, n name) bool {
	for _, v := range e.g.elems(s) {
		if e.g.values.info[v].kind != vObject {
			continue
		}
		for _, w := range e.g.elems(e.item(e.g.values.single(v), e.g.names.text[n])) {
			i := e.g.values.info[w]
			if i.kind != vFunc && i.kind != vBound {
				continue
			}
			if fn := e.g.fn(ID(i.id)); fn != nil && !isSignature(fn) {
				return true
			}
		}
	}
	return false
}

// passTypes gives a function the parameter types of a signature, as a member of the
// type d.
func (e *eval) passTypes(fn, signature ID, d value, c *class, with substitution) {
	g := e.g
	sig := g.fn(signature)
	if sig == nil {
		return
	}
	f := g.entities[signature].file
	for p := range sig.Params {
		t := g.subst(f.varTypes[sig.Params[p].Var], func(q valueInfo) (set, bool) { return g.argOf(d, c, q) })
		if with != nil {
			t = g.subst(t, with)
		}
		e.pass(fn, p, t)
	}
}

// declaredOf is the declared type of what is assigned to, or nothing.
func (e *eval) declaredOf(x ir.Expr) set {
	g := e.g
	n := &e.f.ir.Exprs[x]
	switch n.Op {
	case ir.Local:
		return e.f.varTypes[n.Ref]
	case ir.Name:
		for _, m := range g.find(g.bag(e.f.id), e.f.names[n.Name]) {
			if m.kind == ir.VarMember && g.entities[m.id].file == e.f {
				return e.f.varTypes[m.ref]
			}
		}
	case ir.Attr:
		out := set(0)
		e.mute++
		recv := e.eval(n.A)
		e.mute--
		for _, v := range g.elems(recv) {
			c := g.classOf(v)
			if c == nil {
				continue
			}
			list, at := g.member(c, e.f.names[n.Name])
			if at < 0 {
				continue
			}
			s := g.lineOf(c)[at]
			for _, m := range list {
				if f := g.entities[m.id].file; m.kind == ir.VarMember && f != nil {
					out = g.union(out, e.seen1(f.varTypes[m.ref], v, &s))
				}
			}
		}
		return out
	}
	return 0
}

// ExpectAssigned is expect of what is assigned to a target.
func (*javascript) ExpectAssigned(e *eval, target, x ir.Expr) {
	if e.n != 0 && e.holdsFunction(x, 0) {
		e.expect(x, e.declaredOf(target), nil)
	}
}

// ExpectReturned is expect of what a function with a declared result returns.
func (*javascript) ExpectReturned(e *eval, x ir.Expr) {
	if e.n == 0 || len(e.f.results.of(e.fn)) == 0 || !e.holdsFunction(x, 0) {
		return
	}
	declared := e.f.results.of(e.fn)[0]
	if e.f.ir.Funcs[e.fn].Flags&ir.Async != 0 {
		declared = e.await(declared)
	}
	e.expect(x, declared, nil)
}

// ExpectArgument is expect of an argument for a parameter.
func (*javascript) ExpectArgument(e *eval, c *calling, id ID, recv value, x ir.Expr, p int) {
	if e.n == 0 || x == 0 || !e.holdsFunction(x, 0) {
		return
	}
	fn, f := e.g.fn(id), e.g.entities[id].file
	declared := f.varTypes[fn.Params[p].Var]
	if declared == 0 {
		return
	}
	if fn.Params[p].Kind == ir.Variadic {
		declared = e.elements(declared, nil)
	}
	_, with := e.bindingOf(c, id, recv)
	e.expect(x, declared, with)
}
