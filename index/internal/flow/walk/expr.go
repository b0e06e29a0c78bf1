package walk

import (
	"slices"

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
	if b.hoisted[n] {
		return
	}
	if b.rules.Awaits[kind] {
		b.Rest()
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
		at := b.at
		rule(b, n)
		b.at = at // all of it is in this step
		return
	}
	b.Children(n)
}

// operands returns the two sides of a node of Logic: in its fields, or its children.
func (b *Builder) operands(n syntax.Node) (left, right syntax.Node) {
	l := &b.rules.Logic
	if l.Left != "" {
		return b.Child(n, l.Left), b.Child(n, l.Right)
	}
	if left = b.Child(n, "left"); left != 0 {
		return left, b.Child(n, "right")
	}
	return b.NamedChild(n, 0), b.NamedChild(n, 1)
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
	object := b.object(n, m)
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
			n = b.object(n, m)
		} else if m, ok := b.rules.Elements[kind]; ok {
			object := b.object(n, m)
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

// Call writes a call, as the grammar says where its parts are.
func (b *Builder) Call(n syntax.Node) { b.call(n, b.rules.Calls[b.Kind(n)]) }

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
	b.made(n, f)
	inner := newBuilder(b.Tree, b.rules, b, b.steps)
	if b.rules.Closed && !f.Open {
		inner.outer = nil
	}
	inner.depth, inner.modules, inner.known = b.depth, b.modules, b.known
	inner.function(n)
	g := inner.g
	g.Step, g.Class = b.open, f.Class
	b.g.Nested = append(b.g.Nested, g)
	b.inherit(g, n)
	b.returns = b.returns || inner.left
	if f.Returns && g.returns() {
		b.May(ToExit, "", Returned)
		g.leaves = true
	}
	if name := f.NameNode(b.Tree, n); name != 0 && !f.Inside && !f.Member && b.rules.Names[b.Kind(name)] {
		b.Declare(name)
		if b.open != none {
			if made := b.g.Steps[b.open].Access; len(made) > 0 && made[len(made)-1].Kind == Def { // not of "_"
				g.Held = made[len(made)-1].Var
			}
		}
	}
}

// returns reports whether a function has a return, or one within it that leaves it.
func (g *Graph) returns() bool {
	return slices.ContainsFunc(g.Steps, func(s Step) bool { return s.Kind == Return }) ||
		slices.ContainsFunc(g.Nested, func(in *Graph) bool { return in.leaves })
}

// inherit notes in the step that is open what an inner function does to variables of this one.
func (b *Builder) inherit(g *Graph, n syntax.Node) {
	type key struct {
		kind                   AccessKind
		v                      Var
		path                   string
		byCall, scalar, update bool
	}
	seen := map[key]bool{}
	for i := range g.Steps {
		for _, a := range g.Steps[i].Access {
			outer := g.Vars[a.Var].Outer
			what := Access{Kind: a.Kind, Var: outer, Path: a.Path, Weak: a.Kind == Def, ByCall: a.ByCall, Scalar: a.Scalar, Update: a.Update, Inner: true}
			k := key{a.Kind, outer, a.Path, a.ByCall, a.Scalar, a.Update}
			if outer == 0 || seen[k] {
				continue
			}
			seen[k] = true
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
