package lower

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// class lowers a class, interface, enum or object with a name.
func (l *lowerer) class(n syntax.Node) {
	nameNode := l.ChildOf(n, "type_identifier", "simple_identifier")
	if !l.Enter(nameNode) {
		l.Eval(l.unknown(n))
		return
	}
	defer l.Leave()
	m := l.modifiers(n)
	name, pos := l.ident(nameNode), l.Start(nameNode)
	kind := ir.PlainClass
	for c := range l.Children(n) {
		switch l.Kind(c) {
		case "interface":
			kind = ir.Interface
		case "enum":
			kind = ir.Enum
		case "object":
			kind = ir.Singleton
		}
	}
	outer, v := l.Class(), l.LocalClass(name, pos)
	l.annotate(m.list)
	body := l.ChildOf(n, "class_body", "enum_class_body")
	if body == 0 {
		body = l.swallowedBody(n)
	}
	c := l.EnterClass(n, name, kind, pos, func() map[string]bool { return l.fieldNames(n, body) })
	params := l.typeParams(n)
	l.ClassInfo(c).Private, l.ClassInfo(c).TypeParams = m.private, params
	l.members(n, body)
	l.LeaveClass(n)
	if v != 0 {
		l.Bind(l.Local(v, pos), l.ClassX(c, pos))
		return
	}
	l.DefineClass(c, outer != 0 && !m.inner, !m.private, pos)
}

func (l *lowerer) fieldNames(n, body syntax.Node) map[string]bool {
	names := map[string]bool{}
	for c := range l.OfKind(body, "property_declaration") {
		if d := l.ChildOf(c, "variable_declaration"); d != 0 {
			names[l.ident(l.NamedChild(d, 0))] = true
		}
	}
	for p := range l.NamedChildren(l.ChildOf(n, "primary_constructor")) {
		if l.ChildOf(p, "binding_pattern_kind") != 0 {
			names[l.ident(l.ChildOf(p, "simple_identifier"))] = true
		}
	}
	return names
}

// swallowedBody finds the body of "class A : B by x { ... }", which the grammar
// takes for a lambda that is passed to x.
func (l *lowerer) swallowedBody(n syntax.Node) syntax.Node {
	var last syntax.Node
	for c := range l.OfKind(n, "delegation_specifier") {
		last = c
	}
	call := l.ChildOf(l.ChildOf(last, "explicit_delegation"), "call_expression")
	literal := l.trailingLambda(call)
	if literal == 0 {
		return 0
	}
	if s := l.ChildOf(literal, "statements"); s != 0 {
		return s
	}
	return literal
}

func (l *lowerer) trailingLambda(call syntax.Node) syntax.Node {
	return l.ChildOf(l.ChildOf(l.ChildOf(call, "call_suffix"), "annotated_lambda"), "lambda_literal")
}

// components are the fields component1 and so on of a data class, which a
// destructuring takes, for its properties.
func (l *lowerer) components(properties []initial) []initial {
	var list []initial
	for i, p := range properties {
		v := l.Declare("component"+strconv.Itoa(i+1), l.Start(p.param))
		l.VarInfo(v).Type = l.VarInfo(p.field).Type
		list = append(list, initial{field: v, param: p.param})
	}
	return list
}

// bases adds what a class extends and implements. Their arguments and delegates
// are evaluated later, by the constructor: see construct.
func (l *lowerer) bases(n syntax.Node) {
	isInterface := l.ClassInfo(l.Class()).Kind == ir.Interface
	for c := range l.OfKind(n, "delegation_specifier") {
		part := l.NamedChild(c, 0)
		switch l.Kind(part) {
		case "constructor_invocation":
			l.AddBase(l.Class(), l.typ(l.ChildOf(part, "user_type")), ir.Extend)
		case "explicit_delegation":
			l.AddBase(l.Class(), l.typeIn(part), ir.Implement)
			l.Declare(delegateField, l.Start(part))
		default:
			if isInterface {
				l.AddBase(l.Class(), l.typ(part), ir.Extend)
			} else {
				l.AddBase(l.Class(), l.typ(part), ir.Implement)
			}
		}
	}
}

// delegateField is the field that holds what a class delegates to by its head.
const delegateField = "<by>"

// members lowers what is in a class: first what it declares, then the code that
// runs when it is made.
func (l *lowerer) members(n, body syntax.Node) {
	l.bases(n)
	var list []initial
	primary := l.ChildOf(n, "primary_constructor")
	for p := range l.NamedChildren(primary) {
		if l.Kind(p) != "class_parameter" || l.ChildOf(p, "binding_pattern_kind") == 0 {
			continue
		}
		nameNode := l.ChildOf(p, "simple_identifier")
		if nameNode == 0 {
			continue
		}
		v := l.addField(nameNode, l.typeIn(p), false, !l.modifiers(p).private)
		list = append(list, initial{field: v, param: nameNode})
	}
	if l.hasWord(l.ChildOf(n, "modifiers"), "data") {
		list = append(list, l.components(list)...)
	}
	list = append(list, l.declarations(body, false)...)
	l.construct(n, primary, list)
}

