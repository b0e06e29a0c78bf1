package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A via is the embedded field through which an interface's methods are promoted:
// they are called on what it holds.
type via struct {
	field entry
	owner step // the struct that has the field
}

// lineByDepth is the order of lookup by depth of embedding: the class, what it
// embeds, what that embeds, and so on.
func (g *family) lineByDepth(c *class) []step {
	line := []step{{class: c, as: g.self(c, vDecl)}}
	for n := 0; n < len(line); n++ {
		s := line[n]
		for _, b := range s.class.bases {
			for _, v := range g.values.elems(b.values) {
				base := g.classOf(v)
				if base == nil || hasStep(line, base) {
					continue
				}
				next := step{class: base, via: s.via}
				next.as = g.substValue(v, func(p valueInfo) (set, bool) { return g.argOf(s.as, s.class, p) })
				if base.abstract() && !s.class.abstract() {
					if list := g.declared(s.class, g.entities[base.id].name); len(list) == 1 && list[0].kind == ir.VarMember {
						next.via = &via{list[0], s}
					}
				}
				line = append(line, next)
			}
		}
	}
	return line
}

// held is what lies in the embedded field that a step goes through.
func (e *eval) held(v *via, recv value) set {
	return e.bound([]entry{v.field}, recv, &v.owner, 0)
}

// underlying is a member that a named type takes over from the type it is made
// of: fields, and what they promote, but no methods, unless that is an interface.
func (e *eval) underlying(c *class, n name, pos ir.Pos) (set, bool) {
	g := e.g
	if e.deeper() {
		return 0, false
	}
	defer e.shallower()
	for _, v := range g.values.elems(c.target) {
		k := g.classOf(v)
		if k == c {
			continue
		}
		if k == nil {
			if i := g.values.info[v]; i.kind == vExternal && !c.file.lang.predeclared[g.names.text[i.id]] {
				return e.attr(v, n, pos)
			}
			continue
		}
		if k.abstract() {
			return e.attr(v, n, pos)
		}
		for i, s := range g.lineOf(k) {
			list := g.declared(s.class, n)
			if len(list) == 0 || i == 0 && list[0].kind == ir.FuncMember {
				continue
			}
			if s.via != nil {
				return e.attrFound(e.held(s.via, v), n)
			}
			return e.bound(list, v, &s, pos), true
		}
		if s, ok := e.underlying(k, n, pos); ok {
			return s, true
		}
	}
	return 0, false
}

// narrow is what of some values a type lets through, and the type itself.
func (e *eval) narrow(s, t set) set {
	g := e.g
	out := t
	for _, v := range g.values.elems(s) {
		i := g.values.info[v]
		c := g.classOf(v)
		for _, w := range g.values.elems(t) {
			up, j := g.classOf(w), g.values.info[w]
			switch {
			case i.kind == vFunc || i.kind == vBound:
			case up != nil && c != nil:
				if v == w || i.kind != vInst || !g.abstractType(up) || !g.isAbove(up, c) {
					continue
				}
			case up != nil:
				// A type over a container holds what the container holds.
				if i.kind != vGeneric || !e.f.lang.converts || !g.targets(up, i.id) {
					continue
				}
			case j.kind == vExternal:
				if i.kind != vInst || !e.f.lang.structural || name(j.id).basic() {
					continue
				}
			case j.kind != vGeneric || i.kind != vGeneric || i.id != j.id || !e.f.lang.converts:
				continue
			}
			out = g.union(out, g.values.single(v))
		}
	}
	return out
}

// targets reports whether a named type is made of a built-in form.
func (g *family) targets(c *class, form uint32) bool {
	for _, v := range g.values.elems(c.target) {
		if i := g.values.info[v]; i.kind == vGeneric && i.id == form {
			return true
		}
	}
	return false
}

// bare are the functions and containers among values: what a named type made of
// one stands for.
func (g *family) bare(s set) set {
	out := set(0)
	for _, v := range g.values.elems(s) {
		switch g.values.info[v].kind {
		case vFunc, vBound, vGeneric:
			out = g.union(out, g.values.single(v))
		}
	}
	return out
}
