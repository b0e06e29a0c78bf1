package cfamily

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// typ lowers a type, and defines the class that is written in it, if one is.
func (l *lowering) typ(n syntax.Node) ir.Expr {
	if n == 0 || !l.down() {
		return 0
	}
	defer l.up()
	switch l.t.Kind(n) {
	case "primitive_type", "sized_type_specifier":
		return l.primitive(l.t.Text(n))
	case "type_identifier", "identifier", "namespace_identifier", "field_identifier":
		return l.typeName(n)
	case "struct_specifier", "union_specifier", "class_specifier":
		return l.class(n)
	case "enum_specifier":
		return l.enum(n)
	case "qualified_identifier":
		return l.typePath(n)
	case "template_type", "template_function", "template_method":
		return l.generic(n, l.typ(l.t.Child(n, "name")))
	case "type_descriptor":
		return l.descriptor(n)
	case "dependent_type":
		return l.typ(l.t.NamedChild(n, 0))
	case "macro_type_specifier":
		return l.typ(l.t.Child(n, "type"))
	}
	return 0 // auto, decltype and the like
}

func (l *lowering) primitive(name string) ir.Expr {
	x, ok := l.shared[name]
	if !ok {
		x = l.b.Free(name, 0)
		l.shared[name] = x
	}
	return x
}

// typeName is a type by its name. Types and variables have names of their own
// in C, so a local variable of the same name does not count, but a local class does.
func (l *lowering) typeName(n syntax.Node) ir.Expr {
	name := l.t.Text(n)
	if v, ok := l.types[name]; ok && l.b.Lookup(name) == v {
		return l.b.Local(v, l.t.Start(n))
	}
	return l.b.Free(name, l.t.Start(n))
}

// typePath is a type like a::B<C>::D.
func (l *lowering) typePath(n syntax.Node) ir.Expr {
	scope, name := l.t.Child(n, "scope"), l.t.Child(n, "name")
	if scope == 0 {
		return l.typ(name)
	}
	return l.within(l.typ(scope), name)
}

// within is the type at n inside of scope.
func (l *lowering) within(scope ir.Expr, n syntax.Node) ir.Expr {
	if !l.down() {
		return 0
	}
	defer l.up()
	switch l.t.Kind(n) {
	case "qualified_identifier":
		return l.within(l.within(scope, l.t.Child(n, "scope")), l.t.Child(n, "name"))
	case "template_type", "template_function", "template_method":
		return l.generic(n, l.within(scope, l.t.Child(n, "name")))
	case "dependent_name":
		return l.within(scope, l.t.NamedChild(n, 0))
	}
	return l.member(scope, l.name(n), l.t.Start(n))
}

// member is scope::name.
func (l *lowering) member(scope ir.Expr, name string, pos int) ir.Expr {
	if scope == 0 {
		return l.b.Free(name, pos)
	}
	x := l.b.Attr(scope, name, pos)
	l.b.Raw().Exprs[x].Flags |= ir.Path
	return x
}

// generic applies base to the template arguments of n.
func (l *lowering) generic(n syntax.Node, base ir.Expr) ir.Expr {
	if base == 0 {
		return 0
	}
	args := l.typeArgs(l.t.Child(n, "arguments"))
	if len(args) == 0 {
		return base
	}
	if f := l.b.Raw(); len(args) == 1 && args[0].X != 0 && f.Exprs[args[0].X].Op == ir.Apply && f.Exprs[args[0].X].A == 0 {
		switch f.String(f.Exprs[base].Name) { // std::function<void(int)> is void(int)
		case "function", "move_only_function", "copyable_function", "function_ref", "FunctionRef", "AnyInvocable", "packaged_task":
			return args[0].X
		}
	}
	return l.b.Apply(base, "", args, l.t.Start(n))
}

func (l *lowering) typeArgs(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.t.NamedChildren(n) {
		args = append(args, ir.Arg{X: l.typ(c)})
	}
	return args
}

