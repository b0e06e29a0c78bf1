package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// modifiers are the words before a declaration.
type modifiers uint32

const (
	modPublic modifiers = 1 << iota
	modPrivate
	modStatic
	modAbstract
	modAsync
	modPartial
	modExtern
	modConst
	modThis
	modOut
)

var modifierWords = map[string]modifiers{
	"public": modPublic, "internal": modPublic, "protected": modPublic, "private": modPrivate,
	"static": modStatic, "const": modStatic | modConst, "abstract": modAbstract, "async": modAsync,
	"partial": modPartial, "extern": modExtern, "this": modThis, "out": modOut,
}

func (l *lowerer) modifiers(n syntax.Node) modifiers {
	var m modifiers
	for c := range l.Children(n) {
		if l.Kind(c) == "modifier" {
			m |= modifierWords[string(l.Bytes(c))]
		}
	}
	return m
}

// exported reports whether a member with the modifiers is seen outside of its class.
func (l *lowerer) exported(m modifiers) bool {
	return m&modPublic != 0 || l.iface && m&modPrivate == 0
}

// declaration lowers a type or a member, where it is written.
func (l *lowerer) declaration(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "namespace_declaration":
		l.namespace(n)
	case "using_directive":
		l.using(n)
	case "class_declaration":
		l.class(n, ir.PlainClass)
	case "record_declaration":
		kind := ir.PlainClass
		for c := range l.Children(n) {
			if l.Kind(c) == "struct" {
				kind = ir.Struct
			}
		}
		l.class(n, kind)
	case "struct_declaration":
		l.class(n, ir.Struct)
	case "interface_declaration":
		l.class(n, ir.Interface)
	case "enum_declaration":
		l.enum(n)
	case "delegate_declaration":
		l.delegate(n)
	case "field_declaration", "event_field_declaration":
		l.fields(n)
	case "property_declaration", "indexer_declaration":
		l.property(n)
	case "event_declaration":
		l.event(n)
	case "method_declaration", "operator_declaration", "conversion_operator_declaration", "destructor_declaration":
		l.method(n)
	case "constructor_declaration":
		l.constructor(n)
	case "attribute_list", "global_attribute", "comment":
	case "preproc_if", "preproc_else", "preproc_elif", "declaration_list", "ERROR":
		for c := range l.NamedChildren(n) {
			if l.Field(c) != "condition" {
				l.declaration(c)
			}
		}
	case "block":
		// What is left of a method whose head does not parse.
		l.stmt(n)
	}
}

// class lowers a class, struct, record or interface.
func (l *lowerer) class(n syntax.Node, kind ir.ClassKind) {
	name := l.Child(n, "name")
	pos := l.Start(name)
	mods := l.modifiers(n)
	decorators := l.attributes(n)
	outer := l.iface
	c := l.BeginClass(l.name(name), kind, pos)
	l.iface = kind == ir.Interface
	params := l.typeParams(n)
	var bases []ir.Base
	base, baseArgs := l.bases(n, kind, &bases)
	info := l.ClassInfo(c)
	info.TypeParams, info.Bases, info.Decorators = params, bases, decorators
	info.Private = mods&modPrivate != 0
	if list := l.ChildOf(n, "parameter_list"); list != 0 {
		l.primary(n, list, pos, base, baseArgs, l.Kind(n) == "record_declaration")
	}
	l.Each(l.Child(n, "body"), l.declaration)
	l.EndClass(l.End(n))
	l.iface = outer
	l.DefineClass(c, true, mods&modPrivate == 0, pos)
}

// bases lowers what a class is derived from, and returns the base that a primary
// constructor passes arguments to, with these.
func (l *lowerer) bases(n syntax.Node, kind ir.ClassKind, bases *[]ir.Base) (with, args syntax.Node) {
	for c := range l.NamedChildren(l.ChildOf(n, "base_list")) {
		x := c
		switch l.Kind(c) {
		case "argument_list":
			args = c
			continue
		case "primary_constructor_base_type":
			x, args = l.Child(c, "type"), l.ChildOf(c, "argument_list")
		}
		b := ir.Base{X: l.typ(x), Kind: ir.Extend}
		if kind != ir.Interface && (kind == ir.Struct || len(*bases) > 0 || l.interfaceName(x)) {
			b.Kind = ir.Implement
		}
		if b.X == 0 {
			continue
		}
		if len(*bases) == 0 {
			with = x
		}
		*bases = append(*bases, b)
	}
	return with, args
}

// interfaceName reports whether a type is an interface by the custom of the
// language: IThing. Only the first base needs to be guessed at; the graph knows
// better where the type is in the project.
func (l *lowerer) interfaceName(n syntax.Node) bool {
	last := l.lastName(n)
	if l.Kind(last) == "generic_name" {
		last = l.First(last)
	}
	b := l.Bytes(last)
	return len(b) > 1 && b[0] == 'I' && b[1] >= 'A' && b[1] <= 'Z'
}

