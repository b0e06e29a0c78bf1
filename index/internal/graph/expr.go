package graph

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// maxNesting bounds the depth of expressions and of chains of declarations.
const maxNesting = 400

// deeper goes one level down where values lead to values: a type that holds itself, an
// alias of itself. It reports whether that is too deep; if not, shallower comes back.
func (e *eval) deeper() bool {
	e.g.steps++
	if e.g.depth > maxNesting || e.g.steps > maxSteps {
		return true
	}
	e.g.depth++
	return false
}

func (e *eval) shallower() { e.g.depth-- }

// maxSteps bounds what one evaluation of a unit follows: a quarter of a second. No code
// that a compiler takes comes near it; declarations that go round in circles do.
const maxSteps = 2_000_000

// inside does something for the type that a value is made of, unless that is being
// done already: types that are made of each other lead back.
func (e *eval) inside(v value, do func()) {
	if slices.Contains(e.inner, v) {
		return
	}
	e.inner = append(e.inner, v)
	do()
	e.inner = e.inner[:len(e.inner)-1]
}

// eval returns the values of an expression, and makes the edges of the calls and
// references in it.
func (e *eval) eval(x ir.Expr) set {
	if x == 0 || e.g.depth > maxNesting {
		return 0
	}
	e.g.depth++
	s := e.expr(x)
	e.g.depth--
	return s
}

