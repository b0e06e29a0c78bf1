package lower

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A narrowing says that a name holds an instance of a type.
type narrowing struct{ name, typ syntax.Node }

// typeNode is the type among the children of n.
func (l *lowerer) typeNode(n syntax.Node) syntax.Node {
	for c := range l.NamedChildren(n) {
		if isType(l.Kind(c)) {
			return c
		}
	}
	return 0
}

// An operand is one of a chain of && or ||.
type operand struct {
	n       syntax.Node
	negated bool
}

// chain takes a condition apart: its operands in order, and the kind that joins
// them, "" for one alone. Chains lean to the left and may be long. The grammar reads
// !a && b as !(a && b).
func (l *lowerer) chain(n syntax.Node) (kind string, list []operand) {
	negated := false
	for range walk.MaxDepth {
		switch k := l.Kind(n); k {
		case "parenthesized_expression":
			if len(list) > 0 || negated {
				break
			}
			n = l.NamedChild(n, 0)
			continue
		case "prefix_expression":
			if l.ChildOf(n, "!") == 0 {
				break
			}
			negated = !negated
			n = l.NamedChild(n, 0)
			if l.Kind(n) == "parenthesized_expression" {
				if inner := l.NamedChild(n, 0); l.Kind(inner) == "check_expression" || l.Kind(inner) == "parenthesized_expression" {
					n = inner
				}
			}
			continue
		case "conjunction_expression", "disjunction_expression":
			if kind != "" && kind != k {
				break
			}
			kind = k
			if right := l.NamedChild(n, 1); right != 0 {
				list = append(list, operand{right, false})
			}
			n = l.NamedChild(n, 0)
			continue
		}
		break
	}
	list = append(list, operand{n, negated})
	slices.Reverse(list)
	return kind, list
}

// narrowings appends to list what is known when a condition is true, or when it is
// false. It looks at names only: a.b may have changed.
func (l *lowerer) narrowings(n syntax.Node, holds bool, list []narrowing) []narrowing {
	kind, operands := l.chain(n)
	if kind != "" && holds != (kind == "conjunction_expression") {
		return list
	}
	for _, o := range operands {
		list = l.tested(o, holds, list)
	}
	return list
}

// tested is narrowings of one operand.
func (l *lowerer) tested(o operand, holds bool, list []narrowing) []narrowing {
	if l.Kind(o.n) == "conjunction_expression" || l.Kind(o.n) == "disjunction_expression" || l.Kind(o.n) == "parenthesized_expression" {
		if o.negated && l.Kind(o.n) != "parenthesized_expression" || !l.Enter(o.n) {
			return list
		}
		defer l.Leave()
		return l.narrowings(o.n, holds != o.negated, list)
	}
	word := "is"
	if holds == o.negated {
		word = "!is"
	}
	name := l.NamedChild(o.n, 0)
	if l.Kind(o.n) == "check_expression" && l.Kind(name) == "simple_identifier" && l.ChildOf(o.n, word) != 0 {
		if typ := l.typeNode(o.n); typ != 0 {
			return append(list, narrowing{name, typ})
		}
	}
	return list
}

func (l *lowerer) narrowAll(condition syntax.Node, holds bool) {
	l.narrow(l.narrowings(condition, holds, nil))
}

// narrow declares a variable for each name that is known to be of a type.
func (l *lowerer) narrow(list []narrowing) {
	for _, c := range list {
		name, pos := l.ident(c.name), l.Start(c.name)
		typ := l.typ(c.typ)
		if typ == 0 {
			continue
		}
		l.Narrow(name, l.Variable(name), l.VariableOrFree(name, pos), typ, pos)
	}
}

// logical is && or ||: each operand knows what those before it say.
func (l *lowerer) logical(n syntax.Node) ir.Expr {
	kind, operands := l.chain(n)
	if kind == "" { // deeper than chain looks
		return l.unknown(n)
	}
	mark := l.Mark()
	l.PushScope()
	for i, o := range operands {
		x := l.expr(o.n)
		if o.negated && l.Kind(o.n) != "check_expression" && x != 0 {
			x = l.operatorCall(x, "not", nil, l.Start(o.n))
		}
		l.Push(x)
		if i < len(operands)-1 {
			l.narrow(l.tested(o, kind == "conjunction_expression", nil))
		}
	}
	l.PopScope()
	return l.typed("Boolean", l.Start(n), l.TakeOpaque(mark))
}
