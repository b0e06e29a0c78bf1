package walk

import "github.com/quarry-search/quarry/index/internal/syntax"

// hoist writes the statements that are values inside of n, or n itself, before the step that
// takes them.
func (b *Builder) hoist(n syntax.Node, itself bool) (parts []int) {
	if itself {
		return b.hoistNode(n, 0, nil)
	}
	for c := range b.NamedChildren(n) {
		parts = b.hoistNode(c, 0, parts)
	}
	return parts
}

// ValueStep is Step for a node that may be a statement itself: its value is what the step takes.
func (b *Builder) ValueStep(kind Kind, n syntax.Node, do func()) int {
	var parts []int
	if b.rules.Values && !b.dry && b.open == none {
		parts = b.hoistNode(n, 0, nil)
	}
	id := b.StepOf(kind, b.Start(n), b.End(n), 0, do)
	if id > Leave && b.open == none && !b.dry {
		b.g.Steps[id].Parts = parts
	}
	return id
}

// hoistNode is hoist for a node itself.
func (b *Builder) hoistNode(n syntax.Node, depth int, parts []int) []int {
	if _, function := b.rules.Functions[b.Kind(n)]; function || depth > maxDepth {
		return parts
	}
	if b.hoisted[n] {
		return parts
	}
	if b.hoistSelf(n) {
		for _, w := range b.at {
			if w.kind != ghost {
				parts = append(parts, w.from)
			}
		}
		return parts
	}
	for c := range b.NamedChildren(n) {
		parts = b.hoistNode(c, depth+1, parts)
	}
	return parts
}

// hoistSelf writes a node that is a statement, or a choice that one is in. It reports whether
// it is.
func (b *Builder) hoistSelf(n syntax.Node) bool {
	kind := b.Kind(n)
	rule, statement := b.rules.Statements[kind]
	t, ternary := b.rules.Ternary[kind]
	switch {
	case statement && !b.rules.Operand[kind]:
		b.hoisted[n] = true
		rule(b, n)
	case b.rules.Logic.Binary[kind] && b.lazy(n) && b.holdsStatement(n):
		b.hoisted[n] = true
		left, right := b.operands(n)
		kind := False
		if b.rules.Logic.And[b.operator(n)] {
			kind = True
		}
		b.choice(left, kind, func() { b.value(right) }, nil)
	case ternary && b.statementIn(n, 0):
		b.hoisted[n] = true
		b.choice(b.Child(n, t[0]), True, func() { b.value(b.Child(n, t[1])) }, func() { b.value(b.Child(n, t[2])) })
	default:
		return false
	}
	return true
}

// choice writes a value that decides whether another one is taken: that is where it is as kind
// says. other, which may be nil, is what is taken where it is not.
func (b *Builder) choice(n syntax.Node, kind EdgeKind, then, other func()) {
	id := b.Step(Cond, n, func() { b.Expr(n) })
	b.at = []way{{from: id, kind: kind}}
	then()
	ends := b.at
	b.at = []way{{from: id, kind: True + False - kind}}
	if other != nil {
		other()
	}
	b.at = append(ends, b.at...)
}

// value writes a value as a statement.
func (b *Builder) value(n syntax.Node) {
	if !b.hoistSelf(n) {
		b.Step(Plain, n, func() { b.Expr(n) })
	}
}

// holdsStatement reports whether the second operand of a node has a statement in it.
func (b *Builder) holdsStatement(n syntax.Node) bool {
	_, right := b.operands(n)
	return b.statementIn(right, 0)
}

func (b *Builder) statementIn(n syntax.Node, depth int) bool {
	kind := b.Kind(n)
	if _, function := b.rules.Functions[kind]; function || n == 0 || depth > maxDepth {
		return false
	}
	if _, is := b.rules.Statements[kind]; is && !b.rules.Operand[kind] {
		return true
	}
	for c := range b.NamedChildren(n) {
		if b.statementIn(c, depth+1) {
			return true
		}
	}
	return false
}
