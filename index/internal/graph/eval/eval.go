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
	G    *program.Family
	F    *program.File
	Lang Language // of f
	N    uint32   // the unit's number; 0: only declarations are evaluated, see static

	Fn     ir.Func  // the function that is being evaluated
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
	Marks   intern.Blocks[mark] // by cell
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
	e.G.Load(u.File)
	e.G.Steps = 0
	e.F, e.Lang, e.N, e.class = u.File, rulesOf(u.File.Lang), n, 0
	f := u.File.Ir
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

// A mark is what an evaluation has done to a cell: a slice by cell, in which an older
// number means nothing, where a map would have to be cleared for each unit.
type mark struct {
	read, wrote uint32 // the evaluation that did it last
	part        uint32 // the part that read it last
	Gives       pointsto.Set
}

func (e *Evaluator) mark(at uint32) *mark {
	e.Marks.Extend(int(at) + 1)
	return e.Marks.At(at)
}

// Cell reads a cell.
func (e *Evaluator) Cell(key pointsto.CellKey) pointsto.Set {
	if e.N == 0 {
		return 0
	}
	at := e.G.Cell(key)
	if e.G.Entering != nil {
		e.G.Entering(at)
	}
	m := e.mark(at)
	if m.read != e.round {
		m.read = e.round
		e.Reads = append(e.Reads, at)
	}
	s := e.G.Cells.At(at).Value
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
		m.wrote, m.Gives = e.round, 0
		e.Written = append(e.Written, at)
	}
	m.Gives = e.G.Values.Union(m.Gives, s)
}

func (e *Evaluator) Write(key pointsto.CellKey, s pointsto.Set) {
	if s != 0 && e.N != 0 {
		e.give(e.G.Cell(key), s)
	}
}

// local reads a local variable, of this unit or of one around it.
func (e *Evaluator) local(v ir.Var) pointsto.Set {
	if e.N == 0 {
		if init := e.F.Ir.Vars[v].Init; init != 0 && e.F.Lang.AliasVars {
			return e.G.Union(e.F.VarTypes[v], e.Eval(init))
		}
		return e.F.VarTypes[v]
	}
	info := &e.F.Ir.Vars[v]
	if info.Func == 0 {
		return e.G.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.VarCell, Id: e.F.Vars[v], Sub: 0}), e.F.VarTypes[v])
	}
	if e.F.UnitOf[info.Func] != e.N {
		return e.G.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.LocalCell, Id: e.F.Id, Sub: uint32(v)}), e.F.VarTypes[v])
	}
	s := e.locals[v]
	if e.seenIn[v] != e.part {
		e.seenIn[v] = e.part
		e.look(uint32(v))
		e.now.Reads = append(e.now.Reads, program.Reading{At: uint32(v) | program.LocalRead, Value: s})
	}
	if e.F.Shared[info.Func] {
		s = e.G.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.LocalCell, Id: e.F.Id, Sub: uint32(v)}))
	}
	return e.G.OrDeclared(s, e.F.VarTypes[v])
}

