package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// predeclared are the types that every file knows.
var predeclared = map[string]bool{
	"any": true, "bool": true, "byte": true, "comparable": true, "complex64": true, "complex128": true,
	"error": true, "float32": true, "float64": true, "int": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "rune": true, "string": true, "uint": true, "uint8": true, "uint16": true, "uint32": true,
	"uint64": true, "uintptr": true,
}

// isPredeclared reports whether a name means a predeclared type here.
func (l *lowerer) isPredeclared(name string) bool {
	return predeclared[name] && l.top[name].kind == 0 && l.Lookup(name) == 0
}

// typ lowers a type. Pointers are what they point to.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	switch l.Kind(n) {
	case "type_identifier", "identifier":
		return l.typeName(n)
	case "qualified_type":
		return l.qualified(n)
	case "selector_expression":
		return l.Attr(l.Free(l.Text(l.Child(n, "operand")), pos), l.Text(l.Child(n, "field")), l.Start(l.Child(n, "field")))
	case "generic_type":
		return l.apply(l.typ(l.Child(n, "type")), l.Child(n, "type_arguments"), pos)
	case "slice_type", "array_type", "implicit_length_array_type":
		return l.Apply(0, "list", ir.Args(l.typ(l.Child(n, "element"))), pos)
	case "map_type":
		return l.Apply(0, "map", ir.Args(l.typ(l.Child(n, "key")), l.typ(l.Child(n, "value"))), pos)
	case "channel_type":
		return l.Apply(0, "chan", ir.Args(l.typ(l.Child(n, "value"))), pos)
	case "function_type":
		return l.funcType(n)
	case "struct_type", "interface_type":
		return l.unnamedType(n)
	}
	// Pointers, parentheses, constraints and their elements: what is inside, and
	// any one of several.
	mark := l.Mark()
	for c := range l.NamedChildren(n) {
		if x := l.typ(c); x != 0 {
			l.PushArg(ir.Arg{X: x})
		}
	}
	xs := l.Take(mark)
	switch len(xs) {
	case 0:
		return 0
	case 1:
		return xs[0].X
	}
	all := make([]ir.Expr, len(xs))
	for i, x := range xs {
		all[i] = x.X
	}
	return l.Union(all...)
}

// unnamedType is a struct or interface that is written where it is used. It is
// one class however often it is lowered.
func (l *lowerer) unnamedType(n syntax.Node) ir.Expr {
	x, ok := l.unnamed[n]
	if ok {
		return x
	}
	pos := l.Start(n)
	switch {
	case l.Kind(n) == "struct_type":
		x = l.ClassX(l.structType(n, "", pos), pos)
	case l.NamedChild(n, 0) == 0:
		x = l.predeclaredType("any", pos)
	default:
		x = l.ClassX(l.interfaceType(n, "", pos), pos)
	}
	l.unnamed[n] = x
	return x
}

func (l *lowerer) typeName(n syntax.Node) ir.Expr {
	name := l.Text(n)
	if name == "nil" {
		return 0
	}
	if l.isPredeclared(name) {
		return l.predeclaredType(name, l.Start(n))
	}
	// A type in a function is found where it is declared; a variable of the same
	// name is no type.
	if v := l.Lookup(name); v != 0 && l.localTypes[v] != 0 {
		return l.Local(v, l.Start(n))
	}
	return l.Free(name, l.Start(n))
}

func (l *lowerer) predeclaredType(name string, pos int) ir.Expr {
	x, ok := l.builtin[name]
	if !ok {
		x = l.Free(name, pos)
		l.builtin[name] = x
	}
	return x
}

func (l *lowerer) qualified(n syntax.Node) ir.Expr {
	name := l.Child(n, "name")
	return l.Attr(l.Free(l.Text(l.Child(n, "package")), l.Start(n)), l.Text(name), l.Start(name))
}

// apply is base with type arguments.
func (l *lowerer) apply(base ir.Expr, args syntax.Node, pos int) ir.Expr {
	mark := l.Mark()
	for c := range l.NamedChildren(args) {
		l.PushArg(ir.Arg{X: l.typ(c)})
	}
	return l.Apply(base, "", l.Take(mark), pos)
}

