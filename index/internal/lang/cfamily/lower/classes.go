package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A class is what the lowering remembers of one, for initializers.
type class struct {
	name   string
	bases  []string
	order  []string           // the members in the order in which they are written
	fields map[string]ir.Expr // those that hold an object themselves, by their class
}

// class lowers a struct, union or class where it is written or only named.
func (l *lowerer) class(n syntax.Node) ir.Expr {
	name := l.Child(n, "name")
	if l.Child(n, "body") == 0 {
		return l.typ(name)
	}
	return l.classNamed(n, name)
}

// classNamed lowers a class or enum with a body; name may be none.
func (l *lowerer) classNamed(n, name syntax.Node) ir.Expr {
	if l.Kind(n) == "enum_specifier" {
		return l.enumNamed(n, name)
	}
	kind := ir.Struct
	if l.Kind(n) == "class_specifier" {
		kind = ir.PlainClass
	}
	at := name
	if at == 0 {
		at = n
	}
	bases := l.bases(l.ChildOf(n, "base_class_clause"))
	path := l.path(name)
	text := ""
	if len(path) > 0 {
		text = path[len(path)-1]
	}
	private := l.private
	l.private = false
	c := l.BeginClass(text, kind, l.Start(at))
	info := l.ClassInfo(c)
	info.Bases, info.TypeParams, info.Start, info.Private = bases, l.taken(), uint32(l.Start(n)), private
	k := &class{name: text, fields: map[string]ir.Expr{}}
	for _, base := range bases {
		k.bases = append(k.bases, l.className(base.X))
	}
	if text != "" {
		l.known[text] = k
	}
	l.members(l.Child(n, "body"), k)
	l.EndClass(l.End(n))
	l.private = private
	if text != "" {
		l.defineClass(c, text, at)
	}
	l.lift()
	if text == "" {
		return l.ClassX(c, l.Start(n))
	}
	return l.typ(name)
}

// lift defines what was found in a class but belongs around it.
func (l *lowerer) lift() {
	if l.Class() != 0 && l.Raw().Classes[l.Class()].Kind != ir.Namespace {
		return
	}
	for _, h := range l.hoist {
		l.Define(h.member, h.pos)
		if h.member.Kind == ir.ClassMember && l.Class() == 0 && !l.AtTop() {
			if l.types == nil {
				l.types = map[string]ir.Var{}
			}
			name := l.Raw().String(h.member.Name)
			l.types[name] = l.Lookup(name)
		}
	}
	l.hoist = l.hoist[:0]
}

// bases lowers what a class is derived from.
func (l *lowerer) bases(n syntax.Node) []ir.Base {
	var bases []ir.Base
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "type_identifier", "qualified_identifier", "template_type", "dependent_type":
			if x := l.typ(c); x != 0 {
				bases = append(bases, ir.Base{X: x, Kind: ir.Extend})
			}
		}
	}
	return bases
}

// members lowers the body of a class: first all that is no function, as the
// functions may use it.
func (l *lowerer) members(body syntax.Node, k *class) {
	for c := range l.NamedChildren(body) {
		l.classMember(c, k, false)
	}
	if !l.cpp {
		return
	}
	for c := range l.NamedChildren(body) {
		l.classMember(c, k, true)
	}
}

func (l *lowerer) classMember(n syntax.Node, k *class, functions bool) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "field_declaration", "declaration":
		l.field(n, k, functions)
	case "function_definition":
		if l.isField(n) {
			l.field(n, k, functions)
		} else if functions {
			l.method(n, k, l.Child(n, "declarator"))
		}
	case "template_declaration":
		l.templated(n, func(c syntax.Node) { l.classMember(c, k, functions) })
	case "friend_declaration":
		if functions {
			l.friend(n)
		}
	case "preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else", "ERROR":
		for c := range l.NamedChildren(n) {
			if f := l.Field(c); f != "name" && f != "condition" {
				l.classMember(c, k, functions)
			}
		}
	case "type_definition", "alias_declaration", "struct_specifier", "union_specifier", "class_specifier", "enum_specifier":
		if !functions {
			l.stmt(n)
		}
	}
}

// isField reports whether a definition of a function is a field in truth: the
// grammar reads "int a = 0;" in a class as a pure virtual function.
func (l *lowerer) isField(n syntax.Node) bool {
	d := l.declarator(l.Child(n, "declarator"))
	return d.name != 0 && !d.isFunc && l.Kind(d.name) == "field_identifier"
}

