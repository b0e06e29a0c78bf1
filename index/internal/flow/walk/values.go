package walk

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

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
		if v, path, ok := b.place(b.unwrapped(value)); ok && path == "" && (each || len(lefts) == 1) {
			a.Of = v
		}
		if last := len(b.g.Nested) - 1; last >= 0 && a.Path == "" && b.g.Nested[last].Start == b.Start(value) && b.g.Nested[last].End == b.End(value) {
			b.g.Nested[last].Held = a.Var
		}
		for _, v := range b.objects(value, nil) {
			if v != a.Var {
				s.Same = append(s.Same, [2]Var{a.Var, v})
			}
		}
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
	if v, _, ok := b.place(n); ok {
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
		object[v] = b.g.Vars[v].Free || b.g.Vars[v].Outer != 0 || b.g.Vars[v].Written
	}
	for i := range b.g.Steps {
		for _, a := range b.g.Steps[i].Access {
			if a.Kind == Def && !a.ByCall && !a.Scalar && !a.Update && a.Of == 0 {
				object[a.Var] = true
			}
		}
	}
	b.copied(func(to, from Var) bool {
		changed := object[from] && !object[to]
		object[to] = object[to] || object[from]
		return changed
	})
	for i := range b.g.Steps {
		s := &b.g.Steps[i]
		kept := s.Access[:0]
		for _, a := range s.Access {
			if !a.ByCall || object[a.Var] {
				kept = append(kept, a)
			}
		}
		s.Access = kept
		s.Same = slices.DeleteFunc(s.Same, func(p [2]Var) bool { return !object[p[0]] || !object[p[1]] })
	}
}
