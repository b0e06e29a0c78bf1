package walk

import "github.com/quarry-search/quarry/index/internal/syntax"

// A SwitchForm says where the parts of a "switch" are.
type SwitchForm struct {
	Init, Value string
	Body        string                               // the field of the block of cases; "": they are children of the statement
	Cases       []string                             // kinds
	Values      string                               // the field of the values of a case
	Default     string                               // the kind of the default, where it is not a case without values
	DefaultOf   func(b *Builder, c syntax.Node) bool // or says so
	DefaultWord string                               // or the word that it begins with
	IsDefault   func(b *Builder, c syntax.Node) bool
	LabelEnd    string                                      // the part that ends the label of a case, where it is not its values or its first child
	Label       string                                      // a break with this label leaves it, too: a value is given
	Falls       bool                                        // a case goes on with the next one
	Direct      bool                                        // it goes to the case that fits at once: the values are constants
	Guard       string                                      // the field of a condition of a case
	GuardOf     func(b *Builder, c syntax.Node) syntax.Node // finds that condition where it is no child
	Target      bool                                        // values are patterns that bind names
	Whole       bool                                        // one case always fits
	Raises      bool                                        // an error is raised where no case fits
	Block       bool                                        // the cases are one block: the names of one are those of all
	Always      func(*Builder, syntax.Node) bool            // reports whether a case fits whatever comes to it
	Test        Rule                                        // writes the values of a case; nil: those of the field
	Case        func(b *Builder, c syntax.Node)             // writes the body; nil: the children that are no values
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
		if word := b.First(n); word != 0 && !b.Named(word) {
			end = b.End(word)
		} else {
			end = b.End(b.First(n))
		}
		if value != 0 {
			end = b.End(value)
		}
	}
	head := b.StepOf(Switch, b.Start(n), end, value, func() { b.Expr(value) })
	if f.Label != "" {
		b.label = f.Label
	}
	b.frames = append(b.frames, frame{label: b.label, breaks: !b.rules.NoSwitchBreak})
	b.label = ""
	if f.Block && b.rules.Ahead != nil {
		b.rules.Ahead(b, body)
	}
	scoped := b.Scoped
	if f.Block {
		scoped = func(do func()) { do() }
	}
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
			scoped(func() { f.inside(b, c) })
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
			if !f.Block {
				b.push()
			}
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
			if guard := f.guard(b, c); guard != 0 {
				yes, no := b.Cond(guard)
				at = append(at, no...)
				b.at = yes
			}
		}
		b.at = append(b.at, falls...)
		scoped(func() { f.inside(b, c) })
		if !isDefault && !f.Block {
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
	case f.Raises:
		for _, w := range def {
			b.send(jump{from: way{w.from, w.kind, true}, op: ToRaise}, len(b.frames))
		}
	default:
		ends = append(ends, def...)
	}
	b.at = append(append(ends, falls...), exits...)
}

// guard returns the condition of a case, or none.
func (f SwitchForm) guard(b *Builder, c syntax.Node) syntax.Node {
	if f.GuardOf != nil {
		return f.GuardOf(b, c)
	}
	return b.Child(c, f.Guard)
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
	if f.IsDefault != nil {
		return f.IsDefault(b, c)
	}
	if f.Default != "" {
		return b.Kind(c) == f.Default
	}
	if f.DefaultOf != nil {
		return f.DefaultOf(b, c)
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
		if f.isValue(b, v) {
			if f.Target {
				b.Declare(v)
			} else {
				b.Expr(v)
			}
		}
	}
}

// isValue reports whether a child of a case is one of its values.
func (f SwitchForm) isValue(b *Builder, n syntax.Node) bool {
	return f.Values != "" && b.Field(n) == f.Values
}

// labelEnd returns where the label of a case ends.
func (f SwitchForm) labelEnd(b *Builder, c syntax.Node) int {
	if last := b.Child(c, f.LabelEnd); f.LabelEnd != "" && last != 0 {
		return b.End(last)
	}
	end := b.Start(c)
	for v := range b.NamedChildren(c) {
		if f.isValue(b, v) {
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
		if !f.isValue(b, s) && (f.Guard == "" || b.Field(s) != f.Guard) {
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
