package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// attributes lowers attr_reader and its like.
func (l *lowerer) attributes(args syntax.Node, read, write bool) {
	var names []syntax.Node
	for c := range l.NamedChildren(args) {
		names = append(names, c)
	}
	l.accessors(names, read, write)
}

// accessors makes the methods that read and write instance variables.
func (l *lowerer) accessors(names []syntax.Node, read, write bool) {
	for _, n := range names {
		name := l.symbol(n)
		if name == "" || l.Class() == 0 {
			continue
		}
		pos := l.Start(n)
		if read {
			f := l.begin(name, pos, n)
			l.Return(l.Attr(l.Unary(ir.This, 0, pos), "@"+name, pos))
			l.end(f, name, n)
		}
		if write {
			f := l.begin(name+"=", pos, n)
			v := l.Param("value", 0, 0, ir.Positional, pos)
			l.Bind(l.Attr(l.Unary(ir.This, 0, pos), "@"+name, pos), l.Local(v, pos))
			l.end(f, name+"=", n)
		}
	}
}

// begin begins a method that is made by a declaration.
func (l *lowerer) begin(name string, pos int, n syntax.Node) ir.Func {
	f := l.BeginFunc(name, pos)
	info := l.FuncInfo(f)
	info.Start = uint32(l.Start(n))
	if l.body != nil {
		info.Flags |= walk.When(l.body.singleton, ir.ClassMethod)
		info.Flags |= walk.When(l.body.private, ir.Private)
	}
	return f
}

func (l *lowerer) end(f ir.Func, name string, n syntax.Node) {
	l.EndFunc(l.End(n))
	l.define(f, name, l.Start(n))
}

// define binds a method to its name by the state of the class's body.
func (l *lowerer) define(f ir.Func, name string, pos int) {
	m := ir.Member{Name: l.Str(name), Kind: ir.FuncMember, Ref: uint32(f), Exported: true}
	if l.body == nil {
		l.Define(m, pos)
		return
	}
	m.Exported = !l.body.private
	m.Static = l.body.singleton || l.FuncInfo(f).Flags&ir.ClassMethod != 0
	l.Define(m, pos)
	if l.body.function && !m.Static {
		m.Static = true
		l.Define(m, pos)
	}
}

// defineMethod lowers define_method(:name) { ... }.
func (l *lowerer) defineMethod(n, args syntax.Node) bool {
	name := l.symbol(l.NamedChild(args, 0))
	block := l.Child(n, "block")
	if name == "" || block == 0 {
		return false
	}
	at := l.NamedChild(args, 0)
	f := l.begin(name, l.Start(at), n)
	l.function(f, name, l.Child(block, "parameters"), l.Child(block, "body"))
	l.end(f, name, n)
	return true
}

// alias lowers alias and alias_method: another name of a method of the class, or
// a method that calls an inherited one.
func (l *lowerer) alias(to, from syntax.Node) {
	name, old := l.word(to), l.word(from)
	if name == "" || old == "" {
		return
	}
	if l.body != nil {
		f := l.Raw()
		for _, m := range f.Classes[l.body.class].Members {
			if m.Kind == ir.FuncMember && f.String(m.Name) == old && m.Static == l.body.singleton {
				m.Name = l.Str(name)
				l.Define(m, l.Start(to))
				return
			}
		}
	}
	f := l.begin(name, l.Start(to), to)
	v := l.Param("args", 0, 0, ir.Variadic, l.Start(to))
	pos := l.Start(from)
	callee := l.Free(old, pos)
	if l.body != nil {
		callee = l.Attr(l.Unary(ir.This, 0, pos), old, pos)
	}
	l.Return(l.Call(callee, []ir.Arg{{X: l.Local(v, pos), Kind: ir.Spread}}, pos))
	l.end(f, name, to)
}

// word is the name that an identifier or symbol says.
func (l *lowerer) word(n syntax.Node) string {
	if s := l.symbol(n); s != "" {
		return s
	}
	switch l.Kind(n) {
	case "identifier", "constant", "operator", "setter":
		return l.Text(n)
	}
	return ""
}

