package control

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// conditional writes "#if": each of its alternatives may be what is compiled, or none of them.
func conditional(b *walk.Builder, n syntax.Node) {
	cond := directive(b, n)
	id := b.StepOf(walk.Switch, b.Start(n), max(b.Start(n), b.End(cond)), 0, nil)
	var ways []func()
	for part := n; part != 0; part = b.Child(part, "alternative") {
		cond, other := directive(b, part), b.Child(part, "alternative")
		ways = append(ways, func() {
			for c := range b.NamedChildren(part) {
				if c != cond && c != other {
					b.Stmt(c)
				}
			}
		})
		if other == 0 && b.Kind(part) != "preproc_else" {
			ways = append(ways, func() {})
		}
	}
	b.Choose(id, ways...)
}

// directive returns the condition or the name of "#if", none for "#else".
func directive(b *walk.Builder, n syntax.Node) syntax.Node {
	if cond := b.Child(n, "condition"); cond != 0 {
		return cond
	}
	return b.Child(n, "name")
}

// within is "#if" within an expression: all of it is evaluated.
func within(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		switch b.Field(c) {
		case "condition", "name":
		case "alternative":
			within(b, c)
		default:
			b.Expr(c)
		}
	}
}
