package eval

import (
	"cmp"
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
		return e.ValueType(e.Eval(n.A)) // typeof x: the type of a value
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

// ofArity leaves of classes those with as many type parameters as there are arguments, where
// that tells classes of one name apart, and if there are any.
func (e *Evaluator) ofArity(s pointsto.Set, args int) pointsto.Set {
	if !e.File.Lang.ByArity {
		return s
	}
	g := e.Family
	all := g.Elems(s)
	if len(all) < 2 {
		return s
	}
	out := pointsto.Set(0)
	for _, v := range all {
		if c := g.ClassOf(v); c != nil && g.Values.Info[v].Kind == pointsto.Class && len(c.Info.TypeParams) == args {
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return cmp.Or(out, s)
}

// Instances turns classes into values of them.
func (e *Evaluator) Instances(s pointsto.Set, args []pointsto.Set) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(e.ofArity(s, len(args))) {
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
			if e.File.Lang.DefaultExports && !e.TooDeep() {
				whole, _ := e.Within(edge.ID(i.ID), g.Names.Intern("default"), 0)
				out = g.Union(out, e.Instances(whole, args))
				e.Up()
			}
		}
	}
	return out
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

// TypeRefs makes the edges of the types that are named in a declaration.
func (e *Evaluator) TypeRefs(x ir.Expr) {
	if e.Mute > 0 || x == 0 || e.UnitNumber == 0 {
		return
	}
	e.TypeRefsFrom(x, e.Owner())
}

// TypeRefsFrom is TypeRefs of a declaration whose edges go out from another definition.
func (e *Evaluator) TypeRefsFrom(x ir.Expr, from edge.ID) {
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
				e.Edge(edge.Edge{From: from, To: edge.ID(i.ID), Kind: edge.References, Rule: edge.ByDecl, Pos: n.Pos})
			}
		}
	case ir.Union, ir.Apply, ir.Opaque:
		if n.A != 0 {
			e.TypeRefsFrom(n.A, from)
		}
		for _, a := range f.Args[n.Lo:n.Hi] {
			e.TypeRefsFrom(a.X, from)
		}
	case ir.Deref, ir.Await:
		e.TypeRefsFrom(n.A, from)
	}
}