func (e *eval) expr(x ir.Expr) set {
	g, f := e.g, e.f.ir
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Local:
		return e.local(ir.Var(n.Ref))
	case ir.Name:
		if n.Flags&ir.Path != 0 {
			if s, ok := e.f.lang.PathHead(e, e.f.names[n.Name]); ok {
				return s
			}
		}
		s, rule := e.nameValue(n)
		e.refs(s, n, rule)
		return s
	case ir.Attr:
		recv := e.eval(n.A)
		s := e.attrSet(recv, n)
		if e.f.lang.separate && n.Flags&ir.Path == 0 {
			s = e.noMethods(s, e.f.names[n.Name])
		}
		e.refs(s, n, e.ruleOf(n.A, recv))
		return s
	case ir.Call, ir.New:
		return e.call(n)
	case ir.Index:
		e.eval(n.B)
		recv := e.eval(n.A)
		at := e.at
		e.at = n.Pos
		defer func() { e.at = at }()
		if s, ok := e.f.lang.Index(e, recv, n.B); ok {
			return s
		}
		if n.Name != 0 {
			return e.item(recv, f.String(n.Name))
		}
		return e.item(recv, someItem)
	case ir.Lit:
		if null := e.f.lang.null; null != "" && f.String(n.Name) == null {
			return 0
		}
		return e.external(e.f.names[n.Name])
	case ir.List, ir.Object:
		return e.literal(x, n)
	case ir.Lambda:
		return e.single(valueInfo{kind: vFunc, id: uint32(e.f.funcs[n.Ref])})
	case ir.ClassX:
		return e.single(valueInfo{kind: vClass, id: uint32(e.f.classes[n.Ref])})
	case ir.Union:
		s := set(0)
		for _, a := range f.Args[n.Lo:n.Hi] {
			s = g.union(s, e.eval(a.X))
		}
		return s
	case ir.This:
		return e.self(e.fn)
	case ir.Super:
		return e.super(n)
	case ir.Elem:
		s := e.eval(n.A)
		at := e.at
		e.at = n.Pos
		defer func() { e.at = at }()
		return e.elements(s, n)
	case ir.Await:
		s := e.eval(n.A)
		at := e.at
		e.at = n.Pos
		defer func() { e.at = at }()
		return e.await(s)
	case ir.Cast:
		return e.cast(e.eval(n.A), n.B)
	case ir.Assign:
		s := e.eval(n.B)
		e.bind(n.A, s)
		return s
	case ir.Result:
		return e.result(n)
	case ir.Imported:
		return e.imported(e.f, ir.Import(n.Ref), 0)
	case ir.Decorate:
		return e.decorate(n)
	case ir.Apply:
		return e.applied(x, n)
	case ir.Deref:
		return e.f.lang.Deref(e, e.eval(n.A))
	case ir.Opaque:
		if n.Name != 0 && e.f.lang.operatorFuncs {
			return e.operation(n)
		}
	case ir.TypeOf:
		if n.A == 0 {
			return e.classesOf(e.self(e.fn))
		}
		return e.classesOf(e.eval(n.A))
	case ir.Iter:
		return e.generic("iterator", e.eval(n.A))
	}
	var operands [2]set
	for i, a := range f.Args[n.Lo:n.Hi] {
		s := e.eval(a.X)
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
func (e *eval) operate(on, with set, n *ir.Node) set {
	at := e.at
	e.at = n.Pos
	defer func() { e.at = at }()
	out := set(0)
	for _, v := range e.g.elems(on) {
		switch e.g.values.info[v].kind {
		case vInst, vDecl:
			out = e.g.union(out, e.operatorOf(v, e.f.names[n.Name], with))
		case vExternal:
			out = e.g.union(out, e.reflected(v, e.f.names[n.Name], with))
		}
	}
	return out
}

// operatorOf calls a member that the language calls by itself, with one argument.
func (e *eval) operatorOf(v value, n name, with set) set {
	c := e.g.classOf(v)
	if c == nil {
		return 0
	}
	found, at := e.g.member(c, n)
	if at < 0 || found[0].kind != ir.FuncMember {
		return 0
	}
	e.implicit(found[0].id)
	e.passSelf(found[0].id, v)
	e.pass(found[0].id, 0, with)
	return e.returned(found[0].id, v, nil)
}

func (e *eval) single(i valueInfo) set { return e.g.values.single(e.g.values.intern(i)) }

func (e *eval) external(path name) set { return e.single(valueInfo{kind: vExternal, id: uint32(path)}) }

// generic is a built-in type with arguments.
func (e *eval) generic(word string, args ...set) set {
	return e.g.values.single(e.g.values.typed(valueInfo{kind: vGeneric, id: uint32(e.g.names.intern(word))}, args))
}

// literal is a list, dictionary or object. Where the language has types, it is a
// type with its elements; where it has none, a thing of its own, so that what was
// put under one key is not found under another.
func (e *eval) literal(x ir.Expr, n *ir.Node) set {
	g, f := e.g, e.f.ir
	if !e.f.lang.dynamic || e.n == 0 {
		if s, ok := e.f.lang.Literal(e, n); ok {
			return s
		}
		var all set
		for _, a := range f.Args[n.Lo:n.Hi] {
			s := e.eval(a.X)
			if a.Kind == ir.Spread {
				s = e.elements(s, n)
			}
			all = g.union(all, s)
		}
		word := f.String(n.Name)
		if word == "" {
			word = "list"
		}
		return e.generic(word, all)
	}
	if at := e.at; n.Pos != 0 { // of what is spread into it
		e.at = n.Pos
		defer func() { e.at = at }()
	}
	id := g.entity(entityKey{outer: e.f.funcs[e.f.rootOf(e.fn)], kind: objectNode, name: e.f.names[n.Name], nth: uint32(x)})
	for i, a := range f.Args[n.Lo:n.Hi] {
		s := e.eval(a.X)
		switch {
		case a.Kind == ir.KwSpread || a.Kind == ir.Spread && n.Op == ir.Object:
			for _, v := range g.elems(s) {
				e.copyItems(id, v)
			}
		case a.Kind == ir.Spread:
			e.putItem(id, someItem, e.elements(s, n))
		case a.Name != 0:
			e.putItem(id, f.String(a.Name), s)
		case n.Op == ir.Object:
			e.putItem(id, someItem, s)
		default:
			e.putItem(id, itemName(i), s)
		}
	}
	return e.single(valueInfo{kind: vObject, id: uint32(id)})
}

// rootOf returns the function that a unit begins with.
func (f *file) rootOf(fn ir.Func) ir.Func {
	for range maxNesting {
		outer := f.ir.Funcs[fn].Outer
		if outer == 0 {
			break
		}
		fn = outer
	}
	return max(fn, 1)
}

func (e *eval) putItem(id ID, key string, s set) {
	if s == 0 {
		return
	}
	e.write(cellKey{cItem, id, uint32(e.g.names.intern(key))}, s)
	e.write(cellKey{cItem, id, uint32(e.g.names.intern(anyItem))}, s)
}

func (e *eval) getItem(id ID, key string) set {
	if key == someItem {
		return e.cell(cellKey{cItem, id, uint32(e.g.names.intern(anyItem))})
	}
	return e.g.union(e.cell(cellKey{cItem, id, uint32(e.g.names.intern(key))}),
		e.cell(cellKey{cItem, id, uint32(e.g.names.intern(someItem))}))
}

// copyItems gives a literal what another value has, by keys that are not kept.
func (e *eval) copyItems(id ID, v value) {
	if i := e.g.values.info[v]; i.kind == vObject {
		e.write(cellKey{cItem, id, uint32(e.g.names.intern("copy"))}, e.single(i))
		return
	}
	e.putItem(id, someItem, e.elements(e.g.values.single(v), nil))
}

// item is what lies under a key, or under any.
func (e *eval) item(s set, key string) set {
	g := e.g
	if e.deeper() {
		return 0
	}
	defer e.shallower()
	out := set(0)
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		switch i.kind {
		case vObject:
			out = g.union(out, e.getItem(ID(i.id), key))
			if key != someItem {
				for _, from := range g.elems(e.cell(cellKey{cItem, ID(i.id), uint32(g.names.intern("copy"))})) {
					if from != v {
						out = g.union(out, e.getItem(ID(g.values.info[from].id), key))
					}
				}
			}
		case vGeneric:
			if s, ok := e.f.lang.Item(e, v, key); ok {
				out = g.union(out, s)
				continue
			}
			args := g.args(i.args)
			switch {
			case key == "Err": // of a Result that says what its errors are
				if len(args) > 1 {
					out = g.union(out, args[1])
				}
			case g.names.text[i.id] == "tuple" && len(args) > 1 && len(key) == 1 && int(key[0]-'0') < len(args):
				out = g.union(out, args[key[0]-'0'])
			case len(args) > 0:
				out = g.union(out, e.stored(i.id, args[len(args)-1]))
			}
		case vExternal:
			out = g.union(out, g.values.single(v))
		case vInst, vDecl:
			if c := g.classOf(v); c != nil && c.target != 0 {
				e.inside(v, func() { out = g.union(out, e.item(c.target, key)) })
			} else if c != nil {
				out = g.union(out, e.indexed(v))
			}
		}
	}
	return out
}

