package resolve

import (
	_ "embed" // library.txt

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// The library of JavaScript, as far as functions of the index go through it: what
// its containers hold reaches the callbacks given to them, and what the callbacks
// return reaches who asked for it. Containers are typed values (pointsto.Generic) where a
// type is declared, and things of their own (pointsto.Object) where one is made.

// container says what the library has for a value: "array", "Map", "Set", "Promise",
// "object", or "" for something else.
func container(e *eval.Evaluator, v pointsto.Value) string {
	g := e.Family
	i := g.Values.Info[v]
	word := ""
	switch i.Kind {
	case pointsto.Generic:
		word = g.Names.Text[i.ID]
	case pointsto.Object:
		word = g.Names.Text[g.Entities[i.ID].Name]
		if g.Entities[i.ID].Kind != edge.ObjectNode {
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
func scriptMember(e *eval.Evaluator, v pointsto.Value, n intern.Name) (s pointsto.Set, ok bool) {
	text := e.Family.Names.Text[n]
	switch container(e, v) {
	case "array":
		if len(text) == 1 && text[0] >= '0' && text[0] <= '9' {
			return e.Item(e.Family.Values.Single(v), text), true
		}
		return e.External(e.Family.Names.Intern("Array." + text)), true
	case "Map", "Set", "Promise":
		return e.External(e.Family.Names.Intern(container(e, v) + "." + text)), true
	case "map":
		return e.Family.Values.Arg(v, -1), true
	}
	return 0, false
}

// contents are what a container holds.
func contents(e *eval.Evaluator, v pointsto.Value) pointsto.Set {
	g := e.Family
	i := g.Values.Info[v]
	if i.Kind == pointsto.Object {
		return e.GetItem(edge.ID(i.ID), pointsto.SomeItem)
	}
	args := g.Args(i.Args)
	if len(args) == 0 {
		return 0
	}
	if container(e, v) == "Map" {
		return args[len(args)-1]
	}
	out := pointsto.Set(0)
	for _, a := range args {
		out = g.Union(out, a)
	}
	return out
}

// keep lets a value flow into a container that is a thing of its own.
func keep(e *eval.Evaluator, v pointsto.Value, s pointsto.Set) {
	if i := e.Family.Values.Info[v]; i.Kind == pointsto.Object {
		e.PutItem(edge.ID(i.ID), pointsto.SomeItem, s)
	}
}

// feed calls the functions among the values of an argument with some values, and
// returns what they return.
func feed(e *eval.Evaluator, c *eval.Call, n int, values ...pointsto.Set) pointsto.Set {
	if n >= len(c.Args) {
		return 0
	}
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(c.Args[n].Value) {
		i := g.Values.Info[v]
		if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
			continue
		}
		fn := g.Func(edge.ID(i.ID))
		if fn == nil {
			continue
		}
		for p, s := range values {
			if p < len(fn.Params) && fn.Params[p].Kind == ir.Variadic {
				s = e.Generic("list", s)
			}
			e.Pass(edge.ID(i.ID), p, s)
		}
		if i.Kind == pointsto.Bound {
			e.PassSelf(edge.ID(i.ID), i.Base)
		}
		out = g.Union(out, e.Returned(edge.ID(i.ID), i.Base, nil))
	}
	return out
}

// scriptCall calls a method of the library on a value. ok is false where the value
// is none of its containers, or a field holds what is called.
func scriptCall(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (out pointsto.Set, ok bool) {
	g := e.Family
	text := g.Names.Text[c.Name]
	word := container(e, v)
	outside := func(prefix string) { c.External = g.Names.Intern(prefix + "." + text) }
	switch word {
	case "array":
		outside("Array")
		return arrayCall(e, c, v, text), true
	case "Map", "Set":
		outside(word)
		switch {
		case word == "Map" && text == "set":
			keep(e, v, c.Arg(1))
		case word == "Set" && text == "add":
			keep(e, v, c.Arg(0))
		}
		return modelled(e, c, v, word, text), true
	case "Promise":
		return promiseCall(e, c, contents(e, v), text)
	case "object":
		switch text {
		case "hasOwnProperty", "toString", "valueOf", "toLocaleString", "isPrototypeOf", "propertyIsEnumerable":
			outside("Object")
			return 0, true
		}
	}
	if i := g.Values.Info[v]; i.Kind == pointsto.External {
		return staticCall(e, c, g.Names.Text[i.ID], text)
	}
	return 0, false
}

// arrayCall calls a method of an array.
func arrayCall(e *eval.Evaluator, c *eval.Call, v pointsto.Value, text string) pointsto.Set {
	g := e.Family
	held, self := contents(e, v), g.Values.Single(v)
	switch text {
	case "splice":
		for i := 2; i < len(c.Args); i++ {
			keep(e, v, c.Args[i].Value)
		}
	case "concat":
		for i := range c.Args {
			held = g.Union(held, flat(e, c.Args[i].Value))
		}
		return e.Generic("list", held)
	case "push", "unshift", "fill":
		for i := range c.Args {
			s := c.Args[i].Value
			if c.Args[i].Kind == ir.Spread {
				s = e.Elements(s, nil)
			}
			keep(e, v, s)
		}
	case "reduce", "reduceRight":
		acc := c.Arg(1)
		if len(c.Args) < 2 {
			acc = held
		}
		acc = g.Union(acc, feed(e, c, 0, acc, held, 0, self))
		feed(e, c, 0, acc)
		return acc
	}
	return modelled(e, c, v, "array", text)
}

//go:embed library.txt
var libraryText string

// models say what methods do, by their type, and the functions of global objects.
var models = library.MustParse(libraryText)

// modelled is what a method does by a model; nothing where the model has none.
func modelled(e *eval.Evaluator, c *eval.Call, v pointsto.Value, typ, method string) pointsto.Set {
	s, _ := models[typ].Apply(e, method, &meaning{e, c, v})
	return s
}

// A meaning is what the words of the models mean at a call.
type meaning struct {
	e *eval.Evaluator
	c *eval.Call
	v pointsto.Value // the receiver, or 0
}

// Call calls the functions in the first argument.
func (m *meaning) Call(_ string, params []pointsto.Set) pointsto.Set {
	return feed(m.e, m.c, 0, params...)
}

// Word is what a word means.
func (m *meaning) Word(word string, args []pointsto.Set) (pointsto.Set, bool) {
	e, g := m.e, m.e.Family
	switch word {
	case "held":
		return contents(e, m.v), true
	case "self":
		return g.Values.Single(m.v), true
	case "keys":
		if g.Values.Info[m.v].Kind == pointsto.Generic {
			return g.Values.Arg(m.v, 0), true
		}
		return 0, true
	case "arg0":
		return m.c.Arg(0), true
	case "args":
		all := pointsto.Set(0)
		for i := range m.c.Args {
			all = g.Union(all, m.c.Args[i].Value)
		}
		return all, true
	case "flat":
		return flat(e, args[0]), true
	case "elements":
		return e.Elements(args[0], nil), true
	case "values":
		return e.Item(args[0], "1"), true
	case "await":
		return e.Await(args[0]), true
	}
	return 0, false
}

// flat are the elements of the arrays among some values, and the others themselves.
func flat(e *eval.Evaluator, s pointsto.Set) pointsto.Set {
	out := pointsto.Set(0)
	for _, v := range e.Family.Elems(s) {
		if container(e, v) == "array" {
			out = e.Family.Union(out, contents(e, v))
		} else {
			out = e.Family.Union(out, e.Family.Values.Single(v))
		}
	}
	return out
}

// promiseCall calls a method of a promise of some values. A value that the index
// takes for what the promise holds is one, too: async functions return such.
func promiseCall(e *eval.Evaluator, c *eval.Call, held pointsto.Set, text string) (pointsto.Set, bool) {
	g := e.Family
	promise := func(s pointsto.Set) pointsto.Set { return e.Generic("Promise", e.Await(s)) }
	switch text {
	case "then":
		c.External = g.Names.Intern("Promise.then")
		return promise(g.Union(feed(e, c, 0, held), feed(e, c, 1))), true
	case "catch", "finally":
		c.External = g.Names.Intern("Promise." + text)
		return promise(g.Union(held, feed(e, c, 0))), true
	}
	return 0, false
}

// staticCall calls a function of a global object.
func staticCall(e *eval.Evaluator, c *eval.Call, object, text string) (pointsto.Set, bool) {
	path := object + "." + text
	before := c.External
	c.External = e.Family.Names.Intern(path)
	switch path {
	case "Promise.all", "Promise.allSettled":
		return e.Generic("Promise", all(e, c)), true
	case "Array.from":
		if held := e.Elements(c.Arg(0), nil); len(c.Args) > 1 {
			return e.Generic("list", feed(e, c, 1, held)), true
		}
	case "Reflect.construct":
		return e.CallValues(&eval.Call{Node: c.Node, ForNew: true, Quiet: true}, c.Arg(0), edge.ByFlow), true
	}
	if s, ok := models["global objects"].Apply(e, path, &meaning{e, c, 0}); ok {
		return s, true
	}
	c.External = before
	return 0, false
}

// all is what Promise.all waits for: a tuple where the promises are written one by
// one.
func all(e *eval.Evaluator, c *eval.Call) pointsto.Set {
	g := e.Family
	if len(c.Args) == 0 {
		return 0
	}
	n := &e.File.IR.Exprs[c.Args[0].X]
	if n.Op == ir.List && n.Hi-n.Lo < uint32(len(pointsto.ItemNames)) {
		var parts []pointsto.Set
		for i, a := range e.File.IR.Args[n.Lo:n.Hi] {
			if a.Kind != ir.Plain {
				parts = nil
				break
			}
			parts = append(parts, e.Await(e.Item(c.Args[0].Value, pointsto.ItemName(i))))
		}
		if len(parts) > 0 {
			return g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(g.Names.Intern("tuple"))}, parts))
		}
	}
	return e.Generic("list", e.Await(e.Elements(c.Arg(0), nil)))
}

// scriptNew makes a container of the library.
func scriptNew(e *eval.Evaluator, c *eval.Call, class string) (pointsto.Set, bool) {
	if !c.ForNew {
		return 0, false
	}
	g := e.Family
	word := class
	switch class {
	case "Map", "Set", "WeakMap", "WeakSet":
	case "Array":
		word = "array"
	case "Promise":
		// What the executor resolves with is not followed; what is declared is known.
		if len(c.Explicit) > 0 {
			return e.Generic("Promise", c.Explicit[0]), true
		}
		return 0, false
	default:
		return 0, false
	}
	id := g.Entity(program.EntityKey{Outer: e.File.Funcs[e.File.RootOf(e.Func)], Kind: edge.ObjectNode, Name: g.Names.Intern(word), Nth: uint32(c.Node.Pos)})
	switch {
	case word == "array":
		for i := range c.Args {
			e.PutItem(id, pointsto.SomeItem, c.Args[i].Value)
		}
	case len(c.Args) > 0 && (word == "Map" || word == "WeakMap"):
		e.PutItem(id, pointsto.SomeItem, e.Item(e.Elements(c.Arg(0), nil), "1"))
	case len(c.Args) > 0:
		e.PutItem(id, pointsto.SomeItem, e.Elements(c.Arg(0), nil))
	}
	made := e.Single(pointsto.Info{Kind: pointsto.Object, ID: uint32(id)})
	if len(c.Explicit) > 0 {
		made = g.Union(made, g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(g.Names.Intern(class))}, c.Explicit)))
	}
	return made, true
}
