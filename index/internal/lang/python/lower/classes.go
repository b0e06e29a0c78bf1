package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// class lowers a definition of a class.
func (l *lowerer) class(n, id syntax.Node, d *decorators) ir.Class {
	l.types = l.types[:0]
	l.typeParams(l.Child(n, "type_parameters"))
	kind := ir.PlainClass
	var bases []ir.Base
	for c := range l.NamedChildren(l.Child(n, "superclasses")) {
		if l.Kind(c) == "keyword_argument" {
			l.Keep(l.expr(l.Child(c, "value"))) // metaclass=M
			continue
		}
		switch last := l.lastName(c); last {
		case "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag":
			kind = ir.Enum
		case "Protocol":
			kind = ir.Interface
		}
		if x := l.declaration(func() ir.Expr { return l.base(c) }); x != 0 {
			bases = append(bases, ir.Base{X: x, Kind: ir.Extend})
		}
	}
	name, pos := "", l.Start(n)
	if id != 0 {
		name, pos = l.text(l.id(id)), l.Start(id)
	}
	c := l.BeginClass(name, kind, pos)
	info := l.ClassInfo(c)
	info.Start = uint32(l.Start(n))
	info.Bases, info.Decorators = bases, d.list
	info.Private = strings.HasPrefix(name, "_")
	info.TypeParams = l.takeTypes(0)
	was := saved{l.frame, len(l.undo)}
	l.blocks++
	l.frame.class, l.frame.block = c, l.blocks
	l.stmts(l.Child(n, "body"))
	l.leave(was)
	l.EndClass(l.End(n))
	return c
}

// base lowers a base class: A, m.A, A[T], or a call that makes one.
func (l *lowerer) base(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "subscript":
		var args []ir.Expr
		for c := range l.NamedChildren(n) {
			if l.Field(c) == "subscript" {
				args = append(args, l.typ(c))
			}
		}
		base := l.Child(n, "value")
		return l.Apply(l.expr(base), "", ir.Args(args...), l.calledAt(base))
	case "list_splat":
		l.Keep(l.expr(n))
		return 0
	}
	return l.expr(n)
}

// typeAlias lowers "type X = T".
func (l *lowerer) typeAlias(n syntax.Node) {
	left := l.NamedChild(l.NamedChild(n, 0), 0)
	if l.Kind(left) != "identifier" {
		left = l.NamedChild(left, 0)
	}
	if l.Kind(left) != "identifier" {
		return
	}
	l.alias(left, l.typ(l.NamedChild(n, 1)))
}

// alias defines a name that stands for a type.
func (l *lowerer) alias(id syntax.Node, typ ir.Expr) {
	c := l.BeginClass(l.text(l.id(id)), ir.Alias, l.Start(id))
	l.ClassInfo(c).Target = typ
	l.EndClass(l.End(id))
	l.define(ir.Member{Kind: ir.ClassMember, Ref: uint32(c), Static: true}, id, nil)
}

// lastName returns the last name of a path, without its type arguments.
func (l *lowerer) lastName(n syntax.Node) string {
	if l.Kind(n) == "subscript" {
		n = l.Child(n, "value")
	}
	if l.Kind(n) == "attribute" {
		n = l.Child(n, "attribute")
	}
	if l.Kind(n) != "identifier" {
		return ""
	}
	return string(l.Bytes(n))
}
