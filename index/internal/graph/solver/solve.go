// Package solver brings a family of languages up to date: it declares what names mean,
// evaluates units until nothing changes, and answers from what they found.
package solver

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/body"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// split into units: see the package doc of ir.
func makeUnits(g *program.Family, r *program.File) {
	f := r.IR
	member := make([]bool, len(f.Funcs))
	for _, m := range f.Top {
		if m.Kind == ir.FuncMember {
			member[m.Ref] = true
		}
	}
	root := make([]ir.Func, len(f.Funcs))
	root[1] = 1
	var rootOf func(i ir.Func, depth int) ir.Func
	rootOf = func(i ir.Func, depth int) ir.Func {
		if root[i] != 0 || depth > 1000 {
			return root[i]
		}
		info := &f.Funcs[i]
		switch {
		case r.Apart(i):
			root[i] = i
		case info.Outer != 0:
			root[i] = rootOf(info.Outer, depth+1)
		case info.Class != 0:
			root[i] = i
			for c := info.Class; c != 0; c = f.Classes[c].Outer {
				if outer := f.Classes[c].Func; outer != 0 {
					root[i] = rootOf(outer, depth+1)
					break
				}
			}
		case member[i] || info.Recv != 0:
			root[i] = i
		default:
			root[i] = 1
		}
		return root[i]
	}
	r.Within, r.Inner = make([]ir.Func, len(f.Classes)), nil
	for i := 1; i < len(f.Classes); i++ {
		c := ir.Class(i)
		for range program.MaxNesting {
			info := &f.Classes[c]
			if info.Func > 1 {
				if r.Inner == nil {
					r.Inner = map[ir.Func][]ir.Class{}
				}
				r.Within[i] = info.Func
				r.Inner[info.Func] = append(r.Inner[info.Func], ir.Class(i))
			}
			if c = info.Outer; c == 0 || r.Within[i] != 0 {
				break
			}
		}
	}
	r.Shared = make([]bool, len(f.Funcs))
	r.Shared[1] = true
	for i := 2; i < len(f.Funcs); i++ {
		if r.Apart(ir.Func(i)) {
			for outer := r.Around(ir.Func(i)); outer != 0 && !r.Shared[outer]; outer = r.Around(outer) {
				r.Shared[outer] = true
			}
		}
	}
	r.UnitOf = make([]uint32, len(f.Funcs))
	at := map[ir.Func]uint32{}
	for i := 1; i < len(f.Funcs); i++ {
		top := rootOf(ir.Func(i), 0)
		if top == 0 {
			top = 1
		}
		n, ok := at[top]
		if !ok {
			u := &program.Unit{File: r, Root: top}
			if k := len(g.Free); k > 0 {
				n, g.Free = g.Free[k-1], g.Free[:k-1]
				g.Units[n] = u
			} else {
				n = uint32(len(g.Units))
				g.Units, g.Queued = append(g.Units, u), append(g.Queued, false)
			}
			u.N = n
			at[top] = n
			r.Units = append(r.Units, u)
		}
		r.UnitOf[i] = n
	}
	r.Next = make([]ir.Func, len(f.Funcs))
	for i := len(f.Funcs) - 1; i > 0; i-- {
		u := g.Units[r.UnitOf[i]]
		r.Next[i], u.First = u.First, ir.Func(i)
	}
}

// enqueue marks a unit as one to be evaluated.
func enqueue(g *program.Family, n uint32) {
	if g.Units[n] != nil && !g.Queued[n] {
		g.Queued[n] = true
		g.Queue = append(g.Queue, n)
	}
}

// giveDeclared enters the declared results of a unit before it is evaluated, so
// that those who call it need not be evaluated again after it.
func giveDeclared(g *program.Family, u *program.Unit) {
	for fn := u.First; fn != 0; fn = u.File.Next[fn] {
		for i, s := range u.File.Results.Of(fn) {
			if s == 0 {
				continue
			}
			at := g.Cell(pointsto.CellKey{Kind: pointsto.ResultCell, ID: u.File.Funcs[fn], Sub: uint32(i)})
			g.Cells.At(at).Value = g.Values.Union(g.Cells.At(at).Value, s)
			u.Constraints = append(u.Constraints, pointsto.Constraint{Cell: at, Value: s, Round: 0})
		}
	}
	slices.SortFunc(u.Constraints, func(a, b pointsto.Constraint) int { return cmp.Compare(a.Cell, b.Cell) })
}

