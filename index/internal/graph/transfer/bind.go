package transfer

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// bind puts what a call passes into what a function gives back. Where that is not known,
// it may be what any call gets.
func (t *Transfer) bind(s pointsto.Set, p Passing) pointsto.Set {
	g := t.Family
	if f := g.Entities[p.Callee].File; f == nil || !f.Lang.Dynamic || !g.Values.HasPassed(s) {
		return s
	}
	parts, known := []pointsto.Set(nil), true
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		to, ok := g.Values.Single(v), true
		switch {
		case i.Kind == pointsto.Passed:
			to, ok = t.passedAs(i, p)
		case i.Kind == pointsto.PassedResult:
			if to, ok = t.passedAs(i, p); ok {
				to = t.resultOf(to)
			}
		case i.Kind == pointsto.WhereAbsent, i.Kind == pointsto.WhereGiven:
			to, ok = t.bindWhere(i, p)
		case i.Args != 0:
			to, ok = t.bindArgs(i, p)
		}
		parts, known = append(parts, to), known && ok
	}
	if !known {
		parts = append(parts, t.Cell(pointsto.CellKey{Kind: pointsto.AnyResultCell, ID: p.Callee}))
	}
	return g.Values.UnionOf(parts)
}

// bindWhere is bind of what is given where a call passes nothing, or something.
func (t *Transfer) bindWhere(i pointsto.Info, p Passing) (s pointsto.Set, known bool) {
	g := t.Family
	if i.Args == 0 {
		return 0, false
	}
	passed, known := t.passedAs(i, p)
	s = t.bind(g.Args(i.Args)[0], p)
	if !known {
		return s, true
	}
	if i.Kind == pointsto.WhereGiven && t.leavesOut(i, p) {
		return 0, true
	}
	for _, v := range g.Elems(passed) {
		switch j := g.Values.Info[v]; {
		case j.Kind == pointsto.Passed && passed == g.Values.Single(v):
			j.Kind, j.Args = i.Kind, 0
			return g.Values.Single(g.Values.TypedWithin(j, []pointsto.Set{s}, pointsto.MaxWritten)), true
		case i.Kind == pointsto.WhereGiven:
			return s, true
		case j.Kind == pointsto.Func, j.Kind == pointsto.Bound, j.Kind == pointsto.Class:
		default:
			return s, true // it may be None
		}
	}
	if passed != 0 {
		return 0, true
	}
	return s, true
}

// leavesOut reports whether a call has no argument for a parameter, which is None then.
func (t *Transfer) leavesOut(i pointsto.Info, p Passing) bool {
	id, n := edge.ID(i.ID), int(i.Base)-1
	if id != p.Callee || p.Call == nil || n < 0 {
		return false
	}
	// The expressions of the file of fn need not be at hand.
	fn, f := t.Family.Func(id), t.Family.Entities[id].File
	if fn.Params[n].Valued {
		return false
	}
	for at, a := range p.Call.Args {
		if program.ParamFor(fn, f, at, a.Name, t.File) == n {
			return false
		}
	}
	return true
}

// bindArgs is bind of the arguments of a value. A function literal can do without what
// the function around it was passed.
func (t *Transfer) bindArgs(i pointsto.Info, p Passing) (s pointsto.Set, known bool) {
	g := t.Family
	args, changed := slices.Clone(g.Args(i.Args)), false
	known = true
	for n, a := range args {
		out := pointsto.Set(0)
		for _, v := range g.Elems(a) {
			to, ok := g.Values.Single(v), true
			if j := g.Values.Info[v]; j.Kind == pointsto.Passed {
				to, ok = t.passedAs(j, p)
				changed = true
			}
			out, known = g.Union(out, to), known && ok
		}
		args[n] = out
	}
	if !changed {
		return t.Single(i), true
	}
	i.Args = 0
	if !known && i.Kind == pointsto.Func {
		return t.Single(i), true
	}
	return g.Values.Single(g.Values.Typed(i, args)), known
}

// passedAs is what a call passes as a parameter. known is false where that is not told.
func (t *Transfer) passedAs(i pointsto.Info, p Passing) (s pointsto.Set, known bool) {
	i.Kind, i.Args = pointsto.Passed, 0
	id, n := edge.ID(i.ID), int(i.Base)
	switch {
	case id == p.Callee && n == 0:
		return p.Self, p.Self != 0
	case id == p.Callee && p.Call != nil && !p.Call.Unknown:
		return t.argument(p.Call, id, n-1)
	case p.Env != 0 && id == t.around(p.Callee) && n < len(t.Family.Args(p.Env)):
		return t.Family.Args(p.Env)[n], true
	case t.summarizing && t.File.Funcs[t.Func] == id:
		return t.Single(i), true // of the function that is summarized
	}
	return 0, false
}

// argument is what a call passes as a parameter. ok is false where that cannot be told.
func (t *Transfer) argument(c *call.Call, id edge.ID, n int) (s pointsto.Set, ok bool) {
	fn := t.Family.Func(id)
	f := t.Family.Entities[id].File
	for i, a := range c.Args {
		if a.Kind != ir.Plain {
			return 0, false
		}
		if program.ParamFor(fn, f, i, a.Name, t.File) == n {
			s = t.Family.Union(s, a.Value)
		}
	}
	return s, true
}

// resultOf is what calls of values give, whatever they pass.
func (t *Transfer) resultOf(s pointsto.Set) pointsto.Set {
	if t.TooDeep() {
		return 0
	}
	defer t.Up()
	last, unused := t.last, t.Unused
	t.Quiet()
	t.Unused = false
	out := t.results.CallAny(s)
	t.Loud()
	t.last, t.Unused = last, unused
	return out
}

// around is the function that a function is written in, or 0.
func (t *Transfer) around(id edge.ID) edge.ID {
	at := &t.Family.Entities[id]
	if at.File == nil || t.Family.Func(id) == nil {
		return 0
	}
	return at.File.Funcs[at.File.IR.Funcs[at.Ref].Outer]
}
