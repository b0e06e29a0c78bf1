package rust

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression; 0 where it has no value that matters.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if n == 0 || !l.deeper() {
		return 0
	}
	defer l.shallower()
	pos := l.t.Start(n)
	switch l.kind(n) {
	case "identifier":
		return l.valueName(n)
	case "self":
		return l.name("self", pos)
	case "scoped_identifier":
		return l.value(l.pathName(l.t.Child(n, "path"), l.t.Child(n, "name")), l.text(l.t.Child(n, "name")), pos)
	case "generic_function":
		return l.expr(l.t.Child(n, "function"))
	case "call_expression":
		return l.call(n)
	case "field_expression":
		return l.fieldAccess(n)
	case "macro_invocation":
		return l.macroCall(n)
	case "struct_expression":
		return l.structLiteral(n)
	case "closure_expression":
		return l.closure(n)
	case "reference_expression", "parenthesized_expression", "unsafe_block", "async_block", "const_block",
		"expression_statement", "else_clause", "gen_block", "try_block":
		return l.expr(l.last(n))
	case "unary_expression":
		x := l.expr(l.last(n))
		if l.kind(l.t.First(n)) == "*" {
			return x
		}
		return l.b.Opaque(x)
	case "try_expression", "await_expression":
		return l.unary(ir.Await, l.expr(l.t.NamedChild(n, 0)), pos)
	case "type_cast_expression":
		x, typ := l.expr(l.t.Child(n, "value")), l.typ(l.t.Child(n, "type"))
		if typ == 0 {
			return l.b.Opaque(x)
		}
		return l.b.Binary(ir.Cast, x, typ, pos)
	case "index_expression":
		return l.index(n)
	case "tuple_expression":
		return l.b.List("tuple", l.args(n), pos)
	case "array_expression":
		if length := l.t.Child(n, "length"); length != 0 {
			l.b.Eval(l.expr(length))
			return l.b.List("list", ir.Args(l.expr(l.t.NamedChild(n, 0))), pos)
		}
		return l.b.List("list", l.args(n), pos)
	case "assignment_expression":
		l.assign(l.t.Child(n, "left"), l.t.Child(n, "right"))
		return 0
	case "block", "if_expression", "match_expression", "for_expression", "while_expression", "loop_expression",
		"let_condition", "let_chain", "break_expression", "return_expression", "yield_expression":
		return l.control(n)
	case "integer_literal":
		return l.b.Lit(suffixType(l.text(n), "i32"), pos)
	case "float_literal":
		return l.b.Lit(suffixType(l.text(n), "f64"), pos)
	case "string_literal", "raw_string_literal":
		return l.b.Lit("str", pos)
	case "char_literal":
		return l.b.Lit("char", pos)
	case "boolean_literal":
		return l.b.Lit("bool", pos)
	case "continue_expression", "unit_expression", "label", "mutable_specifier", "metavariable", "attribute_item",
		"inner_attribute_item", "empty_statement", "string_content", "escape_sequence":
		return 0
	}
	return l.b.Opaque(l.children(n)...)
}

// children lowers all children that are expressions.
func (l *lowerer) children(n syntax.Node) []ir.Expr {
	var xs []ir.Expr
	for c := range l.t.NamedChildren(n) {
		if x := l.expr(c); x != 0 {
			xs = append(xs, x)
		}
	}
	return xs
}

// args lowers the children as positional arguments.
func (l *lowerer) args(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.t.NamedChildren(n) {
		if l.kind(c) != "attribute_item" {
			args = append(args, ir.Arg{X: l.expr(c)})
		}
	}
	return args
}

func (l *lowerer) valueName(n syntax.Node) ir.Expr {
	name, pos := l.text(n), l.t.Start(n)
	if name == "None" && l.b.Lookup(name) == 0 {
		return l.b.List("Option", nil, pos)
	}
	return l.value(l.name(name, pos), name, pos)
}

// value is a name that is not called. One of a type is the value of a unit
// struct, or the function that makes a tuple struct.
func (l *lowerer) value(x ir.Expr, name string, pos int) ir.Expr {
	if !isCamel(name) {
		return x
	}
	return l.b.Union(x, l.flag(l.b.New(x, nil, pos), ir.Implicit))
}

// pathName is path::name.
func (l *lowerer) pathName(path, name syntax.Node) ir.Expr {
	text, pos := l.text(name), l.t.Start(name)
	if l.kind(name) == "super" || l.kind(name) == "self" {
		return 0 // use declarations have those, and they are read elsewhere
	}
	if path == 0 { // ::name, of another crate
		return l.b.Free(text, pos)
	}
	if word := l.headWord(path); word != "" {
		return l.head(word, text, pos)
	}
	return l.flag(l.b.Attr(l.pathBase(path), text, pos), ir.Path)
}

// headWord returns what a path from a known module consists of: "crate", "self",
// "super::super"; "" for other paths.
func (l *lowerer) headWord(n syntax.Node) string {
	switch l.kind(n) {
	case "crate", "self", "super":
		return l.kind(n)
	case "metavariable":
		if string(l.t.Bytes(n)) == "$crate" {
			return "crate"
		}
	case "scoped_identifier":
		if l.kind(l.t.Child(n, "name")) == "super" {
			return l.pathText(n)
		}
	}
	return ""
}

