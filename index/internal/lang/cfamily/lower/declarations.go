package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// declaration lowers a declaration of variables or prototypes, at the top of a
// file, in a namespace or in a function.
func (l *lowerer) declaration(n syntax.Node) {
	spec := l.Child(n, "type")
	typ := ir.Expr(0)
	var lowered bool
	for d := range l.NamedChildren(n) {
		if l.Field(d) != "declarator" {
			continue
		}
		dec := l.declarator(d)
		if dec.isFunc && dec.name != 0 && !l.constructed(dec) {
			l.declaredFunction(n, dec)
			continue
		}
		if !lowered {
			typ, lowered = l.typ(spec), true
		}
		l.variable(n, d, dec, typ)
	}
	if !lowered {
		if l.Child(spec, "body") != 0 {
			l.typ(spec)
		}
	}
}

// declaredFunction lowers a declarator of a function: a prototype. In a function it is
// left out, and so is a friend's or a member's at the top (A::f()).
func (l *lowerer) declaredFunction(n syntax.Node, dec declarator) {
	if dec.outer || l.Class() == 0 && !l.AtTop() {
		return
	}
	l.prototype(n, dec)
}

// constructed reports whether what reads as the prototype "Foo f(x, g(y))" makes a variable, as
// x is a variable here. In functions people hardly write prototypes.
func (l *lowerer) constructed(dec declarator) bool {
	return l.cpp && l.Class() == 0 && !l.AtTop() && l.argumentLike(l.Child(dec.fn, "parameters"))
}

// argumentLike reports whether a list of parameters can be one of arguments, and surely is: it
// has a local variable, or a call without arguments.
func (l *lowerer) argumentLike(list syntax.Node) (sure bool) {
	for p := range l.NamedChildren(list) {
		spec, d := l.Child(p, "type"), l.Child(p, "declarator")
		variable := l.Kind(spec) == "type_identifier" && l.isVariable(l.Text(spec))
		switch l.Kind(d) {
		case "abstract_function_declarator":
			inner := l.Child(d, "parameters")
			if k := l.Kind(spec); k != "type_identifier" && k != "qualified_identifier" && k != "template_type" {
				return false
			}
			if l.NamedChild(inner, 0) == 0 || l.argumentLike(inner) {
				sure = true
			}
		case "abstract_array_declarator", "pointer_declarator", "reference_declarator":
			if !variable {
				return false
			}
			sure = true
		default:
			if d != 0 || l.Kind(spec) != "type_identifier" {
				return false
			}
			sure = sure || variable
		}
	}
	return sure
}

// isVariable reports whether a name is that of a local variable, and of no type.
func (l *lowerer) isVariable(name string) bool {
	v := l.Lookup(name)
	return v != 0 && l.types[name] != v
}

// variable lowers one declared variable.
func (l *lowerer) variable(n, d syntax.Node, dec declarator, typ ir.Expr) {
	value := l.Child(d, "value")
	if value == 0 {
		value = l.Child(n, "value") // in a condition: if (T *x = f())
	}
	if dec.binding != 0 {
		l.structured(dec.binding, value)
		return
	}
	if dec.name == 0 {
		return
	}
	if dec.isFunc { // Foo f(x)
		x := l.New(typ, l.paramsAsArgs(dec.fn), l.Start(dec.name))
		v := l.Shadow(l.Text(dec.name), l.Start(dec.name))
		l.Bind(l.Local(v, l.Start(dec.name)), x)
		return
	}
	if value == 0 && l.specifier(n, "extern") {
		return
	}
	class := l.cpp && l.isClass(typ) && !dec.pointer && dec.fn == 0
	base := typ
	typ = l.declared(typ, dec)
	if dec.outer { // int A::x = f();
		if value != 0 {
			scope := l.typ(dec.name)
			l.Bind(scope, l.initial(value, base, dec))
		}
		return
	}
	name, pos := l.Text(dec.name), l.Start(dec.name)
	v := l.Declare(name, pos)
	x := ir.Expr(0)
	if value != 0 && (l.cpp || l.Kind(value) != "initializer_list") {
		x = l.initial(value, base, dec)
	}
	if l.VarInfo(v).Type == 0 && !(class && !dec.array && l.made(x)) {
		l.VarInfo(v).Type = typ
	}
	l.exported(name, n)
	switch {
	case value != 0 && !l.cpp && l.Kind(value) == "initializer_list":
		l.aggregate(v, value, base, dec)
	case value != 0:
		l.set(v, pos, x)
	case class && !dec.array:
		x := l.New(typ, nil, pos)
		l.Flag(x, ir.Implicit)
		l.set(v, pos, x)
	}
}

