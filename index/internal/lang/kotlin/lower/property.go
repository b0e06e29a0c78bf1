package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// propertyParts are the parts of a property's declaration.
type propertyParts struct {
	variable, receiver, value syntax.Node
	getter, setter            syntax.Node // with a body of their own
	delegate                  bool
}

// propertyParts takes a declaration apart. The grammar puts accessors on lines of
// their own next to the declaration: siblings.
func (l *lowerer) propertyParts(n syntax.Node, siblings []syntax.Node) propertyParts {
	var p propertyParts
	accessor := func(c syntax.Node) {
		if l.ChildOf(c, "function_body") == 0 {
			return
		}
		if l.Kind(c) == "getter" {
			p.getter = c
		} else {
			p.setter = c
		}
	}
	for c := range l.NamedChildren(n) {
		switch k := l.Kind(c); {
		case k == "variable_declaration" || k == "multi_variable_declaration":
			p.variable = c
		case k == "property_delegate":
			p.value, p.delegate = l.NamedChild(c, 0), true
		case k == "getter" || k == "setter":
			accessor(c)
		case isType(k) && p.variable == 0:
			p.receiver = c
		}
	}
	if p.value == 0 {
		p.value = l.after(n, "=")
	}
	for _, c := range siblings {
		accessor(c)
	}
	return p
}

// property lowers a property of a class or file and returns its initialiser.
func (l *lowerer) property(n syntax.Node, siblings []syntax.Node, static bool) []initial {
	p := l.propertyParts(n, siblings)
	m := l.modifiers(n)
	l.annotate(m.list)
	nameNode := l.NamedChild(p.variable, 0)
	if l.Kind(p.variable) != "variable_declaration" || nameNode == 0 {
		if p.value != 0 {
			return []initial{{block: p.value}}
		}
		return nil
	}
	typeNode := syntax.Node(0)
	for c := range l.NamedChildren(p.variable) {
		if isType(l.Kind(c)) {
			typeNode = c
		}
	}
	var list []initial
	if p.getter == 0 && p.receiver == 0 {
		v := l.addField(nameNode, l.typ(typeNode), static, !m.private)
		if p.value != 0 {
			list = append(list, initial{field: v, value: p.value, delegate: p.delegate})
		}
	} else if p.value != 0 {
		list = append(list, initial{block: p.value})
	}
	if p.getter != 0 {
		l.accessor(p.getter, nameNode, typeNode, p.receiver, ir.Getter, static, m.private)
	}
	if p.setter != 0 {
		l.accessor(p.setter, nameNode, typeNode, p.receiver, ir.Setter, static, m.private)
	}
	return list
}

func (l *lowerer) accessor(n, nameNode, typeNode, receiver syntax.Node, flags ir.FuncFlag, static, private bool) {
	name, pos := l.ident(nameNode), l.Start(nameNode)
	f := l.beginFunc(n, name, pos, flags|walk.When(private || l.modifiers(n).private, ir.Private)|
		walk.When(static, ir.ClassMethod)|walk.When(receiver != 0, ir.Extension))
	l.SetRecv(f, l.typ(receiver))
	typ := l.typ(typeNode)
	if flags&ir.Getter != 0 {
		l.SetResult(f, typ)
	}
	field := l.Declare("field", l.Start(n))
	l.VarInfo(field).Type = typ
	for c := range l.OfKind(n, "parameter_with_optional_type") {
		if p := l.ChildOf(c, "simple_identifier"); p != 0 {
			own := l.typeIn(c)
			if own == 0 {
				own = typ
			}
			l.Param(l.ident(p), own, 0, ir.Positional, l.Start(p))
		}
	}
	l.functionBody(l.ChildOf(n, "function_body"))
	l.endFunc(n)
	l.DefineFunc(f, static, !private, pos)
}

// topProperty is a property of the file.
func (l *lowerer) topProperty(n syntax.Node, siblings []syntax.Node) {
	for _, i := range l.property(n, siblings, false) {
		if i.field == 0 {
			l.Eval(l.expr(i.block))
			continue
		}
		info := *l.VarInfo(i.field)
		target := l.Expr(ir.Node{Op: ir.Name, Name: info.Name, Pos: info.Pos})
		l.Bound(target, l.initialValue(i))
	}
}

// localProperty is a variable of a function. Its value does not see it.
func (l *lowerer) localProperty(n syntax.Node) {
	p := l.propertyParts(n, nil)
	l.annotate(l.ChildOf(n, "modifiers"))
	x := l.value(p.value)
	if p.delegate && x != 0 {
		x = l.delegated(x, l.Start(p.value))
	}
	if l.Kind(p.variable) == "multi_variable_declaration" {
		l.destructure(p.variable, x)
		return
	}
	nameNode := l.NamedChild(p.variable, 0)
	if nameNode == 0 {
		l.Eval(x)
		return
	}
	v := l.shadow(nameNode, l.typeBound(p.variable))
	l.markPlain(v, l.VarInfo(v).Type, x)
	if x != 0 {
		l.Bind(l.Local(v, l.Start(nameNode)), x)
	}
	for _, c := range []syntax.Node{p.getter, p.setter} {
		l.functionBody(l.ChildOf(c, "function_body"))
	}
}
