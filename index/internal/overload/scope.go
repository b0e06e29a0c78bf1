package overload

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// named is the type of what a name without a dot means: a variable or a parameter in whose scope it
// is, or a field of a class around it, where none in between may inherit another one.
func (r *reading) named(x syntax.Node) typ {
	t := r.tree
	name, at := t.Text(x), t.Start(x)
	around := reading{tree: t}
	around.wayTo(at)
	var inside syntax.Node // the part of a node that the place is in
	for _, n := range slices.Backward(around.way) {
		switch t.Kind(n) {
		case "class_body", "interface_body", "enum_body", "annotation_type_body":
			if d, found := around.member(n, name); found {
				return d
			}
		case "class_declaration", "enum_declaration", "interface_declaration", "record_declaration":
			if t.Child(n, "superclass") != 0 || t.Child(n, "interfaces") != 0 || t.ChildOf(n, "extends_interfaces") != 0 {
				return typ{} // it may inherit one
			}
		case "object_creation_expression", "enum_constant":
			if t.Kind(inside) == "class_body" {
				return typ{}
			}
		default:
			if d, found := around.local(n, inside, name, at); found {
				return d
			}
		}
		inside = n
	}
	return typ{}
}

// field is the type of a field of the innermost class.
func (r *reading) field(name string) typ {
	for _, n := range slices.Backward(r.way) {
		switch r.tree.Kind(n) {
		case "class_body", "enum_body":
			d, _ := r.member(n, name)
			return d
		}
	}
	return typ{}
}

// member finds a field in the body of a class, or what a record has of the name.
func (r *reading) member(body syntax.Node, name string) (d typ, found bool) {
	t := r.tree
	look := func(in syntax.Node) {
		for m := range t.NamedChildren(in) {
			switch t.Kind(m) {
			case "field_declaration", "constant_declaration":
				if v := r.declares(m, name); v != 0 {
					d, found = r.declared(m, v), true
				}
			case "enum_constant":
				if t.Text(t.Child(m, "name")) == name {
					d, found = typ{}, true
				}
			}
		}
	}
	look(body)
	look(t.ChildOf(body, "enum_body_declarations"))
	for _, n := range r.way {
		if t.Kind(n) != "record_declaration" || found || t.Child(n, "body") != body {
			continue
		}
		for p := range t.NamedChildren(t.Child(n, "parameters")) {
			if t.Text(t.Child(p, "name")) == name {
				d, found = r.declared(p, p), true
			} else if t.Kind(p) != "formal_parameter" {
				found = true
			}
		}
	}
	return d, found
}

// declares returns what declares a name in the declaration of a field or of variables, or none.
func (r *reading) declares(n syntax.Node, name string) syntax.Node {
	t := r.tree
	for v := range t.NamedChildren(n) {
		if t.Kind(v) == "variable_declarator" && t.Text(t.Child(v, "name")) == name {
			return v
		}
	}
	return 0
}

// local finds a variable that a node declares for the part of it that a place is in. What a pattern
// declares may be in scope behind it, and its type is not known here.
func (r *reading) local(n, inside syntax.Node, name string, at int) (d typ, found bool) {
	t := r.tree
	switch t.Kind(n) {
	case "method_declaration", "constructor_declaration", "lambda_expression":
		if params := t.Child(n, "parameters"); params != 0 {
			return r.parameter(params, name)
		}
		return d, false
	case "enhanced_for_statement":
		if t.Text(t.Child(n, "name")) == name && t.Field(inside) == "body" {
			return r.declared(n, n), true
		}
	case "catch_clause":
		p := t.ChildOf(n, "catch_formal_parameter")
		return d, p != 0 && t.Text(t.Child(p, "name")) == name // of several types, perhaps
	}
	for c := range t.Children(n) {
		if t.Start(c) > at {
			break
		}
		switch t.Kind(c) {
		case "local_variable_declaration":
			if v := r.declares(c, name); v != 0 {
				d, found = r.declared(c, v), true
			}
		case "switch_block_statement_group":
			for s := range t.NamedChildren(c) {
				if v := r.declares(s, name); c != inside && v != 0 {
					d, found = r.declared(s, v), true
				}
			}
		case "resource_specification":
			for v := range t.NamedChildren(c) {
				if t.Text(t.Child(v, "name")) == name {
					d, found = r.declared(v, v), true
				}
			}
		}
		if !found && r.patternIn(c, name, at) {
			return typ{}, true
		}
		if c == inside {
			break
		}
	}
	return d, found
}

// parameter finds one of a function.
func (r *reading) parameter(list syntax.Node, name string) (d typ, found bool) {
	t := r.tree
	if t.Kind(list) == "identifier" {
		return d, t.Text(list) == name
	}
	for p := range t.NamedChildren(list) {
		switch t.Kind(p) {
		case "identifier":
			found = t.Text(p) == name
		case "formal_parameter":
			if found = t.Text(t.Child(p, "name")) == name; found {
				d = r.declared(p, p)
			}
		case "spread_parameter":
			v := t.ChildOf(p, "variable_declarator")
			if found = t.Text(t.Child(v, "name")) == name; found {
				d = r.declared(p, v)
				d.dims++
			}
		}
		if found {
			return d, true
		}
	}
	return d, false
}

// patternIn reports whether something before a place in a part of a statement may declare a name by a
// pattern.
func (r *reading) patternIn(n syntax.Node, name string, at int) bool {
	t := r.tree
	switch t.Kind(n) {
	case "instanceof_expression":
		if t.Text(t.Child(n, "name")) == name {
			return true
		}
	case "type_pattern", "record_pattern_component":
		for c := range t.NamedChildren(n) {
			if t.Kind(c) == "identifier" && t.Text(c) == name {
				return true
			}
		}
	case "class_body", "lambda_expression":
		return false
	}
	for c := range t.NamedChildren(n) {
		if t.Start(c) < at && r.patternIn(c, name, at) {
			return true
		}
	}
	return false
}
