package python

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// definition lowers a function or class with its decorators.
func (l *lowerer) definition(n syntax.Node) {
	t := l.t
	var d decorators
	if t.Kind(n) == "decorated_definition" {
		for c := range t.NamedChildren(n) {
			if t.Kind(c) == "decorator" {
				l.decorator(t.NamedChild(c, 0), &d)
			}
		}
		n = t.Child(n, "definition")
	}
	id := t.Child(n, "name")
	switch t.Kind(n) {
	case "function_definition":
		f := l.function(n, id, &d)
		l.define(ir.Member{Kind: ir.FuncMember, Ref: uint32(f), Static: d.flags&(ir.Static|ir.ClassMethod) != 0}, id, d.list)
	case "class_definition":
		c := l.class(n, id, &d)
		l.define(ir.Member{Kind: ir.ClassMember, Ref: uint32(c), Static: true}, id, d.list)
	}
}

// define binds a name to a function or class, as its decorators leave it.
func (l *lowerer) define(m ir.Member, id syntax.Node, decorators []ir.Expr) {
	if id == 0 {
		return
	}
	s, pos := l.id(id), l.t.Start(id)
	value := func() ir.Expr {
		var x ir.Expr
		if m.Kind == ir.ClassMember {
			x = l.b.ClassX(ir.Class(m.Ref), pos)
		} else {
			x = l.b.Lambda(ir.Func(m.Ref), pos)
		}
		x = l.implicit(x)
		for i := len(decorators) - 1; i >= 0; i-- {
			x = l.b.Binary(ir.Decorate, decorators[i], x, pos)
		}
		return x
	}
	m.Name, m.Exported = s, l.exported(s)
	m.Static = m.Static && l.frame.class != 0
	switch {
	case l.frame.class != 0:
		l.name(s).class = l.frame.class
		l.b.Define(m, pos)
		if len(decorators) > 0 {
			l.b.Bind(l.b.Attr(l.b.ClassX(l.frame.class, pos), l.text(s), pos), value())
		}
	case !l.frame.inFunc:
		l.b.Define(m, pos)
		if at := *l.slot(s); at.module && at.many {
			x := l.version(s, pos)
			l.b.Bind(x, value())
			if len(decorators) > 0 {
				l.b.Bind(l.free(s, pos), x)
			}
		} else if len(decorators) > 0 {
			l.b.Bind(l.free(s, pos), value())
		}
	default:
		target := l.assign(s, pos)
		x := value()
		if m.Kind == ir.ClassMember {
			l.stands(target, l.b.ClassX(ir.Class(m.Ref), pos))
		}
		l.b.Bind(target, x)
	}
}

// decorators are what stands before a definition.
type decorators struct {
	list  []ir.Expr // in the order of the text; applied from the last one on
	flags ir.FuncFlag
	once  bool // contextmanager
}

// decorator reads one decorator: some say what kind of method it is, and change
// nothing else.
func (l *lowerer) decorator(n syntax.Node, d *decorators) {
	t := l.t
	last := n
	if t.Kind(n) == "attribute" {
		last = t.Child(n, "attribute")
	}
	switch string(t.Bytes(last)) {
	case "property":
		d.flags |= ir.Getter
		return
	case "cached_property", "lazyproperty", "reify":
		d.flags |= ir.Getter
	case "abstractproperty":
		d.flags |= ir.Getter | ir.Abstract
	case "staticmethod":
		d.flags |= ir.Static
		return
	case "classmethod":
		d.flags |= ir.ClassMethod
		return
	case "abstractmethod":
		d.flags |= ir.Abstract
	case "overload":
		d.flags |= ir.Prototype
	case "setter", "deleter":
		if last == n {
			break
		}
		d.flags |= ir.Setter
		return
	case "getter":
		if last == n {
			break
		}
		d.flags |= ir.Getter
		return
	case "contextmanager", "asynccontextmanager":
		d.once = true
	}
	x := l.expr(n)
	if lastName(t, called(t, n)) == "fixture" {
		// pytest calls it, for the parameters of its name.
		d.flags |= ir.Entry
		l.keep(x)
		return
	}
	if x == 0 {
		return
	}
	if d.once || d.flags != 0 && t.Kind(n) != "call" {
		l.keep(x)
		return
	}
	d.list = append(d.list, x)
}

