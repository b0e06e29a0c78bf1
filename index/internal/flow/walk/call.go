package walk

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call writes a call: what is called, the arguments, and that it may change what it is given.
func (b *Builder) call(n syntax.Node, form CallForm) {
	callee := b.childOrFirst(n, form.Callee)
	c := Call{Start: b.Start(n), End: b.End(n), At: b.calledAt(callee, n)}
	if inner := b.Child(callee, b.rules.Paths[b.Kind(callee)]); b.rules.Members[b.Kind(inner)] != (Member{}) {
		callee = inner // x.f::<T>()
	}
	var receiver syntax.Node
	if form.Receiver != "" {
		receiver = b.Child(n, form.Receiver)
		b.Expr(receiver)
	} else {
		if m, ok := b.rules.Members[b.Kind(callee)]; ok {
			receiver = b.object(callee, m)
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
	argument := func(a syntax.Node) {
		b.chained(n, func() { b.Expr(a) })
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
			b.chained(n, func() { b.Expr(a) })
		}
	}
	method := b.calledName(c.At, callee)
	shallow := false
	kept := changed // what may be put into what is changed
	switch {
	case b.rules.Pure[b.Text(callee)], receiver != 0 && b.rules.Readers[method], b.Computes(callee):
		changed = nil
	case b.isModule(receiver):
		if changed, kept = changed[1:], kept[1:]; b.rules.PureModules[b.Text(receiver)] {
			changed = nil
		}
	case b.rules.Fillers[method] && len(changed) > 0 && (receiver != 0 || method == b.Text(callee)):
		changed, shallow = changed[:1], true
	}
	if !b.dry && b.open != none {
		b.keep(changed, kept)
	}
	for _, a := range changed {
		if v, path, ok := b.addressed(a); ok {
			b.access(Access{Kind: Def, Var: v, Path: path, Weak: true, ByCall: true, Start: b.Start(a), End: b.End(a)})
		} else if v, path, ok := b.place(b.bare(a)); ok && !b.ofModule(v) {
			b.access(Access{Kind: Def, Var: v, Path: path + ".*", Weak: true, ByCall: true, Shallow: shallow && path == "", Start: b.Start(a), End: b.End(a)})
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

// keep writes that what a call is given may be in what it changes after it.
func (b *Builder) keep(changed, kept []syntax.Node) {
	for i, a := range changed {
		v, _, ok := b.place(b.bare(a))
		if at, _, is := b.addressed(a); is {
			v, ok = at, true
		}
		if !ok || b.ofModule(v) {
			continue
		}
		for j, k := range kept {
			if i != j {
				for _, o := range b.argument(k, whole, nil) {
					b.relate(v, false, o)
				}
			}
		}
	}
}

// given are the objects that the value of a call may be, or hold: what it is called of and what it is given.
func (b *Builder) given(n syntax.Node, form CallForm, how share, list []object) []object {
	callee := b.childOrFirst(n, form.Callee)
	var receiver syntax.Node
	if form.Receiver != "" {
		receiver = b.Child(n, form.Receiver)
	} else if m, ok := b.rules.Members[b.Kind(callee)]; ok {
		receiver = b.object(callee, m)
	}
	method, arguments := b.calledName(b.calledAt(callee, n), callee), true
	switch {
	case b.rules.Copies[b.Text(callee)], receiver != 0 && b.rules.Copies[method]:
		how = alike
	case b.rules.Pure[b.Text(callee)], b.Computes(callee):
		return list
	case b.isModule(receiver):
		if b.rules.PureModules[b.Text(receiver)] {
			return list
		}
		receiver = 0
	case receiver != 0 && b.rules.Readers[method]:
		if arguments = false; how == whole {
			for _, o := range b.objects(receiver, whole, nil) {
				list = append(list, object{o.v, part})
			}
			return list
		}
	case receiver != 0 && b.rules.Fillers[method]:
		arguments = false
	}
	if receiver != 0 {
		list = b.objects(receiver, how, list)
	}
	args := b.Child(n, form.Args)
	if form.Args == "" {
		args = b.ChildOf(n, form.ArgsKind)
	}
	if !arguments || args == 0 {
		return list
	}
	for a := range b.NamedChildren(args) {
		list = b.argument(a, how, list)
		if receiver == 0 && b.rules.Fillers[method] && how == whole { // what it changes may be its value
			how = within
		}
	}
	return list
}

// argument is objects of an argument, of which the name is left out; one that is several has their parts.
func (b *Builder) argument(n syntax.Node, how share, list []object) []object {
	kind := b.Kind(n)
	switch {
	case strings.Contains(kind, "variadic"), strings.Contains(kind, "spread"), strings.Contains(kind, "splat"):
		how = alike
	case !strings.HasSuffix(kind, "argument"):
		return b.objects(n, how, list)
	}
	var last syntax.Node
	for c := range b.NamedChildren(n) {
		last = c
	}
	if last == 0 {
		return list
	}
	return b.objects(last, how, list)
}

// Computes reports whether what is called is known to change nothing and to give a value without parts: see Grammar.
func (b *Builder) Computes(callee syntax.Node) bool {
	name, is := b.isName(callee)
	if !is || b.rules.Computes == nil {
		return false
	}
	for f := b; f != nil; f = f.outer {
		if v := f.find(name); v != 0 && !f.g.Vars[v].Free && f.g.Vars[v].Outer == 0 && !f.file {
			return false // it is a variable of a function
		}
	}
	known, asked := b.known[name]
	if !asked {
		known = b.rules.Computes(b.Tree, name)
		b.known[name] = known
	}
	return known
}

// isModule reports whether a node names what an import brings.
func (b *Builder) isModule(n syntax.Node) bool {
	if n == 0 {
		return false
	}
	v, _, ok := b.place(n)
	return ok && b.ofModule(v)
}

// ofModule reports whether a variable is what an import brings.
func (b *Builder) ofModule(v Var) bool {
	info := &b.g.Vars[v]
	return b.modules[info.Name] && (info.Free || info.Outer != 0)
}

// calledName returns the name that is called, from where it begins to the end of what is called.
func (b *Builder) calledName(at int, callee syntax.Node) string {
	if callee == 0 || at > b.End(callee) {
		return ""
	}
	return string(b.Source()[at:b.End(callee)])
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

// addressed returns the place of which an argument is the address.
func (b *Builder) addressed(n syntax.Node) (v Var, path string, ok bool) {
	n = b.unwrapped(n)
	if b.rules.Address == nil || !b.rules.Address(b, n) {
		return 0, "", false
	}
	var last syntax.Node
	for c := range b.NamedChildren(n) {
		last = c
	}
	return b.place(last)
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
		if field, ok := b.rules.Paths[b.Kind(n)]; ok {
			last := b.Child(n, field)
			for c := range b.NamedChildren(n) {
				if field == "" {
					last = c
				}
			}
			if last != 0 {
				n = last
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
