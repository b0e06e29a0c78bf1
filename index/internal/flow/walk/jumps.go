package walk

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Break leaves a statement: the one that has the label, where there is one, which is the first
// named child.
func Break(b *Builder, n syntax.Node) { b.jumpTo(n, ToBreak, Broken) }

// Continue goes on with a loop, as Break.
func Continue(b *Builder, n syntax.Node) { b.jumpTo(n, ToContinue, Continued) }

// Goto goes to a label, as Break.
func Goto(b *Builder, n syntax.Node) { b.jumpTo(n, ToLabel, Went) }

func (b *Builder) jumpTo(n syntax.Node, op JumpOp, kind EdgeKind) {
	label := ""
	if c := b.NamedChild(n, 0); c != 0 {
		label = b.Text(c)
	}
	b.Jump(b.Step(Jump, n, nil), op, label, kind)
}

// ReturnRule leaves the function with the value of its children.
func ReturnRule(b *Builder, n syntax.Node) {
	b.Jump(b.Step(Return, n, func() { b.Children(n) }), ToExit, "", Returned)
}

// RaiseRule raises the value of its children.
func RaiseRule(b *Builder, n syntax.Node) {
	b.Jump(b.Step(Raise, n, func() { b.Children(n) }), ToRaise, "", Raised)
}

// Mark makes a place to jump to before a node.
func (b *Builder) Mark(label string, n syntax.Node) {
	if !b.dry {
		b.labels[label] = b.StepOf(Label, b.Start(n), b.Start(n), 0, nil)
	}
}

// missing notes the tokens that the parser made up in a function to go on, which may have moved
// the ends of its blocks. A semicolon moves none.
func (b *Builder) missing(n syntax.Node) {
	if b.outer != nil {
		return
	}
	for c := n + 1; int(c) <= b.Len() && b.Start(c) < b.End(n); c++ {
		if b.Missing(c) && b.Kind(c) != ";" {
			b.Gap(c, "the parser made up a token: "+b.Kind(c))
		}
	}
}

// unused notes the labels that no goto leads to.
func (b *Builder) unused() {
	for name, id := range b.labels {
		if !slices.ContainsFunc(b.gotos, func(j jump) bool { return j.label == name }) {
			s := &b.g.Steps[id]
			b.g.Gaps = append(b.g.Gaps, Gap{s.Start, s.End, "no goto leads to a label: a macro may"})
		}
	}
	slices.SortStableFunc(b.g.Gaps, func(x, y Gap) int { return x.Start - y.Start })
}

// MayRaise says of the step that is open that it may raise an error, as a call may.
func (b *Builder) MayRaise() {
	if !b.dry && b.open > Leave {
		b.mayRaise(b.open)
	}
}

// Name gives the loop that is written next a label.
func (b *Builder) Name(label string) { b.label = label }

// Breakable writes something that a break with its label leaves.
func (b *Builder) Breakable(label string, do func()) {
	b.frames = append(b.frames, frame{label: label})
	do()
	f := b.frames[len(b.frames)-1]
	b.frames = b.frames[:len(b.frames)-1]
	b.at = append(b.at, f.exits...)
}

// Labeled is a label in a field, or the first child, and the statement after it.
func Labeled(field string) Rule {
	return func(b *Builder, n syntax.Node) {
		label := b.Child(n, field)
		if label == 0 {
			label = b.NamedChild(n, 0)
		}
		var body syntax.Node
		for c := range b.NamedChildren(n) {
			if c != label {
				body = c
			}
		}
		b.Labeled(b.Text(label), label, body)
	}
}

// Labeled writes a label and the statement that it belongs to.
func (b *Builder) Labeled(name string, label, body syntax.Node) {
	if !b.dry {
		b.labels[name] = b.StepOf(Label, b.Start(label), b.End(label), 0, nil)
	}
	if body == 0 {
		return
	}
	b.label = name
	if b.rules.Loops[b.Kind(body)] {
		b.Stmt(body)
		b.label = ""
		return
	}
	b.label = ""
	b.Breakable(name, func() { b.Stmt(body) })
}

// Assert writes a condition without which an error is raised, with its message.
func (b *Builder) Assert(n, cond, message syntax.Node) {
	b.Head(n)
	yes, no := b.Cond(cond)
	if b.dry {
		return
	}
	b.at = no
	if message != 0 {
		id := b.Step(Raise, message, func() { b.Expr(message) })
		b.Jump(id, ToRaise, "", Raised)
		b.at = yes
		return
	}
	b.at = nil
	for _, w := range no {
		if w.kind != ghost {
			w.kind = Raised
			b.send(jump{from: w, op: ToRaise}, len(b.frames))
		}
	}
	b.at = yes
}

// Yield says of the step that is open that it gives a value to whoever asks for the next one.
func (b *Builder) Yield() {
	if !b.dry && b.open != none {
		b.g.Generator = true
		b.Rest()
		b.MayRaise() // whoever resumes it may throw an error in
		if s := &b.g.Steps[b.open]; s.Kind == Plain {
			s.Kind = Yields
		}
	}
}

// Rest says of the step that is open that it waits until it is resumed.
func (b *Builder) Rest() {
	if !b.dry && b.open > Leave {
		b.rests[b.open] = true
	}
}
