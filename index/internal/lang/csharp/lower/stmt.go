package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// block lowers the statements of a block, in a scope of its own.
func (l *lowerer) block(n syntax.Node) {
	l.PushScope()
	l.hoist(n)
	l.Each(n, l.stmt)
	l.PopScope()
}

// hoist declares the local functions of a block, which are known in all of it.
func (l *lowerer) hoist(n syntax.Node) {
	for c := range l.OfKind(n, "local_function_statement") {
		if name := l.Child(c, "name"); name != 0 {
			l.Declare(l.name(name), l.Start(name))
		}
	}
}

func (l *lowerer) stmt(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "block":
		l.block(n)
	case "expression_statement":
		l.Eval(l.effect(l.operand(n)))
	case "local_declaration_statement":
		l.locals(l.ChildOf(n, "variable_declaration"))
		if l.ChildOf(n, "using") != 0 {
			l.disposes(n)
		}
	case "local_function_statement":
		name := l.Child(n, "name")
		pos := l.Start(name)
		decorators := l.attributes(n)
		f := l.BeginFunc(l.name(name), pos)
		l.FuncInfo(f).SetDecorators(decorators)
		l.function(f, n, l.Child(n, "type"), l.modifiers(n), 0)
		l.DefineFunc(f, false, false, pos)
	case "return_statement":
		l.Return(l.value(l.operand(n), l.result))
	case "yield_statement":
		if f := l.FuncInfo(l.Func()); f.Flags&ir.Generator == 0 {
			f.Flags |= ir.Generator
		}
		l.Stmt(ir.Yield, l.value(l.operand(n), 0), 0)
	case "throw_statement":
		l.Stmt(ir.Raise, l.expr(l.operand(n)), 0)
	case "if_statement":
		l.Eval(l.expr(l.Child(n, "condition")))
		l.stmt(l.Child(n, "consequence"))
		l.stmt(l.Child(n, "alternative"))
	case "while_statement", "do_statement", "labeled_statement", "checked_statement", "unsafe_statement",
		"lock_statement", "fixed_statement", "using_statement", "for_statement":
		l.scoped(n)
	case "foreach_statement":
		l.foreach(n)
	case "switch_statement":
		l.switchStatement(n)
	case "try_statement":
		l.try(n)
	case "preproc_if", "preproc_else", "preproc_elif", "global_statement", "ERROR", "declaration_list":
		for c := range l.NamedChildren(n) {
			if l.Field(c) != "condition" || l.Kind(n) == "ERROR" {
				l.stmt(c)
			}
		}
	case "variable_declaration":
		l.locals(n)
	case "break_statement", "continue_statement", "empty_statement", "goto_statement":
	case "class_declaration", "struct_declaration", "interface_declaration", "enum_declaration", "record_declaration",
		"delegate_declaration", "method_declaration", "constructor_declaration", "property_declaration",
		"field_declaration", "namespace_declaration", "using_directive", "file_scoped_namespace_declaration":
		// Only where a brace is missing. A member outside of a class is a function here.
		l.declaration(n)
	default:
		l.Eval(l.expr(n))
	}
}

// scoped lowers a statement that is its parts in order, in a scope of its own.
func (l *lowerer) scoped(n syntax.Node) {
	l.PushScope()
	label := l.Kind(n) == "labeled_statement"
	for c := range l.Children(n) {
		if !l.Named(c) && !l.self(c) {
			continue
		}
		if label {
			label = false
			continue
		}
		l.stmt(c)
	}
	if l.Kind(n) == "using_statement" {
		l.disposes(n)
	}
	l.PopScope()
}

// disposes lowers the calls at the end of a using statement or declaration.
func (l *lowerer) disposes(n syntax.Node) {
	member := "Dispose"
	if l.ChildOf(n, "await") != 0 {
		member = "DisposeAsync"
	}
	held := []syntax.Node{l.NamedChild(n, 0)}
	if list := l.ChildOf(n, "variable_declaration"); list != 0 {
		held = held[:0]
		for d := range l.OfKind(list, "variable_declarator") {
			held = append(held, l.Child(d, "name"))
		}
	}
	for _, x := range held {
		if x != 0 && l.Kind(x) != "block" {
			pos := l.Start(x)
			l.implicit(l.Attr(l.expr(x), member, pos), pos)
		}
	}
}

