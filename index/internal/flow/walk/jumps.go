package walk

import "github.com/quarry-search/quarry/index/internal/syntax"

// Break, Continue and Goto are jumps; the label, where there is one, is the first named child.
func Break(b *Builder, n syntax.Node)    { b.jumpTo(n, ToBreak, Broken) }
func Continue(b *Builder, n syntax.Node) { b.jumpTo(n, ToContinue, Continued) }
func Goto(b *Builder, n syntax.Node)     { b.jumpTo(n, ToLabel, Went) }

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

// Labeled is a label in a field, or the first child, and the statement after it.
func Labeled(field string) Rule {
	return func(b *Builder, n syntax.Node) {
		label := b.Child(n, field)
		if label == 0 {
			label = b.NamedChild(n, 0)
		}
		name := b.Text(label)
		if !b.dry {
			b.labels[name] = b.StepOf(Label, b.Start(n), b.End(label), 0, nil)
		}
		var body syntax.Node
		for c := range b.NamedChildren(n) {
			if c != label {
				body = c
			}
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
		b.frames = append(b.frames, frame{label: name})
		b.Stmt(body)
		f := b.frames[len(b.frames)-1]
		b.frames = b.frames[:len(b.frames)-1]
		b.at = append(b.at, f.exits...)
	}
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
			b.send(jump{w, ToRaise, ""}, len(b.frames))
		}
	}
	b.at = yes
}

// Yield says of the step that is open that it gives a value to whoever asks for the next one.
func (b *Builder) Yield() {
	if !b.dry && b.open != none {
		b.g.Generator, b.fails = true, true // whoever resumes it may throw an error in
		if s := &b.g.Steps[b.open]; s.Kind == Plain {
			s.Kind = Yields
		}
	}
}
