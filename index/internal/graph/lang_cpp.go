package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// cpp is the Language of C++.
type cpp struct{ c }

// Deref is what a pointer or iterator points to: for "->" and "*" of C++, where a
// class may say it itself.
func (*cpp) Deref(e *eval, s set) set { return e.deref(s) }

func (e *eval) deref(s set) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		switch i.kind {
		case vGeneric:
			if to := g.values.arg(v, 0); to != 0 && pointsTo(g.names.text[i.id]) {
				out = g.union(out, to)
				continue
			}
		case vInst, vDecl:
			if to := e.operator(v, "operator->", "operator*"); to != 0 {
				out = g.union(out, e.deref1(to, v))
				continue
			}
		}
		out = g.union(out, g.values.single(v))
	}
	return out
}

// deref1 follows operator-> once more, as long as it gives objects with one.
func (e *eval) deref1(s set, from value) set {
	if s == e.g.values.single(from) || e.g.depth > maxNesting {
		return s
	}
	e.g.depth++
	defer func() { e.g.depth-- }()
	return e.deref(s)
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
func (e *eval) elementOf(v value) set {
	g := e.g
	if args := g.args(g.values.info[v].args); isMap(g.names.text[g.values.info[v].id]) && len(args) > 1 {
		return e.generic("tuple", args[0], args[1])
	}
	return g.values.arg(v, 0)
}

// Outside is what a method of a type of the C++ library returns. ok is false
// where it is none.
func (*cpp) Outside(e *eval, c *calling, recv value) (s set, ok bool) {
	g := e.g
	if recv == 0 || g.values.info[recv].kind != vGeneric {
		return 0, false
	}
	word := g.names.text[g.values.info[recv].id]
	last := g.values.arg(recv, 0)
	if isMap(word) {
		last = g.values.arg(recv, 1)
	}
	switch g.names.text[c.name] {
	case "front", "back", "top", "at", "get", "value", "release", "value_or", "data", "emplace_back", "emplace_front":
		return last, true
	case "lock":
		return g.values.single(g.values.intern(valueInfo{kind: vGeneric, id: uint32(g.names.intern("std.shared_ptr")), args: g.values.info[recv].args})), true
	case "begin", "end", "cbegin", "cend", "rbegin", "rend", "find", "lower_bound", "upper_bound", "erase":
		return e.generic("iterator", e.elementOf(recv)), true
	case "insert", "emplace", "try_emplace", "insert_or_assign":
		it := e.generic("iterator", e.elementOf(recv))
		return g.union(it, e.generic("tuple", it, 0)), true
	case "size", "empty", "clear", "push_back", "push_front", "reset", "count", "resize", "reserve", "swap", "pop_back", "push", "pop", "contains":
		return e.external(c.external), true
	}
	return 0, false
}

// Member is a half of a pair.
func (*cpp) Member(e *eval, v value, n name, _ ir.Pos) (s set, found, ok bool) {
	g := e.g
	if g.values.info[v].kind != vGeneric {
		return 0, false, false
	}
	switch word := g.names.text[g.values.info[v].id]; {
	case word != "tuple" && word != "std.pair":
	case g.names.text[n] == "first":
		return g.values.arg(v, 0), true, true
	case g.names.text[n] == "second":
		return g.values.arg(v, 1), true, true
	}
	return 0, false, false
}

// Copies reports whether an object is made from another of its class, by a
// constructor that nobody wrote.
func (*cpp) Copies(e *eval, list []entry, args []argument, made value) bool {
	g := e.g
	k := g.classOf(made)
	if k == nil || len(args) != 1 || args[0].value == 0 {
		return false
	}
	for _, v := range g.elems(args[0].value) {
		if up := g.classOf(v); up == nil || g.values.info[v].kind == vClass || !g.isAbove(k, up) {
			return false
		}
	}
	for _, m := range list {
		fn, f := g.fn(m.id), g.entities[m.id].file
		if fn == nil || f == nil || len(fn.Params) == 0 {
			continue
		}
		for _, d := range g.elems(f.varTypes[fn.Params[0].Var]) {
			if g.classOf(d) == k || g.values.info[d].kind == vParam {
				return false
			}
		}
	}
	return true
}

// Initialized is the class whose constructor "m(x)" in the list of a constructor
// runs: m itself, or that of the member m where it holds an object.
func (*cpp) Initialized(e *eval, n name, s set) set {
	g := e.g
	k := e.recvClass(e.fn)
	if k == nil {
		return s
	}
	list, at := g.member(k, n)
	if at < 0 || list[0].kind != ir.VarMember {
		return s
	}
	f := g.entities[list[0].id].file
	if f != nil {
		g.load(f)
	}
	if f == nil || f.pointers[ir.Var(list[0].ref)] {
		return 0
	}
	return e.classesOf(f.varTypes[list[0].ref])
}

// Elements is what a loop over a container gives: pairs, over a map.
func (*cpp) Elements(e *eval, v value, n *ir.Node) (set, bool) {
	g := e.g
	switch i := g.values.info[v]; i.kind {
	case vGeneric:
		if i.args == 0 || e.wantsKey(n) || !isMap(g.names.text[i.id]) {
			return 0, false
		}
		return e.elementOf(v), true
	case vInst, vDecl:
		if c := g.classOf(v); c == nil || c.target != 0 {
			return 0, false
		}
		if it := e.operator(v, "begin"); it != 0 {
			return e.deref(it), true
		}
		return g.values.single(v), true // an array
	}
	return 0, false
}
