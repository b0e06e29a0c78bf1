package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// typeIn evaluates a declared type where it is written.
func (g *family) typeIn(f *file, fn ir.Func, c ir.Class, x ir.Expr) set {
	if x == 0 {
		return 0
	}
	e := g.static(f, fn, c)
	defer g.done(e)
	return e.typ(x)
}

// typ returns the instances that a type expression stands for.
func (e *eval) typ(x ir.Expr) set {
	if x == 0 || e.g.depth > maxNesting {
		return 0
	}
	e.g.depth++
	e.mute++
	defer func() { e.g.depth--; e.mute-- }()
	g, f := e.g, e.f.ir
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Union:
		s := set(0)
		for _, a := range f.Args[n.Lo:n.Hi] {
			s = g.union(s, e.typ(a.X))
		}
		return s
	case ir.Deref, ir.Await:
		return e.typ(n.A)
	case ir.This:
		return e.self(e.fn)
	case ir.TypeOf:
		if n.A == 0 {
			return e.self(e.fn)
		}
		return e.valueType(e.eval(n.A)) // typeof x: the type of a value
	case ir.Lambda, ir.Object, ir.List:
		return 0
	case ir.Call:
		return e.f.lang.MadeBase(e, n)
	case ir.Lit:
		return e.external(e.f.names[n.Name])
	case ir.Apply:
		args := make([]set, 0, n.Hi-n.Lo)
		for _, a := range f.Args[n.Lo:n.Hi] {
			args = append(args, e.typ(a.X))
		}
		if n.A == 0 {
			return g.values.single(g.values.typedWithin(valueInfo{kind: vGeneric, id: uint32(e.f.names[n.Name])}, args, maxWritten))
		}
		return e.instances(e.typeName(n.A), args)
	}
	return e.instances(e.typeName(x), nil)
}

// typeName evaluates the name of a type: names and attributes, without edges.
func (e *eval) typeName(x ir.Expr) set {
	n := &e.f.ir.Exprs[x]
	switch n.Op {
	case ir.Name:
		if n.Flags&ir.Path != 0 {
			if s, ok := e.f.lang.PathHead(e, e.f.names[n.Name]); ok {
				return s
			}
		}
		s, _, _ := e.freeType(e.f.names[n.Name])
		return s
	case ir.Attr:
		return e.attrValues(e.typeName(n.A), e.f.names[n.Name])
	case ir.Local, ir.ClassX, ir.Imported, ir.TypeOf, ir.This:
		return e.eval(x)
	case ir.Deref:
		return e.typeName(n.A)
	case ir.Apply:
		if n.A != 0 {
			return e.typeName(n.A)
		}
	}
	return 0
}

// instances turns classes into values of them.
func (e *eval) instances(s set, args []set) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		switch i.kind {
		case vClass:
			c := g.classes[ID(i.id)]
			if c == nil {
				continue
			}
			if c.info.Kind == ir.Alias {
				t := g.aliased(c)
				if len(args) > 0 {
					t = g.subst(t, func(p valueInfo) (set, bool) {
						if ID(p.id) == c.id && int(p.base) < len(args) {
							return args[p.base], true
						}
						return 0, false
					})
				}
				out = g.union(out, t)
				continue
			}
			kind := vDecl
			if c.file.lang.exact && !c.abstract() {
				kind = vInst
			}
			if len(args) == 0 {
				args = g.args(i.args)
			}
			out = g.union(out, g.values.single(g.values.typed(valueInfo{kind: kind, id: i.id}, args)))
		case vExternal:
			if len(args) > 0 {
				out = g.union(out, e.f.lang.LibraryType(e, name(i.id), args))
			} else {
				out = g.union(out, g.values.single(v))
			}
		case vParam, vInst, vDecl, vGeneric:
			out = g.union(out, g.values.single(v))
		}
	}
	return out
}

// aliases are what aliases stand for, kept while declarations do not change: types
// that name each other in turn take time that grows exponentially otherwise.
type aliases struct {
	known map[ID]set
	open  map[ID]bool // being evaluated
	cut   bool        // one of those was met again
}

// forgetAliases is called where what aliases stand for may have changed.
func (g *family) forgetAliases() {
	g.aliases = aliases{known: map[ID]set{}, open: map[ID]bool{}}
}

// aliased is what an alias stands for. Within itself it adds nothing.
func (g *family) aliased(c *class) set {
	if c.target != 0 || c.file == nil {
		return c.target
	}
	a := &g.aliases
	if s, ok := a.known[c.id]; ok {
		return s
	}
	if a.open[c.id] {
		a.cut = true
		return 0
	}
	a.open[c.id] = true
	before := a.cut
	a.cut = false
	s := g.typeIn(c.file, 0, ir.Class(g.entities[c.id].ref), c.info.Target)
	delete(a.open, c.id)
	// What was found while another one was open may lack what that one adds.
	if !a.cut || len(a.open) == 0 {
		a.known[c.id] = s
	}
	a.cut = (a.cut || before) && len(a.open) > 0
	return s
}

