package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// pattern binds the names of a pattern to the parts of a value. value is 0 when
// it is not known; the names are declared all the same.
func (l *lowerer) pattern(p syntax.Node, value ir.Expr) {
	if !l.Enter(p) {
		return
	}
	defer l.Leave()
	switch l.Kind(p) {
	case "identifier":
		if name := l.text(p); !isUpper(name) {
			l.bindName(name, l.Start(p), value)
		}
	case "shorthand_field_identifier":
		l.bindName(l.text(p), l.Start(p), value)
	case "mut_pattern", "ref_pattern", "reference_pattern":
		l.pattern(l.last(p), value)
	case "captured_pattern": // name @ pattern
		value = l.once(value, l.Start(p))
		l.pattern(l.NamedChild(p, 0), value)
		l.pattern(l.NamedChild(p, 1), value)
	case "or_pattern":
		l.orPattern(p, value)
	case "tuple_pattern":
		l.tuplePattern(p, value)
	case "slice_pattern":
		value = l.once(value, l.Start(p))
		for c := range l.NamedChildren(p) {
			if l.Kind(c) == "captured_pattern" {
				l.pattern(c, value) // rest @ ..
			} else {
				l.pattern(c, l.unary(ir.Elem, value, l.Start(p)))
			}
		}
	case "tuple_struct_pattern":
		l.tupleStructPattern(p, value)
	case "struct_pattern":
		l.structPattern(p, value)
	case "match_pattern":
		l.pattern(l.NamedChild(p, 0), value)
	case "macro_invocation":
		l.Eval(l.expr(p))
	case "ERROR":
		for c := range l.NamedChildren(p) {
			l.pattern(c, 0)
		}
	}
}

// bindName makes a variable of a pattern.
func (l *lowerer) bindName(name string, pos int, value ir.Expr) ir.Var {
	var v ir.Var
	switch {
	case l.Class() != 0: // an initialiser among the items of a module: it has no scope
		v = l.Temp(pos)
	case l.again > 0:
		v = l.Declare(name, pos)
	default:
		v = l.Shadow(name, pos)
	}
	if value != 0 {
		l.Bind(l.Local(v, pos), value)
	}
	return v
}

// unary is an operation on a value, or nothing on nothing.
func (l *lowerer) unary(op ir.Op, x ir.Expr, pos int) ir.Expr {
	if x == 0 {
		return 0
	}
	return l.Unary(op, x, pos)
}

// orPattern binds the names of "A(x) | B(x)": the same variables in each.
func (l *lowerer) orPattern(p syntax.Node, value ir.Expr) {
	value = l.once(value, l.Start(p))
	first := true
	for c := range l.NamedChildren(p) {
		if !first {
			l.again++
		}
		l.pattern(c, value)
		if !first {
			l.again--
		}
		first = false
	}
}

func (l *lowerer) tuplePattern(p syntax.Node, value ir.Expr) {
	value = l.once(value, l.Start(p))
	i := 0
	for c := range l.Children(p) {
		if !l.isElement(c) {
			continue
		}
		if l.Kind(c) == "remaining_field_pattern" {
			value = 0 // what follows is counted from the end
			continue
		}
		var x ir.Expr
		if value != 0 {
			x = l.Index(value, 0, tupleIndex(i), l.Start(c))
		}
		l.pattern(c, x)
		i++
	}
}

// isElement reports whether a child of a pattern is one of its parts: "_" has no
// name in the grammar.
func (l *lowerer) isElement(c syntax.Node) bool {
	switch k := l.Kind(c); k {
	case "line_comment", "block_comment":
		return false
	default:
		return k == "_" || l.Named(c)
	}
}

func (l *lowerer) tupleStructPattern(p syntax.Node, value ir.Expr) {
	typ := l.Child(p, "type")
	pos := l.Start(p)
	name := l.pathEnd(typ)
	std := l.Kind(typ) == "identifier" && l.Lookup(name) == 0
	switch {
	case value == 0:
	case std && (name == "Some" || name == "Ok"):
		value = l.Unary(ir.Await, value, pos)
	case std && name == "Err":
		value = l.Index(value, 0, "Err", pos)
	default:
		value = l.once(l.Binary(ir.Cast, value, l.typ(typ), pos), pos)
		std = false
	}
	i, first := 0, true
	for c := range l.Children(p) {
		if !l.isElement(c) {
			continue
		}
		if first {
			first = false // the type
			continue
		}
		if l.Kind(c) == "remaining_field_pattern" {
			value = 0
			continue
		}
		x := value
		if x != 0 && !std {
			x = l.Attr(value, tupleIndex(i), l.Start(c))
		}
		l.pattern(c, x)
		i++
	}
}

func (l *lowerer) structPattern(p syntax.Node, value ir.Expr) {
	pos := l.Start(p)
	if value != 0 {
		value = l.once(l.Binary(ir.Cast, value, l.typ(l.Child(p, "type")), pos), pos)
	}
	for c := range l.NamedChildren(p) {
		if l.Kind(c) != "field_pattern" {
			continue
		}
		name := l.Child(c, "name")
		var x ir.Expr
		if value != 0 {
			x = l.Attr(value, l.text(name), l.Start(name))
		}
		if inner := l.Child(c, "pattern"); inner != 0 {
			l.pattern(inner, x)
		} else {
			l.bindName(l.text(name), l.Start(name), x)
		}
	}
}
