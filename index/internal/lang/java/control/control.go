// Package control says what the nodes of Java's trees do: how control moves on, and what is
// read and written.
package control

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of Java.
func Grammar() *walk.Grammar {
	class := walk.Function{Name: "name", Body: "body", Class: true, Member: true}
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"method_declaration":              {Name: "name", Params: "parameters", Body: "body", Member: true},
			"constructor_declaration":         {Name: "name", Params: "parameters", Body: "body", Member: true},
			"compact_constructor_declaration": {Name: "name", Bind: components, Body: "body", Member: true},
			"lambda_expression":               {Params: "parameters", Body: "body", SameSelf: true},
			"class_declaration":               class,
			"interface_declaration":           class,
			"enum_declaration":                class,
			"record_declaration":              class,
			"annotation_type_declaration":     class,
			"class_body":                      {Body: ".", Class: true}, // without a name, after "new"
		},
		Statements: map[string]walk.Rule{
			"block":                               walk.Block,
			"constructor_body":                    walk.Block,
			"class_body":                          walk.Block,
			"interface_body":                      walk.Block,
			"enum_body":                           walk.Block,
			"annotation_type_body":                walk.Nothing,
			"enum_body_declarations":              walk.Inline,
			"static_initializer":                  walk.Inline,
			"finally_clause":                      walk.Inline,
			"resource_specification":              walk.Inline,
			"enum_constant":                       constant,
			"field_declaration":                   variables,
			"constant_declaration":                variables,
			"local_variable_declaration":          variables,
			"if_statement":                        walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative", Leaks: true}.Rule(),
			"while_statement":                     walk.LoopForm{Cond: "condition", Body: "body"}.While(),
			"do_statement":                        walk.LoopForm{Cond: "condition", Body: "body"}.Do(),
			"for_statement":                       walk.LoopForm{Init: "init", Cond: "condition", Update: "update", Body: "body"}.While(),
			"enhanced_for_statement":              walk.EachForm{Left: "name", Right: "value", Body: "body", Bind: func(b *walk.Builder, n, left syntax.Node) { b.Typed(n, func() { b.Declare(left) }) }}.Rule(),
			"switch_expression":                   switches,
			"switch_label":                        walk.Nothing,
			"yield_statement":                     yields,
			"try_statement":                       tries.Rule(),
			"try_with_resources_statement":        tries.Rule(),
			"resource":                            resource,
			"synchronized_statement":              synchronized,
			"labeled_statement":                   walk.Labeled(""),
			"break_statement":                     walk.Break,
			"continue_statement":                  walk.Continue,
			"return_statement":                    walk.ReturnRule,
			"throw_statement":                     walk.RaiseRule,
			"assert_statement":                    func(b *walk.Builder, n syntax.Node) { b.Assert(n, b.NamedChild(n, 0), b.NamedChild(n, 1)) },
			"package_declaration":                 walk.Nothing,
			"import_declaration":                  walk.Nothing,
			"annotation_type_element_declaration": walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"assignment_expression": assignment,
			"update_expression":     func(b *walk.Builder, n syntax.Node) { b.Update(b.NamedChild(n, 0), 0) },
			"instanceof_expression": instance,
			"method_reference":      func(b *walk.Builder, n syntax.Node) { b.Expr(b.NamedChild(n, 0)) },
		},
		Names:    walk.Kinds("identifier"),
		Members:  map[string]walk.Member{"field_access": {Object: "object", Part: "field"}},
		Elements: map[string]walk.Member{"array_access": {Object: "array", Part: "index"}},
		Calls: map[string]walk.CallForm{
			"method_invocation":               {Callee: "name", Receiver: "object", Args: "arguments"},
			"object_creation_expression":      {Callee: "type", Args: "arguments"},
			"explicit_constructor_invocation": {Callee: "constructor", Args: "arguments"},
		},
		Casts: map[string]func(*walk.Builder, syntax.Node) syntax.Node{"cast_expression": walk.Within("value")},
		Paths: map[string]string{"scoped_type_identifier": ""},
		Skip: walk.Kinds("type_identifier", "scoped_type_identifier", "generic_type", "array_type", "integral_type", "floating_point_type", "boolean_type", "void_type", "annotated_type",
			"type_arguments", "type_parameters", "modifiers", "marker_annotation", "annotation", "dimensions", "class_literal", "super", "superclass", "super_interfaces", "throws",
			"receiver_parameter", "string_literal", "string_fragment", "character_literal", "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal",
			"binary_integer_literal", "decimal_floating_point_literal", "true", "false", "null_literal"),
		Logic: walk.Logic{
			Binary: walk.Kinds("binary_expression"), Unary: map[string]string{"unary_expression": "operand"}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("&&"), Or: walk.Kinds("||"), Not: walk.Kinds("!"),
		},
		Values:  true,
		Ternary: map[string][3]string{"ternary_expression": {"condition", "consequence", "alternative"}},
		Raises:  true,
		Self:    walk.Kinds("this"),
		IsType:  isType,
		Value:   value,
		Fixed:   map[string]bool{"true": true, "false": false},
		Scalars: walk.Kinds("decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal", "decimal_floating_point_literal", "character_literal", "string_literal", "true", "false", "null_literal", "binary_expression", "unary_expression", "update_expression", "instanceof_expression", "class_literal"),
		Clauses: map[string][]string{"try_statement": {"catch_clause", "finally_clause"}},
		Indexed: true,
		Holds:   walk.Kinds("array_initializer", "array_creation_expression", "object_creation_expression", "argument_list", "ternary_expression", "assignment_expression"),
		Pure:    walk.Kinds("println", "print", "printf", "equals", "hashCode", "toString", "compareTo", "getClass", "length", "size", "isEmpty", "charAt", "substring", "startsWith", "endsWith"),
		Loops:   walk.Kinds("for_statement", "enhanced_for_statement", "while_statement", "do_statement", "switch_expression"),
		Ahead:   fields,
	}
}

