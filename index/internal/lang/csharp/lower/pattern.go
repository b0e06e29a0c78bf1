package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// once lowers a value that several patterns look at: one that is more than a
// name is kept in a variable, so that what it calls is called once.
func (l *lowerer) once(n syntax.Node) ir.Expr {
	if l.Kind(n) == "parenthesized_expression" {
		return l.once(l.operand(n))
	}
	x := l.expr(n)
	switch l.OpOf(x) {
	case ir.None, ir.Local, ir.Name, ir.This, ir.Lit:
		return x
	}
	pos := l.Start(n)
	return l.Local(l.Hold(x, pos), pos)
}

// pattern declares the variables of a pattern that a value is matched with. A
// variable of a type is the value as that type.
func (l *lowerer) pattern(n syntax.Node, value ir.Expr) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "declaration_pattern":
		typ := l.Child(n, "type")
		as := value
		if x := l.typ(typ); x != 0 {
			as = l.Binary(ir.Cast, value, x, pos)
		}
		l.designation(n, typ, as)
	case "var_pattern":
		l.designation(n, 0, value)
	case "type_pattern":
		l.typeTest(l.Child(n, "type"), value)
	case "recursive_pattern":
		l.recursivePattern(n, value)
	case "constant_pattern":
		c := l.operand(n)
		switch l.Kind(c) {
		case "identifier", "generic_name":
			// "is C" and "is Max" look alike: a type or a constant, read in either case.
			l.Eval(l.Opaque(l.typ(c)))
		default:
			l.Eval(l.Opaque(l.expr(c)))
		}
	case "list_pattern":
		elem := l.Unary(ir.Elem, value, pos)
		for c := range l.NamedChildren(n) {
			l.pattern(c, elem)
		}
	case "negated_pattern", "and_pattern", "or_pattern", "parenthesized_pattern":
		for c := range l.NamedChildren(n) {
			l.pattern(c, value)
		}
	case "discard":
	default:
		l.Eval(l.Opaque(l.expr(n)))
	}
}

func (l *lowerer) typeTest(typ syntax.Node, value ir.Expr) {
	if x := l.typ(typ); x != 0 {
		l.Eval(l.Opaque(l.Binary(ir.Cast, value, x, l.Start(typ))))
	}
}

// designation declares the name, or the names in parentheses, of a pattern.
func (l *lowerer) designation(n, typ syntax.Node, value ir.Expr) {
	if name := l.Child(n, "name"); name != 0 {
		l.local(name, typ, value)
	} else if list := l.ChildOf(n, "parenthesized_variable_designation"); list != 0 {
		l.Bind(l.tuplePattern(list), value)
	}
}

func (l *lowerer) recursivePattern(n syntax.Node, value ir.Expr) {
	pos := l.Start(n)
	typ := l.Child(n, "type")
	if x := l.typ(typ); x != 0 {
		value = l.Binary(ir.Cast, value, x, pos)
	}
	l.designation(n, typ, value)
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "property_pattern_clause":
			for s := range l.NamedChildren(c) {
				at, p := l.subpattern(s)
				member := value
				for _, name := range l.chain(at) {
					member = l.Attr(member, l.name(name), l.Start(name))
				}
				l.pattern(p, member)
			}
		case "positional_pattern_clause":
			i := 0
			for s := range l.NamedChildren(c) {
				_, p := l.subpattern(s)
				key := "9"
				if i < 9 {
					key = string(rune('0' + i))
				}
				l.pattern(p, l.Index(value, 0, key, l.Start(s)))
				i++
			}
		}
	}
}

// subpattern returns the member and the pattern of "Member: pattern".
func (l *lowerer) subpattern(n syntax.Node) (member, pattern syntax.Node) {
	colon := false
	for c := range l.Children(n) {
		switch {
		case l.Kind(c) == ":":
			colon = true
		case !l.Named(c):
		case colon || pattern == 0:
			if colon {
				member = pattern
			}
			pattern = c
			if colon {
				return member, pattern
			}
		}
	}
	return 0, pattern
}

// chain returns the names of A.B.C.
func (l *lowerer) chain(n syntax.Node) []syntax.Node {
	var names []syntax.Node
	for i := 0; n != 0 && i < walk.MaxDepth; i++ {
		switch l.Kind(n) {
		case "identifier":
			names = append(names, n)
			n = 0
		case "member_access_expression":
			names = append(names, l.Child(n, "name"))
			n = l.Child(n, "expression")
		default:
			n = 0
		}
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return names
}
