package javascript

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Constructor functions: a function whose prototype is written to is a class of
// the same name, with the function next to it as its constructor. The statements
// that write are lowered together, as the body of that class.

// A prototypeWrite is a statement that adds to the prototype of a function.
type prototypeWrite struct {
	stmt  syntax.Node
	class syntax.Node // the identifier of the function
	names []syntax.Node
	value syntax.Node // a method or value with names, or the object that replaces the prototype
	base  syntax.Node // what is inherited from instead
}

// hoistPrototypes lowers the statements of a block that write to prototypes.
func (l *lowerer) hoistPrototypes(block syntax.Node) {
	var order []string
	var writes map[string][]prototypeWrite
	for c := range l.t.NamedChildren(block) {
		if l.t.Kind(c) != "expression_statement" {
			continue
		}
		w, ok := l.prototypeWrite(c)
		if !ok {
			continue
		}
		name := l.text(w.class)
		if writes == nil {
			writes = map[string][]prototypeWrite{}
		}
		if _, seen := writes[name]; !seen {
			order = append(order, name)
		}
		writes[name] = append(writes[name], w)
	}
	if writes == nil {
		return
	}
	own := l.functionsOf(block, writes)
	for _, name := range order {
		if own[name] {
			if l.protos == nil {
				l.protos = map[string]bool{}
			}
			l.protos[name] = true
		}
	}
	for _, name := range order {
		l.prototypeClass(name, writes[name], own[name])
	}
}

// functionsOf finds which of the names are functions declared in the block.
func (l *lowerer) functionsOf(block syntax.Node, names map[string][]prototypeWrite) map[string]bool {
	own := map[string]bool{}
	for c := range l.t.NamedChildren(block) {
		if l.t.Kind(c) == "export_statement" {
			c = l.t.Child(c, "declaration")
		}
		switch l.t.Kind(c) {
		case "function_declaration":
			if name := l.text(l.t.Child(c, "name")); names[name] != nil {
				own[name] = true
			}
		case "variable_declaration", "lexical_declaration":
			for d := range l.t.NamedChildren(c) {
				name := l.text(l.t.Child(d, "name"))
				if names[name] != nil && l.t.Kind(l.literal(l.t.Child(d, "value"))) == "function_expression" {
					own[name] = true
				}
			}
		}
	}
	return own
}

// prototypeOf returns the identifier A of A.prototype, or none.
func (l *lowerer) prototypeOf(n syntax.Node) syntax.Node {
	if l.t.Kind(n) == "member_expression" && l.is(l.t.Child(n, "property"), "prototype") {
		if object := l.t.Child(n, "object"); l.t.Kind(object) == "identifier" {
			return object
		}
	}
	return 0
}

// prototypeWrite says what a statement adds to which prototype.
func (l *lowerer) prototypeWrite(stmt syntax.Node) (w prototypeWrite, ok bool) {
	e := l.t.NamedChild(stmt, 0)
	w.stmt = stmt
	switch l.t.Kind(e) {
	case "assignment_expression":
		left := l.t.Child(e, "left")
		if l.t.Kind(left) != "member_expression" {
			return w, false
		}
		if w.class = l.prototypeOf(left); w.class != 0 { // A.prototype = ...
			right := l.t.Child(e, "right")
			if l.t.Kind(right) == "object" {
				w.value = right
			} else {
				w.base = l.prototypeBase(right)
			}
			return w, w.value != 0 || w.base != 0
		}
		for depth := 0; depth < 8; depth++ { // A.prototype.x = A.prototype.y = ...
			w.class = l.prototypeOf(l.t.Child(left, "object"))
			if w.class == 0 {
				return w, false
			}
			w.names = append(w.names, l.t.Child(left, "property"))
			w.value = l.t.Child(e, "right")
			if l.t.Kind(w.value) != "assignment_expression" {
				break
			}
			e, left = w.value, l.t.Child(w.value, "left")
		}
		if l.is(w.names[0], "__proto__") {
			w.base = l.prototypeBase(w.value)
			w.value, w.names = 0, nil
			return w, w.base != 0
		}
		return w, true
	case "call_expression":
		callee, arguments := l.t.Child(e, "function"), l.t.Child(e, "arguments")
		name := callee
		if l.t.Kind(callee) == "member_expression" {
			name = l.t.Child(callee, "property")
		}
		first, second := l.t.NamedChild(arguments, 0), l.t.NamedChild(arguments, 1)
		switch {
		case l.is(name, "inherits") && l.t.Kind(first) == "identifier":
			w.class, w.base = first, second
		case l.is(name, "assign") && l.prototypeOf(first) != 0 && l.t.Kind(second) == "object":
			w.class, w.value = l.prototypeOf(first), second
		case l.is(name, "setPrototypeOf") && l.prototypeOf(first) != 0:
			w.class, w.base = l.prototypeOf(first), l.prototypeOf(second)
		}
		return w, w.class != 0 && (w.base != 0 || w.value != 0)
	}
	return w, false
}

