// Package control says what the nodes of C#'s trees do: how control moves on, and what is read
// and written.
package control

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Grammar returns what is known of C#.
func Grammar() *walk.Grammar {
	method := walk.Function{Name: "name", Body: "body", Bind: params, Member: true}
	class := walk.Function{Name: "name", Body: "body", Bind: primary, Class: true, Member: true}
	return &walk.Grammar{
		Flows: flows,
		Functions: map[string]walk.Function{
			"method_declaration":              method,
			"constructor_declaration":         method,
			"destructor_declaration":          method,
			"operator_declaration":            {Body: "body", Bind: params},
			"conversion_operator_declaration": {Body: "body", Bind: params},
			"local_function_statement":        {Name: "name", Body: "body", Bind: params, SameSelf: true},
			"lambda_expression":               {Body: "body", Bind: params, SameSelf: true},
			"anonymous_method_expression":     {Body: "block#0", Bind: params, SameSelf: true},
			"property_declaration":            {Name: "name", Body: "value", Member: true},
			"indexer_declaration":             {Body: "value", Bind: params},
			"accessor_declaration":            {Body: "body", Bind: accessor},
			"class_declaration":               class,
			"struct_declaration":              class,
			"record_declaration":              class,
			"record_struct_declaration":       class,
			"interface_declaration":           class,
			"enum_declaration":                class,
		},
		Statements: map[string]walk.Rule{
			"compilation_unit":                  block,
			"block":                             block,
			"declaration_list":                  walk.Block,
			"namespace_declaration":             func(b *walk.Builder, n syntax.Node) { b.Stmt(b.Child(n, "body")) },
			"global_statement":                  walk.Inline,
			"finally_clause":                    walk.Inline,
			"arrow_expression_clause":           arrow,
			"field_declaration":                 walk.Inline,
			"event_field_declaration":           walk.Inline,
			"variable_declaration":              variables,
			"local_declaration_statement":       func(b *walk.Builder, n syntax.Node) { variables(b, b.ChildOf(n, "variable_declaration")) },
			"expression_statement":              func(b *walk.Builder, n syntax.Node) { b.Step(walk.Plain, n, func() { b.Children(n) }) },
			"if_statement":                      walk.IfForm{Cond: "condition", Then: "consequence", Else: "alternative", Leaks: true}.Rule(),
			"while_statement":                   walk.LoopForm{Cond: "condition", Body: "body"}.While(),
			"do_statement":                      walk.LoopForm{Cond: "condition", Body: "body"}.Do(),
			"for_statement":                     walk.LoopForm{Init: "initializer", Cond: "condition", Update: "update", Body: "body"}.While(),
			"foreach_statement":                 walk.EachForm{Left: "left", Right: "right", Body: "body", Bind: func(b *walk.Builder, n, left syntax.Node) { b.Typed(n, func() { b.Declare(left) }) }}.Rule(),
			"switch_statement":                  switchStatement,
			"switch_expression":                 switchExpression.Rule(),
			"try_statement":                     tries.Rule(),
			"using_statement":                   using,
			"lock_statement":                    headed,
			"fixed_statement":                   headed,
			"checked_statement":                 walk.Inline,
			"unsafe_statement":                  walk.Inline,
			"labeled_statement":                 walk.Labeled(""),
			"goto_statement":                    gotos,
			"break_statement":                   walk.Break,
			"continue_statement":                walk.Continue,
			"return_statement":                  walk.ReturnRule,
			"throw_statement":                   walk.RaiseRule,
			"throw_expression":                  walk.RaiseRule,
			"yield_statement":                   yields,
			"empty_statement":                   walk.Nothing,
			"enum_member_declaration_list":      walk.Nothing,
			"using_directive":                   walk.Nothing,
			"extern_alias_directive":            walk.Nothing,
			"delegate_declaration":              walk.Nothing,
			"attribute_list":                    walk.Nothing,
			"file_scoped_namespace_declaration": members,
			"preproc_if":                        preprocessor,
			"preproc_else":                      walk.Inline,
			"preproc_elif":                      preprocessor,
			"preproc_region":                    walk.Nothing,
			"preproc_endregion":                 walk.Nothing,
			"preproc_pragma":                    walk.Nothing,
			"preproc_nullable":                  walk.Nothing,
			"preproc_define":                    walk.Nothing,
			"preproc_undef":                     walk.Nothing,
			"preproc_warning":                   walk.Nothing,
			"preproc_error":                     walk.Nothing,
			"preproc_line":                      walk.Nothing,
		},
		Expressions: map[string]walk.Rule{
			"assignment_expression":          assignment,
			"prefix_unary_expression":        updated,
			"postfix_unary_expression":       updated,
			"argument":                       argument,
			"declaration_expression":         func(b *walk.Builder, n syntax.Node) { b.Declare(b.Child(n, "name")) },
			"target:declaration_expression":  func(b *walk.Builder, n syntax.Node) { b.Declare(b.Child(n, "name")) },
			"target:argument":                func(b *walk.Builder, n syntax.Node) { b.Target(b.Child(n, "#-1")) },
			"target:prefix_unary_expression": pointed,
			"is_pattern_expression": func(b *walk.Builder, n syntax.Node) {
				b.Expr(b.Child(n, "expression"))
				pattern(b, b.Child(n, "pattern"))
			},
			"is_expression":                        func(b *walk.Builder, n syntax.Node) { b.Expr(b.Child(n, "left")) },
			"initializer_expression":               initializer,
			"anonymous_object_creation_expression": named,
			"with_initializer":                     named,
			"query_expression":                     query,
		},
		Names: walk.Kinds("identifier", "implicit_parameter"),
		Members: map[string]walk.Member{
			"member_access_expression":      {Object: "expression", Part: "name"},
			"conditional_access_expression": {Object: "condition", Part: "member_binding_expression#0/name", Optional: "?#0"},
		},
		Elements: map[string]walk.Member{"element_access_expression": {Object: "expression", Part: "subscript"}},
		Calls: map[string]walk.CallForm{
			"invocation_expression":               {Callee: "function", Args: "arguments", Known: true},
			"object_creation_expression":          {Callee: "type", Args: "arguments", Known: true},
			"implicit_object_creation_expression": {Callee: "new#0", Args: "argument_list#0"},
			"constructor_initializer":             {Callee: "base|this#0", Args: "argument_list#0"},
		},
		Casts: map[string]func(*walk.Builder, syntax.Node) syntax.Node{
			"cast_expression": walk.Within("value"), "as_expression": walk.Within("left"), "ref_expression": walk.Only, "checked_expression": walk.Only, "postfix_unary_expression": notNull,
		},
		Skip: walk.Kinds("generic_name", "qualified_name", "alias_qualified_name", "predefined_type", "array_type", "nullable_type", "pointer_type", "tuple_type", "implicit_type", "ref_type", "type_argument_list",
			"type_parameter_list", "modifier", "attribute_list", "member_binding_expression", "integer_literal", "real_literal", "string_literal", "verbatim_string_literal", "raw_string_literal",
			"character_literal", "boolean_literal", "null_literal", "string_content", "interpolation_start", "interpolation_brace", "interpolation_quote", "interpolation_format_clause", "typeof_expression",
			"sizeof_expression", "default_expression", "base_list", "type_parameter_constraints_clause", "discard"),
		Logic: walk.Logic{
			Binary: walk.Kinds("binary_expression"), Unary: map[string]string{"prefix_unary_expression": "#0"}, Parens: walk.Kinds("parenthesized_expression"),
			And: walk.Kinds("&&"), Or: walk.Kinds("||"), Not: walk.Kinds("!"), Lazy: walk.Kinds("??"),
		},
		Ternary: map[string][3]string{"conditional_expression": {"condition", "consequence", "alternative"}},
		Values:  true,
		Raises:  true,
		Self:    walk.Kinds("this"),
		Blank:   "_",
		Value:   value,
		Fixed:   map[string]bool{"true": true, "false": false},
		Scalars: walk.Kinds("integer_literal", "real_literal", "string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression", "character_literal", "boolean_literal",
			"null_literal", "binary_expression", "is_expression", "is_pattern_expression", "typeof_expression", "sizeof_expression"),
		Lists:   walk.Kinds("tuple_expression", "tuple_pattern"),
		Indexed: true,
		Holds: walk.Kinds("initializer_expression", "object_creation_expression", "implicit_object_creation_expression", "array_creation_expression", "implicit_array_creation_expression",
			"anonymous_object_creation_expression", "argument_list", "argument", "tuple_expression", "conditional_expression", "binary_expression", "await_expression"),
		Pure: walk.Kinds("nameof", "Console.WriteLine", "Console.Write", "string.IsNullOrEmpty", "string.IsNullOrWhiteSpace", "string.Join", "string.Format", "string.Concat", "String.IsNullOrEmpty", "String.Join",
			"String.Format", "Math.Max", "Math.Min", "Math.Abs", "Math.Floor", "Math.Round", "int.Parse", "int.TryParse", "Debug.Assert", "ReferenceEquals", "Path.Combine", "ArgumentNullException.ThrowIfNull"),
		Clauses: map[string][]string{"try_statement": {"catch_clause", "finally_clause"}},
		Awaits:  walk.Kinds("await_expression"),
		Loops:   walk.Kinds("for_statement", "foreach_statement", "while_statement", "do_statement", "switch_statement"),
		Ahead:   ahead,
	}
}

