package golang

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call, or one of the builtins that make a value.
func (l *lowerer) call(n syntax.Node) ir.Expr {
	t := l.t
	fn, args := t.Child(n, "function"), t.Child(n, "arguments")
	typeArgs := t.Child(n, "type_arguments")
	if t.Kind(fn) == "identifier" && typeArgs == 0 {
		if x, ok := l.builtinCall(t.Text(fn), n, args); ok {
			return x
		}
	}
	if x, ok := l.pointerConversion(fn, args); ok {
		return x
	}
	var callee ir.Expr
	if typeArgs != 0 {
		callee = l.instantiated(fn, typeArgs)
	} else {
		callee = l.expr(fn)
	}
	mark := len(l.args)
	l.pushArgs(args, 0)
	if callee == 0 {
		return l.opaque(mark)
	}
	return l.b.Call(callee, l.pop(mark), l.calledAt(fn, args))
}

// pushArgs lowers the arguments of a call onto the stack, without the first skip.
func (l *lowerer) pushArgs(list syntax.Node, skip int) {
	for c := range l.t.NamedChildren(list) {
		if skip > 0 {
			skip--
			continue
		}
		arg := ir.Arg{}
		if l.t.Kind(c) == "variadic_argument" {
			arg.Kind = ir.Spread
			c = l.t.NamedChild(c, 0)
		}
		arg.X = l.expr(c)
		l.args = append(l.args, arg)
	}
}

// calledAt returns where a call of fn is found: at its last name, or at its
// arguments when what is called has no name.
func (l *lowerer) calledAt(fn, args syntax.Node) int {
	for range maxDepth {
		switch l.t.Kind(fn) {
		case "identifier", "type_identifier", "func_literal":
			return l.t.Start(fn)
		case "selector_expression":
			return l.t.Start(l.t.Child(fn, "field"))
		case "qualified_type":
			return l.t.Start(l.t.Child(fn, "name"))
		case "generic_type", "type_instantiation_expression":
			fn = l.t.Child(fn, "type")
		case "index_expression":
			fn = l.t.Child(fn, "operand")
		case "parenthesized_expression":
			fn = l.t.NamedChild(fn, 0)
		default:
			return l.t.Start(args)
		}
	}
	return l.t.Start(args)
}

// instantiated is base[args]: an instance of a generic function, or the element
// of a variable that holds functions. The grammar takes both for types.
func (l *lowerer) instantiated(base, args syntax.Node) ir.Expr {
	x := l.value(base)
	first := l.t.NamedChild(args, 0)
	if l.t.NamedChild(args, 1) == 0 && l.isIndex(base, first) {
		return l.indexed(x, first)
	}
	return l.apply(x, args, l.t.Start(base))
}

// isIndex reports whether base[i], which may be read as an instance of a generic
// function as well, is an element: the index is a variable, or the base is.
func (l *lowerer) isIndex(base, i syntax.Node) bool {
	if l.isTypeArg(i) {
		return false
	}
	if l.t.Kind(i) == "type_elem" {
		i = l.t.NamedChild(i, 0)
	}
	if !l.isFree(base) {
		return true
	}
	name := l.t.Text(i)
	return l.t.Kind(i) == "type_identifier" && !l.isFreeName(name)
}

// value lowers an expression that the grammar takes for a type.
func (l *lowerer) value(n syntax.Node) ir.Expr {
	t := l.t
	switch t.Kind(n) {
	case "qualified_type":
		pkg, name := t.Child(n, "package"), t.Child(n, "name")
		return l.b.Attr(l.b.Name(t.Text(pkg), t.Start(pkg)), t.Text(name), t.Start(name))
	case "generic_type":
		return l.instantiated(t.Child(n, "type"), t.Child(n, "type_arguments"))
	}
	return l.expr(n)
}

// conversion lowers T(x). With a generic T it may be a call of a function.
func (l *lowerer) conversion(n syntax.Node) ir.Expr {
	t := l.t
	typ, operand := t.Child(n, "type"), t.Child(n, "operand")
	if t.Kind(typ) == "generic_type" {
		callee := l.value(typ)
		mark := len(l.args)
		l.args = append(l.args, ir.Arg{X: l.expr(operand)})
		return l.b.Call(callee, l.pop(mark), l.calledAt(typ, operand))
	}
	return l.b.Binary(ir.Cast, l.expr(operand), l.typ(typ), t.Start(typ))
}

