package walk

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Stmts writes the named children of a node, one after the other.
func (b *Builder) Stmts(n syntax.Node) {
	for c := range b.NamedChildren(n) {
		b.Stmt(c)
	}
}

// Stmt writes a statement; an expression is a step.
func (b *Builder) Stmt(n syntax.Node) {
	if n == 0 || !b.nest(n) {
		return
	}
	defer func() { b.depth-- }()
	kind := b.Kind(n)
	if kind == "ERROR" {
		b.Gap(n, "it does not parse")
		b.Stmts(n)
		return
	}
	if b.rules.Defers[kind] && !b.dry {
		b.defers = true
	}
	if rule, ok := b.rules.Statements[kind]; ok {
		rule(b, n)
		return
	}
	if f, ok := b.rules.Functions[kind]; ok {
		if !b.hoisted[n] {
			b.define(n, f)
		}
		return
	}
	if !b.rules.Skip[kind] {
		b.Step(Plain, n, func() { b.Expr(n) })
	}
}

// define writes the statement that makes a function or class: its head is the step.
func (b *Builder) define(n syntax.Node, f Function) {
	if b.dry {
		if name := f.NameNode(b.Tree, n); name != 0 && !f.Member && b.rules.Names[b.Kind(name)] {
			b.Declare(name)
		}
		return
	}
	end := b.End(n)
	if body := f.BodyOf(b.Tree, n); body != 0 {
		end = b.Start(body)
	}
	b.StepOf(Define, b.Start(n), end, 0, func() { b.closure(n, f) })
}

// Ahead writes the statement that makes a function before the place where it stands.
func (b *Builder) Ahead(n syntax.Node) {
	b.Stmt(n)
	b.hoisted[n] = true
}

// Block writes the statements of a block with names of its own.
func Block(b *Builder, n syntax.Node) { b.Block(n, func() { b.Stmts(n) }) }

// Block writes something in a block with names of its own, some of them known ahead. The body
// of a function has the names of the function where some are.
func (b *Builder) Block(n syntax.Node, do func()) {
	if b.rules.Ahead == nil {
		b.Scoped(do)
		return
	}
	write := func() {
		b.rules.Ahead(b, n)
		do()
	}
	if b.whole {
		b.whole = false
		write()
		return
	}
	b.Scoped(write)
}

// Inline writes the statements below a node.
func Inline(b *Builder, n syntax.Node) { b.Stmts(n) }

// Nothing writes nothing.
func Nothing(*Builder, syntax.Node) {}

// Inside writes what cannot be there without a step: the body of what that enters.
func (b *Builder) Inside(head int, do func()) {
	first := len(b.g.Steps)
	do()
	for i := first; i < len(b.g.Steps) && head > Leave; i++ {
		b.g.Steps[i].Parts = append(b.g.Steps[i].Parts, head)
	}
}

// Head has the next step begin at a node: that of the statement of which it is the head.
func (b *Builder) Head(n syntax.Node) { b.head = b.Start(n) + 1 }

// Cond writes a condition and returns what leads on where it is true, and where it is false.
// Its operands are parts of each other: one statement of the text.
func (b *Builder) Cond(n syntax.Node) (yes, no []way) {
	first := len(b.g.Steps)
	yes, no = b.condition(n)
	for i := first; i < len(b.g.Steps) && first+1 < len(b.g.Steps); i++ {
		before := i - 1
		if i == first {
			before = len(b.g.Steps) - 1
		}
		if s := &b.g.Steps[i]; !slices.Contains(s.Parts, before) {
			s.Parts = append(s.Parts, before)
		}
	}
	return yes, no
}

func (b *Builder) condition(n syntax.Node) (yes, no []way) {
	if !b.nest(n) {
		return nil, nil
	}
	defer func() { b.depth-- }()
	l := &b.rules.Logic
	kind := b.Kind(n)
	operand, isUnary := l.Unary[kind]
	switch {
	case l.Parens[kind]:
		var last syntax.Node
		for c := range b.NamedChildren(n) {
			if last != 0 { // several statements, of which the last one is the value
				b.Stmt(last)
			}
			last = c
		}
		return b.condition(last)
	case l.Clause[kind]:
		if init := b.Child(n, "initializer"); init != 0 {
			b.Stmt(init)
		}
		return b.condOf(n, "value")
	case isUnary && l.Not[b.operator(n)]:
		no, yes = b.condition(b.childOrFirst(n, operand))
		return yes, no
	case l.Chain[kind]:
		yes = b.at
		for c := range b.NamedChildren(n) {
			var out []way
			b.at = yes
			yes, out = b.condition(c)
			no = append(no, out...)
		}
		return yes, no
	case l.Binary[kind] && (l.And[b.operator(n)] || l.Or[b.operator(n)]):
		or := l.Or[b.operator(n)]
		left, right := b.operands(n)
		yes, no = b.condition(left)
		b.at = yes
		if or {
			b.at = no
		}
		yes2, no2 := b.condition(right)
		if or {
			return append(yes, yes2...), no2
		}
		return yes2, append(no, no2...)
	}
	if b.rules.Values && !b.dry {
		b.hoistSelf(n)
	}
	id := b.Step(Cond, n, func() { b.Expr(n) })
	if b.dry {
		return nil, nil
	}
	b.at = nil
	yes, no = []way{{from: id, kind: True}}, []way{{from: id, kind: False}}
	switch holds, fixed := b.rules.Fixed[b.Text(n)]; {
	case fixed && holds:
		no[0].kind = ghost
	case fixed:
		yes[0].kind = ghost
	}
	return yes, no
}

// If writes a condition, and what runs where it is true and where it is false.
func (b *Builder) If(cond syntax.Node, then, other func()) {
	yes, no := b.Cond(cond)
	b.at = yes
	then()
	ends := b.at
	b.at = no
	other()
	b.at = append(ends, b.at...)
}

// operator returns the text of the operator of a node: that of the field, or the first of its
// children that has no name.
func (b *Builder) operator(n syntax.Node) string {
	if op := b.Child(n, "operator"); op != 0 {
		return b.Text(op)
	}
	for c := range b.Tree.Children(n) {
		if !b.Named(c) {
			return b.Text(c)
		}
	}
	return ""
}
