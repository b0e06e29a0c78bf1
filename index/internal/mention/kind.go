package mention

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A Kind is how a place uses the name that it has.
type Kind uint8

// The kinds.
const (
	Read        Kind = iota // the value is read, or no more can be told
	Call                    // what is named is called, or an instance of it is made
	Write                   // a value is assigned to it, as a variable, a field or a key of a literal
	Key                     // it is the key of an entry of a literal or a pattern, or the name of an argument
	Type                    // it stands where a type does
	Import                  // it is brought in from another file
	Decorator               // it decorates or annotates what follows
	Inherit                 // it is a base of a class
	String                  // a string has the name in it
	Declaration             // it is declared or defined there
	Comment                 // a comment has the name in it
)

// kinds are the names of the kinds.
var kinds = [...]string{"read", "call", "write", "write", "type", "import", "decorator", "inherit", "string", "declaration", "comment"}

// String returns the name that answers have for a kind.
func (k Kind) String() string { return kinds[k] }

// KindAt returns how a place uses its name. It goes by the kinds and the fields of the nodes
// around it, which the grammars name alike: it knows no language, and says Read where
// nothing tells.
func (p *Places) KindAt(offset int) Kind {
	t, way := p.tree, p.wayTo(offset)
	if k, ok := textual(way); ok {
		return k
	}
	if len(way) < 2 {
		return Read
	}
	at := len(way) - 1
	typed := hasAny(way[at].kind, "type_identifier")
	if way[at].kind == "shorthand_property_identifier_pattern" || way[at].kind == "shorthand_field_identifier" {
		return Key
	}
	if declares(way, at) {
		if hasAny(way[at-1].kind, "_specifier") && t.Child(way[at-1].node, "body") == 0 {
			return Type // struct T in C, where it is not defined
		}
		return Declaration
	}
	callee := true // nothing but members and lists is between the name and the node
	for i := at; i > 0; i-- {
		c, p := &way[i], &way[i-1]
		switch {
		case imports(t, p):
			return Import
		case p.kind == "attribute_item", p.kind == "attribute" && c.field == "name":
			return Decorator
		case p.kind == "decorator" || p.kind == "annotation" || p.kind == "marker_annotation" || p.kind == "attribute_list":
			if callee {
				return Decorator
			}
			return Read
		case callee && inherits(way, i):
			return Inherit
		case p.kind == "generic_type" && c.first && callee:
			if way[i-2].kind == "type_conversion_expression" {
				return Call
			}
			continue
		case hasAny(p.kind, "type_arguments", "type_parameter", "type_annotation", "type_argument_list", "constrained_type", "generic_type") || p.kind == "type":
			return Type
		}
		if !callee {
			if stops(p.kind) {
				break
			}
			continue
		}
		switch {
		case creates(p.kind):
			if c.field == "arguments" || hasAny(c.kind, "argument") {
				return Read
			}
			return Call
		case calls(p.kind):
			switch c.field {
			case "function", "name", "method", "macro", "callee", "constructor":
				if p.field == "left" && i > 1 && assigns(way[i-2].kind) {
					return Write // self.f = 1 in Ruby
				}
				if i > 1 && decorates(way[:i]) {
					return Decorator
				}
				return Call
			case "":
				if c.first {
					return Call
				}
			}
			return asType(typed)
		case keyed(p, c):
			if p.kind == "keyed_element" && indexed(t, way[:i]) {
				return Read
			}
			return Key
		case p.kind == "for_statement" && c.field == "left", p.kind == "directly_assignable_expression" && c.last:
			return Write
		case assigns(p.kind):
			if c.field == "left" || c.field == "target" || c.field == "argument" || c.field == "operand" || c.field == "" && c.first {
				return Write
			}
			if c.field == "type" {
				return Type
			}
			return asType(typed)
		case c.field == "type" || c.field == "return_type" || c.field == "result" || c.field == "returns" || p.kind == "named_type":
			return Type
		case memberOf(p.kind):
			// What is named is the member, or what it is a member of.
			if c.last && !(c.first && c.field == "object") {
				continue
			}
			callee = false
		case passes(p.kind):
		default:
			callee = false
			if stops(p.kind) {
				return asType(typed)
			}
		}
	}
	return asType(typed)
}

func asType(typed bool) Kind {
	if typed {
		return Type
	}
	return Read
}

// textual says whether a place is in a comment or in a string.
func textual(way []step) (Kind, bool) {
	for i := len(way) - 1; i >= 0; i-- {
		kind := way[i].kind
		switch {
		case hasAny(kind, "interpolation", "substitution", "interpolated_expression", "embedded"):
			return 0, false
		case hasAny(kind, "comment"):
			return Comment, true
		case hasAny(kind, "string", "heredoc", "regex", "char_literal", "character_literal", "rune_literal", "simple_symbol", "jsx_text") && !strings.HasSuffix(kind, "_expression"):
			return String, true
		}
	}
	return 0, false
}

