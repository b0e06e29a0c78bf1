// Package control says what the nodes of the trees of C and C++ do: how control moves on, and
// what is read and written.
//
// Macros are not expanded: of one that is defined in the same text it is known that it returns,
// or jumps, and no more. A call without a semicolon before a block is read as the head of a
// loop, and said to be a gap. Of "#if" in a function, each of the alternatives may run.
package control

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var cases = walk.CasesForm{Value: "condition", Body: "body", CaseValue: "value"}

// C returns what is known of C.
func C() *walk.Grammar {
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"function_definition": {NameOf: nameOf, Body: "body", Bind: parameters},
		},
		Statements: map[string]walk.Rule{
			"compound_statement":        block,
			"else_clause":               walk.Inline,
			"if_statement":              walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative"}.Rule(),
			"while_statement":           walk.LoopForm{Cond: "condition", Body: "body"}.While(),
			"for_statement":             walk.LoopForm{Init: "initializer", Cond: "condition", Update: "update", Body: "body"}.While(),
			"do_statement":              walk.LoopForm{Cond: "condition", Body: "body"}.Do(),
			"switch_statement":          cases.Rule(),
			"case_statement":            cases.Case(),
			"labeled_statement":         walk.Labeled("label"),
			"break_statement":           walk.Break,
			"continue_statement":        walk.Continue,
			"goto_statement":            jump,
			"return_statement":          walk.ReturnRule,
			"expression_statement":      expression,
			"declaration":               declaration,
			"attributed_statement":      attributed,
			"preproc_if":                conditional,
			"preproc_ifdef":             conditional,
			"preproc_call":              walk.Nothing,
			"preproc_def":               walk.Nothing,
			"preproc_function_def":      walk.Nothing,
			"preproc_include":           walk.Nothing,
			"type_definition":           walk.Nothing,
			"struct_specifier":          walk.Nothing,
			"union_specifier":           walk.Nothing,
			"enum_specifier":            walk.Nothing,
			"linkage_specification":     walk.Inline,
			"declaration_list":          walk.Inline,
			"gnu_asm_expression":        walk.Inline,
			"static_assert_declaration": walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"assignment_expression":      assign,
			"update_expression":          func(b *walk.Builder, n syntax.Node) { b.Update(b.Child(n, "argument"), 0) },
			"conditional_expression":     ternary,
			"gnu_asm_expression":         assembler,
			"preproc_if":                 within,
			"preproc_ifdef":              within,
			"target:array_declarator":    array,
			"target:function_declarator": func(b *walk.Builder, n syntax.Node) { b.Target(b.Child(n, "declarator")) },
			"target:pointer_expression":  pointed,
		},
		Operand:  walk.Kinds("declaration", "preproc_if", "preproc_ifdef", "gnu_asm_expression", "struct_specifier", "union_specifier", "enum_specifier"),
		Values:   true,
		Names:    walk.Kinds("identifier"),
		Members:  map[string]walk.Member{"field_expression": {Object: "argument", Part: "field"}},
		Elements: map[string]walk.Member{"subscript_expression": {Object: "argument", Part: "index"}},
		Calls:    map[string]walk.CallForm{"call_expression": {Callee: "function", Args: "arguments"}},
		Skip: walk.Kinds("primitive_type", "sized_type_specifier", "type_identifier", "type_descriptor", "type_qualifier", "storage_class_specifier", "attribute_specifier",
			"attribute_declaration", "ms_call_modifier", "ms_declspec_modifier", "field_identifier", "statement_identifier", "field_designator", "sizeof_expression",
			"alignof_expression", "offsetof_expression", "number_literal", "char_literal", "string_literal", "system_lib_string", "true", "false", "null",
			"struct_specifier", "union_specifier", "enum_specifier", "macro_type_specifier", "preproc_call", "preproc_def", "preproc_function_def"),
		Logic: walk.Logic{
			Binary: walk.Kinds("binary_expression"), Unary: map[string]string{"unary_expression": "argument"}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("&&"), Or: walk.Kinds("||"), Not: walk.Kinds("!"),
		},
		Loops: walk.Kinds(),
		Gotos: true,
		Address: func(b *walk.Builder, n syntax.Node) bool {
			return b.Kind(n) == "pointer_expression" && b.Is(b.Child(n, "operator"), "&")
		},
		Fixed:   map[string]bool{"true": true, "1": true, "false": false, "0": false},
		Scalars: walk.Kinds("number_literal", "char_literal", "string_literal", "concatenated_string", "true", "false", "null", "sizeof_expression", "unary_expression"),
		Holds: walk.Kinds("pointer_expression", "cast_expression", "conditional_expression", "binary_expression", "initializer_list", "initializer_pair", "compound_literal_expression",
			"comma_expression", "update_expression"),
		Pure: walk.Kinds("strlen", "strcmp", "strncmp", "strcasecmp", "memcmp", "printf", "fprintf", "puts", "fputs", "putchar", "isdigit", "isspace", "isalpha", "isalnum", "tolower",
			"toupper", "abs", "atoi", "free", "exit", "perror"),
	}
}

