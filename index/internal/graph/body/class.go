package body

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// topLevel evaluates what stands in classes and in exports.
func topLevel(e *eval.Evaluator) {
	f := e.File.IR
	ran := coded(e)
	for c := 1; c < len(f.Classes); c++ {
		if e.File.Within[c] == 0 {
			classBody(e, ir.Class(c))
		}
		if ran[ir.Class(c)] {
			constructed(e, ir.Class(c))
		}
	}
	for _, m := range f.Top {
		if m.Kind == ir.VarMember && e.Begin() {
			v := &f.Vars[m.Ref]
			if v.Type != 0 {
				e.TypeRefs(v.Type)
			}
			if v.Init != 0 {
				e.SetLocal(ir.Var(m.Ref), e.Eval(v.Init))
			}
			e.End()
		}
	}
	if !e.Begin() {
		return
	}
	for _, x := range f.Exports {
		s := e.Eval(x.X)
		e.Write(pointsto.CellKey{Kind: pointsto.NameCell, ID: e.File.ID, Sub: uint32(e.Family.Names.Intern("export:" + f.String(x.Name)))}, s)
	}
	for i := 1; i < len(f.Imports); i++ {
		for _, to := range append(e.File.Targets[i].In[:len(e.File.Targets[i].In):len(e.File.Targets[i].In)], e.File.Targets[i].Loads...) {
			if e.Family.Entities[to].Kind == edge.FileNode && to != e.File.ID {
				e.Edge(edge.Edge{From: e.File.ID, To: to, Kind: edge.Imports, Rule: edge.ByImport, Pos: f.Imports[i].Pos})
			}
		}
	}
	e.End()
}

// classBody evaluates what stands in a class outside of its functions.
func classBody(e *eval.Evaluator, c ir.Class) {
	f := e.File.IR
	info := &f.Classes[c]
	e.Class = c
	if e.Begin() {
		classHead(e, c, info)
		e.End()
	}
	e.Fields = true
	for _, m := range info.Members {
		if m.Kind != ir.VarMember || !e.Begin() {
			continue
		}
		v := &f.Vars[m.Ref]
		if v.Type != 0 {
			e.TypeRefsFrom(v.Type, e.File.Classes[c])
		}
		if v.Init != 0 {
			e.SetLocal(ir.Var(m.Ref), e.Eval(v.Init))
			e.Lang.ExpectInit(e, v.Init, e.File.VarTypes[m.Ref])
		}
		e.End()
	}
	e.Class, e.Fields = 0, false
}

// coded are the classes of a file with code of their own, where such code is not the file's: blocks,
// and initial values of fields that may run something.
func coded(e *eval.Evaluator) map[ir.Class]bool {
	f := e.File.IR
	if !e.File.Lang.ClassCode {
		return nil
	}
	all := map[ir.Class]bool{}
	for i := range f.Funcs {
		if fn := &f.Funcs[i]; fn.Class != 0 && fn.Name == 0 && fn.Outer == 0 {
			all[fn.Class] = true
		}
	}
	for c := 1; c < len(f.Classes); c++ {
		for _, m := range f.Classes[c].Members {
			if m.Kind == ir.VarMember {
				if init := f.Vars[m.Ref].Init; init != 0 && f.Exprs[init].Op != ir.Lit {
					all[ir.Class(c)] = true
				}
			}
		}
	}
	return all
}

// constructed makes the edges from the constructors of a class to the class: who makes an instance
// has its code run, once or each time. Where there is no constructor the class itself is called.
func constructed(e *eval.Evaluator, c ir.Class) {
	k := e.Family.Classes[e.Family.Canonical(e.File, c)]
	if k == nil || !e.Begin() {
		return
	}
	for _, m := range e.Family.ConstructorsIn(k) {
		e.Edge(edge.Edge{From: m.ID, To: k.ID, Kind: edge.References, Rule: edge.ByDecl, Pos: e.File.IR.Classes[c].Pos})
	}
	e.End()
}

// classHead evaluates what stands before the body of a class.
func classHead(e *eval.Evaluator, c ir.Class, info *ir.ClassInfo) {
	for _, b := range info.Bases {
		baseRefs(e, c, b)
	}
	for _, up := range e.Family.Satisfied[e.File.Classes[c]] {
		e.Edge(edge.Edge{From: e.File.Classes[c], To: up, Kind: edge.Implements, Rule: edge.ByHierarchy, Pos: info.Pos})
	}
	if !e.File.Lang.Decorates {
		e.Fields = e.File.Lang.ClassCode
		for _, x := range info.Decorators {
			e.Eval(x)
		}
		e.Fields = false
	}
	if info.Target != 0 && info.Kind != ir.Extends {
		e.TypeRefsFrom(info.Target, e.File.Classes[c])
	}
}

// baseRefs makes the edges of a base.
func baseRefs(e *eval.Evaluator, c ir.Class, b ir.Base) {
	n := &e.File.IR.Exprs[b.X]
	for n.Op == ir.Apply && n.A != 0 {
		n = &e.File.IR.Exprs[n.A]
	}
	kind := edge.Inherits
	if b.Kind == ir.Implement {
		kind = edge.Implements
	}
	from := e.Family.Canonical(e.File, c)
	e.Mute++
	s := e.Typ(b.X)
	e.Mute--
	for _, v := range e.Family.Elems(s) {
		if up := e.Family.ClassOf(v); up != nil && up.ID != from {
			e.Edge(edge.Edge{From: from, To: up.ID, Kind: kind, Rule: edge.ByDecl, Pos: n.Pos})
		}
	}
}