// made reports whether a variable of a class that begins with x is exactly of that
// class: it is made here, so what x is says more than the declared type.
func (l *lowerer) made(x ir.Expr) bool {
	if l.Class() != 0 || l.AtTop() {
		return false
	}
	return x == 0 || l.OpOf(x) == ir.New
}

// exported marks the variable that was declared last at the top of the file or in
// a namespace.
func (l *lowerer) exported(name string, n syntax.Node) {
	if !l.AtTop() && l.Class() == 0 {
		return
	}
	members := l.Raw().Top
	if c := l.Class(); c != 0 {
		members = l.ClassInfo(c).Members
	}
	if len(members) == 0 {
		return
	}
	m := &members[len(members)-1]
	m.Exported = !l.private && !l.specifier(n, "static")
	m.Static = l.Class() != 0
}

// set gives a variable its first value.
func (l *lowerer) set(v ir.Var, pos int, x ir.Expr) {
	if x == 0 {
		return
	}
	if l.Class() != 0 {
		if l.VarInfo(v).Init == 0 {
			l.VarInfo(v).Init = x
			return
		}
	}
	l.Bind(l.Local(v, pos), x)
}

// initial lowers what a variable or field of a type begins with: a value, or the
// arguments of a constructor.
func (l *lowerer) initial(value syntax.Node, typ ir.Expr, dec declarator) ir.Expr {
	kind := l.Kind(value)
	if kind != "argument_list" && kind != "initializer_list" {
		return l.expr(value)
	}
	args := l.args(value)
	if l.cpp && l.isClass(typ) && !dec.pointer && !dec.array && dec.fn == 0 {
		at := value
		if dec.name != 0 {
			at = l.last(dec.name)
		}
		return l.New(typ, args, l.Start(at))
	}
	xs := make([]ir.Expr, 0, len(args))
	for _, a := range args {
		xs = append(xs, a.X)
	}
	return l.Union(xs...)
}

// isClass reports whether a type may be a class: it is no primitive one.
func (l *lowerer) isClass(typ ir.Expr) bool {
	if typ == 0 {
		return false
	}
	n := l.Raw().Exprs[typ]
	switch n.Op {
	case ir.Name:
		return l.shared[l.Raw().String(n.Name)] != typ
	case ir.Apply:
		return n.A != 0
	}
	return true
}

// paramsAsArgs reads the parameters of what is no prototype as arguments.
func (l *lowerer) paramsAsArgs(fn syntax.Node) []ir.Arg {
	var args []ir.Arg
	for p := range l.NamedChildren(l.Child(fn, "parameters")) {
		spec, d := l.Child(p, "type"), l.Child(p, "declarator")
		switch l.Kind(d) {
		case "abstract_function_declarator":
			inner := l.paramsAsArgs(d)
			if t := l.Text(spec); (t == "std::move" || t == "move") && len(inner) == 1 {
				args = append(args, inner[0])
				continue
			}
			args = append(args, ir.Arg{X: l.Call(l.typ(spec), inner, l.Start(l.last(spec)))})
		case "":
			args = append(args, ir.Arg{X: l.Name(l.Text(spec), l.Start(spec))})
		default: // an element, or what an operator gives
			l.Keep(l.Name(l.Text(spec), l.Start(spec)))
			args = append(args, ir.Arg{})
		}
	}
	return args
}

// structured lowers auto [a, b] = x.
func (l *lowerer) structured(n, value syntax.Node) {
	x := l.expr(value)
	var targets []ir.Arg
	for c := range l.NamedChildren(n) {
		v := l.Declare(l.Text(c), l.Start(c))
		targets = append(targets, ir.Arg{X: l.Local(v, l.Start(c))})
	}
	if len(targets) > 0 && x != 0 {
		l.Bind(l.List("tuple", targets, l.Start(n)), x)
		return
	}
	l.Keep(x)
}
