package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// attributes lowers #[Name(args)].
func (l *lowerer) attributes(n syntax.Node) []ir.Expr {
	var out []ir.Expr
	for g := range l.NamedChildren(l.Child(n, "attributes")) {
		for a := range l.OfKind(g, "attribute") {
			xs := []ir.Expr{l.class(l.NamedChild(a, 0))}
			for _, arg := range l.args(l.Child(a, "parameters")) {
				xs = append(xs, arg.X)
			}
			if len(xs) == 1 {
				out = append(out, xs[0])
			} else {
				out = append(out, l.Opaque(xs...))
			}
		}
	}
	return out
}

func (l *lowerer) hasAttribute(n syntax.Node, name string) bool {
	for g := range l.NamedChildren(l.Child(n, "attributes")) {
		for a := range l.NamedChildren(g) {
			if l.Is(l.NamedChild(a, 0), name) {
				return true
			}
		}
	}
	return false
}

func (l *lowerer) evalAll(xs []ir.Expr) {
	for _, x := range xs {
		l.Eval(x)
	}
}
