// Package control says what the nodes of PHP's trees do: how control moves on, and what is
// read and written.
//
// Any call may write a variable that it is given, as it may take it by reference. What names
// variables at run time ($$name, extract, a reference to a variable) is a gap.
package control

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of PHP.
func Grammar() *walk.Grammar {
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"function_definition":                    {Name: "name", Params: "parameters", Body: "body"},
			"method_declaration":                     {Name: "name", Params: "parameters", Body: "body"},
			"anonymous_function_creation_expression": {Body: "body", Bind: closure, Open: true},
			"arrow_function":                         {Params: "parameters", Body: "body", Open: true},
		},
		Statements: map[string]walk.Rule{
			"compound_statement":          walk.Inline,
			"colon_block":                 walk.Inline,
			"if_statement":                walk.IfForm{Cond: "condition", Then: "body", Else: "alternative", Elif: "else_if_clause"}.Rule(),
			"else_clause":                 body,
			"while_statement":             walk.LoopForm{Cond: "condition", Body: "body"}.While(),
			"do_statement":                walk.LoopForm{Cond: "condition", Body: "body"}.Do(),
			"for_statement":               walk.LoopForm{Init: "initialize", Cond: "condition", Update: "update", Body: "body"}.While(),
			"foreach_statement":           walk.EachForm{Body: "body", Head: each}.Rule(),
			"switch_statement":            walk.SwitchForm{Value: "condition", Body: "body", Cases: []string{"case_statement"}, Values: "value", Default: "default_statement", Falls: true}.Rule(),
			"match_expression":            walk.SwitchForm{Value: "condition", Body: "body", Cases: []string{"match_conditional_expression"}, Values: "conditional_expressions", Default: "match_default_expression", Raises: true, Case: arm}.Rule(),
			"try_statement":               walk.TryForm{Body: "body", Catches: []string{"catch_clause"}, Finally: []string{"finally_clause"}, Catch: catch, Handler: "body", IsAny: catchesAll}.Rule(),
			"finally_clause":              body,
			"break_statement":             func(b *walk.Builder, n syntax.Node) { jump(b, n, walk.ToBreak, walk.Broken) },
			"continue_statement":          func(b *walk.Builder, n syntax.Node) { jump(b, n, walk.ToContinue, walk.Continued) },
			"goto_statement":              walk.Goto,
			"named_label_statement":       walk.Labeled(""),
			"return_statement":            walk.ReturnRule,
			"throw_expression":            walk.RaiseRule,
			"exit_statement":              exit,
			"expression_statement":        expression,
			"echo_statement":              all,
			"unset_statement":             unset,
			"global_declaration":          global,
			"function_static_declaration": static,
			"const_declaration":           all,
			"namespace_definition":        body,
			"declare_statement":           declare,
			"namespace_use_declaration":   walk.Nothing,
			"class_declaration":           walk.Nothing,
			"interface_declaration":       walk.Nothing,
			"trait_declaration":           walk.Nothing,
			"enum_declaration":            walk.Nothing,
			"text_interpolation":          walk.Nothing,
			"text":                        walk.Nothing,
			"php_tag":                     walk.Nothing,
			"empty_statement":             walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"assignment_expression":            func(b *walk.Builder, n syntax.Node) { b.Give(b.Child(n, "left"), b.Child(n, "right"), b.Assign) },
			"reference_assignment_expression":  reference,
			"augmented_assignment_expression":  augmented,
			"update_expression":                func(b *walk.Builder, n syntax.Node) { b.Update(b.Child(n, "argument"), 0) },
			"binary_expression":                binary,
			"conditional_expression":           conditional,
			"throw_expression":                 throws,
			"yield_expression":                 yields,
			"dynamic_variable_name":            dynamic,
			"function_call_expression":         call,
			"target:dynamic_variable_name":     dynamic,
			"target:list_literal":              list,
			"target:array_creation_expression": walkChildren,
			"target:array_element_initializer": element,
			"target:pair":                      walkChildren,
			"target:by_ref":                    walkChildren,
		},
		Operand:  walk.Kinds("throw_expression"),
		Values:   true,
		Raises:   true,
		Flat:     true,
		Closed:   true,
		Names:    walk.Kinds("variable_name", "scoped_property_access_expression"),
		Members:  map[string]walk.Member{"member_access_expression": {Object: "object", Part: "name"}, "nullsafe_member_access_expression": {Object: "object", Part: "name"}},
		Elements: map[string]walk.Member{"subscript_expression": {}},
		Calls: map[string]walk.CallForm{
			"function_call_expression":        {Callee: "function", Args: "arguments"},
			"member_call_expression":          {Callee: "name", Receiver: "object", Args: "arguments"},
			"nullsafe_member_call_expression": {Callee: "name", Receiver: "object", Args: "arguments"},
			"scoped_call_expression":          {Callee: "name", Args: "arguments"},
			"object_creation_expression":      {ArgsKind: "arguments"},
		},
		Paths: map[string]string{"qualified_name": ""},
		Skip: walk.Kinds("name", "qualified_name", "namespace_name", "namespace_name_as_prefix", "relative_scope", "class_constant_access_expression", "primitive_type", "named_type",
			"optional_type", "union_type", "intersection_type", "type_list", "cast_type", "integer", "float", "string", "boolean", "null", "nowdoc", "string_content", "string_value",
			"escape_sequence", "heredoc_start", "heredoc_end", "attribute_list", "declaration_list", "static_modifier", "reference_modifier", "visibility_modifier", "readonly_modifier",
			"base_clause", "class_interface_clause", "use_declaration", "text_interpolation", "php_tag", "text", "bottom_type"),
		Logic: walk.Logic{
			Binary: walk.Kinds("binary_expression"), Unary: map[string]string{"unary_op_expression": "argument"}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("&&", "and"), Or: walk.Kinds("||", "or"), Not: walk.Kinds("!"),
		},
		SwitchContinue: true,
		Reference:      true,
		Fixed:          map[string]bool{"true": true, "1": true, "TRUE": true, "false": false, "0": false, "FALSE": false},
		Scalars:        walk.Kinds("integer", "float", "string", "encapsed_string", "heredoc", "nowdoc", "boolean", "null", "unary_op_expression", "cast_expression"),
		Clauses:        map[string][]string{"try_statement": {"catch_clause", "finally_clause"}},
		Extends:        true,
		Copies:         walk.Kinds("array_values", "array_merge", "array_map", "array_filter", "array_slice", "array_reverse"),
		Holds:          walk.Kinds("array_creation_expression", "array_element_initializer", "conditional_expression"),
		Lists:          walk.Kinds("list_literal"),
		Pure: walk.Kinds("isset", "empty", "count", "sizeof", "strlen", "strpos", "str_replace", "substr", "trim", "ltrim", "rtrim", "explode", "implode", "join", "sprintf", "printf",
			"in_array", "array_key_exists", "array_keys", "array_values", "array_merge", "array_map", "array_filter", "is_array", "is_string", "is_int", "is_null", "is_object", "is_callable",
			"is_numeric", "is_bool", "intval", "strval", "strtolower", "strtoupper", "ucfirst", "lcfirst", "min", "max", "abs", "round", "floor", "ceil", "json_encode", "var_dump", "print_r",
			"get_class", "file_exists", "is_file", "is_dir", "method_exists", "class_exists", "function_exists", "property_exists", "str_starts_with", "str_ends_with", "str_contains",
			"array_unique", "array_slice", "array_reverse", "array_search", "array_sum", "range", "compact", "htmlspecialchars", "gettype", "get_debug_type", "spl_object_id", "dirname",
			"basename", "realpath", "strcmp", "str_repeat", "ord", "chr", "hash", "md5", "sha1", "serialize", "date", "ctype_digit"),
	}
}

