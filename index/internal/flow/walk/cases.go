package walk

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A CasesForm is a "switch" of which the cases are labels, wherever in its body they stand, as
// in C: it goes to one of them, and on from there.
type CasesForm struct {
	Value, Body string
	CaseValue   string // the field of the values of a case; the default has none
}

// Rule is what the "switch" does.
func (f CasesForm) Rule() Rule {
	return func(b *Builder, n syntax.Node) {
		b.Scoped(func() {
			value, body := b.Child(n, f.Value), b.Child(n, f.Body)
			if init := b.Child(value, "initializer"); b.rules.Logic.Clause[b.Kind(value)] && init != 0 {
				b.Head(n)
				b.Stmt(init)
			}
			head := b.StepOf(Switch, b.Start(n), headEnd(b, n, body), value, func() {
				if b.rules.Logic.Clause[b.Kind(value)] {
					value = b.Child(value, "value")
				}
				b.Expr(value)
			})
			if b.dry {
				b.body(body)
				return
			}
			b.at = nil
			b.frames = append(b.frames, frame{breaks: true, head: head})
			b.body(body)
			last := b.frames[len(b.frames)-1]
			b.frames = b.frames[:len(b.frames)-1]
			b.at = append(b.at, last.exits...)
			if !last.other {
				b.at = append(b.at, way{from: head})
			}
		})
	}
}

// Case is what a case does.
func (f CasesForm) Case() Rule {
	return func(b *Builder, n syntax.Node) {
		for i := len(b.frames) - 1; i >= 0 && !b.dry; i-- {
			if s := &b.frames[i]; s.head > 0 {
				b.at = append(b.at, way{from: s.head, kind: Chosen})
				s.other = s.other || b.Child(n, f.CaseValue) == 0
				break
			}
		}
		end := b.End(b.First(n))
		for c := range b.NamedChildren(n) {
			if b.Field(c) == f.CaseValue {
				end = b.End(c)
			}
		}
		b.StepOf(Case, b.Start(n), end, 0, func() {
			for c := range b.NamedChildren(n) {
				if b.Field(c) == f.CaseValue {
					b.Expr(c)
				}
			}
		})
		for c := range b.NamedChildren(n) {
			if b.Field(c) != f.CaseValue {
				b.Stmt(c)
			}
		}
	}
}

// Unless writes a step that may not hold; other, a part of its node, runs where it does not.
func (b *Builder) Unless(n, other syntax.Node, do func()) {
	b.hoisted[other] = true
	id := b.Step(Cond, n, do)
	if b.dry || id == Entry {
		b.body(other)
		return
	}
	b.g.Steps[id].End = headEnd(b, n, other)
	b.at = []way{{from: id, kind: False}}
	b.body(other)
	b.at = append(b.at, way{from: id, kind: True})
}

// Either writes ways that all begin with what leads here, and end at one place.
func (b *Builder) Either(ways ...func()) {
	begin := b.at
	var ends []way
	for _, do := range ways {
		b.at = slices.Clone(begin)
		do()
		ends = append(ends, b.at...)
	}
	b.at = ends
}

// Choose writes the ways that go on from a step of the kind Switch, and end at one place.
func (b *Builder) Choose(step int, ways ...func()) {
	if b.dry {
		for _, do := range ways {
			do()
		}
		return
	}
	var ends []way
	for _, do := range ways {
		b.at = []way{{from: step, kind: Chosen}}
		do()
		ends = append(ends, b.at...)
	}
	b.at = ends
}
