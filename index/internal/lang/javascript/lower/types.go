package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// isType reports whether a node of the kind is a type or part of one.
func isType(kind string) bool {
	switch kind {
	case "type_annotation", "type_arguments", "type_parameters", "type_identifier", "predefined_type",
		"nested_type_identifier", "type_query", "index_type_query", "template_literal_type", "type_predicate",
		"type_predicate_annotation", "asserts_annotation", "object_type", "accessibility_modifier", "override_modifier":
		return true
	}
	return strings.HasSuffix(kind, "_type")
}

// typ lowers a type. 0 is a type that tells nothing: any, unknown, void, null.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	x := l.typeOf(n)
	l.Leave()
	return x
}

func (l *lowerer) typeOf(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	switch l.Kind(n) {
	case "type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type", "constraint", "default_type":
		return l.typ(l.NamedChild(n, 0))
	case "identifier", "type_identifier":
		return l.typeName(n)
	case "predefined_type":
		switch name := l.Text(n); name {
		case "string", "number", "boolean", "symbol", "bigint":
			return l.Free(name, pos)
		}
		return 0
	case "literal_type", "template_literal_type":
		switch l.Kind(l.NamedChild(n, 0)) {
		case "null", "undefined":
			return 0
		case "number", "unary_expression":
			return l.Free("number", pos)
		case "true", "false":
			return l.Free("boolean", pos)
		}
		return l.Free("string", pos)
	case "nested_type_identifier":
		at := l.Child(n, "name")
		return l.Attr(l.typePath(l.Child(n, "module")), l.Text(at), l.Start(at))
	case "nested_identifier", "member_expression", "call_expression":
		return l.typePath(n)
	case "generic_type":
		return l.generic(n)
	case "array_type":
		return l.Apply(0, "list", ir.Args(l.typ(l.NamedChild(n, 0))), pos)
	case "tuple_type":
		return l.tuple(n)
	case "union_type", "intersection_type":
		var xs []ir.Expr
		l.alternatives(n, &xs)
		return l.Union(xs...)
	case "function_type":
		return l.functionType(n, l.Child(n, "return_type"))
	case "constructor_type":
		return l.classType(l.Child(n, "type"), pos)
	case "object_type":
		return l.objectType(n)
	case "type_query":
		return l.Unary(ir.TypeOf, l.typePath(l.NamedChild(n, 0)), pos)
	case "lookup_type":
		// The type of what a value of the type has there.
		x := l.Binary(ir.Cast, 0, l.typ(l.NamedChild(n, 0)), pos)
		if key := l.NamedChild(l.NamedChild(n, 1), 0); l.Kind(key) == "string" {
			return l.Unary(ir.TypeOf, l.Attr(x, l.stringText(key), l.Start(key)), pos)
		}
		return l.Unary(ir.TypeOf, l.Unary(ir.Elem, x, pos), pos)
	case "conditional_type":
		return l.Union(l.typ(l.Child(n, "consequence")), l.typ(l.Child(n, "alternative")))
	case "this_type":
		return l.thisExpr(pos)
	}
	return 0
}

// classType is the type of a class whose instances are known.
func (l *lowerer) classType(instance syntax.Node, pos int) ir.Expr {
	x := l.Binary(ir.Cast, 0, l.typ(instance), pos)
	return l.Unary(ir.TypeOf, l.Unary(ir.TypeOf, x, pos), pos)
}

// alternatives flattens a union, which nests to the left.
func (l *lowerer) alternatives(n syntax.Node, xs *[]ir.Expr) {
	for c := range l.NamedChildren(n) {
		if k := l.Kind(c); (k == "union_type" || k == "intersection_type") && l.Enter(c) {
			l.alternatives(c, xs)
			l.Leave()
			continue
		}
		*xs = append(*xs, l.typ(c))
	}
}

// typeName is the use of a name as a type: local only if it is a local type.
func (l *lowerer) typeName(n syntax.Node) ir.Expr {
	name, pos := l.Text(n), l.Start(n)
	if v := l.Lookup(name); v != 0 && l.types[v] {
		return l.Local(v, pos)
	}
	return l.Free(name, pos)
}

