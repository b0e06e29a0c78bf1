package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// The library of JavaScript, as far as functions of the index go through it: what
// its containers hold reaches the callbacks given to them, and what the callbacks
// return reaches who asked for it. Containers are typed values (vGeneric) where a
// type is declared, and things of their own (vObject) where one is made.

// container says what the library has for a value: "array", "Map", "Set", "Promise",
// "object", or "" for something else.
func (e *eval) container(v value) string {
	g := e.g
	i := g.values.info[v]
	word := ""
	switch i.kind {
	case vGeneric:
		word = g.names.text[i.id]
	case vObject:
		word = g.names.text[g.entities[i.id].name]
		if g.entities[i.id].kind != objectNode {
			return "" // made by a constructor function
		}
	default:
		return ""
	}
	switch word {
	case "array", "list", "tuple", "generator", "iterator", "results":
		return "array"
	case "Map", "ReadonlyMap", "WeakMap":
		return "Map"
	case "Set", "ReadonlySet", "WeakSet":
		return "Set"
	case "Promise", "PromiseLike":
		return "Promise"
	case "object", "map":
		return word
	}
	return ""
}

// scriptMember is a property of a container, read as a value. ok is false where the
// library says nothing of it.
func (e *eval) scriptMember(v value, n name) (s set, ok bool) {
	text := e.g.names.text[n]
	switch e.container(v) {
	case "array":
		if len(text) == 1 && text[0] >= '0' && text[0] <= '9' {
			return e.item(e.g.values.single(v), text), true
		}
		return e.external(e.g.names.intern("Array." + text)), true
	case "Map", "Set", "Promise":
		return e.external(e.g.names.intern(e.container(v) + "." + text)), true
	case "map":
		return e.g.values.arg(v, -1), true
	}
	return 0, false
}

// contents are what a container holds.
func (e *eval) contents(v value) set {
	g := e.g
	i := g.values.info[v]
	if i.kind == vObject {
		return e.getItem(ID(i.id), someItem)
	}
	args := g.args(i.args)
	if len(args) == 0 {
		return 0
	}
	if e.container(v) == "Map" {
		return args[len(args)-1]
	}
	out := set(0)
	for _, a := range args {
		out = g.union(out, a)
	}
	return out
}

// keep lets a value flow into a container that is a thing of its own.
func (e *eval) keep(v value, s set) {
	if i := e.g.values.info[v]; i.kind == vObject {
		e.putItem(ID(i.id), someItem, s)
	}
}

// feed calls the functions among the values of an argument with some values, and
// returns what they return.
func (e *eval) feed(c *calling, n int, values ...set) set {
	if n >= len(c.args) {
		return 0
	}
	g := e.g
	out := set(0)
	for _, v := range g.elems(c.args[n].value) {
		i := g.values.info[v]
		if i.kind != vFunc && i.kind != vBound {
			continue
		}
		fn := g.fn(ID(i.id))
		if fn == nil {
			continue
		}
		for p, s := range values {
			if p < len(fn.Params) && fn.Params[p].Kind == ir.Variadic {
				s = e.generic("list", s)
			}
			e.pass(ID(i.id), p, s)
		}
		if i.kind == vBound {
			e.passSelf(ID(i.id), i.base)
		}
		out = g.union(out, e.returned(ID(i.id), i.base, nil))
	}
	return out
}

// scriptCall calls a method of the library on a value. ok is false where the value
// is none of its containers, or a field holds what is called.
func (e *eval) scriptCall(c *calling, v value) (out set, ok bool) {
	g := e.g
	text := g.names.text[c.name]
	word := e.container(v)
	outside := func(prefix string) { c.external = g.names.intern(prefix + "." + text) }
	switch word {
	case "array":
		outside("Array")
		return e.arrayCall(c, v, text), true
	case "Map":
		outside(word)
		return e.mapCall(c, v, text), true
	case "Set":
		outside(word)
		switch text {
		case "add":
			e.keep(v, c.arg(0))
			return g.values.single(v), true
		case "forEach":
			e.feed(c, 0, e.contents(v), e.contents(v), g.values.single(v))
		case "values", "keys", "union", "intersection", "difference":
			return e.generic("list", e.contents(v)), true
		case "entries":
			return e.generic("list", e.generic("tuple", e.contents(v), e.contents(v))), true
		}
		return 0, true
	case "Promise":
		return e.promiseCall(c, e.contents(v), text)
	case "object":
		switch text {
		case "hasOwnProperty", "toString", "valueOf", "toLocaleString", "isPrototypeOf", "propertyIsEnumerable":
			outside("Object")
			return 0, true
		}
	}
	if i := g.values.info[v]; i.kind == vExternal {
		return e.staticCall(c, g.names.text[i.id], text)
	}
	return 0, false
}

