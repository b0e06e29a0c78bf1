package transfer

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frame"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A returning is a function whose results the last call gives.
type returning struct {
	id    edge.ID
	recv  pointsto.Value
	found map[pointsto.Info]pointsto.Set
}

// several are a call and what it gave when it was last evaluated.
type several struct {
	x     ir.Expr
	first pointsto.Set
	last  []returning
	reads frame.Extent // what had been read by then
}

// Call begins a call. unused says that nobody uses what it returns.
func (t *Transfer) Call(unused bool) { t.last, t.Unused = nil, unused }

// Returned is what a function returns, as seen on a receiver and with its type
// parameters bound, whatever is passed.
func (t *Transfer) Returned(id edge.ID, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	return t.nthOf(returning{id, recv, found}, 0)
}

// ReturnedTo is what a function returns to a call.
func (t *Transfer) ReturnedTo(p Passing, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	return t.bind(t.own(returning{p.Callee, recv, found}, 0), p)
}

// nthOf is one result of a function that is called on a receiver, whatever is passed.
func (t *Transfer) nthOf(r returning, nth uint32) pointsto.Set {
	return t.bind(t.own(r, nth), Passing{Callee: r.id, Self: t.Family.Values.Single(r.recv)})
}

// own is one result of a function before what is passed is put into it.
func (t *Transfer) own(r returning, nth uint32) pointsto.Set {
	g, id, recv, found := t.Family, r.id, r.recv, r.found
	fn := g.Func(id)
	if fn == nil || t.Unused {
		return 0
	}
	s := t.ownResult(id, nth, recv)
	if s == 0 {
		s = g.SettledResult(id, nth, recv, found, t.File.Lang)
	}
	if s == 0 {
		s = t.Cell(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: nth})
		if t.UnitNumber == 0 || s == g.Values.Many {
			f := g.Entities[id].File
			if declared := f.Results.Of(ir.Func(g.Entities[id].Ref)); int(nth) < len(declared) && declared[nth] != 0 {
				s = declared[nth]
			}
		}
	}
	if fn.Flags&ir.Generator != 0 {
		if y := t.Cell(pointsto.CellKey{Kind: pointsto.YieldCell, ID: id, Sub: 0}); y != 0 || s == 0 {
			s = g.Union(s, t.Generic("generator", y))
		}
	}
	if recv != 0 {
		if k := g.ClassOf(recv); k != nil {
			s = g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(recv, k, p) })
		}
	}
	if len(found) > 0 {
		s = g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) { to := found[p]; return to, to != 0 })
	}
	t.last = append(t.last, r)
	return s
}

// ownResult is the result of a method that is declared to return its receiver, or
// another one of the receiver's class: that class, whatever class it is written in.
func (t *Transfer) ownResult(id edge.ID, nth uint32, recv pointsto.Value) pointsto.Set {
	g := t.Family
	if at := &g.Entities[id]; recv == 0 || nth != 0 || !at.File.Fluent[ir.Func(at.Ref)] {
		return 0
	}
	switch i := g.Values.Info[recv]; i.Kind {
	case pointsto.Inst, pointsto.Decl:
		return g.Values.Single(recv)
	case pointsto.Class:
		if t.File.Lang.ExactClasses { // cls() makes an instance of exactly the class that is named
			return t.Single(pointsto.Info{Kind: pointsto.Inst, ID: i.ID, Args: i.Args})
		}
		return t.Single(pointsto.Info{Kind: pointsto.Decl, ID: i.ID, Args: i.Args})
	}
	return 0
}

// Forget drops what a call gave.
func (t *Transfer) Forget() { t.several.x = 0 }

// Has reports whether a call is the one whose results were kept last: those of one call come
// one after the other.
func (t *Transfer) Has(x ir.Expr) bool {
	if t.several.x != x {
		return false
	}
	t.ReadAgain(t.several.reads)
	return true
}

// Keep keeps the results of the call that has just been evaluated, the first of which is given.
func (t *Transfer) Keep(x ir.Expr, first pointsto.Set) {
	t.several = several{x, first, t.last, t.SoFar()}
}

// Nth is one of the results that were kept.
func (t *Transfer) Nth(n uint32) pointsto.Set {
	g := t.Family
	first, last := t.several.first, t.several.last
	if n == 0 {
		return first
	}
	out := pointsto.Set(0)
	for _, r := range last {
		s := t.nthOf(r, n)
		if k := g.ClassOf(r.recv); k != nil {
			s = g.ThroughMRO(s, r.recv, k)
		}
		out = g.Union(out, s)
	}
	for _, v := range g.Elems(first) {
		if i := g.Values.Info[v]; i.Kind == pointsto.External {
			out = g.Union(out, g.Values.Single(v))
		}
	}
	return out
}
