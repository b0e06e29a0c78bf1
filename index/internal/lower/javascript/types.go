package javascript

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
	if n == 0 || l.depth >= maxDepth {
		return 0
	}
	l.depth++
	x := l.typeOf(n)
	l.depth--
	return x
}

func (l *lowerer) typeOf(n syntax.Node) ir.Expr {
	pos := l.t.Start(n)
	switch l.t.Kind(n) {
	case "type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type", "constraint", "default_type":
		return l.typ(l.t.NamedChild(n, 0))
	case "identifier", "type_identifier":
		return l.typeName(n)
	case "predefined_type":
		switch name := l.text(n); name {
		case "string", "number", "boolean", "symbol", "bigint":
			return l.b.Free(name, pos)
		}
		return 0
	case "literal_type", "template_literal_type":
		switch l.t.Kind(l.t.NamedChild(n, 0)) {
		case "null", "undefined":
			return 0
		case "number", "unary_expression":
			return l.b.Free("number", pos)
		case "true", "false":
			return l.b.Free("boolean", pos)
		}
		return l.b.Free("string", pos)
	case "nested_type_identifier":
		at := l.t.Child(n, "name")
		return l.b.Attr(l.typePath(l.t.Child(n, "module")), l.text(at), l.t.Start(at))
	case "nested_identifier", "member_expression", "call_expression":
		return l.typePath(n)
	case "generic_type":
		return l.generic(n)
	case "array_type":
		return l.b.Apply(0, "list", ir.Args(l.typ(l.t.NamedChild(n, 0))), pos)
	case "tuple_type":
		return l.tuple(n)
	case "union_type", "intersection_type":
		var xs []ir.Expr
		l.alternatives(n, &xs)
		return l.b.Union(xs...)
	case "function_type":
		return l.functionType(n, l.t.Child(n, "return_type"))
	case "constructor_type":
		return l.classType(l.t.Child(n, "type"), pos)
	case "object_type":
		return l.objectType(n)
	case "type_query":
		return l.b.Unary(ir.TypeOf, l.typePath(l.t.NamedChild(n, 0)), pos)
	case "lookup_type":
		// The type of what a value of the type has there.
		x := l.b.Binary(ir.Cast, 0, l.typ(l.t.NamedChild(n, 0)), pos)
		if key := l.t.NamedChild(l.t.NamedChild(n, 1), 0); l.t.Kind(key) == "string" {
			return l.b.Unary(ir.TypeOf, l.b.Attr(x, l.stringText(key), l.t.Start(key)), pos)
		}
		return l.b.Unary(ir.TypeOf, l.b.Unary(ir.Elem, x, pos), pos)
	case "conditional_type":
		return l.b.Union(l.typ(l.t.Child(n, "consequence")), l.typ(l.t.Child(n, "alternative")))
	case "this_type":
		return l.thisExpr(pos)
	}
	return 0
}

// classType is the type of a class whose instances are known.
func (l *lowerer) classType(instance syntax.Node, pos int) ir.Expr {
	x := l.b.Binary(ir.Cast, 0, l.typ(instance), pos)
	return l.b.Unary(ir.TypeOf, l.b.Unary(ir.TypeOf, x, pos), pos)
}

// alternatives flattens a union, which nests to the left.
func (l *lowerer) alternatives(n syntax.Node, xs *[]ir.Expr) {
	for c := range l.t.NamedChildren(n) {
		if k := l.t.Kind(c); (k == "union_type" || k == "intersection_type") && l.depth < maxDepth {
			l.depth++
			l.alternatives(c, xs)
			l.depth--
			continue
		}
		*xs = append(*xs, l.typ(c))
	}
}

// typeName is the use of a name as a type: local only if it is a local type.
func (l *lowerer) typeName(n syntax.Node) ir.Expr {
	name, pos := l.text(n), l.t.Start(n)
	if v := l.b.Lookup(name); v != 0 && l.types[v] {
		return l.b.Local(v, pos)
	}
	return l.b.Free(name, pos)
}

