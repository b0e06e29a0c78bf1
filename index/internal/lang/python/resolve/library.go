package resolve

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// pythonMethod is a method of a built-in collection that puts something into it or
// takes something out. ok is false for other methods, and other receivers.
func pythonMethod(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (out pointsto.Set, ok bool) {
	g := e.Family
	i := g.Values.Info[v]
	word, mapping := "", false
	switch i.Kind {
	case pointsto.Object:
		word = g.Names.Text[g.Entities[i.ID].Name]
	case pointsto.External:
		return textMethod(e, c, g.Names.Text[i.ID])
	default:
		word = g.Names.Text[i.ID]
	}
	switch word {
	case "dict", "map":
		word, mapping = "dict", true
	case "list", "set", "tuple", "iterator", "generator":
	default:
		return 0, false
	}
	method := g.Names.Text[c.Name]
	if mapping {
		out, ok = dictMethod(e, c, v, method)
	} else {
		out, ok = sequenceMethod(e, c, v, method)
	}
	if ok {
		c.External = g.Names.Intern(word + "." + method)
	}
	return out, ok
}

// CallExternal is a function of the standard library that gives one of its arguments back.
func (*language) CallExternal(e *eval.Evaluator, c *eval.Call, path string) (pointsto.Set, bool) {
	switch path {
	case "functools.update_wrapper":
		return c.Arg(0), true
	case "isinstance", "issubclass", "callable", "hasattr":
		return e.External(e.Family.Names.Intern("bool")), true
	case "typing.cast", "typing_extensions.cast":
		out := c.Arg(1)
		if len(c.Args) > 1 {
			if t := e.Typ(c.Args[0].X); !e.Family.HasParam(t, pointsto.MaxDepth+1) {
				out = e.Family.Union(out, t)
			}
		}
		return out, true
	}
	return 0, false
}

// textMethod is a method of a text or number: its result is known.
func textMethod(e *eval.Evaluator, c *eval.Call, typ string) (pointsto.Set, bool) {
	g := e.Family
	switch typ {
	case "str", "bytes", "int", "float", "bool":
	default:
		return 0, false
	}
	method := g.Names.Text[c.Name]
	c.External = g.Names.Intern(typ + "." + method)
	if result, ok := textResults[method]; ok {
		typ = result
	}
	out := e.External(g.Names.Intern(typ))
	switch method {
	case "split", "rsplit", "splitlines":
		return e.Generic("list", out), true
	case "partition", "rpartition":
		return e.Generic("tuple", out, out, out), true
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

func dictMethod(e *eval.Evaluator, c *eval.Call, v pointsto.Value, method string) (pointsto.Set, bool) {
	g := e.Family
	self := g.Values.Single(v)
	held := func() pointsto.Set { return e.Item(self, pointsto.SomeItem) }
	switch method {
	case "items":
		return e.Generic("iterator", e.Generic("tuple", keysOf(e, v), held())), true
	case "values":
		return e.Generic("iterator", held()), true
	case "keys":
		return e.Generic("iterator", keysOf(e, v)), true
	case "get", "pop", "setdefault":
		if method == "setdefault" {
			putUnder(e, v, constant(e, c, 0), c.Arg(1))
		}
		return g.Union(e.Item(self, constant(e, c, 0)), c.Arg(1)), true
	case "popitem":
		return e.Generic("tuple", keysOf(e, v), held()), true
	case "copy":
		return self, true
	case "update":
		if i := g.Values.Info[v]; i.Kind == pointsto.Object {
			for _, a := range c.Args {
				if a.Name != 0 {
					e.PutItem(edge.ID(i.ID), e.File.IR.String(a.Name), a.Value)
					continue
				}
				for _, w := range g.Elems(a.Value) {
					e.CopyItems(edge.ID(i.ID), w)
				}
			}
		}
		return 0, true
	case "clear":
		return 0, true
	}
	return 0, false
}

func sequenceMethod(e *eval.Evaluator, c *eval.Call, v pointsto.Value, method string) (pointsto.Set, bool) {
	g := e.Family
	self := g.Values.Single(v)
	switch method {
	case "append", "add", "appendleft":
		putUnder(e, v, pointsto.SomeItem, c.Arg(0))
	case "insert":
		putUnder(e, v, pointsto.SomeItem, c.Arg(1))
	case "extend", "update", "extendleft":
		putUnder(e, v, pointsto.SomeItem, e.Elements(c.Arg(0), nil))
	case "pop", "popleft":
		return e.Item(self, pointsto.SomeItem), true
	case "__next__", "send":
		return e.Elements(self, nil), true
	case "copy", "union", "intersection", "difference", "symmetric_difference", "__iter__":
		return self, true
	case "sort":
		for _, a := range c.Args {
			if a.Name != 0 && e.File.IR.String(a.Name) == "key" {
				callback(e, a.Value, e.Elements(self, nil))
			}
		}
	case "remove", "discard", "clear", "reverse", "close":
	default:
		return 0, false
	}
	return 0, true
}

// callback calls functions with one argument, at the place of the current call.
func callback(e *eval.Evaluator, fns, with pointsto.Set) {
	for _, v := range e.Family.Elems(fns) {
		if i := e.Family.Values.Info[v]; i.Kind == pointsto.Func || i.Kind == pointsto.Bound {
			e.Implicit(edge.ID(i.ID))
			e.Pass(edge.ID(i.ID), 0, with)
		}
	}
}

// putUnder puts a value into a literal; a declared collection holds what it says.
func putUnder(e *eval.Evaluator, v pointsto.Value, key string, s pointsto.Set) {
	if i := e.Family.Values.Info[v]; i.Kind == pointsto.Object {
		e.PutItem(edge.ID(i.ID), key, s)
	}
}

// keysOf are the keys of a dictionary as far as they are objects.
func keysOf(e *eval.Evaluator, v pointsto.Value) pointsto.Set {
	if i := e.Family.Values.Info[v]; i.Kind == pointsto.Generic {
		if args := e.Family.Args(i.Args); len(args) > 1 {
			return args[0]
		}
	}
	return e.External(e.Family.Names.Intern("str"))
}

// constant is the key that an argument is, or any.
func constant(e *eval.Evaluator, c *eval.Call, i int) string {
	if i < len(c.Args) && c.Args[i].X != 0 {
		if n := &e.File.IR.Exprs[c.Args[i].X]; n.Op == ir.Lit && n.Ref != 0 {
			return e.File.IR.String(ir.Str(n.Ref))
		}
	}
	return pointsto.SomeItem
}
