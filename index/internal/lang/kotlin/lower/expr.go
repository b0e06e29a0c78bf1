package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// value is an expression whose value goes somewhere.
func (l *lowerer) value(n syntax.Node) ir.Expr { return l.expr(n) }

func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "simple_identifier", "interpolated_identifier", "type_identifier":
		return l.name(n)
	case "user_type", "nullable_type", "function_type", "parenthesized_type":
		return l.typ(n)
	case "parenthesized_expression", "interpolated_expression", "annotated_lambda", "spread_expression", "value_argument", "when_condition", "range_test":
		return l.operand(n)
	case "integer_literal", "hex_literal", "bin_literal":
		return l.Lit("Int", pos)
	case "long_literal":
		return l.Lit("Long", pos)
	case "unsigned_literal":
		return l.Lit("UInt", pos)
	case "real_literal":
		if text := l.Bytes(n); text[len(text)-1]|0x20 == 'f' {
			return l.Lit("Float", pos)
		}
		return l.Lit("Double", pos)
	case "boolean_literal":
		return l.Lit("Boolean", pos)
	case "character_literal":
		return l.Lit("Char", pos)
	case "string_literal":
		return l.text(n)
	case "label", "line_comment", "multiline_comment":
		return 0
	case "call_expression":
		return l.call(n)
	case "navigation_expression":
		return l.navigation(n)
	case "indexing_expression":
		return l.indexing(n)
	case "this_expression":
		return l.this(n)
	case "super_expression":
		return l.super(n)
	case "lambda_literal":
		return l.lambda(n, "")
	case "anonymous_function":
		return l.anonymousFunction(n)
	case "object_literal":
		return l.objectLiteral(n)
	case "callable_reference":
		return l.reference(n)
	case "as_expression":
		x := l.Or(l.expr(l.NamedChild(n, 0)))
		if typ := l.typeBound(n); typ != 0 {
			return l.Binary(ir.Cast, x, typ, pos)
		}
		return x
	case "additive_expression", "multiplicative_expression":
		return l.arithmetic(n)
	case "range_expression", "comparison_expression", "infix_expression", "check_expression", "elvis_expression", "equality_expression":
		return l.binary(n)
	case "conjunction_expression", "disjunction_expression":
		return l.logical(n)
	case "prefix_expression", "postfix_expression":
		return l.unary(n)
	case "if_expression":
		then, other := l.branches(n)
		return l.Union(then, other)
	case "when_expression":
		return l.when(n)
	case "try_expression":
		return l.try(n)
	case "jump_expression":
		l.jump(n)
		return 0
	case "collection_literal":
		return l.List("Array", l.values(n), pos)
	}
	return l.unknown(n)
}

