package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// function evaluates the parameters and the body of one function.
func (e *Evaluator) function(fn ir.Func) {
	e.Func = fn
	f := e.File.IR
	info := &f.Funcs[fn]
	id := e.File.Funcs[fn]
	if e.begin() {
		e.head(fn, info, id)
		e.end()
	}
	if fn == 1 {
		e.topLevel()
	}
	for _, s := range f.Body(fn) {
		if e.begin() {
			e.stmt(s, info, id)
			e.end()
		}
	}
	for _, c := range e.File.Inner[fn] {
		e.classBody(c)
	}
}

// head evaluates what stands before the body of a function.
func (e *Evaluator) head(fn ir.Func, info *ir.FuncInfo, id edge.ID) {
	g := e.Family
	if info.Self != 0 {
		e.setLocal(info.Self, e.Self(fn))
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
		e.setLocal(p.Var, s)
		if p.Type != 0 {
			e.typeRefs(p.Type)
		}
	}
	for _, x := range info.Results {
		e.typeRefs(x)
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

// topLevel evaluates what stands in classes and in exports.
func (e *Evaluator) topLevel() {
	f := e.File.IR
	for c := 1; c < len(f.Classes); c++ {
		if e.File.Within[c] == 0 {
			e.classBody(ir.Class(c))
		}
	}
	for _, m := range f.Top {
		if m.Kind == ir.VarMember && e.begin() {
			v := &f.Vars[m.Ref]
			if v.Type != 0 {
				e.typeRefs(v.Type)
			}
			if v.Init != 0 {
				e.setLocal(ir.Var(m.Ref), e.Eval(v.Init))
			}
			e.end()
		}
	}
	if !e.begin() {
		return
	}
	for _, x := range f.Exports {
		s := e.Eval(x.X)
		e.Write(pointsto.CellKey{Kind: pointsto.NameCell, ID: e.File.ID, Sub: uint32(e.Family.Names.Intern("export:" + f.String(x.Name)))}, s)
	}
	for i := 1; i < len(f.Imports); i++ {
		for _, to := range append(e.File.Targets[i].In[:len(e.File.Targets[i].In):len(e.File.Targets[i].In)], e.File.Targets[i].Loads...) {
			if e.Family.Entities[to].Kind == edge.FileNode && to != e.File.ID {
				e.edge(edge.Edge{From: e.File.ID, To: to, Kind: edge.Imports, Rule: edge.ByImport, Pos: f.Imports[i].Pos})
			}
		}
	}
	e.end()
}

// classBody evaluates what stands in a class outside of its functions.
func (e *Evaluator) classBody(c ir.Class) {
	f := e.File.IR
	info := &f.Classes[c]
	e.class = c
	if e.begin() {
		e.classHead(c, info)
		e.end()
	}
	e.Fields = true
	for _, m := range info.Members {
		if m.Kind != ir.VarMember || !e.begin() {
			continue
		}
		v := &f.Vars[m.Ref]
		if v.Type != 0 {
			e.typeRefsFrom(v.Type, e.File.Classes[c])
		}
		if v.Init != 0 {
			e.setLocal(ir.Var(m.Ref), e.Eval(v.Init))
			e.Lang.ExpectInit(e, v.Init, e.File.VarTypes[m.Ref])
		}
		e.end()
	}
	e.class, e.Fields = 0, false
}

// classHead evaluates what stands before the body of a class.
func (e *Evaluator) classHead(c ir.Class, info *ir.ClassInfo) {
	for _, b := range info.Bases {
		e.baseRefs(c, b)
	}
	for _, up := range e.Family.Satisfied[e.File.Classes[c]] {
		e.edge(edge.Edge{From: e.File.Classes[c], To: up, Kind: edge.Implements, Rule: edge.ByHierarchy, Pos: info.Pos})
	}
	if !e.File.Lang.Decorates {
		e.Fields = e.File.Lang.ClassCode
		for _, x := range info.Decorators {
			e.Eval(x)
		}
		e.Fields = false
	}
	if info.Target != 0 && info.Kind != ir.Extends {
		e.typeRefsFrom(info.Target, e.File.Classes[c])
	}
}

func (e *Evaluator) stmt(s ir.Stmt, info *ir.FuncInfo, id edge.ID) {
	switch s.Op {
	case ir.Eval, ir.Raise:
		e.forEffect = e.File.Lang.CallsForEffect
		e.Eval(s.A)
		e.forEffect = false
	case ir.Bind:
		e.Bind(s.A, e.Eval(s.B))
		e.Lang.ExpectAssigned(e, s.A, s.B)
	case ir.Yield:
		e.Write(pointsto.CellKey{Kind: pointsto.YieldCell, ID: id, Sub: 0}, e.Eval(s.A))
	case ir.Return:
		e.giveResult(info, id, s.A, s.B)
	}
}

func (e *Evaluator) giveResult(info *ir.FuncInfo, id edge.ID, x, param ir.Expr) {
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
		e.become(declared[0], s)
		if e.HasFunc(s) {
			e.Contextual(s, declared[0], nil)
		}
	}
	if back := e.where(param, e.givenBack(x, s)); back != s {
		e.Write(pointsto.CellKey{Kind: pointsto.AnyResultCell, ID: id}, s)
		s = back
	}
	if len(info.Results) == 0 {
		e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: 0}, s)
	} else if e.Family.Open(declared[0], e.File.Lang) {
		e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, ID: id, Sub: 0}, e.admit(declared[0], s))
	}
}

