package javascript

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// declarePattern declares every name that a pattern binds.
func (l *lowerer) declarePattern(n syntax.Node, declare func(string, int) ir.Var) {
	if n == 0 || l.depth >= maxDepth {
		return
	}
	l.depth++
	defer func() { l.depth-- }()
	switch l.t.Kind(n) {
	case "identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier":
		declare(l.text(n), l.t.Start(n))
	case "object_pattern", "array_pattern", "rest_pattern", "object", "array":
		for c := range l.t.NamedChildren(n) {
			l.declarePattern(c, declare)
		}
	case "pair_pattern":
		l.declarePattern(l.t.Child(n, "value"), declare)
	case "assignment_pattern", "object_assignment_pattern":
		l.declarePattern(l.t.Child(n, "left"), declare)
	}
}

// pattern lowers what is assigned to: a name, a member, or a pattern of such.
// Defaults inside of it become assignments of their own.
func (l *lowerer) pattern(n syntax.Node) ir.Expr {
	if n == 0 || l.depth >= maxDepth {
		return 0
	}
	l.depth++
	defer func() { l.depth-- }()
	switch l.t.Kind(n) {
	case "identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier":
		return l.target(n)
	case "array_pattern", "array":
		return l.arrayPattern(n)
	case "object_pattern", "object":
		var args []ir.Arg
		for c := range l.t.NamedChildren(n) {
			args = append(args, l.propertyPattern(c))
		}
		return l.b.Object("object", args, l.t.Start(n))
	case "assignment_pattern", "object_assignment_pattern", "assignment_expression":
		left, right := l.t.Child(n, "left"), l.t.Child(n, "right")
		target := l.pattern(left)
		l.b.Bind(target, l.value(right, l.nameOf(left)))
		return target
	case "parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression":
		return l.pattern(l.t.NamedChild(n, 0))
	case "undefined":
		return 0
	case "member_expression":
		target := l.plainMember(n)
		if v := l.narrowedPath(n); v != 0 {
			l.b.Bind(l.b.Local(v, l.t.Start(n)), target)
		}
		return target
	}
	return l.expr(n)
}

// arrayPattern keeps the place of each element: an array has holes.
func (l *lowerer) arrayPattern(n syntax.Node) ir.Expr {
	var args []ir.Arg
	hole := true
	for c := range l.t.Children(n) {
		switch {
		case l.t.Kind(c) == ",":
			if hole {
				args = append(args, ir.Arg{})
			}
			hole = true
		case !l.t.Named(c) || l.t.Kind(c) == "comment":
		default:
			hole = false
			if k := l.t.Kind(c); k == "rest_pattern" || k == "spread_element" {
				args = append(args, ir.Arg{X: l.pattern(l.t.NamedChild(c, 0)), Kind: ir.Spread})
				continue
			}
			args = append(args, ir.Arg{X: l.pattern(c)})
		}
	}
	return l.b.List("array", args, l.t.Start(n))
}

func (l *lowerer) propertyPattern(c syntax.Node) ir.Arg {
	switch l.t.Kind(c) {
	case "shorthand_property_identifier_pattern", "shorthand_property_identifier":
		return ir.Arg{Name: l.b.Str(l.text(c)), X: l.target(c)}
	case "pair_pattern", "pair":
		key := l.t.Child(c, "key")
		name := l.key(key)
		if name == "" && l.t.Kind(key) == "computed_property_name" {
			l.b.Eval(l.operand(l.t.NamedChild(key, 0)))
		}
		return ir.Arg{Name: l.b.Str(name), X: l.pattern(l.t.Child(c, "value"))}
	case "object_assignment_pattern", "assignment_pattern":
		name := l.nameOf(l.t.Child(c, "left"))
		return ir.Arg{Name: l.b.Str(name), X: l.pattern(c)}
	case "rest_pattern", "spread_element":
		return ir.Arg{X: l.pattern(l.t.NamedChild(c, 0)), Kind: ir.KwSpread}
	}
	return ir.Arg{X: l.pattern(c)}
}