// resultType lowers a declared result. What __await__ gives is what its generator
// returns, the last argument of the type.
func (l *lowerer) resultType(n, id syntax.Node) ir.Expr {
	t := l.t
	if inner := t.NamedChild(n, 0); t.Kind(inner) == "generic_type" && string(t.Bytes(id)) == "__await__" {
		var last syntax.Node
		for c := range t.NamedChildren(t.ChildOf(inner, "type_parameter")) {
			last = c
		}
		return l.typ(last)
	}
	return l.typ(n)
}

// called is the function of a call, or the node itself.
func called(t *syntax.Tree, n syntax.Node) syntax.Node {
	if t.Kind(n) == "call" {
		return t.Child(n, "function")
	}
	return n
}

// function lowers a definition of a function or method.
func (l *lowerer) function(n, id syntax.Node, d *decorators) ir.Func {
	t := l.t
	class := l.frame.class
	params := l.params(t.Child(n, "parameters"), t.Child(n, "type_parameters"))
	var result ir.Expr
	if r := t.Child(n, "return_type"); r != 0 {
		result = l.resultType(r, id)
	}
	name, pos := "", t.Start(n)
	if id != 0 {
		name, pos = l.text(l.id(id)), t.Start(id)
	}
	flags := d.flags | l.nameFlags(name)
	f := l.b.BeginFunc(name, pos)
	was := l.enterFunc(n)
	if t.ChildOf(n, "async") != 0 {
		flags |= ir.Async
	}
	info := l.b.FuncInfo(f)
	info.Start = uint32(t.Start(n))
	info.Flags = flags
	info.SetDecorators(d.list)
	info.SetTypeParams(l.takeTypes(class))
	if result != 0 {
		info.Results = []ir.Expr{result}
	}
	l.frame.once = d.once
	l.bindParams(f, params, class != 0 && flags&ir.Static == 0)
	if class != 0 {
		l.frame.self, l.frame.of = l.b.FuncInfo(f).Self, class
	}
	l.stmts(t.Child(n, "body"))
	l.leave(was)
	if class != 0 && result == 0 && l.returnsReceiver(f) {
		l.b.FuncInfo(f).Results = []ir.Expr{l.implicit(l.receiverType(pos))}
	}
	l.b.EndFunc(t.End(n))
	return f
}

// returnsReceiver reports whether all that a method returns is its receiver or, for
// a method of the class, a new instance of it.
func (l *lowerer) returnsReceiver(f ir.Func) bool {
	info, found := l.b.FuncInfo(f), false
	if info.Self == 0 || info.Flags&ir.Generator != 0 {
		return false
	}
	for _, s := range l.b.Raw().Body(f) {
		if s.Op != ir.Return {
			continue
		}
		x := l.b.Raw().Exprs[s.A]
		if x.Op == ir.Call && info.Flags&ir.ClassMethod != 0 {
			x = l.b.Raw().Exprs[x.A]
		} else if info.Flags&ir.ClassMethod != 0 {
			return false
		}
		if x.Op != ir.Local || ir.Var(x.Ref) != info.Self {
			return false
		}
		found = true
	}
	return found
}

// nameFlags says what the name of a function tells about it.
func (l *lowerer) nameFlags(name string) ir.FuncFlag {
	class := l.frame.class
	switch {
	case class == 0 && !l.frame.inFunc && strings.HasPrefix(name, "test_"):
		return ir.TestFunc
	case class == 0:
		return 0
	}
	switch name {
	case "__init__", "__post_init__":
		return ir.Constructor
	case "__new__":
		return ir.Constructor | ir.ClassMethod
	case "__init_subclass__", "__class_getitem__":
		return ir.ClassMethod
	}
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") && len(name) > 4 {
		return ir.Operator
	}
	if strings.HasPrefix(name, "test") {
		return ir.TestFunc
	}
	return 0
}

