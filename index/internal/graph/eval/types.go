package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Typ returns the instances that a type expression stands for.
func (e *Evaluator) Typ(x ir.Expr) pointsto.Set {
	if x == 0 || e.Family.Depth > program.MaxNesting {
		return 0
	}
	e.Family.Depth++
	e.Mute++
	defer func() { e.Family.Depth--; e.Mute-- }()
	g, f := e.Family, e.File.IR
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Union:
		s := pointsto.Set(0)
		for _, a := range f.Args[n.Lo:n.Hi] {
			s = g.Union(s, e.Typ(a.X))
		}
		return s
	case ir.Deref, ir.Await:
		return e.Typ(n.A)
	case ir.This:
		return e.Self(e.Func)
	case ir.TypeOf:
		if n.A == 0 {
			return e.Self(e.Func)
		}
		return e.valueType(e.Eval(n.A)) // typeof x: the type of a value
	case ir.Lambda, ir.Object, ir.List:
		return 0
	case ir.Call:
		return e.Lang.MadeBase(e, n)
	case ir.Lit:
		return e.External(e.File.Names[n.Name])
	case ir.Apply:
		args := make([]pointsto.Set, 0, n.Hi-n.Lo)
		for _, a := range f.Args[n.Lo:n.Hi] {
			args = append(args, e.Typ(a.X))
		}
		if n.A == 0 {
			return g.Values.Single(g.Values.TypedWithin(pointsto.Info{Kind: pointsto.Generic, ID: uint32(e.File.Names[n.Name])}, args, pointsto.MaxWritten))
		}
		return e.Instances(e.TypeName(n.A), args)
	}
	return e.Instances(e.TypeName(x), nil)
}

// TypeName evaluates the name of a type: names and attributes, without edges.
func (e *Evaluator) TypeName(x ir.Expr) pointsto.Set {
	n := &e.File.IR.Exprs[x]
	switch n.Op {
	case ir.Name:
		if n.Flags&ir.Path != 0 {
			if s, ok := e.Lang.PathHead(e, e.File.Names[n.Name]); ok {
				return s
			}
		}
		s, _, _ := e.freeType(e.File.Names[n.Name])
		return s
	case ir.Attr:
		return e.AttrValues(e.TypeName(n.A), e.File.Names[n.Name])
	case ir.Local, ir.ClassX, ir.Imported, ir.TypeOf, ir.This:
		return e.Eval(x)
	case ir.Deref:
		return e.TypeName(n.A)
	case ir.Apply:
		if n.A != 0 {
			return e.TypeName(n.A)
		}
	}
	return 0
}

// Instances turns classes into values of them.
func (e *Evaluator) Instances(s pointsto.Set, args []pointsto.Set) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		switch i.Kind {
		case pointsto.Class:
			c := g.Classes[edge.ID(i.ID)]
			if c == nil {
				continue
			}
			if c.Info.Kind == ir.Alias {
				t := Aliased(g, c)
				if len(args) > 0 {
					t = g.Subst(t, func(p pointsto.Info) (pointsto.Set, bool) {
						if edge.ID(p.ID) == c.ID && int(p.Base) < len(args) {
							return args[p.Base], true
						}
						return 0, false
					})
				}
				out = g.Union(out, t)
				continue
			}
			kind := pointsto.Decl
			if c.File.Lang.Exact && !c.Abstract() {
				kind = pointsto.Inst
			}
			if len(args) == 0 {
				args = g.Args(i.Args)
			}
			out = g.Union(out, g.Values.Single(g.Values.Typed(pointsto.Info{Kind: kind, ID: i.ID}, args)))
		case pointsto.External:
			if len(args) > 0 {
				out = g.Union(out, e.Lang.LibraryType(e, intern.Name(i.ID), args))
			} else {
				out = g.Union(out, g.Values.Single(v))
			}
		case pointsto.Param, pointsto.Inst, pointsto.Decl, pointsto.Generic:
			out = g.Union(out, g.Values.Single(v))
		case pointsto.Module: // of CommonJS, that is a class
			if e.File.Lang.DefaultExports && !e.tooDeep() {
				whole, _ := e.Within(edge.ID(i.ID), g.Names.Intern("default"), 0)
				out = g.Union(out, e.Instances(whole, args))
				e.up()
			}
		}
	}
	return out
}

