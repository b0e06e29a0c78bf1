package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// block lowers the statements below n in the scope that is open.
func (l *lowerer) block(n syntax.Node) {
	l.Each(n, l.stmt)
}

// scoped lowers the statements below n in a scope of their own.
func (l *lowerer) scoped(n syntax.Node) {
	l.PushScope()
	l.block(n)
	l.PopScope()
}

// stmt lowers a statement or declaration; an expression is evaluated.
func (l *lowerer) stmt(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "package_clause":
		l.packageClause(n)
	case "import_declaration":
		l.imports(n)
	case "function_declaration", "method_declaration":
		l.function(n)
	case "type_declaration":
		l.types(n)
	case "var_declaration", "const_declaration":
		l.values(n)
	case "short_var_declaration":
		l.assign(l.Child(n, "left"), l.Child(n, "right"), true)
	case "assignment_statement":
		l.assignment(n)
	case "receive_statement":
		l.assign(l.Child(n, "left"), l.Child(n, "right"), l.ChildOf(n, ":=") != 0)
	case "send_statement":
		ch, value := l.expr(l.Child(n, "channel")), l.expr(l.Child(n, "value"))
		if ch != 0 {
			l.Bind(l.Index(ch, 0, "", l.Start(n)), value)
		} else {
			l.eval(value)
		}
	case "return_statement":
		l.returns(n)
	case "block":
		l.scoped(n)
	case "if_statement":
		l.PushScope()
		l.stmt(l.Child(n, "initializer"))
		l.stmt(l.Child(n, "condition"))
		l.stmt(l.Child(n, "consequence"))
		l.stmt(l.Child(n, "alternative"))
		l.PopScope()
	case "for_statement":
		l.forStmt(n)
	case "expression_switch_statement", "select_statement":
		l.scoped(n)
	case "expression_case", "communication_case", "default_case":
		l.scoped(n)
	case "type_switch_statement":
		l.typeSwitch(n)
	case "labeled_statement", "go_statement", "defer_statement", "expression_statement",
		"inc_statement", "dec_statement", "for_clause", "expression_list", "ERROR":
		l.block(n)
	case "label_name", "break_statement", "continue_statement", "goto_statement", "fallthrough_statement":
	default:
		l.eval(l.expr(n))
	}
}

// eval adds an expression whose value is not used, unless it does nothing.
func (l *lowerer) eval(x ir.Expr) {
	if !l.inert(x) {
		l.Eval(x)
	}
}

// inert reports whether evaluating x calls and reads nothing that the graph wants
// to know of.
func (l *lowerer) inert(x ir.Expr) bool {
	return l.Inert(x) || l.OpOf(x) == ir.ClassX
}

// bind adds target = value, or evaluates what cannot be assigned to.
func (l *lowerer) bind(target, value ir.Expr) {
	exprs := l.Raw().Exprs
	t := exprs[target]
	switch t.Op {
	case ir.Local, ir.Name, ir.Attr, ir.Index:
		if value != 0 && !l.IsLiteral(value, "nil") {
			l.Bind(target, value)
			return
		}
		if t.Op == ir.Attr || t.Op == ir.Index {
			l.eval(t.A)
			l.eval(t.B)
		}
	default:
		l.eval(target)
		l.eval(value)
	}
}

// assignment lowers = and the forms with an operator, which change a value but
// not what it is.
func (l *lowerer) assignment(n syntax.Node) {
	left, right := l.Child(n, "left"), l.Child(n, "right")
	if l.Kind(l.Child(n, "operator")) == "=" {
		l.assign(left, right, false)
		return
	}
	l.block(left)
	l.block(right)
}

// assign lowers left = right, or left := right.
func (l *lowerer) assign(left, right syntax.Node, declare bool) {
	mark := l.Mark()
	l.each(right, func(n syntax.Node) { l.PushArg(ir.Arg{X: l.expr(n)}) })
	// The values stay on the stack while the targets are lowered.
	values, targets, i := l.Mark()-mark, 0, 0
	l.each(left, func(syntax.Node) { targets++ })
	l.each(left, func(n syntax.Node) {
		target := l.target(n, declare)
		l.bindPart(target, l.Pushed(mark)[:values], i, targets)
		i++
	})
	if targets == 0 {
		for _, a := range l.Pushed(mark) {
			l.eval(a.X)
		}
	}
	l.Take(mark)
}