// nameOf returns the name that a target has, or "".
func (l *lowerer) nameOf(n syntax.Node) string {
	switch l.t.Kind(n) {
	case "identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier":
		return l.text(n)
	case "member_expression":
		return l.text(l.t.Child(n, "property"))
	}
	return ""
}

// target is a name that is assigned to.
func (l *lowerer) target(n syntax.Node) ir.Expr {
	name := l.text(n)
	if l.assignable[name] && l.b.Lookup(name) == 0 {
		l.reassigned = append(l.reassigned, name)
	}
	return l.b.Name(name, l.t.Start(n))
}

// assign lowers a = b as a statement.
func (l *lowerer) assign(n syntax.Node) {
	target, value := l.assignment(n)
	if target != 0 {
		l.bind(target, value)
	} else {
		l.b.Eval(value)
	}
}

// assignment lowers both sides of a = b. The target is None where the assignment
// was an export, which is entered as such.
func (l *lowerer) assignment(n syntax.Node) (target, value ir.Expr) {
	left, right := l.t.Child(n, "left"), l.t.Child(n, "right")
	if l.t.Kind(left) == "member_expression" {
		if l.isExports(left) {
			return l.exportAssignment(left, right)
		}
		return l.memberAssignment(left, right)
	}
	if l.t.Kind(left) == "identifier" && l.is(left, "exports") && l.b.Lookup("exports") == 0 && l.t.Kind(right) == "assignment_expression" {
		return 0, l.expr(right) // exports = module.exports = x
	}
	value = l.value(right, l.nameOf(left))
	return l.pattern(left), value
}

// memberAssignment lowers x.name = value. A function that is assigned has x as
// its "this".
func (l *lowerer) memberAssignment(left, right syntax.Node) (target, value ir.Expr) {
	inner := l.literal(right)
	if !isFunction(l.t.Kind(inner)) {
		value = l.value(right, l.pathName(left))
		return l.pattern(left), value
	}
	target = l.pattern(left)
	self := &receiver{}
	switch object := l.t.Child(left, "object"); l.t.Kind(object) {
	case "identifier":
		self = &receiver{kind: thisName, name: l.text(object)}
	case "this":
		self = l.this[len(l.this)-1]
	}
	pos := l.t.Start(l.t.Child(left, "property"))
	return target, l.b.Lambda(l.function(inner, l.pathName(left), 0, pos, self), pos)
}

// pathName is the name of what is assigned to a member: the path of names where
// there is no more to it, as syntax's symbols have it.
func (l *lowerer) pathName(left syntax.Node) string {
	for n := l.t.Child(left, "object"); ; n = l.t.Child(n, "object") {
		switch l.t.Kind(n) {
		case "identifier":
			return l.text(left)
		case "member_expression":
			continue
		}
		return l.text(l.t.Child(left, "property"))
	}
}

// bind assigns, and where the target is a narrowed variable also assigns the one
// it stands for.
func (l *lowerer) bind(target, value ir.Expr) {
	l.b.Bind(target, value)
	n := l.b.Raw().Exprs[target]
	if n.Op != ir.Local || l.narrowed == nil {
		return
	}
	for v := ir.Var(n.Ref); ; {
		outer, ok := l.narrowed[v]
		if !ok {
			return
		}
		x := ir.Node{Op: ir.Local, Ref: uint32(outer), Name: n.Name, Pos: n.Pos, Flags: ir.Implicit}
		if outer == 0 {
			x = ir.Node{Op: ir.Name, Name: n.Name, Pos: n.Pos, Flags: ir.Implicit}
		}
		l.b.Bind(l.b.Expr(x), value)
		v = outer
	}
}

// augmented lowers a += b and the like; of these the logical ones assign.
func (l *lowerer) augmented(n syntax.Node) {
	left, right := l.t.Child(n, "left"), l.t.Child(n, "right")
	switch op := l.t.Child(n, "operator"); {
	case l.is(op, "||="), l.is(op, "??="), l.is(op, "&&="):
		value := l.value(right, l.nameOf(left))
		l.bind(l.pattern(left), value)
	default:
		l.b.Eval(l.b.Opaque(l.expr(left), l.operand(right)))
	}
}
