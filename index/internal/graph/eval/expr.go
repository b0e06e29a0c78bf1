package eval

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// tooDeep goes one level down where values lead to values: a type that holds itself, an
// alias of itself. It reports whether that is too deep; if not, shallower comes back.
func (e *Evaluator) tooDeep() bool {
	e.Family.Steps++
	if e.Family.Depth > program.MaxNesting || e.Family.Steps > maxSteps {
		return true
	}
	e.Family.Depth++
	return false
}

func (e *Evaluator) up() { e.Family.Depth-- }

// maxSteps bounds what one evaluation of a unit follows: a quarter of a second. No code
// that a compiler takes comes near it; declarations that go round in circles do.
const maxSteps = 2_000_000

// inside does something for the type that a value is made of, unless that is being
// done already: types that are made of each other lead back.
func (e *Evaluator) inside(v pointsto.Value, do func()) {
	if slices.Contains(e.inner, v) {
		return
	}
	e.inner = append(e.inner, v)
	do()
	e.inner = e.inner[:len(e.inner)-1]
}

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
		return e.local(ir.Var(n.Ref))
	case ir.Name:
		if n.Flags&ir.Path != 0 {
			if s, ok := e.Lang.PathHead(e, e.File.Names[n.Name]); ok {
				return s
			}
		}
		s, rule := e.nameValue(n)
		e.refs(s, n, rule)
		return s
	case ir.Attr:
		recv := e.Eval(n.A)
		s := e.attrSet(recv, n)
		if e.File.Lang.Separate && n.Flags&ir.Path == 0 {
			s = e.noMethods(s, e.File.Names[n.Name])
		}
		e.refs(s, n, e.ruleOf(n.A, recv))
		return s
	case ir.Call, ir.New:
		return e.call(n)
	case ir.Index:
		e.Eval(n.B)
		recv := e.Eval(n.A)
		at := e.At
		e.At = n.Pos
		defer func() { e.At = at }()
		if s, ok := e.Lang.Index(e, recv, n.B); ok {
			return s
		}
		if n.Name != 0 {
			return e.Item(recv, f.String(n.Name))
		}
		return e.Item(recv, pointsto.SomeItem)
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
		return e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(e.File.Classes[n.Ref])})
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
		return e.decorate(n)
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
		return e.Generic("iterator", e.Eval(n.A))
	}
	var operands [2]pointsto.Set
	for i, a := range f.Args[n.Lo:n.Hi] {
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
	e.Implicit(found[0].ID)
	e.PassSelf(found[0].ID, v)
	e.Pass(found[0].ID, 0, with)
	return e.Returned(found[0].ID, v, nil)
}

// Single is the set of one value.
func (e *Evaluator) Single(i pointsto.Info) pointsto.Set {
	return e.Family.Values.Single(e.Family.Values.Intern(i))
}

// External is something outside the index.
func (e *Evaluator) External(path intern.Name) pointsto.Set {
	return e.Single(pointsto.Info{Kind: pointsto.External, ID: uint32(path)})
}

// Generic is a built-in type with arguments.
func (e *Evaluator) Generic(word string, args ...pointsto.Set) pointsto.Set {
	return e.Family.Values.Single(e.Family.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(e.Family.Names.Intern(word))}, args))
}

// literal is a list, dictionary or object. Where the language has types, it is a
// type with its elements; where it has none, a thing of its own, so that what was
// put under one key is not found under another.
func (e *Evaluator) literal(x ir.Expr, n *ir.Node) pointsto.Set {
	g, f := e.Family, e.File.IR
	if !e.File.Lang.Dynamic || e.UnitNumber == 0 {
		if s, ok := e.Lang.Literal(e, n); ok {
			return s
		}
		var all pointsto.Set
		for _, a := range f.Args[n.Lo:n.Hi] {
			s := e.Eval(a.X)
			if a.Kind == ir.Spread {
				s = e.Elements(s, n)
			}
			all = g.Union(all, s)
		}
		word := f.String(n.Name)
		if word == "" {
			word = "list"
		}
		return e.Generic(word, all)
	}
	if at := e.At; n.Pos != 0 { // of what is spread into it
		e.At = n.Pos
		defer func() { e.At = at }()
	}
	id := g.Entity(program.EntityKey{Outer: e.File.Funcs[e.File.RootOf(e.Func)], Kind: edge.ObjectNode, Name: e.File.Names[n.Name], Nth: uint32(x)})
	for i, a := range f.Args[n.Lo:n.Hi] {
		s := e.Eval(a.X)
		switch {
		case a.Kind == ir.KwSpread || a.Kind == ir.Spread && n.Op == ir.Object:
			for _, v := range g.Elems(s) {
				e.CopyItems(id, v)
			}
		case a.Kind == ir.Spread:
			e.PutItem(id, pointsto.SomeItem, e.Elements(s, n))
		case a.Name != 0:
			e.PutItem(id, f.String(a.Name), s)
		case n.Op == ir.Object:
			e.PutItem(id, pointsto.SomeItem, s)
		default:
			e.PutItem(id, ItemName(i), s)
		}
	}
	return e.Single(pointsto.Info{Kind: pointsto.Object, ID: uint32(id)})
}