// delegate lowers delegate :a, :b, to: :c and def_delegators :c, :a, :b.
func (l *lowerer) delegate(word string, args syntax.Node) bool {
	var names []syntax.Node
	var to syntax.Node
	for c := range l.NamedChildren(args) {
		switch {
		case l.Kind(c) == "pair":
			if l.symbol(l.Child(c, "key")) == "to" {
				to = l.Child(c, "value")
			}
		case word != "delegate" && to == 0:
			to = c
		default:
			names = append(names, c)
		}
	}
	target := l.symbol(to)
	if target == "" || len(names) == 0 {
		return false
	}
	if strings.HasSuffix(word, "delegator") && len(names) == 2 { // method, and its name here
		l.forward(target, names[1], l.symbol(names[0]), to)
		return true
	}
	for _, n := range names {
		l.forward(target, n, l.symbol(n), to)
	}
	return true
}

// forward makes a method that calls another one of what target says.
func (l *lowerer) forward(target string, n syntax.Node, method string, to syntax.Node) {
	name, pos := l.symbol(n), l.Start(n)
	if name == "" || method == "" {
		return
	}
	f := l.begin(name, pos, n)
	v := l.Param("args", 0, 0, ir.Variadic, pos)
	x := l.Unary(ir.This, 0, pos)
	switch {
	case target == "class":
		x = l.Unary(ir.TypeOf, x, pos)
	case target[0] == '@':
		x = l.Attr(x, target, pos)
	default:
		x = l.Call(l.Attr(x, target, l.Start(to)), nil, l.Start(to))
	}
	l.Return(l.Call(l.Attr(x, method, pos), []ir.Arg{{X: l.Local(v, pos), Kind: ir.Spread}}, pos))
	l.end(f, name, n)
}

// structBase returns the names of the members of Struct.new(:a, :b) and
// Data.define(:a, :b), if n is one of them.
func (l *lowerer) structBase(n syntax.Node) []syntax.Node {
	if l.Kind(n) != "call" {
		return nil
	}
	class, method := string(l.Bytes(l.Child(n, "receiver"))), string(l.Bytes(l.Child(n, "method")))
	if class != "Struct" && class != "::Struct" && class != "Data" || class == "Data" != (method == "define") || class != "Data" && method != "new" {
		return nil
	}
	var names []syntax.Node
	for c := range l.OfKind(l.Child(n, "arguments"), "simple_symbol") {
		names = append(names, c)
	}
	return names
}

// madeClass lowers X = Struct.new(...), Class.new(Base) { ... } and Module.new,
// and reports whether value is one.
func (l *lowerer) madeClass(name, value, n syntax.Node) bool {
	if l.Kind(value) != "call" || l.Kind(name) != "constant" || l.body == nil && !l.AtTop() {
		return false
	}
	fields := l.structBase(value)
	receiver, method := string(l.Bytes(l.Child(value, "receiver"))), string(l.Bytes(l.Child(value, "method")))
	kind := ir.PlainClass
	switch {
	case fields != nil:
	case method == "new" && (receiver == "Class" || receiver == "::Class"):
	case method == "new" && (receiver == "Module" || receiver == "::Module"):
		kind = ir.Trait
	default:
		return false
	}
	var bases []ir.Base
	if fields == nil {
		for c := range l.NamedChildren(l.Child(value, "arguments")) {
			if x := l.expr(c); x != 0 {
				bases = append(bases, ir.Base{X: x, Kind: ir.Extend})
			}
		}
	} else {
		bases = []ir.Base{{X: l.expr(l.Child(value, "receiver")), Kind: ir.Extend}}
	}
	l.classBody(l.Text(name), kind, bases, name, n, func() {
		l.accessors(fields, true, receiver != "Data")
		l.Keep(l.sequence(l.Child(l.Child(value, "block"), "body")))
	})
	return true
}