// prototypeBase returns B of Object.create(B.prototype), new B and B.prototype.
func (l *lowerer) prototypeBase(n syntax.Node) syntax.Node {
	switch l.t.Kind(n) {
	case "new_expression":
		return l.t.Child(n, "constructor")
	case "call_expression":
		if l.is(l.t.Child(l.t.Child(n, "function"), "property"), "create") {
			return l.prototypeBase(l.t.NamedChild(l.t.Child(n, "arguments"), 0))
		}
	case "member_expression":
		if l.is(l.t.Child(n, "property"), "prototype") {
			return l.t.Child(n, "object")
		}
	}
	return 0
}

func (l *lowerer) prototypeClass(name string, writes []prototypeWrite, own bool) {
	at := writes[0].class
	pos := l.t.Start(at)
	kind, target := ir.PlainClass, ir.Expr(0)
	if !own {
		kind, target = ir.Extends, l.b.Name(name, pos)
	}
	var bases []ir.Base
	for _, w := range writes {
		if w.base != 0 {
			bases = append(bases, ir.Base{X: l.expr(w.base), Kind: ir.Extend})
		}
	}
	c := l.b.BeginClass(name, kind, pos)
	info := l.b.ClassInfo(c)
	info.Target, info.Bases = target, bases
	for _, w := range writes {
		if w.value == 0 {
			continue
		}
		if l.done == nil {
			l.done = map[syntax.Node]bool{}
		}
		l.done[w.stmt] = true
		if len(w.names) == 0 {
			l.prototypeObject(w.value)
			continue
		}
		l.prototypeMember(w.names, w.value)
	}
	last := writes[len(writes)-1].stmt
	l.b.EndClass(l.t.End(last))
	if own {
		l.defineClass(name, c, false, pos)
	}
}

// prototypeMember lowers A.prototype.x = value in the frame of A's class.
func (l *lowerer) prototypeMember(names []syntax.Node, value syntax.Node) {
	if l.is(names[0], "constructor") {
		return
	}
	at := names[0]
	name, pos := l.text(at), l.t.Start(at)
	if inner := l.literal(value); isFunction(l.t.Kind(inner)) {
		f := l.function(inner, name, 0, pos, &receiver{kind: thisMethod})
		for _, n := range names {
			l.define(ir.FuncMember, l.text(n), uint32(f), false, false, pos)
		}
		return
	}
	x := l.expr(value)
	for _, n := range names {
		v := l.b.Declare(l.text(n), l.t.Start(n))
		l.b.VarInfo(v).Init = x
	}
}

// prototypeObject lowers the members of A.prototype = {...}.
func (l *lowerer) prototypeObject(object syntax.Node) {
	l.pushThis(&receiver{kind: thisMethod})
	for c := range l.t.NamedChildren(object) {
		switch l.t.Kind(c) {
		case "method_definition":
			l.method(c, nil)
		case "pair":
			if at := l.t.Child(c, "key"); l.t.Kind(at) != "computed_property_name" {
				l.prototypeMember([]syntax.Node{at}, l.t.Child(c, "value"))
			}
		case "shorthand_property_identifier":
			v := l.b.Declare(l.text(c), l.t.Start(c))
			x := l.expr(c)
			l.b.VarInfo(v).Init = x
		default:
			l.b.Eval(l.expr(c))
		}
	}
	l.popThis()
}