// An initial is code that runs when an instance is made: a field that takes a
// parameter or the value of an expression, or the body of an init block.
type initial struct {
	field    ir.Var
	param    syntax.Node
	value    syntax.Node
	delegate bool
	block    syntax.Node
}

// declarations lowers the members in a body and returns what there is to run.
func (l *lowerer) declarations(body syntax.Node, static bool) []initial {
	var list []initial
	var nodes []syntax.Node
	for c := range l.NamedChildren(body) {
		nodes = append(nodes, c)
	}
	for i, c := range nodes {
		switch l.Kind(c) {
		case "property_declaration":
			j := i + 1
			for j < len(nodes) && (l.Kind(nodes[j]) == "getter" || l.Kind(nodes[j]) == "setter") {
				j++
			}
			list = append(list, l.property(c, nodes[i+1:j], static)...)
		case "function_declaration":
			l.function(c, static)
		case "secondary_constructor":
			l.secondaryConstructor(c)
		case "anonymous_initializer":
			list = append(list, initial{block: c})
		case "companion_object":
			l.companion(c)
		case "enum_entry":
			l.enumEntry(c)
		case "class_declaration", "object_declaration":
			l.class(c)
		case "type_alias":
			l.typeAlias(c)
		case "statements", "ERROR":
			if l.Enter(c) {
				list = append(list, l.declarations(c, static)...)
				l.Leave()
			}
		case "getter", "setter", "modifiers", "simple_identifier":
		default:
			list = append(list, initial{block: c})
		}
	}
	return list
}

// addField declares a property with storage.
func (l *lowerer) addField(nameNode syntax.Node, typ ir.Expr, static, exported bool) ir.Var {
	return l.AddField(l.ident(nameNode), l.Start(nameNode), typ, 0, static, exported)
}

// companion lowers a companion object: its members are the class's own.
func (l *lowerer) companion(n syntax.Node) {
	class := l.Class()
	if class == 0 || !l.Enter(n) {
		return
	}
	defer l.Leave()
	nameNode := l.ChildOf(n, "type_identifier")
	name, pos := "Companion", l.Start(n)
	if nameNode != 0 {
		name, pos = l.ident(nameNode), l.Start(nameNode)
	}
	from := len(l.ClassInfo(class).Members)
	body := l.ChildOf(n, "class_body")
	if body == 0 {
		body = l.swallowedBody(n)
	}
	list := l.declarations(body, true)
	var own []ir.Member
	for _, m := range l.ClassInfo(class).Members[from:] {
		if m.Kind == ir.FuncMember {
			m.Static = false
			own = append(own, m)
		}
	}
	c := l.OpenClass(n, name, ir.Singleton, pos)
	l.ClassInfo(c).Members = own
	l.bases(n)
	l.EndClass(l.End(n))
	l.DefineClass(c, true, true, pos)

	// What runs when the class is loaded has no parameters to see.
	l.runEach(list)
}

// enumEntry is a static field that holds an instance of the enum, or of a class of
// its own that extends it.
func (l *lowerer) enumEntry(n syntax.Node) {
	nameNode := l.ChildOf(n, "simple_identifier")
	if nameNode == 0 || len(l.Classes) == 0 {
		return
	}
	class, pos := l.Classes[len(l.Classes)-1].Name, l.Start(nameNode)
	list := l.ChildOf(n, "value_arguments")
	body := l.ChildOf(n, "class_body")
	var init ir.Expr
	switch {
	case body != 0:
		args := append([]ir.Arg(nil), l.args(list)...)
		c := l.anonymous(n, body, l.ident(nameNode), l.Free(class, pos), pos)
		init = l.New(l.ClassX(c, pos), args, pos)
	case list != 0:
		init = l.New(l.Free(class, pos), l.args(list), pos)
	}
	v := l.addField(nameNode, l.Free(class, pos), true, true)
	l.VarInfo(v).Init = init
}

// anonymous lowers a class without a name; name is that of an enum's entry, or "".
func (l *lowerer) anonymous(n, body syntax.Node, name string, base ir.Expr, pos int) ir.Class {
	c := l.EnterClass(n, name, ir.PlainClass, pos, func() map[string]bool { return l.fieldNames(n, body) })
	l.AddBase(l.Class(), base, ir.Extend)
	l.members(n, body)
	l.LeaveClass(n)
	return c
}

// objectLiteral is object : Base(args) { ... }.
func (l *lowerer) objectLiteral(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	c := l.anonymous(n, l.ChildOf(n, "class_body"), "", 0, pos)
	x := l.New(l.ClassX(c, pos), nil, pos)
	return l.Flag(x, ir.Implicit) // it makes nothing that has a name
}

func (l *lowerer) typeAlias(n syntax.Node) {
	nameNode := l.ChildOf(n, "type_identifier")
	if nameNode == 0 || l.Class() == 0 && !l.AtTop() {
		return
	}
	m := l.modifiers(n)
	pos := l.Start(nameNode)
	c := l.OpenClass(n, l.ident(nameNode), ir.Alias, pos)
	params, target := l.typeParams(n), l.typeBound(n)
	info := l.ClassInfo(c)
	info.Private, info.TypeParams, info.Target = m.private, params, target
	l.EndClass(l.End(n))
	l.DefineClass(c, false, !m.private, pos)
}
