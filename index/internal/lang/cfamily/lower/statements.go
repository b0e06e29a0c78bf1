package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// block lowers the statements of a block in the scope that is open.
func (l *lowerer) block(n syntax.Node) {
	l.Each(n, l.stmt)
}

// scoped runs f in a scope of its own.
func (l *lowerer) scoped(f func()) {
	l.PushScope()
	f()
	l.PopScope()
}

// stmt lowers a statement, or an expression that stands for one.
func (l *lowerer) stmt(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "expression_statement":
		l.discard(l.NamedChild(n, 0))
	case "declaration":
		if !l.calledElement(n) {
			l.declaration(n)
		}
	case "compound_statement":
		l.scoped(func() { l.block(n) })
	case "return_statement", "co_return_statement":
		l.Return(l.expr(l.NamedChild(n, 0)))
	case "co_yield_statement":
		l.Stmt(ir.Yield, l.expr(l.NamedChild(n, 0)), 0)
	case "throw_statement":
		if x := l.NamedChild(n, 0); x != 0 {
			l.Stmt(ir.Raise, l.expr(x), 0)
		}
	case "if_statement", "while_statement", "for_statement", "switch_statement", "do_statement", "else_clause",
		"try_statement", "seh_try_statement", "seh_except_clause", "seh_finally_clause":
		l.scoped(func() { l.block(n) })
	case "case_statement", "labeled_statement", "attributed_statement", "ERROR", "preproc_if", "preproc_ifdef", "preproc_elif",
		"preproc_elifdef", "preproc_else", "declaration_list", "condition_clause", "init_statement":
		for c := range l.NamedChildren(n) {
			if f := l.Field(c); f != "name" && f != "label" && (f != "condition" || l.Kind(c) == "parenthesized_expression") {
				l.stmt(c)
			}
		}
	case "for_range_loop":
		l.scoped(func() { l.forRange(n) })
	case "catch_clause":
		l.scoped(func() { l.catch(n) })
	case "function_definition": // not of the language, but of a text that does not parse
		if l.isBlockMacro(n) {
			l.blockMacro(n)
		} else {
			l.item(n)
		}
	case "type_definition":
		l.typedef(n)
	case "alias_declaration":
		l.alias(n)
	case "using_declaration":
		l.using(n)
	case "namespace_definition": // not of the language in a function, but of a text that does not parse
		l.namespace(n)
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
func (l *lowerer) discard(n syntax.Node) {
	switch l.Kind(n) {
	case "assignment_expression":
		if l.Kind(l.Child(n, "operator")) == "=" {
			if name := l.methodPointer(l.Child(n, "left")); name != 0 {
				v := l.Declare(l.Text(name), l.Start(name))
				l.set(v, l.Start(name), l.expr(l.Child(n, "right")))
				return
			}
			target, value := l.assignment(n)
			l.Bind(target, value)
			return
		}
	case "comma_expression":
		if l.Enter(n) {
			l.discard(l.Child(n, "left"))
			l.discard(l.Child(n, "right"))
			l.Leave()
		}
		return
	case "update_expression":
		if l.Kind(l.Child(n, "argument")) == "identifier" {
			return
		}
	}
	l.Keep(l.expr(n))
}

// methodPointer returns the name that "T (A::*m)() = x" declares, which the grammar
// reads as a call that is assigned to.
func (l *lowerer) methodPointer(left syntax.Node) syntax.Node {
	if l.Kind(left) != "call_expression" {
		return 0
	}
	inner := l.Child(left, "function")
	if l.Kind(inner) != "call_expression" {
		return 0
	}
	path := l.NamedChild(l.Child(inner, "arguments"), 0)
	for range walk.MaxDepth {
		if l.Kind(path) != "qualified_identifier" {
			break
		}
		path = l.Child(path, "name")
	}
	if l.Kind(path) != "pointer_type_declarator" {
		return 0
	}
	return l.Child(path, "declarator")
}

// forRange lowers for (T x : xs).
func (l *lowerer) forRange(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		if f := l.Field(c); f == "initializer" || l.Kind(c) == "init_statement" {
			l.stmt(c)
		}
	}
	elem := l.expr(l.Child(n, "right"))
	if elem != 0 {
		elem = l.Unary(ir.Elem, elem, l.Start(n))
	}
	typ := l.typ(l.Child(n, "type"))
	dec := l.declarator(l.Child(n, "declarator"))
	switch {
	case dec.binding != 0:
		var targets []ir.Arg
		for c := range l.NamedChildren(dec.binding) {
			v := l.Declare(l.Text(c), l.Start(c))
			targets = append(targets, ir.Arg{X: l.Local(v, l.Start(c))})
		}
		l.Bind(l.List("tuple", targets, l.Start(n)), elem)
	case dec.name != 0:
		v := l.Declare(l.Text(dec.name), l.Start(dec.name))
		l.VarInfo(v).Type = typ
		l.Bind(l.Local(v, l.Start(dec.name)), elem)
	default:
		l.Keep(elem)
	}
	l.stmt(l.Child(n, "body"))
}

func (l *lowerer) catch(n syntax.Node) {
	for p := range l.NamedChildren(l.Child(n, "parameters")) {
		typ := l.typ(l.Child(p, "type"))
		if dec := l.declarator(l.Child(p, "declarator")); dec.name != 0 {
			v := l.Declare(l.Text(dec.name), l.Start(dec.name))
			l.VarInfo(v).Type = typ
		}
	}
	l.stmt(l.Child(n, "body"))
}
