package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// define binds a function or class to its name. PHP has no local ones: those
// written in a function are global once it has run.
func (l *lowerer) define(kind ir.MemberKind, ref uint32, name ir.Str) {
	m := ir.Member{Name: name, Kind: kind, Ref: ref, Static: true, Exported: true}
	f := l.Raw()
	if c := l.namespace(); c != 0 {
		f.Classes[c].Members = append(f.Classes[c].Members, m)
		return
	}
	f.Top = append(f.Top, m)
}

// namespace returns the namespace being written, in a file of several, or 0.
func (l *lowerer) namespace() ir.Class {
	f := l.Raw()
	for c := l.Enclosing(); c != 0; c = f.Classes[c].Outer {
		if f.Classes[c].Kind == ir.Namespace {
			return c
		}
	}
	return 0
}

// classDeclaration lowers a class, interface, trait or enum.
func (l *lowerer) classDeclaration(n syntax.Node, d doc) {
	name := l.Child(n, "name")
	if name == 0 {
		return
	}
	kind := ir.PlainClass
	switch l.Kind(n) {
	case "interface_declaration":
		kind = ir.Interface
	case "trait_declaration":
		kind = ir.Trait
	case "enum_declaration":
		kind = ir.Enum
	}
	c := l.classBody(n, l.Text(name), l.Start(name), kind, l.Child(n, "body"))
	info := l.ClassInfo(c)
	info.Func, info.Outer = 0, l.namespace()
	l.define(ir.ClassMember, uint32(c), info.Name)
}

// classBody lowers a class with the given name, "" for an anonymous one.
func (l *lowerer) classBody(n syntax.Node, name string, pos int, kind ir.ClassKind, body syntax.Node) ir.Class {
	decorators := l.attributes(n)
	c := l.BeginClass(name, kind, pos)
	cc := classContext{class: c, trait: kind == ir.Trait, test: strings.HasSuffix(name, "Test")}
	var bases []ir.Base
	for _, list := range [...]struct {
		kind string
		as   ir.BaseKind
	}{{"base_clause", ir.Extend}, {"class_interface_clause", ir.Implement}} {
		for b := range l.NamedChildren(l.ChildOf(n, list.kind)) {
			x := l.class(b)
			bases = append(bases, ir.Base{X: x, Kind: list.as})
			if list.as == ir.Extend && cc.parent == 0 {
				cc.parent = x
				cc.test = cc.test || strings.HasSuffix(l.Text(b), "TestCase")
			}
		}
	}
	info := l.ClassInfo(c)
	info.Bases, info.Decorators = bases, decorators
	l.classes = append(l.classes, cc)
	var comment syntax.Node
	for m := range l.Children(body) {
		switch {
		case l.Kind(m) == "comment":
			comment = m
			continue
		case l.Named(m):
			l.member(m, l.docOf(comment))
		}
		comment = 0
	}
	l.classes = l.classes[:len(l.classes)-1]
	l.EndClass(l.End(n))
	return c
}

// member lowers a member of a class.
func (l *lowerer) member(n syntax.Node, d doc) {
	switch l.Kind(n) {
	case "method_declaration":
		l.method(n, d)
	case "property_declaration":
		typ := l.typ(l.Child(n, "type"))
		if typ == 0 {
			typ = l.tagged(d, "@var")
		}
		l.evalAll(l.attributes(n))
		static := l.ChildOf(n, "static_modifier") != 0
		for p := range l.OfKind(n, "property_element") {
			name := l.ChildOf(p, "variable_name")
			l.field(l.Text(name), l.Start(name), typ, l.NamedChild(l.ChildOf(p, "property_initializer"), 0), static)
		}
	case "const_declaration":
		typ := l.typ(l.Child(n, "type"))
		for e := range l.OfKind(n, "const_element") {
			name := l.NamedChild(e, 0)
			l.field(l.Text(name), l.Start(name), typ, l.NamedChild(e, 1), true)
		}
	case "enum_case":
		name := l.Child(n, "name")
		v := l.field(l.Text(name), l.Start(name), 0, 0, true)
		x := l.ClassX(l.Class(), l.Start(name))
		l.VarInfo(v).Type = x
	case "use_declaration":
		l.traits(n)
	case "function_definition": // after text that does not parse
		l.functionDefinition(n, d)
	}
}