// ends are the functions after which the program does not go on.
var ends = walk.Kinds("abort", "exit", "_exit", "_Exit", "quick_exit", "longjmp", "siglongjmp", "err", "errx", "verr", "verrx", "__builtin_unreachable", "__builtin_trap",
	"unreachable", "std::abort", "std::exit", "std::_Exit", "std::quick_exit", "std::terminate", "std::longjmp", "std::unreachable", "::exit", "::abort", "::_exit", "pthread_exit")

// nameOf finds the name of a function within its declarator.
func nameOf(t *syntax.Tree, n syntax.Node) syntax.Node {
	d := declarator(t, n)
	for d != 0 {
		switch t.Kind(d) {
		case "function_declarator", "pointer_declarator", "array_declarator", "attributed_declarator":
			d = declarator(t, d)
		case "reference_declarator", "parenthesized_declarator":
			d = t.NamedChild(d, 0)
		default:
			return d
		}
	}
	return 0
}

func declarator(t *syntax.Tree, n syntax.Node) syntax.Node { return t.Child(n, "declarator") }

// signature returns the declarator that has the parameters of a function.
func signature(t *syntax.Tree, n syntax.Node) syntax.Node {
	found := syntax.Node(0)
	for d := declarator(t, n); d != 0; {
		switch t.Kind(d) {
		case "function_declarator", "abstract_function_declarator":
			found = d // the innermost: the outer ones are of what it returns
		}
		next := declarator(t, d)
		if next == 0 && (t.Kind(d) == "reference_declarator" || t.Kind(d) == "parenthesized_declarator") {
			next = t.NamedChild(d, 0)
		}
		d = next
	}
	return found
}

// parameters writes those of a function; in C++, what its members are made of, too.
func parameters(b *walk.Builder, n syntax.Node) {
	for p := range b.NamedChildren(b.Child(signature(b.Tree, n), "parameters")) {
		parameter(b, p)
	}
	for p := range b.NamedChildren(n) { // int f(a) int a; {}
		if b.Kind(p) == "declaration" {
			for d := range b.NamedChildren(p) {
				if b.Field(d) == "declarator" {
					b.Param(d)
				}
			}
		}
	}
	for init := range b.NamedChildren(b.ChildOf(n, "field_initializer_list")) {
		for part := range b.NamedChildren(init) {
			if b.Kind(part) != "field_identifier" {
				b.Expr(part)
			}
		}
		if field := b.ChildOf(init, "field_identifier"); field != 0 {
			b.Write(field)
		}
	}
}

func parameter(b *walk.Builder, p syntax.Node) {
	d := declarator(b.Tree, p)
	if b.Kind(p) == "identifier" {
		d = p
	}
	if d == 0 {
		return
	}
	write := func() { b.Param(d) }
	if whole(b, p, d) {
		b.Scalar(write)
	} else {
		write()
	}
}

// whole reports whether a declaration is one of a number.
func whole(b *walk.Builder, n, d syntax.Node) bool {
	if b.Kind(d) == "init_declarator" {
		d = declarator(b.Tree, d)
	}
	kind := b.Kind(b.Child(n, "type"))
	return b.Kind(d) == "identifier" && (kind == "primitive_type" || kind == "sized_type_specifier")
}

// block writes the statements of a block. A call without a semicolon before another block is
// the head of a loop that a macro makes, most often.
func block(b *walk.Builder, n syntax.Node) {
	b.Scoped(func() { statements(b, n) })
}

func statements(b *walk.Builder, n syntax.Node) {
	var head syntax.Node
	for c := range b.NamedChildren(n) {
		switch {
		case head != 0 && b.Kind(c) == "compound_statement":
			call := head
			b.Gap(call, "a macro is read as a loop")
			walk.EachForm{Right: "function", Head: func(b *walk.Builder, _ syntax.Node) { b.Expr(call) }}.Of(b, call, c)
			head = 0
			continue
		case head != 0:
			b.Stmt(head)
			head = 0
		}
		if b.Kind(c) == "expression_statement" && b.Kind(b.NamedChild(c, 0)) == "call_expression" && open(b, c) {
			head = c
			continue
		}
		b.Stmt(c)
	}
	if head != 0 {
		b.Stmt(head)
	}
}

