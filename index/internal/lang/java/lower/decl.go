package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// class lowers a class, interface, enum, record or annotation type.
func (l *lowerer) class(n syntax.Node) {
	nameNode := l.Child(n, "name")
	if !l.Enter(nameNode) {
		return
	}
	defer l.Leave()
	m := l.modifiers(n)
	name, pos := l.Text(nameNode), l.Start(nameNode)

	kind, static := ir.PlainClass, m.static
	switch l.Kind(n) {
	case "interface_declaration", "annotation_type_declaration":
		kind, static = ir.Interface, true
	case "enum_declaration":
		kind, static = ir.Enum, true
	case "record_declaration":
		static = true
	}

	// A class in a method is a variable that the method's code sees, itself included.
	outer, v := l.Class(), l.LocalClass(name, pos)
	// Annotations stand outside the class: they are read where it is written.
	l.annotate(m.annotations)
	c := l.beginClass(n, name, kind, pos)
	params := l.typeParams(l.Child(n, "type_parameters"))
	l.ClassInfo(c).Private, l.ClassInfo(c).TypeParams = m.private, params
	l.bases(c, n)
	body := l.Child(n, "body")
	if l.Kind(n) == "record_declaration" {
		l.record(n, body)
	}
	l.members(body, name)
	l.LeaveClass(n)

	if v != 0 {
		l.Bind(l.Local(v, pos), l.ClassX(c, pos))
		return
	}
	l.DefineClass(c, static && outer != 0, !m.private, pos)
}

func (l *lowerer) beginClass(n syntax.Node, name string, kind ir.ClassKind, pos int) ir.Class {
	return l.EnterClass(n, name, kind, pos, func() map[string]bool {
		body := l.Child(n, "body")
		if body == 0 {
			body = l.ChildOf(n, "class_body")
		}
		return l.fieldNames(body)
	})
}

func (l *lowerer) fieldNames(body syntax.Node) map[string]bool {
	names := map[string]bool{}
	for c := range l.OfKind(body, "field_declaration") {
		for d := range l.OfKind(c, "variable_declarator") {
			names[l.Text(l.Child(d, "name"))] = true
		}
	}
	return names
}

// bases are what a class extends and implements.
func (l *lowerer) bases(c ir.Class, n syntax.Node) {
	add := func(list syntax.Node, kind ir.BaseKind) {
		for t := range l.NamedChildren(list) {
			l.AddBase(c, l.typ(t), kind)
		}
	}
	for part := range l.NamedChildren(n) {
		switch l.Kind(part) {
		case "superclass":
			add(part, ir.Extend)
		case "super_interfaces":
			add(l.ChildOf(part, "type_list"), ir.Implement)
		case "extends_interfaces":
			add(l.ChildOf(part, "type_list"), ir.Extend)
		}
	}
}

// members lowers the body of a class. class is its name.
func (l *lowerer) members(body syntax.Node, class string) {
	l.Each(body, func(n syntax.Node) { l.member(n, body, class) })
}

func (l *lowerer) member(n, body syntax.Node, class string) {
	switch l.Kind(n) {
	case "field_declaration", "constant_declaration":
		l.field(n)
	case "method_declaration", "annotation_type_element_declaration":
		l.method(n, class)
	case "constructor_declaration", "compact_constructor_declaration":
		l.constructor(n)
	case "static_initializer":
		l.initializer(n, l.ChildOf(n, "block"), ir.Static)
	case "block":
		l.initializer(n, n, 0)
	case "enum_constant":
		l.enumConstant(n, body, class)
	case "enum_body_declarations", "ERROR":
		if l.Enter(n) {
			l.members(n, class)
			l.Leave()
		}
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration":
		l.class(n)
	case "local_variable_declaration", "expression_statement":
		// Half-written text: a statement where a member should be.
		l.initializer(n, n, 0)
	}
}

// initializer is a block that runs when the class or an instance is made: a
// function without a name that belongs to the class.
func (l *lowerer) initializer(n, block syntax.Node, flags ir.FuncFlag) {
	l.OpenFunc(n, "", l.Start(n), flags)
	if block == n && l.Kind(n) != "block" {
		l.stmt(n)
	} else {
		l.block(block)
	}
	l.EndFunc(l.End(n))
}

