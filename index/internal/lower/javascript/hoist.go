package javascript

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// hoist declares what the body of a function declares, before anything in it is
// lowered: every var inside of it, and what its own block declares.
func (l *lowerer) hoist(body syntax.Node) {
	for c := range l.t.NamedChildren(body) {
		l.hoistVars(c)
	}
	l.hoistBlock(body)
	l.hoistPrototypes(body)
}

// hoistVars declares the variables of var in a statement, not in the functions
// inside of it.
func (l *lowerer) hoistVars(n syntax.Node) {
	if l.depth >= maxDepth {
		return
	}
	switch l.t.Kind(n) {
	case "variable_declaration":
		for d := range l.t.NamedChildren(n) {
			l.declarePattern(l.t.Child(d, "name"), l.b.DeclareFunc)
		}
	case "for_in_statement":
		if l.is(l.t.Child(n, "kind"), "var") {
			l.declarePattern(l.t.Child(n, "left"), l.b.DeclareFunc)
		}
		l.hoistVars(l.t.Child(n, "body"))
	case "statement_block", "if_statement", "else_clause", "for_statement", "while_statement", "do_statement",
		"try_statement", "catch_clause", "finally_clause", "switch_statement", "switch_body", "switch_case",
		"switch_default", "labeled_statement":
		l.depth++
		for c := range l.t.NamedChildren(n) {
			l.hoistVars(c)
		}
		l.depth--
	}
}

// hoistBlock declares what the statements of one block declare: let, const,
// functions, classes and types. At the top of the file nothing needs to be.
func (l *lowerer) hoistBlock(n syntax.Node) {
	for c := range l.t.NamedChildren(n) {
		l.hoistLexical(c)
	}
}

func (l *lowerer) hoistLexical(c syntax.Node) {
	if l.b.AtTop() || l.b.Class() != 0 {
		return
	}
	switch l.t.Kind(c) {
	case "lexical_declaration":
		for d := range l.t.NamedChildren(c) {
			l.declarePattern(l.t.Child(d, "name"), l.b.Declare)
		}
	case "function_declaration", "generator_function_declaration":
		if at := l.t.Child(c, "name"); at != 0 {
			l.b.Declare(l.text(at), l.t.Start(at))
		}
	case "class_declaration", "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration":
		if at := l.t.Child(c, "name"); at != 0 {
			l.typeVar(l.b.Declare(l.text(at), l.t.Start(at)))
		}
	}
}

// typeVar notes that a variable names a type.
func (l *lowerer) typeVar(v ir.Var) {
	if l.types == nil {
		l.types = map[ir.Var]bool{}
	}
	l.types[v] = true
}
