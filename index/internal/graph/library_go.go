package graph

import (
	"strings"
)

// ranged is what a variable of a range clause takes from a value: the first of two,
// or the only one, if key is set. ok is false where all languages do the same.
func (e *eval) ranged(v value, key bool) (s set, ok bool) {
	g := e.g
	i := g.values.info[v]
	switch i.kind {
	case vGeneric:
		args := g.args(i.args)
		switch g.names.text[i.id] {
		case "list":
			return 0, key
		case "chan":
			if len(args) > 0 && key {
				return e.stored(i.id, args[0]), true
			}
		case "func":
			return e.yielded(args, key), true
		}
	case vInst:
		// A number of a named type counts in that type.
		if c := g.classOf(v); key && c != nil && c.target != 0 && g.onlyExternal(c.target) && len(g.elems(c.target)) == 1 {
			if t := g.values.info[g.elems(c.target)[0]]; t.kind == vExternal {
				return g.values.single(v), true
			}
		}
	case vFunc, vBound:
		fn := g.fn(ID(i.id))
		if fn == nil || len(fn.Params) != 1 {
			return 0, true
		}
		f := g.entities[i.id].file
		for _, t := range g.elems(f.varTypes[fn.Params[0].Var]) {
			if j := g.values.info[t]; j.kind == vGeneric {
				s = g.union(s, e.yielded([]set{g.values.single(t)}, key))
			}
		}
		return s, true
	}
	return 0, false
}

// yielded is what an iterator function with these parameters passes to the loop.
func (e *eval) yielded(params []set, key bool) set {
	g := e.g
	if len(params) == 0 {
		return 0
	}
	out := set(0)
	for _, v := range g.elems(params[0]) {
		i := g.values.info[v]
		args := g.args(i.args)
		if i.kind != vGeneric || g.names.text[i.id] != "func" {
			continue
		}
		switch {
		case key && len(args) > 1:
			out = g.union(out, args[0])
		case !key && len(args) > 2:
			out = g.union(out, args[1])
		}
	}
	return out
}

// embeddedGeneric is the generic type outside of the index that a struct embeds,
// as the struct instantiates it, or 0.
func (e *eval) embeddedGeneric(recv value, c *class) value {
	g := e.g
	for _, s := range g.lineOf(c) {
		for _, b := range s.class.bases {
			for _, v := range g.elems(b.values) {
				if g.values.info[v].kind == vGeneric {
					v = g.substValue(v, func(p valueInfo) (set, bool) { return g.argOf(s.as, s.class, p) })
					return g.substValue(v, func(p valueInfo) (set, bool) { return g.argOf(recv, c, p) })
				}
			}
		}
	}
	return 0
}

// goLibrary is what the functions of the packages slices and maps return: they are
// made of what they get. 0 for all others.
func (e *eval) goLibrary(c *calling) set {
	g := e.g
	if len(c.args) == 0 {
		return 0
	}
	path := strings.TrimPrefix(g.names.text[c.external], "golang.org/x/exp/")
	pkg, fn, _ := strings.Cut(path, ".")
	first := c.args[0].value
	out := set(0)
	switch pkg {
	case "maps":
		keys, elems := set(0), set(0)
		for _, v := range g.elems(first) {
			for _, w := range append(g.elems(g.targetOf(v)), v) {
				if args := g.args(g.values.info[w].args); len(args) == 2 {
					keys, elems = g.union(keys, args[0]), g.union(elems, e.stored(g.values.info[w].id, args[1]))
				}
			}
		}
		switch fn {
		case "Keys":
			out = e.generic("iter.Seq", keys)
		case "Values":
			out = e.generic("iter.Seq", elems)
		case "All":
			out = e.generic("iter.Seq2", keys, elems)
		case "Clone":
			out = first
		}
	case "slices":
		elems := e.elements(first, nil)
		switch fn {
		case "Max", "Min", "MaxFunc", "MinFunc":
			out = elems
		case "Values":
			out = e.generic("iter.Seq", elems)
		case "All", "Backward":
			out = e.generic("iter.Seq2", 0, elems)
		case "Collect", "Sorted", "SortedFunc", "SortedStableFunc":
			out = e.generic("list", elems)
		case "Clip", "Clone", "Compact", "CompactFunc", "Concat", "Delete", "DeleteFunc", "Grow", "Insert", "Repeat", "Replace":
			out = first
			for _, a := range c.args[1:] {
				if fn == "Insert" || fn == "Replace" {
					out = g.union(out, e.generic("list", a.value))
				} else if fn == "Concat" {
					out = g.union(out, a.value)
				}
			}
		}
	}
	return out
}

// targetOf is what the named type of a value is made of.
func (g *family) targetOf(v value) set {
	if c := g.classOf(v); c != nil {
		return c.target
	}
	return 0
}
