package resolve

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// cpp is the Language of C++.
type cpp struct{ c }

// Unresolved notes what is handed to a namespace outside of the index and of the library, whose
// templates may call what they find. A macro may open the namespace around what is called: the call is
// open where a function of the name is at the top, and where it may be one of a class that is not found.
func (l *cpp) Unresolved(e *eval.Evaluator, c *eval.Call) {
	path := e.Family.Names.Text[c.External]
	if !strings.Contains(path, ".") {
		c.Open = c.Open || strange(e)
		return
	}
	if strings.HasPrefix(path, "std.") {
		return
	}
	library.HandOut(e, c)
	last := e.Family.Names.Intern(program.LastName(path))
	if _, found, _ := l.atTop(e, e.File, last); found || strange(e) {
		c.Open = true
	}
}

// strange reports whether a method is evaluated that is written outside of its class, which is not found.
func strange(e *eval.Evaluator) bool {
	for fn := e.Func; fn != 0; fn = e.File.IR.Funcs[fn].Outer {
		if e.File.IR.Funcs[fn].Recv != 0 {
			return e.RecvClass(fn) == nil
		}
	}
	return false
}

// Deref is what a pointer or iterator points to: for "->" and "*" of C++, where a
// class may say it itself.
func (*cpp) Deref(e *eval.Evaluator, s pointsto.Set) pointsto.Set { return deref(e, s) }

// Read is the class itself, or a base, that a name before "::" means in a class: there its
// constructor has the same name, which is none of a value.
func (*cpp) Read(e *eval.Evaluator, x *ir.Node) (s pointsto.Set, rule edge.Rule, ok bool) {
	g := e.Family
	if x.Flags&ir.Path != 0 {
		return 0, 0, false
	}
	n := e.File.Names[x.Name]
	k := e.RecvClass(e.Func)
	if k == nil {
		e.Enclosing(func(c ir.Class) bool {
			k = g.Classes[g.Canonical(e.File, c)]
			return false
		})
	}
	if k == nil {
		return 0, 0, false
	}
	for _, s := range g.MRO(k) {
		if g.Entities[s.Class.ID].Name == n {
			return e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(s.Class.ID)}), edge.BySelf, true
		}
	}
	return 0, 0, false
}

// FreeCall finds a function in the namespaces of the arguments' types.
func (*cpp) FreeCall(e *eval.Evaluator, c *eval.Call) (pointsto.Set, bool) {
	g := e.Family
	for _, a := range c.Args {
		for _, v := range g.Elems(a.Value) {
			k := g.ClassOf(v)
			if k == nil {
				continue
			}
			f := k.File.IR
			outer := f.Classes[g.Entities[k.ID].Ref].Outer
			if outer == 0 || f.Classes[outer].Kind != ir.Namespace {
				continue
			}
			if s, ok := e.Within(g.SpaceOf(k.File, outer), c.Name, 0); ok && s != 0 {
				return e.CallValues(c, s, edge.ByType), true
			}
		}
	}
	return 0, false
}

func deref(e *eval.Evaluator, s pointsto.Set) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	queue := slices.Clone(g.Elems(s))
	for n := 0; n < len(queue); n++ { // operator-> is followed as long as it gives objects with one, of each once
		v := queue[n]
		i := g.Values.Info[v]
		switch i.Kind {
		case pointsto.Generic:
			if to := g.Values.Arg(v, 0); to != 0 && pointsTo(g.Names.Text[i.ID]) {
				out = g.Union(out, to)
				continue
			}
		case pointsto.Inst, pointsto.Decl:
			if to := e.Operator(v, "operator->", "operator*"); to != 0 && to != g.Values.Single(v) {
				for _, next := range g.Elems(to) {
					switch {
					case next == v:
						out = g.Union(out, g.Values.Single(v))
					case !slices.Contains(queue, next):
						queue = append(queue, next)
					}
				}
				continue
			}
		}
		out = g.Union(out, g.Values.Single(v))
	}
	if out == 0 { // they give one another
		return s
	}
	return out
}

// pointsTo reports whether a type of a library is a pointer of a kind.
func pointsTo(word string) bool {
	return word == "iterator" || strings.HasSuffix(word, "_ptr") || strings.HasSuffix(word, "Ptr") || strings.HasSuffix(word, "optional") ||
		strings.HasSuffix(word, "reference_wrapper")
}

func isMap(word string) bool {
	return strings.HasSuffix(word, "map") || strings.HasSuffix(word, "Map")
}

// elementOf is what a loop over a container of the library yields: pairs, over a map.
func elementOf(e *eval.Evaluator, v pointsto.Value) pointsto.Set {
	g := e.Family
	if args := g.Args(g.Values.Info[v].Args); isMap(g.NameOf(g.Values.Info[v])) && len(args) > 1 {
		return e.Generic("tuple", args[0], args[1])
	}
	return g.Values.Arg(v, 0)
}

