package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// self reports whether a node is one of the words that are values without being
// named in the tree.
func (l *lowerer) self(n syntax.Node) bool {
	switch l.Kind(n) {
	case "this", "base":
		return !l.Named(n)
	}
	return false
}

// operand returns the first child that is an expression, or none.
func (l *lowerer) operand(n syntax.Node) syntax.Node {
	for c := range l.Children(n) {
		if l.self(c) || l.Named(c) && l.Kind(c) != "comment" && l.Kind(c) != "modifier" {
			return c
		}
	}
	return 0
}

// after returns the child that follows a token, or none.
func (l *lowerer) after(n syntax.Node, token string) syntax.Node {
	seen := false
	for c := range l.Children(n) {
		if seen && l.Kind(c) != "comment" {
			return c
		}
		if l.Kind(c) == token {
			seen = true
		}
	}
	return 0
}

// value lowers an expression where the type typ is wanted, which "new()" makes
// an instance of.
func (l *lowerer) value(n, typ syntax.Node) ir.Expr {
	if typ != 0 {
		switch l.Kind(n) {
		case "implicit_object_creation_expression":
			return l.newObject(n, typ, 0)
		case "conditional_expression":
			l.Eval(l.Opaque(l.expr(l.Child(n, "condition"))))
			return l.Union(l.value(l.Child(n, "consequence"), typ), l.value(l.Child(n, "alternative"), typ))
		case "parenthesized_expression":
			return l.value(l.operand(n), typ)
		case "initializer_expression":
			return l.list(n)
		}
	}
	return l.expr(n)
}

// effect lowers an expression that is a statement: an assignment is one.
func (l *lowerer) effect(n syntax.Node) ir.Expr {
	if l.Kind(n) == "assignment_expression" {
		target, value := l.assignment(n)
		if target != 0 {
			l.Bind(target, value)
			return 0
		}
		return value
	}
	return l.expr(n)
}

// assignment lowers an assignment to its target, none where nothing is kept, and
// its value.
func (l *lowerer) assignment(n syntax.Node) (target, value ir.Expr) {
	left, right := l.Child(n, "left"), l.Child(n, "right")
	switch l.Kind(l.Child(n, "operator")) {
	case "+=":
		// A handler that is added to an event, or an operator.
		x, y := l.expr(left), l.expr(right)
		return l.target(left), l.Union(y, l.operator(n, "+", x, y))
	case "=", "??=":
		target = l.target(left)
		if l.Kind(right) == "implicit_object_creation_expression" {
			return target, l.newObject(right, 0, l.Unary(ir.TypeOf, l.expr(left), l.Start(right)))
		}
		return target, l.expr(right)
	}
	return 0, l.Opaque(l.expr(left), l.expr(right))
}

// target lowers what is assigned to.
func (l *lowerer) target(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "tuple_expression":
		var args []ir.Arg
		for c := range l.NamedChildren(n) {
			args = append(args, ir.Arg{X: l.target(l.operand(c))})
		}
		return l.List("tuple", args, l.Start(n))
	case "declaration_expression":
		return l.local(l.Child(n, "name"), l.Child(n, "type"), 0)
	case "parenthesized_expression":
		return l.target(l.operand(n))
	case "identifier":
		if l.Is(n, "_") {
			return 0
		}
		return l.expr(n)
	case "member_access_expression", "element_access_expression", "conditional_access_expression":
		return l.expr(n)
	}
	// *p = v and other places without a name
	x := l.expr(n)
	if x == 0 {
		return 0
	}
	return l.Index(x, 0, "", l.Start(n))
}