func (e *eval) arrayCall(c *calling, v value, text string) set {
	g := e.g
	held, self := e.contents(v), g.values.single(v)
	list := func(s set) set { return e.generic("list", s) }
	switch text {
	case "forEach", "some", "every", "findIndex", "findLastIndex":
		e.feed(c, 0, held, 0, self)
	case "find", "findLast":
		e.feed(c, 0, held, 0, self)
		return held
	case "pop", "shift", "at":
		return held
	case "filter":
		e.feed(c, 0, held, 0, self)
		return list(held)
	case "map":
		return list(e.feed(c, 0, held, 0, self))
	case "flatMap":
		return list(e.flat(e.feed(c, 0, held, 0, self)))
	case "flat":
		return list(e.flat(held))
	case "sort", "toSorted":
		e.feed(c, 0, held, held)
		return self
	case "slice", "reverse", "toReversed", "values", "copyWithin", "splice", "toSpliced":
		for i := 2; i < len(c.args) && text == "splice"; i++ {
			e.keep(v, c.args[i].value)
		}
		return list(held)
	case "concat":
		for i := range c.args {
			held = g.union(held, e.flat(c.args[i].value))
		}
		return list(held)
	case "push", "unshift", "fill":
		for i := range c.args {
			s := c.args[i].value
			if c.args[i].kind == ir.Spread {
				s = e.elements(s, nil)
			}
			e.keep(v, s)
		}
		if text == "fill" {
			return self
		}
	case "reduce", "reduceRight":
		acc := c.arg(1)
		if len(c.args) < 2 {
			acc = held
		}
		acc = g.union(acc, e.feed(c, 0, acc, held, 0, self))
		e.feed(c, 0, acc)
		return acc
	case "entries":
		return list(e.generic("tuple", 0, held))
	case "next":
		return e.generic("IteratorResult", held)
	}
	return 0
}

// flat are the elements of the arrays among some values, and the others themselves.
func (e *eval) flat(s set) set {
	out := set(0)
	for _, v := range e.g.elems(s) {
		if e.container(v) == "array" {
			out = e.g.union(out, e.contents(v))
		} else {
			out = e.g.union(out, e.g.values.single(v))
		}
	}
	return out
}

func (e *eval) mapCall(c *calling, v value, text string) set {
	g := e.g
	held, keys := e.contents(v), set(0)
	if g.values.info[v].kind == vGeneric {
		keys = g.values.arg(v, 0)
	}
	switch text {
	case "get":
		return held
	case "set":
		e.keep(v, c.arg(1))
		return g.values.single(v)
	case "forEach":
		e.feed(c, 0, held, keys, g.values.single(v))
	case "values":
		return e.generic("list", held)
	case "keys":
		return e.generic("list", keys)
	case "entries":
		return e.generic("list", e.generic("tuple", keys, held))
	}
	return 0
}

// promiseCall calls a method of a promise of some values. A value that the index
// takes for what the promise holds is one, too: async functions return such.
func (e *eval) promiseCall(c *calling, held set, text string) (set, bool) {
	g := e.g
	promise := func(s set) set { return e.generic("Promise", e.await(s)) }
	switch text {
	case "then":
		c.external = g.names.intern("Promise.then")
		return promise(g.union(e.feed(c, 0, held), e.feed(c, 1))), true
	case "catch", "finally":
		c.external = g.names.intern("Promise." + text)
		return promise(g.union(held, e.feed(c, 0))), true
	}
	return 0, false
}