// Outside is what a method of a type of the C++ library returns. ok is false
// where it is none.
func (*cpp) Outside(e *eval.Evaluator, c *eval.Call, recv pointsto.Value) (s pointsto.Set, ok bool) {
	g := e.Family
	if recv == 0 || g.Values.Info[recv].Kind != pointsto.Generic {
		return 0, false
	}
	word := g.Names.Text[g.Values.Info[recv].ID]
	last := g.Values.Arg(recv, 0)
	if isMap(word) {
		last = g.Values.Arg(recv, 1)
	}
	switch g.Names.Text[c.Name] {
	case "front", "back", "top", "at", "get", "value", "release", "value_or", "data", "emplace_back", "emplace_front":
		return last, true
	case "lock":
		return g.Values.Single(g.Values.Intern(pointsto.Info{Kind: pointsto.Generic, ID: uint32(g.Names.Intern("std.shared_ptr")), Args: g.Values.Info[recv].Args})), true
	case "begin", "end", "cbegin", "cend", "rbegin", "rend", "find", "lower_bound", "upper_bound", "erase":
		return e.Generic("iterator", elementOf(e, recv)), true
	case "insert", "emplace", "try_emplace", "insert_or_assign":
		it := e.Generic("iterator", elementOf(e, recv))
		return g.Union(it, e.Generic("tuple", it, 0)), true
	case "size", "empty", "clear", "push_back", "push_front", "reset", "count", "resize", "reserve", "swap", "pop_back", "push", "pop", "contains":
		return e.External(c.External), true
	}
	return 0, false
}

// Member is a half of a pair.
func (*cpp) Member(e *eval.Evaluator, v pointsto.Value, n intern.Name, _ ir.Pos) (s pointsto.Set, found, ok bool) {
	g := e.Family
	if g.Values.Info[v].Kind != pointsto.Generic {
		return 0, false, false
	}
	switch word := g.Names.Text[g.Values.Info[v].ID]; {
	case word != "tuple" && word != "std.pair":
	case g.Names.Text[n] == "first":
		return g.Values.Arg(v, 0), true, true
	case g.Names.Text[n] == "second":
		return g.Values.Arg(v, 1), true, true
	}
	return 0, false, false
}

// Copies reports whether an object is made from another of its class, by a
// constructor that nobody wrote.
func (*cpp) Copies(e *eval.Evaluator, list []program.Entry, args []eval.Argument, made pointsto.Value) bool {
	g := e.Family
	k := g.ClassOf(made)
	if k == nil || len(args) != 1 || args[0].Value == 0 {
		return false
	}
	for _, v := range g.Elems(args[0].Value) {
		if up := g.ClassOf(v); up == nil || g.Values.Info[v].Kind == pointsto.Class || !g.IsAbove(k, up) {
			return false
		}
	}
	for _, m := range list {
		fn, f := g.Func(m.ID), g.Entities[m.ID].File
		if fn == nil || f == nil || len(fn.Params) == 0 {
			continue
		}
		for _, d := range g.Elems(f.VarTypes[fn.Params[0].Var]) {
			if g.ClassOf(d) == k || g.Values.Info[d].Kind == pointsto.Param {
				return false
			}
		}
	}
	return true
}

// Initialized is the class whose constructor "m(x)" in the list of a constructor
// runs: m itself, or that of the member m where it holds an object.
func (*cpp) Initialized(e *eval.Evaluator, n intern.Name, s pointsto.Set) pointsto.Set {
	g := e.Family
	k := e.RecvClass(e.Func)
	if k == nil {
		return s
	}
	list, at := g.Member(k, n)
	if at < 0 || list[0].Kind != ir.VarMember {
		return s
	}
	f := g.Entities[list[0].ID].File
	if f != nil {
		g.Load(f)
	}
	if f == nil {
		return 0
	}
	if _, pointer := f.Pointers[ir.Var(list[0].Ref)]; pointer {
		return 0
	}
	return e.ClassesOf(f.VarTypes[list[0].Ref])
}

// Elements is what a loop over a container gives: pairs, over a map.
func (*cpp) Elements(e *eval.Evaluator, v pointsto.Value, n *ir.Node) (pointsto.Set, bool) {
	g := e.Family
	switch i := g.Values.Info[v]; i.Kind {
	case pointsto.Generic:
		if i.Args == 0 || e.WantsKey(n) || !isMap(g.Names.Text[i.ID]) {
			return 0, false
		}
		return elementOf(e, v), true
	case pointsto.Inst, pointsto.Decl:
		if c := g.ClassOf(v); c == nil || c.Target != 0 {
			return 0, false
		}
		if it := e.Operator(v, "begin"); it != 0 {
			return deref(e, it), true
		}
		return g.Values.Single(v), true // an array
	}
	return 0, false
}