// indexed is an element of an instance by its operator of indexing.
func (e *eval) indexed(v value) set {
	out := e.operator(v, e.f.lang.getItem...)
	if out == 0 && e.f.lang.pointerIndex {
		return e.g.values.single(v) // through a pointer, or in an array
	}
	return out
}

func (e *eval) setItem(v value, key ir.Str, s set) {
	g := e.g
	i := g.values.info[v]
	switch i.kind {
	case vObject:
		k := e.f.ir.String(key)
		if key == 0 {
			k = someItem
		}
		e.putItem(ID(i.id), k, s)
	case vInst, vDecl:
		for _, n := range e.f.lang.setItem {
			c := g.classOf(v)
			if c == nil {
				continue
			}
			found, _ := g.member(c, g.names.intern(n))
			for _, m := range found {
				if fn := g.fn(m.id); m.kind == ir.FuncMember && fn != nil && fn.Flags&ir.Getter == 0 {
					e.implicit(m.id)
					e.passSelf(m.id, v)
					e.pass(m.id, len(fn.Params)-1, s)
					break
				}
			}
		}
	}
}

// elements is what a loop over a value yields.
func (e *eval) elements(s set, n *ir.Node) set {
	g := e.g
	if e.deeper() {
		return 0
	}
	defer e.shallower()
	out := set(0)
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		if s, ok := e.f.lang.Elements(e, v, n); ok {
			out = g.union(out, s)
			continue
		}
		switch i.kind {
		case vGeneric:
			args := g.args(i.args)
			word := g.names.text[i.id]
			switch {
			case len(args) == 0 || word == "func" || word == extensionForm:
			case e.wantsKey(n):
				out = g.union(out, args[0])
			case word == "tuple":
				for _, a := range args {
					out = g.union(out, a)
				}
			default:
				out = g.union(out, e.stored(i.id, args[len(args)-1]))
			}
		case vObject:
			out = g.union(out, e.getItem(ID(i.id), someItem))
		case vExternal:
			out = g.union(out, g.values.single(v))
		case vInst, vDecl:
			c := g.classOf(v)
			if c == nil {
				continue
			}
			if c.target != 0 {
				e.inside(v, func() { out = g.union(out, e.elements(c.target, n)) })
				continue
			}
			it := e.operator(v, e.f.lang.iterate...)
			for _, w := range g.elems(it) {
				if k := g.classOf(w); k != nil {
					out = g.union(out, e.operator(w, e.f.lang.advance...))
				} else {
					out = g.union(out, e.elements(g.values.single(w), n))
				}
			}
		}
	}
	return out
}

