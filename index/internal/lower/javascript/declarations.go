package javascript

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// declaration lowers what is written after export, or alone.
func (l *lowerer) declaration(n syntax.Node, exported bool) {
	switch l.t.Kind(n) {
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
		at, target := l.t.NamedChild(n, 0), l.t.NamedChild(n, 1)
		name, pos := l.text(at), l.t.Start(at)
		x := l.typePath(target)
		c := l.b.BeginClass(name, ir.Alias, pos)
		l.b.ClassInfo(c).Target = x
		l.b.EndClass(l.t.End(n))
		l.defineClass(name, c, exported, pos)
	case "ambient_declaration":
		for c := range l.t.NamedChildren(n) {
			if l.t.Kind(c) == "statement_block" { // declare global
				for s := range l.t.NamedChildren(c) {
					l.stmt(s)
				}
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
	at := l.t.Child(n, "name")
	name, pos = l.text(at), l.t.Start(at)
	c = l.b.BeginClass(name, kind, pos)
	if tp := l.typeParams(l.t.Child(n, "type_parameters")); tp != nil {
		l.b.ClassInfo(c).TypeParams = tp
	}
	return c, name, pos
}

func (l *lowerer) interfaceDeclaration(n syntax.Node, exported bool) {
	c, name, pos := l.newType(n, ir.Interface)
	var bases []ir.Base
	if clause := l.t.ChildOf(n, "extends_type_clause"); clause != 0 {
		for t := range l.t.NamedChildren(clause) {
			bases = append(bases, ir.Base{X: l.typ(t), Kind: ir.Extend})
		}
	}
	l.b.ClassInfo(c).Bases = bases
	l.pushThis(&receiver{kind: thisMethod})
	l.signatures(l.t.Child(n, "body"))
	l.popThis()
	l.b.EndClass(l.t.End(n))
	l.defineClass(name, c, exported, pos)
}

// signatures lowers the members of an interface or object type. What a call of
// the value itself does is a member named "()", what new does one named "new()".
func (l *lowerer) signatures(body syntax.Node) {
	for m := range l.t.NamedChildren(body) {
		at := l.t.Child(m, "name")
		switch l.t.Kind(m) {
		case "property_signature":
			v := l.b.Declare(l.memberName(at), l.t.Start(at))
			typ := l.typ(l.t.Child(m, "type"))
			l.b.VarInfo(v).Type = typ
		case "method_signature":
			l.signature(m, l.memberName(at), l.t.Start(at), l.t.Child(m, "return_type"))
		case "call_signature":
			l.signature(m, "()", l.t.Start(m), l.t.Child(m, "return_type"))
		case "construct_signature":
			l.signature(m, "new()", l.t.Start(m), l.t.Child(m, "type"))
		}
	}
}

func (l *lowerer) signature(n syntax.Node, name string, pos int, result syntax.Node) {
	flags, _ := l.methodFlags(n)
	f := l.function(n, name, flags|ir.Abstract, pos, &receiver{kind: thisMethod})
	if r := l.result(result); r != 0 {
		l.b.FuncInfo(f).Results = []ir.Expr{r}
	}
	l.define(ir.FuncMember, name, uint32(f), false, false, pos)
}

// typeAlias lowers type X = T. An object type with a name is an interface, and
// one that others are added to extends them.
func (l *lowerer) typeAlias(n syntax.Node, exported bool) {
	value := l.t.Child(n, "value")
	objects, others, ok := l.intersection(value)
	if !ok {
		c, name, pos := l.newType(n, ir.Alias)
		target := l.typ(value)
		l.b.ClassInfo(c).Target = target
		l.b.EndClass(l.t.End(n))
		l.defineClass(name, c, exported, pos)
		return
	}
	c, name, pos := l.newType(n, ir.Interface)
	var bases []ir.Base
	for _, o := range others {
		bases = append(bases, ir.Base{X: l.typ(o), Kind: ir.Extend})
	}
	l.b.ClassInfo(c).Bases = bases
	l.pushThis(&receiver{kind: thisMethod})
	for _, o := range objects {
		l.signatures(o)
	}
	l.popThis()
	l.b.EndClass(l.t.End(n))
	l.defineClass(name, c, exported, pos)
}

// intersection tells the object types of A & {...} from the named ones. It is not
// ok for other types, and for object types that are only indexed or called.
func (l *lowerer) intersection(n syntax.Node) (objects, others []syntax.Node, ok bool) {
	list := []syntax.Node{n}
	for len(list) > 0 && len(list)+len(objects)+len(others) < maxDepth {
		t := list[len(list)-1]
		list = list[:len(list)-1]
		switch l.t.Kind(t) {
		case "object_type":
			for m := range l.t.NamedChildren(t) {
				switch l.t.Kind(m) {
				case "property_signature", "method_signature":
					ok = true
				case "index_signature":
					return nil, nil, false
				}
			}
			objects = append(objects, t)
		case "intersection_type":
			for c := range l.t.NamedChildren(t) {
				list = append(list, c)
			}
			ok = true
		case "parenthesized_type":
			list = append(list, l.t.NamedChild(t, 0))
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
	for m := range l.t.NamedChildren(l.t.Child(n, "body")) {
		at, value := m, syntax.Node(0)
		if l.t.Kind(m) == "enum_assignment" {
			at, value = l.t.Child(m, "name"), l.t.Child(m, "value")
		}
		v := l.b.Declare(l.key(at), l.t.Start(at))
		x := l.operand(value)
		l.b.VarInfo(v).Init = x
		members := l.b.ClassInfo(c).Members
		members[len(members)-1].Static = true
	}
	l.b.EndClass(l.t.End(n))
	l.defineClass(name, c, exported, pos)
}

// namespace lowers a namespace, or the declaration of a module that lies
// elsewhere. Its statements run where it is written.
func (l *lowerer) namespace(n syntax.Node, exported bool) {
	at := l.t.Child(n, "name")
	name, pos := l.text(at), l.t.Start(at)
	c := l.b.BeginClass(name, ir.Namespace, pos)
	l.pushThis(&receiver{})
	for s := range l.t.NamedChildren(l.t.Child(n, "body")) {
		l.stmt(s)
	}
	l.popThis()
	l.b.EndClass(l.t.End(n))
	l.defineClass(name, c, exported, pos)
}
