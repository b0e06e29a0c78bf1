package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// method lowers a method; class is the name of the class it is in.
func (l *lowerer) method(n syntax.Node, class string) {
	nameNode := l.Child(n, "name")
	if !l.Enter(nameNode) {
		return
	}
	defer l.Leave()
	name, pos := l.Text(nameNode), l.Start(nameNode)
	m := l.modifiers(n)
	body := l.Child(n, "body")

	f := l.OpenFunc(n, name, pos, walk.When(m.static, ir.Static)|walk.When(m.private, ir.Private)|
		walk.When(m.abstract || body == 0 && !m.native, ir.Abstract)|
		walk.When(m.test || l.oldTest(name, class, m), ir.TestFunc)|
		walk.When(m.static && name == "main", ir.Entry))
	l.SetTypeParams(f, l.typeParams(l.Child(n, "type_parameters")))
	typeNode := l.Child(n, "type")
	l.SetResult(f, l.arrays(l.typ(typeNode), l.Child(n, "dimensions"), l.Start(typeNode)))
	l.params(l.Child(n, "parameters"))
	l.annotate(m.annotations)
	l.block(body)
	if value := l.Child(n, "value"); value != 0 { // the default of an annotation's element
		l.Return(l.value(value))
	}
	l.EndFunc(l.End(n))
	l.DefineFunc(f, m.static, !m.private, pos)
}

// oldTest reports whether a method is a test by the rules of JUnit 3: its name
// begins with "test", and so or with "Test" does or ends the name of its class.
func (l *lowerer) oldTest(name, class string, m modifiers) bool {
	return m.public && !m.static && strings.HasPrefix(name, "test") &&
		(strings.HasSuffix(class, "Test") || strings.HasPrefix(class, "Test") || strings.HasSuffix(class, "TestCase"))
}

func (l *lowerer) constructor(n syntax.Node) {
	nameNode := l.Child(n, "name")
	if !l.Enter(nameNode) {
		return
	}
	defer l.Leave()
	name, pos := l.Text(nameNode), l.Start(nameNode)
	m := l.modifiers(n)
	f := l.OpenFunc(n, name, pos, ir.Constructor|walk.When(m.private, ir.Private))
	l.SetTypeParams(f, l.typeParams(l.Child(n, "type_parameters")))
	if l.Kind(n) == "compact_constructor_declaration" {
		components := l.Child(l.Classes[len(l.Classes)-1].Node, "parameters")
		l.params(components)
		l.assignComponents(components)
	} else {
		l.params(l.Child(n, "parameters"))
	}
	l.annotate(m.annotations)
	body := l.Child(n, "body")
	if l.extends() && l.ChildOf(body, "explicit_constructor_invocation") == 0 {
		l.implicit(l.Unary(ir.Super, 0, pos), pos)
	}
	l.block(body)
	l.EndFunc(l.End(n))
	l.DefineFunc(f, false, !m.private, pos)
}

// extends reports whether the innermost class names the one that it extends.
func (l *lowerer) extends() bool {
	return l.ChildOf(l.Classes[len(l.Classes)-1].Node, "superclass") != 0
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
		l.Bind(l.Attr(l.Unary(ir.This, 0, pos), name, pos), l.Name(name, pos))
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
			l.Param(l.Text(p), 0, 0, kind, l.Start(p))
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
		l.Param(l.Text(nameNode), typ, 0, kind, l.Start(nameNode))
	}
}

// lambda is a function literal as a value.
func (l *lowerer) lambda(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	f := l.BeginFunc("", pos)
	params := l.Child(n, "parameters")
	if l.Kind(params) == "identifier" {
		l.Param(l.Text(params), 0, 0, ir.Positional, l.Start(params))
	} else {
		l.params(params)
	}
	body := l.Child(n, "body")
	if l.Kind(body) == "block" {
		l.block(body)
	} else {
		l.Return(l.value(body))
	}
	l.EndFunc(l.End(n))
	return l.Lambda(f, pos)
}
