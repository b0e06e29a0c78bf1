package ruby

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// assignment lowers a = b; its value is b.
func (l *lowering) assignment(n syntax.Node) ir.Expr {
	left, right := l.t.Child(n, "left"), l.t.Child(n, "right")
	if l.madeClass(left, right, n) {
		return 0
	}
	value := l.expr(right)
	if l.t.Kind(left) == "left_assignment_list" {
		targets := l.targets(left)
		if value != 0 {
			l.b.Bind(l.b.List("Array", targets, l.t.Start(left)), value)
		}
		return 0
	}
	return l.assigning(left, value)
}

// assigning is assign as an expression: its value is that of the target.
func (l *lowering) assigning(left syntax.Node, value ir.Expr) ir.Expr {
	switch l.t.Kind(left) {
	case "identifier", "instance_variable", "class_variable":
		l.assign(left, value)
		return l.expr(left)
	case "constant":
		l.assign(left, value)
		return 0
	}
	value = l.once(value, l.t.Start(left))
	l.assign(left, value)
	return value
}

// assign binds a target to a value.
func (l *lowering) assign(left syntax.Node, value ir.Expr) {
	pos := l.t.Start(left)
	switch l.t.Kind(left) {
	case "identifier":
		name := l.t.Text(left)
		v := l.assigned(name, pos)
		if value == 0 {
			return
		}
		l.b.Bind(l.b.Local(v, pos), value)
		if wide := l.widened(name, v); wide != 0 {
			l.b.Bind(l.b.Local(wide, pos), value)
		}
	case "constant":
		l.constantValue(left, value)
	case "call": // x.y = z calls y=
		at := l.t.Child(left, "method")
		x := l.expr(l.t.Child(left, "receiver"))
		name, pos := l.t.Text(at)+"=", l.t.Start(at)
		callee := l.b.Free(name, pos)
		if x != 0 {
			callee = l.b.Attr(x, name, pos)
		}
		l.b.Eval(l.b.Call(callee, []ir.Arg{{X: value}}, pos))
	default:
		if value == 0 {
			value = l.lit("NilClass")
		}
		if x := l.target(left); x != 0 {
			l.b.Bind(x, value)
		} else {
			l.eval(value)
		}
	}
}

// target is what can be assigned to, as an expression.
func (l *lowering) target(left syntax.Node) ir.Expr {
	pos := l.t.Start(left)
	switch l.t.Kind(left) {
	case "identifier":
		return l.b.Local(l.assigned(l.t.Text(left), pos), pos)
	case "class_variable":
		if l.body != nil {
			return l.b.Local(l.classVariable(left), pos)
		}
		return l.expr(left)
	case "global_variable":
		if l.b.AtTop() {
			return l.b.Local(l.b.Declare(l.t.Text(left), pos), pos)
		}
		return l.expr(left)
	case "left_assignment_list", "destructured_left_assignment":
		return l.b.List("Array", l.targets(left), pos)
	case "instance_variable", "element_reference", "scope_resolution":
		return l.expr(left)
	}
	return 0
}

// targets lowers a, *b, (c, d) before "=".
func (l *lowering) targets(n syntax.Node) []ir.Arg {
	var out []ir.Arg
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "rest_assignment":
			out = append(out, ir.Arg{X: l.target(l.t.NamedChild(c, 0)), Kind: ir.Spread})
		case "call": // self.x, y = ...: the value of x= is not followed
			v := l.b.Temp(l.t.Start(c))
			l.assign(c, l.b.Local(v, l.t.Start(c)))
			out = append(out, ir.Arg{X: l.b.Local(v, l.t.Start(c))})
		default:
			out = append(out, ir.Arg{X: l.target(c)})
		}
	}
	return out
}

// classVariable declares @@x in the body of the class.
func (l *lowering) classVariable(n syntax.Node) ir.Var {
	v := l.b.Declare(l.t.Text(n), l.t.Start(n))
	l.static(v)
	return v
}

// static marks the member that is a variable as one of the class.
func (l *lowering) static(v ir.Var) {
	members := l.b.ClassInfo(l.b.Class()).Members
	for i := len(members) - 1; i >= 0; i-- {
		if m := &members[i]; m.Kind == ir.VarMember && m.Ref == uint32(v) {
			m.Static, m.Exported = true, true
			return
		}
	}
}

// constantValue lowers X = value in a class's body or at the top.
func (l *lowering) constantValue(n syntax.Node, value ir.Expr) {
	pos := l.t.Start(n)
	switch {
	case l.body != nil && l.b.Class() != 0:
		v := l.b.Declare(l.t.Text(n), pos)
		if l.b.VarInfo(v).Init == 0 {
			l.b.VarInfo(v).Init = value
		}
		l.static(v)
	case l.b.AtTop():
		v := l.b.Declare(l.t.Text(n), pos)
		top := l.b.Raw().Top
		top[len(top)-1].Exported = true
		if value != 0 {
			l.b.Bind(l.b.Local(v, pos), value)
		}
	default:
		l.eval(value)
	}
}

// operatorAssignment lowers a += b and a ||= b.
func (l *lowering) operatorAssignment(n syntax.Node) ir.Expr {
	left, right, op := l.t.Child(n, "left"), l.t.Child(n, "right"), l.t.Kind(l.t.Child(n, "operator"))
	if l.t.Kind(left) == "identifier" {
		l.assigned(l.t.Text(left), l.t.Start(left))
	}
	value := l.expr(right)
	if op == "||=" || op == "&&=" || l.t.Kind(left) == "constant" || op == "" {
		return l.assigning(left, value)
	}
	return l.assigning(left, l.operation(op[:len(op)-1], l.t.Start(n), l.expr(left), value))
}