// self is the receiver as a function sees it: an instance of its class, or what is
// known to reach it.
func (e *eval) self(fn ir.Func) set {
	g, f := e.g, e.f.ir
	if e.fields {
		fn = 0
	}
	for range maxNesting {
		if fn == 0 {
			break
		}
		info := &f.Funcs[fn]
		if info.Name == 0 && e.hasReceiver(e.f, fn) {
			return e.cell(cellKey{cSelf, e.f.funcs[fn], 0})
		}
		c := (*class)(nil)
		if info.Class != 0 && (info.Recv == 0 || info.Flags&ir.Extension == 0) {
			c = g.classes[g.canonical(e.f, info.Class)]
		} else if info.Recv != 0 {
			if s := e.f.recv[fn]; s != 0 {
				return g.union(s, e.cell(cellKey{cSelf, e.f.funcs[fn], 0}))
			}
		}
		if c != nil {
			flow := e.cell(cellKey{cSelf, e.f.funcs[fn], 0})
			if info.Flags&ir.ClassMethod != 0 || info.Flags&ir.Static != 0 {
				return g.union(flow, e.single(valueInfo{kind: vClass, id: uint32(c.id)}))
			}
			return g.orDeclared(flow, g.values.single(g.selfValue(c)))
		}
		if info.Outer == 0 {
			return e.cell(cellKey{cSelf, e.f.funcs[fn], 0})
		}
		fn = info.Outer
	}
	if e.class != 0 {
		if c := g.classes[g.canonical(e.f, e.class)]; c != nil {
			if c.info.Kind == ir.Extends && c.target != 0 {
				return c.target
			}
			return g.values.single(g.selfValue(c))
		}
	}
	return 0
}

// selfValue is the receiver in the methods of a class.
func (g *family) selfValue(c *class) value {
	if c.info.Kind == ir.Singleton || c.file.lang.exact && !c.abstract() {
		return g.self(c, vInst)
	}
	return g.self(c, vDecl)
}

// super is the receiver, looked up from the base classes on.
func (e *eval) super(n *ir.Node) set {
	g, f := e.g, e.f.ir
	c := ir.Class(0)
	e.enclosing(func(k ir.Class) bool { c = k; return false })
	if c == 0 {
		return 0
	}
	_ = f
	k := g.classes[g.canonical(e.f, c)]
	if k == nil {
		return 0
	}
	s := set(0)
	for _, v := range g.elems(e.self(e.fn)) {
		s = g.union(s, e.single(valueInfo{kind: vSuper, id: uint32(k.id), base: v}))
	}
	return s
}

// typeRefs makes the edges of the types that are named in a declaration.
func (e *eval) typeRefs(x ir.Expr) {
	if e.mute > 0 || x == 0 || e.n == 0 {
		return
	}
	e.typeRefsFrom(x, e.from())
}

func (e *eval) typeRefsFrom(x ir.Expr, from ID) {
	if e.g.depth > maxNesting || e.n == 0 {
		return
	}
	e.g.depth++
	defer func() { e.g.depth-- }()
	f := e.f.ir
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Name, ir.Attr:
		for _, v := range e.g.elems(e.typeName(x)) {
			if i := e.g.values.info[v]; i.kind == vClass {
				e.edge(Edge{From: from, To: ID(i.id), Kind: References, Rule: ByDecl, Pos: n.Pos})
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
func (e *eval) baseRefs(c ir.Class, b ir.Base) {
	n := &e.f.ir.Exprs[b.X]
	for n.Op == ir.Apply && n.A != 0 {
		n = &e.f.ir.Exprs[n.A]
	}
	kind := Inherits
	if b.Kind == ir.Implement {
		kind = Implements
	}
	from := e.g.canonical(e.f, c)
	e.mute++
	s := e.typ(b.X)
	e.mute--
	for _, v := range e.g.elems(s) {
		if up := e.g.classOf(v); up != nil && up.id != from {
			e.edge(Edge{From: from, To: up.id, Kind: kind, Rule: ByDecl, Pos: n.Pos})
		}
	}
}

// valueType is the type of values: of a function that is only declared, any that has
// its signature.
func (e *eval) valueType(s set) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		if i.kind != vFunc && i.kind != vBound {
			out = g.union(out, g.values.single(v))
			continue
		}
		fn := g.fn(ID(i.id))
		if fn == nil || !isSignature(fn) {
			out = g.union(out, g.values.single(v))
			continue
		}
		f := g.entities[i.id].file
		var args []set
		for _, p := range fn.Params {
			args = append(args, f.varTypes[p.Var])
		}
		result := set(0)
		if r := f.results.of(ir.Func(g.entities[i.id].ref)); len(r) > 0 {
			result = r[0]
		}
		out = g.union(out, e.generic("func", append(args, result)...))
	}
	return out
}

// isSignature reports whether a function is declared without a body.
func isSignature(fn *ir.FuncInfo) bool { return fn.Flags&(ir.Prototype|ir.Abstract) != 0 }