// field adds a property or constant to the class being written.
func (l *lowerer) field(name string, pos int, typ ir.Expr, value syntax.Node, static bool) ir.Var {
	init := l.expr(value)
	v := l.Temp(pos)
	id := l.Str(name)
	info := l.VarInfo(v)
	info.Name, info.Type, info.Init, info.Func = id, typ, init, 0
	c := l.ClassInfo(l.Class())
	c.Members = append(c.Members, ir.Member{Name: id, Kind: ir.VarMember, Ref: uint32(v), Static: static, Exported: true})
	return v
}

// traits lowers "use A, B { A::m insteadof B; B::m as n; }" in a class.
func (l *lowerer) traits(n syntax.Node) {
	var used []ir.Expr
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "name", "qualified_name":
			x := l.class(c)
			used = append(used, x)
			info := l.ClassInfo(l.Class())
			info.Bases = append(info.Bases, ir.Base{X: x, Kind: ir.Mixin})
		case "use_list":
			for r := range l.NamedChildren(c) {
				l.traitRule(r, used)
			}
		}
	}
}

// traitRule lowers a rule of a use: the method of one trait under a name.
func (l *lowerer) traitRule(n syntax.Node, used []ir.Expr) {
	first := l.NamedChild(n, 0)
	method, from := first, used
	if l.Kind(first) == "class_constant_access_expression" {
		from = []ir.Expr{l.class(l.NamedChild(first, 0))}
		method = l.NamedChild(first, 1)
	}
	name := method
	if l.Kind(n) == "use_as_clause" {
		name = 0
		for c := range l.NamedChildren(n) {
			if c != first && l.Kind(c) == "name" {
				name = c
			}
		}
		if name == 0 {
			return // only another visibility
		}
	}
	var values []ir.Expr
	for _, trait := range from {
		x := l.Attr(trait, l.Text(method), l.Start(method))
		l.Flag(x, ir.Path)
		values = append(values, x)
	}
	v := l.field(l.Text(name), l.Start(name), 0, 0, false)
	x := l.Union(values...)
	l.VarInfo(v).Init = x
}

// method lowers a method.
func (l *lowerer) method(n syntax.Node, d doc) {
	name := l.Child(n, "name")
	word, pos := l.Text(name), l.Start(name)
	cc := l.classes[len(l.classes)-1]
	flags := ir.FuncFlag(0)
	static := false
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "static_modifier":
			flags |= ir.Static
			static = true
		case "abstract_modifier":
			flags |= ir.Abstract
		case "visibility_modifier":
			flags |= walk.When(l.Is(c, "private"), ir.Private)
		}
	}
	body := l.Child(n, "body")
	flags |= walk.When(body == 0, ir.Abstract)
	flags |= walk.When(strings.EqualFold(word, "__construct"), ir.Constructor)
	decorators := l.attributes(n)
	flags |= walk.When(cc.test && strings.HasPrefix(word, "test") || d.has("@test") || l.hasAttribute(n, "Test"), ir.TestFunc)
	f := l.begin(word, pos, function)
	l.FuncInfo(f).SetDecorators(decorators)
	l.function(f, n, d, flags)
	l.DefineFunc(f, static, flags&ir.Private == 0, pos)
}

// begin begins a function with variables of its own.
func (l *lowerer) begin(name string, pos int, kind contextKind) ir.Func {
	f := l.BeginFunc(name, pos)
	l.push(f, kind)
	return f
}

