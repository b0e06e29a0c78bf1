package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Bind assigns to a target.
func (e *Evaluator) Bind(x ir.Expr, s pointsto.Set) {
	f := e.File.IR
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Local:
		e.SetLocal(ir.Var(n.Ref), s)
	case ir.Name:
		e.bindName(n, s)
	case ir.Attr:
		recv := e.Eval(n.A)
		for _, v := range e.Family.Elems(recv) {
			e.setAttr(v, e.File.Names[n.Name], s, n.Pos)
		}
	case ir.Index:
		e.Eval(n.B)
		recv := e.Eval(n.A)
		at := e.At
		e.At = n.Pos
		for _, v := range e.Family.Elems(recv) {
			e.setItem(v, n.Name, s)
		}
		e.At = at
		if e.File.Lang.SharedStores {
			e.store(n.A, e.Eval(n.A), s)
		}
	case ir.List:
		at := e.At
		e.At = n.Pos // what taking elements out runs is called here
		defer func() { e.At = at }()
		spread := false
		for i, a := range f.Args[n.Lo:n.Hi] {
			switch {
			case a.Kind == ir.Spread && e.File.Lang.RestIsList:
				spread = true
				e.Bind(a.X, e.Generic("list", e.itemsFrom(s, i)))
			case a.Kind == ir.Spread:
				e.Bind(a.X, s)
			case spread:
				e.Bind(a.X, e.itemsFrom(s, i))
			default:
				e.Bind(a.X, e.Item(s, pointsto.ItemName(i)))
			}
		}
	case ir.Object:
		for _, a := range f.Args[n.Lo:n.Hi] {
			if a.Kind != ir.Plain {
				e.Bind(a.X, s)
				continue
			}
			e.Bind(a.X, e.AttrValues(s, e.File.Names[a.Name]))
		}
	case ir.Deref, ir.Cast:
		e.Bind(n.A, s)
	case ir.Union, ir.Opaque:
		for _, a := range f.Args[n.Lo:n.Hi] {
			e.Bind(a.X, s)
		}
	case ir.Assign: // a default in a pattern
		e.Bind(n.A, e.Family.Union(s, e.Eval(n.B)))
	default:
		e.Eval(x)
	}
}

func (e *Evaluator) bindName(n *ir.Node, s pointsto.Set) {
	nm := e.File.Names[n.Name]
	if recv, pending := e.Lang.LambdaReceiver(e, nm); recv != 0 || pending {
		for _, v := range e.Family.Elems(recv) {
			e.setAttr(v, nm, s, n.Pos)
		}
		return
	}
	if c := e.ImplicitClass(); c != nil {
		if found, _ := e.Family.Member(c, nm); len(found) > 0 {
			e.setAttr(e.Family.Self(c, pointsto.Decl), nm, s, n.Pos)
			return
		}
	}
	for _, m := range e.Family.Find(e.Family.Bag(e.File.ID), nm) {
		if m.Kind == ir.VarMember {
			if !e.File.Closed(e.Family, ir.Var(m.Ref)) {
				e.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}, e.Family.Admit(e.File.VarTypes[m.Ref], s, e.File.Lang))
			}
			return
		}
	}
	if e.File.Pkg != 0 {
		for _, m := range e.Family.Find(e.Family.Bag(e.File.Pkg), nm) {
			if m.Kind == ir.VarMember && e.Family.Entities[m.ID].File != nil {
				if o := e.Family.Entities[m.ID].File; !o.Closed(e.Family, ir.Var(m.Ref)) {
					e.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}, s)
				}
				return
			}
		}
	}
	e.Write(pointsto.CellKey{Kind: pointsto.NameCell, ID: e.File.ID, Sub: uint32(nm)}, s)
}

// Containers are values: what is put into one is seen where the value goes, in
// literals and by append, which make another value. A store into an element, a
// map or a channel is seen by all who share it, and who does is not known. So it is
// kept by the type of the container, as variable type analysis does: what is
// stored into any map of Steps may come out of any map of Steps. Functions have no
// such type; they are kept where the container is, as a value of the variable.

// store puts values into an element of the container that x is.
func (e *Evaluator) store(x ir.Expr, containers, s pointsto.Set) {
	g := e.Family
	for _, v := range g.Values.Elems(containers) {
		i := g.Values.Info[v]
		switch i.Kind {
		case pointsto.Generic:
			e.StoreAs(i, s)
		case pointsto.Inst:
			if c := g.ClassOf(v); c != nil {
				for _, w := range g.Values.Elems(c.Target) {
					if j := g.Values.Info[w]; j.Kind == pointsto.Generic {
						e.StoreAs(j, s)
					}
				}
			}
		}
	}
	held := pointsto.Set(0)
	for _, v := range g.Values.Elems(s) {
		if k := g.Values.Info[v].Kind; k == pointsto.Func || k == pointsto.Bound {
			held = g.Union(held, g.Values.Single(v))
		}
	}
	if held == 0 {
		return
	}
	for _, form := range e.FormsOf(containers) {
		into := pointsto.Set(0)
		// One value for each function: a set that grows must not leave its smaller
		// versions behind.
		for _, v := range g.Values.Elems(held) {
			args := []pointsto.Set{g.Values.Single(v)}
			if g.Names.Text[form] == "map" {
				args = []pointsto.Set{0, args[0]}
			}
			into = g.Union(into, g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(form)}, args)))
		}
		e.grow(x, into)
	}
}

// grow adds to a variable that holds a container; other expressions hold none.
func (e *Evaluator) grow(x ir.Expr, s pointsto.Set) {
	switch e.File.IR.Exprs[x].Op {
	case ir.Local, ir.Name, ir.Attr:
		e.Bind(x, s)
	}
}
