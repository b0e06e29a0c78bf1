// Package body evaluates units: the bodies of functions, files and classes, part by part, until
// nothing changes in them.
package body

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Evaluate evaluates a unit until its own variables no longer change.
func Evaluate(e *eval.Evaluator, n uint32, u *program.Unit) {
	e.Enter(n, u)
	for e.Again() {
		for fn := u.First; fn != 0; fn = u.File.Next[fn] {
			function(e, fn)
		}
	}
	e.Leave(u)
}

// function evaluates the parameters and the body of one function.
func function(e *eval.Evaluator, fn ir.Func) {
	e.Func = fn
	f := e.File.IR
	info := &f.Funcs[fn]
	id := e.File.Funcs[fn]
	if e.Begin() {
		head(e, fn, info, id)
		e.End()
	}
	if fn == 1 {
		topLevel(e)
	}
	for _, s := range f.Body(fn) {
		if e.Begin() {
			stmt(e, s, info, id)
			e.End()
		}
	}
	for _, c := range e.File.Inner[fn] {
		classBody(e, c)
	}
}

// head evaluates what stands before the body of a function.
func head(e *eval.Evaluator, fn ir.Func, info *ir.FuncInfo, id edge.ID) {
	g := e.Family
	if info.Self != 0 {
		e.SetLocal(info.Self, e.Self(fn))
	}
	for i, p := range info.Params {
		s := e.Cell(pointsto.CellKey{Kind: pointsto.ParamCell, ID: id, Sub: uint32(i)})
		if p.Default != 0 {
			s = g.Union(s, e.Eval(p.Default))
		}
		if info.Flags&(ir.TestFunc|ir.Entry) != 0 {
			s = g.Union(s, e.Lang.Injected(e, fn, p))
		}
		if p.Kind == ir.BlockParam {
			s = g.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.BlockCell, ID: id, Sub: 0}))
		}
		e.SetLocal(p.Var, s)
		if p.Type != 0 {
			e.TypeRefs(p.Type)
		}
	}
	for _, x := range info.Results {
		e.TypeRefs(x)
	}
	for i, s := range e.File.Results.Of(fn) {
		e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: uint32(i)}, s)
	}
	if !e.File.Lang.Decorates {
		for _, x := range info.Decorators() {
			e.Eval(x)
		}
	}
}

// stmt evaluates a statement.
func stmt(e *eval.Evaluator, s ir.Stmt, info *ir.FuncInfo, id edge.ID) {
	switch s.Op {
	case ir.Eval, ir.Raise:
		e.Effect(s.A)
	case ir.Bind:
		e.Bind(s.A, e.Eval(s.B))
		e.Lang.ExpectAssigned(e, s.A, s.B)
	case ir.Yield:
		e.Write(pointsto.CellKey{Kind: pointsto.YieldCell, ID: id, Sub: 0}, e.Eval(s.A))
	case ir.Return:
		giveResult(e, info, id, s.A, s.B)
	}
}

// giveResult evaluates what a function returns.
func giveResult(e *eval.Evaluator, info *ir.FuncInfo, id edge.ID, x, param ir.Expr) {
	declared := e.File.Results.Of(e.Func)
	if n := &e.File.IR.Exprs[x]; n.Op == ir.List && e.File.IR.String(n.Name) == "results" {
		for i, a := range e.File.IR.Args[n.Lo:n.Hi] {
			s := e.Eval(a.X)
			if i >= len(info.Results) || e.Family.Open(declared[i], e.File.Lang) {
				e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: uint32(i)}, s)
			}
		}
		return
	}
	s := e.Eval(x)
	e.Lang.ExpectReturned(e, x)
	if len(info.Results) > 0 {
		e.Become(declared[0], s)
		if e.HasFunc(s) {
			e.Contextual(s, declared[0], nil)
		}
	}
	if back := e.GivenBack(x, param, s); back != s {
		e.Write(pointsto.CellKey{Kind: pointsto.AnyResultCell, ID: id}, s)
		s = back
	}
	if len(info.Results) == 0 {
		e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: 0}, s)
	} else if e.Family.Open(declared[0], e.File.Lang) {
		e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: 0}, e.Family.Admit(declared[0], s, e.File.Lang))
	}
}
