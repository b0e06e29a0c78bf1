package walk

import (
	"strings"
	"unicode"

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
	if b.rules.Logic.Binary[kind] {
		if o := b.operator(n); b.rules.Logic.And[o] || b.rules.Logic.Or[o] {
			b.Expr(b.Child(n, "left"))
			b.Decide(func() { b.Expr(b.Child(n, "right")) })
			return
		}
	}
	if rule, ok := b.rules.Statements[kind]; ok { // an assignment within an expression
		rule(b, n)
		return
	}
	b.Children(n)
}

// Children evaluates the named children of a node.
func (b *Builder) Children(n syntax.Node) {
	for c := range b.NamedChildren(n) {
		b.Expr(c)
	}
}

// part writes the use of a member or an element.
func (b *Builder) part(n syntax.Node, m Member) {
	object := b.Child(n, m.Object)
	if v, path, ok := b.place(n); ok {
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
		} else {
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
	argument := func(a syntax.Node) {
		b.Expr(a)
		c.Args = append(c.Args, Span{b.Start(a), b.End(a)})
		changed = append(changed, a)
	}
	if _, only := b.rules.Expressions[b.Kind(args)]; only { // f(x for x in y)
		argument(args)
	} else {
		for a := range b.NamedChildren(args) {
			argument(a)
		}
	}
	for a := range b.NamedChildren(n) { // type arguments, blocks after the call
		if a != callee && a != args && a != receiver && !b.rules.Skip[b.Kind(a)] {
			b.Expr(a)
		}
	}
	method := string(b.Source()[c.At:b.End(callee)])
	switch {
	case b.rules.Pure[b.Text(callee)], receiver != 0 && b.rules.Readers[method]:
		changed = nil
	case receiver != 0 && b.rules.Fillers[method]:
		changed = changed[:1]
	}
	for _, a := range changed {
		if v, path, ok := b.place(b.bare(a)); ok && !(b.g.Vars[v].Free && b.imports(b.g.Vars[v].Name)) {
			b.access(Access{Kind: Def, Var: v, Path: path + ".*", Weak: true, ByCall: true, Start: b.Start(a), End: b.End(a)})
		}
	}
	if !b.dry && b.open != none {
		s := &b.g.Steps[b.open]
		s.Calls = append(s.Calls, c)
	}
}

// imports reports whether a name stands in a statement of the text that imports modules.
func (b *Builder) imports(name string) bool {
	if len(b.rules.Imports) == 0 {
		return false
	}
	if *b.imported == nil {
		*b.imported = map[string]bool{}
		for n := range b.NamedChildren(b.Root()) {
			if b.rules.Imports[b.Kind(n)] {
				for _, word := range strings.FieldsFunc(b.Text(n), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
					(*b.imported)[word] = true
				}
			}
		}
	}
	return (*b.imported)[name]
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
	b.made(n, f)
	inner := newBuilder(b.Tree, b.rules, b, b.steps)
	inner.imported = b.imported
	if b.rules.Closed && !f.Open {
		inner.outer = nil
	}
	inner.depth = b.depth
	inner.function(n)
	g := inner.g
	g.Step = b.open
	b.g.Nested = append(b.g.Nested, g)
	b.inherit(g, n)
	if g.Name != "" && f.Name != "" && b.rules.Names[b.Kind(b.Child(n, f.Name))] {
		b.Declare(b.Child(n, f.Name))
		if b.open != none {
			if made := b.g.Steps[b.open].Access; len(made) > 0 && made[len(made)-1].Kind == Def { // not of "_"
				g.Held = made[len(made)-1].Var
			}
		}
	}
}

// inherit notes in the step that is open what an inner function does to variables of this one.
func (b *Builder) inherit(g *Graph, n syntax.Node) {
	type what struct {
		v    Var
		kind AccessKind
	}
	seen := map[what]bool{}
	for i := range g.Steps {
		for _, a := range g.Steps[i].Access {
			outer := g.Vars[a.Var].Outer
			if outer == 0 || seen[what{outer, a.Kind}] {
				continue
			}
			seen[what{outer, a.Kind}] = true
			if a.Kind == Def {
				b.g.Vars[outer].Written = true
			}
			b.access(Access{Kind: a.Kind, Var: outer, Path: a.Path, Weak: a.Kind == Def, Inner: true, Start: a.Start, End: a.End})
		}
	}
}

// Decide counts a way that parts within a step, and writes what is only taken at times.
func (b *Builder) Decide(do func()) {
	if !b.dry {
		b.g.Decisions++
	}
	b.maybe(do)
}