// isType reports whether a name is written as those of types are: Name, not NAME.
func isType(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && (len(name) == 1 || strings.ToUpper(name) != name)
}

// fields declares those of a class: its methods see them wherever they are written.
func fields(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "enum_body_declarations":
			fields(b, c)
		case "enum_constant":
			b.DeclareHere(b.Text(b.Child(c, "name")), b.Start(c))
		case "field_declaration", "constant_declaration":
			for d := range b.NamedChildren(c) {
				if name := b.Child(d, "name"); b.Field(d) == "declarator" {
					b.DeclareHere(b.Text(name), b.Start(name))
				}
			}
		}
	}
}

// components writes the parameters of a record's constructor that does not list them.
func components(b *walk.Builder, n syntax.Node) {
	for p := range b.NamedChildren(b.Child(b.Parent(b.Parent(n)), "parameters")) {
		b.Param(p)
	}
}

func constant(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		b.Expr(b.Child(n, "arguments"))
		b.Expr(b.Child(n, "body"))
		b.Declare(b.Child(n, "name"))
	})
}

// variables writes those of a declaration.
func variables(b *walk.Builder, n syntax.Node) {
	first := true
	for d := range b.NamedChildren(n) {
		if b.Field(d) != "declarator" {
			continue
		}
		if first {
			b.Head(n)
			first = false
		}
		b.Step(walk.Plain, d, func() {
			name, value := b.Child(d, "name"), b.Child(d, "value")
			declare := func(name syntax.Node) { b.Typed(n, func() { b.Declare(name) }) }
			if value != 0 {
				b.Give(name, value, declare)
			} else { // it has no value yet
				b.Known(func() { declare(name) })
			}
		})
	}
}

// value reports whether a declaration has a type whose values do not change: a primitive one, or
// one of java.lang.
func value(b *walk.Builder, n syntax.Node) bool {
	t := b.Child(n, "type")
	switch b.Kind(t) {
	case "integral_type", "floating_point_type", "boolean_type":
		return true
	case "type_identifier":
		switch b.Text(t) {
		case "String", "Integer", "Long", "Short", "Byte", "Character", "Boolean", "Float", "Double":
			return true
		}
	}
	return false
}

