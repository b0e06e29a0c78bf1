package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call, or one of the builtins that make a value.
func (l *lowerer) call(n syntax.Node) ir.Expr {
	fn, args := l.Child(n, "function"), l.Child(n, "arguments")
	typeArgs := l.Child(n, "type_arguments")
	if l.Kind(fn) == "identifier" && typeArgs == 0 {
		if x, ok := l.builtinCall(l.Text(fn), n, args); ok {
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
	mark := l.Mark()
	l.pushArgs(args, 0)
	if callee == 0 {
		return l.TakeOpaque(mark)
	}
	return l.Call(callee, l.Take(mark), l.calledAt(fn, args))
}

// pushArgs lowers the arguments of a call onto the stack, without the first skip.
func (l *lowerer) pushArgs(list syntax.Node, skip int) {
	for c := range l.NamedChildren(list) {
		if skip > 0 {
			skip--
			continue
		}
		arg := ir.Arg{}
		if l.Kind(c) == "variadic_argument" {
			arg.Kind = ir.Spread
			c = l.NamedChild(c, 0)
		}
		arg.X = l.expr(c)
		l.PushArg(arg)
	}
}

// calledAt returns where a call of fn is found: at its last name, or at its
// arguments when what is called has no name.
func (l *lowerer) calledAt(fn, args syntax.Node) int {
	for range walk.MaxDepth {
		switch l.Kind(fn) {
		case "identifier", "type_identifier", "func_literal":
			return l.Start(fn)
		case "selector_expression":
			return l.Start(l.Child(fn, "field"))
		case "qualified_type":
			return l.Start(l.Child(fn, "name"))
		case "generic_type", "type_instantiation_expression":
			fn = l.Child(fn, "type")
		case "index_expression":
			fn = l.Child(fn, "operand")
		case "parenthesized_expression":
			fn = l.NamedChild(fn, 0)
		default:
			return l.Start(args)
		}
	}
	return l.Start(args)
}

// instantiated is base[args]: an instance of a generic function, or the element
// of a variable that holds functions. The grammar takes both for types.
func (l *lowerer) instantiated(base, args syntax.Node) ir.Expr {
	x := l.value(base)
	first := l.NamedChild(args, 0)
	if l.NamedChild(args, 1) == 0 && l.isIndex(base, first) {
		return l.indexed(x, first)
	}
	return l.apply(x, args, l.Start(base))
}

// isIndex reports whether base[i], which may be read as an instance of a generic
// function as well, is an element: the index is a variable, or the base is.
func (l *lowerer) isIndex(base, i syntax.Node) bool {
	if l.isTypeArg(i) {
		return false
	}
	if l.Kind(i) == "type_elem" {
		i = l.NamedChild(i, 0)
	}
	if !l.isFree(base) {
		return true
	}
	name := l.Text(i)
	return l.Kind(i) == "type_identifier" && !l.isFreeName(name)
}

// value lowers an expression that the grammar takes for a type.
func (l *lowerer) value(n syntax.Node) ir.Expr {
	switch l.Kind(n) {
	case "qualified_type":
		pkg, name := l.Child(n, "package"), l.Child(n, "name")
		return l.Attr(l.Name(l.Text(pkg), l.Start(pkg)), l.Text(name), l.Start(name))
	case "generic_type":
		return l.instantiated(l.Child(n, "type"), l.Child(n, "type_arguments"))
	}
	return l.expr(n)
}

// conversion lowers T(x). With a generic T it may be a call of a function.
func (l *lowerer) conversion(n syntax.Node) ir.Expr {
	typ, operand := l.Child(n, "type"), l.Child(n, "operand")
	if l.Kind(typ) == "generic_type" {
		callee := l.value(typ)
		mark := l.Mark()
		l.PushArg(ir.Arg{X: l.expr(operand)})
		return l.Call(callee, l.Take(mark), l.calledAt(typ, operand))
	}
	return l.Binary(ir.Cast, l.expr(operand), l.typ(typ), l.Start(typ))
}

// pointerConversion lowers (*T)(x), which reads as a call, if T is no variable.
func (l *lowerer) pointerConversion(fn, args syntax.Node) (ir.Expr, bool) {
	if l.Kind(fn) != "parenthesized_expression" {
		return 0, false
	}
	star := l.NamedChild(fn, 0)
	if l.Kind(star) != "unary_expression" || l.Kind(l.Child(star, "operator")) != "*" {
		return 0, false
	}
	typ := l.Child(star, "operand")
	if k := l.Kind(typ); k == "index_expression" {
		if !l.isFree(l.Child(typ, "operand")) {
			return 0, false
		}
		x := l.expr(l.NamedChild(args, 0))
		to := l.Apply(l.typ(l.Child(typ, "operand")), "", ir.Args(l.typ(l.Child(typ, "index"))), l.Start(typ))
		return l.Binary(ir.Cast, x, to, l.Start(typ)), true
	}
	if v := l.Lookup(l.Text(typ)); !l.isFree(typ) && (v == 0 || l.localTypes[v] == 0) {
		return 0, false
	}
	x := l.expr(l.NamedChild(args, 0))
	return l.Binary(ir.Cast, x, l.typ(typ), l.Start(typ)), true
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
	if l.Lookup(name) != 0 || l.top[name].kind != 0 {
		return 0, false
	}
	first := l.NamedChild(args, 0)
	switch name {
	case "new":
		if l.isValue(first) {
			return l.value(first), true
		}
		return l.zero(first, l.typ(first)), true
	case "make":
		typ := l.typ(first)
		for c := range l.NamedChildren(args) {
			if c != first {
				l.eval(l.expr(c))
			}
		}
		return l.zero(first, typ), true
	case "append":
		xs := l.expr(first)
		mark := l.Mark()
		l.pushArgs(args, 1)
		more := l.Take(mark)
		if len(more) == 0 {
			return xs, true
		}
		return l.Union(xs, l.List("list", more, l.Start(n))), true
	}
	// A conversion. What an interface holds stays what it is.
	x := l.expr(first)
	if name == "any" || x == 0 {
		return x, true
	}
	return l.Binary(ir.Cast, x, l.predeclaredType(name, l.Start(n)), l.Start(n)), true
}

// isValue reports whether what new gets is a value and no type.
func (l *lowerer) isValue(n syntax.Node) bool {
	switch k := l.Kind(n); k {
	case "type_identifier", "identifier":
		name := l.Text(n)
		if v := l.Lookup(name); v != 0 {
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
	pos := l.Start(n)
	var empty ir.Expr
	switch l.Kind(l.underlying(n)) {
	case "slice_type", "array_type":
		empty = l.List("list", nil, pos)
	case "channel_type":
		empty = l.List("chan", nil, pos)
	case "map_type":
		empty = l.Object("map", nil, pos)
	default:
		if predeclared[l.Text(n)] {
			return l.Binary(ir.Cast, 0, typ, pos)
		}
		return l.Expr(ir.Node{Op: ir.New, A: typ, Flags: ir.Implicit, Pos: l.Pos(pos)})
	}
	return l.Binary(ir.Cast, empty, typ, pos)
}
