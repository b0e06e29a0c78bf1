// Package control says what the nodes of Rust's trees do: how control moves on, and what is
// read and written.
//
// Of a macro the names among its words are read, those in a format's braces too; what else it
// does is not known, but that panic! and its kin do not come back. Names that begin with a
// capital are those of types, constants and variants: no variables.
package control

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of Rust.
func Grammar() *walk.Grammar {
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"function_item":      {Name: "name", Body: "body", Bind: parameters},
			"closure_expression": {Body: "body", Bind: parameters, Open: true},
			"async_block":        {BodyKind: "block", Open: true},
		},
		Statements: map[string]walk.Rule{
			"block":                    block,
			"unsafe_block":             walk.Inline,
			"const_block":              walk.Inline,
			"else_clause":              walk.Inline,
			"expression_statement":     walk.Inline,
			"if_expression":            walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative"}.Rule(),
			"match_expression":         walk.SwitchForm{Value: "value", Body: "body", Cases: []string{"match_arm"}, Values: "pattern", Test: pattern, GuardOf: guard, Whole: true, Case: arm}.Rule(),
			"while_expression":         labeled(walk.LoopForm{Cond: "condition", Body: "body"}.While()),
			"loop_expression":          labeled(func(b *walk.Builder, n syntax.Node) { walk.LoopForm{Body: "body"}.WhileOf(b, n, 0) }),
			"for_expression":           labeled(walk.EachForm{Left: "pattern", Right: "value", Body: "body", Bind: bind}.Rule()),
			"let_declaration":          let,
			"return_expression":        walk.ReturnRule,
			"break_expression":         func(b *walk.Builder, n syntax.Node) { jump(b, n, walk.ToBreak, walk.Broken) },
			"continue_expression":      func(b *walk.Builder, n syntax.Node) { jump(b, n, walk.ToContinue, walk.Continued) },
			"macro_invocation":         macro,
			"call_expression":          call,
			"const_item":               constant,
			"static_item":              constant,
			"impl_item":                items,
			"mod_item":                 items,
			"trait_item":               items,
			"empty_statement":          walk.Nothing,
			"declaration_list":         walk.Inline,
			"use_declaration":          walk.Nothing,
			"struct_item":              walk.Nothing,
			"enum_item":                walk.Nothing,
			"union_item":               walk.Nothing,
			"type_item":                walk.Nothing,
			"macro_definition":         walk.Nothing,
			"extern_crate_declaration": walk.Nothing,
			"foreign_mod_item":         walk.Nothing,
			"attribute_item":           walk.Nothing,
			"inner_attribute_item":     walk.Nothing,
			"function_signature_item":  walk.Nothing,
			"associated_type":          walk.Nothing,
			"shebang":                  walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"assignment_expression":    func(b *walk.Builder, n syntax.Node) { b.Give(b.Child(n, "left"), b.Child(n, "right"), b.Assign) },
			"compound_assignment_expr": compound,
			"let_condition":            func(b *walk.Builder, n syntax.Node) { b.Give(b.Child(n, "pattern"), b.Child(n, "value"), b.Declare) },
			"try_expression":           try,
			"macro_invocation":         words,
			"token_tree":               words,
			"field_initializer":        func(b *walk.Builder, n syntax.Node) { b.Expr(b.Child(n, "value")) },
			"target:or_pattern":        alternatives,
			"target:unary_expression":  pointed,
			"target:match_pattern":     func(b *walk.Builder, n syntax.Node) { b.Target(b.NamedChild(n, 0)) },
			"target:macro_invocation":  words,
		},
		Operand:  walk.Kinds("macro_invocation", "call_expression"),
		Values:   true,
		Closed:   true,
		Names:    walk.Kinds("identifier", "self", "shorthand_field_identifier"),
		Ignore:   capital,
		Blank:    "_",
		Members:  map[string]walk.Member{"field_expression": {Object: "value", Part: "field"}},
		Elements: map[string]walk.Member{"index_expression": {}},
		Calls:    map[string]walk.CallForm{"call_expression": {Callee: "function", Args: "arguments"}},
		Paths:    map[string]string{"scoped_identifier": "name", "generic_function": "function"},
		Skip: walk.Kinds("primitive_type", "type_identifier", "generic_type", "reference_type", "tuple_type", "array_type", "pointer_type", "function_type", "scoped_type_identifier",
			"dynamic_type", "abstract_type", "unit_type", "never_type", "bounded_type", "qualified_type", "type_arguments", "type_parameters", "where_clause", "field_identifier", "label",
			"lifetime", "mutable_specifier", "scoped_identifier", "integer_literal", "float_literal", "string_literal", "raw_string_literal", "char_literal", "boolean_literal",
			"negative_literal", "visibility_modifier", "attribute_item", "inner_attribute_item", "remaining_field_pattern", "crate", "super", "metavariable", "generic_type_with_turbofish",
			"bracketed_type", "empty_type"),
		Logic: walk.Logic{
			Binary: walk.Kinds("binary_expression"), Unary: map[string]string{"unary_expression": ""}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("&&"), Or: walk.Kinds("||"), Not: walk.Kinds("!"), Chain: walk.Kinds("let_chain"),
		},
		Hoists:        functions,
		NoSwitchBreak: true,
		Fixed:         map[string]bool{"true": true, "false": false},
		Scalars: walk.Kinds("integer_literal", "float_literal", "string_literal", "raw_string_literal", "char_literal", "boolean_literal", "negative_literal", "binary_expression",
			"type_cast_expression"),
		Indexed: true,
		Holds: walk.Kinds("reference_expression", "tuple_expression", "array_expression", "struct_expression", "field_initializer_list", "field_initializer", "shorthand_field_initializer",
			"base_field_initializer", "unary_expression"),
		Lists:  walk.Kinds("tuple_expression", "tuple_pattern"),
		Awaits: walk.Kinds("await_expression"),
		Pure:   walk.Kinds("Some", "Ok", "Err", "drop", "std::mem::size_of", "String::from", "Box::new"),
		Address: func(b *walk.Builder, n syntax.Node) bool {
			return b.Kind(n) == "reference_expression" && b.ChildOf(n, "mutable_specifier") != 0
		},
	}
}

