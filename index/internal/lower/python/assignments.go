package python

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// assignment lowers "a = b = value", "a: T = value" and "a: T".
func (l *lowerer) assignment(n syntax.Node) {
	t := l.t
	var room [4]syntax.Node
	targets := append(room[:0], t.Child(n, "left"))
	var typ syntax.Node
	right := n
	for {
		if at := t.Child(right, "type"); at != 0 {
			typ = at
		}
		right = t.Child(right, "right")
		if t.Kind(right) != "assignment" {
			break
		}
		targets = append(targets, t.Child(right, "left"))
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
		l.b.Bind(l.target(targets[0]), value)
		return
	}
	v := l.b.Temp(t.Start(right))
	l.b.Bind(l.b.Local(v, t.Start(right)), value)
	for _, target := range targets {
		l.b.Bind(l.target(target), l.b.Local(v, t.Start(target)))
	}
}

// typed lowers an assignment with a declared type, or the declaration alone.
func (l *lowerer) typed(left, typ, right syntax.Node) {
	t := l.t
	declared := l.typ(typ)
	var value ir.Expr
	if right != 0 {
		value = l.expr(right)
	}
	pos := t.Start(left)
	if t.Kind(left) == "identifier" && l.frame.class != 0 {
		v := l.field(l.frame.class, l.id(left), pos)
		l.b.VarInfo(v).Type = declared
		l.initial(v, left, value)
		return
	}
	target := l.target(left)
	f := l.b.Raw()
	switch at := f.Exprs[target]; at.Op {
	case ir.Local:
		l.b.VarInfo(ir.Var(at.Ref)).Type = declared
	case ir.Name:
		l.b.VarInfo(l.top(at.Name, pos)).Type = declared
	case ir.Attr:
		// "self.x: T" in a method declares a field of its class.
		if on := f.Exprs[at.A]; on.Op == ir.Local && l.frame.self != 0 && ir.Var(on.Ref) == l.frame.self {
			v := l.field(l.frame.of, at.Name, pos)
			if l.b.VarInfo(v).Type == 0 {
				l.b.VarInfo(v).Type = declared
			}
		}
	}
	if value != 0 {
		l.b.Bind(target, value)
	}
}

// classVar lowers "x = value" in the body of a class: the value is the field's
// initial one. It reports whether this is such an assignment.
func (l *lowerer) classVar(targets []syntax.Node, right syntax.Node) bool {
	if l.frame.class == 0 || len(targets) != 1 || l.t.Kind(targets[0]) != "identifier" {
		return false
	}
	left := targets[0]
	value := l.expr(right)
	if l.t.Kind(right) == "lambda" {
		l.method(value)
	}
	l.initial(l.field(l.frame.class, l.id(left), l.t.Start(left)), left, value)
	return true
}

// otherName lowers "x = a.b" at the top of a file, where x is bound only once: it is
// another name for the same thing, also in types and bases.
func (l *lowerer) otherName(targets []syntax.Node, right syntax.Node) bool {
	t := l.t
	if l.frame.inFunc || l.frame.class != 0 || len(targets) != 1 || t.Kind(targets[0]) != "identifier" {
		return false
	}
	s := l.id(targets[0])
	if at := l.name(s); at.multi || at.global || !isPath(t, right) {
		return false
	}
	v := l.top(s, t.Start(targets[0]))
	x := l.declaration(func() ir.Expr { return l.expr(right) })
	l.b.VarInfo(v).Init = x
	return true
}

// isPath reports whether an expression is a name, an attribute of one, or such with
// type arguments.
func isPath(t *syntax.Tree, n syntax.Node) bool {
	if t.Kind(n) == "subscript" {
		n = t.Child(n, "value")
	}
	for t.Kind(n) == "attribute" {
		n = t.Child(n, "object")
	}
	return t.Kind(n) == "identifier"
}

// initial gives a field its value; a second one is an assignment.
func (l *lowerer) initial(v ir.Var, left syntax.Node, value ir.Expr) {
	c := l.frame.class
	pos := l.t.Start(left)
	if info := l.b.VarInfo(v); info.Init == 0 {
		info.Init = value
		if l.b.ClassInfo(c).Kind == ir.Enum && info.Type == 0 {
			info.Type = l.b.ClassX(c, pos)
		}
		return
	}
	l.b.Bind(l.b.Attr(l.b.ClassX(c, pos), l.text(l.id(left)), pos), value)
}

// field declares a variable of a class.
func (l *lowerer) field(c ir.Class, s ir.Str, pos int) ir.Var {
	f := l.b.Raw()
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
	l.b.VarInfo(v).Func = 0
	f.Classes[c].Members = append(f.Classes[c].Members, ir.Member{Name: s, Kind: ir.VarMember, Ref: uint32(v), Exported: l.exported(s)})
	return v
}

// augmented lowers "a += value". A list takes the elements of the other over;
// what else an operator makes is unknown.
func (l *lowerer) augmented(n syntax.Node) {
	t := l.t
	value := l.expr(t.Child(n, "right"))
	left := t.Child(n, "left")
	op := string(t.Bytes(t.Child(n, "operator")))
	was := l.expr(left)
	if value == 0 || (op != "+=" && op != "|=") || l.b.Raw().Exprs[value].Op == ir.Lit {
		l.keep(l.b.Opaque(was, value))
		return
	}
	if was != 0 {
		l.b.Bind(was, value)
	}
}

// target returns what an assignment assigns to.
func (l *lowerer) target(n syntax.Node) ir.Expr {
	defer func() { l.depth-- }()
	if l.tooDeep() {
		return 0
	}
	t := l.t
	switch t.Kind(n) {
	case "identifier":
		return l.assign(l.id(n), t.Start(n))
	case "parenthesized_expression":
		return l.target(t.NamedChild(n, 0))
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		var room [8]ir.Arg
		args := room[:0]
		for c := range t.NamedChildren(n) {
			kind := ir.Plain
			switch t.Kind(c) {
			case "list_splat_pattern", "list_splat":
				kind = ir.Spread
				c = t.NamedChild(c, 0)
			}
			args = append(args, ir.Arg{X: l.target(c), Kind: kind})
		}
		return l.b.List("tuple", args, t.Start(n))
	case "list_splat_pattern", "list_splat":
		return l.target(t.NamedChild(n, 0))
	}
	return l.expr(n) // an attribute or an index
}
