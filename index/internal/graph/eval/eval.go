package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Evaluator evaluates one unit. Its buffers serve all units in turn.
type Evaluator struct {
	Family     *program.Family
	File       *program.File
	Lang       Language // of f
	UnitNumber uint32   // the unit's number; 0: only declarations are evaluated, see static

	Func   ir.Func  // the function that is being evaluated
	class  ir.Class // the class, where there is no function: bases, types of fields
	readAt ir.Pos   // of the name that is being read: accessors run
	// Fields: the initial values of the fields of class are being evaluated.
	Fields bool

	locals  []pointsto.Set
	seen    []bool   // variables that were read in this pass
	seenIn  []uint32 // the part that read a variable last
	touched []uint32 // variables
	again   bool     // a variable grew after it had been read

	was, now  *program.Record // of the last pass, and of this one
	none      program.Record
	buffers   [2]program.Record
	next      int    // the number of the part after this one
	part      uint32 // counts parts, for marks
	reran     bool   // a part was evaluated in this pass
	firstRead int    // of the part, in now
	firstEdge int

	Reads   []uint32            // cells
	Marks   intern.Blocks[Mark] // by cell
	round   uint32              // the number of this evaluation of a unit
	Written []uint32

	Mute    int         // >0: no edges are made
	At      ir.Pos      // of the call that is being resolved
	last    []returning // what the last call may have run
	several severalResults
	open    []opened
	inner   []pointsto.Value // types that are being looked into, see inside
	idle    []*Call
	Types   bool // a type is meant, not a value

	forEffect bool // the next call is a statement: nobody uses what it returns
	unused    bool // what the call that is being resolved returns is not used
}

// Unit evaluates a unit until its own variables no longer change.
func (e *Evaluator) Unit(n uint32, u *program.Unit) {
	e.Family.Load(u.File)
	e.Family.Steps = 0
	e.File, e.Lang, e.UnitNumber, e.class = u.File, rulesOf(u.File.Lang), n, 0
	f := u.File.IR
	if len(e.locals) < len(f.Vars) {
		e.locals = make([]pointsto.Set, len(f.Vars)*2)
		e.seen = make([]bool, len(f.Vars)*2)
		e.seenIn = make([]uint32, len(f.Vars)*2)
	}
	e.Reads = e.Reads[:0]
	e.round++
	e.Written = e.Written[:0]
	e.recall(u.Memo)
	for i := 0; ; i++ {
		e.again, e.reran, e.next = false, false, 0
		e.now = &e.buffers[i&1]
		e.now.Reset()
		e.several.x = 0
		for fn := u.First; fn != 0; fn = u.File.Next[fn] {
			e.function(fn)
		}
		if e.reran {
			e.was = e.now
		}
		if !e.again {
			break
		}
		for _, v := range e.touched {
			e.seen[v] = false
		}
	}
	e.remember(u)
}

// A Mark is what an evaluation has done to a cell: a slice by cell, in which an older
// number means nothing, where a map would have to be cleared for each unit.
type Mark struct {
	read, wrote uint32 // the evaluation that did it last
	part        uint32 // the part that read it last
	Added       pointsto.Set
}

func (e *Evaluator) mark(at uint32) *Mark {
	e.Marks.Extend(int(at) + 1)
	return e.Marks.At(at)
}

// Cell reads a cell.
func (e *Evaluator) Cell(key pointsto.CellKey) pointsto.Set {
	if e.UnitNumber == 0 {
		return 0
	}
	at := e.Family.Cell(key)
	if e.Family.Entering != nil {
		e.Family.Entering(at)
	}
	m := e.mark(at)
	if m.read != e.round {
		m.read = e.round
		e.Reads = append(e.Reads, at)
	}
	s := e.Family.Cells.At(at).Value
	if m.part != e.part {
		m.part = e.part
		e.now.Reads = append(e.now.Reads, program.Reading{At: at, Value: s})
	}
	return s
}

