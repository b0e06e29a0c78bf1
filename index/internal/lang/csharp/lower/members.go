package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// field adds a field to the class being written. Builder.Declare would look for
// an equal name first; enums with thousands of members have none.
func (l *lowerer) field(name string, typ, value syntax.Node, pos int, m ir.Member) ir.Var {
	v := l.Temp(pos)
	x := l.typ(typ)
	id := l.Str(name)
	info := l.VarInfo(v)
	info.Name, info.Type, info.Func = id, x, 0
	if l.Class() == 0 { // half-written code: a field outside of any class
		return v
	}
	if value != 0 {
		init := l.value(value, typ)
		l.VarInfo(v).Init = init
	}
	m.Name, m.Kind, m.Ref = id, ir.VarMember, uint32(v)
	c := l.ClassInfo(l.Class())
	c.Members = append(c.Members, m)
	return v
}

// fields lowers field and event declarations.
func (l *lowerer) fields(n syntax.Node) {
	mods := l.modifiers(n)
	for _, x := range l.attributes(n) {
		l.Eval(x)
	}
	list := l.ChildOf(n, "variable_declaration")
	typ := l.Child(list, "type")
	for d := range l.OfKind(list, "variable_declarator") {
		name := l.Child(d, "name")
		if name == 0 {
			continue
		}
		l.field(l.name(name), typ, l.after(d, "="), l.Start(name),
			ir.Member{Static: mods&modStatic != 0, Exported: l.exported(mods)})
	}
}

// property lowers a property or an indexer.
func (l *lowerer) property(n syntax.Node) {
	mods := l.modifiers(n)
	typ := l.Child(n, "type")
	name := l.Child(n, "name")
	word, pos := "this", l.Start(n)
	params := syntax.Node(0)
	if name != 0 {
		word, pos = l.name(name), l.Start(name)
	} else {
		for c := range l.Children(n) {
			if l.Kind(c) == "this" {
				pos = l.Start(c)
			}
		}
		params = l.Child(n, "parameters")
	}
	m := ir.Member{Static: mods&modStatic != 0, Exported: l.exported(mods)}
	via := walk.When(l.ChildOf(n, "explicit_interface_specifier") != 0, ir.Explicit)
	m.Exported = m.Exported || via != 0
	decorators := l.attributes(n)
	value := l.Child(n, "value")
	if l.Kind(value) == "arrow_expression_clause" {
		l.accessor(n, word, pos, typ, params, value, ir.Getter|via, m, decorators)
		return
	}
	code, get, set := false, false, false
	accessors := l.Child(n, "accessors")
	for a := range l.OfKind(accessors, "accessor_declaration") {
		code = code || l.Child(a, "body") != 0
		switch l.Kind(l.Child(a, "name")) {
		case "get":
			get = true
		case "set", "init":
			set = true
		}
	}
	abstract := l.iface && mods&modStatic == 0 || mods&modAbstract != 0 || name == 0
	if !code && !abstract {
		for _, x := range decorators {
			l.Eval(x)
		}
		l.field(word, typ, value, pos, m)
		return
	}
	if abstract && !code {
		if get {
			l.accessor(n, word, pos, typ, params, 0, ir.Getter|ir.Abstract|via, m, decorators)
		}
		if set {
			l.accessor(n, word, pos, typ, params, 0, ir.Setter|ir.Abstract|via, m, nil)
		}
		return
	}
	for a := range l.NamedChildren(accessors) {
		flag := ir.Getter
		switch l.Kind(l.Child(a, "name")) {
		case "get":
		case "set", "init":
			flag = ir.Setter
		default:
			continue
		}
		l.accessor(a, word, pos, typ, params, l.Child(a, "body"), flag|via, m, decorators)
		decorators = nil
	}
}

// accessor lowers the code of a property that is run by a read or an assignment.
func (l *lowerer) accessor(n syntax.Node, name string, pos int, typ, params, body syntax.Node, flags ir.FuncFlag, m ir.Member, decorators []ir.Expr) {
	flags |= walk.When(m.Static, ir.Static)
	f := l.BeginFunc(name, pos)
	l.params(params)
	if flags&ir.Setter != 0 {
		l.Param("value", l.typ(typ), 0, ir.Positional, l.Start(n))
	} else {
		l.SetResult(f, l.typ(typ))
	}
	info := l.FuncInfo(f)
	info.Flags = flags
	info.SetDecorators(decorators)
	if flags&ir.Setter != 0 {
		typ = 0
	}
	l.body(body, typ)
	l.EndFunc(l.End(n))
	m.Name, m.Kind, m.Ref = l.Str(name), ir.FuncMember, uint32(f)
	l.Define(m, pos)
}

// event lowers an event with code for adding and removing handlers: += calls it.
func (l *lowerer) event(n syntax.Node) {
	mods := l.modifiers(n)
	name := l.Child(n, "name")
	typ := l.Child(n, "type")
	m := ir.Member{Static: mods&modStatic != 0, Exported: l.exported(mods)}
	decorators := l.attributes(n)
	code := false
	for a := range l.NamedChildren(l.Child(n, "accessors")) {
		if body := l.Child(a, "body"); body != 0 {
			code = true
			l.accessor(a, l.name(name), l.Start(name), typ, 0, body, ir.Setter, m, decorators)
			decorators = nil
		}
	}
	if !code {
		l.field(l.name(name), typ, 0, l.Start(name), m)
	}
}

