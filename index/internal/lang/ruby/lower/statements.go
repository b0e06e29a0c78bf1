package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// assignment lowers a = b; its value is b.
func (l *lowerer) assignment(n syntax.Node) ir.Expr {
	left, right := l.Child(n, "left"), l.Child(n, "right")
	if l.madeClass(left, right, n) {
		return 0
	}
	value := l.expr(right)
	if l.Kind(left) == "left_assignment_list" {
		targets := l.targets(left)
		if value != 0 {
			l.Bind(l.List("Array", targets, l.Start(left)), value)
		}
		return 0
	}
	return l.assigning(left, value)
}

// assigning is assign as an expression: its value is that of the target.
func (l *lowerer) assigning(left syntax.Node, value ir.Expr) ir.Expr {
	switch l.Kind(left) {
	case "identifier", "instance_variable", "class_variable":
		l.assign(left, value)
		return l.expr(left)
	case "constant":
		l.assign(left, value)
		return 0
	}
	value = l.once(value, l.Start(left))
	l.assign(left, value)
	return value
}

// assign binds a target to a value.
func (l *lowerer) assign(left syntax.Node, value ir.Expr) {
	pos := l.Start(left)
	switch l.Kind(left) {
	case "identifier":
		name := l.Text(left)
		v := l.assigned(name, pos)
		if value == 0 {
			return
		}
		l.Bind(l.Local(v, pos), value)
		if wide := l.widened(name, v); wide != 0 {
			l.Bind(l.Local(wide, pos), value)
		}
	case "constant":
		l.constantValue(left, value)
	case "call": // x.y = z calls y=
		at := l.Child(left, "method")
		x := l.expr(l.Child(left, "receiver"))
		name, pos := l.Text(at)+"=", l.Start(at)
		callee := l.Free(name, pos)
		if x != 0 {
			callee = l.Attr(x, name, pos)
		}
		l.Eval(l.Call(callee, []ir.Arg{{X: value}}, pos))
	default:
		if value == 0 {
			value = l.Literal("NilClass")
		}
		if x := l.target(left); x != 0 {
			l.Bind(x, value)
		} else {
			l.Keep(value)
		}
	}
}

// target is what can be assigned to, as an expression.
func (l *lowerer) target(left syntax.Node) ir.Expr {
	pos := l.Start(left)
	switch l.Kind(left) {
	case "identifier":
		return l.Local(l.assigned(l.Text(left), pos), pos)
	case "class_variable":
		if l.body != nil {
			return l.Local(l.classVariable(left), pos)
		}
		return l.expr(left)
	case "global_variable":
		if l.AtTop() {
			return l.Local(l.Declare(l.Text(left), pos), pos)
		}
		return l.expr(left)
	case "left_assignment_list", "destructured_left_assignment":
		return l.List("Array", l.targets(left), pos)
	case "instance_variable", "element_reference", "scope_resolution":
		return l.expr(left)
	}
	return 0
}

// targets lowers a, *b, (c, d) before "=".
func (l *lowerer) targets(n syntax.Node) []ir.Arg {
	var out []ir.Arg
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "rest_assignment":
			out = append(out, ir.Arg{X: l.target(l.NamedChild(c, 0)), Kind: ir.Spread})
		case "call": // self.x, y = ...: the value of x= is not followed
			v := l.Temp(l.Start(c))
			l.assign(c, l.Local(v, l.Start(c)))
			out = append(out, ir.Arg{X: l.Local(v, l.Start(c))})
		default:
			out = append(out, ir.Arg{X: l.target(c)})
		}
	}
	return out
}

// classVariable declares @@x in the body of the class.
func (l *lowerer) classVariable(n syntax.Node) ir.Var {
	v := l.Declare(l.Text(n), l.Start(n))
	l.static(v)
	return v
}

// static marks the member that is a variable as one of the class.
func (l *lowerer) static(v ir.Var) {
	members := l.ClassInfo(l.Class()).Members
	for i := len(members) - 1; i >= 0; i-- {
		if m := &members[i]; m.Kind == ir.VarMember && m.Ref == uint32(v) {
			m.Static, m.Exported = true, true
			return
		}
	}
}

// constantValue lowers X = value in a class's body or at the top.
func (l *lowerer) constantValue(n syntax.Node, value ir.Expr) {
	pos := l.Start(n)
	switch {
	case l.body != nil && l.Class() != 0:
		v := l.Declare(l.Text(n), pos)
		if l.VarInfo(v).Init == 0 {
			l.VarInfo(v).Init = value
		}
		l.static(v)
	case l.AtTop():
		v := l.Declare(l.Text(n), pos)
		top := l.Raw().Top
		top[len(top)-1].Exported = true
		if value != 0 {
			l.Bind(l.Local(v, pos), value)
		}
	default:
		l.Keep(value)
	}
}

// operatorAssignment lowers a += b and a ||= b.
func (l *lowerer) operatorAssignment(n syntax.Node) ir.Expr {
	left, right, op := l.Child(n, "left"), l.Child(n, "right"), l.Kind(l.Child(n, "operator"))
	if l.Kind(left) == "identifier" {
		l.assigned(l.Text(left), l.Start(left))
	}
	value := l.expr(right)
	if op == "||=" || op == "&&=" || l.Kind(left) == "constant" || op == "" {
		return l.assigning(left, value)
	}
	return l.assigning(left, l.Operation(op[:len(op)-1], l.Start(n), l.expr(left), value))
}

