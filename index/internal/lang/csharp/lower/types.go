package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// typ lowers a type. void, var and dynamic are none.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "identifier":
		switch s := l.name(n); s {
		case "var", "dynamic":
			return 0
		case "Action":
			return l.Apply(0, "func", ir.Args(0), pos)
		default:
			return l.Free(s, pos)
		}
	case "predefined_type":
		if l.Is(n, "void") {
			return 0
		}
		return l.Free(l.Text(n), pos)
	case "generic_name":
		return l.generic(0, n)
	case "qualified_name":
		name := l.Child(n, "name")
		base := l.typ(l.Child(n, "qualifier"))
		if l.Kind(name) == "generic_name" {
			return l.generic(base, name)
		}
		return l.pathAttr(base, name)
	case "alias_qualified_name":
		name, alias := l.Child(n, "name"), l.Child(n, "alias")
		if l.Is(alias, "global") {
			return l.typ(name)
		}
		if l.Kind(name) == "generic_name" {
			return l.generic(l.typ(alias), name)
		}
		return l.pathAttr(l.typ(alias), name)
	case "array_type":
		return l.Apply(0, "list", ir.Args(l.typ(l.Child(n, "type"))), pos)
	case "nullable_type", "pointer_type", "ref_type", "scoped_type":
		if c := l.Child(n, "type"); c != 0 {
			return l.typ(c)
		}
		return l.typ(l.NamedChild(n, 0))
	case "tuple_type":
		var args []ir.Arg
		for c := range l.OfKind(n, "tuple_element") {
			a := ir.Arg{X: l.typ(l.Child(c, "type"))}
			if name := l.Child(c, "name"); name != 0 {
				a.Name = l.Str(l.name(name))
			}
			args = append(args, a)
		}
		return l.Apply(0, "tuple", args, pos)
	case "function_pointer_type":
		var args []ir.Arg
		for c := range l.NamedChildren(n) {
			switch {
			case l.Kind(c) == "function_pointer_parameter":
				args = append(args, ir.Arg{X: l.typ(l.Child(c, "type"))})
			case l.Field(c) == "returns":
				args = append(args, ir.Arg{X: l.typ(c)})
			}
		}
		return l.Apply(0, "func", args, pos)
	}
	return 0
}

func (l *lowerer) pathAttr(base ir.Expr, name syntax.Node) ir.Expr {
	x := l.Attr(base, l.name(name), l.Start(name))
	l.Flag(x, ir.Path)
	return x
}

// generic lowers A<B>, or base.A<B>. The delegates that the library declares for
// functions are function types.
func (l *lowerer) generic(base ir.Expr, n syntax.Node) ir.Expr {
	id := l.First(n)
	pos := l.Start(id)
	args := l.typeArgs(l.ChildOf(n, "type_argument_list"))
	switch name := l.name(id); {
	case name == "Func" && len(args) > 0:
		return l.Apply(0, "func", args, pos)
	case name == "Action" && len(args) > 0:
		return l.Apply(0, "func", append(args, ir.Arg{}), pos)
	case (name == "Predicate" || name == "Comparison") && len(args) == 1:
		return l.Apply(0, "func", append(args, ir.Arg{X: l.Free("bool", pos)}), pos)
	case name == "Nullable" && len(args) == 1:
		return args[0].X
	}
	var x ir.Expr
	if base != 0 {
		x = l.pathAttr(base, id)
	} else {
		x = l.Free(l.name(id), pos)
	}
	if len(args) == 0 {
		return x // List<> of typeof(List<>)
	}
	return l.Apply(x, "", args, pos)
}

func (l *lowerer) typeArgs(list syntax.Node) []ir.Arg {
	return ir.Args(l.Exprs(list, l.typ)...)
}

// typeParams lowers the type parameters of a declaration, with the first type
// that a where clause bounds each to.
func (l *lowerer) typeParams(n syntax.Node) []ir.TypeParam {
	list := l.ChildOf(n, "type_parameter_list")
	if list == 0 {
		return nil
	}
	var params []ir.TypeParam
	for c := range l.NamedChildren(list) {
		if name := l.Child(c, "name"); name != 0 {
			params = append(params, ir.TypeParam{Name: l.Str(l.name(name))})
		}
	}
	for c := range l.OfKind(n, "type_parameter_constraints_clause") {
		name := l.Str(l.name(l.NamedChild(c, 0)))
		var bounds []ir.Expr
		for k := range l.OfKind(c, "type_parameter_constraint") {
			bounds = append(bounds, l.typ(l.Child(k, "type")))
		}
		for i := range params {
			if params[i].Name == name {
				params[i].Bound = l.Union(bounds...)
			}
		}
	}
	return params
}

// awaited returns the type in Task<T> and the like, which an async function
// returns an instance of; n itself where it is none.
func (l *lowerer) awaited(n syntax.Node) syntax.Node {
	last := l.lastName(n)
	if l.Kind(last) != "generic_name" {
		return n
	}
	return l.NamedChild(l.ChildOf(last, "type_argument_list"), 0)
}
