package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// effect lowers an expression that is a statement: an assignment is one.
func (l *lowerer) effect(n syntax.Node) {
	switch l.Kind(n) {
	case "assignment_expression", "reference_assignment_expression", "augmented_assignment_expression":
		if target, value := l.assignment(n); target != 0 {
			l.Bind(target, value)
		} else {
			l.Eval(value)
		}
		return
	case "throw_expression":
		l.expr(n)
		return
	}
	l.Eval(l.expr(n))
	// assert($x instanceof C) tells of what follows.
	if l.Kind(n) == "function_call_expression" && l.Is(l.Child(n, "function"), "assert") {
		arg := l.NamedChild(l.NamedChild(l.Child(n, "arguments"), 0), 0)
		l.apply(l.tests(arg, false, nil))
	}
}

// assignment lowers an assignment to its target, none where nothing is kept, and
// its value.
func (l *lowerer) assignment(n syntax.Node) (target, value ir.Expr) {
	left, right := l.Child(n, "left"), l.Child(n, "right")
	if l.Kind(n) == "augmented_assignment_expression" && l.Kind(l.Child(n, "operator")) != "??=" {
		return 0, l.Opaque(l.expr(left), l.expr(right))
	}
	value = l.callback(right)
	return l.target(left), value
}

// target lowers what is assigned to.
func (l *lowerer) target(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "variable_name":
		return l.write(n)
	case "by_ref":
		return l.target(l.NamedChild(n, 0))
	case "list_literal", "array_creation_expression":
		return l.listTarget(n)
	case "subscript_expression":
		return l.subscript(n)
	case "member_access_expression", "nullsafe_member_access_expression", "scoped_property_access_expression":
		return l.expr(n)
	}
	l.Eval(l.Opaque(l.expr(n)))
	return 0
}

// listTarget lowers [$a, 'k' => $b] on the left of an assignment.
func (l *lowerer) listTarget(n syntax.Node) ir.Expr {
	var args []ir.Arg
	keyed := false
	var last, key syntax.Node
	flush := func() {
		var a ir.Arg
		if key != 0 {
			keyed = true
			if s, ok := l.constant(key); ok {
				a.Name = l.Str(s)
			} else {
				l.Eval(l.Opaque(l.expr(key)))
			}
		}
		a.X = l.target(last)
		args = append(args, a)
		last, key = 0, 0
	}
	var each func(n syntax.Node)
	each = func(n syntax.Node) {
		for c := range l.Children(n) {
			switch k := l.Kind(c); {
			case k == "=>":
				key, last = last, 0
			case k == ",":
				flush()
			case k == "array_element_initializer":
				each(c)
			case l.Named(c) && k != "comment":
				last = c
			}
		}
	}
	each(n)
	if last != 0 {
		flush()
	}
	if keyed {
		l.number(args, len(args))
		return l.Object("array", args, l.Start(n))
	}
	return l.List("array", args, l.Start(n))
}

func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "variable_name":
		return l.read(n)
	case "name":
		switch s := l.Text(n); s {
		case "self", "static", "parent":
			return l.relative(s, pos, true)
		case "__DIR__", "__FILE__", "__CLASS__", "__METHOD__", "__FUNCTION__", "__NAMESPACE__":
			return l.Lit("string", pos)
		default:
			return l.Free(s, pos)
		}
	case "qualified_name":
		return l.qualified(n)
	case "relative_scope":
		return l.relative(l.Text(n), pos, false)
	case "member_access_expression", "nullsafe_member_access_expression":
		return l.property(n)
	case "scoped_property_access_expression":
		return l.static(n, l.Child(n, "scope"), l.Child(n, "name"))
	case "class_constant_access_expression":
		return l.classConstant(n)
	case "function_call_expression", "member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression":
		return l.call(n)
	case "object_creation_expression":
		return l.newObject(n)
	case "anonymous_function_creation_expression", "arrow_function":
		return l.closure(n)
	case "assignment_expression", "reference_assignment_expression", "augmented_assignment_expression":
		target, value := l.assignment(n)
		if target == 0 {
			return value
		}
		return l.Binary(ir.Assign, target, value, pos)
	case "subscript_expression":
		return l.subscript(n)
	case "array_creation_expression":
		return l.array(n)
	case "conditional_expression":
		return l.conditional(n)
	case "match_expression":
		return l.match(n)
	case "binary_expression":
		return l.binary(n)
	case "parenthesized_expression", "clone_expression", "error_suppression_expression", "by_ref", "expression_statement",
		"sequence_expression", "reference_modifier":
		return l.last(n)
	case "cast_expression":
		x := l.expr(l.Child(n, "value"))
		switch string(l.Bytes(l.Child(n, "type"))) {
		case "object":
			return x
		}
		return l.Opaque(x)
	case "throw_expression":
		l.Stmt(ir.Raise, l.expr(l.NamedChild(n, 0)), 0)
		return 0
	case "yield_expression":
		return l.yield(n)
	case "include_expression", "include_once_expression", "require_expression", "require_once_expression":
		return l.include(n)
	case "string", "nowdoc":
		return l.Lit("string", pos)
	case "encapsed_string", "heredoc":
		if x := l.Unknown(n, l.expr); x != 0 {
			return x
		}
		return l.Lit("string", pos)
	case "integer":
		return l.Lit("int", pos)
	case "float":
		return l.Lit("float", pos)
	case "boolean":
		return l.Lit("bool", pos)
	case "null", "comment", "string_content", "escape_sequence", "heredoc_start", "heredoc_end", "variadic_placeholder",
		"operator":
		return 0
	case "named_type", "optional_type", "union_type", "primitive_type", "cast_type":
		return l.typ(n)
	case "compound_statement", "if_statement", "return_statement", "echo_statement", "foreach_statement",
		"class_declaration", "function_definition":
		if l.Kind(n) == "echo_statement" {
			break
		}
		l.stmt(n, doc{}) // inside of text that does not parse
		return 0
	}
	return l.Unknown(n, l.expr)
}

