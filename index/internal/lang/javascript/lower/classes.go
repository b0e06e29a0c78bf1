package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// classDeclaration lowers a class with a name.
func (l *lowerer) classDeclaration(n syntax.Node, exported bool) {
	at := l.Child(n, "name")
	name, pos := l.Text(at), l.Start(at)
	if at == 0 {
		name, pos = "default", l.Start(n)
	}
	c := l.class(n, name, pos)
	l.defineClass(name, c, exported, pos)
}

func (l *lowerer) defineClass(name string, c ir.Class, exported bool, pos int) {
	l.define(ir.ClassMember, name, uint32(c), exported, l.Class() != 0, pos)
}

// class lowers a class of any form.
func (l *lowerer) class(n syntax.Node, name string, pos int) ir.Class {
	var decorators []ir.Expr
	for c := range l.OfKind(n, "decorator") {
		decorators = append(decorators, l.expr(l.NamedChild(c, 0)))
	}
	if name == "" {
		if at := l.Child(n, "name"); at != 0 {
			name, pos = l.Text(at), l.Start(at)
		}
	}
	bases := l.bases(n)
	own := syntax.Node(0) // the name of a class expression, known inside of it alone
	if l.Kind(n) == "class" {
		own = l.Child(n, "name")
	}
	var inner ir.Var
	if own != 0 {
		l.PushScope()
		inner = l.Declare(l.Text(own), l.Start(own))
		l.typeVar(inner)
	}
	c := l.BeginClass(name, ir.PlainClass, pos)
	l.ClassInfo(c).Decorators = decorators
	l.ClassInfo(c).Bases = bases
	if tp := l.typeParams(l.Child(n, "type_parameters")); tp != nil {
		l.ClassInfo(c).TypeParams = tp
	}
	l.pushThis(&receiver{kind: thisMethod})
	body := l.Child(n, "body")
	for m := range l.NamedChildren(body) {
		if l.Kind(m) == "method_definition" && l.Is(l.Child(m, "name"), "constructor") {
			l.parameterProperties(l.Child(m, "parameters"))
		}
	}
	var pending []ir.Expr // decorators, which the grammar puts before a method
	for m := range l.NamedChildren(body) {
		if l.Kind(m) == "decorator" {
			pending = append(pending, l.expr(l.NamedChild(m, 0)))
			continue
		}
		l.classMember(m, pending)
		pending = nil
	}
	l.popThis()
	l.EndClass(l.End(n))
	if own != 0 {
		value := l.Expr(ir.Node{Op: ir.ClassX, Ref: uint32(c), Flags: ir.Implicit, Pos: l.Pos(pos)})
		l.Bind(l.Local(inner, pos), value)
		l.PopScope()
	}
	return c
}

// bases lowers the extends and implements clauses. A base that is computed is
// also evaluated, for the calls in it.
func (l *lowerer) bases(n syntax.Node) []ir.Base {
	var list []ir.Base
	heritage := l.ChildOf(n, "class_heritage")
	for c := range l.NamedChildren(heritage) {
		switch l.Kind(c) {
		case "extends_clause":
			value := l.Child(c, "value")
			x := l.baseValue(value)
			if types := l.Child(c, "type_arguments"); types != 0 {
				x = l.Apply(x, "", l.typeArgs(types), l.calleePos(value))
			}
			list = append(list, ir.Base{X: x, Kind: ir.Extend})
		case "implements_clause":
			for t := range l.NamedChildren(c) {
				list = append(list, ir.Base{X: l.typ(t), Kind: ir.Implement})
			}
		default: // JavaScript has the expression alone
			list = append(list, ir.Base{X: l.baseValue(c), Kind: ir.Extend})
		}
	}
	return list
}

func (l *lowerer) baseValue(n syntax.Node) ir.Expr {
	x := l.expr(n)
	switch l.Kind(n) {
	case "identifier", "member_expression":
	default:
		l.Eval(x)
	}
	return x
}

// parameterProperties declares the fields that a constructor's parameters make.
func (l *lowerer) parameterProperties(params syntax.Node) {
	for p := range l.NamedChildren(params) {
		at := l.Child(p, "pattern")
		if l.Kind(at) != "identifier" || !l.isProperty(p) {
			continue
		}
		v := l.Declare(l.Text(at), l.Start(at))
		typ := l.typ(l.Child(p, "type"))
		l.VarInfo(v).Type = typ
	}
}

