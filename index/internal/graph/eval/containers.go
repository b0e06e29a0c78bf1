package eval

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// literal is a list, dictionary or object. Where the language has types, it is a
// type with its elements; where it has none, a thing of its own, so that what was
// put under one key is not found under another.
func (e *Evaluator) literal(x ir.Expr, n *ir.Node) pointsto.Set {
	g, f := e.Family, e.File.IR
	if !e.File.Lang.Dynamic || e.UnitNumber == 0 {
		if s, ok := e.Lang.Literal(e, n); ok {
			return s
		}
		var all pointsto.Set
		for _, a := range f.Args[n.Lo:n.Hi] {
			s := e.Eval(a.X)
			if a.Kind == ir.Spread {
				s = e.Elements(s, n)
			}
			all = g.Union(all, s)
		}
		word := f.String(n.Name)
		if word == "" {
			word = "list"
		}
		return e.Generic(word, all)
	}
	if at := e.At; n.Pos != 0 { // of what is spread into it
		e.At = n.Pos
		defer func() { e.At = at }()
	}
	id := g.Entity(program.EntityKey{Outer: e.File.Funcs[e.File.RootOf(e.Func)], Kind: edge.ObjectNode, Name: e.File.Names[n.Name], Nth: uint32(x)})
	for i, a := range f.Args[n.Lo:n.Hi] {
		s := e.Eval(a.X)
		switch {
		case a.Kind == ir.KwSpread || a.Kind == ir.Spread && n.Op == ir.Object:
			for _, v := range g.Elems(s) {
				e.CopyItems(id, v)
			}
		case a.Kind == ir.Spread:
			e.PutItem(id, pointsto.SomeItem, e.Elements(s, n))
		case a.Name != 0:
			e.PutItem(id, f.String(a.Name), s)
		case n.Op == ir.Object:
			e.PutItem(id, pointsto.SomeItem, s)
		default:
			e.PutItem(id, pointsto.ItemName(i), s)
		}
	}
	return e.Single(pointsto.Info{Kind: pointsto.Object, ID: uint32(id)})
}

// CopyItems gives a literal what another value has, by keys that are not kept.
func (e *Evaluator) CopyItems(id edge.ID, v pointsto.Value) {
	if i := e.Family.Values.Info[v]; i.Kind == pointsto.Object {
		e.Write(pointsto.CellKey{Kind: pointsto.ItemCell, ID: id, Sub: uint32(e.Family.Names.Intern("copy"))}, e.Single(i))
		return
	}
	e.PutItem(id, pointsto.SomeItem, e.Elements(e.Family.Values.Single(v), nil))
}

// Item is what lies under a key, or under any.
func (e *Evaluator) Item(s pointsto.Set, key string) pointsto.Set {
	g := e.Family
	if e.TooDeep() {
		return 0
	}
	defer e.Up()
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		switch i.Kind {
		case pointsto.Object:
			out = g.Union(out, e.GetItem(edge.ID(i.ID), key))
			if key != pointsto.SomeItem {
				for _, from := range g.Elems(e.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: edge.ID(i.ID), Sub: uint32(g.Names.Intern("copy"))})) {
					if from != v {
						out = g.Union(out, e.GetItem(edge.ID(g.Values.Info[from].ID), key))
					}
				}
			}
		case pointsto.Generic:
			if s, ok := e.Lang.Item(e, v, key); ok {
				out = g.Union(out, s)
				continue
			}
			args := g.Args(i.Args)
			switch {
			case key == "Err": // of a Result that says what its errors are
				if len(args) > 1 {
					out = g.Union(out, args[1])
				}
			case g.Names.Text[i.ID] == "tuple" && len(args) > 1 && len(key) == 1 && int(key[0]-'0') < len(args):
				out = g.Union(out, args[key[0]-'0'])
			case len(args) > 0:
				out = g.Union(out, e.Stored(i.ID, args[len(args)-1]))
			}
		case pointsto.External:
			out = g.Union(out, g.Values.Single(v))
		case pointsto.Inst, pointsto.Decl:
			if c := g.ClassOf(v); c != nil && c.Target != 0 {
				e.Inside(v, func() { out = g.Union(out, e.Item(c.Target, key)) })
			} else if c != nil {
				at := e.indexed(v)
				if at == 0 {
					at = e.Item(e.libraryBases(v, c), key)
				}
				out = g.Union(out, at)
			}
		}
	}
	return out
}

// indexed is an element of an instance by its operator of indexing.
func (e *Evaluator) indexed(v pointsto.Value) pointsto.Set {
	out := e.Operator(v, e.File.Lang.GetItem...)
	if out == 0 && e.File.Lang.PointerIndex {
		return e.Family.Values.Single(v) // through a pointer, or in an array
	}
	return out
}

