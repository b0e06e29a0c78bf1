package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// stmts lowers the statements of a block.
func (l *lowerer) stmts(n syntax.Node) {
	l.Each(n, l.stmt)
}

func (l *lowerer) stmt(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "expression_statement":
		l.Each(n, l.eval)
	case "return_statement":
		if x := l.expr(l.NamedChild(n, 0)); x != 0 {
			l.Stmt(ir.Return, x, l.frame.where)
		}
	case "if_statement":
		l.ifStmt(n)
	case "for_statement":
		l.forStmt(n)
	case "while_statement":
		is, _ := l.cond(l.Child(n, "condition"))
		l.block(func() {
			l.narrowAll(is)
			l.stmts(l.Child(n, "body"))
		})
		l.elseBlock(n)
	case "with_statement":
		for c := range l.NamedChildren(l.ChildOf(n, "with_clause")) {
			l.withItem(l.Child(c, "value"), l.ChildOf(n, "async") != 0)
		}
		l.stmts(l.Child(n, "body"))
	case "try_statement":
		l.tryStmt(n)
	case "match_statement":
		l.matchStmt(n)
	case "raise_statement":
		l.raise(n)
	case "assert_statement":
		first := l.NamedChild(n, 0)
		is, _ := l.cond(first)
		for c := range l.NamedChildren(n) {
			if c != first {
				l.eval(c)
			}
		}
		l.narrowAll(is)
	case "function_definition", "class_definition", "decorated_definition":
		l.definition(n)
	case "import_statement", "import_from_statement", "future_import_statement":
		l.imports(n)
	case "type_alias_statement":
		l.typeAlias(n)
	case "block", "ERROR", "else_clause", "finally_clause", "module":
		l.stmts(n)
	case "delete_statement":
		l.delete(l.NamedChild(n, 0))
	case "global_statement", "nonlocal_statement", "pass_statement", "break_statement", "continue_statement":
	default: // print and exec of Python 2, and expressions in text that does not parse
		l.eval(n)
	}
}

// delete lowers what "del" deletes: an item is taken out by a method.
func (l *lowerer) delete(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier":
	case "attribute":
		l.Keep(l.expr(l.Child(n, "object")))
	case "subscript":
		index := l.expr(l.Child(n, "subscript"))
		l.Keep(l.special("__delitem__", l.Start(n), l.expr(l.Child(n, "value")), index))
	default:
		l.Each(n, l.delete)
	}
}

// eval lowers what stands as a statement of its own.
func (l *lowerer) eval(n syntax.Node) {
	switch l.Kind(n) {
	case "assignment":
		l.assignment(n)
	case "augmented_assignment":
		l.augmented(n)
	default:
		l.Keep(l.expr(n))
	}
}

func (l *lowerer) ifStmt(n syntax.Node) {
	l.branches(n, n)
}

// branches lowers a condition with what follows it: the "if" statement, or one of
// its "elif" clauses and all alternatives after it.
func (l *lowerer) branches(n, stmt syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	cond := l.Child(n, "condition")
	was := l.frame.typing
	if l.typeChecking(cond) {
		l.frame.typing = true
	}
	is, not := l.cond(cond)
	body := l.Child(n, "consequence")
	none, other := l.absence(cond)
	l.block(func() {
		l.narrowAll(is)
		l.decided(none, other)
		l.stmts(body)
	})
	l.frame.typing = was
	next := l.alternative(stmt, n)
	switch l.Kind(next) {
	case "elif_clause":
		l.block(func() {
			l.narrowAll(not)
			l.branches(next, stmt)
		})
	case "else_clause":
		l.block(func() {
			l.narrowAll(not)
			l.decided(other, none)
			l.stmts(l.Child(next, "body"))
		})
	default:
		if l.ends(body) {
			l.narrowAll(not)
			l.decided(other, none)
		}
	}
}

// alternative returns the clause of an "if" statement after one of its conditions.
func (l *lowerer) alternative(stmt, after syntax.Node) syntax.Node {
	for c := range l.NamedChildren(stmt) {
		if (after == stmt || c > after) && l.Field(c) == "alternative" {
			return c
		}
	}
	return 0
}

