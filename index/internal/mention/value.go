package mention

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A Fate is what becomes of a function at a place that names it.
type Fate uint8

// The fates.
const (
	Lost     Fate = iota // it is stored, given back or handed on, and may be called anywhere
	Kept                 // nothing that is done there can have it called later
	Invoked              // it is called there
	Assigned             // a variable holds it
	Argument             // a call is given it
	Exported             // a module of CommonJS gives it to those that load it
)

// A Value says of a place of JavaScript's languages what becomes of the function that it names.
type Value struct {
	Fate
	Name   string // of the variable, or the last name of what is called
	Callee int    // where that name begins
	Member bool   // it follows a dot
	Number int    // of the argument, from 0
	Unused bool   // what the call gives is not used
}

// ValueAt says what becomes of the function that a place names.
func (p *Places) ValueAt(offset int) Value {
	t, way := p.tree, p.wayTo(offset)
	if len(way) < 2 || !strings.HasSuffix(way[len(way)-1].kind, "identifier") && !strings.HasSuffix(way[len(way)-1].kind, "identifier_pattern") {
		return Value{Fate: Kept} // a comment, or a part of a text
	}
	for i := len(way) - 1; i > 0; i-- {
		c, up := &way[i], &way[i-1]
		switch up.kind {
		case "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression":
			if !c.first || i > 1 && (way[i-2].kind == "if_statement" || way[i-2].kind == "while_statement") {
				return Value{Fate: Kept} // a type, or a condition
			}
			continue
		case "member_expression":
			if c.field == "property" {
				continue
			}
			switch member := t.Text(t.Child(up.node, "property")); {
			case i < 2 || way[i-2].kind != "call_expression" || way[i-1].field != "function":
				if member == "bind" || member == "call" || member == "apply" {
					return Value{}
				}
				return Value{Fate: Kept}
			case member == "call", member == "apply":
				return Value{Fate: Invoked}
			case member == "bind":
				i-- // the call gives the function itself, as far as calls of it go
				continue
			}
			return Value{Fate: Kept}
		case "call_expression", "new_expression":
			if c.field == "function" || c.field == "constructor" {
				return Value{Fate: Invoked}
			}
			return Value{}
		case "arguments":
			if i < 2 {
				return Value{}
			}
			v := argument(t, way[i-2].node, up.node, c.node)
			v.Unused = i > 2 && way[i-3].kind == "expression_statement"
			return v
		case "binary_expression":
			switch operator := t.Text(t.Child(up.node, "operator")); {
			case operator == "&&" && c.field == "right", operator == "||", operator == "??":
				continue
			}
			return Value{Fate: Kept}
		case "ternary_expression":
			if c.field == "condition" {
				return Value{Fate: Kept}
			}
			continue
		case "unary_expression", "expression_statement", "template_substitution", "type_query", "class_heritage", "extends_clause",
			"import_specifier", "import_clause", "namespace_import", "export_specifier", "function_declaration", "generator_function_declaration",
			"function_expression", "function_signature", "class_declaration", "abstract_class_declaration", "class", "method_definition", "method_signature",
			"abstract_method_signature", "property_signature", "required_parameter", "optional_parameter", "formal_parameters", "nested_type_identifier",
			"jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element", "object_pattern", "labeled_statement", "statement_identifier":
			return Value{Fate: Kept}
		case "public_field_definition", "field_definition":
			if c.field == "name" || c.field == "property" {
				return Value{Fate: Kept}
			}
			return Value{}
		case "export_statement":
			return Value{Fate: Kept}
		case "variable_declarator":
			if c.field == "name" {
				return Value{Fate: Kept}
			}
			return heldBy(t, t.Child(up.node, "name"))
		case "assignment_expression":
			if c.field == "left" {
				return Value{Fate: Kept}
			}
			left := t.Child(up.node, "left")
			if i < 2 || way[i-2].kind != "expression_statement" && !ofExports(t, left) {
				return Value{}
			}
			return heldBy(t, left)
		case "pair_pattern":
			if c.field == "key" {
				return heldBy(t, t.Child(up.node, "value"))
			}
			return Value{Fate: Kept}
		case "pair", "object":
			if c.field == "key" {
				return Value{Fate: Kept}
			}
			if up.kind == "pair" {
				continue
			}
			if i > 1 && way[i-2].kind == "assignment_expression" && wholeExports(t, t.Child(way[i-2].node, "left")) {
				return Value{Fate: Exported}
			}
			return Value{}
		}
		if strings.HasSuffix(up.kind, "_type") || strings.HasSuffix(up.kind, "type_annotation") || strings.HasSuffix(up.kind, "type_arguments") || c.kind == "type_identifier" {
			return Value{Fate: Kept}
		}
		return Value{}
	}
	return Value{}
}

// argument is the fate of an argument of a call.
func argument(t *syntax.Tree, call, list, node syntax.Node) Value {
	v := Value{Fate: Argument}
	for c := range t.NamedChildren(list) {
		if c == node {
			break
		}
		if t.Kind(c) == "spread_element" {
			return Value{}
		}
		if !t.Comment(c) {
			v.Number++
		}
	}
	callee := t.Child(call, "function")
	if callee == 0 {
		callee = t.Child(call, "constructor")
	}
	if t.Kind(callee) == "member_expression" {
		callee, v.Member = t.Child(callee, "property"), true
	}
	if !strings.HasSuffix(t.Kind(callee), "identifier") {
		return Value{}
	}
	v.Name, v.Callee = t.Text(callee), t.Start(callee)
	return v
}