// implicit is a call without arguments that the text does not have.
func (l *lowerer) implicit(fn ir.Expr, pos int) {
	x := l.Call(fn, nil, pos)
	l.Flag(x, ir.Implicit)
	l.Eval(x)
}

// locals lowers the declaration of local variables.
func (l *lowerer) locals(n syntax.Node) {
	typ := l.Child(n, "type")
	for d := range l.OfKind(n, "variable_declarator") {
		value := l.value(l.after(d, "="), typ)
		if tuple := l.ChildOf(d, "tuple_pattern"); tuple != 0 {
			l.Bind(l.tuplePattern(tuple), value)
			continue
		}
		name := l.Child(d, "name")
		if name == 0 {
			l.Eval(value)
			continue
		}
		l.local(name, typ, value)
	}
}

// local declares a variable in the innermost scope, and binds it to a value.
func (l *lowerer) local(name, typ syntax.Node, value ir.Expr) ir.Expr {
	pos := l.Start(name)
	x := l.typ(typ)
	var v ir.Var
	if l.Class() == 0 {
		v = l.Shadow(l.name(name), pos)
	} else {
		v = l.Temp(pos) // in a field's initial value: not a field
	}
	l.VarInfo(v).Type = x
	target := l.Local(v, pos)
	if value != 0 {
		l.Bind(target, value)
	}
	return target
}

// tuplePattern declares the variables of var (a, b).
func (l *lowerer) tuplePattern(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "identifier":
			args = append(args, ir.Arg{X: l.local(c, 0, 0)})
		case "tuple_pattern", "parenthesized_variable_designation":
			args = append(args, ir.Arg{X: l.tuplePattern(c)})
		default:
			args = append(args, ir.Arg{})
		}
	}
	return l.List("tuple", args, l.Start(n))
}

func (l *lowerer) foreach(n syntax.Node) {
	right := l.Child(n, "right")
	elem := l.Unary(ir.Elem, l.expr(right), l.Start(right))
	l.PushScope()
	left := l.Child(n, "left")
	typ := l.Child(n, "type")
	switch {
	case l.Kind(left) == "tuple_pattern":
		l.Bind(l.tuplePattern(left), elem)
	case l.Kind(left) == "identifier" && typ != 0:
		l.local(left, typ, elem)
	default:
		l.Bind(l.target(left), elem)
	}
	l.stmt(l.Child(n, "body"))
	l.PopScope()
}

func (l *lowerer) switchStatement(n syntax.Node) {
	value := l.once(l.Child(n, "value"))
	l.PushScope()
	body := l.Child(n, "body")
	l.Each(body, l.hoist)
	for s := range l.NamedChildren(body) {
		head := true // before the colon
		for c := range l.Children(s) {
			switch {
			case l.Kind(c) == ":":
				head = false
			case !l.Named(c) && !l.self(c):
			case head && l.Kind(c) == "when_clause":
				l.Eval(l.Opaque(l.expr(l.operand(c))))
			case head:
				l.pattern(c, value)
			default:
				l.stmt(c)
			}
		}
	}
	l.PopScope()
}

func (l *lowerer) try(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "catch_clause":
			l.PushScope()
			if d := l.ChildOf(c, "catch_declaration"); d != 0 {
				typ, name := l.Child(d, "type"), l.Child(d, "name")
				if name != 0 {
					l.local(name, typ, 0)
				} else {
					l.Eval(l.Opaque(l.typ(typ)))
				}
			}
			if w := l.ChildOf(c, "catch_filter_clause"); w != 0 {
				l.Eval(l.Opaque(l.expr(l.operand(w))))
			}
			l.stmt(l.Child(c, "body"))
			l.PopScope()
		case "finally_clause":
			l.stmt(l.ChildOf(c, "block"))
		default:
			l.stmt(c)
		}
	}
}