// typePath lowers the dotted name of a namespace, value or imported module in a
// type.
func (l *lowerer) typePath(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "identifier":
		return l.Name(l.Text(n), l.Start(n))
	case "this":
		return l.thisExpr(l.Start(n))
	case "nested_identifier", "member_expression":
		object, property := l.Child(n, "object"), l.Child(n, "property")
		if !l.Enter(property) {
			return 0
		}
		x := l.typePath(object)
		l.Leave()
		return l.Attr(x, l.Text(property), l.Start(property))
	case "call_expression":
		if l.Kind(l.Child(n, "function")) != "import" {
			return 0
		}
		at := l.NamedChild(l.Child(n, "arguments"), 0)
		if l.Kind(at) != "string" {
			return 0
		}
		return l.imported(ir.ImportInfo{Module: l.Str(l.stringText(at)), Flags: ir.TypeOnly}, l.Start(at))
	case "generic_type":
		return l.typ(n)
	}
	return 0
}

// generic lowers a type with arguments. Types that only change what may be done
// with their argument are transparent.
func (l *lowerer) generic(n syntax.Node) ir.Expr {
	at := l.Child(n, "name")
	pos := l.Start(at)
	args := l.typeArgs(l.Child(n, "type_arguments"))
	if l.Kind(at) == "type_identifier" && len(args) > 0 {
		switch l.Text(at) {
		case "Array", "ReadonlyArray", "Iterable", "Iterator", "IterableIterator", "AsyncIterable", "AsyncIterator",
			"AsyncIterableIterator", "Generator", "AsyncGenerator", "ArrayLike":
			return l.Apply(0, "list", args[:1], pos)
		case "Record":
			return l.Apply(0, "map", args, pos)
		case "Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit", "Exclude", "Extract", "NoInfer", "ThisType":
			return args[0].X
		}
	}
	var base ir.Expr
	if l.Kind(at) == "type_identifier" {
		base = l.typeName(at)
	} else {
		base = l.typ(at)
	}
	return l.Apply(base, "", args, pos)
}

func (l *lowerer) typeArgs(n syntax.Node) []ir.Arg {
	return ir.Args(l.Exprs(n, l.typ)...)
}

func (l *lowerer) tuple(n syntax.Node) ir.Expr {
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "required_parameter", "optional_parameter": // a label
			args = append(args, ir.Arg{X: l.typ(l.Child(c, "type"))})
		default:
			args = append(args, ir.Arg{X: l.typ(c)})
		}
	}
	return l.Apply(0, "tuple", args, l.Start(n))
}

func (l *lowerer) functionType(n, result syntax.Node) ir.Expr {
	var args []ir.Arg
	for p := range l.NamedChildren(l.Child(n, "parameters")) {
		pattern := l.Child(p, "pattern")
		if l.Kind(pattern) == "this" {
			continue
		}
		arg := ir.Arg{X: l.typ(l.Child(p, "type"))}
		if l.Kind(pattern) == "rest_pattern" {
			arg.Kind = ir.Spread
		}
		args = append(args, arg)
	}
	args = append(args, ir.Arg{X: l.result(result)})
	return l.Apply(0, "func", args, l.Start(n))
}

// objectType lowers a type written as its members: an interface without a name. One
// that is only indexed is a map, one that is only called a function.
func (l *lowerer) objectType(n syntax.Node) ir.Expr {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "property_signature", "method_signature":
			pos := l.Start(n)
			class := l.BeginClass("", ir.Interface, pos)
			l.pushThis(&receiver{kind: thisMethod})
			l.signatures(n)
			l.popThis()
			l.EndClass(l.End(n))
			return l.ClassX(class, pos)
		case "call_signature":
			return l.functionType(c, l.Child(c, "return_type"))
		case "construct_signature":
			return l.classType(l.Child(c, "type"), l.Start(c))
		case "index_signature":
			return l.Apply(0, "map", ir.Args(l.typ(l.Child(c, "index_type")), l.typ(l.Child(c, "type"))), l.Start(n))
		}
	}
	return 0
}

func (l *lowerer) typeParams(n syntax.Node) []ir.TypeParam {
	var list []ir.TypeParam
	for c := range l.OfKind(n, "type_parameter") {
		bound := l.typ(l.Child(c, "constraint"))
		if bound == 0 {
			bound = l.typ(l.Child(c, "value"))
		}
		list = append(list, ir.TypeParam{Name: l.Str(l.Text(l.Child(c, "name"))), Bound: bound})
	}
	return list
}
