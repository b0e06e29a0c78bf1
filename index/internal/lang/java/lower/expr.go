package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// value is an expression whose value goes somewhere; null goes nowhere.
func (l *lowerer) value(n syntax.Node) ir.Expr {
	for l.Kind(n) == "parenthesized_expression" {
		n = l.NamedChild(n, 0)
	}
	if l.Kind(n) == "null_literal" {
		return 0
	}
	return l.expr(n)
}

func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "identifier", "_reserved_identifier":
		return l.name(n)
	case "type_identifier", "scoped_type_identifier", "generic_type", "array_type", "integral_type", "floating_point_type", "boolean_type":
		return l.typ(n)
	case "scoped_identifier":
		return l.path(n)
	case "parenthesized_expression":
		return l.expr(l.NamedChild(n, 0))
	case "this":
		return l.Unary(ir.This, 0, pos)
	case "super":
		return l.Unary(ir.Super, 0, pos)
	case "string_literal":
		return l.Lit("String", pos)
	case "character_literal":
		return l.Lit("char", pos)
	case "true", "false":
		return l.Lit("boolean", pos)
	case "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal":
		return l.Lit(l.integer(n), pos)
	case "decimal_floating_point_literal", "hex_floating_point_literal":
		return l.Lit(l.float(n), pos)
	case "null_literal", "void_type", "underscore_pattern", "comment":
		return 0
	case "method_invocation":
		return l.call(n)
	case "object_creation_expression":
		return l.newObject(n)
	case "explicit_constructor_invocation":
		return l.constructorCall(n)
	case "field_access":
		return l.fieldAccess(n)
	case "method_reference":
		return l.methodReference(n)
	case "lambda_expression":
		return l.lambda(n)
	case "array_access":
		return l.arrayAccess(n)
	case "array_creation_expression":
		return l.newArray(n)
	case "array_initializer", "element_value_array_initializer":
		return l.List("array", l.args(n), pos)
	case "cast_expression":
		x := l.Or(l.expr(l.Child(n, "value")))
		if typ := l.typ(l.Child(n, "type")); typ != 0 {
			return l.Binary(ir.Cast, x, typ, pos)
		}
		return x
	case "assignment_expression":
		return l.assignment(n)
	case "binary_expression":
		return l.binary(n)
	case "instanceof_expression":
		return l.instanceOf(n)
	case "ternary_expression":
		return l.ternary(n)
	case "unary_expression", "update_expression":
		return l.unary(n)
	case "switch_expression":
		v := l.Temp(pos)
		l.switching(n, v)
		return l.Local(v, pos)
	case "class_literal":
		return l.Binary(ir.Cast, l.Or(l.typ(l.NamedChild(n, 0))), l.Free("Class", pos), pos)
	case "marker_annotation", "annotation":
		return l.annotation(n)
	}
	return l.unknown(n)
}

// unknown is what is not understood, with what it holds.
func (l *lowerer) unknown(n syntax.Node) ir.Expr {
	return l.Unknown(n, func(c syntax.Node) ir.Expr {
		if isStatement(l.Kind(c)) {
			l.stmt(c)
			return 0
		}
		return l.expr(c)
	})
}

// isStatement reports whether stmt knows the kind, for text that does not parse.
func isStatement(kind string) bool {
	switch kind {
	case "block", "local_variable_declaration", "expression_statement", "return_statement", "if_statement", "for_statement",
		"enhanced_for_statement", "try_statement", "try_with_resources_statement", "throw_statement", "while_statement", "do_statement",
		"class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "method_declaration", "ERROR":
		return true
	}
	return false
}

// args lowers the arguments in a list. The result is valid until the next call.
func (l *lowerer) args(list syntax.Node) []ir.Arg {
	return l.Collect(list, func(c syntax.Node) ir.Expr { return l.Or(l.expr(c)) })
}

func (l *lowerer) call(n syntax.Node) ir.Expr {
	nameNode := l.Child(n, "name")
	if nameNode == 0 {
		return l.unknown(n)
	}
	name, pos := l.Text(nameNode), l.Start(nameNode)
	var fn ir.Expr
	if object := l.Child(n, "object"); object == 0 {
		fn = l.Free(name, pos)
	} else {
		fn = l.Attr(l.object(n, object), name, pos)
	}
	if types := l.Child(n, "type_arguments"); types != 0 {
		fn = l.Apply(fn, "", l.Collect(types, l.typ), pos)
	}
	return l.Call(fn, l.args(l.Child(n, "arguments")), pos)
}