// run evaluates units until nothing changes, in rounds: in each those are evaluated, in
// the order of files and places, that were queued in the one before. It is this order
// that makes the result one of the files alone, since evaluation is not monotone
// everywhere: what a function gave when less was known stays given.
func run(g *program.Family, r *replay) {
	e := eval.NewEval(g)
	var done []uint32
	made := map[edge.EdgeKey]struct{}{}
	memos := 0 // numbers in those that are kept
	g.Peak = 0
	for g.Round = 1; len(g.Queue) > 0 || r.skip(g); g.Round++ {
		// Of files that are not at hand each is loaded once in a round.
		batch := g.Queue
		if r == nil {
			slices.Sort(batch) // numbers are in that order
		} else {
			slices.SortFunc(batch, func(a, b uint32) int { return cmp.Compare(orderOf(g, a), orderOf(g, b)) })
		}
		g.Queue = nil
		for _, n := range batch {
			g.Between()
			if g.Halted.Load() {
				return
			}
			if !g.Queued[n] {
				continue
			}
			u := g.Units[n]
			if u == nil {
				g.Queued[n] = false
				continue
			}
			r.until(g, moment{g.Round, u.Order})
			g.Queued[n] = false
			if u.Memo == nil {
				done = append(done, n)
			}
			memos -= u.Memo.Size()
			body.Evaluate(e, n, u)
			take(g, n, u, e, r)
			if memos += u.Memo.Size(); memos > mostMemos(g) {
				memos -= u.Memo.Size()
				g.Dropped = true
				publish(g, n, u, made) // it is evaluated whole, if it is again
			}
			g.Peak = max(g.Peak, memos)
			g.Relieve()
		}
		r.until(g, moment{g.Round + 1, 0})
	}
	for _, n := range done {
		if u := g.Units[n]; u.Memo != nil {
			publish(g, n, u, made)
		}
	}
}

// take enters what an evaluation of a unit gave.
func take(g *program.Family, n uint32, u *program.Unit, e *eval.Evaluator, r *replay) {
	for _, c := range e.Reads {
		readers := &g.Cells.At(c).Readers
		if at, ok := slices.BinarySearch(*readers, n); !ok {
			*readers = slices.Insert(*readers, at, n)
		}
	}
	slices.Sort(e.Written)
	u.Constraints = merged(u.Constraints, e)
	for _, at := range e.Written {
		c := g.Cells.At(at)
		if r != nil {
			r.enter(g, at)
		}
		if v := g.Values.Union(c.Value, e.Marks.At(at).Added); v != c.Value {
			c.Value = v
			for _, reader := range c.Readers {
				if r != nil && !g.Units[reader].File.Again {
					continue // it stands, or everything is solved again
				}
				// A unit has seen what it gave to its own variables.
				if reader != n || c.Key.Kind != pointsto.LocalCell || !u.Owns(n, c.Key) {
					enqueue(g, reader)
				}
			}
		}
	}
}

// merged adds what an evaluation gave to what a unit gave before, which it still gives.
// Both are in the order of cells.
func merged(gives []pointsto.Constraint, e *eval.Evaluator) []pointsto.Constraint {
	v, round := e.Family.Values, e.Family.Round
	i, fresh := 0, 0
	last := func(at uint32) (before pointsto.Set, to int) {
		for i < len(gives) && gives[i].Cell < at {
			i++
		}
		for to = i; to < len(gives) && gives[to].Cell == at; to++ {
			before = gives[to].Value
		}
		return before, to
	}
	for _, at := range e.Written {
		if before, _ := last(at); v.Union(before, e.Marks.At(at).Added) != before {
			fresh++
		}
	}
	if fresh == 0 {
		return gives
	}
	out := make([]pointsto.Constraint, 0, len(gives)+fresh)
	from := 0
	i = 0
	for _, at := range e.Written {
		before, to := last(at)
		if now := v.Union(before, e.Marks.At(at).Added); now != before {
			out = append(append(out, gives[from:to]...), pointsto.Constraint{Cell: at, Value: now, Round: round})
			from = to
		}
	}
	return append(out, gives[from:]...)
}

// publish makes what a unit's parts found the edges and sites of the unit: an
// expression may stand in several places of a lowered file, and a node is referred to
// once. They are put in the order of the text: values, and so what a call leads to,
// come in none.
func publish(g *program.Family, n uint32, u *program.Unit, made map[edge.EdgeKey]struct{}) {
	if g.Into != nil {
		unpost(g, n, u)
	}
	clear(made)
	u.Edges, u.Sites = u.Edges[:0:0], u.Sites[:0:0]
	edges := u.Memo.Edges[:0]
	for _, x := range u.Memo.Edges {
		if _, ok := made[x.Key()]; !ok {
			made[x.Key()] = struct{}{}
			edges = append(edges, x)
		}
	}
	sites := u.Memo.Sites[:0]
	for _, s := range u.Memo.Sites {
		key := edge.EdgeKey{From: s.From, Kind: edge.Calls, Pos: s.Pos}
		if _, ok := made[key]; !ok {
			made[key] = struct{}{}
			sites = append(sites, s)
		}
	}
	slices.SortFunc(edges, func(a, b edge.Edge) int { return compareEdges(g, a, b) })
	slices.SortStableFunc(sites, compareSites)
	u.Edges, u.Sites = append(u.Edges, edges...), append(u.Sites, sites...)
	u.Memo = nil
	if g.Into != nil {
		post(g, n, u)
	}
}

// mostMemos is how many numbers of memos are kept while a family is solved, 64 MB: those of
// a tree of 15,000 files. The others are made again, of all parts. That shows in the
// result, which is why it is not a matter of what else is being solved.
func mostMemos(g *program.Family) int { return cmp.Or(g.Memos, program.SolveNodes) }
