package cfamily

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// namespace lowers a namespace. An anonymous one is part of what is around it,
// which is how its names are found.
func (l *lowering) namespace(n syntax.Node) {
	name, body := l.t.Child(n, "name"), l.t.Child(n, "body")
	if name == 0 {
		was := l.private
		l.private = true
		l.items(body)
		l.private = was
		return
	}
	path := strings.Join(l.path(name), ".")
	c := l.b.BeginClass(path, ir.Namespace, l.t.Start(name))
	l.b.ClassInfo(c).Start = uint32(l.t.Start(n))
	l.items(body)
	l.b.EndClass(l.t.End(n))
	l.defineAs(ir.ClassMember, uint32(c), path, l.t.Start(name))
	if l.t.ChildOf(n, "inline") != 0 { // its members are those of what is around it, too
		for _, m := range l.b.ClassInfo(c).Members {
			l.b.Define(m, l.t.Start(name))
		}
	}
}

// path returns the names of a path like a::b::C, template arguments left out.
func (l *lowering) path(n syntax.Node) []string {
	switch l.t.Kind(n) {
	case "qualified_identifier", "nested_namespace_specifier", "template_type", "template_function", "template_method", "dependent_name":
		var names []string
		for c := range l.t.NamedChildren(n) {
			if l.t.Kind(c) != "template_argument_list" && l.down() {
				names = append(names, l.path(c)...)
				l.up()
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
func (l *lowering) last(n syntax.Node) syntax.Node {
	for range maxDepth {
		switch l.t.Kind(n) {
		case "qualified_identifier", "template_type", "template_function", "template_method":
			n = l.t.Child(n, "name")
		case "dependent_name":
			n = l.t.NamedChild(n, 0)
		default:
			return n
		}
	}
	return n
}

func (l *lowering) namespaceAlias(n syntax.Node) {
	name := l.t.Child(n, "name")
	var target syntax.Node
	for c := range l.t.NamedChildren(n) {
		if c != name {
			target = c
		}
	}
	if target == 0 {
		return
	}
	module := strings.Join(l.path(target), ".")
	l.b.AddImport(ir.ImportInfo{Module: l.b.Str(module), Alias: l.b.Str(l.t.Text(name))}, l.t.Text(name), true, l.t.Start(name))
}

// names is a path of names as an expression.
func (l *lowering) names(path []string, pos int) ir.Expr {
	var x ir.Expr
	for i, name := range path {
		if i == 0 {
			x = l.b.Free(name, pos)
			continue
		}
		x = l.b.Attr(x, name, pos)
		l.b.Raw().Exprs[x].Flags |= ir.Path
	}
	return x
}

// using lowers "using namespace a" and "using a::b". In a class it names what
// is inherited anyway.
func (l *lowering) using(n syntax.Node) {
	var target syntax.Node
	for c := range l.t.NamedChildren(n) {
		target = c
	}
	path := l.path(target)
	if len(path) == 0 {
		return
	}
	if l.t.ChildOf(n, "namespace") != 0 {
		l.b.AddImport(ir.ImportInfo{Module: l.b.Str(strings.Join(path, ".")), Name: l.b.Str("*")}, "", false, l.t.Start(target))
		return
	}
	name := path[len(path)-1]
	module := strings.Join(path[:len(path)-1], ".")
	l.b.AddImport(ir.ImportInfo{Module: l.b.Str(module), Name: l.b.Str(name)}, name, true, l.t.Start(l.last(target)))
}

// alias lowers "using A = B".
func (l *lowering) alias(n syntax.Node) {
	l.aliasTo(l.t.Child(n, "name"), n, l.typ(l.t.Child(n, "type")))
}

// aliasTo makes the name at a node mean a type or namespace.
func (l *lowering) aliasTo(name, n syntax.Node, target ir.Expr) {
	text := l.t.Text(name)
	if text == "" || target == 0 {
		return
	}
	c := l.b.BeginClass(text, ir.Alias, l.t.Start(name))
	info := l.b.ClassInfo(c)
	info.Target, info.TypeParams, info.Start = target, l.taken(), uint32(l.t.Start(n))
	l.b.EndClass(l.t.End(n))
	l.defineClass(c, text, name)
}

// templated lowers a template declaration: its parameters go to the definition.
func (l *lowering) templated(n syntax.Node, inner func(syntax.Node)) {
	was := l.template
	for p := range l.t.NamedChildren(l.t.Child(n, "parameters")) {
		switch l.t.Kind(p) {
		case "type_parameter_declaration", "optional_type_parameter_declaration", "variadic_type_parameter_declaration":
			name := l.t.Child(p, "name")
			if name == 0 {
				name = l.t.NamedChild(p, 0)
			}
			l.template = append(l.template, ir.TypeParam{Name: l.b.Str(l.t.Text(name))})
		}
	}
	for c := range l.t.NamedChildren(n) {
		if l.t.Field(c) != "parameters" && l.t.Kind(c) != "requires_clause" {
			inner(c)
		}
	}
	l.template = was
}

// taken returns the template parameters for the definition that begins.
func (l *lowering) taken() []ir.TypeParam {
	p := l.template
	l.template = nil
	return p
}