// object is what a method or field is taken from: object, or object.super, the
// method as the interface object has it.
func (l *lowerer) object(n, object syntax.Node) ir.Expr {
	if l.Kind(object) != "super" {
		for c := range l.NamedChildren(n) {
			if l.Kind(c) == "super" && c > object {
				if len(l.Classes) > 0 && l.Text(object) == l.Classes[len(l.Classes)-1].Name {
					return l.Unary(ir.Super, 0, l.Start(c))
				}
				break
			}
		}
	}
	return l.Or(l.expr(object))
}

func (l *lowerer) newObject(n syntax.Node) ir.Expr {
	typeNode := l.Child(n, "type")
	body := l.ChildOf(n, "class_body")
	base := l.typ(typeNode)
	if first := l.NamedChild(n, 0); first < typeNode && base != 0 && l.Kind(typeNode) == "type_identifier" {
		// outer.new Inner(): the class is one of the outer object's.
		if k := l.Kind(first); k != "marker_annotation" && k != "annotation" && k != "type_arguments" {
			base = l.Attr(l.Unary(ir.TypeOf, l.Or(l.expr(first)), l.Start(first)), l.Text(typeNode), l.Start(typeNode))
		}
	}
	args := l.args(l.Child(n, "arguments"))
	pos := l.typePos(typeNode)
	if body != 0 {
		return l.anonymous(n, body, "", base, args, pos)
	}
	if base == 0 {
		return l.unknown(n)
	}
	return l.New(base, args, pos)
}

// typePos is where the last name of a type stands.
func (l *lowerer) typePos(n syntax.Node) int {
	for {
		switch l.Kind(n) {
		case "generic_type":
			n = l.NamedChild(n, 0)
			continue
		case "scoped_type_identifier":
			for c := range l.OfKind(n, "type_identifier") {
				n = c
			}
		}
		return l.Start(n)
	}
}

// constructorCall is this(...) or super(...).
func (l *lowerer) constructorCall(n syntax.Node) ir.Expr {
	target := l.Child(n, "constructor")
	if object := l.Child(n, "object"); object != 0 {
		l.Eval(l.expr(object))
	}
	op := ir.This
	if l.Kind(target) == "super" {
		op = ir.Super
	}
	pos := l.Start(target)
	fn := l.Unary(op, 0, pos)
	return l.Call(fn, l.args(l.Child(n, "arguments")), pos)
}

func (l *lowerer) fieldAccess(n syntax.Node) ir.Expr {
	object, field := l.Child(n, "object"), l.Child(n, "field")
	if object == 0 || field == 0 {
		return l.unknown(n)
	}
	pos := l.Start(field)
	if l.Kind(field) == "this" {
		this := l.Unary(ir.This, 0, pos)
		if len(l.Classes) > 0 && l.Text(object) == l.Classes[len(l.Classes)-1].Name {
			return this
		}
		return l.Binary(ir.Cast, this, l.Or(l.classPath(object)), pos) // the instance of a class around
	}
	return l.Attr(l.object(n, object), l.Text(field), pos)
}

// classPath is an expression that can only be the name of a class.
func (l *lowerer) classPath(n syntax.Node) ir.Expr {
	if l.Kind(n) == "identifier" {
		return l.typ(n)
	}
	return l.expr(n)
}

func (l *lowerer) methodReference(n syntax.Node) ir.Expr {
	object := l.NamedChild(n, 0)
	last := syntax.Node(0)
	for c := range l.Children(n) {
		last = c
	}
	if object == 0 || last == object {
		return l.unknown(n)
	}
	switch l.Kind(last) {
	case "new":
		return l.constructorReference(object, l.Start(last))
	case "identifier":
		return l.memberOf(l.object(n, object), l.Text(last), l.Start(last))
	}
	return l.unknown(n)
}

// memberOf is x::name: a method, whatever fields of the name there are.
func (l *lowerer) memberOf(x ir.Expr, name string, pos int) ir.Expr {
	attr := l.Attr(x, name, pos)
	l.Flag(attr, ir.Path)
	return attr
}

