// Package java lowers Java: what its classes declare and what its methods call,
// in the form of package ir.
//
// Variables, methods and types have name spaces of their own in Java. A call
// without an object is therefore always a free name, even next to a local variable
// of that name, and the name of a type is local only if a class is declared in
// the method.
package java

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxDepth bounds the nesting that is followed. Real code stays below 100.
const maxDepth = 1000

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{Tree: t, b: ir.NewBuilder(language, t.Source())}
	for n := range t.NamedChildren(t.Root()) {
		l.top(n)
	}
	return l.b.File()
}

// A lowerer lowers one file.
type lowerer struct {
	*syntax.Tree
	b     *ir.Builder
	depth int

	classes []enclosing
	results []ir.Var        // of the switch expressions around, innermost last: what yield assigns to
	local   map[ir.Var]bool // the variables that stand for classes declared in methods
	buf     []ir.Arg        // a stack of the argument lists being made
}

// An enclosing is a class that is being written.
type enclosing struct {
	name string
	// Of a class within a method: its fields, which hide the method's variables,
	// and the first variable made in the class.
	fields map[string]bool
	first  ir.Var

	components syntax.Node // the parameter list of a record
}

func (l *lowerer) top(n syntax.Node) {
	switch l.Kind(n) {
	case "package_declaration":
		for c := range l.NamedChildren(n) {
			switch l.Kind(c) {
			case "scoped_identifier", "identifier":
				l.b.Raw().Package = l.b.Str(l.dotted(c))
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
		info.Module, info.Name = l.b.Str(l.dotted(path)), l.b.Str("*")
		l.b.AddImport(info, "", false, l.Start(path))
		return
	}
	name := l.Child(path, "name")
	if name == 0 {
		return // import C; of the unnamed package: Java does not have it
	}
	info.Module, info.Name = l.b.Str(l.dotted(l.Child(path, "scope"))), l.b.Str(l.Text(name))
	l.b.AddImport(info, l.Text(name), false, l.Start(name))
}

// dotted returns the text of a path without the blanks and comments in it.
func (l *lowerer) dotted(n syntax.Node) string {
	text := l.Text(n)
	if !strings.ContainsAny(text, " \t\r\n/") {
		return text
	}
	if l.Kind(n) != "scoped_identifier" || l.depth >= maxDepth {
		return strings.TrimSpace(text)
	}
	l.depth++
	defer func() { l.depth-- }()
	return l.dotted(l.Child(n, "scope")) + "." + l.Text(l.Child(n, "name"))
}

// nothing is a value that is not known, and holds nothing.
func (l *lowerer) nothing() ir.Expr { return l.b.Expr(ir.Node{Op: ir.Opaque}) }

// or returns x, or a value that is not known where x is none, for places that
// must not be left out: arguments are counted.
func (l *lowerer) or(x ir.Expr) ir.Expr {
	if x == 0 {
		return l.nothing()
	}
	return x
}

// name is the use of a variable, a field or the first part of a path.
func (l *lowerer) name(n syntax.Node) ir.Expr {
	name := l.Text(n)
	if v := l.b.Lookup(name); v != 0 && !l.hidden(name, v) {
		return l.b.Local(v, l.Start(n))
	}
	return l.b.Free(name, l.Start(n))
}

// hidden reports whether a field of a class within a method hides a variable of
// the method.
func (l *lowerer) hidden(name string, v ir.Var) bool {
	for i := len(l.classes) - 1; i >= 0; i-- {
		if c := &l.classes[i]; v < c.first && c.fields[name] {
			return true
		}
	}
	return false
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
	for c := range l.NamedChildren(list) {
		if k := l.Kind(c); k == "marker_annotation" || k == "annotation" {
			l.b.Eval(l.annotation(c))
		}
	}
}

func (l *lowerer) annotation(n syntax.Node) ir.Expr {
	mark := len(l.buf)
	l.buf = append(l.buf, ir.Arg{X: l.path(l.Child(n, "name"))})
	for c := range l.NamedChildren(l.Child(n, "arguments")) {
		if l.Kind(c) == "element_value_pair" {
			c = l.Child(c, "value")
		}
		l.push(l.expr(c))
	}
	return l.opaque(mark)
}

// path is a dotted name as an expression.
func (l *lowerer) path(n syntax.Node) ir.Expr {
	if l.depth >= maxDepth {
		return 0
	}
	l.depth++
	defer func() { l.depth-- }()
	switch l.Kind(n) {
	case "identifier":
		return l.b.Free(l.Text(n), l.Start(n))
	case "scoped_identifier":
		name := l.Child(n, "name")
		return l.b.Attr(l.path(l.Child(n, "scope")), l.Text(name), l.Start(name))
	}
	return 0
}

// push adds an expression to the list being made, if it is one.
func (l *lowerer) push(x ir.Expr) {
	if x != 0 {
		l.buf = append(l.buf, ir.Arg{X: x})
	}
}

// take ends the list begun at mark. It is valid until the next push.
func (l *lowerer) take(mark int) []ir.Arg {
	args := l.buf[mark:]
	l.buf = l.buf[:mark]
	return args
}

// opaque ends the list begun at mark and makes an Opaque of it.
func (l *lowerer) opaque(mark int) ir.Expr {
	args := l.take(mark)
	xs := make([]ir.Expr, len(args))
	for i, a := range args {
		xs[i] = a.X
	}
	return l.b.Opaque(xs...)
}