// typePath lowers the dotted name of a namespace, value or imported module in a
// type.
func (l *lowerer) typePath(n syntax.Node) ir.Expr {
	switch l.t.Kind(n) {
	case "identifier":
		return l.b.Name(l.text(n), l.t.Start(n))
	case "this":
		return l.thisExpr(l.t.Start(n))
	case "nested_identifier", "member_expression":
		object, property := l.t.Child(n, "object"), l.t.Child(n, "property")
		if property == 0 || l.depth >= maxDepth {
			return 0
		}
		l.depth++
		x := l.typePath(object)
		l.depth--
		return l.b.Attr(x, l.text(property), l.t.Start(property))
	case "call_expression":
		if l.t.Kind(l.t.Child(n, "function")) != "import" {
			return 0
		}
		at := l.t.NamedChild(l.t.Child(n, "arguments"), 0)
		if l.t.Kind(at) != "string" {
			return 0
		}
		return l.imported(ir.ImportInfo{Module: l.b.Str(l.stringText(at)), Flags: ir.TypeOnly}, l.t.Start(at))
	case "generic_type":
		return l.typ(n)
	}
	return 0
}

// generic lowers a type with arguments. Types that only change what may be done
// with their argument are transparent.
func (l *lowerer) generic(n syntax.Node) ir.Expr {
	at := l.t.Child(n, "name")
	pos := l.t.Start(at)
	args := l.typeArgs(l.t.Child(n, "type_arguments"))
	if l.t.Kind(at) == "type_identifier" && len(args) > 0 {
		switch l.text(at) {
		case "Array", "ReadonlyArray", "Iterable", "Iterator", "IterableIterator", "AsyncIterable", "AsyncIterator",
			"AsyncIterableIterator", "Generator", "AsyncGenerator", "ArrayLike":
			return l.b.Apply(0, "list", args[:1], pos)
		case "Record":
			return l.b.Apply(0, "map", args, pos)
		case "Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit", "Exclude", "Extract", "NoInfer", "ThisType":
			return args[0].X
		}
	}
	var base ir.Expr
	if l.t.Kind(at) == "type_identifier" {
		base = l.typeName(at)
	} else {
		base = l.typ(at)
	}
	return l.b.Apply(base, "", args, pos)
}

func (l *lowerer) typeArgs(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.t.NamedChildren(n) {
		args = append(args, ir.Arg{X: l.typ(c)})
	}
	return args
}

func (l *lowerer) tuple(n syntax.Node) ir.Expr {
	var args []ir.Arg
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "required_parameter", "optional_parameter": // a label
			args = append(args, ir.Arg{X: l.typ(l.t.Child(c, "type"))})
		default:
			args = append(args, ir.Arg{X: l.typ(c)})
		}
	}
	return l.b.Apply(0, "tuple", args, l.t.Start(n))
}

func (l *lowerer) functionType(n, result syntax.Node) ir.Expr {
	var args []ir.Arg
	for p := range l.t.NamedChildren(l.t.Child(n, "parameters")) {
		pattern := l.t.Child(p, "pattern")
		if l.t.Kind(pattern) == "this" {
			continue
		}
		arg := ir.Arg{X: l.typ(l.t.Child(p, "type"))}
		if l.t.Kind(pattern) == "rest_pattern" {
			arg.Kind = ir.Spread
		}
		args = append(args, arg)
	}
	args = append(args, ir.Arg{X: l.result(result)})
	return l.b.Apply(0, "func", args, l.t.Start(n))
}

// objectType lowers a type written as its members: an interface without a name. One
// that is only indexed is a map, one that is only called a function.
func (l *lowerer) objectType(n syntax.Node) ir.Expr {
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "property_signature", "method_signature":
			pos := l.t.Start(n)
			class := l.b.BeginClass("", ir.Interface, pos)
			l.pushThis(&receiver{kind: thisMethod})
			l.signatures(n)
			l.popThis()
			l.b.EndClass(l.t.End(n))
			return l.b.ClassX(class, pos)
		case "call_signature":
			return l.functionType(c, l.t.Child(c, "return_type"))
		case "construct_signature":
			return l.classType(l.t.Child(c, "type"), l.t.Start(c))
		case "index_signature":
			return l.b.Apply(0, "map", ir.Args(l.typ(l.t.Child(c, "index_type")), l.typ(l.t.Child(c, "type"))), l.t.Start(n))
		}
	}
	return 0
}

func (l *lowerer) typeParams(n syntax.Node) []ir.TypeParam {
	var list []ir.TypeParam
	for c := range l.t.NamedChildren(n) {
		if l.t.Kind(c) != "type_parameter" {
			continue
		}
		bound := l.typ(l.t.Child(c, "constraint"))
		if bound == 0 {
			bound = l.typ(l.t.Child(c, "value"))
		}
		list = append(list, ir.TypeParam{Name: l.b.Str(l.text(l.t.Child(c, "name"))), Bound: bound})
	}
	return list
}
