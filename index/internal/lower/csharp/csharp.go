// Package csharp lowers C# source.
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
package csharp

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxDepth bounds the recursion over trees that nest without end.
const maxDepth = 1000

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{
		Builder: ir.NewBuilder(language, t.Source()),
		t:       t,
		words:   map[string]string{},
	}
	l.file(t.Root())
	return l.File()
}

type lowerer struct {
	*ir.Builder
	t     *syntax.Tree
	words map[string]string // names as strings, each made once
	depth int
	// result is the declared result of the function that is being written, which
	// "return new(...)" makes an instance of.
	result syntax.Node
	iface  bool // the members being written are those of an interface
}

// text returns the text of a node.
func (l *lowerer) text(n syntax.Node) string {
	b := l.t.Bytes(n)
	if s, ok := l.words[string(b)]; ok {
		return s
	}
	s := string(b)
	l.words[s] = s
	return s
}

// name is text for identifiers: "@class" is the name class.
func (l *lowerer) name(n syntax.Node) string {
	s := l.text(n)
	if len(s) > 1 && s[0] == '@' {
		return s[1:]
	}
	return s
}

// is reports whether the text of a node is s.
func (l *lowerer) is(n syntax.Node, s string) bool { return string(l.t.Bytes(n)) == s }

// enter counts a level of nesting, and reports whether there may be one more. The
// caller calls leave in either case.
func (l *lowerer) enter() bool {
	l.depth++
	return l.depth < maxDepth
}

func (l *lowerer) leave() { l.depth-- }