// value reports whether a declaration has a type whose values do not change.
func value(b *walk.Builder, n syntax.Node) bool {
	t := b.Child(n, "type")
	return b.Kind(t) == "predefined_type" && !b.Is(t, "object")
}

// block writes the statements of a block: its functions are known in all of it, and what it
// uses is left at its end.
func block(b *walk.Builder, n syntax.Node) {
	b.Block(n, func() {
		var list []syntax.Node
		for c := range b.NamedChildren(n) {
			if b.Kind(c) == "local_function_statement" {
				b.Stmt(c)
			} else {
				list = append(list, c)
			}
		}
		write(b, list)
	})
}

// write writes statements; what comes after a declaration with "using" is left through its end.
func write(b *walk.Builder, list []syntax.Node) {
	for i, c := range list {
		b.Stmt(c)
		if b.Kind(c) == "local_declaration_statement" && b.Child(c, "using#0") != 0 {
			b.Finally(func() { write(b, list[i+1:]) }, func() { disposed(b, c, b.ChildOf(c, "variable_declaration")) })
			return
		}
	}
}

// disposed writes that the variables of a declaration, or a value, are left.
func disposed(b *walk.Builder, n, declared syntax.Node) {
	b.StepOf(walk.Exits, b.Start(n), b.End(declared), 0, func() {
		if b.Kind(declared) != "variable_declaration" {
			b.Expr(declared)
			return
		}
		for d := range b.NamedChildren(declared) {
			b.Expr(b.Child(d, "name"))
		}
	})
}

