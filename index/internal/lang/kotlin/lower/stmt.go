package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// isStatement reports whether stmt, and not expr, lowers nodes of the kind.
func isStatement(kind string) bool {
	switch kind {
	case "property_declaration", "function_declaration", "class_declaration", "object_declaration", "type_alias", "for_statement",
		"while_statement", "do_while_statement", "assignment", "package_header", "import_list", "import_header", "file_annotation",
		"ERROR", "companion_object", "secondary_constructor", "getter", "setter", "anonymous_initializer", "class_body", "statements":
		return true
	}
	return false
}

func (l *lowerer) stmt(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "package_header":
		l.packageHeader(n)
	case "import_header":
		l.importHeader(n)
	case "import_list", "ERROR", "class_body", "statements":
		l.body(n)
	case "file_annotation":
		l.Eval(l.annotation(n))
	case "type_alias":
		l.typeAlias(n)
	case "class_declaration", "object_declaration":
		l.class(n)
	case "function_declaration":
		l.function(n, false)
	case "property_declaration":
		if l.AtTop() {
			l.topProperty(n, nil)
		} else {
			l.localProperty(n)
		}
	case "companion_object", "anonymous_initializer":
		l.body(l.ChildOf(n, "class_body", "statements"))
	case "secondary_constructor":
		l.body(l.ChildOf(n, "statements"))
	case "getter", "setter":
		l.functionBody(l.ChildOf(n, "function_body"))
	case "assignment":
		l.assignment(n)
	case "for_statement":
		l.forLoop(n)
	case "while_statement":
		l.whileLoop(n)
	case "do_while_statement":
		// The condition sees the variables of the body.
		l.PushScope()
		l.body(l.ChildOf(l.ChildOf(n, "control_structure_body"), "statements"))
		for c := range l.NamedChildren(n) {
			if l.Kind(c) != "control_structure_body" {
				l.Eval(l.expr(c))
			} else if l.ChildOf(c, "statements") == 0 {
				l.body(c)
			}
		}
		l.PopScope()
	case "if_expression":
		l.ifStatement(n)
	default:
		l.Eval(l.expr(n))
	}
}

func (l *lowerer) forLoop(n syntax.Node) {
	var target, over, body syntax.Node
	in := false
	for c := range l.Children(n) {
		switch k := l.Kind(c); {
		case k == "in":
			in = true
		case k == "variable_declaration" || k == "multi_variable_declaration":
			target = c
		case k == "control_structure_body":
			body = c
		case in && over == 0 && l.Named(c) && !isComment(k):
			over = c
		}
	}
	l.PushScope()
	x := l.expr(over)
	if x != 0 {
		x = l.Unary(ir.Elem, x, l.Start(over))
	}
	switch {
	case l.Kind(target) == "multi_variable_declaration":
		l.destructure(target, x)
	case l.NamedChild(target, 0) != 0:
		nameNode := l.NamedChild(target, 0)
		v := l.shadow(nameNode, l.typeBound(target))
		if x != 0 {
			l.Bind(l.Local(v, l.Start(nameNode)), x)
		}
	default:
		l.Eval(x)
	}
	l.Eval(l.branch(body))
	l.PopScope()
}

func (l *lowerer) whileLoop(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		if l.Kind(c) == "control_structure_body" {
			l.PushScope()
			l.narrowAll(l.NamedChild(n, 0), true)
			l.Eval(l.branch(c))
			l.PopScope()
		} else {
			l.Eval(l.expr(c))
		}
	}
}

// branch lowers the body of a branch or loop, with names of its own, and returns
// its value.
func (l *lowerer) branch(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	l.PushScope()
	defer l.PopScope()
	if l.Kind(n) == "control_structure_body" {
		if s := l.ChildOf(n, "statements"); s != 0 {
			return l.valueOf(s)
		}
	}
	return l.valueOf(n)
}

// valueOf lowers statements and returns the value of the last one.
func (l *lowerer) valueOf(statements syntax.Node) ir.Expr {
	var last syntax.Node
	for c := range l.NamedChildren(statements) {
		if last != 0 {
			l.stmt(last)
		}
		last = c
	}
	if last == 0 {
		return 0
	}
	if isStatement(l.Kind(last)) {
		l.stmt(last)
		return 0
	}
	return l.value(last)
}

func (l *lowerer) assignment(n syntax.Node) {
	var left, right syntax.Node
	operator := ""
	for c := range l.Children(n) {
		switch k := l.Kind(c); {
		case k == "directly_assignable_expression" && left == 0:
			left = c
		case !l.Named(c) && k != "null" && left != 0 && operator == "":
			operator = k
		case l.Named(c) && !isComment(k) && operator != "":
			right = c
		}
	}
	if operator != "=" {
		x := l.assignable(left, false)
		if x == 0 {
			l.Eval(l.expr(right))
			return
		}
		if name := operatorName(operator); name != "" {
			pos := l.Start(right)
			y := l.Or(l.expr(right))
			l.Eval(l.operatorCall(x, name, []ir.Arg{{X: y}}, pos))
			l.Eval(l.operatorCall(x, name+"Assign", []ir.Arg{{X: y}}, pos))
			return
		}
		l.Eval(l.Opaque(x, l.expr(right)))
		return
	}
	x := l.value(right)
	if list := l.lastIndex(left); list != 0 {
		// a[i] = x may be a call of set.
		target := l.assignable(left, true)
		mark := l.Mark()
		for _, a := range l.indices(list) {
			l.Push(a.X)
		}
		l.Push(l.Or(x))
		holder := l.Raw().Exprs[target].A
		l.Eval(l.operatorCall(holder, "set", l.Take(mark), l.Start(list)))
		l.Bound(target, x)
		return
	}
	l.Bound(l.assignable(left, true), x)
}

// lastIndex returns the brackets at the end of an assignment's target, if any.
func (l *lowerer) lastIndex(n syntax.Node) syntax.Node {
	last := l.LastChild(n)
	if l.Kind(last) == "indexing_suffix" {
		return last
	}
	return 0
}

// assignable is the target of an assignment: a name or value with suffixes.
// target says that it is written, not only read.
func (l *lowerer) assignable(n syntax.Node, target bool) ir.Expr {
	var x ir.Expr
	for c := range l.NamedChildren(n) {
		switch k := l.Kind(c); {
		case x == 0 && k == "simple_identifier" && target && l.NamedChild(n, 1) == 0:
			return l.written(c)
		case k == "navigation_suffix":
			x = l.suffix(l.Or(x), c)
		case k == "indexing_suffix":
			args := l.indices(c)
			index := ir.Expr(0)
			if len(args) > 0 {
				index = args[0].X
			}
			x = l.Index(l.Or(x), index, "", l.Start(c))
		default:
			x = l.expr(c)
		}
	}
	return x
}

// written is a variable that is assigned to: a smart cast does not hold it.
func (l *lowerer) written(n syntax.Node) ir.Expr {
	name, pos := l.ident(n), l.Start(n)
	v := l.Variable(name)
	for v != 0 {
		of, ok := l.Widened(v)
		if !ok {
			return l.Local(v, pos)
		}
		v = of
	}
	return l.Free(name, pos)
}