// Self is the receiver as a function sees it: an instance of its class, or what is
// known to reach it.
func (e *Evaluator) Self(fn ir.Func) pointsto.Set {
	g, f := e.Family, e.File.IR
	if e.Fields {
		fn = 0
	}
	for range program.MaxNesting {
		if fn == 0 {
			break
		}
		info := &f.Funcs[fn]
		if info.Name == 0 && e.Lang.HasReceiver(e.Family, e.File, fn) {
			return e.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: e.File.Funcs[fn], Sub: 0})
		}
		c := (*program.Class)(nil)
		if info.Class != 0 && (info.Recv == 0 || info.Flags&ir.Extension == 0) {
			c = g.Classes[g.Canonical(e.File, info.Class)]
		} else if info.Recv != 0 {
			if s := e.File.Recv[fn]; s != 0 {
				return g.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: e.File.Funcs[fn], Sub: 0}))
			}
		}
		if c != nil {
			flow := e.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: e.File.Funcs[fn], Sub: 0})
			if info.Flags&ir.ClassMethod != 0 || info.Flags&ir.Static != 0 {
				return g.Union(flow, e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(c.ID)}))
			}
			return g.OrDeclared(flow, g.Values.Single(program.SelfValue(g, c)))
		}
		if info.Outer == 0 {
			return e.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: e.File.Funcs[fn], Sub: 0})
		}
		fn = info.Outer
	}
	if e.class != 0 {
		if c := g.Classes[g.Canonical(e.File, e.class)]; c != nil {
			if c.Info.Kind == ir.Extends && c.Target != 0 {
				return c.Target
			}
			return g.Values.Single(program.SelfValue(g, c))
		}
	}
	return 0
}

// super is the receiver, looked up from the base classes on: of the class around, or of the one that
// is said.
func (e *Evaluator) super(n *ir.Node) pointsto.Set {
	g := e.Family
	c := ir.Class(0)
	e.Enclosing(func(k ir.Class) bool { c = k; return false })
	if c == 0 {
		return 0
	}
	k := g.Classes[g.Canonical(e.File, c)]
	if k == nil {
		return 0
	}
	above := []*program.Class{k}
	if n.A != 0 {
		above = g.ClassesOf(e.Eval(n.A))
	}
	s := pointsto.Set(0)
	for _, v := range g.Elems(e.Self(e.Func)) {
		for _, k := range above {
			s = g.Union(s, e.Single(pointsto.Info{Kind: pointsto.Super, ID: uint32(k.ID), Base: v}))
		}
	}
	return s
}

// typeRefs makes the edges of the types that are named in a declaration.
func (e *Evaluator) typeRefs(x ir.Expr) {
	if e.Mute > 0 || x == 0 || e.UnitNumber == 0 {
		return
	}
	e.typeRefsFrom(x, e.from())
}

func (e *Evaluator) typeRefsFrom(x ir.Expr, from edge.ID) {
	if e.Family.Depth > program.MaxNesting || e.UnitNumber == 0 {
		return
	}
	e.Family.Depth++
	defer func() { e.Family.Depth-- }()
	f := e.File.IR
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Name, ir.Attr:
		for _, v := range e.Family.Elems(e.TypeName(x)) {
			if i := e.Family.Values.Info[v]; i.Kind == pointsto.Class {
				e.edge(edge.Edge{From: from, To: edge.ID(i.ID), Kind: edge.References, Rule: edge.ByDecl, Pos: n.Pos})
			}
		}
	case ir.Union, ir.Apply, ir.Opaque:
		if n.A != 0 {
			e.typeRefsFrom(n.A, from)
		}
		for _, a := range f.Args[n.Lo:n.Hi] {
			e.typeRefsFrom(a.X, from)
		}
	case ir.Deref, ir.Await:
		e.typeRefsFrom(n.A, from)
	}
}