func using(b *walk.Builder, n syntax.Node) {
	b.Scoped(func() {
		b.Head(n)
		head := b.NamedChild(n, 0)
		b.Stmt(head)
		b.Finally(func() { b.Stmt(b.Child(n, "body")) }, func() { disposed(b, n, head) })
	})
}

// headed is a statement with a head and a block.
func headed(b *walk.Builder, n syntax.Node) {
	body := b.ChildOf(n, "block")
	b.Scoped(func() {
		if d := b.ChildOf(n, "variable_declaration"); d != 0 {
			b.Head(n)
			b.Stmt(d)
		} else if end := b.ChildOf(n, ")"); end != 0 {
			b.StepOf(walk.Plain, b.Start(n), b.End(end), 0, func() {
				for c := range b.Tree.Children(n) {
					if c != body && (b.Named(c) || b.Kind(c) == "this") {
						b.Expr(c)
					}
				}
			})
		}
		b.Stmt(body)
	})
}

func arrow(b *walk.Builder, n syntax.Node) {
	b.Jump(b.StepOf(walk.Return, b.Start(n), b.End(n), n, func() { b.Children(n) }), walk.ToExit, "", walk.Returned)
}

func yields(b *walk.Builder, n syntax.Node) {
	if b.Child(n, "break#0") != 0 {
		b.Jump(b.Step(walk.Return, n, nil), walk.ToExit, "", walk.Returned)
		return
	}
	b.Step(walk.Plain, n, func() {
		b.Children(n)
		b.Yield()
	})
}

// preprocessor writes what a condition of the preprocessor chooses: all of it.
func preprocessor(b *walk.Builder, n syntax.Node) {
	b.Gap(n, "what the preprocessor leaves out is not known")
	cond := b.Child(n, "condition")
	for c := range b.NamedChildren(n) {
		if c != cond {
			b.Stmt(c)
		}
	}
}
