// Package control says what the nodes of Kotlin's trees do: how control moves on, and what is
// read and written.
package control

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of Kotlin.
func Grammar() *walk.Grammar {
	const body = "function_body#0"
	class := walk.Function{Name: "type_identifier#0", Body: "class_body|enum_class_body#0", Bind: constructor, Class: true, Member: true}
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"function_declaration":  {Name: "simple_identifier#0", Body: body, Bind: params},
			"anonymous_function":    {Body: body, Bind: params},
			"lambda_literal":        {Body: "statements#0", Bind: lambda, SameSelf: true, Through: true},
			"getter":                {Body: body, Bind: params, Member: true},
			"setter":                {Body: body, Bind: params, Member: true},
			"secondary_constructor": {Body: "statements#0", Bind: params, Member: true},
			"class_declaration":     class,
			"object_declaration":    class,
			"companion_object":      class,
			"object_literal":        {Body: "class_body#0", Bind: constructor, Class: true},
			"class_body":            {Body: ".", Class: true}, // of an entry of an enumeration
		},
		Statements: map[string]walk.Rule{
			"source_file":            walk.Block,
			"statements":             statements,
			"function_body":          functionBody,
			"control_structure_body": walk.Inline,
			"class_body":             walk.Block,
			"enum_class_body":        walk.Block,
			"finally_block":          walk.Inline,
			"anonymous_initializer":  func(b *walk.Builder, n syntax.Node) { b.Scoped(func() { b.Stmts(n) }) },
			"enum_entry":             entry,
			"property_declaration":   property,
			"assignment":             assignment,
			"if_expression":          ifExpression,
			"when_expression":        when,
			"for_statement":          walk.EachForm{Right: "#1", Body: "control_structure_body#0", Head: each}.Rule(),
			"while_statement":        walk.LoopForm{Cond: "#0", Body: "control_structure_body#0"}.While(),
			"do_while_statement":     walk.LoopForm{Cond: "#-1", Body: "control_structure_body#0"}.Do(),
			"try_expression": walk.TryForm{Body: "statements#0", Catches: []string{"catch_block"}, Finally: []string{"finally_block"}, Handler: "statements#0",
				Catch: func(b *walk.Builder, c syntax.Node) { b.Declare(b.Child(c, "simple_identifier#0")) },
				IsAny: func(b *walk.Builder, c syntax.Node) bool { return b.Is(b.Child(c, "user_type#0"), "Throwable") }}.Rule(),
			"jump_expression": jump,
			"package_header":  walk.Nothing,
			"import_list":     walk.Nothing,
			"type_alias":      walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"prefix_expression":  updated,
			"postfix_expression": updated,
			"infix_expression":   infix,
			"callable_reference": reference,
			"when_subject":       subject,
			"call_suffix": func(b *walk.Builder, n syntax.Node) { // the arguments are those of the call
				b.Expr(b.ChildOf(n, "annotated_lambda"))
			},
		},
		Names:    walk.Kinds("simple_identifier", "interpolated_identifier", "type_identifier"),
		Members:  map[string]walk.Member{"navigation_expression": {Object: "#0", Part: "navigation_suffix#0/simple_identifier#0", Optional: "navigation_suffix#0/?.#0"}},
		Elements: map[string]walk.Member{"indexing_expression": {Object: "#0", Part: "indexing_suffix#0"}},
		Chains:   map[string]walk.Chain{"directly_assignable_expression": {Member: "navigation_suffix", Part: "simple_identifier#0", Element: "indexing_suffix"}},
		Calls: map[string]walk.CallForm{
			"call_expression":             {Callee: "#0", Args: "call_suffix#0/value_arguments#0", Known: true},
			"constructor_invocation":      {Callee: "user_type#0", Args: "value_arguments#0"},
			"constructor_delegation_call": {Callee: "this|super#0", Args: "value_arguments#0"},
		},
		Casts: map[string]func(*walk.Builder, syntax.Node) syntax.Node{
			"as_expression": walk.Within("#0"), "value_argument": walk.Within("#-1"), "directly_assignable_expression": walk.Within("#0"), "annotated_lambda": walk.Within("lambda_literal#0"),
			"postfix_expression": notNull,
		},
		Skip: walk.Kinds("navigation_suffix", "user_type", "nullable_type", "function_type", "parenthesized_type", "type_arguments", "type_parameters", "type_constraints", "modifiers", "parameter_modifiers",
			"annotation", "label", "binding_pattern_kind", "super_expression", "string_content", "integer_literal", "long_literal", "real_literal", "boolean_literal", "character_literal",
			"hex_literal", "bin_literal", "unsigned_literal", "primary_constructor", "delegation_specifier", "constructor_delegation_call", "function_value_parameters", "file_annotation"),
		Logic: walk.Logic{
			Left: "#0", Right: "#1",
			Binary: walk.Kinds("conjunction_expression", "disjunction_expression", "elvis_expression"), Unary: map[string]string{"prefix_expression": "#0"}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("&&"), Or: walk.Kinds("||"), Not: walk.Kinds("!"), Lazy: walk.Kinds("?:"),
		},
		Values:   true,
		Raises:   true,
		Self:     walk.Kinds("this_expression"),
		SelfName: "this",
		Blank:    "_",
		IsType:   isType,
		Value:    value,
		Fixed:    map[string]bool{"true": true, "false": false},
		Scalars: walk.Kinds("integer_literal", "long_literal", "real_literal", "boolean_literal", "character_literal", "hex_literal", "bin_literal", "unsigned_literal", "string_literal",
			"multiplicative_expression", "comparison_expression", "equality_expression", "check_expression"),
		Clauses: map[string][]string{"try_expression": {"catch_block", "finally_block"}},
		Indexed: true,
		Extends: true,
		Holds:   walk.Kinds("value_arguments", "value_argument", "elvis_expression", "collection_literal"),
		Pure: walk.Kinds("println", "print", "listOf", "setOf", "mapOf", "mutableListOf", "mutableSetOf", "mutableMapOf", "arrayOf", "listOfNotNull", "require", "check", "requireNotNull", "checkNotNull",
			"maxOf", "minOf", "error"),
		Loops: walk.Kinds("for_statement", "while_statement", "do_while_statement"),
		Ahead: members,
	}
}

