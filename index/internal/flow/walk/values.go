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
		a.Scalar, a.If = b.Scalar(value)
		if v, path, ok := b.place(b.unwrapped(value)); ok && path == "" && (each || len(lefts) == 1) {
			a.Of = v
		}
		if last := len(b.g.Nested) - 1; last >= 0 && a.Path == "" && b.g.Nested[last].Start == b.Start(value) && b.g.Nested[last].End == b.End(value) {
			b.g.Nested[last].Held = a.Var
		}
		for _, v := range b.objects(value, nil) {
			switch {
			case v == a.Var:
			case v == a.Of && a.Path == "":
				s.Same = append(s.Same, [2]Var{a.Var, v})
			default:
				s.Holds = append(s.Holds, [2]Var{a.Var, v})
				if !b.rules.Holds[b.Kind(b.unwrapped(value))] { // it is a part of that
					s.Holds = append(s.Holds, [2]Var{v, a.Var})
				}
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

// Scalar reports whether a value has no parts that could be changed, if the variables that it
// returns have none.
func (b *Builder) Scalar(n syntax.Node) (ok bool, ifs []Var) {
	n = b.unwrapped(n)
	if b.rules.Scalars[b.Kind(n)] {
		return true, nil
	}
	if name, is := b.isName(n); is {
		return true, []Var{b.lookup(name, b.Start(n))}
	}
	if b.rules.Scalar != nil {
		return b.rules.Scalar(b, n)
	}
	return false, nil
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
	} else if b.rules.Shares != nil && b.nest(n) {
		for _, c := range b.rules.Shares(b, n) {
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
			if a.Kind == Def && !a.ByCall && !a.Scalar && !a.Update {
				object[a.Var] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range b.g.Steps {
			for _, a := range b.g.Steps[i].Access {
				if !object[a.Var] && slices.ContainsFunc(a.If, func(v Var) bool { return object[v] }) {
					object[a.Var], changed = true, true
				}
			}
		}
	}
	for i := range b.g.Steps {
		s := &b.g.Steps[i]
		kept := s.Access[:0]
		for _, a := range s.Access {
			if a.Kind == Use || !a.ByCall || object[a.Var] {
				kept = append(kept, a)
			}
		}
		s.Access = kept
		none := func(p [2]Var) bool { return !object[p[0]] || !object[p[1]] }
		s.Same, s.Holds = slices.DeleteFunc(s.Same, none), slices.DeleteFunc(s.Holds, none)
	}
}