// switches tells those of rules, of which one runs, from those of groups, which go on with the
// next one.
func switches(b *walk.Builder, n syntax.Node) {
	form := walk.SwitchForm{Value: "condition", Body: "body", Test: labels, IsDefault: isDefault}
	switch b.Kind(b.Parent(n)) {
	case "block", "constructor_body", "switch_block_statement_group", "switch_rule", "labeled_statement", "if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement":
	default: // its value is taken: one case fits
		form.Label, form.Whole = "yield", true
	}
	if b.ChildOf(b.Child(n, "body"), "switch_rule") != 0 {
		form.Cases = []string{"switch_rule"}
	} else {
		form.Cases, form.Falls, form.Block = []string{"switch_block_statement_group"}, true, true
	}
	form.Rule()(b, n)
}

func isDefault(b *walk.Builder, c syntax.Node) bool {
	for l := range b.NamedChildren(c) {
		if b.Kind(l) != "switch_label" {
			break
		}
		if b.Is(l, "default") {
			return true
		}
		for v := range b.NamedChildren(l) {
			if b.Is(v, "default") { // case null, default
				return true
			}
		}
	}
	return false
}

// labels writes the values and patterns of a case.
func labels(b *walk.Builder, c syntax.Node) {
	for l := range b.NamedChildren(c) {
		if b.Kind(l) != "switch_label" {
			break
		}
		for v := range b.NamedChildren(l) {
			switch b.Kind(v) {
			case "pattern":
				pattern(b, v)
			case "guard":
				b.Children(v)
			default:
				b.Expr(v)
			}
		}
	}
}

// pattern binds the names of a pattern: the last child of a type with a name.
func pattern(b *walk.Builder, n syntax.Node) {
	switch b.Kind(n) {
	case "type_pattern", "record_pattern_component":
		var last syntax.Node
		for c := range b.NamedChildren(n) {
			last = c
		}
		if b.Kind(last) == "identifier" && !b.Is(last, "_") {
			b.Declare(last)
			return
		}
		pattern(b, last)
	case "pattern", "record_pattern", "record_pattern_body":
		for c := range b.NamedChildren(n) {
			pattern(b, c)
		}
	}
}

func instance(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "left"))
	b.Declare(b.Child(n, "name"))
	pattern(b, b.Child(n, "pattern"))
}

// yields leaves the switch around with a value.
func yields(b *walk.Builder, n syntax.Node) {
	b.Jump(b.Step(walk.Jump, n, func() { b.Children(n) }), walk.ToBreak, "yield", walk.Broken)
}

var tries = walk.TryForm{
	Init: "resources", Body: "body", Catches: []string{"catch_clause"}, Finally: []string{"finally_clause"}, Handler: "body", Exit: closes,
	Catch: func(b *walk.Builder, c syntax.Node) {
		b.Declare(b.Child(b.ChildOf(c, "catch_formal_parameter"), "name"))
	},
	IsAny: func(b *walk.Builder, c syntax.Node) bool {
		for t := range b.NamedChildren(b.ChildOf(b.ChildOf(c, "catch_formal_parameter"), "catch_type")) {
			if b.Is(t, "Throwable") {
				return true
			}
		}
		return false
	},
}

func resource(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		if value := b.Child(n, "value"); value != 0 {
			b.Give(b.Child(n, "name"), value, b.Declare)
		} else {
			b.Children(n)
		}
	})
}

// closes writes that the resources of a "try" are closed.
func closes(b *walk.Builder, n syntax.Node) {
	b.StepOf(walk.Exits, b.Start(n), b.End(n), 0, func() {
		for r := range b.NamedChildren(n) {
			if name := b.Child(r, "name"); name != 0 {
				b.Expr(name)
			} else {
				b.Children(r)
			}
		}
	})
}

func synchronized(b *walk.Builder, n syntax.Node) {
	lock := b.ChildOf(n, "parenthesized_expression")
	b.StepOf(walk.Plain, b.Start(n), b.End(lock), lock, func() { b.Expr(lock) })
	b.Stmt(b.Child(n, "body"))
}

func assignment(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "left"), b.Child(n, "right")
	if op := b.Child(n, "operator"); op != 0 && !b.Is(op, "=") {
		b.Update(left, right)
		return
	}
	b.Give(left, right, b.Assign)
}