func (l *lowerer) field(n syntax.Node) {
	m := l.modifiers(n)
	static := m.static || l.Kind(n) == "constant_declaration" || l.inInterface()
	l.annotate(m.annotations)
	typeNode := l.Child(n, "type")
	for d := range l.OfKind(n, "variable_declarator") {
		nameNode := l.Child(d, "name")
		if nameNode == 0 {
			continue
		}
		typ := l.arrays(l.typ(typeNode), l.Child(d, "dimensions"), l.Start(typeNode))
		init := l.value(l.Child(d, "value"))
		l.addField(nameNode, typ, init, static, !m.private)
	}
}

func (l *lowerer) inInterface() bool {
	c := l.Class()
	return c != 0 && l.ClassInfo(c).Kind == ir.Interface
}

func (l *lowerer) addField(nameNode syntax.Node, typ, init ir.Expr, static, exported bool) {
	l.AddField(l.Text(nameNode), l.Start(nameNode), typ, init, static, exported)
}

// enumConstant is a static field that holds an instance of the enum, or of a
// class of its own that extends it.
func (l *lowerer) enumConstant(n, body syntax.Node, class string) {
	nameNode := l.Child(n, "name")
	if nameNode == 0 {
		return
	}
	pos := l.Start(nameNode)
	arguments, own := l.Child(n, "arguments"), l.Child(n, "body")
	var init ir.Expr
	switch {
	case own != 0:
		init = l.anonymous(n, own, l.Text(nameNode), l.Free(class, pos), l.args(arguments), pos)
	case arguments != 0 || l.hasConstructor(body):
		args := l.args(arguments)
		init = l.New(l.Free(class, pos), args, pos)
	}
	l.addField(nameNode, l.Free(class, pos), init, true, true)
}

func (l *lowerer) hasConstructor(body syntax.Node) bool {
	return l.ChildOf(l.ChildOf(body, "enum_body_declarations"), "constructor_declaration") != 0
}

// anonymous is new base(args) with a body. name is that of an enum's constant, or "".
func (l *lowerer) anonymous(n, body syntax.Node, name string, base ir.Expr, args []ir.Arg, pos int) ir.Expr {
	args = append([]ir.Arg(nil), args...) // the buffer is used again below
	c := l.beginClass(n, name, ir.PlainClass, pos)
	l.AddBase(c, base, ir.Extend)
	l.members(body, "")
	l.LeaveClass(n)
	return l.New(l.ClassX(c, pos), args, pos)
}

// record adds what a record has without being written: a field for each
// component and a method of its name to read it.
func (l *lowerer) record(n, body syntax.Node) {
	written := map[string]bool{}
	for c := range l.NamedChildren(body) {
		if l.Kind(c) == "method_declaration" && l.NamedChild(l.Child(c, "parameters"), 0) == 0 {
			written[l.Text(l.Child(c, "name"))] = true
		}
	}
	for p := range l.NamedChildren(l.Child(n, "parameters")) {
		nameNode, typeNode := l.component(p)
		if nameNode == 0 {
			continue
		}
		name, pos := l.Text(nameNode), l.Start(nameNode)
		typ := l.typ(typeNode)
		if l.Kind(p) == "spread_parameter" {
			typ = l.Apply(0, "list", []ir.Arg{{X: l.Or(typ)}}, l.Start(typeNode))
		}
		l.addField(nameNode, typ, 0, false, true)
		if written[name] {
			continue
		}
		f := l.BeginFunc(name, pos)
		l.Return(l.Attr(l.Unary(ir.This, 0, pos), name, pos))
		l.FuncInfo(f).Results = []ir.Expr{typ}
		l.EndFunc(l.End(p))
		l.DefineFunc(f, false, true, pos)
	}
}

// component returns the name and the type of a parameter.
func (l *lowerer) component(p syntax.Node) (name, typ syntax.Node) {
	switch l.Kind(p) {
	case "formal_parameter":
		return l.Child(p, "name"), l.Child(p, "type")
	case "spread_parameter":
		for c := range l.NamedChildren(p) {
			switch l.Kind(c) {
			case "modifiers", "marker_annotation", "annotation":
			case "variable_declarator":
				name = l.Child(c, "name")
			default:
				if typ == 0 {
					typ = c
				}
			}
		}
	}
	return name, typ
}