// funcType is the type of a function; several results are one tuple.
func (l *lowerer) funcType(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	params, results := l.signature(n)
	mark := l.Mark()
	for _, p := range params {
		x := p.typ
		if p.kind == ir.Variadic {
			x = l.Apply(0, "list", ir.Args(x), pos)
		}
		l.PushArg(ir.Arg{X: x})
	}
	var result ir.Expr
	switch len(results) {
	case 0:
	case 1:
		result = results[0].typ
	default:
		inner := l.Mark()
		for _, r := range results {
			l.PushArg(ir.Arg{X: r.typ})
		}
		result = l.Apply(0, "tuple", l.Take(inner), pos)
	}
	l.PushArg(ir.Arg{X: result})
	return l.Apply(0, "func", l.Take(mark), pos)
}

// structType makes the class of a struct.
func (l *lowerer) structType(n syntax.Node, name string, pos int) ir.Class {
	c := l.OpenClass(n, name, ir.Struct, pos)
	for f := range l.OfKind(l.ChildOf(n, "field_declaration_list"), "field_declaration") {
		l.field(c, f)
	}
	l.EndClass(l.End(n))
	return c
}

// field lowers the fields of one line, or an embedded one, which is a base and
// a field with the name of its type.
func (l *lowerer) field(c ir.Class, n syntax.Node) {
	node := l.Child(n, "type")
	typ := l.typ(node)
	named := false
	for name := range l.NamedChildren(n) {
		if l.Kind(name) == "field_identifier" && l.Field(name) == "name" {
			named = true
			l.addField(c, l.Text(name), typ, l.Start(name))
		}
	}
	if named || typ == 0 {
		return
	}
	info := l.ClassInfo(c)
	info.Bases = append(info.Bases, ir.Base{X: typ, Kind: ir.Embed})
	if last := l.lastName(node); last != 0 {
		l.addField(c, l.Text(last), typ, l.Start(last))
	}
}

func (l *lowerer) addField(c ir.Class, name string, typ ir.Expr, pos int) {
	v := l.Temp(pos)
	info := l.VarInfo(v)
	info.Name, info.Type, info.Func = l.Str(name), typ, 0
	class := l.ClassInfo(c)
	class.Members = append(class.Members, ir.Member{
		Name: l.Str(name), Kind: ir.VarMember, Ref: uint32(v), Exported: exported(name),
	})
}

// lastName returns the identifier that names a type: T of *p.T[int].
func (l *lowerer) lastName(n syntax.Node) syntax.Node {
	for range walk.MaxDepth {
		switch l.Kind(n) {
		case "type_identifier":
			return n
		case "qualified_type":
			return l.Child(n, "name")
		case "generic_type":
			n = l.Child(n, "type")
		default:
			n = l.NamedChild(n, 0)
		}
	}
	return 0
}

// interfaceType makes the class of an interface.
func (l *lowerer) interfaceType(n syntax.Node, name string, pos int) ir.Class {
	c := l.OpenClass(n, name, ir.Interface, pos)
	for e := range l.NamedChildren(n) {
		switch l.Kind(e) {
		case "method_elem", "method_spec":
			l.abstractMethod(e)
		case "type_elem", "constraint_elem", "interface_type_name":
			// A union of types restricts what may implement it, and has no methods.
			if inner := l.NamedChild(e, 0); inner == 0 || l.NamedChild(e, 1) != 0 || l.Kind(inner) == "negated_type" {
				continue
			}
			if x := l.typ(e); x != 0 {
				info := l.ClassInfo(c)
				info.Bases = append(info.Bases, ir.Base{X: x, Kind: ir.Extend})
			}
		}
	}
	l.EndClass(l.End(n))
	return c
}

func (l *lowerer) abstractMethod(n syntax.Node) {
	name := l.Child(n, "name")
	text := l.Text(name)
	params, results := l.signature(n)
	f := l.BeginFunc(text, l.Start(name))
	l.FuncInfo(f).Flags = ir.Abstract
	l.declare(f, params, results)
	l.EndFunc(l.End(n))
	l.DefineFunc(f, false, exported(text), l.Start(name))
}

// underlying follows names of this file's own types to what they stand for. It
// is 0 for the types of others.
func (l *lowerer) underlying(n syntax.Node) syntax.Node {
	for range 100 {
		switch l.Kind(n) {
		case "pointer_type", "parenthesized_type":
			n = l.NamedChild(n, 0)
		case "type_identifier":
			name := l.Text(n)
			if v := l.Lookup(name); v != 0 {
				n = l.localTypes[v]
			} else {
				n = l.top[name].typ
			}
		case "generic_type":
			// What it stands for is written with parameters, which have no meaning here.
			if n = l.underlying(l.Child(n, "type")); l.Kind(n) != "struct_type" {
				return 0
			}
			return n
		case "qualified_type":
			return 0
		default:
			return n
		}
	}
	return 0
}