// declared is the type of what a declarator declares: a text where it is "char *",
// a function where it is a pointer to one. A pointer to an object is marked by a
// Deref, which says no more than that it is no object itself.
func (l *lowering) declared(typ ir.Expr, dec declarator) ir.Expr {
	switch {
	case dec.fn != 0:
		return l.funcType(dec.fn, typ)
	case (dec.pointer || dec.array) && typ != 0 && typ == l.shared["char"]:
		return l.primitive("char*")
	case dec.pointer && l.cpp && l.isClass(typ):
		return l.b.Unary(ir.Deref, typ, 0)
	}
	return typ
}

// descriptor lowers a type without a name for what has it: "Foo *", "void (int)".
func (l *lowering) descriptor(n syntax.Node) ir.Expr {
	x := l.typ(l.t.Child(n, "type"))
	for d := l.t.Child(n, "declarator"); d != 0; d = l.inner(d) {
		if l.t.Kind(d) == "abstract_function_declarator" {
			x = l.funcType(d, x)
		}
	}
	return x
}

// funcType is the type of a function with the parameters of a declarator.
func (l *lowering) funcType(d syntax.Node, result ir.Expr) ir.Expr {
	var args []ir.Arg
	for p := range l.t.NamedChildren(l.t.Child(d, "parameters")) {
		if l.t.Child(p, "declarator") == 0 && string(l.t.Bytes(l.t.Child(p, "type"))) == "void" {
			continue
		}
		if x := l.typ(l.t.Child(p, "type")); x != 0 {
			args = append(args, ir.Arg{X: x})
		}
	}
	return l.b.Apply(0, "func", append(args, ir.Arg{X: result}), l.t.Start(d))
}

// name returns the text of an identifier of any kind. The blanks inside of
// "operator +" are left out.
func (l *lowering) name(n syntax.Node) string {
	switch l.t.Kind(n) {
	case "operator_name":
		return strings.Join(strings.Fields(l.t.Text(n)), "")
	case "operator_cast":
		text := l.t.Bytes(l.t.Child(n, "type"))
		return "operator " + string(text)
	case "destructor_name":
		return strings.Join(strings.Fields(l.t.Text(n)), "")
	case "template_type", "template_function", "template_method", "qualified_identifier", "dependent_name":
		if last := l.last(n); last != n {
			return l.name(last)
		}
	}
	return l.t.Text(n)
}

// typedef lowers a typedef: an alias, or the name of a class that has no other.
func (l *lowering) typedef(n syntax.Node) {
	spec := l.t.Child(n, "type")
	var typ ir.Expr
	named := false // the class took the first name
	if first := l.t.Child(n, "declarator"); l.t.Child(spec, "name") == 0 && l.t.Child(spec, "body") != 0 && l.t.Kind(first) == "type_identifier" {
		typ, named = l.classNamed(spec, first), true
	} else {
		typ = l.typ(spec)
	}
	for d := range l.t.NamedChildren(n) {
		if l.t.Field(d) != "declarator" {
			continue
		}
		if named && l.t.Kind(d) == "type_identifier" {
			named = false
			continue
		}
		dec := l.declarator(d)
		if dec.name == 0 || l.t.Text(dec.name) == l.t.Text(l.t.Child(spec, "name")) {
			continue
		}
		target := typ
		if dec.fn != 0 {
			target = l.funcType(dec.fn, typ)
		}
		l.aliasTo(dec.name, n, target)
	}
}

// defineClass binds a class to its name, and remembers it where that is local.
func (l *lowering) defineClass(c ir.Class, name string, at syntax.Node) {
	if !l.cpp && l.b.Class() != 0 { // the structs of C are not nested
		l.hoist = append(l.hoist, hoisted{ir.Member{Name: l.b.Str(name), Kind: ir.ClassMember, Ref: uint32(c), Exported: true}, l.t.Start(at)})
		return
	}
	l.defineAs(ir.ClassMember, uint32(c), name, l.t.Start(at))
	if l.b.Class() == 0 && !l.b.AtTop() {
		if l.types == nil {
			l.types = map[string]ir.Var{}
		}
		l.types[name] = l.b.Lookup(name)
	}
}
