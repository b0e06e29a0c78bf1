package walk

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// An IfForm says where the parts of an "if" are. Alternatives are the children with the field
// Else or of the kinds of Clauses, in order; one of Elif has a condition of its own.
type IfForm struct {
	Init, Cond, Then, Else string
	Elif                   string   // the kind of a clause with a condition, in fields as the statement
	Clauses                []string // kinds of alternatives without a field
	ThenKind               string   // the kind of the body, where it has no field
	Negated                bool     // it runs where the condition is false
	Leaks                  bool     // names that the condition binds are known after the statement, too
}

// Rule is what an "if" does.
func (f IfForm) Rule() Rule {
	return func(b *Builder, n syntax.Node) {
		scoped := b.Scoped
		if f.Leaks {
			scoped = func(do func()) { do() }
		}
		scoped(func() {
			b.Head(n)
			if init := b.Child(n, f.Init); f.Init != "" && init != 0 {
				b.Stmt(init)
			}
			var ends []way
			yes, no := b.condOf(n, f.Cond)
			if f.Negated {
				yes, no = no, yes
			}
			b.at = yes
			b.body(b.then(n, f))
			ends = append(ends, b.at...)
			b.at = no
			for _, c := range b.clauses(n, f) {
				if f.Elif != "" && b.Kind(c) == f.Elif {
					b.Head(c)
					yes, no := b.condOf(c, f.Cond)
					b.at = yes
					b.body(b.then(c, f))
					ends = append(ends, b.at...)
					b.at = no
					continue
				}
				b.body(c)
				ends = append(ends, b.at...)
				b.at = nil
			}
			b.at = append(ends, b.at...)
		})
	}
}

func (b *Builder) then(n syntax.Node, f IfForm) syntax.Node {
	if f.Then != "" {
		return b.Child(n, f.Then)
	}
	return b.ChildOf(n, f.ThenKind)
}

func (b *Builder) clauses(n syntax.Node, f IfForm) []syntax.Node {
	var list []syntax.Node
	var other syntax.Node // where trees have no fields
	if strings.IndexByte(f.Else, '#') >= 0 {
		other = b.Child(n, f.Else)
	}
	for c := range b.NamedChildren(n) {
		if f.Else != "" && (b.Field(c) == f.Else || c == other) {
			list = append(list, c)
			continue
		}
		for _, kind := range f.Clauses {
			if b.Kind(c) == kind {
				list = append(list, c)
			}
		}
	}
	return list
}

// condOf writes the condition in a field; one that is not there is true.
func (b *Builder) condOf(n syntax.Node, field string) (yes, no []way) {
	c := b.Child(n, field)
	if c == 0 {
		yes = b.at
		b.at = nil
		return yes, nil
	}
	return b.Cond(c)
}

// body writes the body of a statement: a block, or one statement, with names of its own.
func (b *Builder) body(n syntax.Node) {
	if n != 0 {
		b.Scoped(func() { b.Stmt(n) })
	}
}

// loop writes a loop. head returns what enters the body and what ends the loop; update, which
// may be nil, comes before the head again. also is what runs where the loop ends by itself.
func (b *Builder) loop(n syntax.Node, head func() (yes, no []way), body syntax.Node, update, also func()) {
	if b.dry {
		head()
		b.body(body)
		if update != nil {
			update()
		}
		if also != nil {
			also()
		}
		return
	}
	first := len(b.g.Steps)
	entering := b.at
	yes, no := head()
	top := first
	if first == len(b.g.Steps) { // an endless loop has no head: an empty step stands for it
		b.at = entering
		top = b.StepOf(Loop, b.Start(n), b.Start(n), 0, nil)
		yes, no = []way{{from: top, kind: True}}, nil
	}
	b.frames = append(b.frames, frame{label: b.label, loop: true, breaks: true})
	b.label = ""
	b.at = yes
	b.body(body)
	f := &b.frames[len(b.frames)-1]
	b.at = append(b.at, f.next...)
	if update != nil {
		update()
	}
	b.back(top)
	exits := b.frames[len(b.frames)-1].exits
	b.frames = b.frames[:len(b.frames)-1]
	b.at = no
	if also != nil {
		also()
	}
	b.at = append(b.at, exits...)
}

// back connects all that leads here to the head of a loop.
func (b *Builder) back(top int) {
	for _, w := range b.at {
		if w.kind == Next {
			w.kind = Back
		}
		b.edge(w, top)
	}
	b.at = nil
}

// A LoopForm says where the parts of a loop are.
type LoopForm struct {
	Init, Cond, Update, Body string
	Else                     string // the kind of the clause for a loop that ends by itself
	Negated                  bool   // it goes on until the condition is true
}

