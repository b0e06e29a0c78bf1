package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// pythonMethod is a method of a built-in collection that puts something into it or
// takes something out. ok is false for other methods, and other receivers.
func (e *eval) pythonMethod(c *calling, v value) (out set, ok bool) {
	g := e.g
	i := g.values.info[v]
	word, mapping := "", false
	switch i.kind {
	case vObject:
		word = g.names.text[g.entities[i.id].name]
	case vExternal:
		return e.textMethod(c, g.names.text[i.id])
	default:
		word = g.names.text[i.id]
	}
	switch word {
	case "dict", "map":
		word, mapping = "dict", true
	case "list", "set", "tuple", "iterator", "generator":
	default:
		return 0, false
	}
	method := g.names.text[c.name]
	if mapping {
		out, ok = e.dictMethod(c, v, method)
	} else {
		out, ok = e.sequenceMethod(c, v, method)
	}
	if ok {
		c.external = g.names.intern(word + "." + method)
	}
	return out, ok
}

// textMethod is a method of a text or number: its result is known.
func (e *eval) textMethod(c *calling, typ string) (set, bool) {
	g := e.g
	switch typ {
	case "str", "bytes", "int", "float", "bool":
	default:
		return 0, false
	}
	method := g.names.text[c.name]
	c.external = g.names.intern(typ + "." + method)
	if result, ok := textResults[method]; ok {
		typ = result
	}
	out := e.external(g.names.intern(typ))
	switch method {
	case "split", "rsplit", "splitlines":
		return e.generic("list", out), true
	case "partition", "rpartition":
		return e.generic("tuple", out, out, out), true
	}
	return out, true
}

// textResults are the results of methods that give another type than their own.
var textResults = map[string]string{
	"encode": "bytes", "decode": "str", "hex": "str", "to_bytes": "bytes", "isoformat": "str",
	"find": "int", "rfind": "int", "index": "int", "rindex": "int", "count": "int", "bit_length": "int",
	"startswith": "bool", "endswith": "bool", "isdigit": "bool", "isalpha": "bool", "isalnum": "bool",
	"isspace": "bool", "isupper": "bool", "islower": "bool", "istitle": "bool", "isidentifier": "bool",
	"isdecimal": "bool", "isnumeric": "bool", "isascii": "bool", "isprintable": "bool", "is_integer": "bool",
}

func (e *eval) dictMethod(c *calling, v value, method string) (set, bool) {
	g := e.g
	self := g.values.single(v)
	held := func() set { return e.item(self, someItem) }
	switch method {
	case "items":
		return e.generic("iterator", e.generic("tuple", e.keysOf(v), held())), true
	case "values":
		return e.generic("iterator", held()), true
	case "keys":
		return e.generic("iterator", e.keysOf(v)), true
	case "get", "pop", "setdefault":
		if method == "setdefault" {
			e.putUnder(v, e.constant(c, 0), c.arg(1))
		}
		return g.union(e.item(self, e.constant(c, 0)), c.arg(1)), true
	case "popitem":
		return e.generic("tuple", e.keysOf(v), held()), true
	case "copy":
		return self, true
	case "update":
		if i := g.values.info[v]; i.kind == vObject {
			for _, a := range c.args {
				if a.name != 0 {
					e.putItem(ID(i.id), e.f.ir.String(a.name), a.value)
					continue
				}
				for _, w := range g.elems(a.value) {
					e.copyItems(ID(i.id), w)
				}
			}
		}
		return 0, true
	case "clear":
		return 0, true
	}
	return 0, false
}

func (e *eval) sequenceMethod(c *calling, v value, method string) (set, bool) {
	g := e.g
	self := g.values.single(v)
	switch method {
	case "append", "add", "appendleft":
		e.putUnder(v, someItem, c.arg(0))
	case "insert":
		e.putUnder(v, someItem, c.arg(1))
	case "extend", "update", "extendleft":
		e.putUnder(v, someItem, e.elements(c.arg(0), nil))
	case "pop", "popleft":
		return e.item(self, someItem), true
	case "__next__", "send":
		return e.elements(self, nil), true
	case "copy", "union", "intersection", "difference", "symmetric_difference", "__iter__":
		return self, true
	case "sort":
		for _, a := range c.args {
			if a.name != 0 && e.f.ir.String(a.name) == "key" {
				e.callback(a.value, e.elements(self, nil))
			}
		}
	case "remove", "discard", "clear", "reverse", "close":
	default:
		return 0, false
	}
	return 0, true
}

// callback calls functions with one argument, at the place of the current call.
func (e *eval) callback(fns, with set) {
	for _, v := range e.g.elems(fns) {
		if i := e.g.values.info[v]; i.kind == vFunc || i.kind == vBound {
			e.implicit(ID(i.id))
			e.pass(ID(i.id), 0, with)
		}
	}
}

// putUnder puts a value into a literal; a declared collection holds what it says.
func (e *eval) putUnder(v value, key string, s set) {
	if i := e.g.values.info[v]; i.kind == vObject {
		e.putItem(ID(i.id), key, s)
	}
}

// keysOf are the keys of a dictionary as far as they are objects.
func (e *eval) keysOf(v value) set {
	if i := e.g.values.info[v]; i.kind == vGeneric {
		if args := e.g.args(i.args); len(args) > 1 {
			return args[0]
		}
	}
	return e.external(e.g.names.intern("str"))
}

// constant is the key that an argument is, or any.
func (e *eval) constant(c *calling, i int) string {
	if i < len(c.args) && c.args[i].x != 0 {
		if n := &e.f.ir.Exprs[c.args[i].x]; n.Op == ir.Lit && n.Ref != 0 {
			return e.f.ir.String(ir.Str(n.Ref))
		}
	}
	return someItem
}
