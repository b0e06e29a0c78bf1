package walk

import "github.com/quarry-search/quarry/index/internal/syntax"

// A SwitchForm says where the parts of a "switch" are.
type SwitchForm struct {
	Init, Value string
	Body        string                           // the field of the block of cases; "": they are children of the statement
	Cases       []string                         // kinds
	Values      string                           // the field of the values of a case
	Default     string                           // the kind of the default, where it is not a case without values
	DefaultWord string                           // or the word that it begins with
	Falls       bool                             // a case goes on with the next one
	Direct      bool                             // it goes to the case that fits at once: the values are constants
	Guard       string                           // the field of a condition of a case
	Target      bool                             // values are patterns that bind names
	Whole       bool                             // one case always fits
	Always      func(*Builder, syntax.Node) bool // reports whether a case fits whatever comes to it
	Test        Rule                             // writes the values of a case; nil: those of the field
	Case        func(b *Builder, c syntax.Node)  // writes the body; nil: the children that are no values
}

// Rule is what a "switch" does.
func (f SwitchForm) Rule() Rule {
	return func(b *Builder, n syntax.Node) {
		b.Scoped(func() { f.write(b, n) })
	}
}

func (f SwitchForm) write(b *Builder, n syntax.Node) {
	b.Head(n)
	if init := b.Child(n, f.Init); f.Init != "" && init != 0 {
		b.Stmt(init)
	}
	body := n
	if f.Body != "" {
		body = b.Child(n, f.Body)
	}
	value := b.Child(n, f.Value)
	end := headEnd(b, n, body)
	if f.Body == "" {
		end = b.Start(n) + len("switch")
		if value != 0 {
			end = b.End(value)
		}
	}
	head := b.StepOf(Switch, b.Start(n), end, value, func() { b.Expr(value) })
	b.frames = append(b.frames, frame{label: b.label, breaks: !b.rules.NoSwitchBreak})
	b.label = ""
	at := []way{{from: head, kind: Next}} // what leads to the next test
	var def, ends []way                   // the default's body is reached from here
	defaultAt := none
	var falls []way
	for c := range b.NamedChildren(body) {
		if !f.is(b, c) {
			continue
		}
		if b.dry {
			f.test(b, c)
			b.Scoped(func() { f.inside(b, c) })
			continue
		}
		isDefault := f.isDefault(b, c)
		if f.Direct {
			b.at = []way{{from: head, kind: Chosen}}
		} else {
			b.at = at
		}
		if isDefault {
			b.at = nil
			id := b.StepOf(Case, b.Start(c), f.labelEnd(b, c), 0, nil)
			defaultAt = id
			b.at = []way{{from: id, kind: Next}}
		} else {
			b.push()
			id := b.StepOf(Case, b.Start(c), f.labelEnd(b, c), 0, func() { f.test(b, c) })
			b.g.Steps[id].Parts = append(b.g.Steps[id].Parts, head) // what it compares with
			if f.Direct {
				b.at = []way{{from: id, kind: Next}}
			} else {
				at = []way{{from: id, kind: False}}
				if f.Always != nil && f.Always(b, c) {
					at[0].kind = ghost
				}
				b.at = []way{{from: id, kind: True}}
			}
			if guard := b.Child(c, f.Guard); f.Guard != "" && guard != 0 {
				yes, no := b.Cond(guard)
				at = append(at, no...)
				b.at = yes
			}
		}
		b.at = append(b.at, falls...)
		b.Scoped(func() { f.inside(b, c) })
		if !isDefault {
			b.pop()
		}
		falls = nil
		if f.Falls {
			falls = b.at
		} else {
			for _, w := range b.at {
				if w.kind == Fell {
					falls = append(falls, w)
				} else {
					ends = append(ends, w)
				}
			}
		}
		b.at = nil
	}
	if b.dry {
		b.frames = b.frames[:len(b.frames)-1]
		return
	}
	def = at
	if f.Direct {
		def = []way{{from: head, kind: Next}}
		if defaultAt != none {
			def[0].kind = Chosen
		}
	}
	exits := b.frames[len(b.frames)-1].exits
	b.frames = b.frames[:len(b.frames)-1]
	switch {
	case defaultAt != none:
		b.at = def
		b.join(defaultAt)
	case f.Whole:
	default:
		ends = append(ends, def...)
	}
	b.at = append(append(ends, falls...), exits...)
}

func (f SwitchForm) is(b *Builder, c syntax.Node) bool {
	kind := b.Kind(c)
	if kind == f.Default && kind != "" {
		return true
	}
	for _, k := range f.Cases {
		if k == kind {
			return true
		}
	}
	return false
}

func (f SwitchForm) isDefault(b *Builder, c syntax.Node) bool {
	if f.Default != "" {
		return b.Kind(c) == f.Default
	}
	if f.DefaultWord != "" {
		first := b.First(c)
		return first != 0 && b.Is(first, f.DefaultWord)
	}
	if f.Test != nil {
		return false
	}
	return b.Child(c, f.Values) == 0
}

// Is reports whether the text of a node is s.
func (b *Builder) Is(n syntax.Node, s string) bool { return string(b.Bytes(n)) == s }

// test writes the values of a case.
func (f SwitchForm) test(b *Builder, c syntax.Node) {
	if f.Test != nil {
		f.Test(b, c)
		return
	}
	for v := range b.NamedChildren(c) {
		if b.Field(v) == f.Values {
			if f.Target {
				b.Declare(v)
			} else {
				b.Expr(v)
			}
		}
	}
}

// labelEnd returns where the label of a case ends.
func (f SwitchForm) labelEnd(b *Builder, c syntax.Node) int {
	end := b.Start(c)
	for v := range b.NamedChildren(c) {
		if b.Field(v) == f.Values {
			end = b.End(v)
		}
	}
	if end == b.Start(c) {
		if first := b.First(c); first != 0 {
			end = b.End(first)
		}
	}
	return end
}

// inside writes the body of a case.
func (f SwitchForm) inside(b *Builder, c syntax.Node) {
	if f.Case != nil {
		f.Case(b, c)
		return
	}
	for s := range b.NamedChildren(c) {
		if b.Field(s) != f.Values && (f.Guard == "" || b.Field(s) != f.Guard) {
			b.Stmt(s)
		}
	}
}

// Fallthrough goes on with the next case.
func Fallthrough(b *Builder, n syntax.Node) {
	id := b.Step(Jump, n, nil)
	if !b.dry {
		b.at = []way{{from: id, kind: Fell}, {from: id, kind: ghost}}
	}
}