// Bind assigns to a target.
func (e *Evaluator) Bind(x ir.Expr, s pointsto.Set) {
	f := e.File.IR
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Local:
		e.setLocal(ir.Var(n.Ref), s)
	case ir.Name:
		e.bindName(n, s)
	case ir.Attr:
		recv := e.Eval(n.A)
		for _, v := range e.Family.Elems(recv) {
			e.setAttr(v, e.File.Names[n.Name], s, n.Pos)
		}
	case ir.Index:
		e.Eval(n.B)
		recv := e.Eval(n.A)
		at := e.At
		e.At = n.Pos
		for _, v := range e.Family.Elems(recv) {
			e.setItem(v, n.Name, s)
		}
		e.At = at
		if e.File.Lang.SharedStores {
			e.store(n.A, e.Eval(n.A), s)
		}
	case ir.List:
		at := e.At
		e.At = n.Pos // what taking elements out runs is called here
		defer func() { e.At = at }()
		spread := false
		for i, a := range f.Args[n.Lo:n.Hi] {
			switch {
			case a.Kind == ir.Spread && e.File.Lang.RestIsList:
				spread = true
				e.Bind(a.X, e.Generic("list", e.itemsFrom(s, i)))
			case a.Kind == ir.Spread:
				e.Bind(a.X, s)
			case spread:
				e.Bind(a.X, e.itemsFrom(s, i))
			default:
				e.Bind(a.X, e.Item(s, ItemName(i)))
			}
		}
	case ir.Object:
		for _, a := range f.Args[n.Lo:n.Hi] {
			if a.Kind != ir.Plain {
				e.Bind(a.X, s)
				continue
			}
			e.Bind(a.X, e.AttrValues(s, e.File.Names[a.Name]))
		}
	case ir.Deref, ir.Cast:
		e.Bind(n.A, s)
	case ir.Union, ir.Opaque:
		for _, a := range f.Args[n.Lo:n.Hi] {
			e.Bind(a.X, s)
		}
	case ir.Assign: // a default in a pattern
		e.Bind(n.A, e.Family.Union(s, e.Eval(n.B)))
	default:
		e.Eval(x)
	}
}

func (e *Evaluator) bindName(n *ir.Node, s pointsto.Set) {
	nm := e.File.Names[n.Name]
	if recv, pending := e.Lang.LambdaReceiver(e, nm); recv != 0 || pending {
		for _, v := range e.Family.Elems(recv) {
			e.setAttr(v, nm, s, n.Pos)
		}
		return
	}
	if c := e.implicitClass(); c != nil {
		if found, _ := e.Family.Member(c, nm); len(found) > 0 {
			e.setAttr(e.Family.Self(c, pointsto.Decl), nm, s, n.Pos)
			return
		}
	}
	for _, m := range e.Family.Find(e.Family.Bag(e.File.ID), nm) {
		if m.Kind == ir.VarMember {
			if !e.File.Closed(e.Family, ir.Var(m.Ref)) {
				e.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}, e.admit(e.File.VarTypes[m.Ref], s))
			}
			return
		}
	}
	if e.File.Pkg != 0 {
		for _, m := range e.Family.Find(e.Family.Bag(e.File.Pkg), nm) {
			if m.Kind == ir.VarMember && e.Family.Entities[m.ID].File != nil {
				if o := e.Family.Entities[m.ID].File; !o.Closed(e.Family, ir.Var(m.Ref)) {
					e.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}, s)
				}
				return
			}
		}
	}
	e.Write(pointsto.CellKey{Kind: pointsto.NameCell, ID: e.File.ID, Sub: uint32(nm)}, s)
}
