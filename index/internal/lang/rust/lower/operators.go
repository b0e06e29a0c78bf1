package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// operators are the methods that operators with two operands call, as the traits of
// std::ops and std::cmp have them.
var operators = map[string]string{
	"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&": "bitand", "|": "bitor", "^": "bitxor", "<<": "shl", ">>": "shr",
	"+=": "add_assign", "-=": "sub_assign", "*=": "mul_assign", "/=": "div_assign", "%=": "rem_assign",
	"&=": "bitand_assign", "|=": "bitor_assign", "^=": "bitxor_assign", "<<=": "shl_assign", ">>=": "shr_assign",
	"==": "eq", "!=": "eq", "<": "partial_cmp", ">": "partial_cmp", "<=": "partial_cmp", ">=": "partial_cmp",
}

// unaryOperation lowers -x, !x and *x.
func (l *lowerer) unaryOperation(n syntax.Node) ir.Expr {
	operand := l.last(n)
	x := l.expr(operand)
	switch op := l.First(n); l.Kind(op) {
	case "*":
		// In an implementation for a pointer to T, *self is the pointer.
		if l.pointee != 0 && l.Kind(operand) == "unary_expression" && l.Kind(l.First(operand)) == "*" && l.Kind(l.last(operand)) == "self" {
			return l.Binary(ir.Cast, x, l.typ(l.pointee), l.Start(n))
		}
		return x
	case "-":
		if l.overloadable(x) {
			return l.Operation("neg", l.Start(op), x)
		}
		if l.Raw().Exprs[x].Op == ir.Lit {
			return x
		}
	case "!":
		if l.overloadable(x) {
			return l.Operation("not", l.Start(op), x)
		}
	}
	return l.Opaque(x)
}

// binaryOperation lowers an operator with two operands: a call of a method of the left one,
// where that is no number.
func (l *lowerer) binaryOperation(n syntax.Node) ir.Expr {
	op := l.Child(n, "operator")
	x, y := l.expr(l.Child(n, "left")), l.expr(l.Child(n, "right"))
	if name := operators[l.Kind(op)]; name != "" && l.overloadable(x) {
		return l.Operation(name, l.Start(op), x, y)
	}
	return l.Opaque(x, y)
}

// overloadable reports whether an operand may be of a type with operators of its own.
func (l *lowerer) overloadable(x ir.Expr) bool {
	switch n := &l.Raw().Exprs[x]; n.Op {
	case ir.None, ir.Lit:
		return false
	case ir.Opaque:
		return n.Name != 0
	}
	return true
}

// pointeeOf is the type that an implementation for a pointer points to: T of Box<T>, &T and
// &mut T; none for other types.
func (l *lowerer) pointeeOf(typ syntax.Node) syntax.Node {
	switch l.Kind(typ) {
	case "reference_type":
		return l.Child(typ, "type")
	case "generic_type":
		switch l.pathEnd(l.Child(typ, "type")) {
		case "Box", "Rc", "Arc", "Pin":
			return l.NamedChild(l.Child(typ, "type_arguments"), 0)
		}
	}
	return 0
}
