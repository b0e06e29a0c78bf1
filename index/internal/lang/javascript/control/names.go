package control

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// ahead declares the names of a block: let, const, functions, classes, imports.
func ahead(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "export_statement":
			if d := b.Child(c, "declaration"); d != 0 {
				declared(b, d)
			}
		case "expression_statement":
			declared(b, b.NamedChild(c, 0))
		case "import_statement":
			imported(b, c, func(name syntax.Node) { b.DeclareHere(b.Text(name), b.Start(name)) })
		case "switch_case", "switch_default":
			ahead(b, c)
		default:
			declared(b, c)
		}
	}
}

// declared declares the names of a declaration.
func declared(b *walk.Builder, n syntax.Node) {
	here := func(name syntax.Node) { b.DeclareHere(b.Text(name), b.Start(name)) }
	switch b.Kind(n) {
	case "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration", "enum_declaration":
		if name := b.Child(n, "name"); name != 0 {
			here(name)
		}
	case "internal_module", "module":
		if name := outermost(b, b.Child(n, "name")); b.Kind(name) == "identifier" {
			here(name)
		}
	case "import_alias":
		here(b.NamedChild(n, 0))
	case "lexical_declaration":
		for d := range b.NamedChildren(n) {
			bound(b, b.Child(d, "name"), here)
		}
	}
}

// bound calls yield with the names that a pattern binds.
func bound(b *walk.Builder, n syntax.Node, yield func(name syntax.Node)) {
	switch b.Kind(n) {
	case "identifier", "shorthand_property_identifier_pattern":
		yield(n)
	case "pair_pattern":
		bound(b, b.Child(n, "value"), yield)
	case "assignment_pattern", "object_assignment_pattern":
		bound(b, b.Child(n, "left"), yield)
	case "object_pattern", "array_pattern", "rest_pattern":
		for c := range b.NamedChildren(n) {
			bound(b, c, yield)
		}
	}
}

// hoists declares the variables of a function that "var" declares anywhere in it.
func hoists(b *walk.Builder, _, body syntax.Node) {
	flat := func(name syntax.Node) { b.DeclareFlat(b.Text(name), b.Start(name)) }
	var visit func(n syntax.Node, depth int)
	visit = func(n syntax.Node, depth int) {
		switch b.Kind(n) {
		case "variable_declaration":
			for d := range b.NamedChildren(n) {
				bound(b, b.Child(d, "name"), flat)
			}
			return
		case "for_in_statement":
			if kind := b.Child(n, "kind"); kind != 0 && b.Is(kind, "var") {
				bound(b, b.Child(n, "left"), flat)
			}
		case "program", "statement_block", "export_statement", "if_statement", "else_clause", "for_statement", "while_statement", "do_statement", "with_statement",
			"try_statement", "catch_clause", "finally_clause", "labeled_statement", "switch_statement", "switch_body", "switch_case", "switch_default":
		default:
			return
		}
		if depth < maxNesting {
			for c := range b.NamedChildren(n) {
				visit(c, depth+1)
			}
		}
	}
	visit(body, 0)
}

// maxNesting bounds the statements within statements that are looked through for names.
const maxNesting = 1000

// imported calls yield with the names that an import declares.
func imported(b *walk.Builder, n syntax.Node, yield func(name syntax.Node)) {
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "import_specifier":
			if alias := b.Child(c, "alias"); alias != 0 {
				yield(alias)
			} else {
				yield(b.Child(c, "name"))
			}
		case "identifier":
			yield(c)
		case "import_clause", "named_imports", "namespace_import", "import_require_clause":
			imported(b, c, yield)
		}
	}
}

func imports(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() { imported(b, n, b.Declare) })
}

// alias is import a = b.c.
func alias(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		b.Expr(outermost(b, b.NamedChild(n, 1)))
		b.Declare(b.NamedChild(n, 0))
	})
}

// outermost returns the first name of a path.
func outermost(b *walk.Builder, n syntax.Node) syntax.Node {
	for b.Kind(n) == "nested_identifier" {
		n = b.NamedChild(n, 0)
	}
	return n
}

// exports writes what is exported: a declaration, a value, or names.
func exports(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		switch {
		case b.Kind(c) == "decorator":
			b.Stmt(c)
		case b.Field(c) == "declaration":
			b.Stmt(c)
		case b.Field(c) == "value" || b.Kind(c) == "identifier":
			b.Step(walk.Plain, n, func() { b.Expr(c) })
		case b.Kind(c) == "export_clause" && b.Child(n, "source") == 0:
			b.Step(walk.Plain, n, func() {
				for s := range b.NamedChildren(c) {
					b.Expr(b.Child(s, "name"))
				}
			})
		}
	}
}

// enum writes the members of an enumeration, which are names within it.
func enum(b *walk.Builder, n syntax.Node) {
	b.Step(walk.Plain, n, func() {
		b.Scoped(func() {
			for c := range b.NamedChildren(b.Child(n, "body")) {
				name := c
				if value := b.Child(c, "value"); value != 0 {
					name = b.Child(c, "name")
					b.Expr(value)
				}
				b.DeclareHere(b.Text(name), b.Start(name))
			}
		})
		b.Declare(b.Child(n, "name"))
	})
}

// namespace runs its body where it is written, with names of its own.
func namespace(b *walk.Builder, n syntax.Node) {
	name := outermost(b, b.Child(n, "name"))
	body := b.Child(n, "body")
	if body == 0 || b.Kind(name) != "identifier" {
		return
	}
	b.StepOf(walk.Define, b.Start(n), b.Start(body), 0, func() { b.Declare(name) })
	b.Scoped(func() { block(b, body) })
}