// wantsKey reports whether an element of a loop is the key.
func (e *eval) wantsKey(n *ir.Node) bool {
	return n != nil && n.Name != 0 && e.f.ir.String(n.Name) == "key"
}

func (e *eval) hasAny(c *class, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		_, at := e.g.member(c, e.g.names.intern(n))
		return at >= 0
	})
}

// operator calls a member that the language calls by itself, and returns its
// result.
func (e *eval) operator(v value, names ...string) set {
	c := e.g.classOf(v)
	if c == nil {
		return 0
	}
	out := set(0)
	for _, n := range names {
		found, at := e.g.member(c, e.g.names.intern(n))
		if at < 0 || found[0].kind != ir.FuncMember {
			continue
		}
		run := found[0]
		for _, m := range found { // an indexer reads and writes by one name
			if e.isGetter(m) {
				run = m
			}
		}
		e.implicit(run.id)
		e.passSelf(run.id, v)
		out = e.g.union(out, e.seen1(e.returned(run.id, v, nil), v, &e.g.lineOf(c)[at]))
	}
	return out
}

// await is what a promise, future or result holds.
func (e *eval) await(s set) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		if args := g.args(i.args); i.kind == vGeneric && len(args) > 0 {
			out = g.union(out, args[0])
			continue
		}
		if s, ok := e.f.lang.Await(e, v); ok {
			out = g.union(out, s)
			continue
		}
		out = g.union(out, g.values.single(v))
	}
	return out
}

// cast narrows to a type: to what of the values is of it, and the type itself.
func (e *eval) cast(s set, typ ir.Expr) set {
	e.typeRefs(typ)
	t := e.typ(typ)
	if t == 0 {
		return s
	}
	return e.narrow(s, t)
}

func (g *family) abstractType(c *class) bool {
	if c.abstract() {
		return true
	}
	for _, e := range c.bag.entries {
		if e.kind == ir.FuncMember {
			if fn := g.fn(e.id); fn != nil && fn.Flags&ir.Abstract != 0 {
				return true
			}
		}
	}
	return false
}

// open reports whether values flow into a place of the declared types, as a language
// has them: where they say what it is, they do not.
func (g *family) open(types set, l *lang) bool {
	if types == 0 {
		return true
	}
	for _, v := range g.elems(types) {
		i := g.values.info[v]
		switch i.kind {
		case vDecl:
			if c := g.classOf(v); c == nil || g.abstractType(c) || c.target != 0 {
				return true
			}
		case vInst:
			// A type over a function or container is as open as that.
			if c := g.classOf(v); c != nil && c.target != 0 && c.file.lang.converts && g.openTarget(c.target, 0) {
				return true
			}
		case vExternal:
			if !l.typed || !name(i.id).basic() {
				return true
			}
		case vParam, vFunc, vBound:
			return true
		case vGeneric:
			if g.isFunctionType(i) || i.args == 0 {
				return true
			}
			if _, ok := g.functionalOf(i); ok {
				return true
			}
			for _, a := range g.args(i.args) {
				if a != 0 && g.open(a, l) {
					return true
				}
			}
		}
	}
	return false
}