func (e *Evaluator) setItem(v pointsto.Value, key ir.Str, s pointsto.Set) {
	g := e.Family
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.Object:
		k := e.File.IR.String(key)
		if key == 0 {
			k = pointsto.SomeItem
		}
		e.PutItem(edge.ID(i.ID), k, s)
	case pointsto.Inst, pointsto.Decl:
		for _, n := range e.File.Lang.SetItem {
			c := g.ClassOf(v)
			if c == nil {
				continue
			}
			found, _ := g.Member(c, g.Names.Intern(n))
			for _, m := range found {
				if fn := g.Func(m.ID); m.Kind == ir.FuncMember && fn != nil && fn.Flags&ir.Getter == 0 {
					e.ImplicitOn(v, m)
					e.PassSelf(m.ID, v)
					e.Pass(m.ID, len(fn.Params)-1, s)
					break
				}
			}
		}
	case pointsto.External:
		e.setOutside(i, s)
	}
}

// Elements is what a loop over a value yields.
func (e *Evaluator) Elements(s pointsto.Set, n *ir.Node) pointsto.Set {
	g := e.Family
	if e.TooDeep() {
		return 0
	}
	defer e.Up()
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		if s, ok := e.Lang.Elements(e, v, n); ok {
			out = g.Union(out, s)
			continue
		}
		switch i.Kind {
		case pointsto.Generic:
			args := g.Args(i.Args)
			word := g.Names.Text[i.ID]
			switch {
			case len(args) == 0 || word == "func" || word == program.ExtensionForm:
			case e.WantsKey(n):
				out = g.Union(out, args[0])
			case word == "tuple":
				for _, a := range args {
					out = g.Union(out, a)
				}
			default:
				out = g.Union(out, e.Stored(i.ID, args[len(args)-1]))
			}
		case pointsto.Object:
			out = g.Union(out, e.GetItem(edge.ID(i.ID), pointsto.SomeItem))
		case pointsto.External:
			out = g.Union(out, g.Values.Single(v))
		case pointsto.Inst, pointsto.Decl:
			c := g.ClassOf(v)
			if c == nil {
				continue
			}
			if c.Target != 0 {
				e.Inside(v, func() { out = g.Union(out, e.Elements(c.Target, n)) })
				continue
			}
			it := e.Operator(v, e.File.Lang.Iterate...)
			if it == 0 {
				out = g.Union(out, e.Elements(e.libraryBases(v, c), n))
			}
			for _, w := range g.Elems(it) {
				if k := g.ClassOf(w); k != nil {
					out = g.Union(out, e.Operator(w, e.File.Lang.Advance...))
				} else {
					out = g.Union(out, e.Elements(g.Values.Single(w), n))
				}
			}
		}
	}
	return out
}

// libraryBases are the generic types of the library that a class inherits from, with what it
// gives them: class Rows : List<Row>.
func (e *Evaluator) libraryBases(v pointsto.Value, c *program.Class) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for at, w := range g.OutsideBases(g.MRO(c)) {
		if g.Values.Info[w].Kind == pointsto.Generic {
			out = g.Union(out, g.Instantiate(g.Values.Single(w), v, at))
		}
	}
	return out
}

// sequence reports whether all values are known as ones that a loop goes over. What is none may
// have its own methods for the clauses of a query, which give anything.
func (e *Evaluator) sequence(s pointsto.Set) bool {
	g := e.Family
	for _, v := range g.Elems(s) {
		switch i := g.Values.Info[v]; i.Kind {
		case pointsto.Object, pointsto.External:
		case pointsto.Generic:
			if g.IsFunctionType(i) {
				return false
			}
		case pointsto.Inst, pointsto.Decl:
			c := g.ClassOf(v)
			if c == nil {
				return false
			}
			loops := slices.ContainsFunc(e.File.Lang.Iterate, func(n string) bool {
				_, at := g.Member(c, g.Names.Intern(n))
				return at >= 0
			})
			if !loops && e.libraryBases(v, c) == 0 {
				return false
			}
		default:
			return false
		}
	}
	return s != 0
}

// itemsFrom is any item of a sequence from one on.
func (e *Evaluator) itemsFrom(s pointsto.Set, from int) pointsto.Set {
	out := pointsto.Set(0)
	for i := from; i < len(pointsto.ItemNames); i++ {
		out = e.Family.Union(out, e.Item(s, pointsto.ItemNames[i]))
	}
	return out
}
