package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// typ lowers a type, and defines the class that is written in it, if one is.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "primitive_type", "sized_type_specifier":
		return l.primitive(l.Text(n))
	case "type_identifier", "identifier", "namespace_identifier", "field_identifier":
		return l.typeName(n)
	case "struct_specifier", "union_specifier", "class_specifier":
		return l.class(n)
	case "enum_specifier":
		return l.enum(n)
	case "qualified_identifier":
		return l.typePath(n)
	case "template_type", "template_function", "template_method":
		return l.generic(n, l.typ(l.Child(n, "name")))
	case "type_descriptor":
		return l.descriptor(n)
	case "dependent_type":
		return l.typ(l.NamedChild(n, 0))
	case "macro_type_specifier":
		return l.typ(l.Child(n, "type"))
	}
	return 0 // auto, decltype and the like
}

func (l *lowerer) primitive(name string) ir.Expr {
	x, ok := l.shared[name]
	if !ok {
		x = l.Free(name, 0)
		l.shared[name] = x
	}
	return x
}

// typeName is a type by its name. Types and variables have names of their own
// in C, so a local variable of the same name does not count, but a local class does.
func (l *lowerer) typeName(n syntax.Node) ir.Expr {
	name := l.Text(n)
	if v, ok := l.types[name]; ok && l.Lookup(name) == v {
		return l.Local(v, l.Start(n))
	}
	return l.Free(name, l.Start(n))
}

// typePath is a type like a::B<C>::D.
func (l *lowerer) typePath(n syntax.Node) ir.Expr {
	scope, name := l.Child(n, "scope"), l.Child(n, "name")
	if scope == 0 {
		return l.typ(name)
	}
	return l.within(l.typ(scope), name)
}

// within is the type at n inside of scope.
func (l *lowerer) within(scope ir.Expr, n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "qualified_identifier":
		return l.within(l.within(scope, l.Child(n, "scope")), l.Child(n, "name"))
	case "template_type", "template_function", "template_method":
		return l.generic(n, l.within(scope, l.Child(n, "name")))
	case "dependent_name":
		return l.within(scope, l.NamedChild(n, 0))
	}
	return l.member(scope, l.name(n), l.Start(n))
}

// member is scope::name.
func (l *lowerer) member(scope ir.Expr, name string, pos int) ir.Expr {
	if scope == 0 {
		return l.Free(name, pos)
	}
	x := l.Attr(scope, name, pos)
	l.Flag(x, ir.Path)
	return x
}

// generic applies base to the template arguments of n.
func (l *lowerer) generic(n syntax.Node, base ir.Expr) ir.Expr {
	if base == 0 {
		return 0
	}
	args := l.typeArgs(l.Child(n, "arguments"))
	if len(args) == 0 {
		return base
	}
	if f := l.Raw(); len(args) == 1 && args[0].X != 0 && f.Exprs[args[0].X].Op == ir.Apply && f.Exprs[args[0].X].A == 0 {
		switch f.String(f.Exprs[base].Name) { // std::function<void(int)> is void(int)
		case "function", "move_only_function", "copyable_function", "function_ref", "FunctionRef", "AnyInvocable", "packaged_task":
			return args[0].X
		}
	}
	return l.Apply(base, "", args, l.Start(n))
}

func (l *lowerer) typeArgs(n syntax.Node) []ir.Arg {
	return ir.Args(l.Exprs(n, l.typ)...)
}

// declared is the type of what a declarator declares: a text where it is "char *",
// a function where it is a pointer to one. A pointer to an object is marked by a
// Deref, which says no more than that it is no object itself; one named "*" that it is no
// reference to one either, but an address, which has none of the operators of a class.
func (l *lowerer) declared(typ ir.Expr, dec declarator) ir.Expr {
	switch {
	case dec.fn != 0:
		return l.funcType(dec.fn, typ)
	case (dec.pointer || dec.array) && typ != 0 && typ == l.shared["char"]:
		return l.primitive("char*")
	case dec.pointer && l.cpp && l.isClass(typ):
		x := l.Unary(ir.Deref, typ, 0)
		if dec.address {
			l.Raw().Exprs[x].Name = l.Str("*")
		}
		return x
	}
	return typ
}

// descriptor lowers a type without a name for what has it: "Foo *", "void (int)".
func (l *lowerer) descriptor(n syntax.Node) ir.Expr {
	x := l.typ(l.Child(n, "type"))
	for d := l.Child(n, "declarator"); d != 0; d = l.inner(d) {
		if l.Kind(d) == "abstract_function_declarator" {
			x = l.funcType(d, x)
		}
	}
	return x
}

// funcType is the type of a function with the parameters of a declarator.
func (l *lowerer) funcType(d syntax.Node, result ir.Expr) ir.Expr {
	var args []ir.Arg
	for p := range l.NamedChildren(l.Child(d, "parameters")) {
		if l.Child(p, "declarator") == 0 && string(l.Bytes(l.Child(p, "type"))) == "void" {
			continue
		}
		if x := l.typ(l.Child(p, "type")); x != 0 {
			args = append(args, ir.Arg{X: x})
		}
	}
	return l.Apply(0, "func", append(args, ir.Arg{X: result}), l.Start(d))
}

// name returns the text of an identifier of any kind. The blanks inside of
// "operator +" are left out.
func (l *lowerer) name(n syntax.Node) string {
	switch l.Kind(n) {
	case "operator_name":
		return strings.Join(strings.Fields(l.Text(n)), "")
	case "operator_cast":
		text := l.Bytes(l.Child(n, "type"))
		return "operator " + string(text)
	case "destructor_name":
		return strings.Join(strings.Fields(l.Text(n)), "")
	case "template_type", "template_function", "template_method", "qualified_identifier", "dependent_name":
		if last := l.last(n); last != n {
			return l.name(last)
		}
	}
	return l.Text(n)
}

// typedef lowers a typedef: an alias, or the name of a class that has no other.
func (l *lowerer) typedef(n syntax.Node) {
	spec := l.Child(n, "type")
	var typ ir.Expr
	named := false // the class took the first name
	if first := l.Child(n, "declarator"); l.Child(spec, "name") == 0 && l.Child(spec, "body") != 0 && l.Kind(first) == "type_identifier" {
		typ, named = l.classNamed(spec, first), true
	} else {
		typ = l.typ(spec)
	}
	for d := range l.NamedChildren(n) {
		if l.Field(d) != "declarator" {
			continue
		}
		if named && l.Kind(d) == "type_identifier" {
			named = false
			continue
		}
		dec := l.declarator(d)
		if dec.name == 0 || l.Text(dec.name) == l.Text(l.Child(spec, "name")) {
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
func (l *lowerer) defineClass(c ir.Class, name string, at syntax.Node) {
	if !l.cpp && l.Class() != 0 { // the structs of C are not nested
		l.hoist = append(l.hoist, hoisted{ir.Member{Name: l.Str(name), Kind: ir.ClassMember, Ref: uint32(c), Exported: true}, l.Start(at)})
		return
	}
	l.defineAs(ir.ClassMember, uint32(c), name, l.Start(at))
	if l.Class() == 0 && !l.AtTop() {
		if l.types == nil {
			l.types = map[string]ir.Var{}
		}
		l.types[name] = l.Lookup(name)
	}
}