func body(b *walk.Builder, n syntax.Node) { b.Stmt(b.Child(n, "body")) }

func all(b *walk.Builder, n syntax.Node) { b.Step(walk.Plain, n, func() { b.Children(n) }) }

func arm(b *walk.Builder, c syntax.Node) { b.Stmt(b.Child(c, "return_expression")) }

// closure writes the parameters of a function, and what it takes of the one around it.
func closure(b *walk.Builder, n syntax.Node) {
	for p := range b.NamedChildren(b.Child(n, "parameters")) {
		b.Param(p)
	}
	for v := range b.NamedChildren(b.ChildOf(n, "anonymous_function_use_clause")) {
		if b.Kind(v) == "by_ref" {
			v = b.NamedChild(v, 0)
		}
		b.Outside(b.Text(v), b.Start(v))
	}
}

// each writes the head of a foreach: what it is over, then the targets.
func each(b *walk.Builder, n syntax.Node) {
	block, i := b.Child(n, "body"), 0
	for c := range b.NamedChildren(n) {
		switch {
		case c == block:
		case i == 0:
			b.Expr(c)
		default:
			b.Assign(c)
		}
		i++
	}
}

func catch(b *walk.Builder, c syntax.Node) { b.Assign(b.Child(c, "name")) }

// catchesAll reports whether a handler is one of all errors.
func catchesAll(b *walk.Builder, c syntax.Node) bool {
	t := b.Child(c, "type")
	return b.Is(t, "Throwable") || b.Is(t, `\Throwable`)
}