// pointerConversion lowers (*T)(x), which reads as a call, if T is no variable.
func (l *lowerer) pointerConversion(fn, args syntax.Node) (ir.Expr, bool) {
	t := l.t
	if t.Kind(fn) != "parenthesized_expression" {
		return 0, false
	}
	star := t.NamedChild(fn, 0)
	if t.Kind(star) != "unary_expression" || t.Kind(t.Child(star, "operator")) != "*" {
		return 0, false
	}
	typ := t.Child(star, "operand")
	if k := t.Kind(typ); k == "index_expression" {
		if !l.isFree(t.Child(typ, "operand")) {
			return 0, false
		}
		x := l.expr(t.NamedChild(args, 0))
		to := l.b.Apply(l.typ(t.Child(typ, "operand")), "", ir.Args(l.typ(t.Child(typ, "index"))), t.Start(typ))
		return l.b.Binary(ir.Cast, x, to, t.Start(typ)), true
	}
	if v := l.b.Lookup(t.Text(typ)); !l.isFree(typ) && (v == 0 || l.localTypes[v] == 0) {
		return 0, false
	}
	x := l.expr(t.NamedChild(args, 0))
	return l.b.Binary(ir.Cast, x, l.typ(typ), t.Start(typ)), true
}

// builtinCall lowers the calls of predeclared names that make a value of a known
// type, unless the name is declared here.
func (l *lowerer) builtinCall(name string, n, args syntax.Node) (ir.Expr, bool) {
	switch name {
	case "new", "make", "append":
	default:
		if !predeclared[name] {
			return 0, false
		}
	}
	if l.b.Lookup(name) != 0 || l.top[name].kind != 0 {
		return 0, false
	}
	t, b := l.t, l.b
	first := t.NamedChild(args, 0)
	switch name {
	case "new":
		if l.isValue(first) {
			return l.value(first), true
		}
		return l.zero(first, l.typ(first)), true
	case "make":
		typ := l.typ(first)
		for c := range t.NamedChildren(args) {
			if c != first {
				l.eval(l.expr(c))
			}
		}
		return l.zero(first, typ), true
	case "append":
		xs := l.expr(first)
		mark := len(l.args)
		l.pushArgs(args, 1)
		more := l.pop(mark)
		if len(more) == 0 {
			return xs, true
		}
		return b.Union(xs, b.List("list", more, t.Start(n))), true
	}
	// A conversion. What an interface holds stays what it is.
	x := l.expr(first)
	if name == "any" || x == 0 {
		return x, true
	}
	return b.Binary(ir.Cast, x, l.predeclaredType(name, t.Start(n)), t.Start(n)), true
}

// isValue reports whether what new gets is a value and no type.
func (l *lowerer) isValue(n syntax.Node) bool {
	switch k := l.t.Kind(n); k {
	case "type_identifier", "identifier":
		name := l.t.Text(n)
		if v := l.b.Lookup(name); v != 0 {
			return l.localTypes[v] == 0
		}
		return l.top[name].kind == valueDecl
	case "qualified_type":
		// A field of a variable reads as a type of a package.
		return !l.isFree(n)
	default:
		return k != "" && !strings.HasSuffix(k, "_type")
	}
}

// zero is an empty value of a type, as new and make give it.
func (l *lowerer) zero(n syntax.Node, typ ir.Expr) ir.Expr {
	if typ == 0 {
		return 0
	}
	b, pos := l.b, l.t.Start(n)
	var empty ir.Expr
	switch l.t.Kind(l.underlying(n)) {
	case "slice_type", "array_type":
		empty = b.List("list", nil, pos)
	case "channel_type":
		empty = b.List("chan", nil, pos)
	case "map_type":
		empty = b.Object("map", nil, pos)
	default:
		if predeclared[l.t.Text(n)] {
			return b.Binary(ir.Cast, 0, typ, pos)
		}
		return b.Expr(ir.Node{Op: ir.New, A: typ, Flags: ir.Implicit, Pos: b.Pos(pos)})
	}
	return b.Binary(ir.Cast, empty, typ, pos)
}