// method lowers a method, operator, conversion or finalizer.
func (l *lowerer) method(n syntax.Node) {
	mods := l.modifiers(n)
	name := l.Child(n, "name")
	result := l.Child(n, "returns")
	flags := ir.FuncFlag(0)
	word, pos := l.name(name), l.Start(name)
	switch l.Kind(n) {
	case "operator_declaration":
		op := l.Child(n, "operator")
		word, pos, result = l.Text(op), l.Start(op), l.Child(n, "type")
		flags |= ir.Operator
	case "conversion_operator_declaration":
		result = l.Child(n, "type")
		word, pos = "operator", l.Start(result)
		flags |= ir.Operator
	case "destructor_declaration":
		word = "~" + word
	}
	flags |= walk.When(l.isTest(n), ir.TestFunc)
	decorators := l.attributes(n)
	f := l.BeginFunc(word, pos)
	l.FuncInfo(f).SetDecorators(decorators)
	m := ir.Member{Kind: ir.FuncMember, Ref: uint32(f), Static: mods&modStatic != 0, Exported: l.exported(mods)}
	if l.ChildOf(n, "explicit_interface_specifier") != 0 {
		m.Exported = true // through the interface
		flags |= ir.Explicit
	}
	l.function(f, n, result, mods, flags)
	m.Name = l.FuncInfo(f).Name
	l.Define(m, pos)
}

// function lowers what follows the name of a function that has been begun, and
// ends it.
func (l *lowerer) function(f ir.Func, n, result syntax.Node, mods modifiers, flags ir.FuncFlag) {
	types := l.typeParams(n)
	extension := l.params(l.Child(n, "parameters"))
	if extension {
		l.extend(f)
		mods &^= modStatic
	}
	body := l.Child(n, "body")
	switch {
	case mods&modPrivate != 0:
		flags |= ir.Private
	}
	flags |= walk.When(mods&modStatic != 0, ir.Static)
	flags |= walk.When(mods&modAsync != 0, ir.Async)
	if body == 0 {
		switch {
		case mods&modPartial != 0:
			flags |= ir.Prototype
		case mods&modExtern == 0:
			flags |= ir.Abstract
		}
	}
	if word := l.Raw().String(l.FuncInfo(f).Name); word == "Main" && mods&modStatic != 0 {
		flags |= ir.Entry
	}
	x := l.typ(result)
	info := l.FuncInfo(f)
	info.SetTypeParams(types)
	info.Flags |= flags
	l.SetResult(f, x)
	if mods&modAsync != 0 {
		result = l.awaited(result)
	}
	l.body(body, result)
	l.EndFunc(l.End(n))
}

// extend makes a function an extension method: its first parameter is the receiver.
func (l *lowerer) extend(f ir.Func) {
	info := l.FuncInfo(f)
	if len(info.Params) == 0 || info.Params[0].Type == 0 {
		return
	}
	info.Flags |= ir.Extension
	info.Self, info.Recv = info.Params[0].Var, info.Params[0].Type
	info.Params = info.Params[1:]
}

// constructor lowers a constructor, with its call of another one.
func (l *lowerer) constructor(n syntax.Node) {
	mods := l.modifiers(n)
	name := l.Child(n, "name")
	pos := l.Start(name)
	decorators := l.attributes(n)
	f := l.BeginFunc(l.name(name), pos)
	flags := ir.Constructor
	if mods&modStatic != 0 {
		flags = ir.Static | ir.Private // run by the runtime, not by new
	}
	l.params(l.Child(n, "parameters"))
	info := l.FuncInfo(f)
	info.Flags = flags
	info.SetDecorators(decorators)
	if init := l.ChildOf(n, "constructor_initializer"); init != 0 {
		for c := range l.Children(init) {
			op := ir.This
			switch l.Kind(c) {
			case "base":
				op = ir.Super
			case "this":
			default:
				continue
			}
			at := l.Start(c)
			l.Eval(l.Call(l.Unary(op, 0, at), l.args(l.ChildOf(init, "argument_list")), at))
		}
	} else if mods&modStatic == 0 && l.Class() != 0 && len(l.ClassInfo(l.Class()).Bases) > 0 {
		l.implicit(l.Unary(ir.Super, 0, pos), pos)
	}
	l.body(l.Child(n, "body"), 0)
	l.EndFunc(l.End(n))
	l.DefineFunc(f, mods&modStatic != 0, l.exported(mods), pos)
}

// params lowers a list of parameters, and reports whether the first is that of an
// extension method.
func (l *lowerer) params(list syntax.Node) (extension bool) {
	var variadic bool
	var typ syntax.Node
	for c := range l.Children(list) {
		switch {
		case l.Kind(c) == "parameter":
			name := l.Child(c, "name")
			if name == 0 {
				continue
			}
			if l.modifiers(c)&modThis != 0 {
				extension = true
			}
			var def ir.Expr
			if value := l.after(c, "="); value != 0 {
				def = l.value(value, l.Child(c, "type"))
			}
			for _, x := range l.attributes(c) {
				l.Eval(x)
			}
			l.Param(l.name(name), l.typ(l.Child(c, "type")), def, ir.Positional, l.Start(name))
		case l.Kind(c) == "params":
			variadic = true
		case l.Field(c) == "type":
			typ = c
		case l.Field(c) == "name" && variadic:
			l.Param(l.name(c), l.typ(typ), 0, ir.Variadic, l.Start(c))
		}
	}
	return extension
}

// body lowers the body of a function with the declared result.
func (l *lowerer) body(n, result syntax.Node) {
	outer := l.result
	l.result = result
	switch l.Kind(n) {
	case "":
	case "block":
		l.block(n)
	case "arrow_expression_clause":
		l.Return(l.value(l.operand(n), result))
	default:
		l.Return(l.value(n, result))
	}
	l.result = outer
}