func (l *lowerer) forLoop(n syntax.Node) ir.Expr {
	if x := l.expr(l.Child(n, "value")); x != 0 {
		pattern := l.Child(n, "pattern")
		l.assign(pattern, l.Unary(ir.Elem, x, l.Start(pattern)))
	}
	l.Keep(l.value(l.Child(n, "body")))
	return 0
}

// rescue lowers rescue A, B => e.
func (l *lowerer) rescue(n syntax.Node) ir.Expr {
	var classes []ir.Expr
	for c := range l.NamedChildren(l.Child(n, "exceptions")) {
		if x := l.expr(c); x != 0 {
			classes = append(classes, x)
		}
	}
	if v := l.NamedChild(l.Child(n, "variable"), 0); v != 0 {
		var values []ir.Expr
		for _, c := range classes {
			values = append(values, l.Binary(ir.Cast, l.Literal("Exception"), c, l.Start(v)))
		}
		if len(values) == 0 {
			values = []ir.Expr{l.Literal("StandardError")}
		}
		l.assign(v, l.Union(values...))
	} else {
		for _, c := range classes {
			l.Keep(c)
		}
	}
	return l.value(l.Child(n, "body"))
}

// caseOf lowers case x when C: in an arm for classes, x is one of them.
func (l *lowerer) caseOf(n syntax.Node) ir.Expr {
	subject := l.Child(n, "value")
	l.Keep(l.expr(subject))
	var arms []ir.Expr
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "when":
			arms = append(arms, l.shared(func() ir.Expr { return l.when(c, subject) }))
		case "else":
			arms = append(arms, l.value(c))
		}
	}
	return l.Union(arms...)
}

func (l *lowerer) when(n, subject syntax.Node) ir.Expr {
	var classes []ir.Expr
	only := true
	for p := range l.NamedChildren(n) {
		if l.Field(p) != "pattern" {
			continue
		}
		in := l.NamedChild(p, 0)
		x := l.expr(in)
		switch l.Kind(in) {
		case "constant", "scope_resolution":
			classes = append(classes, x)
		default:
			only = false
			l.Keep(x)
		}
	}
	if only && len(classes) > 0 && l.Kind(subject) == "identifier" {
		l.narrow(l.Text(subject), l.Union(classes...), l.Start(subject))
	} else {
		for _, c := range classes {
			l.Keep(c)
		}
	}
	return l.value(l.Child(n, "body"))
}

// caseMatch lowers case x in pattern, and x in pattern.
func (l *lowerer) caseMatch(n syntax.Node) ir.Expr {
	subject := l.Child(n, "value")
	value := l.once(l.expr(subject), l.Start(n))
	if p := l.Child(n, "pattern"); p != 0 {
		l.pattern(p, value)
		return l.Literal("Boolean")
	}
	var arms []ir.Expr
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "in_clause":
			arms = append(arms, l.shared(func() ir.Expr {
				p := l.Child(c, "pattern")
				if k := l.Kind(p); (k == "constant" || k == "scope_resolution") && l.Kind(subject) == "identifier" {
					l.narrow(l.Text(subject), l.expr(p), l.Start(subject))
				} else {
					l.pattern(p, value)
				}
				l.Keep(l.expr(l.Child(c, "guard")))
				return l.value(l.Child(c, "body"))
			}))
		case "else":
			arms = append(arms, l.value(c))
		case "ERROR":
			l.Keep(l.unknown(c))
		}
	}
	return l.Union(arms...)
}

// pattern binds the names of a pattern to what they stand for in value.
func (l *lowerer) pattern(n syntax.Node, value ir.Expr) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "identifier":
		l.assign(n, value)
	case "as_pattern":
		inner, name := l.Child(n, "value"), l.Child(n, "name")
		if k := l.Kind(inner); k == "constant" || k == "scope_resolution" {
			value = l.Binary(ir.Cast, l.Literal("Object"), l.expr(inner), pos)
		} else {
			l.pattern(inner, value)
		}
		l.assign(name, value)
	case "keyword_pattern":
		key, inner := l.Child(n, "key"), l.Child(n, "value")
		part := ir.Expr(0)
		if value != 0 {
			part = l.Index(value, 0, l.symbol(key), pos)
		}
		if inner != 0 {
			l.pattern(inner, part)
		} else if part != 0 {
			l.Bind(l.Local(l.assigned(l.symbol(key), pos), pos), part)
		}
	case "array_pattern", "find_pattern":
		for c := range l.NamedChildren(n) {
			if l.Field(c) == "class" {
				l.Keep(l.expr(c))
			} else if value != 0 {
				l.pattern(c, l.Unary(ir.Elem, value, l.Start(c)))
			}
		}
	case "constant", "scope_resolution", "call":
		l.Keep(l.expr(n))
	default:
		for c := range l.NamedChildren(n) {
			if l.Field(c) == "class" {
				l.Keep(l.expr(c))
			} else {
				l.pattern(c, value)
			}
		}
	}
}