// open reports whether the semicolon of a statement is missing.
func open(b *walk.Builder, n syntax.Node) bool {
	for c := range b.Tree.Children(n) {
		if b.Missing(c) {
			return true
		}
	}
	return false
}

// expression is a step; some calls do not come back.
func expression(b *walk.Builder, n syntax.Node) {
	x := b.NamedChild(n, 0)
	if x == 0 {
		return
	}
	if b.Kind(x) == "call_expression" {
		name := b.Text(b.Child(x, "function"))
		if ends[name] {
			b.Jump(b.Step(walk.Raise, n, func() { b.Expr(x) }), walk.ToLeave, "", walk.Raised)
			return
		}
		if cond := b.NamedChild(b.Child(x, "arguments"), 0); name == "assert" && cond != 0 {
			b.Assert(n, cond, 0)
			return
		}
	}
	b.Step(walk.Plain, n, func() {
		b.Expr(x)
		if b.Kind(x) == "call_expression" {
			leaves(b, b.Text(b.Child(x, "function")))
		}
	})
}

// declaration writes variables, a step for each; types and functions are none.
func declaration(b *walk.Builder, n syntax.Node) {
	first := true
	for d := range b.NamedChildren(n) {
		if b.Field(d) != "declarator" {
			continue
		}
		switch b.Kind(d) {
		case "function_declarator":
			constructed(b, n, d)
			continue
		case "init_declarator":
		default:
			if v := b.Child(n, "value"); v != 0 { // if (int x = f())
				b.Step(walk.Plain, n, func() { b.Give(d, v, b.Declare) })
				continue
			}
		}
		write := func() {
			b.Step(walk.Plain, d, func() {
				if b.Kind(d) == "init_declarator" {
					b.Give(declarator(b.Tree, d), b.Child(d, "value"), b.Declare)
				} else {
					b.Declare(d)
				}
			})
		}
		if first {
			b.Head(n)
			first = false
		}
		switch {
		case whole(b, n, d):
			b.Scalar(write)
		case b.Kind(declarator(b.Tree, d)) == "reference_declarator":
			b.Refers(write)
		default:
			write()
		}
	}
}

// constructed tells a variable with arguments for its constructor, T x(a, b), from the
// declaration of a function: in that there are names of parameters, or types that are no names.
func constructed(b *walk.Builder, n, d syntax.Node) {
	name := declarator(b.Tree, d)
	if b.Kind(name) == "parenthesized_declarator" { // a pointer to a function
		b.Step(walk.Plain, n, func() { b.Declare(d) })
		return
	}
	list := b.Child(d, "parameters")
	if b.Kind(name) != "identifier" || b.NamedChild(list, 0) == 0 {
		return
	}
	for p := range b.NamedChildren(list) {
		if b.Kind(p) != "parameter_declaration" || b.Kind(b.NamedChild(p, 0)) != "type_identifier" || b.NamedChild(p, 1) != 0 {
			return
		}
	}
	b.Step(walk.Plain, n, func() {
		for p := range b.NamedChildren(list) {
			b.Read(b.NamedChild(p, 0))
		}
		b.Declare(name)
	})
}

func attributed(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Kind(c) != "attribute_declaration" {
			b.Stmt(c)
		}
	}
}

func jump(b *walk.Builder, n syntax.Node) {
	label := b.Child(n, "label")
	id := b.Step(walk.Jump, n, nil)
	if b.ChildOf(n, "ERROR") != 0 {
		b.Gap(n, "where a computed goto goes is not known")
		b.Jump(id, walk.ToExit, "", walk.Went)
		return
	}
	b.Jump(id, walk.ToLabel, b.Text(label), walk.Went)
}

func assign(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "left"), b.Child(n, "right")
	if op := b.Child(n, "operator"); op != 0 && !b.Is(op, "=") {
		b.Update(left, right)
		return
	}
	b.Give(left, right, b.Assign)
}

// ternary is c ? x : y.
func ternary(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "condition"))
	b.Decide(func() {
		b.Expr(b.Child(n, "consequence"))
		b.Expr(b.Child(n, "alternative"))
	})
}

// assembler reads its inputs and writes its outputs.
func assembler(b *walk.Builder, n syntax.Node) {
	if b.Child(n, "goto_labels") != 0 {
		b.Gap(n, "where the assembler goes is not known")
	}
	for operand := range b.NamedChildren(b.Child(n, "input_operands")) {
		b.Expr(b.Child(operand, "value"))
	}
	for operand := range b.NamedChildren(b.Child(n, "output_operands")) {
		b.Assign(b.Child(operand, "value"))
	}
}

func array(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "size"))
	b.Target(declarator(b.Tree, n))
}

// pointed writes *p = x: what p points at is changed.
func pointed(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "argument"))
	b.Change(b.Child(n, "argument"))
}