// field lowers a declaration in a class: its fields, or the prototypes of methods.
func (l *lowerer) field(n syntax.Node, k *class, functions bool) {
	spec := l.Child(n, "type")
	if l.Child(n, "declarator") == 0 {
		switch {
		case l.Child(spec, "body") == 0 || functions:
		case l.Child(spec, "name") == 0 && l.Kind(spec) != "enum_specifier":
			l.members(l.Child(spec, "body"), k) // the members of an anonymous struct are the outer one's
		default:
			l.typ(spec)
		}
		return
	}
	typ := ir.Expr(0)
	if !functions {
		typ = l.typ(spec)
	}
	static := l.specifier(n, "static")
	for d := range l.NamedChildren(n) {
		if l.Field(d) != "declarator" {
			continue
		}
		dec := l.declarator(d)
		if dec.isFunc && functions {
			l.method(n, k, d)
		}
		if dec.isFunc || functions || dec.name == 0 {
			continue
		}
		v := l.Declare(l.Text(dec.name), l.Start(dec.name))
		declared := l.declared(typ, dec)
		l.VarInfo(v).Type = declared
		members := l.ClassInfo(l.Class()).Members
		m := &members[len(members)-1]
		m.Static, m.Exported = static, true
		k.add(l.Text(dec.name), l.VarInfo(v).Type, static, !dec.pointer && !dec.array && dec.fn == 0 && l.isClass(typ))
		if value := l.valueAfter(n, d); value != 0 {
			x := l.initial(value, typ, dec)
			l.VarInfo(v).Init = x
		}
	}
}

// add notes a field.
func (k *class) add(name string, typ ir.Expr, static, object bool) {
	if !static {
		k.order = append(k.order, name)
	}
	if object {
		k.fields[name] = typ
	} else {
		k.fields[name] = 0
	}
}

// valueAfter returns the default value of the declarator d among the children of n.
func (l *lowerer) valueAfter(n, d syntax.Node) syntax.Node {
	after := false
	for c := range l.NamedChildren(n) {
		switch {
		case c == d:
			after = true
		case after && l.Field(c) == "default_value":
			return c
		case after && l.Field(c) == "declarator":
			return 0
		}
	}
	return 0
}

// friend lowers a function that is written in a class but is none of its methods.
func (l *lowerer) friend(n syntax.Node) {
	def := l.ChildOf(n, "function_definition")
	if def == 0 {
		return
	}
	dec := l.declarator(l.Child(def, "declarator"))
	if !dec.isFunc || dec.name == 0 {
		return
	}
	f := l.signature(def, dec, l.name(dec.name))
	info := l.FuncInfo(f)
	info.Class = 0
	info.Flags |= walk.When(l.Kind(dec.name) == "operator_name", ir.Operator)
	l.body(def)
	l.EndFunc(l.End(def))
	l.hoist = append(l.hoist, hoisted{ir.Member{Name: l.Str(l.name(dec.name)), Kind: ir.FuncMember, Ref: uint32(f), Exported: true}, l.Start(dec.name)})
}

// enum lowers an enumeration where it is written or only named.
func (l *lowerer) enum(n syntax.Node) ir.Expr {
	name := l.Child(n, "name")
	if l.Child(n, "body") == 0 {
		return l.typ(name)
	}
	return l.enumNamed(n, name)
}

func (l *lowerer) enumNamed(n, name syntax.Node) ir.Expr {
	at := name
	if at == 0 {
		at = n
	}
	text := ""
	if path := l.path(name); len(path) > 0 {
		text = path[len(path)-1]
	}
	scoped := l.ChildOf(n, "class", "struct") != 0
	c := l.OpenClass(n, text, ir.Enum, l.Start(at))
	for e := range l.NamedChildren(l.Child(n, "body")) {
		id := l.Child(e, "name")
		if id == 0 {
			continue
		}
		v := l.Declare(l.Text(id), l.Start(id))
		if value := l.Child(e, "value"); value != 0 {
			if x := l.expr(value); !l.Inert(x) {
				l.VarInfo(v).Init = x
			}
		}
	}
	l.EndClass(l.End(n))
	members := l.ClassInfo(c).Members
	for i := range members {
		members[i].Static, members[i].Exported = true, true
	}
	if text != "" {
		l.defineClass(c, text, at)
	}
	if !scoped { // its constants belong to what is around it, too
		for _, m := range members {
			if l.Class() != 0 || l.AtTop() {
				l.Define(m, l.Start(at))
			}
		}
	}
	if text == "" {
		return l.ClassX(c, l.Start(n))
	}
	return l.typ(name)
}
