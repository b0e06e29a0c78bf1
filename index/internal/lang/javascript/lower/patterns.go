package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// declarePattern declares every name that a pattern binds.
func (l *lowerer) declarePattern(n syntax.Node, declare func(string, int) ir.Var) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier":
		declare(l.Text(n), l.Start(n))
	case "object_pattern", "array_pattern", "rest_pattern", "object", "array":
		for c := range l.NamedChildren(n) {
			l.declarePattern(c, declare)
		}
	case "pair_pattern":
		l.declarePattern(l.Child(n, "value"), declare)
	case "assignment_pattern", "object_assignment_pattern":
		l.declarePattern(l.Child(n, "left"), declare)
	}
}

// pattern lowers what is assigned to: a name, a member, or a pattern of such.
// Defaults inside of it become assignments of their own.
func (l *lowerer) pattern(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier":
		return l.target(n)
	case "array_pattern", "array":
		return l.arrayPattern(n)
	case "object_pattern", "object":
		var args []ir.Arg
		for c := range l.NamedChildren(n) {
			args = append(args, l.propertyPattern(c))
		}
		return l.Object("object", args, l.Start(n))
	case "assignment_pattern", "object_assignment_pattern", "assignment_expression":
		left, right := l.Child(n, "left"), l.Child(n, "right")
		target := l.pattern(left)
		l.Bind(target, l.value(right, l.nameOf(left)))
		return target
	case "parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression":
		return l.pattern(l.NamedChild(n, 0))
	case "undefined":
		return 0
	case "member_expression":
		target := l.plainMember(n)
		if v := l.narrowedPath(n); v != 0 {
			l.Bind(l.Local(v, l.Start(n)), target)
		}
		return target
	}
	return l.expr(n)
}

// arrayPattern keeps the place of each element: an array has holes.
func (l *lowerer) arrayPattern(n syntax.Node) ir.Expr {
	var args []ir.Arg
	hole := true
	for c := range l.Children(n) {
		switch {
		case l.Kind(c) == ",":
			if hole {
				args = append(args, ir.Arg{})
			}
			hole = true
		case !l.Named(c) || l.Kind(c) == "comment":
		default:
			hole = false
			if k := l.Kind(c); k == "rest_pattern" || k == "spread_element" {
				args = append(args, ir.Arg{X: l.pattern(l.NamedChild(c, 0)), Kind: ir.Spread})
				continue
			}
			args = append(args, ir.Arg{X: l.pattern(c)})
		}
	}
	return l.List("array", args, l.Start(n))
}

func (l *lowerer) propertyPattern(c syntax.Node) ir.Arg {
	switch l.Kind(c) {
	case "shorthand_property_identifier_pattern", "shorthand_property_identifier":
		return ir.Arg{Name: l.Str(l.Text(c)), X: l.target(c)}
	case "pair_pattern", "pair":
		key := l.Child(c, "key")
		name := l.key(key)
		if name == "" && l.Kind(key) == "computed_property_name" {
			l.Eval(l.operand(l.NamedChild(key, 0)))
		}
		return ir.Arg{Name: l.Str(name), X: l.pattern(l.Child(c, "value"))}
	case "object_assignment_pattern", "assignment_pattern":
		name := l.nameOf(l.Child(c, "left"))
		return ir.Arg{Name: l.Str(name), X: l.pattern(c)}
	case "rest_pattern", "spread_element":
		return ir.Arg{X: l.pattern(l.NamedChild(c, 0)), Kind: ir.KwSpread}
	}
	return ir.Arg{X: l.pattern(c)}
}

// nameOf returns the name that a target has, or "".
func (l *lowerer) nameOf(n syntax.Node) string {
	switch l.Kind(n) {
	case "identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier":
		return l.Text(n)
	case "member_expression":
		return l.Text(l.Child(n, "property"))
	}
	return ""
}

// target is a name that is assigned to.
func (l *lowerer) target(n syntax.Node) ir.Expr {
	name := l.Text(n)
	if l.assignable[name] && l.Lookup(name) == 0 {
		l.reassigned = append(l.reassigned, name)
	}
	return l.Name(name, l.Start(n))
}

// assign lowers a = b as a statement.
func (l *lowerer) assign(n syntax.Node) {
	target, value := l.assignment(n)
	if target != 0 {
		l.bind(target, value)
	} else {
		l.Eval(value)
	}
}

// assignment lowers both sides of a = b. The target is None where the assignment
// was an export, which is entered as such.
func (l *lowerer) assignment(n syntax.Node) (target, value ir.Expr) {
	left, right := l.Child(n, "left"), l.Child(n, "right")
	if l.Kind(left) == "member_expression" {
		if l.isExports(left) {
			return l.exportAssignment(left, right)
		}
		return l.memberAssignment(left, right)
	}
	if l.Kind(left) == "identifier" && l.Is(left, "exports") && l.Lookup("exports") == 0 && l.Kind(right) == "assignment_expression" {
		return 0, l.expr(right) // exports = module.exports = x
	}
	value = l.value(right, l.nameOf(left))
	return l.pattern(left), value
}

// memberAssignment lowers x.name = value. A function that is assigned has x as
// its "this".
func (l *lowerer) memberAssignment(left, right syntax.Node) (target, value ir.Expr) {
	inner := l.literal(right)
	if !isFunction(l.Kind(inner)) {
		value = l.value(right, l.pathName(left))
		return l.pattern(left), value
	}
	target = l.pattern(left)
	self := &receiver{}
	switch object := l.Child(left, "object"); l.Kind(object) {
	case "identifier":
		self = &receiver{kind: thisName, name: l.Text(object)}
	case "this":
		self = l.this[len(l.this)-1]
	}
	pos := l.Start(l.Child(left, "property"))
	return target, l.Lambda(l.function(inner, l.pathName(left), 0, pos, self), pos)
}

// pathName is the name of what is assigned to a member: the path of names where
// there is no more to it, as syntax's symbols have it.
func (l *lowerer) pathName(left syntax.Node) string {
	for n := l.Child(left, "object"); ; n = l.Child(n, "object") {
		switch l.Kind(n) {
		case "identifier":
			return l.Text(left)
		case "member_expression":
			continue
		}
		return l.Text(l.Child(left, "property"))
	}
}

// bind assigns, and where the target is a narrowed variable also assigns the one
// it stands for.
func (l *lowerer) bind(target, value ir.Expr) {
	l.Bind(target, value)
	n := l.Raw().Exprs[target]
	if n.Op != ir.Local {
		return
	}
	for v := ir.Var(n.Ref); ; {
		outer, ok := l.Widened(v)
		if !ok {
			return
		}
		x := ir.Node{Op: ir.Local, Ref: uint32(outer), Name: n.Name, Pos: n.Pos, Flags: ir.Implicit}
		if outer == 0 {
			x = ir.Node{Op: ir.Name, Name: n.Name, Pos: n.Pos, Flags: ir.Implicit}
		}
		l.Bind(l.Expr(x), value)
		v = outer
	}
}

// augmented lowers a += b and the like; of these the logical ones assign.
func (l *lowerer) augmented(n syntax.Node) {
	left, right := l.Child(n, "left"), l.Child(n, "right")
	switch op := l.Child(n, "operator"); {
	case l.Is(op, "||="), l.Is(op, "??="), l.Is(op, "&&="):
		value := l.value(right, l.nameOf(left))
		l.bind(l.pattern(left), value)
	default:
		l.Eval(l.Opaque(l.expr(left), l.operand(right)))
	}
}
