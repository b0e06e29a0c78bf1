package overload

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A reading is a file at one place.
type reading struct {
	tree *syntax.Tree
	way  []syntax.Node // to the place, the whole file first
}

func (r *reading) wayTo(at int) {
	t := r.tree
	for n := t.Root(); n != 0; {
		r.way = append(r.way, n)
		next := syntax.Node(0)
		for c := range t.Children(n) {
			if t.Start(c) <= at && at < t.End(c) {
				next = c
				break
			}
		}
		n = next
	}
}

// broken reports whether the syntax around the place was not understood.
func (r *reading) broken() bool {
	return slices.ContainsFunc(r.way, func(n syntax.Node) bool { return r.tree.Kind(n) == "ERROR" })
}

// variable reports whether a name may be that of a type parameter.
func (r *reading) variable(name string) (is bool) {
	t := r.tree
	for _, n := range r.way {
		for p := range t.NamedChildren(t.Child(n, "type_parameters")) {
			is = is || strings.Fields(t.Text(p) + " ")[0] == name || t.Text(t.ChildOf(p, "type_identifier", "identifier")) == name
		}
	}
	return is
}

// declared is the type that a declaration says its name is of; named is what has the name and may
// have brackets of its own.
func (r *reading) declared(declaration, named syntax.Node) typ {
	t := r.tree
	of := t.Child(declaration, "type")
	for c := range t.NamedChildren(declaration) {
		if of == 0 && t.Kind(c) != "modifiers" {
			of = c
		}
	}
	d := r.written(of)
	d.dims += strings.Count(t.Text(t.Child(named, "dimensions")), "[")
	return d
}

// written is a type as it is written.
func (r *reading) written(n syntax.Node) typ {
	t := r.tree
	switch t.Kind(n) {
	case "integral_type", "floating_point_type", "boolean_type":
		return typ{kind: primitive, name: t.Text(n)}
	case "type_identifier":
		if name := t.Text(n); name != "var" && !r.variable(name) {
			return typ{kind: reference, name: name, file: t.Source()}
		}
	case "generic_type":
		return r.written(t.NamedChild(n, 0))
	case "scoped_type_identifier":
		if last := t.Text(n); !strings.Contains(last, "@") {
			return typ{kind: reference, name: strings.TrimSpace(last[strings.LastIndexByte(last, '.')+1:])}
		}
	case "array_type":
		d := r.written(t.Child(n, "element"))
		d.dims += strings.Count(t.Text(t.Child(n, "dimensions")), "[")
		return d
	}
	return typ{}
}

var text = typ{kind: reference, name: "String"}

func of(name string) typ { return typ{kind: primitive, name: name} }

// typeOf is the type of an expression.
func (r *reading) typeOf(x syntax.Node) typ {
	t := r.tree
	switch t.Kind(x) {
	case "string_literal", "text_block":
		return text
	case "character_literal":
		return of("char")
	case "true", "false", "instanceof_expression":
		return of("boolean")
	case "null_literal":
		return typ{kind: null}
	case "class_literal":
		return typ{kind: reference, name: "Class"}
	case "lambda_expression", "method_reference":
		return typ{kind: function}
	case "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal":
		return of(ending(t.Text(x), "lL", "long", "int"))
	case "decimal_floating_point_literal", "hex_floating_point_literal":
		return of(ending(t.Text(x), "fF", "float", "double"))
	case "parenthesized_expression":
		return r.typeOf(t.NamedChild(x, 0))
	case "cast_expression":
		if t.Field(t.NamedChild(x, 1)) == "value" {
			return r.written(t.Child(x, "type"))
		}
	case "object_creation_expression":
		if of := t.ChildOf(x, "type_identifier", "generic_type", "scoped_type_identifier"); of != 0 {
			return r.written(of)
		}
	case "array_creation_expression":
		d := r.written(t.Child(x, "type"))
		for c := range t.NamedChildren(x) {
			switch t.Kind(c) {
			case "dimensions_expr":
				d.dims++
			case "dimensions":
				d.dims += strings.Count(t.Text(c), "[")
			}
		}
		return d
	case "array_access":
		if d := r.typeOf(t.Child(x, "array")); d.dims > 0 {
			d.dims--
			return d
		}
	case "unary_expression":
		if t.Text(t.First(x)) == "!" {
			return of("boolean")
		}
		return promoted(r.typeOf(t.Child(x, "operand")), of("int"))
	case "binary_expression":
		return r.operation(x)
	case "ternary_expression":
		a, b := r.typeOf(t.Child(x, "consequence")), r.typeOf(t.Child(x, "alternative"))
		if a.kind == b.kind && a.name == b.name && a.dims == b.dims && a.kind != function {
			return a
		}
	case "method_invocation":
		if t.Text(t.Child(x, "name")) == "toString" && t.Child(x, "object") != 0 && t.NamedChild(t.Child(x, "arguments"), 0) == 0 {
			return text // or what is below it, which is nothing
		}
	case "field_access":
		if name := t.Child(x, "field"); t.Kind(t.Child(x, "object")) == "this" {
			return r.field(t.Text(name))
		}
	case "identifier":
		return r.named(x)
	}
	return typ{}
}

// ending is with where a number ends in one of some marks.
func ending(number, marks, with, without string) string {
	if strings.ContainsAny(number[len(number)-1:], marks) {
		return with
	}
	return without
}

// promoted is the type of an operation with numbers.
func promoted(a, b typ) typ {
	if a.kind == reference && a.dims == 0 {
		a = of(unboxed(a.name))
	}
	if b.kind == reference && b.dims == 0 {
		b = of(unboxed(b.name))
	}
	if a.kind != primitive || b.kind != primitive || a.dims+b.dims > 0 || a.name == "" || b.name == "" || a.name == "boolean" || b.name == "boolean" {
		return typ{}
	}
	for _, name := range []string{"double", "float", "long"} {
		if a.name == name || b.name == name {
			return of(name)
		}
	}
	return of("int")
}

// operation is the type of an expression with an operator between two others.
func (r *reading) operation(x syntax.Node) typ {
	t := r.tree
	left, operator := t.Child(x, "left"), t.Text(t.Child(x, "operator"))
	switch operator {
	case "&&", "||", "==", "!=", "<", ">", "<=", ">=":
		return of("boolean")
	case "<<", ">>", ">>>":
		return promoted(r.typeOf(left), of("int"))
	}
	a, b := r.typeOf(left), r.typeOf(t.Child(x, "right"))
	if operator == "+" && (a.is(text) || b.is(text)) {
		return text
	}
	return promoted(a, b)
}

func (d typ) is(other typ) bool {
	return d.kind == other.kind && d.name == other.name && d.dims == other.dims
}