// setLocal adds to a local variable.
func (e *Evaluator) setLocal(v ir.Var, s pointsto.Set) {
	info := &e.F.Ir.Vars[v]
	if s == 0 || e.N == 0 {
		return
	}
	if t := e.F.VarTypes[v]; t != 0 {
		if e.HasFunc(s) {
			e.Contextual(s, t, nil)
		}
		if !e.G.Open(t, e.F.Lang) {
			return
		}
		s = e.admit(t, s)
	}
	if info.Func == 0 {
		e.Write(pointsto.CellKey{Kind: pointsto.VarCell, Id: e.F.Vars[v], Sub: 0}, s)
		return
	}
	if e.F.UnitOf[info.Func] != e.N {
		e.Write(pointsto.CellKey{Kind: pointsto.LocalCell, Id: e.F.Id, Sub: uint32(v)}, s)
		return
	}
	if e.F.Shared[info.Func] {
		e.Write(pointsto.CellKey{Kind: pointsto.LocalCell, Id: e.F.Id, Sub: uint32(v)}, s)
	}
	if n := e.G.Union(e.locals[v], s); n != e.locals[v] {
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
	e.Fn = fn
	f := e.F.Ir
	info := &f.Funcs[fn]
	id := e.F.Funcs[fn]
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
	for _, c := range e.F.Inner[fn] {
		e.classBody(c)
	}
}

// head evaluates what stands before the body of a function.
func (e *Evaluator) head(fn ir.Func, info *ir.FuncInfo, id edge.ID) {
	g := e.G
	if info.Self != 0 {
		e.setLocal(info.Self, e.Self(fn))
	}
	for i, p := range info.Params {
		s := e.Cell(pointsto.CellKey{Kind: pointsto.ParamCell, Id: id, Sub: uint32(i)})
		if p.Default != 0 {
			s = g.Union(s, e.Eval(p.Default))
		}
		if info.Flags&(ir.TestFunc|ir.Entry) != 0 {
			s = g.Union(s, e.Lang.Injected(e, fn, p))
		}
		if p.Kind == ir.BlockParam {
			s = g.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.BlockCell, Id: id, Sub: 0}))
		}
		e.setLocal(p.Var, s)
		if p.Type != 0 {
			e.typeRefs(p.Type)
		}
	}
	for _, x := range info.Results {
		e.typeRefs(x)
	}
	for i, s := range e.F.Results.Of(fn) {
		e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, Id: id, Sub: uint32(i)}, s)
	}
	if !e.F.Lang.Decorates {
		for _, x := range info.Decorators() {
			e.Eval(x)
		}
	}
}

// topLevel evaluates what stands in classes and in exports.
func (e *Evaluator) topLevel() {
	f := e.F.Ir
	for c := 1; c < len(f.Classes); c++ {
		if e.F.Within[c] == 0 {
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
		e.Write(pointsto.CellKey{Kind: pointsto.NameCell, Id: e.F.Id, Sub: uint32(e.G.Names.Intern("export:" + f.String(x.Name)))}, s)
	}
	for i := 1; i < len(f.Imports); i++ {
		for _, to := range append(e.F.Targets[i].In[:len(e.F.Targets[i].In):len(e.F.Targets[i].In)], e.F.Targets[i].Loads...) {
			if e.G.Entities[to].Kind == edge.FileNode && to != e.F.Id {
				e.edge(edge.Edge{From: e.F.Id, To: to, Kind: edge.Imports, Rule: edge.ByImport, Pos: f.Imports[i].Pos})
			}
		}
	}
	e.end()
}

// classBody evaluates what stands in a class outside of its functions.
func (e *Evaluator) classBody(c ir.Class) {
	f := e.F.Ir
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
			e.typeRefsFrom(v.Type, e.F.Classes[c])
		}
		if v.Init != 0 {
			e.setLocal(ir.Var(m.Ref), e.Eval(v.Init))
			e.Lang.ExpectInit(e, v.Init, e.F.VarTypes[m.Ref])
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
	for _, up := range e.G.Satisfied[e.F.Classes[c]] {
		e.edge(edge.Edge{From: e.F.Classes[c], To: up, Kind: edge.Implements, Rule: edge.ByHierarchy, Pos: info.Pos})
	}
	if !e.F.Lang.Decorates {
		e.Fields = e.F.Lang.ClassCode
		for _, x := range info.Decorators {
			e.Eval(x)
		}
		e.Fields = false
	}
	if info.Target != 0 && info.Kind != ir.Extends {
		e.typeRefsFrom(info.Target, e.F.Classes[c])
	}
}

func (e *Evaluator) stmt(s ir.Stmt, info *ir.FuncInfo, id edge.ID) {
	switch s.Op {
	case ir.Eval, ir.Raise:
		e.forEffect = e.F.Lang.CallsForEffect
		e.Eval(s.A)
		e.forEffect = false
	case ir.Bind:
		e.Bind(s.A, e.Eval(s.B))
		e.Lang.ExpectAssigned(e, s.A, s.B)
	case ir.Yield:
		e.Write(pointsto.CellKey{Kind: pointsto.YieldCell, Id: id, Sub: 0}, e.Eval(s.A))
	case ir.Return:
		e.giveResult(info, id, s.A)
	}
}

func (e *Evaluator) giveResult(info *ir.FuncInfo, id edge.ID, x ir.Expr) {
	declared := e.F.Results.Of(e.Fn)
	if n := &e.F.Ir.Exprs[x]; n.Op == ir.List && e.F.Ir.String(n.Name) == "results" {
		for i, a := range e.F.Ir.Args[n.Lo:n.Hi] {
			s := e.Eval(a.X)
			if i >= len(info.Results) || e.G.Open(declared[i], e.F.Lang) {
				e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, Id: id, Sub: uint32(i)}, s)
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
		e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, Id: id, Sub: 0}, s)
	} else if e.G.Open(declared[0], e.F.Lang) {
		e.Write(pointsto.CellKey{Kind: pointsto.ResultCell, Id: id, Sub: 0}, e.admit(declared[0], s))
	}
}