// openTarget is open of what a named type is made of. Numbers and strings hold
// nothing, and types may be made of themselves.
func (g *family) openTarget(types set, depth int) bool {
	if depth > maxDepth {
		return true
	}
	for _, v := range g.values.elems(types) {
		i := g.values.info[v]
		switch i.kind {
		case vDecl:
			return true
		case vInst:
			if c := g.classOf(v); c != nil && c.target != 0 && g.openTarget(c.target, depth+1) {
				return true
			}
		case vGeneric:
			if g.isFunctionType(i) || i.args == 0 {
				return true
			}
			for _, a := range g.values.args(i.args) {
				if g.openTarget(a, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// closed reports whether a variable's declared type says all of it.
func (f *file) closed(g *family, v ir.Var) bool {
	t := f.varTypes[v]
	return t != 0 && !g.open(t, f.lang)
}

// classesOf are the classes of values.
func (e *eval) classesOf(s set) set {
	out := set(0)
	for _, v := range e.g.elems(s) {
		i := e.g.values.info[v]
		switch i.kind {
		case vInst, vDecl:
			out = e.g.union(out, e.single(valueInfo{kind: vClass, id: i.id}))
		case vClass:
			out = e.g.union(out, e.g.values.single(v))
		}
	}
	return out
}

func (e *eval) decorate(n *ir.Node) set {
	g := e.g
	inner := e.eval(n.B)
	decorators := e.eval(n.A)
	out := set(0)
	for _, d := range g.elems(decorators) {
		switch i := g.values.info[d]; i.kind {
		case vFunc, vBound, vClass:
			out = g.union(out, e.apply(d, inner, n))
		case vInst, vDecl:
			out = g.union(out, e.apply(d, inner, n))
		default:
			out = g.union(out, inner)
		}
	}
	if decorators == 0 && !e.later(n.A) {
		out = inner
	}
	return out
}

// later reports whether an expression is a call of something in the index: what it
// gives may only be found out later.
func (e *eval) later(x ir.Expr) bool {
	n := &e.f.ir.Exprs[x]
	if n.Op != ir.Call {
		return false
	}
	e.mute++
	defer func() { e.mute-- }()
	for _, v := range e.g.elems(e.eval(n.A)) {
		switch e.g.values.info[v].kind {
		case vFunc, vBound, vClass:
			return true
		}
	}
	return false
}

// reflected is an operator on something outside the index: the method of the right
// operand, where that is an object of the project, or else a thing of the same kind.
func (e *eval) reflected(v value, n name, with set) set {
	g := e.g
	out := set(0)
	for _, w := range g.elems(with) {
		if k := g.values.info[w].kind; k == vInst || k == vDecl {
			out = g.union(out, e.operatorOf(w, g.names.intern("__r"+strings.TrimPrefix(g.names.text[n], "__")), g.values.single(v)))
		}
	}
	if out == 0 {
		return g.values.single(v)
	}
	return out
}

// operation is an operator with its operands: where one of them is an object of the
// project, it may be a function of it.
func (e *eval) operation(n *ir.Node) set {
	g, f := e.g, e.f.ir
	var args []argument
	object := false
	for _, a := range f.Args[n.Lo:n.Hi] {
		s := e.eval(a.X)
		args = append(args, argument{value: s, x: a.X})
		for _, v := range g.elems(s) {
			k := g.classOf(v)
			object = object || k != nil && k.info.Kind != ir.Enum && g.values.info[v].kind != vClass
		}
	}
	if !object || len(args) == 0 {
		return 0
	}
	c := &calling{node: n, name: e.f.names[n.Name], args: args[1:], quiet: true}
	at := e.at
	e.at = n.Pos
	defer func() { e.at = at }()
	out := set(0)
	for _, v := range g.elems(args[0].value) {
		if k := g.classOf(v); k != nil && g.values.info[v].kind != vClass {
			if list, where := g.member(k, c.name); where >= 0 && list[0].kind == ir.FuncMember {
				out = g.union(out, e.callInstance(c, v, k, 0, args[0].value, ByType))
			}
		}
	}
	if len(c.hits) == 0 && e.f.lang.freeOperators {
		c.args = args
		if s, found, rule := e.free(c.name); found {
			out = e.callValues(c, s, rule)
		}
	}
	e.conclude(c)
	return out
}