// give adds to a cell.
func (e *Evaluator) give(at uint32, s pointsto.Set) {
	m := e.mark(at)
	if m.wrote != e.round {
		m.wrote, m.Added = e.round, 0
		e.Written = append(e.Written, at)
	}
	m.Added = e.Family.Values.Union(m.Added, s)
}

// Write adds to the cell of a key.
func (e *Evaluator) Write(key pointsto.CellKey, s pointsto.Set) {
	if s != 0 && e.UnitNumber != 0 {
		e.give(e.Family.Cell(key), s)
	}
}

// local reads a local variable, of this unit or of one around it.
func (e *Evaluator) local(v ir.Var) pointsto.Set {
	if e.UnitNumber == 0 {
		if init := e.File.IR.Vars[v].Init; init != 0 && e.File.Lang.AliasVars {
			return e.Family.Union(e.File.VarTypes[v], e.Eval(init))
		}
		return e.File.VarTypes[v]
	}
	info := &e.File.IR.Vars[v]
	if info.Func == 0 {
		return e.Family.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.VarCell, ID: e.File.Vars[v], Sub: 0}), e.File.VarTypes[v])
	}
	if e.File.UnitOf[info.Func] != e.UnitNumber {
		return e.Family.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.LocalCell, ID: e.File.ID, Sub: uint32(v)}), e.File.VarTypes[v])
	}
	s := e.locals[v]
	if e.seenIn[v] != e.part {
		e.seenIn[v] = e.part
		e.look(uint32(v))
		e.now.Reads = append(e.now.Reads, program.Reading{At: uint32(v) | program.LocalRead, Value: s})
	}
	if e.File.Shared[info.Func] {
		s = e.Family.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.LocalCell, ID: e.File.ID, Sub: uint32(v)}))
	}
	return e.Family.OrDeclared(s, e.File.VarTypes[v])
}

// setLocal adds to a local variable.
func (e *Evaluator) setLocal(v ir.Var, s pointsto.Set) {
	info := &e.File.IR.Vars[v]
	if s == 0 || e.UnitNumber == 0 {
		return
	}
	if t := e.File.VarTypes[v]; t != 0 {
		if e.HasFunc(s) {
			e.Contextual(s, t, nil)
		}
		if !e.Family.Open(t, e.File.Lang) {
			return
		}
		s = e.admit(t, s)
	}
	if info.Func == 0 {
		e.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: e.File.Vars[v], Sub: 0}, s)
		return
	}
	if e.File.UnitOf[info.Func] != e.UnitNumber {
		e.Write(pointsto.CellKey{Kind: pointsto.LocalCell, ID: e.File.ID, Sub: uint32(v)}, s)
		return
	}
	if e.File.Shared[info.Func] {
		e.Write(pointsto.CellKey{Kind: pointsto.LocalCell, ID: e.File.ID, Sub: uint32(v)}, s)
	}
	if n := e.Family.Union(e.locals[v], s); n != e.locals[v] {
		if e.locals[v] == 0 && !e.seen[v] {
			e.touched = append(e.touched, uint32(v))
		}
		if e.seen[v] {
			e.again = true
		}
		e.locals[v] = n
	}
}

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
		e.giveResult(info, id, s.A)
	}
}

func (e *Evaluator) giveResult(info *ir.FuncInfo, id edge.ID, x ir.Expr) {
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

// ItemNames are the names of the first items of a literal.
var ItemNames = [...]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

// ItemName is the name of an item of a literal.
func ItemName(i int) string {
	if i < len(ItemNames) {
		return ItemNames[i]
	}
	return pointsto.SomeItem
}

// itemsFrom is any item of a sequence from one on.
func (e *Evaluator) itemsFrom(s pointsto.Set, from int) pointsto.Set {
	out := pointsto.Set(0)
	for i := from; i < len(ItemNames); i++ {
		out = e.Family.Union(out, e.Item(s, ItemNames[i]))
	}
	return out
}