// heldBy is the fate of what is assigned to a node.
func heldBy(t *syntax.Tree, left syntax.Node) Value {
	switch t.Kind(left) {
	case "identifier":
		return Value{Fate: Assigned, Name: t.Text(left)}
	case "object_pattern": // members of it
		if t.ChildOf(left, "rest_pattern") == 0 {
			return Value{Fate: Kept}
		}
	case "member_expression":
		if ofExports(t, left) {
			return Value{Fate: Exported}
		}
	}
	return Value{}
}

func wholeExports(t *syntax.Tree, left syntax.Node) bool {
	return t.Text(left) == "module.exports" || t.Text(left) == "exports"
}

// ofExports reports whether a node is what a module of CommonJS exports, or a member of that.
func ofExports(t *syntax.Tree, left syntax.Node) bool {
	return wholeExports(t, left) || t.Kind(left) == "member_expression" && wholeExports(t, t.Child(left, "object"))
}

// Loads says of a place that names require or import which module that loads, "" for none or one
// whose name is not written, and whether the members of what it gives are taken by their names: of
// variables that hold it, where these are.
func (p *Places) Loads(offset int) (module string, variables []string, taken bool) {
	t, way := p.tree, p.wayTo(offset)
	for i := len(way) - 1; i >= 0; i-- {
		switch n := way[i].node; way[i].kind {
		case "import_statement":
			module = unquoted(t, t.Child(n, "source"))
			for clause := range t.NamedChildren(n) {
				for c := range t.NamedChildren(clause) {
					switch {
					case t.Kind(clause) == "import_clause" && t.Kind(c) == "identifier", t.Kind(clause) == "import_require_clause" && t.Kind(c) == "identifier":
						variables = append(variables, t.Text(c))
					case t.Kind(c) == "namespace_import":
						for name := range t.NamedChildren(c) {
							variables = append(variables, t.Text(name))
						}
					}
				}
				if t.Kind(clause) == "import_require_clause" {
					module = unquoted(t, t.Child(clause, "source"))
				}
			}
			return module, variables, true
		case "call_expression":
			if t.Start(t.Child(n, "function")) != offset {
				return "", nil, true
			}
			for c := range t.NamedChildren(t.Child(n, "arguments")) {
				module = unquoted(t, c)
				break
			}
			if module == "" {
				return "", nil, true
			}
			variables, taken = holds(t, way[:i+1])
			return module, variables, taken
		}
	}
	return "", nil, true
}

// holds returns the variables that hold what an expression gives, at the end of a way, and whether
// it is known that nothing but its members is taken.
func holds(t *syntax.Tree, way []step) (variables []string, taken bool) {
	for i := len(way) - 1; i > 0; i-- {
		left := syntax.Node(0)
		switch up := &way[i-1]; up.kind {
		case "await_expression", "parenthesized_expression":
			continue
		case "expression_statement":
			return nil, true
		case "member_expression", "call_expression", "new_expression":
			return nil, way[i].field == "object" || way[i].field == "function" || way[i].field == "constructor"
		case "variable_declarator":
			left = t.Child(up.node, "name")
		case "assignment_expression":
			if i > 1 && way[i-2].kind == "expression_statement" {
				left = t.Child(up.node, "left")
			}
		}
		switch t.Kind(left) {
		case "identifier":
			return []string{t.Text(left)}, true
		case "object_pattern":
			return nil, t.ChildOf(left, "rest_pattern") == 0
		}
		return nil, false
	}
	return nil, false
}

// unquoted is the text of a string, "" for another expression.
func unquoted(t *syntax.Tree, n syntax.Node) string {
	if t.Kind(n) != "string" {
		return ""
	}
	return strings.Trim(t.Text(n), "\"'`")
}

// ParameterAt returns the name of a parameter of the function that a part of a tree is, "" for one
// that it does not have.
func ParameterAt(t *syntax.Tree, start, end, number int) (name string, known bool) {
	way := PlacesIn(t).wayTo(start)
	fn := syntax.Node(0)
	for i := len(way) - 1; i > 0 && fn == 0; i-- {
		if n := way[i].node; t.End(n) == end {
			fn = n
		}
	}
	for _, field := range []string{"value", "right"} {
		if n := t.Child(fn, field); t.Child(fn, "body") == 0 && n != 0 {
			fn = n
		}
	}
	if t.Child(fn, "body") == 0 {
		return "", false // declared, and written elsewhere
	}
	if one := t.Child(fn, "parameter"); one != 0 {
		return t.Text(one), number == 0
	}
	list := t.Child(fn, "parameters")
	if list == 0 {
		return "", false
	}
	for c := range t.NamedChildren(list) {
		if p := t.Child(c, "pattern"); p != 0 {
			c = p
		} else if t.Kind(c) == "assignment_pattern" {
			c = t.Child(c, "left")
		}
		if t.Kind(c) == "this" {
			continue
		}
		if number == 0 || t.Kind(c) == "rest_pattern" {
			return t.Text(c), t.Kind(c) == "identifier"
		}
		number--
	}
	return "", true
}
