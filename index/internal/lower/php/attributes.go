package php

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// attributes lowers #[Name(args)].
func (l *lowerer) attributes(n syntax.Node) []ir.Expr {
	t := l.t
	var out []ir.Expr
	for g := range t.NamedChildren(t.Child(n, "attributes")) {
		for a := range t.NamedChildren(g) {
			if t.Kind(a) != "attribute" {
				continue
			}
			xs := []ir.Expr{l.class(t.NamedChild(a, 0))}
			for _, arg := range l.args(t.Child(a, "parameters")) {
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
	t := l.t
	for g := range t.NamedChildren(t.Child(n, "attributes")) {
		for a := range t.NamedChildren(g) {
			if l.is(t.NamedChild(a, 0), name) {
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
