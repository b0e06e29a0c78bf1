package golang

import (
	"github.com/quarry-search/quarry/index/internal/ir"
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
	return predeclared[name] && l.top[name].kind == 0 && l.b.Lookup(name) == 0
}

// typ lowers a type. Pointers are what they point to.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if n == 0 || l.depth >= maxDepth {
		return 0
	}
	l.depth++
	defer func() { l.depth-- }()
	t, b := l.t, l.b
	pos := t.Start(n)
	switch t.Kind(n) {
	case "type_identifier", "identifier":
		return l.typeName(n)
	case "qualified_type":
		return l.qualified(n)
	case "selector_expression":
		return b.Attr(b.Free(t.Text(t.Child(n, "operand")), pos), t.Text(t.Child(n, "field")), t.Start(t.Child(n, "field")))
	case "generic_type":
		return l.apply(l.typ(t.Child(n, "type")), t.Child(n, "type_arguments"), pos)
	case "slice_type", "array_type", "implicit_length_array_type":
		return b.Apply(0, "list", ir.Args(l.typ(t.Child(n, "element"))), pos)
	case "map_type":
		return b.Apply(0, "map", ir.Args(l.typ(t.Child(n, "key")), l.typ(t.Child(n, "value"))), pos)
	case "channel_type":
		return b.Apply(0, "chan", ir.Args(l.typ(t.Child(n, "value"))), pos)
	case "function_type":
		return l.funcType(n)
	case "struct_type", "interface_type":
		return l.unnamedType(n)
	}
	// Pointers, parentheses, constraints and their elements: what is inside, and
	// any one of several.
	mark := len(l.args)
	for c := range t.NamedChildren(n) {
		if x := l.typ(c); x != 0 {
			l.args = append(l.args, ir.Arg{X: x})
		}
	}
	xs := l.pop(mark)
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
	return b.Union(all...)
}

// unnamedType is a struct or interface that is written where it is used. It is
// one class however often it is lowered.
func (l *lowerer) unnamedType(n syntax.Node) ir.Expr {
	x, ok := l.unnamed[n]
	if ok {
		return x
	}
	pos := l.t.Start(n)
	switch {
	case l.t.Kind(n) == "struct_type":
		x = l.b.ClassX(l.structType(n, "", pos), pos)
	case l.t.NamedChild(n, 0) == 0:
		x = l.predeclaredType("any", pos)
	default:
		x = l.b.ClassX(l.interfaceType(n, "", pos), pos)
	}
	l.unnamed[n] = x
	return x
}

// pop takes the arguments above mark off the stack. They are valid until the
// next push.
func (l *lowerer) pop(mark int) []ir.Arg {
	xs := l.args[mark:]
	l.args = l.args[:mark]
	return xs
}

func (l *lowerer) typeName(n syntax.Node) ir.Expr {
	name := l.t.Text(n)
	if name == "nil" {
		return 0
	}
	if l.isPredeclared(name) {
		return l.predeclaredType(name, l.t.Start(n))
	}
	// A type in a function is found where it is declared; a variable of the same
	// name is no type.
	if v := l.b.Lookup(name); v != 0 && l.localTypes[v] != 0 {
		return l.b.Local(v, l.t.Start(n))
	}
	return l.b.Free(name, l.t.Start(n))
}

func (l *lowerer) predeclaredType(name string, pos int) ir.Expr {
	x, ok := l.builtin[name]
	if !ok {
		x = l.b.Free(name, pos)
		l.builtin[name] = x
	}
	return x
}

func (l *lowerer) qualified(n syntax.Node) ir.Expr {
	name := l.t.Child(n, "name")
	return l.b.Attr(l.b.Free(l.t.Text(l.t.Child(n, "package")), l.t.Start(n)), l.t.Text(name), l.t.Start(name))
}

// apply is base with type arguments.
func (l *lowerer) apply(base ir.Expr, args syntax.Node, pos int) ir.Expr {
	mark := len(l.args)
	for c := range l.t.NamedChildren(args) {
		l.args = append(l.args, ir.Arg{X: l.typ(c)})
	}
	return l.b.Apply(base, "", l.pop(mark), pos)
}

// funcType is the type of a function; several results are one tuple.
func (l *lowerer) funcType(n syntax.Node) ir.Expr {
	pos := l.t.Start(n)
	params, results := l.signature(n)
	mark := len(l.args)
	for _, p := range params {
		x := p.typ
		if p.kind == ir.Variadic {
			x = l.b.Apply(0, "list", ir.Args(x), pos)
		}
		l.args = append(l.args, ir.Arg{X: x})
	}
	var result ir.Expr
	switch len(results) {
	case 0:
	case 1:
		result = results[0].typ
	default:
		inner := len(l.args)
		for _, r := range results {
			l.args = append(l.args, ir.Arg{X: r.typ})
		}
		result = l.b.Apply(0, "tuple", l.pop(inner), pos)
	}
	l.args = append(l.args, ir.Arg{X: result})
	return l.b.Apply(0, "func", l.pop(mark), pos)
}