// ends reports whether nothing comes after a block.
func (l *lowerer) ends(block syntax.Node) bool {
	last := ""
	for c := range l.NamedChildren(block) {
		last = l.Kind(c)
	}
	switch last {
	case "return_statement", "raise_statement", "continue_statement", "break_statement":
		return true
	}
	return false
}

func (l *lowerer) forStmt(n syntax.Node) {
	right := l.Child(n, "right")
	iter := l.expr(right)
	l.block(func() {
		l.bindElem(l.Child(n, "left"), iter, l.Start(right))
		l.stmts(l.Child(n, "body"))
	})
	l.elseBlock(n)
}

// bindElem binds the target of a loop.
func (l *lowerer) bindElem(left syntax.Node, iter ir.Expr, pos int) {
	target := l.target(left)
	l.Bind(target, l.Unary(ir.Elem, iter, pos))
}

func (l *lowerer) elseBlock(n syntax.Node) {
	if c := l.ChildOf(n, "else_clause"); c != 0 {
		l.block(func() { l.stmts(l.Child(c, "body")) })
	}
}

// withItem lowers one resource of a "with" statement. What it is bound to is what
// __enter__ returns, which for most resources is the resource.
func (l *lowerer) withItem(n syntax.Node, async bool) {
	for l.Kind(n) == "parenthesized_expression" && l.Kind(l.NamedChild(n, 0)) == "as_pattern" {
		n = l.NamedChild(n, 0)
	}
	var target syntax.Node
	value := n
	if l.Kind(n) == "as_pattern" {
		value, target = l.NamedChild(n, 0), l.NamedChild(l.ChildOf(n, "as_pattern_target"), 0)
	}
	pos := l.Start(value)
	x := l.expr(value)
	if x == 0 {
		return
	}
	enter, exit := "__enter__", "__exit__"
	if async {
		enter, exit = "__aenter__", "__aexit__"
	}
	held, self := l.twice(x, pos)
	got := l.Flag(l.Call(l.Attr(held, enter, pos), nil, pos), ir.Implicit)
	if async {
		got = l.Unary(ir.Await, got, pos)
	}
	if target == 0 {
		l.Eval(got)
	} else {
		l.Bind(l.target(target), l.Union(got, self))
	}
	l.Eval(l.Flag(l.Call(l.Attr(self, exit, pos), nil, pos), ir.Implicit))
}

func (l *lowerer) tryStmt(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "except_clause", "except_group_clause":
			l.block(func() { l.except(c) })
		case "block", "else_clause", "finally_clause":
			l.block(func() { l.stmts(c) })
		default:
			l.stmt(c)
		}
	}
}

// except lowers a clause of a "try" statement: the name is an instance of one of
// the types.
func (l *lowerer) except(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "block":
			l.stmts(c)
		case "as_pattern":
			typ := l.classes(l.NamedChild(c, 0))
			if name := l.NamedChild(l.ChildOf(c, "as_pattern_target"), 0); name != 0 && typ != 0 {
				l.Bind(l.target(name), l.Binary(ir.Cast, 0, typ, l.Start(name)))
			}
		default:
			l.Keep(l.asked(l.classes(c), l.Start(c)))
		}
	}
}

// raise lowers "raise X": a class that is raised is called first.
func (l *lowerer) raise(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		x := l.expr(c)
		if l.Field(c) == "cause" {
			l.Keep(x)
			continue
		}
		pos := l.Start(c)
		switch l.Kind(c) {
		case "attribute":
			pos = l.Start(l.Child(c, "attribute"))
			fallthrough
		case "identifier":
			value, class := l.twice(x, pos)
			l.Stmt(ir.Raise, l.Union(value, l.Flag(l.Call(class, nil, pos), ir.Implicit)), 0)
		default:
			l.Stmt(ir.Raise, x, 0)
		}
	}
}

func (l *lowerer) typeChecking(n syntax.Node) bool {
	if l.Kind(n) == "attribute" {
		n = l.Child(n, "attribute")
	}
	return l.Kind(n) == "identifier" && string(l.Bytes(n)) == "TYPE_CHECKING"
}