// function lowers what follows the name of a function that has been begun, and
// ends it.
func (l *lowerer) function(f ir.Func, n syntax.Node, d doc, flags ir.FuncFlag) {
	l.FuncInfo(f).Flags |= flags
	l.params(l.Child(n, "parameters"), d)
	result := l.Child(n, "return_type")
	x := ir.Expr(0)
	switch {
	case l.Is(result, "static"), d.returnsSelf() && (result == 0 || l.Is(result, "self")):
		x = l.itself(l.Start(n))
	default:
		if x = l.typ(result); x == 0 && !l.Is(result, "void") {
			x = l.tagged(d, "@return")
		}
	}
	l.SetResult(f, x)
	l.uses(l.ChildOf(n, "anonymous_function_use_clause"))
	if body := l.Child(n, "body"); l.Kind(body) == "compound_statement" {
		l.stmts(body)
	} else {
		l.Return(l.expr(body))
	}
	if c := l.context(); x == 0 && c.self && !c.other && l.FuncInfo(f).Class != 0 {
		x = l.itself(l.Start(n))
		l.FuncInfo(f).Results = []ir.Expr{x}
	}
	l.pop()
	l.EndFunc(l.End(n))
}

// itself is the type of what returns the receiver or another one of its class.
func (l *lowerer) itself(pos int) ir.Expr {
	return l.Unary(ir.TypeOf, l.Unary(ir.This, 0, pos), pos)
}

// functionDefinition lowers a function with a name.
func (l *lowerer) functionDefinition(n syntax.Node, d doc) {
	name := l.Child(n, "name")
	decorators := l.attributes(n)
	f := l.begin(l.Text(name), l.Start(name), function)
	info := l.FuncInfo(f)
	info.SetDecorators(decorators)
	info.Outer = 0
	l.function(f, n, d, 0)
	l.define(ir.FuncMember, uint32(f), l.FuncInfo(f).Name)
}

// closure lowers a function literal.
func (l *lowerer) closure(n syntax.Node) ir.Expr {
	kind := function
	if l.Kind(n) == "arrow_function" {
		kind = arrow
	}
	pos := l.Start(n)
	l.evalAll(l.attributes(n))
	f := l.begin("", pos, kind)
	l.function(f, n, doc{}, 0)
	return l.Lambda(f, pos)
}

// uses lowers "use ($x, &$y)" of a closure: the variables are those around it.
func (l *lowerer) uses(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		if l.Kind(c) == "by_ref" {
			c = l.NamedChild(c, 0)
		}
		if l.Kind(c) != "variable_name" {
			continue
		}
		name := l.Text(c)
		inner := l.contexts[len(l.contexts)-1]
		l.contexts = l.contexts[:len(l.contexts)-1]
		v := l.narrow(name)
		if v == 0 {
			v = l.find(name, l.Start(c))
		}
		l.contexts = append(l.contexts, inner)
		inner.vars[name] = v
	}
}

// params lowers the parameters of a function. Those of a constructor with a
// visibility are properties, too.
func (l *lowerer) params(list syntax.Node, d doc) {
	for c := range l.NamedChildren(list) {
		name := l.Child(c, "name")
		if l.Kind(name) == "by_ref" {
			name = l.NamedChild(name, 0)
		}
		if name == 0 {
			continue
		}
		word, pos := l.Text(name), l.Start(name)
		kind := ir.Positional
		if l.Kind(c) == "variadic_parameter" {
			kind = ir.Variadic
		}
		l.evalAll(l.attributes(c))
		typ := l.typ(l.Child(c, "type"))
		if typ == 0 {
			typ = l.param(d, word)
		}
		v := l.Param(word, typ, l.expr(l.Child(c, "default_value")), kind, pos)
		l.context().vars[word] = v
		params := l.FuncInfo(l.Func()).Params
		params[len(params)-1].Name = l.Str(strings.TrimPrefix(word, "$"))
		if l.Kind(c) == "property_promotion_parameter" && len(l.classes) > 0 {
			l.promote(v, word, typ, pos)
		}
	}
}

// promote makes a parameter of a constructor a property, too.
func (l *lowerer) promote(param ir.Var, name string, typ ir.Expr, pos int) {
	f := l.Temp(pos)
	id := l.Str(name)
	info := l.VarInfo(f)
	info.Name, info.Type, info.Func = id, typ, 0
	c := l.ClassInfo(l.classes[len(l.classes)-1].class)
	c.Members = append(c.Members, ir.Member{Name: id, Kind: ir.VarMember, Ref: uint32(f), Exported: true})
	l.Bind(l.Attr(l.Unary(ir.This, 0, pos), name, pos), l.Local(param, pos))
}