func (l *lowering) forLoop(n syntax.Node) ir.Expr {
	if x := l.expr(l.t.Child(n, "value")); x != 0 {
		pattern := l.t.Child(n, "pattern")
		l.assign(pattern, l.b.Unary(ir.Elem, x, l.t.Start(pattern)))
	}
	l.eval(l.value(l.t.Child(n, "body")))
	return 0
}

// rescue lowers rescue A, B => e.
func (l *lowering) rescue(n syntax.Node) ir.Expr {
	var classes []ir.Expr
	for c := range l.t.NamedChildren(l.t.Child(n, "exceptions")) {
		if x := l.expr(c); x != 0 {
			classes = append(classes, x)
		}
	}
	if v := l.t.NamedChild(l.t.Child(n, "variable"), 0); v != 0 {
		var values []ir.Expr
		for _, c := range classes {
			values = append(values, l.b.Binary(ir.Cast, l.lit("Exception"), c, l.t.Start(v)))
		}
		if len(values) == 0 {
			values = []ir.Expr{l.lit("StandardError")}
		}
		l.assign(v, l.b.Union(values...))
	} else {
		for _, c := range classes {
			l.eval(c)
		}
	}
	return l.value(l.t.Child(n, "body"))
}

// caseOf lowers case x when C: in an arm for classes, x is one of them.
func (l *lowering) caseOf(n syntax.Node) ir.Expr {
	subject := l.t.Child(n, "value")
	l.eval(l.expr(subject))
	var arms []ir.Expr
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "when":
			arms = append(arms, l.shared(func() ir.Expr { return l.when(c, subject) }))
		case "else":
			arms = append(arms, l.value(c))
		}
	}
	return l.b.Union(arms...)
}

func (l *lowering) when(n, subject syntax.Node) ir.Expr {
	var classes []ir.Expr
	only := true
	for p := range l.t.NamedChildren(n) {
		if l.t.Field(p) != "pattern" {
			continue
		}
		in := l.t.NamedChild(p, 0)
		x := l.expr(in)
		switch l.t.Kind(in) {
		case "constant", "scope_resolution":
			classes = append(classes, x)
		default:
			only = false
			l.eval(x)
		}
	}
	if only && len(classes) > 0 && l.t.Kind(subject) == "identifier" {
		l.narrow(l.t.Text(subject), l.b.Union(classes...), l.t.Start(subject))
	} else {
		for _, c := range classes {
			l.eval(c)
		}
	}
	return l.value(l.t.Child(n, "body"))
}

// caseMatch lowers case x in pattern, and x in pattern.
func (l *lowering) caseMatch(n syntax.Node) ir.Expr {
	subject := l.t.Child(n, "value")
	value := l.once(l.expr(subject), l.t.Start(n))
	if p := l.t.Child(n, "pattern"); p != 0 {
		l.pattern(p, value)
		return l.lit("Boolean")
	}
	var arms []ir.Expr
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "in_clause":
			arms = append(arms, l.shared(func() ir.Expr {
				p := l.t.Child(c, "pattern")
				if k := l.t.Kind(p); (k == "constant" || k == "scope_resolution") && l.t.Kind(subject) == "identifier" {
					l.narrow(l.t.Text(subject), l.expr(p), l.t.Start(subject))
				} else {
					l.pattern(p, value)
				}
				l.eval(l.expr(l.t.Child(c, "guard")))
				return l.value(l.t.Child(c, "body"))
			}))
		case "else":
			arms = append(arms, l.value(c))
		case "ERROR":
			l.eval(l.rest(c))
		}
	}
	return l.b.Union(arms...)
}

// pattern binds the names of a pattern to what they stand for in value.
func (l *lowering) pattern(n syntax.Node, value ir.Expr) {
	if !l.down() {
		return
	}
	defer l.up()
	pos := l.t.Start(n)
	switch l.t.Kind(n) {
	case "identifier":
		l.assign(n, value)
	case "as_pattern":
		inner, name := l.t.Child(n, "value"), l.t.Child(n, "name")
		if k := l.t.Kind(inner); k == "constant" || k == "scope_resolution" {
			value = l.b.Binary(ir.Cast, l.lit("Object"), l.expr(inner), pos)
		} else {
			l.pattern(inner, value)
		}
		l.assign(name, value)
	case "keyword_pattern":
		key, inner := l.t.Child(n, "key"), l.t.Child(n, "value")
		part := ir.Expr(0)
		if value != 0 {
			part = l.b.Index(value, 0, l.symbol(key), pos)
		}
		if inner != 0 {
			l.pattern(inner, part)
		} else if part != 0 {
			l.b.Bind(l.b.Local(l.assigned(l.symbol(key), pos), pos), part)
		}
	case "array_pattern", "find_pattern":
		for c := range l.t.NamedChildren(n) {
			if l.t.Field(c) == "class" {
				l.eval(l.expr(c))
			} else if value != 0 {
				l.pattern(c, l.b.Unary(ir.Elem, value, l.t.Start(c)))
			}
		}
	case "constant", "scope_resolution", "call":
		l.eval(l.expr(n))
	default:
		for c := range l.t.NamedChildren(n) {
			if l.t.Field(c) == "class" {
				l.eval(l.expr(c))
			} else {
				l.pattern(c, value)
			}
		}
	}
}