// operand is the one expression in n.
func (l *lowerer) operand(n syntax.Node) ir.Expr {
	var x ir.Expr
	for c := range l.NamedChildren(n) {
		k := l.Kind(c)
		if k == "label" || k == "annotation" {
			continue
		}
		if x != 0 { // only in text that does not parse
			l.Eval(x)
		}
		if isStatement(k) {
			l.stmt(c)
			x = 0
		} else {
			x = l.expr(c)
		}
	}
	return x
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

// typed is a value of a class of the standard library, made of xs.
func (l *lowerer) typed(typ string, pos int, xs ...ir.Expr) ir.Expr {
	inside := l.Opaque(xs...)
	if inside == 0 {
		return l.Lit(typ, pos)
	}
	return l.Binary(ir.Cast, inside, l.Free(typ, pos), pos)
}

// text is a string with what is interpolated.
func (l *lowerer) text(n syntax.Node) ir.Expr {
	inside := l.Unknown(n, func(c syntax.Node) ir.Expr {
		if k := l.Kind(c); k == "interpolated_expression" || k == "interpolated_identifier" {
			return l.expr(c)
		}
		return 0
	})
	return l.typed("String", l.Start(n), inside)
}

// this is the receiver, or with a label the one of a class around.
func (l *lowerer) this(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	x := l.Unary(ir.This, 0, pos)
	label := l.ChildOf(n, "type_identifier", "simple_identifier", "label")
	if label == 0 {
		return x
	}
	name := l.ident(label)
	for i := len(l.Classes) - 1; i >= 0; i-- {
		if l.Classes[i].Name == name {
			return l.Binary(ir.Cast, x, l.Free(name, pos), pos)
		}
	}
	return x
}

func (l *lowerer) super(n syntax.Node) ir.Expr {
	if typ := l.typeIn(n); typ != 0 {
		return typ
	}
	return l.Unary(ir.Super, 0, l.Start(n))
}

// reference is ::f, C::f, x::f or C::class.
func (l *lowerer) reference(n syntax.Node) ir.Expr {
	var holder, name syntax.Node
	colons, class := false, false
	for c := range l.Children(n) {
		switch {
		case l.Kind(c) == "::":
			colons = true
		case l.Kind(c) == "class":
			class = true
		case !l.Named(c):
		case colons:
			name = c
		case holder == 0:
			holder = c
		}
	}
	switch {
	case class:
		return l.Binary(ir.Cast, l.Or(l.expr(holder)), l.Free("KClass", l.Start(n)), l.Start(n))
	case name == 0:
		return l.unknown(n)
	case holder == 0:
		return l.name(name)
	}
	return l.Attr(l.Or(l.expr(holder)), l.ident(name), l.Start(name))
}

// ifStatement is an if whose value is not used. Where its branch leaves the
// function, what the condition says not to be is known after it.
func (l *lowerer) ifStatement(n syntax.Node) {
	then, other := l.branches(n)
	l.Eval(then)
	l.Eval(other)
	condition, body := l.NamedChild(n, 0), l.ChildOf(n, "control_structure_body")
	if l.ChildOf(n, "else") == 0 && l.leaves(body) {
		l.narrowAll(condition, false)
	}
}

// leaves reports whether the last statement of a branch is a jump.
func (l *lowerer) leaves(body syntax.Node) bool {
	if s := l.ChildOf(body, "statements"); s != 0 {
		body = s
	}
	last := l.LastChild(body)
	return l.Kind(last) == "jump_expression"
}

// branches lowers an if and returns the values of its branches.
func (l *lowerer) branches(n syntax.Node) (then, other ir.Expr) {
	var condition syntax.Node
	negative := false
	for c := range l.Children(n) {
		switch k := l.Kind(c); {
		case k == "else":
			negative = true
		case k == "control_structure_body":
			l.PushScope()
			l.narrowAll(condition, !negative)
			if x := l.branch(c); negative {
				other = x
			} else {
				then = x
			}
			l.PopScope()
		case condition == 0 && l.Named(c) && !isComment(k):
			condition = c
			l.Eval(l.expr(c))
		}
	}
	return then, other
}

func (l *lowerer) when(n syntax.Node) ir.Expr {
	l.PushScope()
	defer l.PopScope()
	subject := l.ChildOf(n, "when_subject")
	var name syntax.Node // of the variable that is looked at
	if subject != 0 {
		if d := l.ChildOf(subject, "variable_declaration"); d != 0 {
			name = l.NamedChild(d, 0)
			x := l.expr(l.after(subject, "="))
			v := l.shadow(name, l.typeBound(d))
			if x != 0 {
				l.Bind(l.Local(v, l.Start(name)), x)
			}
		} else {
			c := l.NamedChild(subject, 0)
			if l.Kind(c) == "simple_identifier" {
				name = c
			}
			l.Eval(l.expr(c))
		}
	}
	var values []ir.Expr
	for entry := range l.OfKind(n, "when_entry") {
		l.PushScope()
		values = append(values, l.whenEntry(entry, subject != 0, name))
		l.PopScope()
	}
	return l.Union(values...)
}

func (l *lowerer) whenEntry(entry syntax.Node, hasSubject bool, name syntax.Node) ir.Expr {
	conditions := 0
	var tests []narrowing
	for c := range l.OfKind(entry, "when_condition") {
		conditions++
		part := l.NamedChild(c, 0)
		if l.Kind(part) != "type_test" {
			l.Eval(l.expr(c))
			if !hasSubject {
				tests = l.narrowings(part, true, tests)
			}
			continue
		}
		if typ := l.typeNode(part); l.ChildOf(part, "is") != 0 && name != 0 {
			tests = append(tests, narrowing{name, typ})
		} else {
			l.Eval(l.typ(typ))
		}
	}
	if conditions == 1 {
		l.narrow(tests)
	} else {
		for _, t := range tests {
			l.Eval(l.typ(t.typ))
		}
	}
	return l.branch(l.ChildOf(entry, "control_structure_body"))
}

func (l *lowerer) try(n syntax.Node) ir.Expr {
	var values []ir.Expr
	for c := range l.NamedChildren(n) {
		l.PushScope()
		switch l.Kind(c) {
		case "statements":
			values = append(values, l.valueOf(c))
		case "catch_block":
			if nameNode := l.ChildOf(c, "simple_identifier"); nameNode != 0 {
				l.shadow(nameNode, l.typeBound(c))
			}
			values = append(values, l.valueOf(l.ChildOf(c, "statements")))
		case "finally_block":
			l.body(l.ChildOf(c, "statements"))
		}
		l.PopScope()
	}
	return l.Union(values...)
}

// jump is return, throw, break or continue. A return without a label in a lambda
// leaves the function around it.
func (l *lowerer) jump(n syntax.Node) {
	var value, label syntax.Node
	for c := range l.NamedChildren(n) {
		if l.Kind(c) == "label" {
			label = c
		} else {
			value = c
		}
	}
	x := l.expr(value)
	if x == 0 {
		return
	}
	switch l.Kind(l.First(n)) {
	case "throw":
		l.Stmt(ir.Raise, x, 0)
	case "return", "return@":
		f := l.funcs[len(l.funcs)-1]
		info := l.FuncInfo(f)
		if label != 0 && l.ident(label) != l.Raw().String(info.Name) {
			l.Return(x)
			return
		}
		body := &l.Raw().Bodies[f]
		*body = append(*body, ir.Stmt{Op: ir.Return, A: x})
	default:
		l.Eval(x)
	}
}
