package frame

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Pass lets a value flow into a parameter.
func (fr *Frame) Pass(id edge.ID, p int, s pointsto.Set) {
	fn := fr.Family.Func(id)
	if fn == nil || s == 0 || p < 0 || p >= len(fn.Params) { // a deleter takes nothing
		return
	}
	f := fr.Family.Entities[id].File
	if f.Closed(fr.Family, fn.Params[p].Var) {
		return
	}
	fr.Become(f.VarTypes[fn.Params[p].Var], s)
	fr.Write(pointsto.CellKey{Kind: pointsto.ParamCell, ID: id, Sub: uint32(p)}, fr.Family.Admit(f.VarTypes[fn.Params[p].Var], s, fr.File.Lang))
}

// PassSelf lets a receiver flow into a method.
func (fr *Frame) PassSelf(id edge.ID, recv pointsto.Value) {
	if recv == 0 {
		return
	}
	f := fr.Family.Entities[id].File
	if f == nil || !f.Lang.Dynamic && fr.Family.Values.Info[recv].Kind != pointsto.Object {
		return
	}
	fr.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: id, Sub: 0}, fr.Family.Values.Single(recv))
}

// A function that becomes a value of an external type, as of http.HandlerFunc, is
// called by that type's methods with what they get. What they do is not known;
// that they hand their arguments on, one by one, is the most that they can do, and
// variable type analysis sees the same in the type's source.

// Become lets functions be called with what methods of the types are called with.
func (fr *Frame) Become(types, s pointsto.Set) {
	g := fr.Family
	if !fr.File.Lang.FuncTypes || fr.UnitNumber == 0 || s == 0 {
		return
	}
	for _, t := range g.Values.Elems(types) {
		i := g.Values.Info[t]
		if i.Kind != pointsto.External || fr.File.Lang.Predeclared[g.Names.Text[i.ID]] {
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
				if from := fr.Cell(pointsto.CellKey{Kind: pointsto.ForeignCell, ID: edge.ID(i.ID), Sub: uint32(p)}); from != 0 {
					fr.Pass(edge.ID(j.ID), p, from)
				}
			}
		}
	}
}

// PassMethod gives the parameters of functions the types that the only method of an interface
// has.
func (fr *Frame) PassMethod(s pointsto.Set, d pointsto.Value, c *program.Class) {
	g := fr.Family
	var only *ir.FuncInfo
	var f *program.File
	for _, m := range c.Bag.Entries {
		if fn := g.Func(m.ID); m.Kind == ir.FuncMember && fn != nil && fn.Flags&ir.Abstract != 0 {
			if only != nil {
				return
			}
			only, f = fn, g.Entities[m.ID].File
		}
	}
	if only == nil {
		return
	}
	for _, v := range g.Elems(s) {
		vi := g.Values.Info[v]
		if vi.Kind != pointsto.Func && vi.Kind != pointsto.Bound {
			continue
		}
		for p := range only.Params {
			t := g.Subst(f.VarTypes[only.Params[p].Var], func(q pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(d, c, q) })
			fr.Pass(edge.ID(vi.ID), p, t)
		}
	}
}

// PassReceiver gives lambdas the receiver and the parameters that a function
// type with a receiver has.
func (fr *Frame) PassReceiver(s pointsto.Set, types []pointsto.Set, with func(pointsto.Info) (pointsto.Set, bool)) {
	g := fr.Family
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		if i.Kind != pointsto.Func && i.Kind != pointsto.Bound {
			continue
		}
		f := g.Entities[i.ID].File
		lambda := f != nil && g.Entities[i.ID].Name == 0 && fr.rules.HasReceiver(g, f, ir.Func(g.Entities[i.ID].Ref))
		for p, t := range types {
			if with != nil {
				t = g.Subst(t, with)
			}
			switch {
			case !lambda:
				fr.Pass(edge.ID(i.ID), p, t)
			case p == 0:
				fr.Write(pointsto.CellKey{Kind: pointsto.SelfCell, ID: edge.ID(i.ID), Sub: 0}, t)
			default:
				fr.Pass(edge.ID(i.ID), p-1, t)
			}
		}
	}
}

// PassForeign notes what a method of an external type is called with.
func (fr *Frame) PassForeign(i pointsto.Info, n int, s pointsto.Set) {
	if !fr.File.Lang.FuncTypes || i.Kind != pointsto.External {
		return
	}
	held := pointsto.Set(0)
	for _, v := range fr.Family.Values.Elems(s) {
		if k := fr.Family.Values.Info[v].Kind; k == pointsto.Inst || k == pointsto.Decl {
			held = fr.Family.Union(held, fr.Family.Values.Single(v))
		}
	}
	fr.Write(pointsto.CellKey{Kind: pointsto.ForeignCell, ID: edge.ID(i.ID), Sub: uint32(n)}, held)
}
