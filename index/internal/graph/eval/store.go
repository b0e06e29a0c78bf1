package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Containers are values: what is put into one is seen where the value goes, in
// literals and by append, which make another value. A store into an element, a
// map or a channel is seen by all who share it, and who does is not known. So it is
// kept by the type of the container, as variable type analysis does: what is
// stored into any map of Steps may come out of any map of Steps. Functions have no
// such type; they are kept where the container is, as a value of the variable.

// store puts values into an element of the container that x is.
func (e *Evaluator) store(x ir.Expr, containers, s pointsto.Set) {
	g := e.Family
	for _, v := range g.Values.Elems(containers) {
		i := g.Values.Info[v]
		switch i.Kind {
		case pointsto.Generic:
			e.storeAs(i, s)
		case pointsto.Inst:
			if c := g.ClassOf(v); c != nil {
				for _, w := range g.Values.Elems(c.Target) {
					if j := g.Values.Info[w]; j.Kind == pointsto.Generic {
						e.storeAs(j, s)
					}
				}
			}
		}
	}
	held := pointsto.Set(0)
	for _, v := range g.Values.Elems(s) {
		if k := g.Values.Info[v].Kind; k == pointsto.Func || k == pointsto.Bound {
			held = g.Union(held, g.Values.Single(v))
		}
	}
	if held == 0 {
		return
	}
	for _, form := range e.formsOf(containers) {
		into := pointsto.Set(0)
		// One value for each function: a set that grows must not leave its smaller
		// versions behind.
		for _, v := range g.Values.Elems(held) {
			args := []pointsto.Set{g.Values.Single(v)}
			if g.Names.Text[form] == "map" {
				args = []pointsto.Set{0, args[0]}
			}
			into = g.Union(into, g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(form)}, args)))
		}
		e.grow(x, into)
	}
}

// formsOf are the built-in forms of containers.
func (e *Evaluator) formsOf(containers pointsto.Set) []intern.Name {
	g := e.Family
	var out []intern.Name
	add := func(i pointsto.Info) {
		if i.Kind != pointsto.Generic || !program.BuiltinForms[g.Names.Text[i.ID]] {
			return
		}
		for _, n := range out {
			if n == intern.Name(i.ID) {
				return
			}
		}
		out = append(out, intern.Name(i.ID))
	}
	for _, v := range g.Values.Elems(containers) {
		add(g.Values.Info[v])
		if c := g.ClassOf(v); c != nil {
			for _, w := range g.Values.Elems(c.Target) {
				add(g.Values.Info[w])
			}
		}
	}
	return out
}

// grow adds to a variable that holds a container; other expressions hold none.
func (e *Evaluator) grow(x ir.Expr, s pointsto.Set) {
	switch e.File.IR.Exprs[x].Op {
	case ir.Local, ir.Name, ir.Attr:
		e.Bind(x, s)
	}
}

// storeAs keeps values by the type of a container.
func (e *Evaluator) storeAs(i pointsto.Info, s pointsto.Set) {
	g := e.Family
	args := g.Values.Args(i.Args)
	if len(args) == 0 {
		return
	}
	for _, v := range g.Values.Elems(args[len(args)-1]) {
		if c := g.ClassOf(v); c != nil && g.AbstractType(c) {
			e.Write(pointsto.CellKey{Kind: pointsto.StoreCell, ID: c.ID, Sub: i.ID}, s)
		}
	}
}

// Stored are the elements of a container of a form, those stored elsewhere
// included.
func (e *Evaluator) Stored(form uint32, elems pointsto.Set) pointsto.Set {
	g := e.Family
	if !e.File.Lang.SharedStores {
		return elems
	}
	out := elems
	for _, v := range g.Values.Elems(elems) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Decl {
			if c := g.ClassOf(v); c != nil && g.AbstractType(c) {
				out = g.Union(out, e.Cell(pointsto.CellKey{Kind: pointsto.StoreCell, ID: c.ID, Sub: form}))
			}
		}
	}
	return out
}

// A function that becomes a value of an external type, as of http.HandlerFunc, is
// called by that type's methods with what they get. What they do is not known;
// that they hand their arguments on, one by one, is the most that they can do, and
// variable type analysis sees the same in the type's source.

// become lets functions be called with what methods of the types are called with.
func (e *Evaluator) become(types, s pointsto.Set) {
	g := e.Family
	if !e.File.Lang.FuncTypes || e.UnitNumber == 0 || s == 0 {
		return
	}
	for _, t := range g.Values.Elems(types) {
		i := g.Values.Info[t]
		if i.Kind != pointsto.External || e.File.Lang.Predeclared[g.Names.Text[i.ID]] {
			continue
		}
		for _, v := range g.Values.Elems(s) {
			j := g.Values.Info[v]
			if j.Kind != pointsto.Func && j.Kind != pointsto.Bound {
				continue
			}
			fn := g.Func(edge.ID(j.ID))
			if fn == nil {
				continue
			}
			for p := range fn.Params {
				if from := e.Cell(pointsto.CellKey{Kind: pointsto.ForeignCell, ID: edge.ID(i.ID), Sub: uint32(p)}); from != 0 {
					e.Pass(edge.ID(j.ID), p, from)
				}
			}
		}
	}
}

// callForeign notes what a method of an external type is called with.
func (e *Evaluator) callForeign(i pointsto.Info, args []Argument) {
	if !e.File.Lang.FuncTypes || i.Kind != pointsto.External {
		return
	}
	for n, a := range args {
		held := pointsto.Set(0)
		for _, v := range e.Family.Values.Elems(a.Value) {
			if k := e.Family.Values.Info[v].Kind; k == pointsto.Inst || k == pointsto.Decl {
				held = e.Family.Union(held, e.Family.Values.Single(v))
			}
		}
		e.Write(pointsto.CellKey{Kind: pointsto.ForeignCell, ID: edge.ID(i.ID), Sub: uint32(n)}, held)
	}
}
