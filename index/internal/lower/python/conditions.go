package python

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A narrowing is what a condition tells about a name: it is an instance of a type.
type narrowing struct {
	name ir.Str
	typ  ir.Expr
	pos  int
}

func (l *lowerer) narrowAll(list []narrowing) {
	for _, n := range list {
		l.narrow(n.name, n.typ, n.pos)
	}
}

// cond evaluates a condition, and returns what holds where it is true and where
// it is not.
func (l *lowerer) cond(n syntax.Node) (is, not []narrowing) {
	x, is, not := l.test(n)
	l.keep(x)
	return is, not
}

// test is cond with the value of the condition.
func (l *lowerer) test(n syntax.Node) (x ir.Expr, is, not []narrowing) {
	defer func() { l.depth-- }()
	if l.tooDeep() {
		return 0, nil, nil
	}
	t := l.t
	switch t.Kind(n) {
	case "parenthesized_expression":
		return l.test(t.NamedChild(n, 0))
	case "not_operator":
		x, is, not = l.test(t.Child(n, "argument"))
		l.keep(x)
		return l.b.Lit("bool", t.Start(n)), not, is
	case "boolean_operator":
		return l.boolean(n)
	case "call":
		return l.call(n), l.isInstance(n), nil
	case "comparison_operator":
		return l.expr(n), l.sameType(n), nil
	}
	return l.expr(n), nil, nil
}

// boolean lowers "a and b and c", or the same with "or". Each operand may be the
// value, and what one tells about types holds in those on its right.
func (l *lowerer) boolean(n syntax.Node) (x ir.Expr, is, not []narrowing) {
	t := l.t
	and := string(t.Bytes(t.Child(n, "operator"))) == "and"
	var chain []syntax.Node
	for t.Kind(n) == "boolean_operator" && (string(t.Bytes(t.Child(n, "operator"))) == "and") == and {
		chain = append(chain, t.Child(n, "right"))
		n = t.Child(n, "left")
	}
	chain = append(chain, n)
	values := make([]ir.Expr, 0, len(chain))
	l.block(func() {
		for i := len(chain) - 1; i >= 0; i-- {
			x, yes, no := l.test(chain[i])
			values = append(values, x)
			if and {
				is = append(is, yes...)
				l.narrowAll(yes)
			} else {
				not = append(not, no...)
				l.narrowAll(no)
			}
		}
	})
	return l.b.Union(values...), is, not
}

// isInstance reads isinstance(x, C).
func (l *lowerer) isInstance(n syntax.Node) []narrowing {
	t := l.t
	if fn := t.Child(n, "function"); t.Kind(fn) != "identifier" || string(t.Bytes(fn)) != "isinstance" {
		return nil
	}
	args := t.Child(n, "arguments")
	return l.narrowing(t.NamedChild(args, 0), t.NamedChild(args, 1))
}

// sameType reads "type(x) is C" and "type(x) == C".
func (l *lowerer) sameType(n syntax.Node) []narrowing {
	t := l.t
	left := t.NamedChild(n, 0)
	if op := t.Child(n, "operators"); t.Kind(left) != "call" || t.Kind(op) != "is" && t.Kind(op) != "==" {
		return nil
	}
	if fn := t.Child(left, "function"); t.Kind(fn) != "identifier" || string(t.Bytes(fn)) != "type" {
		return nil
	}
	args := t.Child(left, "arguments")
	if t.NamedChild(args, 1) != 0 || t.NamedChild(n, 2) != 0 {
		return nil
	}
	return l.narrowing(t.NamedChild(args, 0), t.NamedChild(n, 1))
}

func (l *lowerer) narrowing(x, class syntax.Node) []narrowing {
	if l.t.Kind(x) != "identifier" {
		return nil
	}
	typ := l.classes(class)
	if typ == 0 {
		return nil
	}
	return []narrowing{{l.id(x), typ, l.t.Start(x)}}
}

// classes lowers what isinstance and "except" take: a class, or a tuple of them.
// The result stands where a type does.
func (l *lowerer) classes(n syntax.Node) ir.Expr {
	defer func() { l.depth-- }()
	if l.tooDeep() {
		return 0
	}
	t := l.t
	switch t.Kind(n) {
	case "tuple", "parenthesized_expression", "list_splat", "binary_operator":
		var parts []ir.Expr
		for c := range t.NamedChildren(n) {
			parts = append(parts, l.classes(c))
		}
		return l.b.Union(parts...)
	case "identifier", "attribute":
		return l.expr(n)
	}
	return 0
}
