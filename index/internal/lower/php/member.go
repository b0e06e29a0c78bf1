package php

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// memberName returns the name of a member, and the expression that it is where it
// is not written out.
func (l *lowerer) memberName(n syntax.Node) (string, ir.Expr) {
	switch l.t.Kind(n) {
	case "name":
		return l.text(n), 0
	case "string":
		if s, ok := l.constant(n); ok {
			return s, 0
		}
	}
	return "", l.expr(n)
}

// property lowers $x->name.
func (l *lowerer) property(n syntax.Node) ir.Expr {
	t := l.t
	x := l.object(t.Child(n, "object"))
	name := t.Child(n, "name")
	word, dynamic := l.memberName(name)
	if word == "" {
		return l.Index(x, dynamic, "", t.Start(n))
	}
	a := l.Attr(x, l.dollar(word), t.Start(name))
	if t.Kind(n) == "nullsafe_member_access_expression" {
		l.Raw().Exprs[a].Flags |= ir.Optional
	}
	return a
}

// object lowers what stands before an arrow.
func (l *lowerer) object(n syntax.Node) ir.Expr {
	x := l.expr(n)
	if x == 0 {
		x = l.Lit("null", l.t.Start(n))
	}
	return x
}

// dollar returns the name of a property.
func (l *lowerer) dollar(word string) string {
	key := "$" + word
	if s, ok := l.words[key]; ok {
		return s
	}
	l.words[key] = key
	return key
}

// scope lowers what stands before "::".
func (l *lowerer) scope(n syntax.Node) ir.Expr {
	t := l.t
	switch t.Kind(n) {
	case "relative_scope":
		return l.relative(l.text(n), t.Start(n), false)
	case "name":
		switch s := l.text(n); s {
		case "self", "static", "parent":
			return l.relative(s, t.Start(n), false)
		}
		return l.class(n)
	}
	return l.object(n)
}

// static lowers A::$name.
func (l *lowerer) static(n, scope, name syntax.Node) ir.Expr {
	t := l.t
	x := l.scope(scope)
	if t.Kind(name) != "variable_name" {
		return l.Opaque(x, l.expr(name))
	}
	a := l.Attr(x, l.text(name), t.Start(name))
	l.Raw().Exprs[a].Flags |= ir.Path
	return a
}

// classConstant lowers A::B, and A::class, which is the class.
func (l *lowerer) classConstant(n syntax.Node) ir.Expr {
	t := l.t
	scope, name := t.NamedChild(n, 0), t.NamedChild(n, 1)
	if l.is(name, "class") {
		switch t.Kind(scope) {
		case "name", "qualified_name", "relative_scope":
			return l.class(scope)
		}
		return l.Unary(ir.TypeOf, l.expr(scope), t.Start(n))
	}
	x := l.scope(scope)
	if t.Kind(name) != "name" {
		return l.Opaque(x, l.expr(name))
	}
	a := l.Attr(x, l.text(name), t.Start(name))
	l.Raw().Exprs[a].Flags |= ir.Path
	return a
}

// subscript lowers $x[i], and $x[] on the left of an assignment.
func (l *lowerer) subscript(n syntax.Node) ir.Expr {
	t := l.t
	base, index := t.NamedChild(n, 0), t.NamedChild(n, 1)
	x := l.object(base)
	if index == 0 {
		return l.Index(x, 0, "", t.Start(n))
	}
	key := ""
	switch t.Kind(index) {
	case "integer":
		key = l.text(index)
	case "string", "encapsed_string":
		key, _ = l.constant(index)
	}
	return l.Index(x, l.expr(index), key, t.Start(n))
}