// While is a loop that begins with its condition, as "while" and "for" of C.
func (f LoopForm) While() Rule {
	return func(b *Builder, n syntax.Node) { f.WhileIn(b, n, n) }
}

// WhileIn writes such a loop of which the head is in a node of its own.
func (f LoopForm) WhileIn(b *Builder, n, clause syntax.Node) {
	b.Scoped(func() { f.whileIn(b, n, clause, b.Child(clause, f.Cond)) })
}

// WhileOf writes such a loop of a condition; none: it is endless.
func (f LoopForm) WhileOf(b *Builder, n, cond syntax.Node) {
	b.Scoped(func() { f.whileIn(b, n, n, cond) })
}

func (f LoopForm) whileIn(b *Builder, n, clause, cond syntax.Node) {
	b.Head(n)
	each := func(field string) {
		for c := range b.NamedChildren(clause) {
			if field != "" && b.Field(c) == field {
				b.Stmt(c)
			}
		}
	}
	each(f.Init)
	var update func()
	if f.Update != "" && b.Child(clause, f.Update) != 0 {
		update = func() { each(f.Update) }
	}
	f.while(b, n, cond, update)
}

func (f LoopForm) while(b *Builder, n, cond syntax.Node, update func()) {
	head := func() (yes, no []way) {
		if cond == 0 {
			return nil, nil
		}
		yes, no = b.Cond(cond)
		if f.Negated {
			return no, yes
		}
		return yes, no
	}
	var also func()
	if f.Else != "" {
		if c := b.ChildOf(n, f.Else); c != 0 {
			also = func() { b.body(c) }
		}
	}
	b.loop(n, head, b.Child(n, f.Body), update, also)
}

// Do is a loop that ends with its condition.
func (f LoopForm) Do() Rule {
	return func(b *Builder, n syntax.Node) {
		b.Scoped(func() { f.do(b, n) })
	}
}

func (f LoopForm) do(b *Builder, n syntax.Node) {
	if b.dry {
		b.Stmt(b.Child(n, f.Body))
		return
	}
	top := b.StepOf(Label, b.Start(n), b.Start(n), 0, nil)
	b.frames = append(b.frames, frame{label: b.label, loop: true, breaks: true})
	b.label = ""
	b.Stmt(b.Child(n, f.Body)) // whose names the condition may see
	b.at = append(b.at, b.frames[len(b.frames)-1].next...)
	yes, no := b.condOf(n, f.Cond)
	if f.Negated {
		yes, no = no, yes
	}
	b.at = yes
	for i := range b.at {
		if b.at[i].kind == Next {
			b.at[i].kind = Back
		}
	}
	b.join(top)
	exits := b.frames[len(b.frames)-1].exits
	b.frames = b.frames[:len(b.frames)-1]
	b.at = append(no, exits...)
}

// An EachForm says where the parts of a loop over elements are.
type EachForm struct {
	Left, Right, Body string
	Else              string // the kind of the clause for a loop that ends by itself
	Bind              func(b *Builder, n, left syntax.Node)
	Head              Rule // writes the head; nil: Right is evaluated, then Bind writes Left
}

// Rule is what a loop over elements does: its head takes the next element.
func (f EachForm) Rule() Rule {
	return func(b *Builder, n syntax.Node) { f.Of(b, n, b.Child(n, f.Body)) }
}

// Of writes such a loop of which the body is given.
func (f EachForm) Of(b *Builder, n, body syntax.Node) {
	b.Scoped(func() {
		head := func() (yes, no []way) {
			id := b.StepOf(Loop, b.Start(n), headEnd(b, n, body), b.Child(n, f.Right), func() {
				if f.Head != nil {
					f.Head(b, n)
					return
				}
				b.Expr(b.Child(n, f.Right))
				if left := b.Child(n, f.Left); left != 0 {
					f.Bind(b, n, left)
				}
			})
			b.at = nil
			return []way{{from: id, kind: True}}, []way{{from: id, kind: False}}
		}
		var also func()
		if f.Else != "" {
			if c := b.ChildOf(n, f.Else); c != 0 {
				also = func() { b.body(c) }
			}
		}
		b.loop(n, head, body, nil, also)
	})
}

// headEnd returns where the head of a statement ends.
func headEnd(b *Builder, n, body syntax.Node) int {
	if body == 0 {
		return b.End(n)
	}
	end := b.Start(body)
	for end > b.Start(n) && isSpace(b.Source()[end-1]) {
		end--
	}
	return end
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