// method makes a method of a lambda that is assigned to a name in a class.
func (l *lowerer) method(x ir.Expr) {
	if x == 0 || l.b.Raw().Exprs[x].Op != ir.Lambda {
		return
	}
	f := l.b.FuncInfo(ir.Func(l.b.Raw().Exprs[x].Ref))
	f.Class = l.frame.class
	if len(f.Params) > 0 && f.Params[0].Kind == ir.Positional {
		f.Self, f.Params = f.Params[0].Var, f.Params[1:]
	}
}

func (l *lowerer) lambda(n syntax.Node) ir.Expr {
	t := l.t
	params := l.params(t.Child(n, "parameters"), 0)
	outer := l.b.Func()
	f := l.b.BeginFunc("", t.Start(n))
	l.b.FuncInfo(f).Class = 0
	if outer != 1 {
		l.b.FuncInfo(f).Outer = outer
	}
	was := l.enterFunc(n)
	l.bindParams(f, params, false)
	l.b.Return(l.expr(t.Child(n, "body")))
	l.leave(was)
	l.b.EndFunc(t.End(n))
	return l.b.Lambda(f, t.Start(n))
}

// A param is a parameter before the function has begun: its type and default
// belong to the code around.
type param struct {
	name ir.Str
	pos  int
	typ  ir.Expr
	def  ir.Expr
	kind ir.ParamKind
}

func (l *lowerer) params(n, typeParams syntax.Node) []param {
	t := l.t
	l.types = l.types[:0]
	l.typeParams(typeParams)
	var list []param
	kind := ir.Positional
	for c := range t.NamedChildren(n) {
		id := paramName(t, c)
		if id == 0 {
			if t.Kind(c) == "keyword_separator" {
				kind = ir.KwOnly
			} else if t.Kind(c) == "ERROR" || t.Kind(c) == "tuple_pattern" {
				l.keep(l.unknown(c))
			}
			continue
		}
		p := param{name: l.id(id), pos: t.Start(id), kind: kind}
		splat := c
		switch t.Kind(c) {
		case "typed_parameter":
			splat = t.NamedChild(c, 0)
			p.typ = l.typ(t.Child(c, "type"))
		case "typed_default_parameter":
			p.typ = l.typ(t.Child(c, "type"))
			p.def = l.fallback(t.Child(c, "value"))
		case "default_parameter":
			p.def = l.fallback(t.Child(c, "value"))
		}
		switch t.Kind(splat) {
		case "list_splat_pattern":
			p.kind, kind = ir.Variadic, ir.KwOnly
		case "dictionary_splat_pattern":
			p.kind = ir.KwVariadic
		}
		list = append(list, p)
	}
	return list
}

// fallback lowers the default of a parameter. It is evaluated by the code around,
// where the function is written.
func (l *lowerer) fallback(n syntax.Node) ir.Expr {
	x := l.expr(n)
	x, _ = l.twice(x, l.t.Start(n))
	return x
}

// bindParams declares the parameters of the current function.
func (l *lowerer) bindParams(f ir.Func, list []param, method bool) {
	for i, p := range list {
		at := l.slot(p.name)
		if at.v == 0 || at.block != l.frame.block {
			v := l.variable(p.name, p.pos)
			l.set(p.name, slot{v: v, base: v, block: l.frame.block})
		}
		at = l.slot(p.name)
		at.bound = true
		v := at.v
		l.b.VarInfo(v).Type = p.typ
		info := l.b.FuncInfo(f)
		if method && i == 0 && p.kind == ir.Positional {
			info.Self = v
			continue
		}
		info.Params = append(info.Params, ir.Param{Var: v, Name: p.name, Type: p.typ, Default: p.def, Kind: p.kind})
	}
}