// pathBase is what stands before "::".
func (l *lowerer) pathBase(n syntax.Node) ir.Expr {
	if !l.deeper() {
		return 0
	}
	defer l.shallower()
	switch l.kind(n) {
	case "identifier", "type_identifier":
		return l.typeName(l.text(n), l.t.Start(n))
	case "scoped_identifier", "scoped_type_identifier":
		return l.pathName(l.t.Child(n, "path"), l.t.Child(n, "name"))
	case "bracketed_type":
		if inner := l.t.NamedChild(n, 0); l.kind(inner) == "qualified_type" {
			return l.qualifiedBase(inner)
		}
		return l.typ(l.t.NamedChild(n, 0))
	}
	return l.typ(n)
}

func (l *lowerer) call(n syntax.Node) ir.Expr {
	fn, list := l.t.Child(n, "function"), l.t.Child(n, "arguments")
	if l.kind(fn) == "generic_function" {
		fn = l.t.Child(fn, "function")
	}
	pos := l.t.Start(fn)
	var callee ir.Expr
	switch l.kind(fn) {
	case "identifier":
		name := l.text(fn)
		if l.b.Lookup(name) == 0 {
			switch name {
			case "Some":
				return l.b.List("Option", l.args(list), pos)
			case "Ok":
				return l.b.List("Result", l.args(list), pos)
			case "Err":
				return l.b.Opaque(l.children(list)...)
			}
		}
		callee = l.name(name, pos)
	case "scoped_identifier":
		name := l.t.Child(fn, "name")
		pos = l.t.Start(name)
		callee = l.pathName(l.t.Child(fn, "path"), name)
	case "field_expression":
		pos = l.t.Start(l.t.Child(fn, "field"))
		callee = l.fieldAccess(fn)
	default:
		callee = l.expr(fn)
	}
	return l.b.Call(callee, l.args(list), pos)
}

func (l *lowerer) fieldAccess(n syntax.Node) ir.Expr {
	field := l.t.Child(n, "field")
	x := l.expr(l.t.Child(n, "value"))
	return l.b.Attr(x, l.text(field), l.t.Start(field))
}

// structLiteral is T { a: x, b, ..c }: fields are set, nothing is called.
func (l *lowerer) structLiteral(n syntax.Node) ir.Expr {
	name := l.t.Child(n, "name")
	pos := l.t.Start(name)
	if k := l.kind(name); k == "scoped_type_identifier" {
		pos = l.t.Start(l.t.Child(name, "name"))
	}
	class := l.typ(name)
	var args []ir.Arg
	for c := range l.t.NamedChildren(l.t.Child(n, "body")) {
		switch l.kind(c) {
		case "shorthand_field_initializer":
			id := l.last(c)
			args = append(args, ir.Arg{Name: l.b.Str(l.text(id)), X: l.expr(id)})
		case "field_initializer":
			args = append(args, ir.Arg{Name: l.b.Str(l.text(l.t.Child(c, "field"))), X: l.expr(l.t.Child(c, "value"))})
		case "base_field_initializer":
			args = append(args, ir.Arg{X: l.expr(l.last(c)), Kind: ir.KwSpread})
		}
	}
	return l.flag(l.b.New(class, args, pos), ir.Implicit)
}

func (l *lowerer) index(n syntax.Node) ir.Expr {
	value, key := l.t.NamedChild(n, 0), l.t.NamedChild(n, 1)
	x, i := l.expr(value), l.expr(key)
	if l.kind(key) == "range_expression" { // a part of the same kind
		l.b.Eval(i)
		return x
	}
	constant := ""
	if l.kind(key) == "integer_literal" {
		constant = l.text(key)
	}
	return l.b.Index(x, i, constant, l.t.Start(n))
}

// assign is left = right.
func (l *lowerer) assign(left, right syntax.Node) {
	if left == 0 || l.kind(left) == "_" {
		l.b.Eval(l.expr(right))
		return
	}
	value := l.expr(right)
	target := l.target(left)
	if target == 0 {
		l.b.Eval(value)
		return
	}
	l.b.Bind(target, value)
}

// target is what is assigned to.
func (l *lowerer) target(n syntax.Node) ir.Expr {
	if !l.deeper() {
		return 0
	}
	defer l.shallower()
	switch l.kind(n) {
	case "identifier":
		return l.name(l.text(n), l.t.Start(n))
	case "self", "field_expression", "index_expression", "scoped_identifier":
		return l.expr(n)
	case "unary_expression", "parenthesized_expression":
		return l.target(l.last(n))
	case "tuple_expression", "array_expression":
		var args []ir.Arg
		for c := range l.t.NamedChildren(n) {
			args = append(args, ir.Arg{X: l.target(c)})
		}
		return l.b.List("tuple", args, l.t.Start(n))
	}
	l.b.Eval(l.expr(n))
	return 0
}
