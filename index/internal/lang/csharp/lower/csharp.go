// Package lower lowers C# source.
//
// What the language says in a way of its own is told to the graph like this:
//
//   - A file in one namespace has it as its Package; of several, each is a
//     Namespace class.
//   - A property with code is a Getter and a Setter of its name, one without is a
//     field; an interface's property is an abstract Getter. An indexer is a
//     property named "this".
//   - An event is a field that handlers are assigned to; -= only evaluates.
//   - An extension method is an Extension whose Recv is the type after "this"; that
//     parameter is its Self.
//   - An object initialiser is a variable without a name that the object is bound
//     to, and assignments to its members.
//   - An operator is an Opaque named by its sign.
//   - [Route] names the class RouteAttribute, as the compiler does.
package lower

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{
		Walker: walk.New(language, t),
	}
	l.file(l.Root())
	return l.File()
}

type lowerer struct {
	walk.Walker
	// result is the declared result of the function that is being written, which
	// "return new(...)" makes an instance of.
	result syntax.Node
	iface  bool // the members being written are those of an interface
}

// name is text for identifiers: "@class" is the name class.
func (l *lowerer) name(n syntax.Node) string {
	s := l.Text(n)
	if len(s) > 1 && s[0] == '@' {
		return s[1:]
	}
	return s
}

// file lowers the compilation unit: imports first, so that they are known, then
// top-level statements, then namespaces and types.
func (l *lowerer) file(root syntax.Node) {
	var namespaces, others int
	var scoped, statements bool
	for c := range l.NamedChildren(root) {
		switch l.Kind(c) {
		case "using_directive":
			l.using(c)
		case "namespace_declaration":
			namespaces++
		case "file_scoped_namespace_declaration":
			scoped = true
			if l.Raw().Package == 0 {
				l.Raw().Package = l.Str(l.dotted(l.Child(c, "name")))
			}
		case "class_declaration", "struct_declaration", "interface_declaration", "enum_declaration",
			"record_declaration", "delegate_declaration":
			others++
		case "global_statement":
			statements = true
		}
	}
	if statements {
		l.topLevel(root)
	}
	alone := namespaces == 1 && others == 0 && !scoped && !statements
	for c := range l.NamedChildren(root) {
		switch l.Kind(c) {
		case "namespace_declaration":
			if alone {
				l.onlyNamespace(c)
			} else {
				l.namespace(c)
			}
		case "using_directive", "global_statement", "file_scoped_namespace_declaration", "extern_alias_directive":
		case "global_attribute":
			for a := range l.OfKind(c, "attribute") {
				l.Eval(l.attribute(a))
			}
		default:
			l.declaration(c)
		}
	}
}

// topLevel lowers the statements outside of any type. Their variables are those
// of a hidden Main, not names that other code sees.
func (l *lowerer) topLevel(root syntax.Node) {
	l.PushScope()
	for c := range l.OfKind(root, "global_statement") {
		l.hoist(c)
	}
	for c := range l.OfKind(root, "global_statement") {
		l.Each(c, l.stmt)
	}
	l.PopScope()
}

// onlyNamespace lowers the one namespace of a file, whose name becomes the
// Package, as with "namespace A;".
func (l *lowerer) onlyNamespace(n syntax.Node) {
	name := l.dotted(l.Child(n, "name"))
	if p := l.Raw().Package; p != 0 {
		name = l.Raw().String(p) + "." + name
	}
	l.Raw().Package = l.Str(name)
	body := l.Child(n, "body")
	var inner syntax.Node
	others := 0
	for c := range l.NamedChildren(body) {
		switch l.Kind(c) {
		case "using_directive":
			l.using(c)
		case "namespace_declaration":
			if inner != 0 {
				others++
			}
			inner = c
		default:
			others++
		}
	}
	if inner != 0 && others == 0 {
		l.onlyNamespace(inner)
		return
	}
	for c := range l.NamedChildren(body) {
		if l.Kind(c) != "using_directive" {
			l.declaration(c)
		}
	}
}

// namespace lowers one of several namespaces of a file.
func (l *lowerer) namespace(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	name := l.Child(n, "name")
	pos := l.Start(name)
	c := l.BeginClass(l.dotted(name), ir.Namespace, pos)
	body := l.Child(n, "body")
	for m := range l.NamedChildren(body) {
		if l.Kind(m) == "using_directive" {
			l.using(m)
		} else {
			l.declaration(m)
		}
	}
	l.EndClass(l.End(n))
	l.DefineClass(c, true, true, pos)
}

// dotted returns a name as a path: without generic arguments, spaces, comments
// and "global::".
func (l *lowerer) dotted(n syntax.Node) string {
	b := l.Bytes(n)
	if !bytes.ContainsAny(b, " \t\r\n/<:") {
		return l.name(n)
	}
	return string(l.appendPath(nil, n))
}

func (l *lowerer) appendPath(b []byte, n syntax.Node) []byte {
	if !l.Enter(n) {
		return b
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "qualified_name":
		b = l.appendPath(b, l.Child(n, "qualifier"))
		if len(b) > 0 {
			b = append(b, '.')
		}
		return l.appendPath(b, l.Child(n, "name"))
	case "alias_qualified_name":
		if alias := l.Child(n, "alias"); !l.Is(alias, "global") {
			b = append(l.appendPath(b, alias), '.')
		}
		return l.appendPath(b, l.Child(n, "name"))
	case "generic_name":
		return l.appendPath(b, l.First(n))
	case "identifier":
		return append(b, l.name(n)...)
	}
	return b
}

// using lowers an import.
func (l *lowerer) using(n syntax.Node) {
	var info ir.ImportInfo
	var path, alias syntax.Node
	for c := range l.Children(n) {
		switch l.Kind(c) {
		case "global":
			info.Flags |= ir.Global
		case "static":
			info.Flags |= ir.StaticName
		default:
			switch {
			case !l.Named(c) || l.Kind(c) == "comment":
			case l.Field(c) == "name":
				alias = c
			default:
				path = c
			}
		}
	}
	if path == 0 {
		return
	}
	pos := l.Start(path)
	if alias == 0 {
		info.Module, info.Name = l.Str(l.dotted(path)), l.Str("*")
		l.AddImport(info, "", false, pos)
		return
	}
	name := l.name(alias)
	if last := l.lastName(path); last == 0 || l.Kind(last) == "generic_name" {
		// Of a type that is no name: using Map = Dictionary<string, Item>.
		c := l.BeginClass(name, ir.Alias, l.Start(alias))
		target := l.typ(path)
		l.ClassInfo(c).Target = target
		l.EndClass(l.End(n))
		l.DefineClass(c, false, false, l.Start(alias))
		return
	}
	whole := l.dotted(path)
	module, last := walk.SplitLast(whole)
	info.Module, info.Name, info.Alias = l.Str(module), l.Str(last), l.Str(name)
	l.AddImport(info, name, false, pos)
}

// lastName returns the last simple name of a path, or none.
func (l *lowerer) lastName(n syntax.Node) syntax.Node {
	switch l.Kind(n) {
	case "identifier", "generic_name":
		return n
	case "qualified_name", "alias_qualified_name":
		return l.Child(n, "name")
	}
	return 0
}