// declares reports whether a node is the name of what the node around it declares.
func declares(way []step, at int) bool {
	for at > 1 && way[at-1].kind == "qualified_identifier" && way[at].field == "name" {
		at-- // T::f in C++
	}
	c, p := &way[at], &way[at-1]
	if p.kind == "package_clause" {
		return true
	}
	if strings.HasSuffix(p.kind, "_expression") || strings.HasSuffix(p.kind, "_pattern") && !strings.HasSuffix(p.kind, "splat_pattern") || calls(p.kind) || creates(p.kind) || memberOf(p.kind) || hasAny(p.kind, "argument", "initializer", "use_", "import", "export") {
		return false
	}
	switch c.field {
	case "name", "declarator", "pattern", "alias":
		return hasAny(p.kind, "function", "method", "constructor", "destructor", "signature", "declar", "definition", "class", "interface", "struct", "trait", "enum",
			"_spec", "_item", "associated_type", "enhanced_for", "parameter", "variant", "preproc", "field_def", "property", "alias", "record", "object_def", "module")
	case "parameters", "parameter":
		return true
	case "":
		switch {
		case hasAny(p.kind, "arguments"):
			return false
		case p.kind == "parameters", p.kind == "method_parameters", p.kind == "block_parameters", p.kind == "const_element" && c.first, p.kind == "lambda_parameters", p.kind == "typed_parameter" && c.first, p.kind == "list_splat_pattern", p.kind == "dictionary_splat_pattern":
			return true
		case c.kind == "simple_identifier" || c.kind == "type_identifier" || c.kind == "identifier":
			return p.kind == "class_parameter" || c.first && hasAny(p.kind, "function_declaration", "method_declaration", "class_declaration", "object_declaration", "enum_entry", "variable_declaration")
		}
	}
	return false
}

// imports reports whether a node brings something in from another file.
func imports(t *syntax.Tree, p *step) bool {
	switch p.kind {
	case "import_statement", "import_from_statement", "import_declaration", "import_spec", "use_declaration", "preproc_include", "using_directive", "namespace_use_declaration",
		"import_header", "import_alias", "import_list", "future_import_statement", "extern_crate_declaration", "using_declaration":
		return true
	case "export_statement":
		return t.Child(p.node, "source") != 0
	}
	return false
}

// inherits reports whether a node is a base in the one around it.
func inherits(way []step, i int) bool {
	c, p := &way[i], &way[i-1]
	switch p.kind {
	case "superclass", "superclasses", "class_heritage", "extends_clause", "implements_clause", "super_interfaces", "extends_interfaces", "base_class_clause", "base_list",
		"delegation_specifier", "base_clause", "class_interface_clause", "extends_type_clause", "constructor_invocation", "inheritance_specifier", "interface_type_list":
		return true
	case "argument_list":
		return p.field == "superclasses" && c.kind != "keyword_argument"
	case "impl_item":
		return c.field == "trait"
	case "trait_bounds":
		return i > 1 && way[i-2].kind == "trait_item"
	case "field_declaration": // of Go: an embedded type has no name
		return c.field == "type" && c.first && i > 2 && way[i-2].kind == "field_declaration_list" && way[i-3].kind == "struct_type"
	case "type_elem", "constraint_elem":
		return i > 1 && way[i-2].kind == "interface_type"
	}
	return false
}

// decorates reports whether the last of some nodes is in a decorator, and nothing else
// between them.
func decorates(way []step) bool {
	for i := len(way) - 1; i > 0; i-- {
		switch kind := way[i].kind; {
		case kind == "decorator" || kind == "annotation":
			return true
		case !memberOf(kind) && !calls(kind):
			return false
		}
	}
	return false
}

func calls(kind string) bool {
	switch kind {
	case "call", "macro_invocation", "command_call", "method_call", "nullsafe_member_call_expression", "decorated_call":
		return true
	}
	return strings.HasSuffix(kind, "call_expression") || strings.HasSuffix(kind, "invocation") || strings.HasSuffix(kind, "invocation_expression")
}

func creates(kind string) bool {
	return kind == "new_expression" || hasAny(kind, "object_creation")
}

// memberOf reports whether a node of a kind is a member with what it is one of.
func memberOf(kind string) bool {
	switch kind {
	case "selector_expression", "attribute", "member_expression", "field_access", "field_expression", "scoped_identifier", "qualified_identifier", "member_access_expression",
		"navigation_expression", "navigation_suffix", "scoped_type_identifier", "qualified_type", "qualified_name", "dotted_name", "nested_identifier", "scope_resolution", "user_type",
		"class_constant_access_expression", "scoped_property_access_expression", "optional_chain", "nested_type_identifier", "dot", "conditional_access_expression", "member_binding_expression":
		return true
	}
	return false
}

// keyed reports whether a node is the key of an entry: what that writes is a field, or an
// argument of this name.
func keyed(p, c *step) bool {
	switch p.kind {
	case "keyed_element":
		return c.first
	case "pair", "pair_pattern": // a key that is an expression is read
		return c.first && (c.kind == "property_identifier" || c.kind == "hash_key_symbol")
	case "field_initializer":
		return c.field == "field" || c.field == "name" || c.field == "" && c.first
	case "shorthand_field_initializer", "field_designator":
		return true
	case "keyword_argument":
		return c.field == "name"
	}
	return false
}

// assigns reports whether a node assigns to one of its children.
func assigns(kind string) bool {
	switch kind {
	case "assignment", "augmented_assignment", "inc_statement", "dec_statement", "update_expression", "short_var_declaration", "range_clause", "for_in_statement", "for_in_clause",
		"compound_assignment_expr", "delete_statement", "operator_assignment", "named_expression", "postfix_unary_expression":
		return true
	}
	return hasAny(kind, "assignment_statement", "assignment_expression")
}

// passes reports whether what is said of a node is said of its children, too.
func passes(kind string) bool {
	switch kind {
	case "expression_list", "pattern_list", "tuple_pattern", "list_pattern", "parenthesized_expression", "literal_element", "array_pattern", "object_pattern", "pointer_type", "reference_type",
		"left_assignment_list", "await_expression", "non_null_expression", "generic_function", "instantiation_expression", "directly_assignable_expression", "nullable_type", "template_type", "generic_name", "type_list", "type_elem", "constraint_elem", "template_function":
		return true
	}
	return false
}

// stops reports whether nothing above a node says how a name in it is used.
func stops(kind string) bool {
	return hasAny(kind, "statement", "block", "body", "function", "method", "lambda")
}