// file lowers the compilation unit: imports first, so that they are known, then
// top-level statements, then namespaces and types.
func (l *lowerer) file(root syntax.Node) {
	t := l.t
	var namespaces, others int
	var scoped, statements bool
	for c := range t.NamedChildren(root) {
		switch t.Kind(c) {
		case "using_directive":
			l.using(c)
		case "namespace_declaration":
			namespaces++
		case "file_scoped_namespace_declaration":
			scoped = true
			if l.Raw().Package == 0 {
				l.Raw().Package = l.Str(l.dotted(t.Child(c, "name")))
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
	for c := range t.NamedChildren(root) {
		switch t.Kind(c) {
		case "namespace_declaration":
			if alone {
				l.onlyNamespace(c)
			} else {
				l.namespace(c)
			}
		case "using_directive", "global_statement", "file_scoped_namespace_declaration", "extern_alias_directive":
		case "global_attribute":
			for a := range t.NamedChildren(c) {
				if t.Kind(a) == "attribute" {
					l.Eval(l.attribute(a))
				}
			}
		default:
			l.declaration(c)
		}
	}
}

// topLevel lowers the statements outside of any type. Their variables are those
// of a hidden Main, not names that other code sees.
func (l *lowerer) topLevel(root syntax.Node) {
	t := l.t
	l.PushScope()
	for c := range t.NamedChildren(root) {
		if t.Kind(c) == "global_statement" {
			l.hoist(c)
		}
	}
	for c := range t.NamedChildren(root) {
		if t.Kind(c) == "global_statement" {
			for s := range t.NamedChildren(c) {
				l.statement(s)
			}
		}
	}
	l.PopScope()
}

// onlyNamespace lowers the one namespace of a file, whose name becomes the
// Package, as with "namespace A;".
func (l *lowerer) onlyNamespace(n syntax.Node) {
	t := l.t
	name := l.dotted(t.Child(n, "name"))
	if p := l.Raw().Package; p != 0 {
		name = l.Raw().String(p) + "." + name
	}
	l.Raw().Package = l.Str(name)
	body := t.Child(n, "body")
	var inner syntax.Node
	others := 0
	for c := range t.NamedChildren(body) {
		switch t.Kind(c) {
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
	for c := range t.NamedChildren(body) {
		if t.Kind(c) != "using_directive" {
			l.declaration(c)
		}
	}
}

// namespace lowers one of several namespaces of a file.
func (l *lowerer) namespace(n syntax.Node) {
	if !l.enter() {
		l.leave()
		return
	}
	defer l.leave()
	t := l.t
	name := t.Child(n, "name")
	pos := t.Start(name)
	c := l.BeginClass(l.dotted(name), ir.Namespace, pos)
	body := t.Child(n, "body")
	for m := range t.NamedChildren(body) {
		if t.Kind(m) == "using_directive" {
			l.using(m)
		} else {
			l.declaration(m)
		}
	}
	l.EndClass(t.End(n))
	l.Define(ir.Member{Name: l.ClassInfo(c).Name, Kind: ir.ClassMember, Ref: uint32(c), Static: true, Exported: true}, pos)
}

// dotted returns a name as a path: without generic arguments, spaces, comments
// and "global::".
func (l *lowerer) dotted(n syntax.Node) string {
	b := l.t.Bytes(n)
	if !bytes.ContainsAny(b, " \t\r\n/<:") {
		return l.name(n)
	}
	return string(l.appendPath(nil, n))
}

func (l *lowerer) appendPath(b []byte, n syntax.Node) []byte {
	if !l.enter() {
		l.leave()
		return b
	}
	defer l.leave()
	t := l.t
	switch t.Kind(n) {
	case "qualified_name":
		b = l.appendPath(b, t.Child(n, "qualifier"))
		if len(b) > 0 {
			b = append(b, '.')
		}
		return l.appendPath(b, t.Child(n, "name"))
	case "alias_qualified_name":
		if alias := t.Child(n, "alias"); !l.is(alias, "global") {
			b = append(l.appendPath(b, alias), '.')
		}
		return l.appendPath(b, t.Child(n, "name"))
	case "generic_name":
		return l.appendPath(b, t.First(n))
	case "identifier":
		return append(b, l.name(n)...)
	}
	return b
}

// using lowers an import.
func (l *lowerer) using(n syntax.Node) {
	t := l.t
	var info ir.ImportInfo
	var path, alias syntax.Node
	for c := range t.Children(n) {
		switch t.Kind(c) {
		case "global":
			info.Flags |= ir.Global
		case "static":
			info.Flags |= ir.StaticName
		default:
			switch {
			case !t.Named(c) || t.Kind(c) == "comment":
			case t.Field(c) == "name":
				alias = c
			default:
				path = c
			}
		}
	}
	if path == 0 {
		return
	}
	pos := t.Start(path)
	if alias == 0 {
		info.Module, info.Name = l.Str(l.dotted(path)), l.Str("*")
		l.AddImport(info, "", false, pos)
		return
	}
	name := l.name(alias)
	if last := l.lastName(path); last == 0 || t.Kind(last) == "generic_name" {
		// Of a type that is no name: using Map = Dictionary<string, Item>.
		c := l.BeginClass(name, ir.Alias, t.Start(alias))
		target := l.typ(path)
		l.ClassInfo(c).Target = target
		l.EndClass(t.End(n))
		l.Define(ir.Member{Name: l.Str(name), Kind: ir.ClassMember, Ref: uint32(c)}, t.Start(alias))
		return
	}
	whole := l.dotted(path)
	module, last := "", whole
	for i := len(whole) - 1; i >= 0; i-- {
		if whole[i] == '.' {
			module, last = whole[:i], whole[i+1:]
			break
		}
	}
	info.Module, info.Name, info.Alias = l.Str(module), l.Str(last), l.Str(name)
	l.AddImport(info, name, false, pos)
}

// lastName returns the last simple name of a path, or none.
func (l *lowerer) lastName(n syntax.Node) syntax.Node {
	t := l.t
	switch t.Kind(n) {
	case "identifier", "generic_name":
		return n
	case "qualified_name", "alias_qualified_name":
		return t.Child(n, "name")
	}
	return 0
}
