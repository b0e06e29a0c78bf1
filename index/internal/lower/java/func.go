package java

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// method lowers a method; class is the name of the class it is in.
func (l *lowerer) method(n syntax.Node, class string) {
	nameNode := l.Child(n, "name")
	if nameNode == 0 || l.depth >= maxDepth {
		return
	}
	l.depth++
	defer func() { l.depth-- }()
	name, pos := l.Text(nameNode), l.Start(nameNode)
	m := l.modifiers(n)
	body := l.Child(n, "body")

	var flags ir.FuncFlag
	if m.static {
		flags |= ir.Static
	}
	if m.private {
		flags |= ir.Private
	}
	if m.abstract || body == 0 && !m.native {
		flags |= ir.Abstract
	}
	if m.test || l.oldTest(name, class, m) {
		flags |= ir.TestFunc
	}
	if m.static && name == "main" {
		flags |= ir.Entry
	}

	f := l.b.BeginFunc(name, pos)
	info := l.b.FuncInfo(f)
	info.Flags, info.Start = flags, uint32(l.Start(n))
	if list := l.Child(n, "type_parameters"); list != 0 {
		params := l.typeParams(list)
		l.b.FuncInfo(f).SetTypeParams(params)
	}
	typeNode := l.Child(n, "type")
	if x := l.arrays(l.typ(typeNode), l.Child(n, "dimensions"), l.Start(typeNode)); x != 0 {
		l.b.FuncInfo(f).Results = []ir.Expr{x}
	}
	l.params(l.Child(n, "parameters"))
	l.annotate(m.annotations)
	l.block(body)
	if value := l.Child(n, "value"); value != 0 { // the default of an annotation's element
		l.b.Return(l.value(value))
	}
	l.b.EndFunc(l.End(n))
	l.b.Define(ir.Member{Name: l.b.Str(name), Kind: ir.FuncMember, Ref: uint32(f), Static: m.static, Exported: !m.private}, pos)
}

// oldTest reports whether a method is a test by the rules of JUnit 3: its name
// begins with "test", and so or with "Test" does or ends the name of its class.
func (l *lowerer) oldTest(name, class string, m modifiers) bool {
	return m.public && !m.static && strings.HasPrefix(name, "test") &&
		(strings.HasSuffix(class, "Test") || strings.HasPrefix(class, "Test") || strings.HasSuffix(class, "TestCase"))
}

func (l *lowerer) constructor(n syntax.Node) {
	nameNode := l.Child(n, "name")
	if nameNode == 0 || l.depth >= maxDepth {
		return
	}
	l.depth++
	defer func() { l.depth-- }()
	name, pos := l.Text(nameNode), l.Start(nameNode)
	m := l.modifiers(n)
	f := l.b.BeginFunc(name, pos)
	info := l.b.FuncInfo(f)
	info.Flags, info.Start = ir.Constructor, uint32(l.Start(n))
	if m.private {
		info.Flags |= ir.Private
	}
	if list := l.Child(n, "type_parameters"); list != 0 {
		params := l.typeParams(list)
		l.b.FuncInfo(f).SetTypeParams(params)
	}
	if l.Kind(n) == "compact_constructor_declaration" {
		components := l.classes[len(l.classes)-1].components
		l.params(components)
		l.assignComponents(components)
	} else {
		l.params(l.Child(n, "parameters"))
	}
	l.annotate(m.annotations)
	l.block(l.Child(n, "body"))
	l.b.EndFunc(l.End(n))
	l.b.Define(ir.Member{Name: l.b.Str(name), Kind: ir.FuncMember, Ref: uint32(f), Exported: !m.private}, pos)
}

// assignComponents is what a compact constructor ends with: each component's
// parameter becomes its field.
func (l *lowerer) assignComponents(list syntax.Node) {
	for p := range l.NamedChildren(list) {
		nameNode, _ := l.component(p)
		if nameNode == 0 {
			continue
		}
		name, pos := l.Text(nameNode), l.Start(nameNode)
		l.b.Bind(l.b.Attr(l.b.Unary(ir.This, 0, pos), name, pos), l.b.Name(name, pos))
	}
}

// params declares the parameters of a function.
func (l *lowerer) params(list syntax.Node) {
	for p := range l.NamedChildren(list) {
		kind := ir.Positional
		switch l.Kind(p) {
		case "formal_parameter":
		case "spread_parameter":
			kind = ir.Variadic
		case "identifier": // of a lambda, without a type
			l.b.Param(l.Text(p), 0, 0, kind, l.Start(p))
			continue
		default:
			continue
		}
		l.annotate(l.ChildOf(p, "modifiers"))
		nameNode, typeNode := l.component(p)
		if nameNode == 0 {
			continue
		}
		typ := l.arrays(l.typ(typeNode), l.Child(p, "dimensions"), l.Start(typeNode))
		l.b.Param(l.Text(nameNode), typ, 0, kind, l.Start(nameNode))
	}
}

// lambda is a function literal as a value.
func (l *lowerer) lambda(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	f := l.b.BeginFunc("", pos)
	params := l.Child(n, "parameters")
	if l.Kind(params) == "identifier" {
		l.b.Param(l.Text(params), 0, 0, ir.Positional, l.Start(params))
	} else {
		l.params(params)
	}
	body := l.Child(n, "body")
	if l.Kind(body) == "block" {
		l.block(body)
	} else {
		l.b.Return(l.value(body))
	}
	l.b.EndFunc(l.End(n))
	return l.b.Lambda(f, pos)
}
