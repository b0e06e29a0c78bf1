package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// block lowers the statements of a block, with names of their own.
func (l *lowerer) block(n syntax.Node) {
	l.Scoped(n, func(n syntax.Node) { l.Each(n, l.stmt) })
}

// scoped lowers one statement with names of its own: the body of a loop or of a
// branch. A pattern's variable that a condition declares outside is visible in it.
func (l *lowerer) scoped(n syntax.Node) { l.Scoped(n, l.stmt) }

func (l *lowerer) stmt(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "block", "constructor_body":
		l.block(n)
	case "local_variable_declaration", "field_declaration", "constant_declaration":
		l.locals(n)
	case "expression_statement":
		l.effect(l.NamedChild(n, 0))
	case "return_statement":
		l.Return(l.value(l.NamedChild(n, 0)))
	case "yield_statement":
		l.yield(l.NamedChild(n, 0))
	case "throw_statement":
		l.Stmt(ir.Raise, l.expr(l.NamedChild(n, 0)), 0)
	case "if_statement":
		l.Eval(l.expr(l.Child(n, "condition")))
		l.scoped(l.Child(n, "consequence"))
		l.scoped(l.Child(n, "alternative"))
	case "for_statement":
		l.forLoop(n)
	case "enhanced_for_statement":
		l.forEach(n)
	case "switch_expression":
		l.switching(n, 0)
	case "try_with_resources_statement":
		l.PushScope()
		l.resources(l.Child(n, "resources"))
		l.tryParts(n)
		l.PopScope()
	case "try_statement":
		l.tryParts(n)
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration":
		l.class(n)
	case "method_declaration":
		l.looseMethod(n)
	case "labeled_statement":
		for c := range l.NamedChildren(n) {
			if l.Kind(c) != "identifier" {
				l.stmt(c)
			}
		}
	case "explicit_constructor_invocation":
		l.Eval(l.constructorCall(n))
	case "while_statement", "do_statement", "synchronized_statement", "assert_statement", "finally_clause", "catch_clause",
		"switch_block", "ERROR":
		l.Each(n, l.stmt)
	case "break_statement", "continue_statement", "import_declaration", "package_declaration", "module_declaration":
	default:
		l.Eval(l.expr(n))
	}
}

// looseMethod is a method outside of a class: half-written text, or a file of the
// short form that needs no class.
func (l *lowerer) looseMethod(n syntax.Node) {
	if l.Class() == 0 && !l.AtTop() {
		l.block(l.Child(n, "body"))
		return
	}
	l.method(n, "")
}

// effect evaluates an expression for what it does.
func (l *lowerer) effect(n syntax.Node) {
	if l.Kind(n) == "assignment_expression" && l.operator(n) == "=" {
		l.bind(l.expr(l.Child(n, "left")), l.Child(n, "right"))
		return
	}
	l.Eval(l.expr(n))
}

// bind is target = value.
func (l *lowerer) bind(target ir.Expr, value syntax.Node) {
	l.Bound(target, l.value(value))
}

func (l *lowerer) locals(n syntax.Node) {
	l.annotate(l.ChildOf(n, "modifiers"))
	typeNode := l.Child(n, "type")
	for d := range l.OfKind(n, "variable_declarator") {
		nameNode := l.Child(d, "name")
		typ := l.arrays(l.typ(typeNode), l.Child(d, "dimensions"), l.Start(typeNode))
		l.declare(nameNode, typ, l.Child(d, "value"))
	}
}

// declare makes a variable and gives it its first value. A lambda in the value may
// not use the variable, but an anonymous class may: it is declared first.
func (l *lowerer) declare(nameNode syntax.Node, typ ir.Expr, value syntax.Node) ir.Var {
	if nameNode == 0 {
		l.Eval(typ)
		l.Eval(l.value(value))
		return 0
	}
	name, pos := l.Text(nameNode), l.Start(nameNode)
	v := l.Shadow(name, pos)
	l.VarInfo(v).Type = typ
	if value != 0 {
		l.bind(l.Local(v, pos), value)
	}
	return v
}

func (l *lowerer) forLoop(n syntax.Node) {
	l.PushScope()
	for c := range l.NamedChildren(n) {
		switch l.Field(c) {
		case "init", "update":
			if l.Kind(c) == "local_variable_declaration" {
				l.locals(c)
			} else {
				l.effect(c)
			}
		case "body":
			l.scoped(c)
		default:
			l.Eval(l.expr(c))
		}
	}
	l.PopScope()
}

func (l *lowerer) forEach(n syntax.Node) {
	l.PushScope()
	nameNode, valueNode := l.Child(n, "name"), l.Child(n, "value")
	x := l.expr(valueNode)
	typeNode := l.Child(n, "type")
	typ := l.arrays(l.typ(typeNode), l.Child(n, "dimensions"), l.Start(typeNode))
	v := l.declare(nameNode, typ, 0)
	switch {
	case v == 0:
		l.Eval(x)
	case x != 0:
		pos := l.Start(nameNode)
		l.Bind(l.Local(v, pos), l.Unary(ir.Elem, x, l.Start(valueNode)))
	}
	l.scoped(l.Child(n, "body"))
	l.PopScope()
}

func (l *lowerer) resources(list syntax.Node) {
	for r := range l.NamedChildren(list) {
		if nameNode := l.Child(r, "name"); nameNode != 0 {
			v, pos := l.declare(nameNode, l.typ(l.Child(r, "type")), l.Child(r, "value")), l.Start(nameNode)
			l.implicit(l.Attr(l.Local(v, pos), "close", pos), pos)
			continue
		}
		pos := l.Start(r)
		l.implicit(l.Attr(l.expr(l.NamedChild(r, 0)), "close", pos), pos)
	}
}

// implicit is a call without arguments that the text does not have.
func (l *lowerer) implicit(fn ir.Expr, pos int) {
	x := l.Call(fn, nil, pos)
	l.Flag(x, ir.Implicit)
	l.Eval(x)
}

func (l *lowerer) tryParts(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "block":
			l.block(c)
		case "finally_clause":
			l.block(l.ChildOf(c, "block"))
		case "catch_clause":
			l.PushScope()
			p := l.ChildOf(c, "catch_formal_parameter")
			l.declare(l.Child(p, "name"), l.caught(l.ChildOf(p, "catch_type")), 0)
			l.block(l.Child(c, "body"))
			l.PopScope()
		}
	}
}

// yield gives the switch expression around its value.
func (l *lowerer) yield(n syntax.Node) {
	x := l.value(n)
	if x == 0 {
		return
	}
	if len(l.results) > 0 {
		if v := l.results[len(l.results)-1]; v != 0 {
			l.Bind(l.Local(v, l.Start(n)), x)
			return
		}
	}
	l.Eval(x)
}
