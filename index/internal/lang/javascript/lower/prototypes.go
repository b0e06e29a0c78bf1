package lower

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
	for c := range l.OfKind(block, "expression_statement") {
		w, ok := l.prototypeWrite(c)
		if !ok {
			continue
		}
		name := l.Text(w.class)
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
	for c := range l.NamedChildren(block) {
		if l.Kind(c) == "export_statement" {
			c = l.Child(c, "declaration")
		}
		switch l.Kind(c) {
		case "function_declaration":
			if name := l.Text(l.Child(c, "name")); names[name] != nil {
				own[name] = true
			}
		case "variable_declaration", "lexical_declaration":
			for d := range l.NamedChildren(c) {
				name := l.Text(l.Child(d, "name"))
				if names[name] != nil && l.Kind(l.literal(l.Child(d, "value"))) == "function_expression" {
					own[name] = true
				}
			}
		}
	}
	return own
}

// prototypeOf returns the identifier A of A.prototype, or none.
func (l *lowerer) prototypeOf(n syntax.Node) syntax.Node {
	if l.Kind(n) == "member_expression" && l.Is(l.Child(n, "property"), "prototype") {
		if object := l.Child(n, "object"); l.Kind(object) == "identifier" {
			return object
		}
	}
	return 0
}

// prototypeWrite says what a statement adds to which prototype.
func (l *lowerer) prototypeWrite(stmt syntax.Node) (w prototypeWrite, ok bool) {
	e := l.NamedChild(stmt, 0)
	w.stmt = stmt
	switch l.Kind(e) {
	case "assignment_expression":
		left := l.Child(e, "left")
		if l.Kind(left) != "member_expression" {
			return w, false
		}
		if w.class = l.prototypeOf(left); w.class != 0 { // A.prototype = ...
			right := l.Child(e, "right")
			if l.Kind(right) == "object" {
				w.value = right
			} else {
				w.base = l.prototypeBase(right)
			}
			return w, w.value != 0 || w.base != 0
		}
		for depth := 0; depth < 8; depth++ { // A.prototype.x = A.prototype.y = ...
			w.class = l.prototypeOf(l.Child(left, "object"))
			if w.class == 0 {
				return w, false
			}
			w.names = append(w.names, l.Child(left, "property"))
			w.value = l.Child(e, "right")
			if l.Kind(w.value) != "assignment_expression" {
				break
			}
			e, left = w.value, l.Child(w.value, "left")
		}
		if l.Is(w.names[0], "__proto__") {
			w.base = l.prototypeBase(w.value)
			w.value, w.names = 0, nil
			return w, w.base != 0
		}
		return w, true
	case "call_expression":
		callee, arguments := l.Child(e, "function"), l.Child(e, "arguments")
		name := callee
		if l.Kind(callee) == "member_expression" {
			name = l.Child(callee, "property")
		}
		first, second := l.NamedChild(arguments, 0), l.NamedChild(arguments, 1)
		switch {
		case l.Is(name, "inherits") && l.Kind(first) == "identifier":
			w.class, w.base = first, second
		case l.Is(name, "assign") && l.prototypeOf(first) != 0 && l.Kind(second) == "object":
			w.class, w.value = l.prototypeOf(first), second
		case l.Is(name, "setPrototypeOf") && l.prototypeOf(first) != 0:
			w.class, w.base = l.prototypeOf(first), l.prototypeOf(second)
		}
		return w, w.class != 0 && (w.base != 0 || w.value != 0)
	}
	return w, false
}

// prototypeBase returns B of Object.create(B.prototype), new B and B.prototype.
func (l *lowerer) prototypeBase(n syntax.Node) syntax.Node {
	switch l.Kind(n) {
	case "new_expression":
		return l.Child(n, "constructor")
	case "call_expression":
		if l.Is(l.Child(l.Child(n, "function"), "property"), "create") {
			return l.prototypeBase(l.NamedChild(l.Child(n, "arguments"), 0))
		}
	case "member_expression":
		if l.Is(l.Child(n, "property"), "prototype") {
			return l.Child(n, "object")
		}
	}
	return 0
}

func (l *lowerer) prototypeClass(name string, writes []prototypeWrite, own bool) {
	at := writes[0].class
	pos := l.Start(at)
	kind, target := ir.PlainClass, ir.Expr(0)
	if !own {
		kind, target = ir.Extends, l.Name(name, pos)
	}
	var bases []ir.Base
	for _, w := range writes {
		if w.base != 0 {
			bases = append(bases, ir.Base{X: l.expr(w.base), Kind: ir.Extend})
		}
	}
	c := l.BeginClass(name, kind, pos)
	info := l.ClassInfo(c)
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
	l.EndClass(l.End(last))
	if own {
		l.defineClass(name, c, false, pos)
	}
}

// prototypeMember lowers A.prototype.x = value in the frame of A's class.
func (l *lowerer) prototypeMember(names []syntax.Node, value syntax.Node) {
	if l.Is(names[0], "constructor") {
		return
	}
	at := names[0]
	name, pos := l.Text(at), l.Start(at)
	if inner := l.literal(value); isFunction(l.Kind(inner)) {
		f := l.function(inner, name, 0, pos, &receiver{kind: thisMethod})
		for _, n := range names {
			l.define(ir.FuncMember, l.Text(n), uint32(f), false, false, pos)
		}
		return
	}
	x := l.expr(value)
	for _, n := range names {
		v := l.Declare(l.Text(n), l.Start(n))
		l.VarInfo(v).Init = x
	}
}

// prototypeObject lowers the members of A.prototype = {...}.
func (l *lowerer) prototypeObject(object syntax.Node) {
	l.pushThis(&receiver{kind: thisMethod})
	for c := range l.NamedChildren(object) {
		switch l.Kind(c) {
		case "method_definition":
			l.method(c, nil)
		case "pair":
			if at := l.Child(c, "key"); l.Kind(at) != "computed_property_name" {
				l.prototypeMember([]syntax.Node{at}, l.Child(c, "value"))
			}
		case "shorthand_property_identifier":
			v := l.Declare(l.Text(c), l.Start(c))
			x := l.expr(c)
			l.VarInfo(v).Init = x
		default:
			l.Eval(l.expr(c))
		}
	}
	l.popThis()
}
