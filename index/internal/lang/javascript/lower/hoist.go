package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// hoist declares what the body of a function declares, before anything in it is
// lowered: every var inside of it, and what its own block declares.
func (l *lowerer) hoist(body syntax.Node) {
	l.Each(body, l.hoistVars)
	l.hoistBlock(body)
	l.hoistPrototypes(body)
}

// hoistVars declares the variables of var in a statement, not in the functions
// inside of it.
func (l *lowerer) hoistVars(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "variable_declaration":
		for d := range l.NamedChildren(n) {
			l.declarePattern(l.Child(d, "name"), l.DeclareFunc)
		}
	case "for_in_statement":
		if l.Is(l.Child(n, "kind"), "var") {
			l.declarePattern(l.Child(n, "left"), l.DeclareFunc)
		}
		l.hoistVars(l.Child(n, "body"))
	case "statement_block", "if_statement", "else_clause", "for_statement", "while_statement", "do_statement",
		"try_statement", "catch_clause", "finally_clause", "switch_statement", "switch_body", "switch_case",
		"switch_default", "labeled_statement":
		l.Each(n, l.hoistVars)
	}
}

// hoistBlock declares what the statements of one block declare: let, const,
// functions, classes and types. At the top of the file nothing needs to be.
func (l *lowerer) hoistBlock(n syntax.Node) {
	l.Each(n, l.hoistLexical)
}

func (l *lowerer) hoistLexical(c syntax.Node) {
	if l.AtTop() || l.Class() != 0 {
		return
	}
	switch l.Kind(c) {
	case "lexical_declaration":
		for d := range l.NamedChildren(c) {
			l.declarePattern(l.Child(d, "name"), l.Declare)
		}
	case "function_declaration", "generator_function_declaration":
		if at := l.Child(c, "name"); at != 0 {
			l.Declare(l.Text(at), l.Start(at))
		}
	case "class_declaration", "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration":
		if at := l.Child(c, "name"); at != 0 {
			l.typeVar(l.Declare(l.Text(at), l.Start(at)))
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
