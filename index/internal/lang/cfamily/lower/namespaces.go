package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// namespace lowers a namespace. An anonymous one is part of what is around it,
// which is how its names are found.
func (l *lowerer) namespace(n syntax.Node) {
	name, body := l.Child(n, "name"), l.Child(n, "body")
	if name == 0 {
		l.unnamed(body)
		return
	}
	path := strings.Join(l.path(name), ".")
	c := l.namespaceAs(n, path, l.Start(name), body)
	if l.ChildOf(n, "inline") != 0 { // its members are those of what is around it, too
		for _, m := range l.ClassInfo(c).Members {
			l.Define(m, l.Start(name))
		}
	}
}

// namespaceAs lowers the namespace of a path that stands at pos.
func (l *lowerer) namespaceAs(n syntax.Node, path string, pos int, body syntax.Node) ir.Class {
	c := l.OpenClass(n, path, ir.Namespace, pos)
	l.items(body)
	l.EndClass(l.End(n))
	l.defineAs(ir.ClassMember, uint32(c), path, pos)
	return c
}

// marked lowers a namespace that the grammar takes for a function, for a word stands before it: in
// "mark namespace a {" the word is the type.
func (l *lowerer) marked(n syntax.Node, dec declarator) bool {
	body := l.Child(n, "body")
	if dec.name == 0 || body == 0 {
		return false
	}
	name, ok := strings.CutPrefix(string(l.Source()[l.Start(dec.name):l.Start(body)]), "namespace")
	if path := strings.TrimSpace(name); !ok || path == name && path != "" {
		return false
	} else if path == "" {
		l.unnamed(body)
	} else {
		pos := l.Start(dec.name) + len("namespace") + strings.Index(name, path)
		l.namespaceAs(n, strings.ReplaceAll(path, "::", "."), pos, body)
	}
	return true
}

// unnamed lowers what an anonymous namespace holds.
func (l *lowerer) unnamed(body syntax.Node) {
	was := l.private
	l.private = true
	l.items(body)
	l.private = was
}

// path returns the names of a path like a::b::C, template arguments left out.
func (l *lowerer) path(n syntax.Node) []string {
	switch l.Kind(n) {
	case "qualified_identifier", "nested_namespace_specifier", "template_type", "template_function", "template_method", "dependent_name":
		var names []string
		for c := range l.NamedChildren(n) {
			if l.Kind(c) != "template_argument_list" && l.Enter(c) {
				names = append(names, l.path(c)...)
				l.Leave()
			}
		}
		return names
	}
	if text := l.name(n); text != "" {
		return []string{text}
	}
	return nil
}

// last returns the node of the last name of a path.
func (l *lowerer) last(n syntax.Node) syntax.Node {
	for range walk.MaxDepth {
		switch l.Kind(n) {
		case "qualified_identifier", "template_type", "template_function", "template_method":
			n = l.Child(n, "name")
		case "dependent_name":
			n = l.NamedChild(n, 0)
		default:
			return n
		}
	}
	return n
}

func (l *lowerer) namespaceAlias(n syntax.Node) {
	name := l.Child(n, "name")
	var target syntax.Node
	for c := range l.NamedChildren(n) {
		if c != name {
			target = c
		}
	}
	if target == 0 {
		return
	}
	module := strings.Join(l.path(target), ".")
	l.AddImport(ir.ImportInfo{Module: l.Str(module), Alias: l.Str(l.Text(name))}, l.Text(name), true, l.Start(name))
}

// names is a path of names as an expression.
func (l *lowerer) names(path []string, pos int) ir.Expr {
	var x ir.Expr
	for i, name := range path {
		if i == 0 {
			x = l.Free(name, pos)
			continue
		}
		x = l.Attr(x, name, pos)
		l.Flag(x, ir.Path)
	}
	return x
}

// using lowers "using namespace a" and "using a::b". In a class it names what
// is inherited anyway.
func (l *lowerer) using(n syntax.Node) {
	var target syntax.Node
	for c := range l.NamedChildren(n) {
		target = c
	}
	path := l.path(target)
	if len(path) == 0 {
		return
	}
	if l.ChildOf(n, "namespace") != 0 {
		l.AddImport(ir.ImportInfo{Module: l.Str(strings.Join(path, ".")), Name: l.Str("*")}, "", false, l.Start(target))
		return
	}
	name := path[len(path)-1]
	module := strings.Join(path[:len(path)-1], ".")
	l.AddImport(ir.ImportInfo{Module: l.Str(module), Name: l.Str(name)}, name, true, l.Start(l.last(target)))
}

// alias lowers "using A = B".
func (l *lowerer) alias(n syntax.Node) {
	l.aliasTo(l.Child(n, "name"), n, l.typ(l.Child(n, "type")))
}

// aliasTo makes the name at a node mean a type or namespace.
func (l *lowerer) aliasTo(name, n syntax.Node, target ir.Expr) {
	text := l.Text(name)
	if text == "" || target == 0 {
		return
	}
	c := l.BeginClass(text, ir.Alias, l.Start(name))
	info := l.ClassInfo(c)
	info.Target, info.TypeParams, info.Start = target, l.taken(), uint32(l.Start(n))
	l.EndClass(l.End(n))
	l.defineClass(c, text, name)
}

// templated lowers a template declaration: its parameters go to the definition.
func (l *lowerer) templated(n syntax.Node, inner func(syntax.Node)) {
	was := l.template
	for p := range l.NamedChildren(l.Child(n, "parameters")) {
		switch l.Kind(p) {
		case "type_parameter_declaration", "optional_type_parameter_declaration", "variadic_type_parameter_declaration":
			name := l.Child(p, "name")
			if name == 0 {
				name = l.NamedChild(p, 0)
			}
			l.template = append(l.template, ir.TypeParam{Name: l.Str(l.Text(name))})
		}
	}
	for c := range l.NamedChildren(n) {
		if l.Field(c) != "parameters" && l.Kind(c) != "requires_clause" {
			inner(c)
		}
	}
	l.template = was
}

// taken returns the template parameters for the definition that begins.
func (l *lowerer) taken() []ir.TypeParam {
	p := l.template
	l.template = nil
	return p
}