// last lowers the children of a node, the value of which is that of the last.
func (l *lowerer) last(n syntax.Node) ir.Expr {
	var x ir.Expr
	for c := range l.NamedChildren(n) {
		l.Eval(x)
		x = l.expr(c)
	}
	return x
}

// conditional lowers a ? b : c and a ?: c.
func (l *lowerer) conditional(n syntax.Node) ir.Expr {
	cond, body := l.Child(n, "condition"), l.Child(n, "body")
	x := l.expr(cond)
	if body != 0 {
		l.Eval(l.Opaque(x))
		mark := l.mark()
		l.apply(l.tests(cond, false, nil))
		x = l.callback(body)
		l.restore(mark)
	}
	mark := l.mark()
	l.apply(l.tests(cond, true, nil))
	y := l.callback(l.Child(n, "alternative"))
	l.restore(mark)
	return l.Union(x, y)
}

// match lowers match ($x) { a, b => v }.
func (l *lowerer) match(n syntax.Node) ir.Expr {
	l.Eval(l.Opaque(l.expr(l.Child(n, "condition"))))
	var arms []ir.Expr
	for c := range l.NamedChildren(l.Child(n, "body")) {
		mark := l.mark()
		conds := l.Child(c, "conditional_expressions")
		for x := range l.NamedChildren(conds) {
			l.Eval(l.Opaque(l.expr(x)))
		}
		if l.NamedChild(conds, 1) == 0 {
			l.apply(l.tests(l.NamedChild(conds, 0), false, nil))
		}
		arms = append(arms, l.callback(l.Child(c, "return_expression")))
		l.restore(mark)
	}
	return l.Union(arms...)
}

func (l *lowerer) binary(n syntax.Node) ir.Expr {
	left, right := l.Child(n, "left"), l.Child(n, "right")
	switch op := l.Kind(l.Child(n, "operator")); op {
	case "??":
		return l.Union(l.expr(left), l.expr(right))
	case "instanceof":
		x := l.expr(left)
		if k := l.Kind(right); k == "name" || k == "qualified_name" {
			return l.Opaque(x, l.class(right))
		}
		return l.Opaque(x, l.expr(right))
	case "&&", "and", "||", "or":
		x := l.expr(left)
		mark := l.mark()
		l.apply(l.tests(left, op == "||" || op == "or", nil))
		y := l.expr(right)
		l.restore(mark)
		return l.Opaque(x, y)
	}
	return l.Opaque(l.expr(left), l.expr(right))
}

// yield lowers yield $v, yield $k => $v and yield from $xs.
func (l *lowerer) yield(n syntax.Node) ir.Expr {
	f := l.FuncInfo(l.Func())
	f.Flags |= ir.Generator
	from := false
	for c := range l.Children(n) {
		from = from || l.Kind(c) == "from"
	}
	first := l.NamedChild(n, 0)
	if from {
		l.Stmt(ir.Yield, l.Unary(ir.Elem, l.expr(first), l.Start(n)), 0)
		return 0
	}
	if l.Kind(first) == "array_element_initializer" {
		value := l.NamedChild(first, 0)
		if v := l.NamedChild(first, 1); v != 0 {
			l.Eval(l.Opaque(l.expr(value)))
			value = v
		}
		first = value
	}
	l.Stmt(ir.Yield, l.expr(first), 0)
	return 0
}
