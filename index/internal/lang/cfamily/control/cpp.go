package control

import (
	"maps"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Cpp returns what is known of C++.
func Cpp() *walk.Grammar {
	g := C()
	maps.Copy(g.Functions, map[string]walk.Function{
		"lambda_expression": {Body: "body", Bind: lambda},
	})
	maps.Copy(g.Statements, map[string]walk.Rule{
		"for_range_loop":             walk.EachForm{Left: "declarator", Right: "right", Body: "body", Bind: func(b *walk.Builder, _, left syntax.Node) { b.Declare(left) }}.Rule(),
		"try_statement":              walk.TryForm{Body: "body", Catches: []string{"catch_clause"}, Catch: catch, Handler: "body", IsAny: catchesAll}.Rule(),
		"throw_statement":            walk.RaiseRule,
		"co_return_statement":        walk.ReturnRule,
		"co_yield_statement":         yields,
		"init_statement":             walk.Inline,
		"namespace_definition":       func(b *walk.Builder, n syntax.Node) { b.Stmt(b.Child(n, "body")) },
		"template_declaration":       template,
		"class_specifier":            walk.Nothing,
		"using_declaration":          walk.Nothing,
		"alias_declaration":          walk.Nothing,
		"namespace_alias_definition": walk.Nothing,
		"concept_definition":         walk.Nothing,
		"template_instantiation":     walk.Nothing,
		"friend_declaration":         walk.Nothing,
	})
	maps.Copy(g.Expressions, map[string]walk.Rule{
		"lambda_capture_specifier":             walk.Nothing,
		"target:reference_declarator":          only,
		"target:structured_binding_declarator": bindings,
		"throw_expression":                     func(b *walk.Builder, n syntax.Node) { b.Children(n) },
	})
	maps.Copy(g.Names, walk.Kinds("qualified_identifier", "this"))
	maps.Copy(g.Operand, walk.Kinds("class_specifier", "init_statement"))
	maps.Copy(g.Skip, walk.Kinds("template_argument_list", "auto", "placeholder_type_specifier", "decltype", "namespace_identifier", "class_specifier", "dependent_type",
		"dependent_name", "trailing_return_type", "noexcept", "throw_specifier", "virtual_specifier", "operator_name", "raw_string_literal", "user_defined_literal",
		"requires_clause", "requires_expression", "template_type", "access_specifier", "literal_suffix", "explicit_function_specifier"))
	g.Elements = map[string]walk.Member{"subscript_expression": {Object: "argument", Part: "indices"}}
	maps.Copy(g.Calls, map[string]walk.CallForm{"new_expression": {Callee: "type", Args: "arguments"}})
	g.Logic.Clause = walk.Kinds("condition_clause")
	maps.Copy(g.Logic.And, walk.Kinds("and"))
	maps.Copy(g.Logic.Or, walk.Kinds("or"))
	maps.Copy(g.Logic.Not, walk.Kinds("not"))
	maps.Copy(g.Pure, walk.Kinds("std::move", "std::forward", "std::max", "std::min", "std::strlen", "std::strcmp", "std::abs", "std::printf", "std::make_pair", "std::to_string",
		"std::make_tuple", "std::isdigit", "std::isspace", "int", "double", "char", "bool", "float", "long", "unsigned", "size_t", "std::size_t", "std::string"))
	g.Paths = map[string]string{"qualified_identifier": "name", "template_function": "name", "template_method": "name", "dependent_name": "name"}
	g.Clauses = map[string][]string{"try_statement": {"catch_clause"}}
	g.Awaits = walk.Kinds("co_await_expression")
	g.Reference, g.Raises = true, true
	return g
}

// lambda writes the parameters of a closure and the variables that it makes of what it captures.
func lambda(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(b.Child(n, "captures")) {
		if b.Kind(c) == "assignment_expression" {
			b.Expr(b.Child(c, "right"))
			b.Declare(b.Child(c, "left"))
		}
	}
	for p := range b.NamedChildren(b.Child(signature(b.Tree, n), "parameters")) {
		parameter(b, p)
	}
}

func catch(b *walk.Builder, c syntax.Node) {
	if d := declarator(b.Tree, b.NamedChild(b.Child(c, "parameters"), 0)); d != 0 {
		b.Declare(d)
	}
}

// catchesAll reports whether a handler is catch (...).
func catchesAll(b *walk.Builder, c syntax.Node) bool {
	return b.NamedChild(b.Child(c, "parameters"), 0) == 0
}

func yields(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		b.Children(n)
		b.Yield()
	})
}

func template(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Field(c) != "parameters" {
			b.Stmt(c)
		}
	}
}

func only(b *walk.Builder, n syntax.Node) { b.Target(b.NamedChild(n, 0)) }

func bindings(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		b.Target(c)
	}
}
