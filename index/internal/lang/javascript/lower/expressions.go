package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression. 0 is one of which nothing is known.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	x := l.expression(n)
	l.Leave()
	return x
}

// value is expr of what is bound to a name, which functions and classes take, and
// the functions of objects take before their own.
func (l *lowerer) value(n syntax.Node, name string) ir.Expr { return l.valueAt(n, name, 0) }

// valueAt is value of what is bound to a name that stands somewhere.
func (l *lowerer) valueAt(n syntax.Node, name string, at syntax.Node) ir.Expr {
	switch inner := l.literal(n); l.Kind(inner) {
	case "arrow_function", "function_expression", "generator_function":
		if at != 0 {
			return l.Lambda(l.function(inner, name, 0, l.Start(at), &receiver{}), l.Start(at))
		}
		return l.lambda(inner, name, &receiver{})
	case "class":
		pos := l.Start(inner)
		return l.ClassX(l.class(inner, name, pos), pos)
	case "object":
		if k := l.Kind(n); inner == n || k == "satisfies_expression" || k == "parenthesized_expression" {
			return l.object(inner, "", name)
		}
	}
	return l.expr(n)
}

// operand is expr of what is only read by an operator: a literal is nothing.
func (l *lowerer) operand(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "number", "string", "true", "false", "regex", "null", "undefined":
		return 0
	case "parenthesized_expression":
		return l.operand(l.NamedChild(n, 0))
	}
	return l.expr(n)
}

func (l *lowerer) expression(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	kind := l.Kind(n)
	switch kind {
	case "identifier", "shorthand_property_identifier":
		if name := l.Text(n); name != "undefined" {
			return l.Name(name, pos)
		}
		return 0
	case "this":
		return l.thisExpr(pos)
	case "super":
		return l.Unary(ir.Super, 0, pos)
	case "number":
		return l.Lit("number", pos)
	case "string":
		return l.Lit("string", pos)
	case "true", "false":
		return l.Lit("boolean", pos)
	case "regex":
		return l.Lit("RegExp", pos)
	case "null", "undefined", "import", "meta_property", "jsx_text", "comment", "optional_chain", "html_character_reference":
		return 0
	case "template_string":
		return l.template(n)
	case "template_substitution", "jsx_expression":
		return l.unknown(n)
	case "parenthesized_expression", "non_null_expression", "instantiation_expression":
		return l.expr(l.NamedChild(n, 0))
	case "member_expression":
		return l.member(n)
	case "subscript_expression":
		return l.subscript(n)
	case "call_expression":
		return l.call(n)
	case "new_expression":
		return l.newObject(n)
	case "arrow_function", "function_expression", "generator_function":
		return l.lambda(n, "", &receiver{})
	case "class":
		return l.ClassX(l.class(n, "", pos), pos)
	case "object":
		return l.object(n, "", "")
	case "array":
		return l.array(n)
	case "jsx_element", "jsx_self_closing_element", "jsx_fragment":
		return l.element(n)
	case "spread_element":
		return l.Opaque(l.expr(l.NamedChild(n, 0)))
	case "sequence_expression":
		return l.sequence(n)
	}
	return l.operation(n, kind, pos)
}

// operation lowers operators and everything that is not an operand.
func (l *lowerer) operation(n syntax.Node, kind string, pos int) ir.Expr {
	switch kind {
	case "assignment_expression":
		target, value := l.assignment(n)
		if target == 0 {
			return value
		}
		if l.Kind(l.Child(n, "left")) == "identifier" && l.Narrows() {
			l.bind(target, value)
			return value
		}
		return l.Binary(ir.Assign, target, value, pos)
	case "augmented_assignment_expression":
		l.augmented(n)
		return l.expr(l.Child(n, "left"))
	case "ternary_expression":
		return l.ternary(n)
	case "binary_expression":
		return l.binary(n)
	case "unary_expression":
		return l.Opaque(l.operand(l.Child(n, "argument")))
	case "update_expression":
		return l.Opaque(l.expr(l.Child(n, "argument")))
	case "await_expression":
		return l.Unary(ir.Await, l.expr(l.NamedChild(n, 0)), pos)
	case "yield_expression":
		x := l.expr(l.NamedChild(n, 0))
		if l.has(n, "*", "") {
			x = l.Unary(ir.Elem, x, pos)
		}
		l.Stmt(ir.Yield, x, 0)
		return 0
	case "as_expression", "satisfies_expression":
		return l.assertion(n, l.NamedChild(n, 0), l.NamedChild(n, 1), kind == "as_expression")
	case "type_assertion":
		return l.assertion(n, l.NamedChild(n, 1), l.NamedChild(l.NamedChild(n, 0), 0), true)
	case "rest_pattern", "object_pattern", "array_pattern", "assignment_pattern":
		return l.unknown(n)
	}
	if isType(kind) {
		return 0
	}
	return l.unknown(n)
}

