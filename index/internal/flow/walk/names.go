package walk

import (
	"slices"
	"strings"

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

// Typed writes what a declaration declares.
func (b *Builder) Typed(n syntax.Node, do func()) {
	before := b.typed
	b.typed = before || b.rules.Value != nil && b.rules.Value(b, n)
	do()
	b.typed = before
}

// DeclareHere declares a name in the innermost block: a declaration of it that comes there means
// the same variable.
func (b *Builder) DeclareHere(name string, at int) {
	b.ahead[b.declareIn(len(b.scopes)-1, name, at)] = true
}

func (b *Builder) declareIn(i int, name string, at int) Var {
	if v, ok := b.scopes[i][name]; ok && (b.rules.Flat || i == 0 || b.ahead[v]) {
		if b.g.Vars[v].Free {
			b.g.Vars[v].Free = false
		}
		b.g.Vars[v].Value = b.g.Vars[v].Value || b.typed
		return v
	}
	if b.scopes[i] == nil {
		b.scopes[i] = scope{}
	}
	v := Var(len(b.g.Vars))
	b.g.Vars = append(b.g.Vars, VarInfo{Name: name, At: at, Value: b.typed})
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
			o := &b.outer.g.Vars[v]
			info.Outer, info.Free, info.At, info.Value = v, o.Free, o.At, o.Value
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
	if b.rules.Self[kind] && b.rules.SelfName != "" {
		name = b.rules.SelfName
	}
	if name == "" || name == b.rules.Blank || b.rules.Ignore != nil && b.rules.Ignore(name) {
		return "", false
	}
	if b.rules.IsType != nil && b.rules.IsType(name) && !b.declared(name) {
		return "", false
	}
	return name, true
}

// declared reports whether a name is one of a variable of this function, or of one around it.
func (b *Builder) declared(name string) bool {
	for f := b; f != nil; f = f.outer {
		if f.find(name) != 0 {
			return true
		}
	}
	return false
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
			if part := b.Child(n, m.Part); part != 0 {
				parts = append(parts, "."+b.Text(part))
			} else { // x?[i]
				parts = append(parts, "[]")
			}
			n = b.object(n, m)
		} else if m, is := b.rules.Elements[kind]; is {
			object := b.object(n, m)
			parts = append(parts, b.element(n, object))
			n = object
		} else if object, path, is := b.chain(n); is {
			parts = append(parts, path)
			n = object
		} else if in := b.cast(n); in != 0 {
			n = in
		} else {
			return 0, "", false
		}
	}
	return 0, "", false
}

// Read and Write write the use and the assignment of the variable that is called as the text
// of a node, whatever its kind.
func (b *Builder) Read(n syntax.Node) { b.ReadAt(b.Start(n), b.End(n)) }

// ReadAt is Read for a name that no node has, by its offsets.
func (b *Builder) ReadAt(start, end int) {
	b.access(Access{Kind: Use, Var: b.lookup(string(b.Source()[start:end]), start), Start: start, End: end})
}

// Write writes to the variable that a node names, as Read.
func (b *Builder) Write(n syntax.Node) { b.WriteAt(b.Start(n), b.End(n)) }

// WriteAt is Write for a name that no node has, as ReadAt.
func (b *Builder) WriteAt(start, end int) {
	b.access(Access{Kind: Def, Var: b.targetVar(string(b.Source()[start:end]), start, assignOld), Start: start, End: end})
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
	if a.Kind == Def && a.Path == "" && !a.Inner && b.g.Vars[a.Var].refers {
		a.Path, a.Weak = ".*", true
		s.Access = append(s.Access, a)
	}
}

// Maybe writes what is not always evaluated.
func (b *Builder) Maybe(do func()) {
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
		name, ok := b.isName(n)
		if !ok && mode != assignOld && b.rules.IsType != nil && b.rules.IsType(b.Text(n)) {
			name, ok = b.Text(n), true
		}
		if ok {
			b.access(Access{Kind: Def, Var: b.targetVar(name, b.Start(n), mode), Start: b.Start(n), End: b.End(n)})
		}
		return
	}
	m, member := b.rules.Members[kind]
	e, element := b.rules.Elements[kind]
	if member || element {
		object := b.object(n, m)
		if element {
			object = b.object(n, e)
		}
		b.holder(object)
		if element {
			for c := range b.NamedChildren(n) {
				if c != object {
					b.Expr(c)
				}
			}
		}
		if v, path, ok := b.place(n); ok {
			b.access(Access{Kind: Def, Var: v, Path: path, Weak: strings.Contains(path, "[]"), Start: b.Start(n), End: b.End(n)})
		} else {
			b.Change(object)
		}
		return
	}
	if object, path, is := b.chain(n); is {
		b.suffixes(n, object)
		if v, place, ok := b.place(n); ok {
			b.access(Access{Kind: Def, Var: v, Path: place, Weak: hasElement(path), Start: b.Start(n), End: b.End(n)})
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
				b.Maybe(func() { b.Expr(c) })
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
		// The body of a function is the block of its parameters and results, too.
		if v, ok := b.scopes[0][name]; ok && len(b.scopes) == 2 && (slices.Contains(b.g.Params, v) || slices.Contains(b.g.Results, v)) {
			return v
		}
		return b.declare(name, at)
	}
	if b.rules.Flat && b.find(name) == 0 && !b.elsewhere(name) {
		return b.declare(name, at)
	}
	return b.lookup(name, at)
}

// elsewhere reports whether a name that a function assigns is not one of its own.
func (b *Builder) elsewhere(name string) bool {
	if b.rules.Global != nil && b.rules.Global(name) {
		return true
	}
	if !b.rules.Shares || b.outer == nil {
		return false
	}
	v := b.outer.visible(name)
	return v != 0 && !b.outer.g.Vars[v].Free
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
		delete(b.scopes[0], name)
	}
	b.lookup(name, at)
}