func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "identifier":
		return l.Name(l.name(n), pos)
	case "this":
		return l.Unary(ir.This, 0, pos)
	case "base":
		return l.Unary(ir.Super, 0, pos)
	case "generic_name":
		return l.Apply(l.Name(l.name(l.First(n)), pos), "", l.typeArgs(l.ChildOf(n, "type_argument_list")), pos)
	case "member_access_expression", "member_binding_expression":
		return l.member(l.receiver(l.Child(n, "expression")), l.Child(n, "name"))
	case "conditional_access_expression":
		return l.conditionalAccess(n)
	case "invocation_expression":
		return l.invocation(n)
	case "object_creation_expression":
		return l.newObject(n, l.Child(n, "type"), 0)
	case "implicit_object_creation_expression":
		return l.newObject(n, 0, 0)
	case "element_access_expression":
		return l.index(l.expr(l.Child(n, "expression")), l.Child(n, "subscript"))
	case "assignment_expression":
		target, value := l.assignment(n)
		if target == 0 {
			return value
		}
		return l.Binary(ir.Assign, target, value, pos)
	case "lambda_expression", "anonymous_method_expression":
		return l.lambda(n)
	case "parenthesized_expression", "checked_expression", "ref_expression":
		return l.expr(l.operand(n))
	case "postfix_unary_expression":
		x := l.expr(l.operand(n))
		if last := l.Bytes(n); last[len(last)-1] == '!' {
			return x
		}
		return l.Opaque(x)
	case "await_expression":
		return l.Unary(ir.Await, l.expr(l.operand(n)), pos)
	case "cast_expression":
		return l.cast(l.expr(l.Child(n, "value")), l.Child(n, "type"), pos)
	case "as_expression":
		return l.cast(l.expr(l.Child(n, "left")), l.Child(n, "right"), pos)
	case "is_expression":
		return l.Opaque(l.expr(l.Child(n, "left")), l.typ(l.Child(n, "right")))
	case "is_pattern_expression":
		value := l.once(l.Child(n, "expression"))
		l.pattern(l.Child(n, "pattern"), value)
		return l.Opaque(value)
	case "conditional_expression":
		l.Eval(l.Opaque(l.expr(l.Child(n, "condition"))))
		return l.Union(l.expr(l.Child(n, "consequence")), l.expr(l.Child(n, "alternative")))
	case "binary_expression":
		left, right := l.expr(l.Child(n, "left")), l.expr(l.Child(n, "right"))
		if l.Kind(l.Child(n, "operator")) == "??" {
			return l.Union(left, right)
		}
		op := l.Child(n, "operator")
		return l.operator(op, l.Text(op), left, right)
	case "prefix_unary_expression":
		x := l.expr(l.operand(n))
		op := l.First(n)
		return l.operator(op, l.Text(op), x)
	case "switch_expression":
		return l.switchExpression(n)
	case "throw_expression":
		l.Stmt(ir.Raise, l.expr(l.operand(n)), 0)
		return 0
	case "query_expression":
		return l.query(n)
	case "tuple_expression":
		return l.List("tuple", l.args(n), pos)
	case "declaration_expression":
		return l.local(l.Child(n, "name"), l.Child(n, "type"), 0)
	case "array_creation_expression", "implicit_array_creation_expression", "stackalloc_expression",
		"implicit_stackalloc_expression":
		return l.array(n)
	case "initializer_expression", "element_binding_expression":
		return l.list(n)
	case "anonymous_object_creation_expression":
		return l.anonymous(n)
	case "with_expression":
		return l.with(n)
	case "typeof_expression":
		return l.typ(l.Child(n, "type"))
	case "default_expression":
		if typ := l.typ(l.Child(n, "type")); typ != 0 {
			return l.Binary(ir.Cast, 0, typ, pos)
		}
		return 0
	case "string_literal", "verbatim_string_literal", "raw_string_literal":
		return l.Lit("string", pos)
	case "integer_literal":
		return l.Lit("int", pos)
	case "real_literal":
		return l.Lit("double", pos)
	case "boolean_literal":
		return l.Lit("bool", pos)
	case "character_literal":
		return l.Lit("char", pos)
	case "null_literal", "discard", "comment", "implicit_type", "interpolation_format_clause":
		return 0
	case "predefined_type", "qualified_name", "alias_qualified_name", "nullable_type", "array_type", "pointer_type":
		return l.typ(n)
	case "local_function_statement", "block", "expression_statement", "local_declaration_statement", "return_statement":
		l.stmt(n) // inside of text that does not parse
		return 0
	}
	return l.unknown(n)
}

