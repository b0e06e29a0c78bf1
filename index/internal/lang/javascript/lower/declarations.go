package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// declaration lowers what is written after export, or alone.
func (l *lowerer) declaration(n syntax.Node, exported bool) {
	switch l.Kind(n) {
	case "lexical_declaration", "variable_declaration":
		l.variables(n, exported)
	case "function_declaration", "generator_function_declaration", "function_signature":
		l.functionDeclaration(n, exported)
	case "class_declaration", "abstract_class_declaration":
		l.classDeclaration(n, exported)
	case "interface_declaration":
		l.interfaceDeclaration(n, exported)
	case "type_alias_declaration":
		l.typeAlias(n, exported)
	case "enum_declaration":
		l.enum(n, exported)
	case "internal_module", "module":
		l.namespace(n, exported)
	case "import_alias":
		at, target := l.NamedChild(n, 0), l.NamedChild(n, 1)
		name, pos := l.Text(at), l.Start(at)
		x := l.typePath(target)
		c := l.BeginClass(name, ir.Alias, pos)
		l.ClassInfo(c).Target = x
		l.EndClass(l.End(n))
		l.defineClass(name, c, exported, pos)
	case "ambient_declaration":
		for c := range l.NamedChildren(n) {
			if l.Kind(c) == "statement_block" { // declare global
				l.Each(c, l.stmt)
				continue
			}
			l.declaration(c, exported)
		}
	default:
		l.stmt(n)
	}
}

// newType begins a class of a kind for a declaration with a name.
func (l *lowerer) newType(n syntax.Node, kind ir.ClassKind) (c ir.Class, name string, pos int) {
	at := l.Child(n, "name")
	name, pos = l.Text(at), l.Start(at)
	c = l.BeginClass(name, kind, pos)
	if tp := l.typeParams(l.Child(n, "type_parameters")); tp != nil {
		l.ClassInfo(c).TypeParams = tp
	}
	return c, name, pos
}

func (l *lowerer) interfaceDeclaration(n syntax.Node, exported bool) {
	c, name, pos := l.newType(n, ir.Interface)
	var bases []ir.Base
	if clause := l.ChildOf(n, "extends_type_clause"); clause != 0 {
		for t := range l.NamedChildren(clause) {
			bases = append(bases, ir.Base{X: l.typ(t), Kind: ir.Extend})
		}
	}
	l.ClassInfo(c).Bases = bases
	l.pushThis(&receiver{kind: thisMethod})
	l.signatures(l.Child(n, "body"))
	l.popThis()
	l.EndClass(l.End(n))
	l.defineClass(name, c, exported, pos)
}

// signatures lowers the members of an interface or object type. What a call of
// the value itself does is a member named "()", what new does one named "new()".
func (l *lowerer) signatures(body syntax.Node) {
	for m := range l.NamedChildren(body) {
		at := l.Child(m, "name")
		switch l.Kind(m) {
		case "property_signature":
			v := l.Declare(l.memberName(at), l.Start(at))
			typ := l.typ(l.Child(m, "type"))
			l.VarInfo(v).Type = typ
		case "method_signature":
			l.signature(m, l.memberName(at), l.Start(at), l.Child(m, "return_type"))
		case "call_signature":
			l.signature(m, "()", l.Start(m), l.Child(m, "return_type"))
		case "construct_signature":
			l.signature(m, "new()", l.Start(m), l.Child(m, "type"))
		}
	}
}

func (l *lowerer) signature(n syntax.Node, name string, pos int, result syntax.Node) {
	flags, _ := l.methodFlags(n)
	f := l.function(n, name, flags|ir.Abstract, pos, &receiver{kind: thisMethod})
	l.SetResult(f, l.result(result))
	l.define(ir.FuncMember, name, uint32(f), false, false, pos)
}

// typeAlias lowers type X = T. An object type with a name is an interface, and
// one that others are added to extends them.
func (l *lowerer) typeAlias(n syntax.Node, exported bool) {
	value := l.Child(n, "value")
	objects, others, ok := l.intersection(value)
	if !ok {
		c, name, pos := l.newType(n, ir.Alias)
		target := l.typ(value)
		l.ClassInfo(c).Target = target
		l.EndClass(l.End(n))
		l.defineClass(name, c, exported, pos)
		return
	}
	c, name, pos := l.newType(n, ir.Interface)
	var bases []ir.Base
	for _, o := range others {
		bases = append(bases, ir.Base{X: l.typ(o), Kind: ir.Extend})
	}
	l.ClassInfo(c).Bases = bases
	l.pushThis(&receiver{kind: thisMethod})
	for _, o := range objects {
		l.signatures(o)
	}
	l.popThis()
	l.EndClass(l.End(n))
	l.defineClass(name, c, exported, pos)
}

// intersection tells the object types of A & {...} from the named ones. It is not
// ok for other types, and for object types that are only indexed or called.
func (l *lowerer) intersection(n syntax.Node) (objects, others []syntax.Node, ok bool) {
	list := []syntax.Node{n}
	for len(list) > 0 && len(list)+len(objects)+len(others) < walk.MaxDepth {
		t := list[len(list)-1]
		list = list[:len(list)-1]
		switch l.Kind(t) {
		case "object_type":
			for m := range l.NamedChildren(t) {
				switch l.Kind(m) {
				case "property_signature", "method_signature":
					ok = true
				case "index_signature":
					return nil, nil, false
				}
			}
			objects = append(objects, t)
		case "intersection_type":
			for c := range l.NamedChildren(t) {
				list = append(list, c)
			}
			ok = true
		case "parenthesized_type":
			list = append(list, l.NamedChild(t, 0))
		case "type_identifier", "generic_type", "nested_type_identifier":
			others = append(others, t)
		case "union_type":
			return nil, nil, false
		}
	}
	return objects, others, ok
}

func (l *lowerer) enum(n syntax.Node, exported bool) {
	c, name, pos := l.newType(n, ir.Enum)
	for m := range l.NamedChildren(l.Child(n, "body")) {
		at, value := m, syntax.Node(0)
		if l.Kind(m) == "enum_assignment" {
			at, value = l.Child(m, "name"), l.Child(m, "value")
		}
		v := l.Declare(l.key(at), l.Start(at))
		x := l.operand(value)
		l.VarInfo(v).Init = x
		members := l.ClassInfo(c).Members
		members[len(members)-1].Static = true
	}
	l.EndClass(l.End(n))
	l.defineClass(name, c, exported, pos)
}

// namespace lowers a namespace, or the declaration of a module that lies
// elsewhere. Its statements run where it is written.
func (l *lowerer) namespace(n syntax.Node, exported bool) {
	at := l.Child(n, "name")
	name, pos := l.Text(at), l.Start(at)
	c := l.BeginClass(name, ir.Namespace, pos)
	l.pushThis(&receiver{})
	l.Each(l.Child(n, "body"), l.stmt)
	l.popThis()
	l.EndClass(l.End(n))
	l.defineClass(name, c, exported, pos)
}
