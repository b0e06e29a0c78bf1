package walk

import (
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// push begins a block with names of its own.
func (b *Builder) push() { b.scopes = append(b.scopes, nil) }

// pop ends it.
func (b *Builder) pop() { b.scopes = b.scopes[:len(b.scopes)-1] }

// Scoped writes something in a block with names of its own.
func (b *Builder) Scoped(do func()) {
	b.push()
	do()
	b.pop()
}

// declare makes a variable in the innermost block.
func (b *Builder) declare(name string, at int) Var {
	i := len(b.scopes) - 1
	if b.rules.Flat && b.own == 0 {
		i = 0
	}
	return b.declareIn(i, name, at)
}

// DeclareFlat declares a name in the whole function: var of JavaScript.
func (b *Builder) DeclareFlat(name string, at int) Var { return b.declareIn(0, name, at) }

func (b *Builder) declareIn(i int, name string, at int) Var {
	if v, ok := b.scopes[i][name]; ok && (b.rules.Flat || i == 0) {
		if b.g.Vars[v].Free {
			b.g.Vars[v].Free = false
		}
		return v
	}
	if b.scopes[i] == nil {
		b.scopes[i] = scope{}
	}
	v := Var(len(b.g.Vars))
	b.g.Vars = append(b.g.Vars, VarInfo{Name: name, At: at})
	b.scopes[i][name] = v
	return v
}

// find returns the variable that a name means here, 0 for none.
func (b *Builder) find(name string) Var {
	for i := len(b.scopes) - 1; i >= 0; i-- {
		if v, ok := b.scopes[i][name]; ok {
			return v
		}
	}
	return 0
}

// lookup returns the variable that a name means: one of this function, one of a function around
// it, or one that is free.
func (b *Builder) lookup(name string, at int) Var {
	if v := b.find(name); v != 0 {
		return v
	}
	info := VarInfo{Name: name, At: at, Free: true}
	if b.outer != nil {
		if v := b.outer.visible(name); v != 0 {
			info.Outer, info.Free, info.At = v, b.outer.g.Vars[v].Free, b.outer.g.Vars[v].At
		}
	}
	v := Var(len(b.g.Vars))
	b.g.Vars = append(b.g.Vars, info)
	if b.scopes[0] == nil {
		b.scopes[0] = scope{}
	}
	b.scopes[0][name] = v
	return v
}

// visible is lookup for a function inside: it makes the name one of this function, too, where
// it is one of a function around.
func (b *Builder) visible(name string) Var {
	v := b.find(name)
	if v == 0 && b.outer != nil {
		if o := b.outer.visible(name); o != 0 {
			v = b.lookup(name, 0)
		}
	}
	if v != 0 {
		b.g.Vars[v].Captured = true
	}
	return v
}

// isName reports whether a node names a variable, and returns its name.
func (b *Builder) isName(n syntax.Node) (string, bool) {
	kind := b.Kind(n)
	if !b.rules.Names[kind] && !b.rules.Self[kind] {
		return "", false
	}
	name := b.Text(n)
	if name == "" || name == b.rules.Blank || b.rules.Ignore != nil && b.rules.Ignore(name) {
		return "", false
	}
	return name, true
}

// place returns the variable and the part of it that a node means: a name, a member of one, an
// element of one. ok is false where it is neither.
func (b *Builder) place(n syntax.Node) (v Var, path string, ok bool) {
	var parts []string
	for range maxDepth {
		kind := b.Kind(n)
		if name, is := b.isName(n); is {
			v = b.lookup(name, b.Start(n))
			for i := len(parts) - 1; i >= 0; i-- {
				path += parts[i]
			}
			return v, path, true
		}
		if m, is := b.rules.Members[kind]; is {
			parts = append(parts, "."+b.Text(b.Child(n, m.Part)))
			n = b.Child(n, m.Object)
		} else if m, is := b.rules.Elements[kind]; is {
			parts = append(parts, "[]")
			n = b.Child(n, m.Object)
		} else if kind == "parenthesized_expression" {
			n = b.NamedChild(n, 0)
		} else {
			return 0, "", false
		}
	}
	return 0, "", false
}

// access notes one in the step that is open.
func (b *Builder) access(a Access) {
	if b.dry || b.open == none || a.Var == 0 {
		return
	}
	if b.weak > 0 && a.Kind == Def {
		a.Weak = true
	}
	s := &b.g.Steps[b.open]
	s.Access = append(s.Access, a)
}

// maybe writes what is not always evaluated.
func (b *Builder) maybe(do func()) {
	b.weak++
	do()
	b.weak--
}

// Declare writes the targets of a pattern as new variables.
func (b *Builder) Declare(n syntax.Node) { b.target(n, declareNew) }

// Assign writes the targets of an assignment.
func (b *Builder) Assign(n syntax.Node) { b.target(n, assignOld) }

// Define is Declare for names that this block has not yet, and Assign for the others.
func (b *Builder) Define(n syntax.Node) { b.target(n, defineNew) }

// DeclareVar is Declare in the whole function.
func (b *Builder) DeclareVar(n syntax.Node) { b.target(n, declareFlat) }

type targetMode uint8

const (
	assignOld targetMode = iota
	declareNew
	defineNew
	declareFlat
)

func (b *Builder) target(n syntax.Node, mode targetMode) {
	if n == 0 || !b.nest(n) {
		return
	}
	defer func() { b.depth-- }()
	kind := b.Kind(n)
	if b.rules.Names[kind] || b.rules.Self[kind] {
		if name, ok := b.isName(n); ok {
			b.access(Access{Kind: Def, Var: b.targetVar(name, b.Start(n), mode), Start: b.Start(n), End: b.End(n)})
		}
		return
	}
	m, member := b.rules.Members[kind]
	e, element := b.rules.Elements[kind]
	if member || element {
		object := b.Child(n, m.Object)
		if element {
			object = b.Child(n, e.Object)
		}
		b.Expr(object)
		if element {
			for c := range b.NamedChildren(n) {
				if c != object {
					b.Expr(c)
				}
			}
		}
		if v, path, ok := b.place(n); ok {
			b.access(Access{Kind: Def, Var: v, Path: path, Weak: element || hasElement(path), Start: b.Start(n), End: b.End(n)})
		}
		return
	}
	if b.rules.Skip[kind] {
		return
	}
	if rule, ok := b.rules.Expressions["target:"+kind]; ok {
		b.mode = append(b.mode, mode)
		rule(b, n)
		b.mode = b.mode[:len(b.mode)-1]
		return
	}
	if _, call := b.rules.Calls[kind]; call { // of a C++ reference, or *p() of Go
		b.Expr(n)
		return
	}
	for c := range b.NamedChildren(n) {
		switch b.Field(c) {
		case "value", "right", "default", "default_value":
			if b.Child(n, "left") != 0 || b.Child(n, "name") != 0 && b.Field(c) != "value" {
				b.maybe(func() { b.Expr(c) })
				continue
			}
		case "type", "key", "operator":
			continue
		}
		b.target(c, mode)
	}
}

// Target writes a part of a pattern as the pattern is.
func (b *Builder) Target(n syntax.Node) {
	if len(b.mode) > 0 {
		b.target(n, b.mode[len(b.mode)-1])
	}
}

func hasElement(path string) bool {
	for i := range len(path) {
		if path[i] == '[' {
			return true
		}
	}
	return false
}

func (b *Builder) targetVar(name string, at int, mode targetMode) Var {
	switch mode {
	case declareNew:
		return b.declare(name, at)
	case declareFlat:
		return b.DeclareFlat(name, at)
	case defineNew:
		if v, ok := b.scopes[len(b.scopes)-1][name]; ok {
			return v
		}
		return b.declare(name, at)
	}
	if b.rules.Flat && b.find(name) == 0 {
		return b.declare(name, at)
	}
	return b.lookup(name, at)
}

// Own writes something with names of its own, also where variables live in the whole function.
func (b *Builder) Own(do func()) {
	b.push()
	b.own++
	do()
	b.own--
	b.pop()
}

// Outside says that a name is not one of this function.
func (b *Builder) Outside(name string, at int) {
	if b.outer != nil {
		b.scopes[0][name] = 0
		delete(b.scopes[0], name)
	}
	b.lookup(name, at)
}

// Update writes a target that is read first: x += 1. also, which may be nil, is evaluated between.
func (b *Builder) Update(n syntax.Node, also func()) {
	b.Expr(n)
	if also != nil {
		also()
	}
	if b.dry || b.open == none {
		b.Assign(n)
		return
	}
	s := &b.g.Steps[b.open]
	before := len(s.Access)
	b.Assign(n)
	s = &b.g.Steps[b.open]
	for i := len(s.Access) - 1; i >= before; i-- {
		if a := &s.Access[i]; a.Kind == Def && !a.ByCall {
			s.Access[i].Update = true
			s.Access = append(s.Access[:before], s.Access[i]) // what it reads has been noted
			break
		}
	}
}

// Change writes that what a place holds is changed, in a part that is not known.
func (b *Builder) Change(n syntax.Node) {
	if v, path, ok := b.place(b.bare(n)); ok {
		b.access(Access{Kind: Def, Var: v, Path: path + ".*", Weak: true, Start: b.Start(n), End: b.End(n)})
	}
}

// Bind writes targets that get a part of a value: numbers where it says so.
func (b *Builder) Bind(left, value syntax.Node, target func(syntax.Node), scalar bool) {
	if b.dry || b.open == none {
		target(left)
		return
	}
	before := len(b.g.Steps[b.open].Access)
	target(left)
	s := &b.g.Steps[b.open]
	for i := before; i < len(s.Access); i++ {
		if a := &s.Access[i]; a.Kind == Def && !a.ByCall {
			a.Scalar = scalar
			for _, v := range b.objects(value, nil) {
				if v != a.Var {
					s.Holds = append(s.Holds, [2]Var{v, a.Var}, [2]Var{a.Var, v})
				}
			}
		}
	}
}

// Mention writes an access to a name that may be one of a type: where no variable has it, none.
func (b *Builder) Mention(n syntax.Node, kind AccessKind) {
	name := b.Text(n)
	v := b.find(name)
	if v == 0 && b.outer != nil && b.outer.visible(name) != 0 {
		v = b.lookup(name, b.Start(n))
	}
	a := Access{Kind: kind, Var: v, Start: b.Start(n), End: b.End(n)}
	if kind == Def {
		a.Path, a.Weak = ".*", true
	}
	b.access(a)
}

// Results writes the results of the function that have names: what a return gives.
func (b *Builder) Results(n syntax.Node) {
	for _, v := range b.g.Results {
		b.access(Access{Kind: Def, Var: v, Start: b.Start(n), End: b.End(n)})
	}
}