// isType reports whether a name is written as those of types are: Name, not NAME.
func isType(name string) bool {
	if name == "" || name[0] < 'A' || name[0] > 'Z' { // empty: the parser has put it in
		return false
	}
	for i := range len(name) {
		if name[i] >= 'a' && name[i] <= 'z' {
			return true
		}
	}
	return len(name) == 1
}

// value reports whether a parameter or a variable has a type whose values do not change.
func value(b *walk.Builder, n syntax.Node) bool {
	switch b.Text(b.Child(n, "user_type#0")) {
	case "Int", "Long", "Short", "Byte", "Char", "Boolean", "Float", "Double", "String", "UInt", "ULong":
		return true
	}
	return false
}

// statements writes a list of statements; a label stands before the one that it belongs to.
func statements(b *walk.Builder, n syntax.Node) {
	var label syntax.Node
	for c := range b.NamedChildren(n) {
		switch {
		case b.Kind(c) == "label":
			label = c
		case label != 0:
			b.Labeled(trim(b.Text(label)), label, c)
			label = 0
		default:
			b.Stmt(c)
		}
	}
}

// trim returns a label without its sign.
func trim(label string) string {
	for len(label) > 0 && (label[len(label)-1] == '@' || label[len(label)-1] == ' ') {
		label = label[:len(label)-1]
	}
	return label
}

// functionBody is a block, or = and a value.
func functionBody(b *walk.Builder, n syntax.Node) {
	in := b.NamedChild(n, 0)
	if b.Child(n, "=#0") != 0 {
		b.Jump(b.ValueStep(walk.Return, in, func() { b.Expr(in) }), walk.ToExit, "value", walk.Returned)
		return
	}
	b.Scoped(func() { b.Stmt(in) })
}

// ifExpression may lack its first branch.
func ifExpression(b *walk.Builder, n syntax.Node) {
	form := walk.IfForm{Cond: "#0", Then: "control_structure_body#0", Else: "control_structure_body#1"}
	for c := range b.Tree.Children(n) {
		if b.Kind(c) == "control_structure_body" {
			break
		}
		if b.Kind(c) == "else" {
			form.Then, form.Else = form.Else, form.Then
		}
	}
	form.Rule()(b, n)
}

func when(b *walk.Builder, n syntax.Node) {
	form := walk.SwitchForm{
		Value: "when_subject#0", Cases: []string{"when_entry"},
		Test: func(b *walk.Builder, c syntax.Node) {
			for w := range b.NamedChildren(c) {
				if b.Kind(w) == "when_condition" {
					b.Children(w)
				}
			}
		},
		IsDefault: func(b *walk.Builder, c syntax.Node) bool { return b.Child(c, "else#0") != 0 },
		Case:      func(b *walk.Builder, c syntax.Node) { b.Stmt(b.Child(c, "control_structure_body#0")) },
		LabelEnd:  "when_condition|else#-1",
	}
	switch b.Kind(b.Parent(n)) {
	case "statements", "control_structure_body":
	default: // its value is taken: one entry fits
		form.Whole = true
	}
	form.Rule()(b, n)
}

// subject writes the value of a "when", and its name where it has one.
func subject(b *walk.Builder, n syntax.Node) {
	if name := b.Child(n, "variable_declaration#0"); name != 0 {
		b.Give(name, b.Child(n, "#-1"), b.Declare)
		return
	}
	b.Children(n)
}

func each(b *walk.Builder, n syntax.Node) {
	var target, in syntax.Node
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "variable_declaration", "multi_variable_declaration":
			target = c
		case "control_structure_body", "annotation", "label":
		default:
			in = c
		}
	}
	b.Expr(in)
	b.Typed(target, func() { b.Declare(target) })
}

// jump is return, throw, break or continue, with a label or without.
func jump(b *walk.Builder, n syntax.Node) {
	label := trim(b.Text(b.ChildOf(n, "label")))
	switch trim(b.Text(b.First(n))) {
	case "throw":
		walk.RaiseRule(b, n)
	case "break":
		b.Jump(b.Step(walk.Jump, n, nil), walk.ToBreak, label, walk.Broken)
	case "continue":
		b.Jump(b.Step(walk.Jump, n, nil), walk.ToContinue, label, walk.Continued)
	default:
		b.Jump(b.Step(walk.Return, n, func() { b.Children(n) }), walk.ToExit, label, walk.Returned)
	}
}

// updated is ++ and --, before or after, and the other operators of one operand.
func updated(b *walk.Builder, n syntax.Node) {
	in := b.Child(n, "#-1")
	if b.Child(n, "++|--#0") != 0 {
		b.Update(in, 0)
		return
	}
	b.Children(n)
}

// notNull returns the operand of !!.
func notNull(b *walk.Builder, n syntax.Node) syntax.Node {
	if b.Child(n, "!!#0") != 0 {
		return b.Child(n, "#0")
	}
	return 0
}

// infix is a call of a function by a name between its operands.
func infix(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "#0"))
	b.Expr(b.Child(n, "#2"))
}

// reference is x::f: f is no variable.
func reference(b *walk.Builder, n syntax.Node) {
	if b.NamedChild(n, 1) != 0 {
		b.Expr(b.NamedChild(n, 0))
	}
}