// PutItem puts values under a key of a literal.
func (e *Evaluator) PutItem(id edge.ID, key string, s pointsto.Set) {
	if s == 0 {
		return
	}
	e.Write(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(e.Family.Names.Intern(key))}, s)
	e.Write(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(e.Family.Names.Intern(pointsto.AnyItem))}, s)
}

// GetItem is what lies under a key of a literal.
func (e *Evaluator) GetItem(id edge.ID, key string) pointsto.Set {
	if key == pointsto.SomeItem {
		return e.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(e.Family.Names.Intern(pointsto.AnyItem))})
	}
	return e.Family.Union(e.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(e.Family.Names.Intern(key))}),
		e.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(e.Family.Names.Intern(pointsto.SomeItem))}))
}

// CopyItems gives a literal what another value has, by keys that are not kept.
func (e *Evaluator) CopyItems(id edge.ID, v pointsto.Value) {
	if i := e.Family.Values.Info[v]; i.Kind == pointsto.Object {
		e.Write(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(e.Family.Names.Intern("copy"))}, e.Single(i))
		return
	}
	e.PutItem(id, pointsto.SomeItem, e.Elements(e.Family.Values.Single(v), nil))
}

// Item is what lies under a key, or under any.
func (e *Evaluator) Item(s pointsto.Set, key string) pointsto.Set {
	g := e.Family
	if e.tooDeep() {
		return 0
	}
	defer e.up()
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		switch i.Kind {
		case pointsto.Object:
			out = g.Union(out, e.GetItem(edge.ID(i.ID), key))
			if key != pointsto.SomeItem {
				for _, from := range g.Elems(e.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: edge.ID(i.ID), Sub: uint32(g.Names.Intern("copy"))})) {
					if from != v {
						out = g.Union(out, e.GetItem(edge.ID(g.Values.Info[from].ID), key))
					}
				}
			}
		case pointsto.Generic:
			if s, ok := e.Lang.Item(e, v, key); ok {
				out = g.Union(out, s)
				continue
			}
			args := g.Args(i.Args)
			switch {
			case key == "Err": // of a Result that says what its errors are
				if len(args) > 1 {
					out = g.Union(out, args[1])
				}
			case g.Names.Text[i.ID] == "tuple" && len(args) > 1 && len(key) == 1 && int(key[0]-'0') < len(args):
				out = g.Union(out, args[key[0]-'0'])
			case len(args) > 0:
				out = g.Union(out, e.Stored(i.ID, args[len(args)-1]))
			}
		case pointsto.External:
			out = g.Union(out, g.Values.Single(v))
		case pointsto.Inst, pointsto.Decl:
			if c := g.ClassOf(v); c != nil && c.Target != 0 {
				e.inside(v, func() { out = g.Union(out, e.Item(c.Target, key)) })
			} else if c != nil {
				out = g.Union(out, e.indexed(v))
			}
		}
	}
	return out
}

// indexed is an element of an instance by its operator of indexing.
func (e *Evaluator) indexed(v pointsto.Value) pointsto.Set {
	out := e.Operator(v, e.File.Lang.GetItem...)
	if out == 0 && e.File.Lang.PointerIndex {
		return e.Family.Values.Single(v) // through a pointer, or in an array
	}
	return out
}