// unknown keeps what is inside of an expression that means nothing by itself:
// operators, interpolated strings, ranges.
func (l *lowerer) unknown(n syntax.Node) ir.Expr {
	var args []ir.Expr
	for c := range l.Children(n) {
		if l.Named(c) || l.self(c) {
			args = append(args, l.expr(c))
		}
	}
	return l.Opaque(args...)
}

// operator lowers an operator: what is inside of it, and its name, since classes may
// define it.
func (l *lowerer) operator(at syntax.Node, name string, operands ...ir.Expr) ir.Expr {
	x := l.Opaque(operands...)
	if x == 0 {
		return 0
	}
	for _, o := range operands {
		if o == 0 {
			return x
		}
	}
	id, pos := l.Str(name), l.Pos(l.Start(at))
	node := &l.Raw().Exprs[x]
	node.Name, node.Pos = id, pos
	return x
}

func (l *lowerer) cast(x ir.Expr, typ syntax.Node, pos int) ir.Expr {
	to := l.typ(typ)
	if to == 0 {
		return x
	}
	return l.Binary(ir.Cast, x, to, pos)
}

// receiver lowers what stands before a dot: a value, or a type.
func (l *lowerer) receiver(n syntax.Node) ir.Expr {
	if l.Kind(n) == "generic_name" {
		return l.typ(n)
	}
	return l.expr(n)
}

// member lowers x.name and x.name<T>.
func (l *lowerer) member(x ir.Expr, name syntax.Node) ir.Expr {
	id := name
	if l.Kind(name) == "generic_name" {
		id = l.First(name)
	}
	if x == 0 {
		// What it is a member of does not parse, or is null.
		x = l.Lit("object", l.Start(id))
	}
	a := l.Attr(x, l.name(id), l.Start(id))
	if id != name {
		a = l.Apply(a, "", l.typeArgs(l.ChildOf(name, "type_argument_list")), l.Start(id))
	}
	return a
}

// conditionalAccess lowers a?.b and a?[i].
func (l *lowerer) conditionalAccess(n syntax.Node) ir.Expr {
	x := l.expr(l.Child(n, "condition"))
	var out ir.Expr
	if m := l.ChildOf(n, "member_binding_expression"); m != 0 {
		out = l.member(x, l.Child(m, "name"))
	} else if e := l.ChildOf(n, "element_binding_expression"); e != 0 {
		out = l.index(x, e)
	} else {
		return l.Opaque(x)
	}
	l.Flag(out, ir.Optional)
	return out
}

// index lowers x[args].
func (l *lowerer) index(x ir.Expr, list syntax.Node) ir.Expr {
	if x == 0 {
		return l.unknown(list)
	}
	var args []ir.Expr
	var first syntax.Node
	for c := range l.NamedChildren(list) {
		o := l.operand(c)
		if first == 0 {
			first = o
		}
		args = append(args, l.expr(o))
	}
	if len(args) == 1 {
		return l.Index(x, args[0], l.key(first), l.Start(list))
	}
	return l.Index(x, l.Opaque(args...), "", l.Start(list))
}

// key returns the constant that a node is, as a key of a map or tuple.
func (l *lowerer) key(n syntax.Node) string {
	switch l.Kind(n) {
	case "integer_literal":
		return l.Text(n)
	case "string_literal":
		if b := l.Bytes(n); len(b) > 2 && len(b) < 64 {
			return string(b[1 : len(b)-1])
		}
	}
	return ""
}
