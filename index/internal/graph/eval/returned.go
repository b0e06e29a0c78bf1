package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Returned is what a function returns, as seen on a receiver and with its type
// parameters bound.
func (e *Evaluator) Returned(id edge.ID, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	return e.nthOf(returning{id, recv, found}, 0)
}

// nthOf is one result of a function that is called on a receiver, whatever is passed.
func (e *Evaluator) nthOf(r returning, nth uint32) pointsto.Set {
	return e.bind(e.returnedNth(r.id, nth, r.recv, r.found), passing{callee: r.id, self: e.Family.Values.Single(r.recv)})
}

// returnedTo is what a function returns to a call.
func (e *Evaluator) returnedTo(p passing, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	return e.bind(e.returnedNth(p.callee, 0, recv, found), p)
}

func (e *Evaluator) returnedNth(id edge.ID, nth uint32, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	g := e.Family
	fn := g.Func(id)
	if fn == nil {
		return 0
	}
	if e.unused {
		return 0
	}
	s := e.ownResult(id, nth, recv)
	if s == 0 {
		s = e.settledResult(id, nth, recv, found)
	}
	if s == 0 {
		s = e.Cell(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: nth})
		if e.UnitNumber == 0 || s == g.Values.Many {
			f := g.Entities[id].File
			if r := f.Results.Of(ir.Func(g.Entities[id].Ref)); int(nth) < len(r) && r[nth] != 0 {
				s = r[nth]
			}
		}
	}
	if fn.Flags&ir.Generator != 0 {
		if y := e.Cell(pointsto.CellKey{Kind: pointsto.YieldCell, ID: id, Sub: 0}); y != 0 || s == 0 {
			s = g.Union(s, e.Generic("generator", y))
		}
	}
	if recv != 0 {
		if k := g.ClassOf(recv); k != nil {
			s = g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(recv, k, p) })
		}
	}
	if len(found) > 0 {
		s = g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) { r := found[p]; return r, r != 0 })
	}
	e.last = append(e.last, returning{id, recv, found})
	return s
}

// settledResult is a result of a type parameter's type, where the call shows what
// the parameter stands for and that says all of it: what other instances of the
// function return does not count then. It is 0 for all others.
func (e *Evaluator) settledResult(id edge.ID, nth uint32, recv pointsto.Value, found map[pointsto.Info]pointsto.Set) pointsto.Set {
	g := e.Family
	f := g.Entities[id].File
	results := f.Results.Of(ir.Func(g.Entities[id].Ref))
	if !f.Lang.Exact || int(nth) >= len(results) {
		return 0
	}
	declared := results[nth]
	if !g.HasParam(declared, pointsto.MaxDepth+1) {
		return 0
	}
	t := g.Subst(declared, func(p pointsto.Info) (pointsto.Set, bool) { r := found[p]; return r, r != 0 })
	if k := g.ClassOf(recv); k != nil {
		t = e.ThroughMRO(t, recv, k)
	}
	if !settled(g, t, e.File.Lang) {
		return 0
	}
	return t
}

// settled reports whether types without parameters say all of what is of them.
func settled(g *program.Family, t pointsto.Set, l *program.Lang) bool {
	return t != 0 && !g.HasParam(t, pointsto.MaxDepth+1) && !g.Open(t, l)
}

// ownResult is the result of a method that is declared to return its receiver, or
// another one of the receiver's class: that class, whatever class it is written in.
func (e *Evaluator) ownResult(id edge.ID, nth uint32, recv pointsto.Value) pointsto.Set {
	g := e.Family
	if at := &g.Entities[id]; recv == 0 || nth != 0 || !at.File.Fluent[ir.Func(at.Ref)] {
		return 0
	}
	switch i := g.Values.Info[recv]; i.Kind {
	case pointsto.Inst, pointsto.Decl:
		return g.Values.Single(recv)
	case pointsto.Class:
		if e.File.Lang.ExactClasses { // cls() makes an instance of exactly the class that is named
			return e.Single(pointsto.Info{Kind: pointsto.Inst, ID: i.ID, Args: i.Args})
		}
		return e.Single(pointsto.Info{Kind: pointsto.Decl, ID: i.ID, Args: i.Args})
	}
	return 0
}

// A returning is a function whose results the last call gives.
type returning struct {
	id    edge.ID
	recv  pointsto.Value
	found map[pointsto.Info]pointsto.Set
}

// ThroughMRO replaces the parameters of base classes in what a method returned.
func (e *Evaluator) ThroughMRO(s pointsto.Set, recv pointsto.Value, k *program.Class) pointsto.Set {
	g := e.Family
	if !g.HasParam(s, pointsto.MaxDepth+1) {
		return s
	}
	for i := range g.MRO(k) {
		s = e.Instantiate(s, recv, &g.MRO(k)[i])
	}
	return s
}

// severalResults are a call and what it gave when it was last evaluated.
type severalResults struct {
	x     ir.Expr
	first pointsto.Set
	last  []returning
	part  uint32 // that evaluated it
	reads [2]int // what had been read by then, in now
}

// result is one of several results.
func (e *Evaluator) result(n *ir.Node) pointsto.Set {
	g := e.Family
	// The results of one call come one after the other.
	if e.several.x != n.A {
		first := e.Eval(n.A)
		e.several = severalResults{n.A, first, e.last, e.part, [2]int{e.firstRead, len(e.now.Reads)}}
	} else if e.several.part != e.part {
		// What it read is read here, too.
		e.now.Reads = append(e.now.Reads, e.now.Reads[e.several.reads[0]:e.several.reads[1]]...)
	}
	first, last := e.several.first, e.several.last
	if n.Ref == 0 {
		return first
	}
	out := pointsto.Set(0)
	for _, r := range last {
		s := e.nthOf(r, n.Ref)
		if k := g.ClassOf(r.recv); k != nil {
			s = e.ThroughMRO(s, r.recv, k)
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

// Instantiate puts the receiver's type arguments into what a member of its class gives.
func (e *Evaluator) Instantiate(s pointsto.Set, recv pointsto.Value, at *program.Ancestor) pointsto.Set {
	g := e.Family
	if at == nil || !g.HasParam(s, pointsto.MaxDepth+1) {
		return s
	}
	c := g.ClassOf(recv)
	return g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) {
		if edge.ID(p.ID) == at.Class.ID {
			arg := g.Values.Arg(at.As, int(p.Base))
			if c == nil {
				return arg, arg != 0
			}
			arg = g.Subst(arg, func(q pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(recv, c, q) })
			return arg, arg != 0
		}
		return 0, false
	})
}
