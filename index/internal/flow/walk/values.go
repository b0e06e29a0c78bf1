package walk

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// hoist writes the statements that are values inside of n, or n itself, before the step that
// takes them.
func (b *Builder) hoist(n syntax.Node, itself bool) (parts []int) {
	var visit func(n syntax.Node, depth int)
	write := func(c syntax.Node, depth int) {
		kind := b.Kind(c)
		if _, function := b.rules.Functions[kind]; function || depth > maxDepth {
			return
		}
		rule, statement := b.rules.Statements[kind]
		if !statement || b.rules.Operand[kind] {
			visit(c, depth+1)
			return
		}
		if _, done := b.hoisted[c]; done {
			return
		}
		b.hoisted[c] = nil
		rule(b, c)
		for _, w := range b.at {
			parts = append(parts, w.from)
		}
		b.hoisted[c] = parts
	}
	visit = func(n syntax.Node, depth int) {
		for c := range b.NamedChildren(n) {
			write(c, depth)
		}
	}
	if itself {
		write(n, 0)
	} else {
		visit(n, 0)
	}
	return parts
}

// Give writes that a value is assigned to targets: target is Assign, Declare or Define.
func (b *Builder) Give(left, right syntax.Node, target func(syntax.Node)) {
	b.Expr(right)
	if b.dry || b.open == none {
		target(left)
		return
	}
	before := len(b.g.Steps[b.open].Access)
	target(left)
	s := &b.g.Steps[b.open]
	lefts, rights := b.members(left), b.members(right)
	each := len(lefts) == len(rights)
	for i := before; i < len(s.Access); i++ {
		a := &s.Access[i]
		if a.Kind != Def || a.ByCall {
			continue
		}
		value := right
		if each {
			for j, l := range lefts {
				if b.Start(l) <= a.Start && a.End <= b.End(l) {
					value = rights[j]
				}
			}
		}
		a.Scalar = b.scalar(value)
		for _, v := range b.objects(value, nil) {
			if v != a.Var {
				s.Same = append(s.Same, [2]Var{a.Var, v})
			}
		}
	}
}

// Scalar writes a declaration of variables whose type says that their values have no parts.
func (b *Builder) Scalar(do func()) {
	before := len(b.g.Vars)
	do()
	for v := before; v < len(b.g.Vars); v++ {
		b.g.Vars[v].scalar = !b.rules.Reference
	}
}

// Refers writes a declaration of names for objects that others name: what is assigned to them
// is written there.
func (b *Builder) Refers(do func()) {
	before := len(b.g.Vars)
	do()
	for v := before; v < len(b.g.Vars); v++ {
		b.g.Vars[v].refers = true
	}
}

// members are the parts of a list of targets or values, or the only one.
func (b *Builder) members(n syntax.Node) []syntax.Node {
	if !b.rules.Lists[b.Kind(n)] {
		return []syntax.Node{n}
	}
	var list []syntax.Node
	for c := range b.NamedChildren(n) {
		list = append(list, c)
	}
	return list
}

// unwrapped returns what is within parentheses.
func (b *Builder) unwrapped(n syntax.Node) syntax.Node {
	for b.rules.Logic.Parens[b.Kind(n)] {
		n = b.NamedChild(n, 0)
	}
	return n
}

// scalar reports whether a value has no parts that could be changed.
func (b *Builder) scalar(n syntax.Node) bool {
	n = b.unwrapped(n)
	return b.rules.Scalars[b.Kind(n)]
}

// objects are the variables whose objects a value may be, or hold.
func (b *Builder) objects(n syntax.Node, list []Var) []Var {
	n = b.unwrapped(n)
	if v, _, ok := b.addressed(n); ok {
		return append(list, v)
	}
	if v, _, ok := b.place(n); ok {
		if b.g.Vars[v].scalar {
			return list
		}
		return append(list, v)
	}
	if b.rules.Holds[b.Kind(n)] && b.nest(n) {
		for c := range b.NamedChildren(n) {
			list = b.objects(c, list)
		}
		b.depth--
	}
	return list
}

// settle drops what calls are said to change where the variable only ever holds values without
// parts.
func (b *Builder) settle() {
	object := make([]bool, len(b.g.Vars))
	for v := range b.g.Vars {
		object[v] = b.rules.Reference || b.g.Vars[v].Free || b.g.Vars[v].Outer != 0 || b.g.Vars[v].Written
	}
	for i := range b.g.Steps {
		for _, a := range b.g.Steps[i].Access {
			if a.Kind == Def && !a.ByCall && !a.Scalar && !a.Update {
				object[a.Var] = true
			}
		}
	}
	for v := range b.g.Vars {
		object[v] = object[v] && !b.g.Vars[v].scalar
	}
	for i := range b.g.Steps {
		s := &b.g.Steps[i]
		kept := s.Access[:0]
		for _, a := range s.Access {
			if !a.ByCall || object[a.Var] || !strings.HasSuffix(a.Path, ".*") {
				kept = append(kept, a)
			}
		}
		s.Access = kept
	}
}
