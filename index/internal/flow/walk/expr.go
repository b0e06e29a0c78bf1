package walk

import (
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Expr writes what an expression reads, writes and calls, in the step that is open; where none
// is, it is a step.
func (b *Builder) Expr(n syntax.Node) {
	if n == 0 || !b.nest(n) {
		return
	}
	defer func() { b.depth-- }()
	if b.open == none && !b.dry {
		b.Step(Plain, n, func() { b.Expr(n) })
		return
	}
	kind := b.Kind(n)
	if _, done := b.hoisted[n]; done {
		return
	}
	if kind == "ERROR" {
		b.Gap(n, "it does not parse")
	}
	if f, ok := b.rules.Functions[kind]; ok {
		b.closure(n, f)
		return
	}
	if rule, ok := b.rules.Expressions[kind]; ok {
		rule(b, n)
		return
	}
	if b.rules.Skip[kind] {
		return
	}
	if name, ok := b.isName(n); ok {
		b.access(Access{Kind: Use, Var: b.lookup(name, b.Start(n)), Start: b.Start(n), End: b.End(n)})
		return
	}
	if _, ok := b.rules.Members[kind]; ok {
		b.part(n, b.rules.Members[kind])
		return
	}
	if _, ok := b.rules.Elements[kind]; ok {
		b.part(n, b.rules.Elements[kind])
		return
	}
	if form, ok := b.rules.Calls[kind]; ok {
		b.call(n, form)
		return
	}
	if b.rules.Logic.Binary[kind] && b.lazy(n) {
		left, right := b.operands(n)
		b.Expr(left)
		b.Decide(func() { b.Expr(right) })
		return
	}
	if object, _, ok := b.chain(n); ok {
		b.suffixes(n, object)
		if v, path, ok := b.place(n); ok {
			b.access(Access{Kind: Use, Var: v, Path: path, Start: b.Start(n), End: b.End(n)})
		}
		return
	}
	if in := b.cast(n); in != 0 {
		b.Expr(in)
		return
	}
	if t, ok := b.rules.Ternary[kind]; ok {
		b.Expr(b.Child(n, t[0]))
		b.Decide(func() {
			b.Expr(b.Child(n, t[1]))
			b.Expr(b.Child(n, t[2]))
		})
		return
	}
	if rule, ok := b.rules.Statements[kind]; ok { // an assignment within an expression
		rule(b, n)
		return
	}
	b.Children(n)
}

// operands returns the two sides of a node of Logic.
func (b *Builder) operands(n syntax.Node) (left, right syntax.Node) {
	l := &b.rules.Logic
	if l.Left == "" {
		return b.Child(n, "left"), b.Child(n, "right")
	}
	return b.Child(n, l.Left), b.Child(n, l.Right)
}

// lazy reports whether a node of two operands does not always evaluate the second.
func (b *Builder) lazy(n syntax.Node) bool {
	l, o := &b.rules.Logic, b.operator(n)
	return l.And[o] || l.Or[o] || l.Lazy[o]
}

// optional counts the marks in a chain of members and calls that nothing more of it happens
// where there is no object.
func (b *Builder) optional(n syntax.Node) int {
	count := 0
	for range maxDepth {
		kind := b.Kind(n)
		mark, next := "", b.cast(n)
		if m, ok := b.rules.Members[kind]; ok {
			mark, next = m.Optional, b.Child(n, m.Object)
		} else if m, ok := b.rules.Elements[kind]; ok {
			mark, next = m.Optional, b.Child(n, m.Object)
		} else if c, ok := b.rules.Calls[kind]; ok {
			mark, next = c.Optional, b.Child(n, c.Callee)
		}
		if mark != "" && (b.Child(n, mark) != 0 || b.ChildOf(n, mark) != 0) {
			count++
		}
		if next == 0 {
			break
		}
		n = next
	}
	return count
}

// chained writes what is only evaluated where a chain has all of its objects.
func (b *Builder) chained(n syntax.Node, do func()) {
	if b.optional(n) == 0 {
		do()
		return
	}
	b.Maybe(do)
}

// Children evaluates the named children of a node, and the words for the receiver.
func (b *Builder) Children(n syntax.Node) {
	for c := range b.Tree.Children(n) {
		if b.Named(c) && !b.Comment(c) || b.rules.Self[b.Kind(c)] {
			b.Expr(c)
		}
	}
}

// part writes the use of a member or an element.
func (b *Builder) part(n syntax.Node, m Member) {
	object := b.Child(n, m.Object)
	if v, path, ok := b.place(n); ok {
		b.decisions(b.optional(n))
		for c := range b.NamedChildren(n) { // what the place is found by: indices
			if c != object && !b.rules.Skip[b.Kind(c)] && b.Field(c) != m.Part || c != object && path != "" && path[len(path)-1] == ']' && b.Field(c) == m.Part {
				b.Expr(c)
			}
		}
		if _, _, inner := b.place(object); inner && b.indexed(object) {
			b.indices(object)
		}
		b.access(Access{Kind: Use, Var: v, Path: path, Start: b.Start(n), End: b.End(n)})
		return
	}
	b.Expr(object)
	b.decisions(b.optional(n) - b.optional(object))
	if _, element := b.rules.Elements[b.Kind(n)]; element {
		for c := range b.NamedChildren(n) {
			if c != object {
				b.Expr(c)
			}
		}
	}
}

// indexed reports whether a place is found by an index somewhere.
func (b *Builder) indexed(n syntax.Node) bool {
	_, path, _ := b.place(n)
	return hasElement(path)
}

// indices evaluates the indices of a place.
func (b *Builder) indices(n syntax.Node) {
	for range maxDepth {
		kind := b.Kind(n)
		if m, ok := b.rules.Members[kind]; ok {
			n = b.Child(n, m.Object)
		} else if m, ok := b.rules.Elements[kind]; ok {
			object := b.Child(n, m.Object)
			for c := range b.NamedChildren(n) {
				if c != object {
					b.Expr(c)
				}
			}
			n = object
		} else if in := b.cast(n); in != 0 {
			n = in
		} else {
			return
		}
	}
}

// call writes a call: what is called, the arguments, and that it may change what it is given.
func (b *Builder) call(n syntax.Node, form CallForm) {
	callee := b.Child(n, form.Callee)
	c := Call{Start: b.Start(n), End: b.End(n), At: b.calledAt(callee, n)}
	var receiver syntax.Node
	if form.Receiver != "" {
		receiver = b.Child(n, form.Receiver)
		b.Expr(receiver)
	} else {
		if m, ok := b.rules.Members[b.Kind(callee)]; ok {
			receiver = b.Child(callee, m.Object)
			b.Expr(receiver)
		} else if !form.Known || !b.rules.Names[b.Kind(callee)] || b.declared(b.Text(callee)) {
			b.Expr(callee)
		}
	}
	if receiver != 0 {
		c.Receiver = Span{b.Start(receiver), b.End(receiver)}
	}
	args := b.Child(n, form.Args)
	if form.Args == "" {
		args = b.ChildOf(n, form.ArgsKind)
	}
	var changed []syntax.Node
	if receiver != 0 {
		changed = append(changed, receiver)
	}
	seen := callee
	if receiver != 0 {
		seen = receiver
	}
	b.decisions(b.optional(n) - b.optional(seen))
	for a := range b.NamedChildren(args) {
		b.chained(n, func() { b.Expr(a) })
		c.Args = append(c.Args, Span{b.Start(a), b.End(a)})
		changed = append(changed, a)
	}
	for a := range b.NamedChildren(n) { // type arguments, blocks after the call
		if a != callee && a != args && a != receiver && !b.rules.Skip[b.Kind(a)] {
			b.chained(n, func() { b.Expr(a) })
		}
	}
	if b.rules.Pure[b.Text(callee)] {
		changed = nil
	}
	for _, a := range changed {
		if v, path, ok := b.place(b.bare(a)); ok {
			b.access(Access{Kind: Def, Var: v, Path: path + ".*", Weak: true, ByCall: true, Start: b.Start(a), End: b.End(a)})
		}
	}
	if !b.dry && b.open != none {
		s := &b.g.Steps[b.open]
		if last := len(s.Calls) - 1; last >= 0 && s.Calls[last].At == c.At { // f(x) { y } is one call
			s.Calls[last].End = c.End
			s.Calls[last].Args = append(s.Calls[last].Args, c.Args...)
		} else {
			s.Calls = append(s.Calls, c)
		}
	}
}

// bare returns what is within an argument that has only one part: &x, *x, x=y.
func (b *Builder) bare(n syntax.Node) syntax.Node {
	for range 10 {
		if _, _, ok := b.place(n); ok {
			return n
		}
		var only syntax.Node
		count := 0
		for c := range b.NamedChildren(n) {
			if f := b.Field(c); f == "name" || f == "label" {
				continue
			}
			only = c
			count++
		}
		if count != 1 || b.rules.Calls[b.Kind(n)] != (CallForm{}) {
			return n
		}
		n = only
	}
	return n
}

// calledAt returns the offset of the called name: the last one of a path.
func (b *Builder) calledAt(callee, call syntax.Node) int {
	n := callee
	for range maxDepth {
		if m, ok := b.rules.Members[b.Kind(n)]; ok {
			if part := b.Child(n, m.Part); part != 0 {
				n = part
				continue
			}
		}
		first := b.NamedChild(n, 0)
		if first == 0 || b.rules.Names[b.Kind(n)] {
			break
		}
		if _, function := b.rules.Functions[b.Kind(n)]; function {
			break
		}
		n = first
	}
	if n == 0 {
		return b.Start(call)
	}
	return b.Start(n)
}

// closure writes a function that is made within a step: what it reads and writes of the
// variables around it, at some time.
func (b *Builder) closure(n syntax.Node, f Function) {
	if b.dry {
		return
	}
	name := b.Child(n, f.Name)
	if _, computed := b.rules.Expressions[b.Kind(name)]; computed && f.Name != "" {
		b.Expr(name)
	}
	for c := range b.NamedChildren(n) {
		if f.Heads[b.Kind(c)] {
			b.Expr(c)
		}
	}
	inner := newBuilder(b.Tree, b.rules, b, b.steps)
	if b.rules.Closed && !f.Open {
		inner.outer = nil
	}
	inner.depth = b.depth
	inner.function(n)
	g := inner.g
	g.Step = b.open
	b.g.Nested = append(b.g.Nested, g)
	b.inherit(g, n)
	b.returns = b.returns || inner.left
	if f.Name != "" && !f.Inside && !f.Member && b.rules.Names[b.Kind(name)] {
		b.Declare(name)
	}
}

// inherit notes in the step that is open what an inner function does to variables of this one.
func (b *Builder) inherit(g *Graph, n syntax.Node) {
	seen := map[Access]bool{} // all but where
	for i := range g.Steps {
		for _, a := range g.Steps[i].Access {
			outer := g.Vars[a.Var].Outer
			what := Access{Kind: a.Kind, Var: outer, Path: a.Path, Weak: a.Kind == Def, ByCall: a.ByCall, Scalar: a.Scalar, Update: a.Update, Inner: true}
			if outer == 0 || seen[what] {
				continue
			}
			seen[what] = true
			if a.Kind == Def && !a.ByCall {
				b.g.Vars[outer].Written = true
			}
			what.Start, what.End = a.Start, a.End
			b.access(what)
		}
	}
}

// decisions counts ways that part within a step.
func (b *Builder) decisions(n int) {
	if !b.dry {
		b.g.Decisions += n
	}
}

// Decide counts a way that parts within a step, and writes what is only taken at times.
func (b *Builder) Decide(do func()) {
	b.decisions(1)
	b.Maybe(do)
}
