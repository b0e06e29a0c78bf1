package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// eval evaluates one unit. Its buffers serve all units in turn.
type eval struct {
	g *family
	f *file
	n uint32 // the unit's number; 0: only declarations are evaluated, see static

	fn     ir.Func  // the function that is being evaluated
	class  ir.Class // the class, where there is no function: bases, types of fields
	readAt ir.Pos   // of the name that is being read: accessors run
	// fields: the initial values of the fields of class are being evaluated.
	fields bool

	locals  []set
	seen    []bool   // variables that were read in this pass
	seenIn  []uint32 // the part that read a variable last
	touched []uint32 // variables
	again   bool     // a variable grew after it had been read

	was, now  *record // of the last pass, and of this one
	none      record
	buffers   [2]record
	next      int    // the number of the part after this one
	part      uint32 // counts parts, for marks
	reran     bool   // a part was evaluated in this pass
	firstRead int    // of the part, in now
	firstEdge int

	reads   []uint32     // cells
	marks   blocks[mark] // by cell
	round   uint32       // the number of this evaluation of a unit
	written []uint32

	mute    int         // >0: no edges are made
	at      ir.Pos      // of the call that is being resolved
	last    []returning // what the last call may have run
	several severalResults
	open    []opened
	inner   []value // types that are being looked into, see inside
	idle    []*calling
	types   bool // a type is meant, not a value

	forEffect bool // the next call is a statement: nobody uses what it returns
	unused    bool // what the call that is being resolved returns is not used
}

func newEval(g *family) *eval {
	return &eval{g: g}
}

// static returns an evaluator of declarations: types, bases and what imports bring.
// It reads no cell and makes no edge.
func (g *family) static(f *file, fn ir.Func, c ir.Class) *eval {
	g.load(f)
	if g.depth == 0 {
		g.steps = 0
	}
	e := &eval{}
	if n := len(g.statics); n > 0 {
		e, g.statics = g.statics[n-1], g.statics[:n-1]
	}
	*e = eval{g: g, f: f, fn: fn, class: c, mute: 1}
	return e
}

// done gives a static evaluator back for the next one. A caller that keeps it must not call done.
func (g *family) done(e *eval) { g.statics = append(g.statics, e) }