// structType makes the class of a struct.
func (l *lowerer) structType(n syntax.Node, name string, pos int) ir.Class {
	c := l.b.BeginClass(name, ir.Struct, pos)
	l.b.ClassInfo(c).Start = uint32(l.t.Start(n))
	for f := range l.t.NamedChildren(l.t.ChildOf(n, "field_declaration_list")) {
		if l.t.Kind(f) == "field_declaration" {
			l.field(c, f)
		}
	}
	l.b.EndClass(l.t.End(n))
	return c
}

// field lowers the fields of one line, or an embedded one, which is a base and
// a field with the name of its type.
func (l *lowerer) field(c ir.Class, n syntax.Node) {
	node := l.t.Child(n, "type")
	typ := l.typ(node)
	named := false
	for name := range l.t.NamedChildren(n) {
		if l.t.Kind(name) == "field_identifier" && l.t.Field(name) == "name" {
			named = true
			l.addField(c, l.t.Text(name), typ, l.t.Start(name))
		}
	}
	if named || typ == 0 {
		return
	}
	info := l.b.ClassInfo(c)
	info.Bases = append(info.Bases, ir.Base{X: typ, Kind: ir.Embed})
	if last := l.lastName(node); last != 0 {
		l.addField(c, l.t.Text(last), typ, l.t.Start(last))
	}
}

func (l *lowerer) addField(c ir.Class, name string, typ ir.Expr, pos int) {
	v := l.b.Temp(pos)
	info := l.b.VarInfo(v)
	info.Name, info.Type, info.Func = l.b.Str(name), typ, 0
	class := l.b.ClassInfo(c)
	class.Members = append(class.Members, ir.Member{
		Name: l.b.Str(name), Kind: ir.VarMember, Ref: uint32(v), Exported: exported(name),
	})
}

// lastName returns the identifier that names a type: T of *p.T[int].
func (l *lowerer) lastName(n syntax.Node) syntax.Node {
	for range maxDepth {
		switch l.t.Kind(n) {
		case "type_identifier":
			return n
		case "qualified_type":
			return l.t.Child(n, "name")
		case "generic_type":
			n = l.t.Child(n, "type")
		default:
			n = l.t.NamedChild(n, 0)
		}
	}
	return 0
}

// interfaceType makes the class of an interface.
func (l *lowerer) interfaceType(n syntax.Node, name string, pos int) ir.Class {
	c := l.b.BeginClass(name, ir.Interface, pos)
	l.b.ClassInfo(c).Start = uint32(l.t.Start(n))
	for e := range l.t.NamedChildren(n) {
		switch l.t.Kind(e) {
		case "method_elem", "method_spec":
			l.abstractMethod(e)
		case "type_elem", "constraint_elem", "interface_type_name":
			// A union of types restricts what may implement it, and has no methods.
			if inner := l.t.NamedChild(e, 0); inner == 0 || l.t.NamedChild(e, 1) != 0 || l.t.Kind(inner) == "negated_type" {
				continue
			}
			if x := l.typ(e); x != 0 {
				info := l.b.ClassInfo(c)
				info.Bases = append(info.Bases, ir.Base{X: x, Kind: ir.Extend})
			}
		}
	}
	l.b.EndClass(l.t.End(n))
	return c
}

func (l *lowerer) abstractMethod(n syntax.Node) {
	name := l.t.Child(n, "name")
	text := l.t.Text(name)
	params, results := l.signature(n)
	f := l.b.BeginFunc(text, l.t.Start(name))
	l.b.FuncInfo(f).Flags = ir.Abstract
	l.declare(f, params, results)
	l.b.EndFunc(l.t.End(n))
	l.b.Define(ir.Member{Name: l.b.Str(text), Kind: ir.FuncMember, Ref: uint32(f), Exported: exported(text)}, l.t.Start(name))
}

// underlying follows names of this file's own types to what they stand for. It
// is 0 for the types of others.
func (l *lowerer) underlying(n syntax.Node) syntax.Node {
	for range 100 {
		switch l.t.Kind(n) {
		case "pointer_type", "parenthesized_type":
			n = l.t.NamedChild(n, 0)
		case "type_identifier":
			name := l.t.Text(n)
			if v := l.b.Lookup(name); v != 0 {
				n = l.localTypes[v]
			} else {
				n = l.top[name].typ
			}
		case "generic_type":
			// What it stands for is written with parameters, which have no meaning here.
			if n = l.underlying(l.t.Child(n, "type")); l.t.Kind(n) != "struct_type" {
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