// Bind assigns to a target.
func (e *Evaluator) Bind(x ir.Expr, s pointsto.Set) {
	f := e.F.Ir
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Local:
		e.setLocal(ir.Var(n.Ref), s)
	case ir.Name:
		e.bindName(n, s)
	case ir.Attr:
		recv := e.Eval(n.A)
		for _, v := range e.G.Elems(recv) {
			e.setAttr(v, e.F.Names[n.Name], s, n.Pos)
		}
	case ir.Index:
		e.Eval(n.B)
		recv := e.Eval(n.A)
		at := e.At
		e.At = n.Pos
		for _, v := range e.G.Elems(recv) {
			e.setItem(v, n.Name, s)
		}
		e.At = at
		if e.F.Lang.SharedStores {
			e.store(n.A, e.Eval(n.A), s)
		}
	case ir.List:
		at := e.At
		e.At = n.Pos // what taking elements out runs is called here
		defer func() { e.At = at }()
		spread := false
		for i, a := range f.Args[n.Lo:n.Hi] {
			switch {
			case a.Kind == ir.Spread && e.F.Lang.RestIsList:
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
			e.Bind(a.X, e.AttrValues(s, e.F.Names[a.Name]))
		}
	case ir.Deref, ir.Cast:
		e.Bind(n.A, s)
	case ir.Union, ir.Opaque:
		for _, a := range f.Args[n.Lo:n.Hi] {
			e.Bind(a.X, s)
		}
	case ir.Assign: // a default in a pattern
		e.Bind(n.A, e.G.Union(s, e.Eval(n.B)))
	default:
		e.Eval(x)
	}
}

func (e *Evaluator) bindName(n *ir.Node, s pointsto.Set) {
	nm := e.F.Names[n.Name]
	if recv, pending := e.Lang.LambdaReceiver(e, nm); recv != 0 || pending {
		for _, v := range e.G.Elems(recv) {
			e.setAttr(v, nm, s, n.Pos)
		}
		return
	}
	if c := e.implicitClass(); c != nil {
		if found, _ := e.G.Member(c, nm); len(found) > 0 {
			e.setAttr(e.G.Self(c, pointsto.Decl), nm, s, n.Pos)
			return
		}
	}
	for _, m := range e.G.Find(e.G.Bag(e.F.Id), nm) {
		if m.Kind == ir.VarMember {
			if !e.F.Closed(e.G, ir.Var(m.Ref)) {
				e.Write(pointsto.CellKey{Kind: pointsto.VarCell, Id: m.Id, Sub: 0}, e.admit(e.F.VarTypes[m.Ref], s))
			}
			return
		}
	}
	if e.F.Pkg != 0 {
		for _, m := range e.G.Find(e.G.Bag(e.F.Pkg), nm) {
			if m.Kind == ir.VarMember && e.G.Entities[m.Id].File != nil {
				if o := e.G.Entities[m.Id].File; !o.Closed(e.G, ir.Var(m.Ref)) {
					e.Write(pointsto.CellKey{Kind: pointsto.VarCell, Id: m.Id, Sub: 0}, s)
				}
				return
			}
		}
	}
	e.Write(pointsto.CellKey{Kind: pointsto.NameCell, Id: e.F.Id, Sub: uint32(nm)}, s)
}

var ItemNames = [...]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

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
		out = e.G.Union(out, e.Item(s, ItemNames[i]))
	}
	return out
}
