// Package lower lowers Java: what its classes declare and what its methods call,
// in the form of package ir.
//
// Variables, methods and types have name spaces of their own in Java. A call
// without an object is therefore always a free name, even next to a local variable
// of that name, and the name of a type is local only if a class is declared in
// the method.
package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{Walker: walk.New(language, t)}
	for n := range t.NamedChildren(t.Root()) {
		l.top(n)
	}
	return l.File()
}

// A lowerer lowers one file.
type lowerer struct {
	walk.Walker

	results []ir.Var // of the switch expressions around, innermost last: what yield assigns to
}

func (l *lowerer) top(n syntax.Node) {
	switch l.Kind(n) {
	case "package_declaration":
		for c := range l.NamedChildren(n) {
			switch l.Kind(c) {
			case "scoped_identifier", "identifier":
				l.Raw().Package = l.Str(l.dotted(c))
			}
		}
	case "import_declaration":
		l.importDeclaration(n)
	default:
		l.stmt(n)
	}
}

func (l *lowerer) importDeclaration(n syntax.Node) {
	var info ir.ImportInfo
	path := syntax.Node(0)
	all := false
	for c := range l.Children(n) {
		switch l.Kind(c) {
		case "static":
			info.Flags |= ir.StaticName
		case "asterisk":
			all = true
		case "scoped_identifier", "identifier":
			path = c
		}
	}
	if path == 0 {
		return
	}
	if all {
		info.Module, info.Name = l.Str(l.dotted(path)), l.Str("*")
		l.AddImport(info, "", false, l.Start(path))
		return
	}
	name := l.Child(path, "name")
	if name == 0 {
		return // import C; of the unnamed package: Java does not have it
	}
	info.Module, info.Name = l.Str(l.dotted(l.Child(path, "scope"))), l.Str(l.Text(name))
	l.AddImport(info, l.Text(name), false, l.Start(name))
}

// dotted returns the text of a path without the blanks and comments in it.
func (l *lowerer) dotted(n syntax.Node) string {
	text := l.Text(n)
	if !strings.ContainsAny(text, " \t\r\n/") {
		return text
	}
	if l.Kind(n) != "scoped_identifier" || !l.Enter(n) {
		return strings.TrimSpace(text)
	}
	defer l.Leave()
	return l.dotted(l.Child(n, "scope")) + "." + l.Text(l.Child(n, "name"))
}

// name is the use of a variable, a field or the first part of a path.
func (l *lowerer) name(n syntax.Node) ir.Expr {
	return l.VariableOrFree(l.Text(n), l.Start(n))
}

// modifiers are the words and annotations before a declaration.
type modifiers struct {
	static, private, abstract, native, public, isDefault bool
	test                                                 bool
	annotations                                          syntax.Node // the list that has them, or none
}

func (l *lowerer) modifiers(n syntax.Node) modifiers {
	var m modifiers
	list := l.ChildOf(n, "modifiers")
	for c := range l.Children(list) {
		switch l.Kind(c) {
		case "static":
			m.static = true
		case "private":
			m.private = true
		case "public":
			m.public = true
		case "abstract":
			m.abstract = true
		case "native":
			m.native = true
		case "default":
			m.isDefault = true
		case "marker_annotation", "annotation":
			m.annotations = list
			if isTest(l.lastName(l.Child(c, "name"))) {
				m.test = true
			}
		}
	}
	return m
}

// isTest names the annotations of JUnit and TestNG that make a method a test.
func isTest(name string) bool {
	switch name {
	case "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property":
		return true
	}
	return false
}

func (l *lowerer) lastName(n syntax.Node) string {
	if l.Kind(n) == "scoped_identifier" {
		n = l.Child(n, "name")
	}
	return l.Text(n)
}

// annotate evaluates the annotations of a declaration where it is written: they
// are references to the annotation types and to what their arguments name.
func (l *lowerer) annotate(list syntax.Node) {
	for c := range l.OfKind(list, "marker_annotation", "annotation") {
		l.Eval(l.annotation(c))
	}
}

func (l *lowerer) annotation(n syntax.Node) ir.Expr {
	mark := l.Mark()
	l.Push(l.path(l.Child(n, "name")))
	for c := range l.NamedChildren(l.Child(n, "arguments")) {
		if l.Kind(c) == "element_value_pair" {
			c = l.Child(c, "value")
		}
		l.Push(l.expr(c))
	}
	return l.TakeOpaque(mark)
}

// path is a dotted name as an expression.
func (l *lowerer) path(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier":
		return l.Free(l.Text(n), l.Start(n))
	case "scoped_identifier":
		name := l.Child(n, "name")
		return l.Attr(l.path(l.Child(n, "scope")), l.Text(name), l.Start(name))
	}
	return 0
}
