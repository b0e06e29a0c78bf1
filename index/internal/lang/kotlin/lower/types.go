package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// isType reports whether a node of the kind is a written type.
func isType(kind string) bool {
	switch kind {
	case "user_type", "nullable_type", "parenthesized_type", "parenthesized_user_type", "function_type", "not_nullable_type":
		return true
	}
	return false
}

// typ is a written type, or 0.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "type_identifier", "simple_identifier":
		return l.TypeName(l.ident(n), l.Start(n))
	case "user_type":
		return l.userType(n)
	case "nullable_type", "parenthesized_type", "parenthesized_user_type", "type_projection", "not_nullable_type":
		return l.typeIn(n)
	case "function_type":
		return l.functionType(n)
	}
	return 0
}

// typeIn is the first type among the children of n.
func (l *lowerer) typeIn(n syntax.Node) ir.Expr {
	for c := range l.NamedChildren(n) {
		if k := l.Kind(c); isType(k) || k == "type_identifier" {
			return l.typ(c)
		}
	}
	return 0
}

// userType is a dotted name, each part with its type arguments.
func (l *lowerer) userType(n syntax.Node) ir.Expr {
	var x ir.Expr
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "type_identifier", "simple_identifier":
			if x == 0 {
				x = l.typ(c)
			} else {
				x = l.Attr(x, l.ident(c), l.Start(c))
			}
		case "type_arguments":
			x = l.applied(x, c)
		}
	}
	return x
}

// applied is the type x with the arguments in a list.
func (l *lowerer) applied(x ir.Expr, list syntax.Node) ir.Expr {
	args := l.Collect(list, func(c syntax.Node) ir.Expr {
		if t := l.typ(c); t != 0 {
			return t
		}
		return l.Free("Any", l.Start(c)) // a star, or what did not parse
	})
	if x == 0 || len(args) == 0 {
		return x
	}
	return l.Apply(x, "", args, l.Start(list))
}

// withReceiver is the form of a function type that has a receiver, which is its
// first argument.
const withReceiver = "extfunc"

// functionType is (A, B) -> C, or A.(B) -> C.
func (l *lowerer) functionType(n syntax.Node) ir.Expr {
	mark := l.Mark()
	var receiver, result ir.Expr
	arrow := false
	for c := range l.Children(n) {
		switch k := l.Kind(c); {
		case k == "->":
			arrow = true
		case k == "function_type_parameters":
			l.Push(receiver)
			for p := range l.NamedChildren(c) {
				if l.Kind(p) == "parameter" {
					l.Push(l.Or(l.typeIn(p)))
				} else if isType(l.Kind(p)) {
					l.Push(l.Or(l.typ(p)))
				}
			}
		case arrow && isType(k):
			result = l.typ(c)
		case !arrow && k == "type_identifier" && receiver != 0:
			receiver = l.Attr(receiver, l.ident(c), l.Start(c))
		case !arrow && (k == "type_identifier" || isType(k)):
			receiver = l.typ(c)
		case !arrow && k == "type_arguments":
			receiver = l.applied(receiver, c)
		}
	}
	l.Push(l.Or(result))
	form := "func"
	if receiver != 0 {
		form = withReceiver
	}
	return l.Apply(0, form, l.Take(mark), l.Start(n))
}

// typeParams are the generic parameters of a declaration, with the bounds that
// follow in a where clause.
func (l *lowerer) typeParams(n syntax.Node) []ir.TypeParam {
	list := l.ChildOf(n, "type_parameters")
	if list == 0 {
		return nil
	}
	var out []ir.TypeParam
	for p := range l.OfKind(list, "type_parameter") {
		out = append(out, ir.TypeParam{Name: l.Str(l.ident(l.ChildOf(p, "type_identifier"))), Bound: l.typeBound(p)})
	}
	for c := range l.NamedChildren(l.ChildOf(n, "type_constraints")) {
		name := l.Str(l.ident(l.ChildOf(c, "type_identifier")))
		for i := range out {
			if out[i].Name == name {
				out[i].Bound = l.Union(out[i].Bound, l.typeBound(c))
			}
		}
	}
	return out
}

// typeBound is the type after the colon.
func (l *lowerer) typeBound(n syntax.Node) ir.Expr {
	for c := range l.NamedChildren(n) {
		if isType(l.Kind(c)) {
			return l.typ(c)
		}
	}
	return 0
}