// unit evaluates a unit until its own variables no longer change.
func (e *eval) unit(n uint32, u *unit) {
	e.g.load(u.file)
	e.g.steps = 0
	e.f, e.n, e.class = u.file, n, 0
	f := u.file.ir
	if len(e.locals) < len(f.Vars) {
		e.locals = make([]set, len(f.Vars)*2)
		e.seen = make([]bool, len(f.Vars)*2)
		e.seenIn = make([]uint32, len(f.Vars)*2)
	}
	e.reads = e.reads[:0]
	e.round++
	e.written = e.written[:0]
	e.recall(u.memo)
	for i := 0; ; i++ {
		e.again, e.reran, e.next = false, false, 0
		e.now = &e.buffers[i&1]
		e.now.reset()
		e.several.x = 0
		for fn := u.first; fn != 0; fn = u.file.next[fn] {
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
	gives       set
}

func (e *eval) mark(at uint32) *mark {
	e.marks.extend(int(at) + 1)
	return e.marks.at(at)
}

// cell reads a cell.
func (e *eval) cell(key cellKey) set {
	if e.n == 0 {
		return 0
	}
	at := e.g.cell(key)
	if e.g.replay != nil {
		e.g.replay.enter(e.g, at)
	}
	m := e.mark(at)
	if m.read != e.round {
		m.read = e.round
		e.reads = append(e.reads, at)
	}
	s := e.g.cells.at(at).value
	if m.part != e.part {
		m.part = e.part
		e.now.reads = append(e.now.reads, reading{at, s})
	}
	return s
}

// give adds to a cell.
func (e *eval) give(at uint32, s set) {
	m := e.mark(at)
	if m.wrote != e.round {
		m.wrote, m.gives = e.round, 0
		e.written = append(e.written, at)
	}
	m.gives = e.g.values.union(m.gives, s)
}

func (e *eval) write(key cellKey, s set) {
	if s != 0 && e.n != 0 {
		e.give(e.g.cell(key), s)
	}
}

// local reads a local variable, of this unit or of one around it.
func (e *eval) local(v ir.Var) set {
	if e.n == 0 {
		if init := e.f.ir.Vars[v].Init; init != 0 && e.f.lang.aliasVars {
			return e.g.union(e.f.varTypes[v], e.eval(init))
		}
		return e.f.varTypes[v]
	}
	info := &e.f.ir.Vars[v]
	if info.Func == 0 {
		return e.g.orDeclared(e.cell(cellKey{cVar, e.f.vars[v], 0}), e.f.varTypes[v])
	}
	if e.f.unitOf[info.Func] != e.n {
		return e.g.orDeclared(e.cell(cellKey{cLocal, e.f.id, uint32(v)}), e.f.varTypes[v])
	}
	s := e.locals[v]
	if e.seenIn[v] != e.part {
		e.seenIn[v] = e.part
		e.look(uint32(v))
		e.now.reads = append(e.now.reads, reading{uint32(v) | localRead, s})
	}
	if e.f.shared[info.Func] {
		s = e.g.union(s, e.cell(cellKey{cLocal, e.f.id, uint32(v)}))
	}
	return e.g.orDeclared(s, e.f.varTypes[v])
}

// setLocal adds to a local variable.
func (e *eval) setLocal(v ir.Var, s set) {
	info := &e.f.ir.Vars[v]
	if s == 0 || e.n == 0 {
		return
	}
	if t := e.f.varTypes[v]; t != 0 {
		if e.hasFunc(s) {
			e.contextual(s, t, nil)
		}
		if !e.g.open(t, e.f.lang) {
			return
		}
		s = e.admit(t, s)
	}
	if info.Func == 0 {
		e.write(cellKey{cVar, e.f.vars[v], 0}, s)
		return
	}
	if e.f.unitOf[info.Func] != e.n {
		e.write(cellKey{cLocal, e.f.id, uint32(v)}, s)
		return
	}
	if e.f.shared[info.Func] {
		e.write(cellKey{cLocal, e.f.id, uint32(v)}, s)
	}
	if n := e.g.union(e.locals[v], s); n != e.locals[v] {
		if e.locals[v] == 0 && !e.seen[v] {
			e.touched = append(e.touched, uint32(v))
		}
		if e.seen[v] {
			e.again = true
		}
		e.locals[v] = n
	}
}

func (g *family) union(a, b set) set { return g.values.union(a, b) }

// function evaluates the parameters and the body of one function.
func (e *eval) function(fn ir.Func) {
	e.fn = fn
	f := e.f.ir
	info := &f.Funcs[fn]
	id := e.f.funcs[fn]
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
	for _, c := range e.f.inner[fn] {
		e.classBody(c)
	}
}

// head evaluates what stands before the body of a function.
func (e *eval) head(fn ir.Func, info *ir.FuncInfo, id ID) {
	g := e.g
	if info.Self != 0 {
		e.setLocal(info.Self, e.self(fn))
	}
	for i, p := range info.Params {
		s := e.cell(cellKey{cParam, id, uint32(i)})
		if p.Default != 0 {
			s = g.union(s, e.eval(p.Default))
		}
		if info.Flags&(ir.TestFunc|ir.Entry) != 0 {
			s = g.union(s, e.f.lang.Injected(e, fn, p))
		}
		if p.Kind == ir.BlockParam {
			s = g.union(s, e.cell(cellKey{cBlock, id, 0}))
		}
		e.setLocal(p.Var, s)
		if p.Type != 0 {
			e.typeRefs(p.Type)
		}
	}
	for _, x := range info.Results {
		e.typeRefs(x)
	}
	for i, s := range e.f.results.of(fn) {
		e.write(cellKey{cResult, id, uint32(i)}, s)
	}
	if !e.f.lang.decorates {
		for _, x := range info.Decorators() {
			e.eval(x)
		}
	}
}

// topLevel evaluates what stands in classes and in exports.
func (e *eval) topLevel() {
	f := e.f.ir
	for c := 1; c < len(f.Classes); c++ {
		if e.f.within[c] == 0 {
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
				e.setLocal(ir.Var(m.Ref), e.eval(v.Init))
			}
			e.end()
		}
	}
	if !e.begin() {
		return
	}
	for _, x := range f.Exports {
		s := e.eval(x.X)
		e.write(cellKey{cName, e.f.id, uint32(e.g.names.intern("export:" + f.String(x.Name)))}, s)
	}
	for i := 1; i < len(f.Imports); i++ {
		for _, to := range append(e.f.targets[i].in[:len(e.f.targets[i].in):len(e.f.targets[i].in)], e.f.targets[i].loads...) {
			if e.g.entities[to].kind == FileNode && to != e.f.id {
				e.edge(Edge{From: e.f.id, To: to, Kind: Imports, Rule: ByImport, Pos: f.Imports[i].Pos})
			}
		}
	}
	e.end()
}

// classBody evaluates what stands in a class outside of its functions.
func (e *eval) classBody(c ir.Class) {
	f := e.f.ir
	info := &f.Classes[c]
	e.class = c
	if e.begin() {
		e.classHead(c, info)
		e.end()
	}
	e.fields = true
	for _, m := range info.Members {
		if m.Kind != ir.VarMember || !e.begin() {
			continue
		}
		v := &f.Vars[m.Ref]
		if v.Type != 0 {
			e.typeRefsFrom(v.Type, e.f.classes[c])
		}
		if v.Init != 0 {
			e.setLocal(ir.Var(m.Ref), e.eval(v.Init))
			e.f.lang.ExpectInit(e, v.Init, e.f.varTypes[m.Ref])
		}
		e.end()
	}
	e.class, e.fields = 0, false
}

// classHead evaluates what stands before the body of a class.
func (e *eval) classHead(c ir.Class, info *ir.ClassInfo) {
	for _, b := range info.Bases {
		e.baseRefs(c, b)
	}
	for _, up := range e.g.satisfied[e.f.classes[c]] {
		e.edge(Edge{From: e.f.classes[c], To: up, Kind: Implements, Rule: ByHierarchy, Pos: info.Pos})
	}
	if !e.f.lang.decorates {
		e.fields = e.f.lang.classCode
		for _, x := range info.Decorators {
			e.eval(x)
		}
		e.fields = false
	}
	if info.Target != 0 && info.Kind != ir.Extends {
		e.typeRefsFrom(info.Target, e.f.classes[c])
	}
}

func (e *eval) stmt(s ir.Stmt, info *ir.FuncInfo, id ID) {
	switch s.Op {
	case ir.Eval, ir.Raise:
		e.forEffect = e.f.lang.callsForEffect
		e.eval(s.A)
		e.forEffect = false
	case ir.Bind:
		e.bind(s.A, e.eval(s.B))
		e.f.lang.ExpectAssigned(e, s.A, s.B)
	case ir.Yield:
		e.write(cellKey{cYield, id, 0}, e.eval(s.A))
	case ir.Return:
		e.giveResult(info, id, s.A)
	}
}

func (e *eval) giveResult(info *ir.FuncInfo, id ID, x ir.Expr) {
	declared := e.f.results.of(e.fn)
	if n := &e.f.ir.Exprs[x]; n.Op == ir.List && e.f.ir.String(n.Name) == "results" {
		for i, a := range e.f.ir.Args[n.Lo:n.Hi] {
			s := e.eval(a.X)
			if i >= len(info.Results) || e.g.open(declared[i], e.f.lang) {
				e.write(cellKey{cResult, id, uint32(i)}, s)
			}
		}
		return
	}
	s := e.eval(x)
	e.f.lang.ExpectReturned(e, x)
	if len(info.Results) > 0 {
		e.become(declared[0], s)
		if e.hasFunc(s) {
			e.contextual(s, declared[0], nil)
		}
	}
	if len(info.Results) == 0 {
		e.write(cellKey{cResult, id, 0}, s)
	} else if e.g.open(declared[0], e.f.lang) {
		e.write(cellKey{cResult, id, 0}, e.admit(declared[0], s))
	}
}

// bind assigns to a target.
func (e *eval) bind(x ir.Expr, s set) {
	f := e.f.ir
	n := &f.Exprs[x]
	switch n.Op {
	case ir.Local:
		e.setLocal(ir.Var(n.Ref), s)
	case ir.Name:
		e.bindName(n, s)
	case ir.Attr:
		recv := e.eval(n.A)
		for _, v := range e.g.elems(recv) {
			e.setAttr(v, e.f.names[n.Name], s, n.Pos)
		}
	case ir.Index:
		e.eval(n.B)
		recv := e.eval(n.A)
		at := e.at
		e.at = n.Pos
		for _, v := range e.g.elems(recv) {
			e.setItem(v, n.Name, s)
		}
		e.at = at
		if e.f.lang.sharedStores {
			e.store(n.A, e.eval(n.A), s)
		}
	case ir.List:
		at := e.at
		e.at = n.Pos // what taking elements out runs is called here
		defer func() { e.at = at }()
		spread := false
		for i, a := range f.Args[n.Lo:n.Hi] {
			switch {
			case a.Kind == ir.Spread && e.f.lang.restIsList:
				spread = true
				e.bind(a.X, e.generic("list", e.itemsFrom(s, i)))
			case a.Kind == ir.Spread:
				e.bind(a.X, s)
			case spread:
				e.bind(a.X, e.itemsFrom(s, i))
			default:
				e.bind(a.X, e.item(s, itemName(i)))
			}
		}
	case ir.Object:
		for _, a := range f.Args[n.Lo:n.Hi] {
			if a.Kind != ir.Plain {
				e.bind(a.X, s)
				continue
			}
			e.bind(a.X, e.attrValues(s, e.f.names[a.Name]))
		}
	case ir.Deref, ir.Cast:
		e.bind(n.A, s)
	case ir.Union, ir.Opaque:
		for _, a := range f.Args[n.Lo:n.Hi] {
			e.bind(a.X, s)
		}
	case ir.Assign: // a default in a pattern
		e.bind(n.A, e.g.union(s, e.eval(n.B)))
	default:
		e.eval(x)
	}
}

func (e *eval) bindName(n *ir.Node, s set) {
	nm := e.f.names[n.Name]
	if recv, pending := e.f.lang.LambdaReceiver(e, nm); recv != 0 || pending {
		for _, v := range e.g.elems(recv) {
			e.setAttr(v, nm, s, n.Pos)
		}
		return
	}
	if c := e.implicitClass(); c != nil {
		if found, _ := e.g.member(c, nm); len(found) > 0 {
			e.setAttr(e.g.self(c, vDecl), nm, s, n.Pos)
			return
		}
	}
	for _, m := range e.g.find(e.g.bag(e.f.id), nm) {
		if m.kind == ir.VarMember {
			if !e.f.closed(e.g, ir.Var(m.ref)) {
				e.write(cellKey{cVar, m.id, 0}, e.admit(e.f.varTypes[m.ref], s))
			}
			return
		}
	}
	if e.f.pkg != 0 {
		for _, m := range e.g.find(e.g.bag(e.f.pkg), nm) {
			if m.kind == ir.VarMember && e.g.entities[m.id].file != nil {
				if o := e.g.entities[m.id].file; !o.closed(e.g, ir.Var(m.ref)) {
					e.write(cellKey{cVar, m.id, 0}, s)
				}
				return
			}
		}
	}
	e.write(cellKey{cName, e.f.id, uint32(nm)}, s)
}

var itemNames = [...]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

func itemName(i int) string {
	if i < len(itemNames) {
		return itemNames[i]
	}
	return someItem
}

// itemsFrom is any item of a sequence from one on.
func (e *eval) itemsFrom(s set, from int) set {
	out := set(0)
	for i := from; i < len(itemNames); i++ {
		out = e.g.union(out, e.item(s, itemNames[i]))
	}
	return out
}
