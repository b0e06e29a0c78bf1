package cfamily

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// declaration lowers a declaration of variables or prototypes, at the top of a
// file, in a namespace or in a function.
func (l *lowering) declaration(n syntax.Node) {
	spec := l.t.Child(n, "type")
	typ := ir.Expr(0)
	var lowered bool
	for d := range l.t.NamedChildren(n) {
		if l.t.Field(d) != "declarator" {
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
		if l.t.Child(spec, "body") != 0 {
			l.typ(spec)
		}
	}
}

// declaredFunction lowers a declarator of a function: a prototype. In a function it is
// left out, and so is a friend's or a member's at the top (A::f()).
func (l *lowering) declaredFunction(n syntax.Node, dec declarator) {
	if dec.outer || l.b.Class() == 0 && !l.b.AtTop() {
		return
	}
	l.prototype(n, dec)
}

// constructed reports whether what reads as the prototype "Foo f(x)" makes a
// variable, as x is a variable here.
func (l *lowering) constructed(dec declarator) bool {
	if !l.cpp || l.b.Class() != 0 || l.b.AtTop() {
		return false
	}
	any := false
	for p := range l.t.NamedChildren(l.t.Child(dec.fn, "parameters")) {
		spec := l.t.Child(p, "type")
		if l.t.Child(p, "declarator") != 0 || l.t.Kind(spec) != "type_identifier" {
			return false
		}
		v := l.b.Lookup(l.t.Text(spec))
		if v == 0 || l.types[l.t.Text(spec)] == v {
			return false
		}
		any = true
	}
	return any
}

// variable lowers one declared variable.
func (l *lowering) variable(n, d syntax.Node, dec declarator, typ ir.Expr) {
	value := l.t.Child(d, "value")
	if value == 0 {
		value = l.t.Child(n, "value") // in a condition: if (T *x = f())
	}
	if dec.binding != 0 {
		l.structured(dec.binding, value)
		return
	}
	if dec.name == 0 {
		return
	}
	if dec.isFunc { // Foo f(x)
		x := l.b.New(typ, l.paramsAsArgs(dec.fn), l.t.Start(dec.name))
		v := l.b.Shadow(l.t.Text(dec.name), l.t.Start(dec.name))
		l.b.Bind(l.b.Local(v, l.t.Start(dec.name)), x)
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
			l.b.Bind(scope, l.initial(value, base, dec))
		}
		return
	}
	name, pos := l.t.Text(dec.name), l.t.Start(dec.name)
	v := l.b.Declare(name, pos)
	x := ir.Expr(0)
	if value != 0 && (l.cpp || l.t.Kind(value) != "initializer_list") {
		x = l.initial(value, base, dec)
	}
	if l.b.VarInfo(v).Type == 0 && !(class && !dec.array && l.made(x)) {
		l.b.VarInfo(v).Type = typ
	}
	l.exported(name, n)
	switch {
	case value != 0 && !l.cpp && l.t.Kind(value) == "initializer_list":
		l.aggregate(v, value, base, dec)
	case value != 0:
		l.set(v, pos, x)
	case class && !dec.array:
		x := l.b.New(typ, nil, pos)
		l.b.Raw().Exprs[x].Flags |= ir.Implicit
		l.set(v, pos, x)
	}
}

// made reports whether a variable of a class that begins with x is exactly of that
// class: it is made here, so what x is says more than the declared type.
func (l *lowering) made(x ir.Expr) bool {
	if l.b.Class() != 0 || l.b.AtTop() {
		return false
	}
	return x == 0 || l.b.Raw().Exprs[x].Op == ir.New
}

// exported marks the variable that was declared last at the top of the file or in
// a namespace.
func (l *lowering) exported(name string, n syntax.Node) {
	if !l.b.AtTop() && l.b.Class() == 0 {
		return
	}
	members := l.b.Raw().Top
	if c := l.b.Class(); c != 0 {
		members = l.b.ClassInfo(c).Members
	}
	if len(members) == 0 {
		return
	}
	m := &members[len(members)-1]
	m.Exported = !l.private && !l.specifier(n, "static")
	m.Static = l.b.Class() != 0
}

// set gives a variable its first value.
func (l *lowering) set(v ir.Var, pos int, x ir.Expr) {
	if x == 0 {
		return
	}
	if l.b.Class() != 0 {
		if l.b.VarInfo(v).Init == 0 {
			l.b.VarInfo(v).Init = x
			return
		}
	}
	l.b.Bind(l.b.Local(v, pos), x)
}

// initial lowers what a variable or field of a type begins with: a value, or the
// arguments of a constructor.
func (l *lowering) initial(value syntax.Node, typ ir.Expr, dec declarator) ir.Expr {
	kind := l.t.Kind(value)
	if kind != "argument_list" && kind != "initializer_list" {
		return l.expr(value)
	}
	args := l.args(value)
	if l.cpp && l.isClass(typ) && !dec.pointer && !dec.array && dec.fn == 0 {
		at := value
		if dec.name != 0 {
			at = l.last(dec.name)
		}
		return l.b.New(typ, args, l.t.Start(at))
	}
	xs := make([]ir.Expr, 0, len(args))
	for _, a := range args {
		xs = append(xs, a.X)
	}
	return l.b.Union(xs...)
}

// isClass reports whether a type may be a class: it is no primitive one.
func (l *lowering) isClass(typ ir.Expr) bool {
	if typ == 0 {
		return false
	}
	n := l.b.Raw().Exprs[typ]
	switch n.Op {
	case ir.Name:
		return l.shared[l.b.Raw().String(n.Name)] != typ
	case ir.Apply:
		return n.A != 0
	}
	return true
}

// paramsAsArgs reads the parameters of what is no prototype as arguments.
func (l *lowering) paramsAsArgs(fn syntax.Node) []ir.Arg {
	var args []ir.Arg
	for p := range l.t.NamedChildren(l.t.Child(fn, "parameters")) {
		spec := l.t.Child(p, "type")
		args = append(args, ir.Arg{X: l.b.Name(l.t.Text(spec), l.t.Start(spec))})
	}
	return args
}

// structured lowers auto [a, b] = x.
func (l *lowering) structured(n, value syntax.Node) {
	x := l.expr(value)
	var targets []ir.Arg
	for c := range l.t.NamedChildren(n) {
		v := l.b.Declare(l.t.Text(c), l.t.Start(c))
		targets = append(targets, ir.Arg{X: l.b.Local(v, l.t.Start(c))})
	}
	if len(targets) > 0 && x != 0 {
		l.b.Bind(l.b.List("tuple", targets, l.t.Start(n)), x)
		return
	}
	l.eval(x)
}
