package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// definition lowers a function or class with its decorators.
func (l *lowerer) definition(n syntax.Node) {
	var d decorators
	if l.Kind(n) == "decorated_definition" {
		for c := range l.OfKind(n, "decorator") {
			l.decorator(l.NamedChild(c, 0), &d)
		}
		n = l.Child(n, "definition")
	}
	id := l.Child(n, "name")
	switch l.Kind(n) {
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
	s, pos := l.id(id), l.Start(id)
	value := func() ir.Expr {
		var x ir.Expr
		if m.Kind == ir.ClassMember {
			x = l.ClassX(ir.Class(m.Ref), pos)
		} else {
			x = l.Lambda(ir.Func(m.Ref), pos)
		}
		l.Flag(x, ir.Implicit)
		for i := len(decorators) - 1; i >= 0; i-- {
			x = l.Binary(ir.Decorate, decorators[i], x, pos)
		}
		return x
	}
	if m.Kind == ir.FuncMember && l.FuncInfo(ir.Func(m.Ref)).Flags&ir.Prototype != 0 {
		value = func() ir.Expr { return 0 } // the name is that of the function after it
	}
	m.Name, m.Exported = s, l.exported(s)
	m.Static = m.Static && l.frame.class != 0
	switch {
	case l.frame.class != 0:
		l.name(s).class = l.frame.class
		l.Define(m, pos)
		if len(decorators) > 0 {
			l.Bind(l.Attr(l.ClassX(l.frame.class, pos), l.text(s), pos), value())
		}
	case !l.frame.inFunc:
		l.Define(m, pos)
		if at := *l.slot(s); at.module && at.many {
			x := l.version(s, pos)
			l.Bind(x, value())
			if len(decorators) > 0 {
				l.Bind(l.free(s, pos), x)
			}
		} else if len(decorators) > 0 {
			l.Bind(l.free(s, pos), value())
		}
	default:
		target := l.assign(s, pos)
		x := value()
		if m.Kind == ir.ClassMember {
			l.stands(target, l.ClassX(ir.Class(m.Ref), pos))
		}
		l.Bind(target, x)
	}
}

// decorators are what stands before a definition.
type decorators struct {
	list  []ir.Expr // in the order of the text; applied from the last one on
	flags ir.FuncFlag
	once  bool // contextmanager
	// passed is what pytest passes to a test
	passed []passed
}

// decorator reads one decorator: some say what kind of method it is, and change
// nothing else.
func (l *lowerer) decorator(n syntax.Node, d *decorators) {
	if l.parametrized(n, d) {
		return
	}
	last := n
	if l.Kind(n) == "attribute" {
		last = l.Child(n, "attribute")
	}
	switch string(l.Bytes(last)) {
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
	if l.lastName(l.callee(n)) == "fixture" {
		// pytest calls it, for the parameters of its name.
		d.flags |= ir.Entry
		l.Keep(x)
		return
	}
	if x == 0 {
		return
	}
	if d.once || d.flags != 0 && l.Kind(n) != "call" {
		l.Keep(x)
		return
	}
	d.list = append(d.list, x)
}

// resultType lowers a declared result. What __await__ gives is what its generator
// returns, the last argument of the type.
func (l *lowerer) resultType(n, id syntax.Node) ir.Expr {
	if inner := l.NamedChild(n, 0); l.Kind(inner) == "generic_type" && string(l.Bytes(id)) == "__await__" {
		last := l.LastChild(l.ChildOf(inner, "type_parameter"))
		return l.typ(last)
	}
	return l.typ(n)
}

// callee is the function of a call, or the node itself.
func (l *lowerer) callee(n syntax.Node) syntax.Node {
	if l.Kind(n) == "call" {
		return l.Child(n, "function")
	}
	return n
}

// function lowers a definition of a function or method.
func (l *lowerer) function(n, id syntax.Node, d *decorators) ir.Func {
	class := l.frame.class
	params := l.params(l.Child(n, "parameters"), l.Child(n, "type_parameters"))
	for i := range params {
		for _, given := range d.passed {
			if given.name == params[i].name {
				params[i].def, params[i].valued = l.Union(params[i].def, given.x), true
			}
		}
	}
	var result ir.Expr
	if r := l.Child(n, "return_type"); r != 0 {
		result = l.resultType(r, id)
	}
	name, pos := "", l.Start(n)
	if id != 0 {
		name, pos = l.text(l.id(id)), l.Start(id)
	}
	flags := d.flags | l.nameFlags(name)
	f := l.BeginFunc(name, pos)
	was := l.enterFunc(n)
	flags |= walk.When(l.ChildOf(n, "async") != 0, ir.Async)
	info := l.FuncInfo(f)
	info.Start = uint32(l.Start(n))
	info.Flags = flags
	info.SetDecorators(d.list)
	info.SetTypeParams(l.takeTypes(class))
	l.SetResult(f, result)
	l.frame.once = d.once
	l.bindParams(f, params, class != 0 && flags&ir.Static == 0)
	if class != 0 {
		l.frame.self, l.frame.of = l.FuncInfo(f).Self, class
	}
	l.stmts(l.Child(n, "body"))
	l.leave(was)
	if class != 0 && result == 0 && l.returnsReceiver(f) {
		l.FuncInfo(f).Results = []ir.Expr{l.Flag(l.receiverType(pos), ir.Implicit)}
	}
	l.EndFunc(l.End(n))
	return f
}

// returnsReceiver reports whether all that a method returns is its receiver or, for
// a method of the class, a new instance of it.
func (l *lowerer) returnsReceiver(f ir.Func) bool {
	info, found := l.FuncInfo(f), false
	if info.Self == 0 || info.Flags&ir.Generator != 0 {
		return false
	}
	for _, s := range l.Raw().Body(f) {
		if s.Op != ir.Return {
			continue
		}
		x := l.Raw().Exprs[s.A]
		if x.Op == ir.Call && info.Flags&ir.ClassMethod != 0 {
			x = l.Raw().Exprs[x.A]
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
	case class == 0 && !l.frame.inFunc && (name == "__getattr__" || name == "__dir__"):
		return ir.Operator // of the module
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
	if x == 0 || l.OpOf(x) != ir.Lambda {
		return
	}
	f := l.FuncInfo(ir.Func(l.Raw().Exprs[x].Ref))
	f.Class = l.frame.class
	if len(f.Params) > 0 && f.Params[0].Kind == ir.Positional {
		f.Self, f.Params = f.Params[0].Var, f.Params[1:]
	}
}

func (l *lowerer) lambda(n syntax.Node) ir.Expr {
	params := l.params(l.Child(n, "parameters"), 0)
	outer := l.Func()
	f := l.BeginFunc("", l.Start(n))
	l.FuncInfo(f).Class = 0
	if outer != 1 {
		l.FuncInfo(f).Outer = outer
	}
	was := l.enterFunc(n)
	l.bindParams(f, params, false)
	l.Return(l.expr(l.Child(n, "body")))
	l.leave(was)
	l.EndFunc(l.End(n))
	return l.Lambda(f, l.Start(n))
}

// A param is a parameter before the function has begun: its type and default
// belong to the code around.
type param struct {
	name   ir.Str
	pos    int
	typ    ir.Expr
	def    ir.Expr
	valued bool // the default is something other than None
	kind   ir.ParamKind
}

func (l *lowerer) params(n, typeParams syntax.Node) []param {
	l.types = l.types[:0]
	l.typeParams(typeParams)
	var list []param
	kind := ir.Positional
	for c := range l.NamedChildren(n) {
		id := l.paramName(c)
		if id == 0 {
			if l.Kind(c) == "keyword_separator" {
				kind = ir.KwOnly
			} else if l.Kind(c) == "ERROR" || l.Kind(c) == "tuple_pattern" {
				l.Keep(l.unknown(c))
			}
			continue
		}
		p := param{name: l.id(id), pos: l.Start(id), kind: kind}
		splat := c
		switch l.Kind(c) {
		case "typed_parameter":
			splat = l.NamedChild(c, 0)
			p.typ = l.typ(l.Child(c, "type"))
		case "typed_default_parameter":
			p.typ = l.typ(l.Child(c, "type"))
			p.def, p.valued = l.fallback(l.Child(c, "value"))
		case "default_parameter":
			p.def, p.valued = l.fallback(l.Child(c, "value"))
		}
		switch l.Kind(splat) {
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
// where the function is written. None is no value, but a default.
func (l *lowerer) fallback(n syntax.Node) (x ir.Expr, valued bool) {
	valued = l.Kind(n) != "none"
	if x = l.expr(n); x == 0 {
		return l.Expr(ir.Node{Op: ir.Opaque, Pos: l.Pos(l.Start(n))}), valued
	}
	x, _ = l.twice(x, l.Start(n))
	return x, valued
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
		l.VarInfo(v).Type = p.typ
		info := l.FuncInfo(f)
		if method && i == 0 && p.kind == ir.Positional {
			info.Self = v
			continue
		}
		info.Params = append(info.Params, ir.Param{Var: v, Name: p.name, Type: p.typ, Default: p.def, Kind: p.kind, Valued: p.valued})
	}
}