func (l *lowerer) classMember(n syntax.Node, decorators []ir.Expr) {
	switch l.Kind(n) {
	case "method_definition", "method_signature", "abstract_method_signature":
		l.method(n, decorators)
	case "public_field_definition", "field_definition":
		for _, d := range decorators {
			l.Eval(d)
		}
		l.field(n)
	case "class_static_block":
		f := l.BeginFunc("", l.Start(n))
		l.FuncInfo(f).Flags = ir.Static
		body := l.Child(n, "body")
		l.hoist(body)
		l.Each(body, l.stmt)
		l.EndFunc(l.End(n))
		l.define(ir.FuncMember, "", uint32(f), false, true, l.Start(n))
	case "ERROR":
		for c := range l.NamedChildren(n) {
			if !isType(l.Kind(c)) {
				l.Eval(l.expr(c))
			}
		}
	}
}

// methodFlags reads the words before a method's name.
func (l *lowerer) methodFlags(n syntax.Node) (flags ir.FuncFlag, static bool) {
	for c := range l.Children(n) {
		if l.Field(c) == "name" {
			flags |= walk.When(l.Kind(c) == "private_property_identifier", ir.Private)
			break
		}
		switch l.Kind(c) {
		case "static":
			flags, static = flags|ir.Static, true
		case "get":
			flags |= ir.Getter
		case "set":
			flags |= ir.Setter
		case "abstract":
			flags |= ir.Abstract
		case "accessibility_modifier":
			flags |= walk.When(l.Is(c, "private"), ir.Private)
		}
	}
	return flags, static
}

func (l *lowerer) method(n syntax.Node, decorators []ir.Expr) {
	at := l.Child(n, "name")
	name, pos := l.memberName(at), l.Start(at)
	flags, static := l.methodFlags(n)
	switch l.Kind(n) {
	case "abstract_method_signature":
		flags |= ir.Abstract
	case "method_signature":
		flags |= ir.Prototype
	}
	flags |= walk.When(name == "constructor" && !static, ir.Constructor)
	for c := range l.OfKind(n, "decorator") {
		decorators = append(decorators, l.expr(l.NamedChild(c, 0)))
	}
	f := l.function(n, name, flags, pos, &receiver{kind: thisMethod})
	l.FuncInfo(f).SetDecorators(decorators)
	l.define(ir.FuncMember, name, uint32(f), false, static, pos)
}

// memberName is the key of a member; one that is computed keeps its text.
func (l *lowerer) memberName(at syntax.Node) string {
	if name := l.key(at); name != "" {
		return name
	}
	if l.Kind(at) == "computed_property_name" {
		l.Eval(l.operand(l.NamedChild(at, 0)))
		return l.Text(at)
	}
	return ""
}

// field lowers a field. One whose value is a function is a method that every
// instance has of its own.
func (l *lowerer) field(n syntax.Node) {
	at := l.Child(n, "name")
	if at == 0 {
		at = l.Child(n, "property")
	}
	for c := range l.OfKind(n, "decorator") {
		l.Eval(l.expr(l.NamedChild(c, 0)))
	}
	name, pos := l.memberName(at), l.Start(at)
	flags, static := l.methodFlags(n)
	value := l.Child(n, "value")
	inner, declared := l.literal(value), l.Child(n, "type")
	x := ir.Expr(0)
	switch function := isFunction(l.Kind(inner)); {
	case function:
		f := l.function(inner, name, flags&^ir.Abstract, pos, &receiver{kind: thisMethod})
		if declared == 0 {
			l.define(ir.FuncMember, name, uint32(f), false, static, pos)
			return
		}
		x = l.Lambda(f, pos) // what is declared gives its parameters their types
	default:
		x = l.value(value, name)
	}
	v := l.Declare(name, pos)
	typ := l.typ(declared)
	info := l.VarInfo(v)
	info.Type, info.Init = typ, x
	if !static {
		return
	}
	members := l.ClassInfo(l.Class()).Members
	for i := len(members) - 1; i >= 0; i-- {
		if members[i].Kind == ir.VarMember && members[i].Ref == uint32(v) {
			members[i].Static = true
			break
		}
	}
}
