package control

import (
	"regexp"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxComputing bounds the text of a function that is looked through for what it does.
const maxComputing = 2000

// computes reports whether the file has one function of a name at its top, never another value of it, that only
// computes: it changes nothing but its own variables, calls only what does not either, and gives a value without parts
// or none. What it is given is then the same after the call, and not in its value.
func computes(t *syntax.Tree, name string) bool {
	var found syntax.Node
	for n := range t.NamedChildren(t.Root()) {
		if t.Kind(n) == "export_statement" {
			n = t.Child(n, "declaration")
		}
		if n != 0 && t.Kind(n) == "function_declaration" && t.Text(t.Child(n, "name")) == name {
			if found != 0 {
				return false
			}
			found = n
		}
	}
	if found == 0 || t.End(found)-t.Start(found) > maxComputing || t.Text(t.NamedChild(found, 0)) != name {
		return false
	}
	if regexp.MustCompile(`(?:^|[^\w$.])` + regexp.QuoteMeta(name) + `\s*(?:=[^=>]|[-+*/%&|^?]{1,3}=[^=]|of\b|in\b|[^;(){}\[\]]{0,200}[\]}]\s*=[^=>])`).Match(t.Source()) {
		return false // something else may be assigned to it, also by a pattern
	}
	c := computing{t: t, own: map[string]bool{}, parts: map[string]bool{}}
	for p := range t.NamedChildren(t.Child(found, "parameters")) {
		if t.Kind(p) == "required_parameter" && t.Kind(t.Child(p, "value")) == "" {
			p = t.Child(p, "pattern")
		}
		if t.Kind(p) != "identifier" {
			return false
		}
		c.own[t.Text(p)], c.parts[t.Text(p)] = true, true
	}
	body := t.Child(found, "body")
	c.declare(body)
	for before := -1; before != len(c.parts); { // a variable without parts may be made of one that turns out to have some
		before = len(c.parts)
		c.results = nil
		if !c.all(body) {
			return false
		}
	}
	for _, n := range c.results {
		if !c.scalar(n) {
			return false
		}
	}
	return true
}

// computing looks through a function.
type computing struct {
	t       *syntax.Tree
	own     map[string]bool // its variables
	parts   map[string]bool // those that may have parts
	results []syntax.Node
}

// declare notes the variables that are declared in a node.
func (c *computing) declare(n syntax.Node) {
	switch c.t.Kind(n) {
	case "variable_declarator":
		c.own[c.t.Text(c.t.Child(n, "name"))] = true
	case "for_in_statement":
		if c.t.Child(n, "kind") != 0 {
			c.own[c.t.Text(c.t.Child(n, "left"))] = true
		}
	}
	for child := range c.t.NamedChildren(n) {
		c.declare(child)
	}
}

// harmless are kinds of nodes that do no more than what is in them does.
var harmless = walk.Kinds("statement_block", "if_statement", "else_clause", "for_statement", "while_statement", "do_statement", "break_statement", "continue_statement", "empty_statement",
	"lexical_declaration", "variable_declaration", "expression_statement", "parenthesized_expression", "binary_expression", "ternary_expression", "member_expression", "subscript_expression",
	"identifier", "property_identifier", "number", "string", "string_fragment", "escape_sequence", "true", "false", "null", "undefined", "regex", "template_string", "template_substitution",
	"arguments", "comment", "type_annotation", "sequence_expression", "switch_statement", "switch_body", "switch_case", "switch_default", "optional_chain")

// all reports whether all that is in a node only computes.
func (c *computing) all(n syntax.Node) bool {
	t := c.t
	switch kind := t.Kind(n); kind {
	case "return_statement":
		if value := t.NamedChild(n, 0); value != 0 {
			c.results = append(c.results, value)
		}
	case "variable_declarator":
		if !c.write(t.Child(n, "name"), t.Child(n, "value")) {
			return false
		}
	case "assignment_expression":
		if !c.write(t.Child(n, "left"), t.Child(n, "right")) {
			return false
		}
	case "augmented_assignment_expression":
		right := syntax.Node(0)
		if op := t.Text(t.Child(n, "operator")); op == "||=" || op == "&&=" || op == "??=" {
			right = t.Child(n, "right")
		}
		if !c.write(t.Child(n, "left"), right) {
			return false
		}
	case "update_expression":
		if !c.write(t.Child(n, "argument"), 0) {
			return false
		}
	case "for_in_statement":
		left := t.Child(n, "left")
		if t.Kind(left) != "identifier" || !c.own[t.Text(left)] {
			return false
		}
		c.parts[t.Text(left)] = true
	case "unary_expression":
		if t.Text(t.Child(n, "operator")) == "delete" {
			return false
		}
	case "call_expression":
		callee := t.Child(n, "function")
		if t.Kind(callee) == "member_expression" && t.Text(t.Child(callee, "object")) != "Math" {
			if !methods[t.Text(t.Child(callee, "property"))] {
				return false
			}
		} else if name := t.Text(callee); c.own[name] || !plain[name] && t.Text(t.Child(callee, "object")) != "Math" {
			return false
		}
	case "throw_statement":
		return c.throws(n)
	default:
		if !harmless[kind] {
			return false
		}
	}
	for child := range t.NamedChildren(n) {
		if !c.all(child) {
			return false
		}
	}
	return true
}

// write takes what is assigned to a name: it must be a variable of the function. No value is one without parts.
func (c *computing) write(to, value syntax.Node) bool {
	name := c.t.Text(to)
	if c.t.Kind(to) != "identifier" || !c.own[name] {
		return false
	}
	if value != 0 && !c.scalar(value) {
		c.parts[name] = true
	}
	return true
}

// scalar reports whether a value has no parts.
func (c *computing) scalar(n syntax.Node) bool {
	t := c.t
	switch t.Kind(n) {
	case "number", "string", "template_string", "true", "false", "null", "undefined", "update_expression":
		return true
	case "unary_expression":
		return true
	case "identifier":
		return c.own[t.Text(n)] && !c.parts[t.Text(n)]
	case "parenthesized_expression":
		return c.scalar(t.NamedChild(n, 0))
	case "ternary_expression":
		return c.scalar(t.Child(n, "consequence")) && c.scalar(t.Child(n, "alternative"))
	case "binary_expression":
		switch t.Text(t.Child(n, "operator")) {
		case "&&", "||", "??":
			return c.scalar(t.Child(n, "left")) && c.scalar(t.Child(n, "right"))
		}
		return true
	case "member_expression":
		return t.Text(t.Child(n, "property")) == "length"
	case "call_expression":
		return true // of those that all lets pass
	}
	return false
}

// throws reports whether a statement throws a new error that keeps nothing of what it is made of: one of the language,
// or of a class of the file that adds nothing to one.
func (c *computing) throws(n syntax.Node) bool {
	t := c.t
	made := t.NamedChild(n, 0)
	if t.Kind(made) != "new_expression" {
		return false
	}
	arguments := 0
	for a := range t.NamedChildren(t.Child(made, "arguments")) {
		if arguments++; !c.all(a) {
			return false
		}
	}
	name := t.Text(t.Child(made, "constructor"))
	if arguments > 1 || c.own[name] {
		return false
	}
	if failures[name] {
		return true
	}
	for n := range t.NamedChildren(t.Root()) {
		if t.Kind(n) == "class_declaration" && t.Text(t.Child(n, "name")) == name {
			base := t.ChildOf(n, "class_heritage")
			return t.NamedChild(t.Child(n, "body"), 0) == 0 && base != 0 && failures[t.Text(t.NamedChild(base, 0))]
		}
	}
	return false
}

// failures are the errors of the language, which keep a text of what they are given.
var failures = walk.Kinds("Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError")
