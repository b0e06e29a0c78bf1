package walk

import (
	"slices"
	"strings"

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
		a.Scalar, a.If = b.ScalarValue(value)
		if value != 0 {
			a.Value = Span{b.Start(value), b.End(value)}
		}
		if v, path, ok := b.place(b.unwrapped(value)); ok && path == "" && (each || len(lefts) == 1) {
			a.Of = v
		}
		if last := len(b.g.Nested) - 1; last >= 0 && a.Path == "" && b.g.Nested[last].Start == b.Start(value) && b.g.Nested[last].End == b.End(value) {
			b.g.Nested[last].Held = a.Var
		}
		for _, o := range b.objects(value, whole, nil) {
			switch {
			case o.v == a.Var:
			case o.v == a.Of && a.Path == "":
				s.Same = append(s.Same, [2]Var{a.Var, o.v})
			default:
				b.relate(a.Var, a.Path == "", o)
			}
		}
	}
}

// A share says how the object of a variable may be in a value.
type share uint8

const (
	whole  share = iota // it may be the value, a part of it, or have it as a part
	within              // it is a part of the value
	part                // the value is a part of it
	alike               // both have the same parts
)

// An object is one that a value may have to do with.
type object struct {
	v   Var
	how share
}

// relate writes what a variable has to do with an object after it, or a part of it, got a value of which
// that is one.
func (b *Builder) relate(to Var, all bool, o object) {
	s := &b.g.Steps[b.open]
	if o.v == to {
		return
	}
	how := o.how
	if b.g.Vars[to].refers || b.g.Vars[o.v].refers {
		how, all = whole, true
	}
	switch {
	case how == alike, how == part && !all:
		s.Share = append(s.Share, [2]Var{to, o.v})
	case how == part:
		s.Holds = append(s.Holds, [2]Var{o.v, to})
	case how == within, !all:
		s.Holds = append(s.Holds, [2]Var{to, o.v})
	default:
		s.Holds = append(s.Holds, [2]Var{to, o.v}, [2]Var{o.v, to})
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

// unwrapped returns what is within parentheses and casts.
func (b *Builder) unwrapped(n syntax.Node) syntax.Node {
	for range maxDepth {
		in := b.cast(n)
		if in == 0 {
			break
		}
		n = in
	}
	return n
}

// ScalarValue reports whether a value has no parts that could be changed, if the variables that
// it returns have none.
func (b *Builder) ScalarValue(n syntax.Node) (ok bool, ifs []Var) {
	n = b.unwrapped(n)
	if b.rules.Logic.Binary[b.Kind(n)] && b.lazy(n) && b.nest(n) { // it is one of its operands
		defer func() { b.depth-- }()
		left, right := b.operands(n)
		ok, ifs = b.ScalarValue(left)
		also, more := b.ScalarValue(right)
		return ok && also, append(ifs, more...)
	}
	if b.rules.Scalars[b.Kind(n)] {
		return true, nil
	}
	if name, is := b.isName(n); is && !b.rules.Reference {
		return true, []Var{b.lookup(name, b.Start(n))}
	}
	if b.rules.Scalar != nil {
		return b.rules.Scalar(b, n)
	}
	return false, nil
}

// passes are kinds of expressions whose value may be that of a part.
var passes = Kinds("assignment_expression", "await_expression", "binary_expression", "boolean_operator", "cast_expression", "comma_expression", "conditional", "conditional_expression",
	"elvis_expression", "pointer_expression", "reference_expression", "slice_expression", "ternary_expression", "type_assertion_expression", "unary_expression", "update_expression")

// objects are the objects of variables that a value may be, or hold.
func (b *Builder) objects(n syntax.Node, how share, list []object) []object {
	n = b.unwrapped(n)
	if v, _, ok := b.addressed(n); ok {
		b.g.Vars[v].pointed = true
		return append(list, object{v, how})
	}
	if ok, ifs := b.ScalarValue(n); ok && len(ifs) == 0 {
		return list
	}
	kind := b.Kind(n)
	if v, path, ok := b.place(n); ok {
		switch {
		case b.g.Vars[v].scalar:
			return list
		case path == "":
		case how == whole:
			how = part
		case how == within:
			how = alike
		}
		return append(list, object{v, how})
	}
	if !b.nest(n) {
		return list
	}
	defer func() { b.depth-- }()
	form, call := b.rules.Calls[kind]
	switch {
	case b.rules.Holds[kind]:
		if how == whole && !passes[kind] {
			how = within
		}
		for c := range b.NamedChildren(n) {
			list = b.objects(c, how, list)
		}
	case call:
		list = b.given(n, form, how, list)
	case b.rules.Objects != nil:
		for _, c := range b.rules.Objects(b, n) {
			list = b.objects(c, how, list)
		}
	}
	return list
}

// settle drops what calls are said to change where the variable only ever holds values without
// parts.
func (b *Builder) settle() {
	object := make([]bool, len(b.g.Vars))
	for v := range b.g.Vars {
		object[v] = b.rules.Reference || b.g.Vars[v].Free || b.g.Vars[v].Outer != 0
	}
	for i := range b.g.Steps {
		for _, a := range b.g.Steps[i].Access {
			if b.g.Vars[a.Var].Value {
				object[a.Var] = false
			} else if a.Kind == Def && !a.ByCall && !a.Scalar && !a.Update {
				object[a.Var] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range b.g.Steps {
			for _, a := range b.g.Steps[i].Access {
				if !object[a.Var] && !b.g.Vars[a.Var].Value && slices.ContainsFunc(a.If, func(v Var) bool { return object[v] && !b.g.Vars[v].scalar }) {
					object[a.Var], changed = true, true
				}
			}
		}
	}
	for v := range b.g.Vars {
		object[v] = object[v] && !b.g.Vars[v].scalar || b.g.Vars[v].pointed
	}
	for i := range b.g.Steps {
		s := &b.g.Steps[i]
		kept := s.Access[:0]
		for _, a := range s.Access {
			if a.Kind == Use || !a.ByCall || object[a.Var] || !strings.HasSuffix(a.Path, ".*") {
				kept = append(kept, a)
			}
		}
		s.Access = kept
		none := func(p [2]Var) bool { return !object[p[0]] || !object[p[1]] }
		s.Same, s.Holds, s.Share = slices.DeleteFunc(s.Same, none), slices.DeleteFunc(s.Holds, none), slices.DeleteFunc(s.Share, none)
	}
}

// Update writes a target that is read first: x += 1. right, which may be 0, is evaluated between.
func (b *Builder) Update(n, right syntax.Node) {
	b.Expr(n)
	if right != 0 {
		b.Expr(right)
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
			if right != 0 && b.rules.Extends {
				for _, o := range b.objects(right, whole, nil) {
					b.relate(s.Access[before].Var, false, o)
				}
			}
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

// Results writes the results of the function that have names: what a return gives.
func (b *Builder) Results(n syntax.Node) {
	for _, v := range b.g.Results {
		b.access(Access{Kind: Def, Var: v, Start: b.Start(n), End: b.End(n)})
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
			for _, o := range b.objects(value, whole, nil) {
				b.relate(a.Var, true, o)
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