// baseRefs makes the edges of a base.
func (e *Evaluator) baseRefs(c ir.Class, b ir.Base) {
	n := &e.File.IR.Exprs[b.X]
	for n.Op == ir.Apply && n.A != 0 {
		n = &e.File.IR.Exprs[n.A]
	}
	kind := edge.Inherits
	if b.Kind == ir.Implement {
		kind = edge.Implements
	}
	from := e.Family.Canonical(e.File, c)
	e.Mute++
	s := e.Typ(b.X)
	e.Mute--
	for _, v := range e.Family.Elems(s) {
		if up := e.Family.ClassOf(v); up != nil && up.ID != from {
			e.edge(edge.Edge{From: from, To: up.ID, Kind: kind, Rule: edge.ByDecl, Pos: n.Pos})
		}
	}
}

// valueType is the type of values: of a function that is only declared, any that has
// its signature.
func (e *Evaluator) valueType(s pointsto.Set) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
			out = g.Union(out, g.Values.Single(v))
			continue
		}
		fn := g.Func(edge.ID(i.ID))
		if fn == nil || !IsSignature(fn) {
			out = g.Union(out, g.Values.Single(v))
			continue
		}
		f := g.Entities[i.ID].File
		var args []pointsto.Set
		for _, p := range fn.Params {
			args = append(args, f.VarTypes[p.Var])
		}
		result := pointsto.Set(0)
		if r := f.Results.Of(ir.Func(g.Entities[i.ID].Ref)); len(r) > 0 {
			result = r[0]
		}
		out = g.Union(out, e.Generic("func", append(args, result)...))
	}
	return out
}

// IsSignature reports whether a function is declared without a body.
func IsSignature(fn *ir.FuncInfo) bool { return fn.Flags&(ir.Prototype|ir.Abstract) != 0 }

// admit leaves of values that flow into a place those that can be what the place
// is declared to hold. Without it, what comes out of a container of the library, or
// through Object, would stay all that it may be. It judges each value alone, so that
// it does not matter when a value comes.
func (e *Evaluator) admit(declared, s pointsto.Set) pointsto.Set {
	if declared == 0 || s == 0 || !e.File.Lang.Typed {
		return s
	}
	g := e.Family
	key := uint64(declared)<<32 | uint64(s)
	if out, ok := g.Admitted[key]; ok {
		return out
	}
	out := s
	for _, v := range g.Elems(s) {
		if !g.AdmitsAny(declared, v, e.File.Lang) {
			out = 0
			break
		}
	}
	if out == 0 {
		for _, v := range g.Elems(s) {
			if g.AdmitsAny(declared, v, e.File.Lang) {
				out = g.Union(out, g.Values.Single(v))
			}
		}
	}
	if len(g.Admitted) > 1<<18 {
		clear(g.Admitted)
	}
	g.Admitted[key] = out
	return out
}

// narrow is what of some values a type lets through, and the type itself.
func (e *Evaluator) narrow(s, t pointsto.Set) pointsto.Set {
	g := e.Family
	out := t
	for _, v := range g.Values.Elems(s) {
		i := g.Values.Info[v]
		c := g.ClassOf(v)
		for _, w := range g.Values.Elems(t) {
			up, j := g.ClassOf(w), g.Values.Info[w]
			switch {
			case i.Kind == pointsto.Func || i.Kind == pointsto.Bound:
			case up != nil && c != nil:
				if v == w || i.Kind != pointsto.Inst || !g.AbstractType(up) || !g.IsAbove(up, c) {
					continue
				}
			case up != nil:
				// A type over a container holds what the container holds.
				if i.Kind != pointsto.Generic || !e.File.Lang.Converts || !program.Targets(g, up, i.ID) {
					continue
				}
			case j.Kind == pointsto.External:
				if i.Kind != pointsto.Inst || !e.File.Lang.Structural || intern.Name(j.ID).Basic() {
					continue
				}
			case j.Kind != pointsto.Generic || i.Kind != pointsto.Generic || i.ID != j.ID || !e.File.Lang.Converts:
				continue
			}
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}