// jump writes a break or continue of one loop or of several.
func jump(b *walk.Builder, n syntax.Node, op walk.JumpOp, kind walk.EdgeKind) {
	levels, err := strconv.Atoi(b.Text(b.NamedChild(n, 0)))
	if err != nil || levels < 1 {
		levels = 1
	}
	b.JumpOut(b.Step(walk.Jump, n, nil), op, levels-1, kind)
}

func exit(b *walk.Builder, n syntax.Node) {
	b.Jump(b.Step(walk.Raise, n, func() { b.Children(n) }), walk.ToLeave, "", walk.Raised)
}

// expression is a step; throw and exit do not come back.
func expression(b *walk.Builder, n syntax.Node) {
	switch x := b.NamedChild(n, 0); {
	case b.Kind(x) == "throw_expression":
		walk.RaiseRule(b, x)
	case b.Kind(x) == "match_expression":
		b.Stmt(x)
	case b.Kind(x) == "function_call_expression" && (b.Is(b.Child(x, "function"), "exit") || b.Is(b.Child(x, "function"), "die")):
		exit(b, n)
	default:
		all(b, n)
	}
}

func unset(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		for c := range b.NamedChildren(n) {
			b.Assign(c)
		}
	})
}

func global(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		b.Outside(b.Text(c), b.Start(c))
	}
}

func static(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		b.Step(walk.Plain, c, func() { b.Give(b.Child(c, "name"), b.Child(c, "value"), b.Assign) })
	}
}

func declare(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Kind(c) != "declare_directive" {
			b.Stmt(c)
		}
	}
}

// reference makes two names of one variable.
func reference(b *walk.Builder, n syntax.Node) {
	b.Give(b.Child(n, "left"), b.Child(n, "right"), b.Assign)
	b.Gap(n, "what is written by the other name of a reference is not followed")
}

func augmented(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "left"), b.Child(n, "right")
	if b.Is(b.Child(n, "operator"), "??=") {
		b.Expr(left)
		b.Decide(func() { b.Give(left, right, b.Assign) })
		return
	}
	b.Update(left, right)
}

// binary writes the right operand of some as one that may not be evaluated.
func binary(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "left"))
	switch b.Text(b.Child(n, "operator")) {
	case "&&", "||", "and", "or", "??":
		b.Decide(func() { b.Expr(b.Child(n, "right")) })
	default:
		b.Expr(b.Child(n, "right"))
	}
}

// conditional is c ? x : y, and c ?: y.
func conditional(b *walk.Builder, n syntax.Node) {
	b.Expr(b.Child(n, "condition"))
	b.Decide(func() {
		b.Expr(b.Child(n, "body"))
		b.Expr(b.Child(n, "alternative"))
	})
}

// throws is a throw within an expression: it may not be reached.
func throws(b *walk.Builder, n syntax.Node) {
	b.Decide(func() { b.Children(n) })
	b.May(walk.ToRaise, "", walk.Raised)
}

func yields(b *walk.Builder, n syntax.Node) {
	b.Children(n)
	b.Yield()
}

func dynamic(b *walk.Builder, n syntax.Node) {
	b.Children(n)
	b.Gap(n, "which variable is meant is known at run time only")
}

// naming are the functions that read or write variables by their names.
var naming = walk.Kinds("extract", "compact", "parse_str", "eval", "get_defined_vars")

func call(b *walk.Builder, n syntax.Node) {
	if naming[b.Text(b.Child(n, "function"))] {
		b.Gap(n, "which variables are meant is known at run time only")
	}
	b.Call(n)
}

func walkChildren(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		b.Target(c)
	}
}

// element is a part of a pattern, after its key.
func element(b *walk.Builder, n syntax.Node) {
	if value := b.NamedChild(n, 1); value != 0 {
		b.Expr(b.NamedChild(n, 0))
		b.Target(value)
		return
	}
	b.Target(b.NamedChild(n, 0))
}

// list writes the parts of [$a, 'key' => $b].
func list(b *walk.Builder, n syntax.Node) {
	var last syntax.Node
	for c := range b.Tree.Children(n) {
		switch {
		case b.Named(c):
			last = c
		case b.Is(c, "=>"):
			b.Expr(last)
			last = 0
		case last != 0:
			b.Target(last)
			last = 0
		}
	}
}