func (e *Evaluator) setItem(v pointsto.Value, key ir.Str, s pointsto.Set) {
	g := e.Family
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.Object:
		k := e.File.IR.String(key)
		if key == 0 {
			k = pointsto.SomeItem
		}
		e.PutItem(edge.ID(i.ID), k, s)
	case pointsto.Inst, pointsto.Decl:
		for _, n := range e.File.Lang.SetItem {
			c := g.ClassOf(v)
			if c == nil {
				continue
			}
			found, _ := g.Member(c, g.Names.Intern(n))
			for _, m := range found {
				if fn := g.Func(m.ID); m.Kind == ir.FuncMember && fn != nil && fn.Flags&ir.Getter == 0 {
					e.Implicit(m.ID)
					e.PassSelf(m.ID, v)
					e.Pass(m.ID, len(fn.Params)-1, s)
					break
				}
			}
		}
	}
}

// Elements is what a loop over a value yields.
func (e *Evaluator) Elements(s pointsto.Set, n *ir.Node) pointsto.Set {
	g := e.Family
	if e.tooDeep() {
		return 0
	}
	defer e.up()
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		if s, ok := e.Lang.Elements(e, v, n); ok {
			out = g.Union(out, s)
			continue
		}
		switch i.Kind {
		case pointsto.Generic:
			args := g.Args(i.Args)
			word := g.Names.Text[i.ID]
			switch {
			case len(args) == 0 || word == "func" || word == program.ExtensionForm:
			case e.WantsKey(n):
				out = g.Union(out, args[0])
			case word == "tuple":
				for _, a := range args {
					out = g.Union(out, a)
				}
			default:
				out = g.Union(out, e.Stored(i.ID, args[len(args)-1]))
			}
		case pointsto.Object:
			out = g.Union(out, e.GetItem(edge.ID(i.ID), pointsto.SomeItem))
		case pointsto.External:
			out = g.Union(out, g.Values.Single(v))
		case pointsto.Inst, pointsto.Decl:
			c := g.ClassOf(v)
			if c == nil {
				continue
			}
			if c.Target != 0 {
				e.inside(v, func() { out = g.Union(out, e.Elements(c.Target, n)) })
				continue
			}
			it := e.Operator(v, e.File.Lang.Iterate...)
			for _, w := range g.Elems(it) {
				if k := g.ClassOf(w); k != nil {
					out = g.Union(out, e.Operator(w, e.File.Lang.Advance...))
				} else {
					out = g.Union(out, e.Elements(g.Values.Single(w), n))
				}
			}
		}
	}
	return out
}

// WantsKey reports whether an element of a loop is the key.
func (e *Evaluator) WantsKey(n *ir.Node) bool {
	return n != nil && n.Name != 0 && e.File.IR.String(n.Name) == "key"
}

// HasAny reports whether a class has a member of one of some names.
func (e *Evaluator) HasAny(c *program.Class, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		_, at := e.Family.Member(c, e.Family.Names.Intern(n))
		return at >= 0
	})
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
		e.Implicit(run.ID)
		e.PassSelf(run.ID, v)
		out = e.Family.Union(out, e.Instantiate(e.Returned(run.ID, v, nil), v, &e.Family.MRO(c)[at]))
	}
	return out
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
	e.typeRefs(typ)
	t := e.Typ(typ)
	if t == 0 {
		return s
	}
	return e.narrow(s, t)
}

// ClassesOf are the classes of values.
func (e *Evaluator) ClassesOf(s pointsto.Set) pointsto.Set {
	out := pointsto.Set(0)
	for _, v := range e.Family.Elems(s) {
		i := e.Family.Values.Info[v]
		switch i.Kind {
		case pointsto.Inst, pointsto.Decl:
			out = e.Family.Union(out, e.Single(pointsto.Info{Kind: pointsto.Class, ID: i.ID}))
		case pointsto.Class:
			out = e.Family.Union(out, e.Family.Values.Single(v))
		}
	}
	return out
}

func (e *Evaluator) decorate(n *ir.Node) pointsto.Set {
	g := e.Family
	inner := e.Eval(n.B)
	decorators := e.Eval(n.A)
	out := pointsto.Set(0)
	for _, d := range g.Elems(decorators) {
		switch i := g.Values.Info[d]; i.Kind {
		case pointsto.Func, pointsto.Bound, pointsto.Class:
			out = g.Union(out, e.apply(d, inner, n))
		case pointsto.Inst, pointsto.Decl:
			out = g.Union(out, e.apply(d, inner, n))
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
		if s, found, rule := e.Free(c.Name); found {
			out = e.CallValues(c, s, rule)
		}
	}
	e.conclude(c)
	return out
}
