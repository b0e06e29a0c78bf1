// Package lower lowers Kotlin: what its files declare and what they call, in the
// form of package ir.
//
// The grammar gives no names to the parts of a node, so they are told apart by
// their kinds and their order.
//
// What Kotlin has and the form has not:
//
//   - The primary constructor is a function without a name in its class; property
//     initialisers and init blocks, which see its parameters, are its body.
//   - The members of a companion object are static members of the class around
//     it, and, once more, members of a class named Companion, which has the bases.
//   - An operator is a call, marked as implicit, of the function that it stands for.
//   - A smart cast is a new variable of the same name.
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
	l := &lowerer{Walker: walk.New(language, t), funcs: []ir.Func{1}}
	l.body(t.Root())
	return l.File()
}

// A lowerer lowers one file.
type lowerer struct {
	walk.Walker

	funcs []ir.Func       // the functions around that are no lambdas, innermost last
	plain map[ir.Var]bool // variables that cannot be called: texts and numbers
}

// body lowers the statements or declarations of a file, class or block.
func (l *lowerer) body(n syntax.Node) {
	var property syntax.Node
	var accessors []syntax.Node // next to it: see propertyParts
	flush := func() {
		if property != 0 {
			l.topProperty(property, accessors)
			property, accessors = 0, nil
		}
	}
	top := l.AtTop()
	for c := range l.NamedChildren(n) {
		switch k := l.Kind(c); {
		case top && k == "property_declaration":
			flush()
			property = c
		case property != 0 && (k == "getter" || k == "setter"):
			accessors = append(accessors, c)
		default:
			flush()
			l.stmt(c)
		}
	}
	flush()
}

func (l *lowerer) packageHeader(n syntax.Node) {
	if id := l.ChildOf(n, "identifier"); id != 0 {
		l.Raw().Package = l.Str(l.dotted(id))
	}
}

func (l *lowerer) importHeader(n syntax.Node) {
	id := l.ChildOf(n, "identifier")
	if id == 0 {
		return
	}
	if l.ChildOf(n, "wildcard_import") != 0 {
		l.AddImport(ir.ImportInfo{Module: l.Str(l.dotted(id)), Name: l.Str("*")}, "", false, l.Start(id))
		return
	}
	last := l.LastChild(id)
	path := l.dotted(id)
	module, name := walk.SplitLast(path)
	info := ir.ImportInfo{Module: l.Str(module), Name: l.Str(name)}
	if alias := l.ChildOf(n, "import_alias"); alias != 0 {
		node := l.NamedChild(alias, 0)
		info.Alias = l.Str(l.ident(node))
		l.AddImport(info, l.ident(node), false, l.Start(node))
		return
	}
	l.AddImport(info, name, false, l.Start(last))
}

// dotted is a path as text, without blanks and backquotes.
func (l *lowerer) dotted(n syntax.Node) string {
	text := l.Text(n)
	if !strings.ContainsAny(text, "` \t\r\n/") {
		return text
	}
	var b strings.Builder
	for c := range l.NamedChildren(n) {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(l.ident(c))
	}
	return b.String()
}

// ident is a name without its backquotes.
func (l *lowerer) ident(n syntax.Node) string {
	return strings.Trim(l.Text(n), "`")
}

// name is the use of a variable, a property, a class or the first part of a path.
func (l *lowerer) name(n syntax.Node) ir.Expr {
	name := l.ident(n)
	if name == "" {
		return 0 // made up by the parser
	}
	return l.VariableOrFree(name, l.Start(n))
}

// after returns the expression that follows the token among the children of n, or
// none: null has no node of its own.
func (l *lowerer) after(n syntax.Node, token string) syntax.Node {
	seen := false
	for c := range l.Children(n) {
		switch {
		case seen && l.Kind(c) == "null":
			return 0
		case seen && l.Named(c) && !isComment(l.Kind(c)):
			return c
		case l.Kind(c) == token:
			seen = true
		}
	}
	return 0
}

func isComment(kind string) bool { return kind == "line_comment" || kind == "multiline_comment" }

// modifiers are the words and annotations before a declaration.
type modifiers struct {
	private, abstract, external, operator, test, inner bool
	list                                               syntax.Node
}

func (l *lowerer) modifiers(n syntax.Node) modifiers {
	m := modifiers{list: l.ChildOf(n, "modifiers")}
	for c := range l.NamedChildren(m.list) {
		if l.Kind(c) == "annotation" {
			m.test = m.test || isTest(l.annotationName(c))
			continue
		}
		switch l.Kind(l.First(c)) {
		case "private":
			m.private = true
		case "abstract":
			m.abstract = true
		case "external", "expect":
			m.external = true
		case "operator":
			m.operator = true
		case "inner":
			m.inner = true
		}
	}
	return m
}

// isTest names the annotations of kotlin.test, JUnit and TestNG that make a
// function a test.
func isTest(name string) bool {
	switch name {
	case "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate":
		return true
	}
	return false
}

func (l *lowerer) annotationName(n syntax.Node) string {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "constructor_invocation":
			return l.annotationName(c)
		case "user_type":
			name := ""
			for t := range l.OfKind(c, "type_identifier") {
				name = l.Text(t)
			}
			return name
		}
	}
	return ""
}

// annotate evaluates the annotations of a declaration where it is written: they
// are references to the annotation classes and to what their arguments name.
func (l *lowerer) annotate(list syntax.Node) {
	for c := range l.OfKind(list, "annotation") {
		l.Eval(l.annotation(c))
	}
}

func (l *lowerer) annotation(n syntax.Node) ir.Expr {
	mark := l.Mark()
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "user_type":
			l.Push(l.typ(c))
		case "constructor_invocation":
			l.Push(l.typ(l.ChildOf(c, "user_type")))
			for _, a := range l.args(l.ChildOf(c, "value_arguments")) {
				l.Push(a.X)
			}
		}
	}
	return l.TakeOpaque(mark)
}