// primary lowers the parameters of a class itself: a constructor that keeps them
// in fields, which those of a record are and those of a class amount to.
func (l *lowerer) primary(n, list syntax.Node, pos int, base, baseArgs syntax.Node, record bool) {
	f := l.BeginFunc(l.name(l.Child(n, "name")), pos)
	l.FuncInfo(f).Flags = ir.Constructor
	l.params(list)
	if baseArgs != 0 {
		l.Eval(l.Call(l.Unary(ir.Super, 0, l.Start(base)), l.args(baseArgs), l.Start(l.lastName(base))))
	}
	params := l.FuncInfo(f).Params
	for _, p := range params {
		at := l.posOffset(list, p)
		l.Bind(l.Attr(l.Unary(ir.This, 0, at), l.Raw().String(p.Name), at), l.Local(p.Var, at))
	}
	l.EndFunc(l.End(list))
	l.DefineFunc(f, false, true, pos)
	for c := range l.NamedChildren(list) {
		if name := l.Child(c, "name"); name != 0 {
			l.field(l.name(name), l.Child(c, "type"), 0, l.Start(name), ir.Member{Exported: record})
		}
	}
}

// posOffset returns where a parameter of the list is written.
func (l *lowerer) posOffset(list syntax.Node, p ir.Param) int {
	for c := range l.NamedChildren(list) {
		if name := l.Child(c, "name"); name != 0 && l.name(name) == l.Raw().String(p.Name) {
			return l.Start(name)
		}
	}
	return l.Start(list)
}

// enum lowers an enum; its members are instances of it.
func (l *lowerer) enum(n syntax.Node) {
	name := l.Child(n, "name")
	pos := l.Start(name)
	decorators := l.attributes(n)
	c := l.BeginClass(l.name(name), ir.Enum, pos)
	l.ClassInfo(c).Decorators = decorators
	l.enumMembers(c, l.Child(n, "body"))
	l.EndClass(l.End(n))
	l.DefineClass(c, true, l.modifiers(n)&modPrivate == 0, pos)
}

func (l *lowerer) enumMembers(c ir.Class, list syntax.Node) {
	for m := range l.NamedChildren(list) {
		switch l.Kind(m) {
		case "enum_member_declaration":
			name := l.Child(m, "name")
			v := l.field(l.name(name), 0, 0, l.Start(name), ir.Member{Static: true, Exported: true})
			typ := l.ClassX(c, l.Start(name))
			l.VarInfo(v).Type = typ
			if value := l.Child(m, "value"); value != 0 {
				l.Eval(l.Opaque(l.expr(value)))
			}
		case "preproc_if", "preproc_else", "preproc_elif":
			if l.Enter(m) {
				l.enumMembers(c, m)
				l.Leave()
			}
		}
	}
}

// delegate lowers a delegate: another name for a function type.
func (l *lowerer) delegate(n syntax.Node) {
	name := l.Child(n, "name")
	pos := l.Start(name)
	c := l.BeginClass(l.name(name), ir.Alias, pos)
	params := l.typeParams(n)
	var args []ir.Arg
	for p := range l.NamedChildren(l.Child(n, "parameters")) {
		switch {
		case l.Kind(p) == "parameter":
			args = append(args, ir.Arg{X: l.typ(l.Child(p, "type"))})
		case l.Field(p) == "type":
			args = append(args, ir.Arg{X: l.typ(p), Kind: ir.Spread})
		}
	}
	args = append(args, ir.Arg{X: l.typ(l.Child(n, "type"))})
	target := l.Apply(0, "func", args, pos)
	info := l.ClassInfo(c)
	info.Target, info.TypeParams = target, params
	l.EndClass(l.End(n))
	l.DefineClass(c, true, l.modifiers(n)&modPrivate == 0, pos)
}

// attributes lowers the attributes of a declaration.
func (l *lowerer) attributes(n syntax.Node) []ir.Expr {
	var out []ir.Expr
	for c := range l.NamedChildren(n) {
		if l.Kind(c) != "attribute_list" {
			break // they come first
		}
		for a := range l.OfKind(c, "attribute") {
			out = append(out, l.attribute(a))
		}
	}
	return out
}

// attribute lowers [Name(args)] to the class NameAttribute, and what it is given.
func (l *lowerer) attribute(n syntax.Node) ir.Expr {
	name := l.Child(n, "name")
	x := l.typ(name)
	if x == 0 {
		return 0
	}
	if node := &l.Raw().Exprs[x]; node.Op == ir.Name || node.Op == ir.Attr {
		s := l.Raw().String(node.Name)
		if len(s) < 9 || s[len(s)-9:] != "Attribute" {
			id := l.Str(s + "Attribute")
			l.Raw().Exprs[x].Name = id
		}
	}
	list := l.ChildOf(n, "attribute_argument_list")
	if list == 0 {
		return x
	}
	xs := []ir.Expr{x}
	for a := range l.NamedChildren(list) {
		for c := range l.NamedChildren(a) {
			if l.Kind(c) == "assignment_expression" {
				c = l.Child(c, "right")
			}
			xs = append(xs, l.expr(c))
		}
	}
	return l.Opaque(xs...)
}

// tests are the attributes by which test runners find their methods.
var tests = map[string]bool{
	"Fact": true, "Theory": true, "SkippableFact": true, "SkippableTheory": true,
	"Test": true, "TestCase": true, "TestCaseSource": true,
	"TestMethod": true, "DataTestMethod": true,
}

// isTest reports whether a method bears the attribute of a test.
func (l *lowerer) isTest(n syntax.Node) bool {
	for c := range l.NamedChildren(n) {
		if l.Kind(c) != "attribute_list" {
			return false
		}
		for a := range l.NamedChildren(c) {
			if l.Kind(a) == "attribute" && tests[l.Text(l.lastName(l.Child(a, "name")))] {
				return true
			}
		}
	}
	return false
}
