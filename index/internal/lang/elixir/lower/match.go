package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// match binds the variables of a pattern to a value.
func (l *lowerer) match(pattern syntax.Node, value ir.Expr) {
	if target := l.pattern(pattern); target != 0 {
		l.Bound(target, value)
	}
}

// pattern is what a match assigns to: the variables of the pattern, each a new one, in
// the form that it has. At the top and in modules there are no variables to keep.
func (l *lowerer) pattern(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "identifier":
		name := l.Text(n)
		if name[0] == '_' || l.Class() != 0 || l.Func() == 1 {
			return 0
		}
		return l.Local(l.Shadow(name, pos), pos)
	case "list", "tuple":
		return l.List(l.Kind(n), l.elements(n, l.pattern), pos)
	case "map":
		return l.dictionary(n, l.pattern)
	case "keywords":
		return l.Object("keywords", l.elements(n, l.pattern), pos)
	case "binary_operator":
		left, right := l.Child(n, "left"), l.Child(n, "right")
		switch l.Kind(l.Child(n, "operator")) {
		case "=": // both are the whole: the second one has its parts
			x, y := l.pattern(left), l.pattern(right)
			if x != 0 && y != 0 {
				if l.OpOf(x) != ir.Local {
					x, y = y, x
				}
				l.Bind(y, x)
			}
			return x
		case "in", "when", "::", `\\`:
			x := l.pattern(left)
			l.Keep(l.expr(right))
			return x
		case "<>":
			return l.pattern(right)
		}
	case "unary_operator", "alias", "atom", "string", "integer":
		return 0
	}
	l.Keep(l.Unknown(n, l.expr))
	return 0
}

// head returns the patterns and the guard of a clause "a, b when c -> ...".
func (l *lowerer) head(n syntax.Node) (patterns []syntax.Node, guard syntax.Node) {
	left := l.Child(n, "left")
	if l.Kind(left) == "binary_operator" {
		left, guard = l.Child(left, "left"), l.Child(left, "right")
	}
	return l.nodes(left), guard
}

// stab lowers a clause with names of its own: what its pattern binds is a part of the
// subject.
func (l *lowerer) stab(n syntax.Node, subject ir.Expr) ir.Expr {
	patterns, guard := l.head(n)
	l.PushScope()
	defer l.PopScope()
	for _, p := range patterns {
		if k := l.Kind(p); k == "call" || k == "binary_operator" && subject == 0 && l.ChildOf(p, "in") == 0 { // of cond
			l.Keep(l.expr(p))
			continue
		}
		l.match(p, subject)
	}
	l.Keep(l.expr(guard))
	return l.body(l.Child(n, "right"))
}

// clauses lowers a block of clauses or expressions, with names of its own.
func (l *lowerer) clauses(n syntax.Node, subject ir.Expr) ir.Expr {
	l.PushScope()
	defer l.PopScope()
	var arms []ir.Expr
	for c := range l.OfKind(n, "stab_clause") {
		arms = append(arms, l.stab(c, subject))
	}
	if len(arms) == 0 {
		return l.body(n)
	}
	return l.Union(arms...)
}

// control lowers the macros of the language that decide what runs, and reports whether
// a word is one.
func (l *lowerer) control(n syntax.Node, word string, piped ir.Expr) (ir.Expr, bool) {
	list, do := l.ChildOf(n, "arguments"), l.ChildOf(n, "do_block")
	switch word {
	case "case":
		subject := l.Union(piped, l.expr(l.NamedChild(list, 0)))
		if subject != 0 && do != 0 && l.Class() == 0 {
			subject = l.Local(l.Hold(subject, l.Start(n)), l.Start(n))
		}
		return l.clauses(do, subject), true
	case "if", "unless", "cond", "with", "for", "try", "receive", "quote", "raise", "unquote":
	default:
		return 0, false
	}
	l.PushScope()
	defer l.PopScope()
	l.Keep(piped)
	var arms []ir.Expr
	for c := range l.NamedChildren(list) {
		switch {
		case l.Kind(c) == "keywords":
			for pair := range l.OfKind(c, "pair") {
				x := l.expr(l.Child(pair, "value"))
				if key := l.key(pair); key == "do" || key == "else" {
					arms = append(arms, x)
				} else {
					l.Keep(x)
				}
			}
		case word == "for" && l.Kind(l.Child(c, "operator")) == "<-":
			if x := l.expr(l.Child(c, "right")); x != 0 {
				l.match(l.Child(c, "left"), l.Unary(ir.Elem, x, l.Start(c)))
			} else {
				l.match(l.Child(c, "left"), 0)
			}
		default:
			l.Keep(l.expr(c))
		}
	}
	arms = append(arms, l.body(do))
	x := l.Union(arms...)
	if word == "for" && x != 0 {
		return l.List("list", ir.Args(x), l.Start(n)), true
	}
	return x, true
}
