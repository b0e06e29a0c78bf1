package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// memberName returns the name of a member, and the expression that it is where it
// is not written out.
func (l *lowerer) memberName(n syntax.Node) (string, ir.Expr) {
	switch l.Kind(n) {
	case "name":
		return l.Text(n), 0
	case "string":
		if s, ok := l.constant(n); ok {
			return s, 0
		}
	}
	return "", l.expr(n)
}

// property lowers $x->name.
func (l *lowerer) property(n syntax.Node) ir.Expr {
	x := l.object(l.Child(n, "object"))
	name := l.Child(n, "name")
	word, dynamic := l.memberName(name)
	if word == "" {
		return l.Index(x, dynamic, "", l.Start(n))
	}
	a := l.Attr(x, l.dollar(word), l.Start(name))
	if l.Kind(n) == "nullsafe_member_access_expression" {
		l.Flag(a, ir.Optional)
	}
	return a
}

// object lowers what stands before an arrow.
func (l *lowerer) object(n syntax.Node) ir.Expr {
	x := l.expr(n)
	if x == 0 {
		x = l.Lit("null", l.Start(n))
	}
	return x
}

// dollar returns the name of a property.
func (l *lowerer) dollar(word string) string {
	return l.Intern([]byte("$" + word))
}

// scope lowers what stands before "::".
func (l *lowerer) scope(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "relative_scope":
		return l.relative(l.Text(n), l.Start(n), false)
	case "name":
		switch s := l.Text(n); s {
		case "self", "static", "parent":
			return l.relative(s, l.Start(n), false)
		}
		return l.class(n)
	}
	return l.object(n)
}

// static lowers A::$name.
func (l *lowerer) static(n, scope, name syntax.Node) ir.Expr {
	x := l.scope(scope)
	if l.Kind(name) != "variable_name" {
		return l.Opaque(x, l.expr(name))
	}
	a := l.Attr(x, l.Text(name), l.Start(name))
	l.Flag(a, ir.Path)
	return a
}

// classConstant lowers A::B, and A::class, which is the class.
func (l *lowerer) classConstant(n syntax.Node) ir.Expr {
	scope, name := l.NamedChild(n, 0), l.NamedChild(n, 1)
	if l.Is(name, "class") {
		switch l.Kind(scope) {
		case "name", "qualified_name", "relative_scope":
			return l.class(scope)
		}
		return l.Unary(ir.TypeOf, l.expr(scope), l.Start(n))
	}
	x := l.scope(scope)
	if l.Kind(name) != "name" {
		return l.Opaque(x, l.expr(name))
	}
	a := l.Attr(x, l.Text(name), l.Start(name))
	l.Flag(a, ir.Path)
	return a
}

// subscript lowers $x[i], and $x[] on the left of an assignment.
func (l *lowerer) subscript(n syntax.Node) ir.Expr {
	base, index := l.NamedChild(n, 0), l.NamedChild(n, 1)
	x := l.object(base)
	if index == 0 {
		return l.Index(x, 0, "", l.Start(n))
	}
	key := ""
	switch l.Kind(index) {
	case "integer":
		key = l.Text(index)
	case "string", "encapsed_string":
		key, _ = l.constant(index)
	}
	return l.Index(x, l.expr(index), key, l.Start(n))
}
