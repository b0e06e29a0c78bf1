package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// narrow is what of some values a type lets through, and the type itself.
func (e *Evaluator) narrow(s, t pointsto.Set) pointsto.Set {
	g := e.Family
	out := t
	for _, v := range g.Values.Elems(s) {
		i := g.Values.Info[v]
		c := g.ClassOf(v)
		for _, w := range g.Values.Elems(t) {
			up, j := g.ClassOf(w), g.Values.Info[w]
			switch {
			case i.Kind == pointsto.Func || i.Kind == pointsto.Bound:
			case up != nil && c != nil:
				if v == w || i.Kind != pointsto.Inst || !g.AbstractType(up) || !g.IsAbove(up, c) {
					continue
				}
			case up != nil:
				// A type over a container holds what the container holds.
				if i.Kind != pointsto.Generic || !e.File.Lang.Converts || !targets(g, up, i.ID) {
					continue
				}
			case j.Kind == pointsto.External:
				if i.Kind != pointsto.Inst || !e.File.Lang.Structural || intern.Name(j.ID).Basic() {
					continue
				}
			case j.Kind != pointsto.Generic || i.Kind != pointsto.Generic || i.ID != j.ID || !e.File.Lang.Converts:
				continue
			}
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}

// targets reports whether a named type is made of a built-in form.
func targets(g *program.Family, c *program.Class, form uint32) bool {
	for _, v := range g.Values.Elems(c.Target) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Generic && i.ID == form {
			return true
		}
	}
	return false
}

// bare are the functions and containers among values: what a named type made of
// one stands for.
func bare(g *program.Family, s pointsto.Set) pointsto.Set {
	out := pointsto.Set(0)
	for _, v := range g.Values.Elems(s) {
		switch g.Values.Info[v].Kind {
		case pointsto.Func, pointsto.Bound, pointsto.Generic:
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}