// each calls f for the members of a list of expressions, or for the one that
// stands without a list.
func (l *lowerer) each(n syntax.Node, f func(syntax.Node)) {
	if l.Kind(n) != "expression_list" {
		if n != 0 {
			f(n)
		}
		return
	}
	for c := range l.NamedChildren(n) {
		f(c)
	}
}

// bindPart assigns to the target number i of several: the value at its place, or
// a part of the only one.
func (l *lowerer) bindPart(target ir.Expr, values []ir.Arg, i, targets int) {
	switch {
	case len(values) != 1 || targets == 1:
		if i < len(values) {
			l.bind(target, values[i].X)
		} else {
			l.bind(target, 0)
		}
	case l.Raw().Exprs[values[0].X].Op == ir.Call:
		if target != 0 {
			l.bind(target, l.Result(values[0].X, i))
		} else if i == 0 {
			l.eval(values[0].X)
		}
	case i == 0:
		l.bind(target, values[0].X)
	case target != 0:
		// v, ok of an index, an assertion or a receive.
		l.bind(target, l.Literal("bool"))
	}
}

// target lowers what is assigned to.
func (l *lowerer) target(n syntax.Node, declare bool) ir.Expr {
	if l.Kind(n) == "identifier" {
		name, pos := l.Text(n), l.Start(n)
		switch {
		case name == "_":
			return 0
		case declare:
			return l.Local(l.Declare(name, pos), pos)
		}
	}
	return l.expr(n)
}

// returns lowers a return statement.
func (l *lowerer) returns(n syntax.Node) {
	list := l.ChildOf(n, "expression_list")
	if list == 0 {
		l.bare = true
		return
	}
	mark := l.Mark()
	for c := range l.NamedChildren(list) {
		l.PushArg(ir.Arg{X: l.expr(c)})
	}
	l.returnArgs(mark, l.Start(n))
}

// returnArgs returns the expressions above mark.
func (l *lowerer) returnArgs(mark, pos int) {
	switch xs := l.Take(mark); len(xs) {
	case 0:
	case 1:
		l.Return(xs[0].X)
	default:
		l.Return(l.List("results", xs, pos))
	}
}

// forStmt lowers the loops.
func (l *lowerer) forStmt(n syntax.Node) {
	l.PushScope()
	for c := range l.NamedChildren(n) {
		if l.Kind(c) == "range_clause" {
			l.rangeClause(c)
		} else {
			l.stmt(c)
		}
	}
	l.PopScope()
}

// rangeClause binds the variables of a range. One alone is the key, which of
// a channel is its element.
func (l *lowerer) rangeClause(n syntax.Node) {
	x := l.expr(l.Child(n, "right"))
	declare := l.ChildOf(n, ":=") != 0
	i := 0
	l.each(l.Child(n, "left"), func(v syntax.Node) {
		target := l.target(v, declare)
		elem := ir.Node{Op: ir.Elem, A: x, Pos: l.Pos(l.Start(v))}
		if i == 0 {
			elem.Name = l.Str("key")
		}
		if target != 0 && x != 0 {
			l.bind(target, l.Expr(elem))
		}
		i++
	})
	l.eval(x)
}

// typeSwitch lowers a switch over types. In a case for one type the variable is
// of that type, in one for several it is one of them, in the others it is x.
func (l *lowerer) typeSwitch(n syntax.Node) {
	l.PushScope()
	l.stmt(l.Child(n, "initializer"))
	x := l.expr(l.Child(n, "value"))
	l.eval(x)
	alias := l.Child(n, "alias")
	if l.Kind(alias) == "expression_list" {
		alias = l.NamedChild(alias, 0)
	}
	for c := range l.OfKind(n, "type_case", "default_case") {
		l.PushScope()
		var as []ir.Expr
		for typ := range l.NamedChildren(c) {
			if l.Field(typ) != "type" {
				continue
			}
			if to := l.typ(typ); to != 0 {
				as = append(as, l.Binary(ir.Cast, x, to, l.Start(typ)))
			}
		}
		if name := l.Text(alias); alias != 0 && name != "_" {
			v := l.Local(l.Declare(name, l.Start(alias)), l.Start(alias))
			if len(as) == 0 {
				as = append(as, x)
			}
			l.bind(v, l.Union(as...))
		} else {
			for _, x := range as {
				l.eval(x)
			}
		}
		for s := range l.NamedChildren(c) {
			if l.Field(s) != "type" {
				l.stmt(s)
			}
		}
		l.PopScope()
	}
	l.PopScope()
}
