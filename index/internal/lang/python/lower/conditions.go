package lower

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
	l.Keep(l.truth(x, l.Start(n)))
	return is, not
}

// truth is a value as a condition: an object may say itself whether it is true.
func (l *lowerer) truth(x ir.Expr, pos int) ir.Expr {
	switch l.OpOf(x) {
	case ir.Local, ir.Name, ir.Attr, ir.Call, ir.Index:
		return l.special("__bool__", pos, x)
	}
	return x
}

// test is cond with the value of the condition.
func (l *lowerer) test(n syntax.Node) (x ir.Expr, is, not []narrowing) {
	if !l.Enter(n) {
		return 0, nil, nil
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "parenthesized_expression":
		return l.test(l.NamedChild(n, 0))
	case "not_operator":
		x, is, not = l.test(l.Child(n, "argument"))
		l.Keep(l.truth(x, l.Start(n)))
		return l.Lit("bool", l.Start(n)), not, is
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
	and := string(l.Bytes(l.Child(n, "operator"))) == "and"
	var chain []syntax.Node
	for l.Kind(n) == "boolean_operator" && (string(l.Bytes(l.Child(n, "operator"))) == "and") == and {
		chain = append(chain, l.Child(n, "right"))
		n = l.Child(n, "left")
	}
	chain = append(chain, n)
	values := make([]ir.Expr, 0, len(chain))
	l.block(func() {
		for i := len(chain) - 1; i >= 0; i-- {
			x, yes, no := l.test(chain[i])
			if i > 0 {
				l.Keep(l.truth(x, l.Start(chain[i])))
			}
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
	return l.Union(values...), is, not
}

// isInstance reads isinstance(x, C).
func (l *lowerer) isInstance(n syntax.Node) []narrowing {
	if fn := l.Child(n, "function"); l.Kind(fn) != "identifier" || string(l.Bytes(fn)) != "isinstance" {
		return nil
	}
	args := l.Child(n, "arguments")
	return l.narrowing(l.NamedChild(args, 0), l.NamedChild(args, 1))
}

// asked is a class that a value is asked to be an instance of, and not used as a value.
func (l *lowerer) asked(class ir.Expr, pos int) ir.Expr {
	switch l.OpOf(class) {
	case ir.Name, ir.Attr, ir.Union:
		return l.Binary(ir.Cast, 0, class, pos)
	}
	return class
}

// absence returns the variable that a condition says is None where it holds, and the one
// that is where it does not: "x is None", "not x", "x is not None", "x".
func (l *lowerer) absence(n syntax.Node) (holds, fails ir.Expr) {
	for l.Kind(n) == "parenthesized_expression" {
		n = l.NamedChild(n, 0)
	}
	variable := func(n syntax.Node) ir.Expr {
		if l.Kind(n) != "identifier" {
			return 0
		}
		if x := l.use(l.id(n), l.Start(n)); l.OpOf(x) == ir.Local {
			return x
		}
		return 0
	}
	switch l.Kind(n) {
	case "identifier":
		return 0, variable(n)
	case "not_operator":
		return variable(l.Child(n, "argument")), 0
	case "comparison_operator":
		if l.Kind(l.NamedChild(n, 1)) != "none" || l.NamedChild(n, 2) != 0 {
			return 0, 0
		}
		switch x := variable(l.NamedChild(n, 0)); l.Kind(l.Child(n, "operators")) {
		case "is", "==":
			return x, 0
		case "is not", "!=":
			return 0, x
		}
	}
	return 0, 0
}

// decided notes that a variable is None in the rest of the block, or that another one is not.
func (l *lowerer) decided(none, other ir.Expr) {
	switch {
	case none != 0:
		l.frame.where = none
	case other != 0 && l.frame.where == 0:
		n := l.Raw().Exprs[other]
		n.Flags |= ir.Given
		l.frame.where = l.Expr(n)
	}
}

// sameType reads "type(x) is C" and "type(x) == C".
func (l *lowerer) sameType(n syntax.Node) []narrowing {
	left := l.NamedChild(n, 0)
	if op := l.Child(n, "operators"); l.Kind(left) != "call" || l.Kind(op) != "is" && l.Kind(op) != "==" {
		return nil
	}
	if fn := l.Child(left, "function"); l.Kind(fn) != "identifier" || string(l.Bytes(fn)) != "type" {
		return nil
	}
	args := l.Child(left, "arguments")
	if l.NamedChild(args, 1) != 0 || l.NamedChild(n, 2) != 0 {
		return nil
	}
	return l.narrowing(l.NamedChild(args, 0), l.NamedChild(n, 1))
}

func (l *lowerer) narrowing(x, class syntax.Node) []narrowing {
	if l.Kind(x) != "identifier" {
		return nil
	}
	typ := l.classes(class)
	if typ == 0 {
		return nil
	}
	return []narrowing{{l.id(x), typ, l.Start(x)}}
}

// classes lowers what isinstance and "except" take: a class, or a tuple of them.
// The result stands where a type does.
func (l *lowerer) classes(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "tuple", "parenthesized_expression", "list_splat", "binary_operator":
		parts := l.Exprs(n, l.classes)
		return l.Union(parts...)
	case "identifier", "attribute":
		return l.expr(n)
	}
	return 0
}