// staticCall calls a function of a global object.
func (e *eval) staticCall(c *calling, object, text string) (set, bool) {
	g := e.g
	list := func(s set) set { return e.generic("list", s) }
	path := object + "." + text
	before := c.external
	c.external = g.names.intern(path)
	switch path {
	case "Promise.all", "Promise.allSettled":
		return e.generic("Promise", e.all(c)), true
	case "Promise.race", "Promise.any":
		return e.generic("Promise", e.await(e.elements(c.arg(0), nil))), true
	case "Promise.resolve":
		return e.generic("Promise", e.await(c.arg(0))), true
	case "Object.values":
		return list(e.elements(c.arg(0), nil)), true
	case "Object.entries":
		return list(e.generic("tuple", 0, e.elements(c.arg(0), nil))), true
	case "Object.fromEntries":
		return e.generic("map", 0, e.item(e.elements(c.arg(0), nil), "1")), true
	case "Object.keys", "Object.getOwnPropertyNames":
		return list(e.external(g.names.intern("string"))), true
	case "Array.from":
		held := e.elements(c.arg(0), nil)
		if len(c.args) > 1 {
			return list(e.feed(c, 1, held)), true
		}
		return list(held), true
	case "Array.of":
		held := set(0)
		for i := range c.args {
			held = g.union(held, c.args[i].value)
		}
		return list(held), true
	case "Object.assign", "Object.freeze", "Object.seal", "Object.create", "structuredClone":
		held := set(0)
		for i := range c.args {
			held = g.union(held, c.args[i].value)
		}
		return held, true
	case "Reflect.construct":
		return e.callValues(&calling{node: c.node, forNew: true, quiet: true}, c.arg(0), ByFlow), true
	}
	c.external = before
	return 0, false
}

// all is what Promise.all waits for: a tuple where the promises are written one by
// one.
func (e *eval) all(c *calling) set {
	g := e.g
	if len(c.args) == 0 {
		return 0
	}
	n := &e.f.ir.Exprs[c.args[0].x]
	if n.Op == ir.List && n.Hi-n.Lo < uint32(len(itemNames)) {
		var parts []set
		for i, a := range e.f.ir.Args[n.Lo:n.Hi] {
			if a.Kind != ir.Plain {
				parts = nil
				break
			}
			parts = append(parts, e.await(e.item(c.args[0].value, itemName(i))))
		}
		if len(parts) > 0 {
			return g.values.single(g.values.typed(valueInfo{kind: vGeneric, id: uint32(g.names.intern("tuple"))}, parts))
		}
	}
	return e.generic("list", e.await(e.elements(c.arg(0), nil)))
}

// scriptNew makes a container of the library.
func (e *eval) scriptNew(c *calling, class string) (set, bool) {
	if !c.forNew {
		return 0, false
	}
	g := e.g
	word := class
	switch class {
	case "Map", "Set", "WeakMap", "WeakSet":
	case "Array":
		word = "array"
	case "Promise":
		// What the executor resolves with is not followed; what is declared is known.
		if len(c.explicit) > 0 {
			return e.generic("Promise", c.explicit[0]), true
		}
		return 0, false
	default:
		return 0, false
	}
	id := g.entity(entityKey{outer: e.f.funcs[e.f.rootOf(e.fn)], kind: objectNode, name: g.names.intern(word), nth: uint32(c.node.Pos)})
	switch {
	case word == "array":
		for i := range c.args {
			e.putItem(id, someItem, c.args[i].value)
		}
	case len(c.args) > 0 && (word == "Map" || word == "WeakMap"):
		e.putItem(id, someItem, e.item(e.elements(c.arg(0), nil), "1"))
	case len(c.args) > 0:
		e.putItem(id, someItem, e.elements(c.arg(0), nil))
	}
	made := e.single(valueInfo{kind: vObject, id: uint32(id)})
	if len(c.explicit) > 0 {
		made = g.union(made, g.values.single(g.values.typed(valueInfo{kind: vGeneric, id: uint32(g.names.intern(class))}, c.explicit)))
	}
	return made, true
}
