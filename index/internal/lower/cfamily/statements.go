package cfamily

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// block lowers the statements of a block in the scope that is open.
func (l *lowering) block(n syntax.Node) {
	for c := range l.t.NamedChildren(n) {
		l.stmt(c)
	}
}

// scoped runs f in a scope of its own.
func (l *lowering) scoped(f func()) {
	l.b.PushScope()
	f()
	l.b.PopScope()
}

// eval keeps an expression whose value is not used.
func (l *lowering) eval(x ir.Expr) {
	if !l.inert(x) {
		l.b.Eval(x)
	}
}

// inert reports whether nothing follows from reading x.
func (l *lowering) inert(x ir.Expr) bool {
	if x == 0 {
		return true
	}
	switch n := &l.b.Raw().Exprs[x]; n.Op {
	case ir.Local, ir.Lit, ir.This, ir.None:
		return true
	}
	return false
}

// stmt lowers a statement, or an expression that stands for one.
func (l *lowering) stmt(n syntax.Node) {
	if n == 0 || !l.down() {
		return
	}
	defer l.up()
	switch l.t.Kind(n) {
	case "expression_statement":
		l.discard(l.t.NamedChild(n, 0))
	case "declaration":
		l.declaration(n)
	case "compound_statement":
		l.scoped(func() { l.block(n) })
	case "return_statement", "co_return_statement":
		l.b.Return(l.expr(l.t.NamedChild(n, 0)))
	case "co_yield_statement":
		l.b.Stmt(ir.Yield, l.expr(l.t.NamedChild(n, 0)), 0)
	case "throw_statement":
		if x := l.t.NamedChild(n, 0); x != 0 {
			l.b.Stmt(ir.Raise, l.expr(x), 0)
		}
	case "if_statement", "while_statement", "for_statement", "switch_statement", "do_statement", "else_clause",
		"try_statement", "seh_try_statement", "seh_except_clause", "seh_finally_clause":
		l.scoped(func() { l.block(n) })
	case "case_statement", "labeled_statement", "attributed_statement", "ERROR", "preproc_if", "preproc_ifdef", "preproc_elif",
		"preproc_elifdef", "preproc_else", "declaration_list", "condition_clause", "init_statement":
		for c := range l.t.NamedChildren(n) {
			if f := l.t.Field(c); f != "name" && f != "label" && (f != "condition" || l.t.Kind(c) == "parenthesized_expression") {
				l.stmt(c)
			}
		}
	case "for_range_loop":
		l.scoped(func() { l.forRange(n) })
	case "catch_clause":
		l.scoped(func() { l.catch(n) })
	case "function_definition": // not of the language, but of a text that does not parse
		l.item(n)
	case "type_definition":
		l.typedef(n)
	case "alias_declaration":
		l.alias(n)
	case "using_declaration":
		l.using(n)
	case "namespace_alias_definition":
		l.namespaceAlias(n)
	case "struct_specifier", "union_specifier", "class_specifier", "enum_specifier":
		l.typ(n)
	case "template_declaration":
		l.templated(n, l.stmt)
	case "goto_statement", "break_statement", "continue_statement", "preproc_def", "preproc_function_def", "preproc_call",
		"preproc_include", "static_assert_declaration", "attribute_declaration", "statement_identifier":
	default:
		l.discard(n)
	}
}

// discard lowers an expression whose value is not used.
func (l *lowering) discard(n syntax.Node) {
	switch l.t.Kind(n) {
	case "assignment_expression":
		if l.t.Kind(l.t.Child(n, "operator")) == "=" {
			if name := l.methodPointer(l.t.Child(n, "left")); name != 0 {
				v := l.b.Declare(l.t.Text(name), l.t.Start(name))
				l.set(v, l.t.Start(name), l.expr(l.t.Child(n, "right")))
				return
			}
			target, value := l.assignment(n)
			l.b.Bind(target, value)
			return
		}
	case "comma_expression":
		if l.down() {
			l.discard(l.t.Child(n, "left"))
			l.discard(l.t.Child(n, "right"))
			l.up()
		}
		return
	case "update_expression":
		if l.t.Kind(l.t.Child(n, "argument")) == "identifier" {
			return
		}
	}
	l.eval(l.expr(n))
}

// methodPointer returns the name that "T (A::*m)() = x" declares, which the grammar
// reads as a call that is assigned to.
func (l *lowering) methodPointer(left syntax.Node) syntax.Node {
	if l.t.Kind(left) != "call_expression" {
		return 0
	}
	inner := l.t.Child(left, "function")
	if l.t.Kind(inner) != "call_expression" {
		return 0
	}
	path := l.t.NamedChild(l.t.Child(inner, "arguments"), 0)
	for range maxDepth {
		if l.t.Kind(path) != "qualified_identifier" {
			break
		}
		path = l.t.Child(path, "name")
	}
	if l.t.Kind(path) != "pointer_type_declarator" {
		return 0
	}
	return l.t.Child(path, "declarator")
}

// forRange lowers for (T x : xs).
func (l *lowering) forRange(n syntax.Node) {
	for c := range l.t.NamedChildren(n) {
		if f := l.t.Field(c); f == "initializer" || l.t.Kind(c) == "init_statement" {
			l.stmt(c)
		}
	}
	elem := l.expr(l.t.Child(n, "right"))
	if elem != 0 {
		elem = l.b.Unary(ir.Elem, elem, l.t.Start(n))
	}
	typ := l.typ(l.t.Child(n, "type"))
	dec := l.declarator(l.t.Child(n, "declarator"))
	switch {
	case dec.binding != 0:
		var targets []ir.Arg
		for c := range l.t.NamedChildren(dec.binding) {
			v := l.b.Declare(l.t.Text(c), l.t.Start(c))
			targets = append(targets, ir.Arg{X: l.b.Local(v, l.t.Start(c))})
		}
		l.b.Bind(l.b.List("tuple", targets, l.t.Start(n)), elem)
	case dec.name != 0:
		v := l.b.Declare(l.t.Text(dec.name), l.t.Start(dec.name))
		l.b.VarInfo(v).Type = typ
		l.b.Bind(l.b.Local(v, l.t.Start(dec.name)), elem)
	default:
		l.eval(elem)
	}
	l.stmt(l.t.Child(n, "body"))
}

func (l *lowering) catch(n syntax.Node) {
	for p := range l.t.NamedChildren(l.t.Child(n, "parameters")) {
		typ := l.typ(l.t.Child(p, "type"))
		if dec := l.declarator(l.t.Child(p, "declarator")); dec.name != 0 {
			v := l.b.Declare(l.t.Text(dec.name), l.t.Start(dec.name))
			l.b.VarInfo(v).Type = typ
		}
	}
	l.stmt(l.t.Child(n, "body"))
}
