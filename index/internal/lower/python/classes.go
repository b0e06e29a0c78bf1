package python

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// class lowers a definition of a class.
func (l *lowerer) class(n, id syntax.Node, d *decorators) ir.Class {
	t := l.t
	l.types = l.types[:0]
	l.typeParams(t.Child(n, "type_parameters"))
	kind := ir.PlainClass
	var bases []ir.Base
	for c := range t.NamedChildren(t.Child(n, "superclasses")) {
		if t.Kind(c) == "keyword_argument" {
			l.keep(l.expr(t.Child(c, "value"))) // metaclass=M
			continue
		}
		switch last := lastName(t, c); last {
		case "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag":
			kind = ir.Enum
		case "Protocol":
			kind = ir.Interface
		}
		if x := l.declaration(func() ir.Expr { return l.base(c) }); x != 0 {
			bases = append(bases, ir.Base{X: x, Kind: ir.Extend})
		}
	}
	name, pos := "", t.Start(n)
	if id != 0 {
		name, pos = l.text(l.id(id)), t.Start(id)
	}
	c := l.b.BeginClass(name, kind, pos)
	info := l.b.ClassInfo(c)
	info.Start = uint32(t.Start(n))
	info.Bases, info.Decorators = bases, d.list
	info.Private = strings.HasPrefix(name, "_")
	info.TypeParams = l.takeTypes(0)
	was := saved{l.frame, len(l.undo)}
	l.blocks++
	l.frame.class, l.frame.block = c, l.blocks
	l.stmts(t.Child(n, "body"))
	l.leave(was)
	l.b.EndClass(t.End(n))
	return c
}

// base lowers a base class: A, m.A, A[T], or a call that makes one.
func (l *lowerer) base(n syntax.Node) ir.Expr {
	switch l.t.Kind(n) {
	case "subscript":
		var args []ir.Expr
		for c := range l.t.NamedChildren(n) {
			if l.t.Field(c) == "subscript" {
				args = append(args, l.typ(c))
			}
		}
		base := l.t.Child(n, "value")
		return l.b.Apply(l.expr(base), "", ir.Args(args...), l.calledAt(base))
	case "list_splat":
		l.keep(l.expr(n))
		return 0
	}
	return l.expr(n)
}

// typeAlias lowers "type X = T".
func (l *lowerer) typeAlias(n syntax.Node) {
	t := l.t
	left := t.NamedChild(t.NamedChild(n, 0), 0)
	if t.Kind(left) != "identifier" {
		left = t.NamedChild(left, 0)
	}
	if t.Kind(left) != "identifier" {
		return
	}
	l.alias(left, l.typ(t.NamedChild(n, 1)))
}

// alias defines a name that stands for a type.
func (l *lowerer) alias(id syntax.Node, typ ir.Expr) {
	c := l.b.BeginClass(l.text(l.id(id)), ir.Alias, l.t.Start(id))
	l.b.ClassInfo(c).Target = typ
	l.b.EndClass(l.t.End(id))
	l.define(ir.Member{Kind: ir.ClassMember, Ref: uint32(c), Static: true}, id, nil)
}

// lastName returns the last name of a path, without its type arguments.
func lastName(t *syntax.Tree, n syntax.Node) string {
	if t.Kind(n) == "subscript" {
		n = t.Child(n, "value")
	}
	if t.Kind(n) == "attribute" {
		n = t.Child(n, "attribute")
	}
	if t.Kind(n) != "identifier" {
		return ""
	}
	return string(t.Bytes(n))
}
