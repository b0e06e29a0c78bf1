package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// assignment lowers "a = b = value", "a: T = value" and "a: T".
func (l *lowerer) assignment(n syntax.Node) {
	var room [4]syntax.Node
	targets := append(room[:0], l.Child(n, "left"))
	var typ syntax.Node
	right := n
	for {
		if at := l.Child(right, "type"); at != 0 {
			typ = at
		}
		right = l.Child(right, "right")
		if l.Kind(right) != "assignment" {
			break
		}
		targets = append(targets, l.Child(right, "left"))
	}
	if typ != 0 {
		l.typed(targets[0], typ, right)
		return
	}
	if right == 0 {
		return
	}
	if l.classVar(targets, right) || l.typeVariable(targets, right) || l.otherName(targets, right) {
		return
	}
	value := l.expr(right)
	if len(targets) == 1 {
		l.Bind(l.target(targets[0]), value)
		return
	}
	v := l.Temp(l.Start(right))
	l.Bind(l.Local(v, l.Start(right)), value)
	for _, target := range targets {
		l.Bind(l.target(target), l.Local(v, l.Start(target)))
	}
}

// typed lowers an assignment with a declared type, or the declaration alone.
func (l *lowerer) typed(left, typ, right syntax.Node) {
	declared := l.typ(typ)
	var value ir.Expr
	if right != 0 {
		value = l.expr(right)
	}
	pos := l.Start(left)
	if l.Kind(left) == "identifier" && l.frame.class != 0 {
		v := l.field(l.frame.class, l.id(left), pos)
		l.VarInfo(v).Type = declared
		l.initial(v, left, value)
		return
	}
	target := l.target(left)
	f := l.Raw()
	switch at := f.Exprs[target]; at.Op {
	case ir.Local:
		l.VarInfo(ir.Var(at.Ref)).Type = declared
	case ir.Name:
		l.VarInfo(l.top(at.Name, pos)).Type = declared
	case ir.Attr:
		// "self.x: T" in a method declares a field of its class.
		if on := f.Exprs[at.A]; on.Op == ir.Local && l.frame.self != 0 && ir.Var(on.Ref) == l.frame.self {
			v := l.field(l.frame.of, at.Name, pos)
			if l.VarInfo(v).Type == 0 {
				l.VarInfo(v).Type = declared
			}
		}
	}
	if value != 0 {
		l.Bind(target, value)
	}
}

// classVar lowers "x = value" in the body of a class: the value is the field's
// initial one. It reports whether this is such an assignment.
func (l *lowerer) classVar(targets []syntax.Node, right syntax.Node) bool {
	if l.frame.class == 0 || len(targets) != 1 || l.Kind(targets[0]) != "identifier" {
		return false
	}
	left := targets[0]
	value := l.expr(right)
	if l.Kind(right) == "lambda" {
		l.method(value)
	}
	l.initial(l.field(l.frame.class, l.id(left), l.Start(left)), left, value)
	return true
}

// otherName lowers "x = a.b" at the top of a file, where x is bound only once: it is
// another name for the same thing, also in types and bases.
func (l *lowerer) otherName(targets []syntax.Node, right syntax.Node) bool {
	if l.frame.inFunc || l.frame.class != 0 || len(targets) != 1 || l.Kind(targets[0]) != "identifier" {
		return false
	}
	s := l.id(targets[0])
	at := l.name(s)
	if !at.multi && !at.global && l.Kind(right) == "subscript" {
		switch forms[l.lastName(right)] {
		case union, inside, callable:
			l.alias(targets[0], l.typ(right)) // Union[A, B], which is a type and no value
			return true
		}
	}
	if at.multi || at.global || !l.isPath(right) {
		return false
	}
	v := l.top(s, l.Start(targets[0]))
	x := l.declaration(func() ir.Expr { return l.expr(right) })
	l.VarInfo(v).Init = x
	return true
}

// isPath reports whether an expression is a name, an attribute of one, or such with
// type arguments.
func (l *lowerer) isPath(n syntax.Node) bool {
	if l.Kind(n) == "subscript" {
		n = l.Child(n, "value")
	}
	for l.Kind(n) == "attribute" {
		n = l.Child(n, "object")
	}
	return l.Kind(n) == "identifier"
}

// initial gives a field its value; a second one is an assignment.
func (l *lowerer) initial(v ir.Var, left syntax.Node, value ir.Expr) {
	c := l.frame.class
	pos := l.Start(left)
	if info := l.VarInfo(v); info.Init == 0 {
		info.Init = value
		if l.ClassInfo(c).Kind == ir.Enum && info.Type == 0 {
			info.Type = l.ClassX(c, pos)
		}
		return
	}
	l.Bind(l.Attr(l.ClassX(c, pos), l.text(l.id(left)), pos), value)
}

// field declares a variable of a class.
func (l *lowerer) field(c ir.Class, s ir.Str, pos int) ir.Var {
	f := l.Raw()
	if l.frame.class != c || l.name(s).class == c {
		for _, m := range f.Classes[c].Members {
			if m.Name == s && m.Kind == ir.VarMember {
				return ir.Var(m.Ref)
			}
		}
	}
	if l.frame.class == c {
		l.name(s).class = c
	}
	v := l.variable(s, pos)
	l.VarInfo(v).Func = 0
	f.Classes[c].Members = append(f.Classes[c].Members, ir.Member{Name: s, Kind: ir.VarMember, Ref: uint32(v), Exported: l.exported(s)})
	return v
}

// augmented lowers "a += value". A list takes the elements of the other over;
// what else an operator makes is unknown.
func (l *lowerer) augmented(n syntax.Node) {
	value := l.expr(l.Child(n, "right"))
	left := l.Child(n, "left")
	op := string(l.Bytes(l.Child(n, "operator")))
	was := l.expr(left)
	if method := operators[strings.TrimSuffix(op, "=")]; method != "" && was != 0 && value != 0 {
		pos := l.Start(l.Child(n, "operator"))
		l.Keep(l.special("__i"+method[2:], pos, was, value))
		if x := l.special(method, pos, was, value); l.OpOf(was) != ir.Lit {
			l.Bind(was, x) // unless it is done in place
		}
	}
	if value == 0 || (op != "+=" && op != "|=") || l.OpOf(value) == ir.Lit {
		l.Keep(l.Opaque(was, value))
		return
	}
	if was != 0 {
		l.Bind(was, value)
	}
}

// target returns what an assignment assigns to.
func (l *lowerer) target(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier":
		return l.assign(l.id(n), l.Start(n))
	case "parenthesized_expression":
		return l.target(l.NamedChild(n, 0))
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		var room [8]ir.Arg
		args := room[:0]
		for c := range l.NamedChildren(n) {
			kind := ir.Plain
			switch l.Kind(c) {
			case "list_splat_pattern", "list_splat":
				kind = ir.Spread
				c = l.NamedChild(c, 0)
			}
			args = append(args, ir.Arg{X: l.target(c), Kind: kind})
		}
		return l.List("tuple", args, l.Start(n))
	case "list_splat_pattern", "list_splat":
		return l.target(l.NamedChild(n, 0))
	}
	if x := l.requestField(n); x != 0 {
		return x
	}
	return l.expr(n) // an attribute or an index
}