// unknown lowers what is inside of a node that is not understood, such as a
// syntax error: one value is that value, several are opaque.
func (l *lowerer) unknown(n syntax.Node) ir.Expr {
	var xs []ir.Expr
	only := true
	for c := range l.NamedChildren(n) {
		switch kind := l.Kind(c); {
		case isStatement(kind):
			l.stmt(c)
			only = false
		default:
			xs = append(xs, l.expr(c))
		}
	}
	if only && len(xs) == 1 {
		return xs[0]
	}
	return l.Opaque(xs...)
}

func isStatement(kind string) bool {
	switch kind {
	case "expression_statement", "lexical_declaration", "variable_declaration", "function_declaration",
		"generator_function_declaration", "class_declaration", "abstract_class_declaration", "interface_declaration",
		"type_alias_declaration", "enum_declaration", "statement_block", "if_statement", "for_statement",
		"for_in_statement", "while_statement", "do_statement", "return_statement", "throw_statement",
		"switch_statement", "try_statement", "import_statement", "export_statement", "labeled_statement",
		"ambient_declaration", "internal_module", "module", "function_signature", "break_statement", "continue_statement":
		return true
	}
	return false
}

func (l *lowerer) template(n syntax.Node) ir.Expr {
	var xs []ir.Expr
	for c := range l.OfKind(n, "template_substitution") {
		xs = append(xs, l.operand(l.NamedChild(c, 0)))
	}
	if x := l.Opaque(xs...); x != 0 {
		return x
	}
	return l.Lit("string", l.Start(n))
}

func (l *lowerer) member(n syntax.Node) ir.Expr {
	if v := l.narrowedPath(n); v != 0 {
		return l.Local(v, l.Start(n))
	}
	if l.isExports(n) {
		if x := l.exportsRead(n); x != 0 {
			return x
		}
	}
	return l.plainMember(n)
}

// plainMember is member without what is known of the expression as a whole.
func (l *lowerer) plainMember(n syntax.Node) ir.Expr {
	property := l.Child(n, "property")
	return l.Attr(l.expr(l.Child(n, "object")), l.Text(property), l.Start(property))
}

func (l *lowerer) subscript(n syntax.Node) ir.Expr {
	if v := l.narrowedPath(n); v != 0 {
		return l.Local(v, l.Start(n))
	}
	x, index := l.expr(l.Child(n, "object")), l.Child(n, "index")
	switch l.Kind(index) {
	case "string":
		return l.Attr(x, l.stringText(index), l.Start(index))
	case "number":
		return l.Index(x, 0, l.Text(index), l.Start(index))
	}
	return l.Index(x, l.expr(index), "", l.Start(index))
}

func (l *lowerer) sequence(n syntax.Node) ir.Expr {
	last := syntax.Node(0)
	for c := range l.NamedChildren(n) {
		l.effect(last)
		last = c
	}
	return l.expr(last)
}

func (l *lowerer) array(n syntax.Node) ir.Expr {
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		if l.Kind(c) == "spread_element" {
			args = append(args, ir.Arg{X: l.expr(l.NamedChild(c, 0)), Kind: ir.Spread})
			continue
		}
		args = append(args, ir.Arg{X: l.expr(c)})
	}
	return l.List("array", args, l.Start(n))
}

// ternary narrows each arm by the condition.
func (l *lowerer) ternary(n syntax.Node) ir.Expr {
	condition := l.Child(n, "condition")
	l.Eval(l.operand(condition))
	undo := l.narrow(condition, true)
	then := l.expr(l.Child(n, "consequence"))
	l.widen(undo)
	undo = l.narrow(condition, false)
	otherwise := l.expr(l.Child(n, "alternative"))
	l.widen(undo)
	return l.Union(then, otherwise)
}

// binary lowers a chain of operators without recursion on its left: sums of
// thousands of strings are written by programs.
func (l *lowerer) binary(n syntax.Node) ir.Expr {
	op := l.Child(n, "operator")
	left, right := l.Child(n, "left"), l.Child(n, "right")
	switch l.Kind(op) {
	case "||", "??":
		x := l.expr(left)
		undo := l.narrow(left, false)
		y := l.expr(right)
		l.widen(undo)
		return l.Union(x, y)
	case "&&":
		l.Eval(l.operand(left))
		undo := l.narrow(left, true)
		x := l.expr(right)
		l.widen(undo)
		return x
	}
	var xs []ir.Expr
	for {
		xs = append(xs, l.operand(right))
		if l.Kind(left) != "binary_expression" {
			break
		}
		if k := l.Kind(l.Child(left, "operator")); k == "||" || k == "??" || k == "&&" {
			break
		}
		left, right = l.Child(left, "left"), l.Child(left, "right")
	}
	return l.Opaque(append(xs, l.operand(left))...)
}

// assertion is x as T. Of "as const", any and unknown nothing is learnt, and
// satisfies leaves the value its own type.
func (l *lowerer) assertion(n, value, typ syntax.Node, replaces bool) ir.Expr {
	x := l.expr(value)
	if !replaces || l.Is(typ, "const") {
		return x
	}
	if t := l.typ(typ); t != 0 {
		return l.Binary(ir.Cast, x, t, l.Start(n))
	}
	return x
}