func capital(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// parameters writes those of a function or closure.
func parameters(b *walk.Builder, n syntax.Node) {
	for p := range b.NamedChildren(b.Child(n, "parameters")) {
		if b.Kind(b.Child(p, "type")) == "primitive_type" {
			b.Scalar(func() { b.Param(p) })
		} else {
			b.Param(p)
		}
	}
}

// label returns the label of a loop, a block or a jump, "" where it has none.
func label(b *walk.Builder, n syntax.Node) string { return b.Text(b.ChildOf(n, "label")) }

func labeled(rule walk.Rule) walk.Rule {
	return func(b *walk.Builder, n syntax.Node) {
		b.Name(label(b, n))
		rule(b, n)
	}
}

func block(b *walk.Builder, n syntax.Node) {
	if name := label(b, n); name != "" {
		b.Breakable(name, func() { walk.Block(b, n) })
		return
	}
	walk.Block(b, n)
}

func bind(b *walk.Builder, _, left syntax.Node) { b.Declare(left) }

// pattern writes what a case is compared with: its names are bound.
func pattern(b *walk.Builder, c syntax.Node) {
	if first := b.NamedChild(b.Child(c, "pattern"), 0); first != b.Child(b.Child(c, "pattern"), "condition") {
		b.Declare(first)
	}
}

func guard(b *walk.Builder, c syntax.Node) syntax.Node {
	return b.Child(b.Child(c, "pattern"), "condition")
}

func arm(b *walk.Builder, c syntax.Node) { b.Stmt(b.Child(c, "value")) }

// let writes a declaration; what does not fit its pattern goes to its "else".
func let(b *walk.Builder, n syntax.Node) {
	left, right, other := b.Child(n, "pattern"), b.Child(n, "value"), b.Child(n, "alternative")
	write := func() {
		give := func() { b.Give(left, right, b.Declare) }
		if right == 0 {
			give = func() { b.Declare(left) }
		}
		if other != 0 {
			b.Unless(n, other, give)
			return
		}
		b.Step(walk.Plain, n, give)
	}
	if b.Kind(b.Child(n, "type")) == "primitive_type" {
		b.Scalar(write)
	} else {
		write()
	}
}

// jump writes a break or continue, with the value that it gives.
func jump(b *walk.Builder, n syntax.Node, op walk.JumpOp, kind walk.EdgeKind) {
	b.Jump(b.Step(walk.Jump, n, func() { b.Children(n) }), op, label(b, n), kind)
}

// ends are the macros and functions that do not come back.
var (
	panics = walk.Kinds("panic", "todo", "unimplemented", "unreachable", "bail", "std::panic", "core::panic")
	exits  = walk.Kinds("std::process::exit", "process::exit", "std::process::abort", "process::abort")
)

// macro is a step; some raise an error.
func macro(b *walk.Builder, n syntax.Node) {
	switch name := b.Text(b.Child(n, "macro")); {
	case name == "bail":
		b.Jump(b.Step(walk.Return, n, func() { words(b, n) }), walk.ToExit, "", walk.Returned)
	case panics[name]:
		b.Jump(b.Step(walk.Raise, n, func() { words(b, n) }), walk.ToRaise, "", walk.Raised)
	default:
		b.Step(walk.Plain, n, func() { b.Expr(n) })
	}
}

// call is a step, and may end the program.
func call(b *walk.Builder, n syntax.Node) {
	if exits[b.Text(b.Child(n, "function"))] {
		b.Jump(b.Step(walk.Raise, n, func() { b.Expr(n) }), walk.ToLeave, "", walk.Raised)
		return
	}
	b.Step(walk.Plain, n, func() { b.Expr(n) })
}

func constant(b *walk.Builder, n syntax.Node) {
	if value := b.Child(n, "value"); value != 0 {
		b.Step(walk.Plain, n, func() { b.Expr(value) })
	}
}

// functions writes those that stand in a body before the rest of it: where does not matter.
func functions(b *walk.Builder, _, body syntax.Node) {
	for c := range b.NamedChildren(body) {
		switch b.Kind(c) {
		case "function_item":
			b.Ahead(c)
		case "impl_item", "mod_item", "trait_item":
			functions(b, c, b.Child(c, "body"))
		}
	}
}

func items(b *walk.Builder, n syntax.Node) { b.Stmt(b.Child(n, "body")) }

func compound(b *walk.Builder, n syntax.Node) {
	b.Update(b.Child(n, "left"), b.Child(n, "right"))
}

// try is x?: what it is of is returned where it is an error.
func try(b *walk.Builder, n syntax.Node) {
	b.Children(n)
	b.May(walk.ToExit, "", walk.Returned)
}

// alternatives binds the same names in each.
func alternatives(b *walk.Builder, n syntax.Node) {
	first := true
	for c := range b.NamedChildren(n) {
		if first {
			b.Target(c)
			first = false
		} else {
			b.Define(c)
		}
	}
}

// pointed writes *p = x: what p points at is changed.
func pointed(b *walk.Builder, n syntax.Node) {
	b.Expr(b.NamedChild(n, 0))
	b.Change(b.NamedChild(n, 0))
}

var inBraces = regexp.MustCompile(`\{([a-z_]\w*)[:}]`)

// words reads the names among the words of a macro: not those of members, of what is called,
// of paths, of macros, nor of a format's arguments.
func words(b *walk.Builder, n syntax.Node) {
	macro := b.Child(n, "macro")
	if name := b.Text(macro); strings.HasPrefix(name, "assert") || strings.HasPrefix(name, "debug_assert") {
		b.May(walk.ToRaise, "", walk.Raised)
	}
	before, last := "", syntax.Node(0)
	read := func(after string) {
		if last == 0 || before == "." || before == "::" || after == "::" || after == "!" || after == "(" && before != "" {
			return
		}
		if after == "=" && (before == "," || before == "(") {
			return
		}
		b.Expr(last)
	}
	var visit func(n syntax.Node)
	visit = func(n syntax.Node) {
		for c := range b.Tree.Children(n) {
			if c == macro {
				continue
			}
			switch kind := b.Kind(c); kind {
			case "token_tree":
				visit(c)
			case "identifier", "self":
				read(kind)
				if last != 0 {
					before = "name"
				}
				last = c
				continue
			default:
				read(b.Text(c))
				last, before = 0, b.Text(c)
				if kind == "string_literal" || kind == "raw_string_literal" {
					for _, at := range inBraces.FindAllSubmatchIndex(b.Bytes(c), -1) {
						b.ReadAt(b.Start(c)+at[2], b.Start(c)+at[3])
					}
				}
			}
		}
	}
	visit(n)
	read("")
}
