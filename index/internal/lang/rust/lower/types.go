package lower

import (
	"slices"
	"strconv"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// typ lowers a type; 0 for none, "_", "()" and "!".
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "type_identifier", "identifier", "primitive_type":
		return l.typeName(l.text(n), pos)
	case "scoped_type_identifier", "scoped_identifier":
		return l.typePath(n)
	case "generic_type", "generic_type_with_turbofish":
		return l.generic(n)
	case "reference_type", "pointer_type":
		return l.typ(l.Child(n, "type"))
	case "array_type":
		return l.Apply(0, "list", ir.Args(l.typ(l.Child(n, "element"))), pos)
	case "tuple_type":
		return l.Apply(0, "tuple", l.typeList(n), pos)
	case "function_type":
		return l.functionType(n)
	case "dynamic_type", "abstract_type":
		return l.typ(l.Child(n, "trait"))
	case "bounded_type", "trait_bounds":
		return l.bounds(n)
	case "higher_ranked_trait_bound":
		return l.typ(l.Child(n, "type"))
	case "qualified_type": // <T as Trait>
		return l.qualified(n)
	case "bracketed_type":
		return l.typ(l.NamedChild(n, 0))
	case "optional_type_parameter", "constrained_type_parameter", "lifetime", "unit_type", "never_type",
		"empty_type", "removed_trait_bound", "use_bounds", "macro_invocation":
		return 0
	case "parenthesized_type", "ERROR":
		return l.typ(l.NamedChild(n, 0))
	}
	return 0
}

// typeName is a type of one name.
func (l *lowerer) typeName(name string, pos int) ir.Expr {
	switch name {
	case "Self":
		if l.self != 0 {
			return l.self
		}
	case "_", "":
		return 0
	}
	return l.scopeName(name, pos)
}

// typePath is a type with "::" in it.
func (l *lowerer) typePath(n syntax.Node) ir.Expr {
	name := l.Child(n, "name")
	path := l.Child(n, "path")
	if path == 0 {
		return l.Free(l.text(name), l.Start(name))
	}
	return l.pathName(path, name)
}

// generic is a type with arguments.
func (l *lowerer) generic(n syntax.Node) ir.Expr {
	base := l.Child(n, "type")
	args := l.typeList(l.Child(n, "type_arguments"))
	return l.Apply(l.typ(base), "", args, l.Start(base))
}

// typeList lowers the types among the children: arguments with names are
// associated types.
func (l *lowerer) typeList(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "lifetime", "block", "integer_literal", "boolean_literal", "char_literal", "negative_literal", "mutable_specifier":
		case "type_binding":
			args = append(args, ir.Arg{Name: l.Str(l.text(l.Child(c, "name"))), X: l.typ(l.Child(c, "type"))})
		default:
			args = append(args, ir.Arg{X: l.typ(c)})
		}
	}
	return args
}

// functionType is fn(A) -> B, or Fn(A) -> B of a trait.
func (l *lowerer) functionType(n syntax.Node) ir.Expr {
	var args []ir.Arg
	for c := range l.NamedChildren(l.Child(n, "parameters")) {
		if l.Kind(c) == "parameter" { // with a name
			c = l.Child(c, "type")
		}
		args = append(args, ir.Arg{X: l.typ(c)})
	}
	args = append(args, ir.Arg{X: l.typ(l.Child(n, "return_type"))})
	return l.Apply(0, "func", args, l.Start(n))
}

// bounds is any of the traits that a type is bound by.
func (l *lowerer) bounds(n syntax.Node) ir.Expr {
	return l.Union(l.Exprs(n, l.typ)...)
}

// qualified is <T as Trait> before "::": the type where it says which
// implementation is meant, else the trait.
func (l *lowerer) qualified(n syntax.Node) ir.Expr {
	typ, trait := l.Child(n, "type"), l.Child(n, "alias")
	name := l.pathEnd(typ)
	if l.Kind(typ) == "type_identifier" && (l.isGeneric(name) || name == "_" || name == "Self" && l.trait) {
		return l.typ(trait)
	}
	return l.typ(typ)
}

// qualifiedBase is <T as Trait> in the path of a value: the trait applied to the
// type, under the name "as".
func (l *lowerer) qualifiedBase(n syntax.Node) ir.Expr {
	typ, trait := l.typ(l.Child(n, "type")), l.typ(l.Child(n, "alias"))
	switch {
	case trait == 0:
		return typ
	case typ == 0:
		return trait
	}
	return l.Apply(trait, "as", ir.Args(typ), l.Start(n))
}

func (l *lowerer) isGeneric(name string) bool { return slices.Contains(l.generics, name) }

// typeParams gives each type parameter of a definition, and the bounds of its
// where clause.
func (l *lowerer) typeParams(n syntax.Node, add func(ir.TypeParam)) {
	for c := range l.NamedChildren(l.Child(n, "type_parameters")) {
		if l.Kind(c) == "optional_type_parameter" {
			c = l.Child(c, "name")
		}
		name, bounds := c, syntax.Node(0)
		if l.Kind(c) == "constrained_type_parameter" {
			name, bounds = l.Child(c, "left"), l.Child(c, "bounds")
		}
		if l.Kind(name) == "type_identifier" {
			l.generics = append(l.generics, l.text(name))
			add(ir.TypeParam{Name: l.Str(l.text(name)), Bound: l.bounds(bounds)})
		}
	}
	for c := range l.NamedChildren(l.ChildOf(n, "where_clause")) {
		left := l.Child(c, "left")
		if l.Kind(left) != "type_identifier" || !l.isGeneric(l.text(left)) {
			continue
		}
		if bound := l.bounds(l.Child(c, "bounds")); bound != 0 {
			add(ir.TypeParam{Name: l.Str(l.text(left)), Bound: bound})
		}
	}
}

// suffixType returns the type of a number by what it is written with.
func suffixType(text string, other string) string {
	for i := len(text) - 1; i > 0 && len(text)-i <= 5; i-- {
		switch c := text[i]; {
		case c == 'i' || c == 'u' || c == 'f' && text[0] != '0':
			switch text[i+1:] {
			case "8", "16", "32", "64", "128", "size":
				return text[i:]
			}
			return other
		}
	}
	return other
}

// tupleIndex returns the key of a tuple's element.
func tupleIndex(i int) string { return strconv.Itoa(i) }