// constructorReference is C::new.
func (l *lowerer) constructorReference(object syntax.Node, pos int) ir.Expr {
	if l.Kind(object) == "array_type" {
		return l.Or(0)
	}
	return l.memberOf(l.Or(l.classPath(object)), "new", pos)
}

func (l *lowerer) arrayAccess(n syntax.Node) ir.Expr {
	index := l.Child(n, "index")
	x := l.Or(l.expr(l.Child(n, "array")))
	key := ""
	if l.Kind(index) == "decimal_integer_literal" {
		key = l.Text(index)
	}
	return l.Index(x, l.Or(l.expr(index)), key, l.Start(n))
}

func (l *lowerer) newArray(n syntax.Node) ir.Expr {
	if value := l.Child(n, "value"); value != 0 {
		if typ := l.typ(l.Child(n, "type")); typ != 0 {
			l.Eval(typ)
		}
		return l.expr(value)
	}
	pos := l.Start(n)
	typ := l.typ(l.Child(n, "type"))
	mark := l.Mark()
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "dimensions_expr":
			for d := range l.NamedChildren(c) {
				l.Push(l.expr(d))
			}
			typ = l.Apply(0, "list", []ir.Arg{{X: l.Or(typ)}}, pos)
		case "dimensions":
			typ = l.arrays(typ, c, pos)
		}
	}
	sizes := l.TakeOpaque(mark)
	if typ == 0 {
		return sizes
	}
	return l.Binary(ir.Cast, l.Or(sizes), typ, pos)
}

func (l *lowerer) operator(n syntax.Node) string { return l.Kind(l.Child(n, "operator")) }

func (l *lowerer) assignment(n syntax.Node) ir.Expr {
	target := l.expr(l.Child(n, "left"))
	right := l.Child(n, "right")
	if l.operator(n) != "=" {
		return l.Opaque(target, l.expr(right))
	}
	x := l.value(right)
	if target == 0 || x == 0 {
		return l.Opaque(target, x)
	}
	return l.Binary(ir.Assign, target, x, l.Start(n))
}

// binary lowers an operator. Chains lean to the left and may be thousands long
// ("a" + b + ...), so they are walked and not descended into.
func (l *lowerer) binary(n syntax.Node) ir.Expr {
	var rights []syntax.Node
	text := false
	for l.Kind(n) == "binary_expression" {
		right := l.Child(n, "right")
		rights = append(rights, right)
		text = text || l.operator(n) == "+" && l.Kind(right) == "string_literal"
		n = l.Child(n, "left")
	}
	text = text || l.Kind(n) == "string_literal"
	mark := l.Mark()
	l.Push(l.expr(n))
	for i := len(rights) - 1; i >= 0; i-- {
		l.Push(l.expr(rights[i]))
	}
	x := l.TakeOpaque(mark)
	if text {
		return l.Binary(ir.Cast, l.Or(x), l.Free("String", l.Start(n)), l.Start(n))
	}
	return x
}

func (l *lowerer) instanceOf(n syntax.Node) ir.Expr {
	subject := l.expr(l.Child(n, "left"))
	right, nameNode := l.Child(n, "right"), l.Child(n, "name")
	if pattern := l.Child(n, "pattern"); pattern != 0 {
		l.pattern(pattern, subject)
	} else {
		l.narrow(nameNode, l.typ(right), subject)
	}
	return l.Opaque(subject)
}

func (l *lowerer) ternary(n syntax.Node) ir.Expr {
	l.Eval(l.expr(l.Child(n, "condition")))
	return l.Union(l.value(l.Child(n, "consequence")), l.value(l.Child(n, "alternative")))
}

func (l *lowerer) unary(n syntax.Node) ir.Expr {
	x := l.expr(l.NamedChild(n, 0))
	if l.operator(n) == "!" {
		return l.Binary(ir.Cast, l.Or(x), l.Free("boolean", l.Start(n)), l.Start(n))
	}
	return x // a number stays what it is
}

// integer is the type of an integer literal.
func (l *lowerer) integer(n syntax.Node) string {
	text := l.Bytes(n)
	if c := text[len(text)-1]; c == 'l' || c == 'L' {
		return "long"
	}
	return "int"
}

func (l *lowerer) float(n syntax.Node) string {
	text := l.Bytes(n)
	if c := text[len(text)-1]; c == 'f' || c == 'F' {
		return "float"
	}
	return "double"
}
