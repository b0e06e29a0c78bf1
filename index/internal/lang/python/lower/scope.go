package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A slot is what a name means at this place in the text.
type slot struct {
	v      ir.Var // 0: it is free
	base   ir.Var // the variable as it is declared; v may be a version of it
	outer  ir.Var // what the name means outside of block, to which v flows
	block  int32  // in which v was made
	module bool   // of the module: only top-level code sees the versions
	many   bool   // each assignment makes a version
	bound  bool   // assigned before, in the text
}

// A change restores a slot at the end of a block or function.
type change struct {
	name ir.Str
	was  slot
}

// slot returns what a name means. The pointer is valid until the next call.
func (l *lowerer) slot(s ir.Str) *slot {
	if int(s) >= len(l.slots) {
		l.slots = append(l.slots, make([]slot, int(s)+64-len(l.slots))...)
	}
	return &l.slots[s]
}

// set changes what a name means until the end of the block.
func (l *lowerer) set(s ir.Str, to slot) {
	at := l.slot(s)
	l.undo = append(l.undo, change{s, *at})
	*at = to
}

func (l *lowerer) restore(mark int) {
	for i := len(l.undo) - 1; i >= mark; i-- {
		l.slots[l.undo[i].name] = l.undo[i].was
	}
	l.undo = l.undo[:mark]
}

// enterModule gives the names of the module that are bound more than once
// versions, as those of functions have. They are bound to the name as well:
// functions and other files see all that it ever meant.
func (l *lowerer) enterModule() {
	l.blocks++
	l.frame = frame{block: l.blocks}
	for _, b := range l.scopes[0].bound {
		if at := l.name(b.name); at.multi && !at.global {
			*l.slot(b.name) = slot{module: true, many: true, block: l.frame.block}
		}
	}
}

// A saved frame is what a function or class leaves behind it.
type saved struct {
	frame frame
	mark  int
}

// enterFunc begins the scope of a function that the Builder has begun: it
// declares the parameters and all else that the function binds.
func (l *lowerer) enterFunc(n syntax.Node) saved {
	was := saved{l.frame, len(l.undo)}
	l.blocks++
	l.frame.class, l.frame.inFunc, l.frame.once = 0, true, false
	l.frame.block = l.blocks
	sc := l.scopeOf(n)
	for _, b := range sc.bound {
		if at := l.slot(b.name); at.block == l.frame.block {
			at.many = !l.captured(sc, b.name)
			continue
		}
		v := l.variable(b.name, b.pos)
		l.set(b.name, slot{v: v, base: v, block: l.frame.block})
	}
	for _, s := range sc.global {
		l.set(s, slot{})
	}
	for _, s := range sc.outer {
		l.set(s, l.around(s, was.mark))
	}
	return was
}

// around returns what a name meant before the function that was entered at mark.
func (l *lowerer) around(s ir.Str, mark int) slot {
	at := *l.slot(s)
	for _, c := range l.undo[mark:] {
		if c.name == s {
			at = c.was
			break
		}
	}
	at.many = false
	return at
}

// leave ends a function or class.
func (l *lowerer) leave(was saved) {
	l.restore(was.mark)
	l.frame = was.frame
}

// variable makes a variable with a name.
func (l *lowerer) variable(s ir.Str, pos int) ir.Var {
	v := l.Temp(pos)
	l.VarInfo(v).Name = s
	return v
}

// block lowers something in a block of its own. After it the names mean what they
// meant before; what it assigned to them has flowed there.
func (l *lowerer) block(body func()) {
	was, where, mark := l.frame.block, l.frame.where, len(l.undo)
	l.blocks++
	l.frame.block = l.blocks
	body()
	l.restore(mark)
	l.frame.block, l.frame.where = was, where
}

// use reads a name.
func (l *lowerer) use(s ir.Str, pos int) ir.Expr {
	if c := l.frame.class; c != 0 && l.name(s).class == c {
		return l.Attr(l.ClassX(c, pos), l.text(s), pos)
	}
	if at := l.slot(s); at.v != 0 && !(at.module && (l.frame.inFunc || l.frame.static)) {
		return l.Local(at.v, pos)
	}
	return l.free(s, pos)
}

// declaration lowers a part of a declaration, which is read without regard to
// what happens before.
func (l *lowerer) declaration(lower func() ir.Expr) ir.Expr {
	was := l.frame.static
	l.frame.static = true
	defer func() { l.frame.static = was }()
	return lower()
}

// stands notes that a local variable stands for a definition, so that it can be
// read in declarations, too.
func (l *lowerer) stands(target, value ir.Expr) {
	if n := l.Raw().Exprs[target]; n.Op == ir.Local {
		if v := l.VarInfo(ir.Var(n.Ref)); v.Init == 0 {
			v.Init = value
		}
	}
}

func (l *lowerer) free(s ir.Str, pos int) ir.Expr {
	return l.Expr(ir.Node{Op: ir.Name, Name: s, Pos: l.Pos(pos)})
}

// assign returns the target of an assignment to a name.
func (l *lowerer) assign(s ir.Str, pos int) ir.Expr {
	if c := l.frame.class; c != 0 {
		l.field(c, s, pos)
		return l.Attr(l.ClassX(c, pos), l.text(s), pos)
	}
	at := l.slot(s)
	switch {
	case at.module && !l.frame.inFunc:
		return l.assignModule(s, pos)
	case at.v == 0 && (!l.frame.inFunc || l.name(s).global):
		l.top(s, pos)
		return l.free(s, pos)
	case at.v == 0 || at.module: // a binding that the scan does not know
		v := l.variable(s, pos)
		l.set(s, slot{v: v, base: v, block: l.frame.block})
		return l.Local(v, pos)
	case at.many && at.block == l.frame.block && !at.bound:
		at.bound = true
		return l.Local(at.v, pos)
	case at.many:
		return l.version(s, pos)
	}
	if at.v != at.base { // what a test of its type told about it holds no more
		to := *at
		to.v = to.base
		l.set(s, to)
	}
	return l.Local(l.slot(s).base, pos)
}

func (l *lowerer) assignModule(s ir.Str, pos int) ir.Expr {
	l.top(s, pos)
	if !l.slot(s).many {
		l.set(s, slot{})
		return l.free(s, pos)
	}
	x := l.version(s, pos)
	l.Bind(l.free(s, pos), x)
	return x
}

// version makes a new variable for a name that is assigned again. In a block what
// the name means outside of it may be this value from here on, or may not.
func (l *lowerer) version(s ir.Str, pos int) ir.Expr {
	outer := l.outer(s)
	v := l.variable(s, pos)
	if outer != 0 {
		l.Bind(l.Local(outer, pos), l.Local(v, pos))
	}
	l.enter(s, v, outer)
	return l.Local(v, pos)
}

// outer returns the variable that a name means outside of the current block.
func (l *lowerer) outer(s ir.Str) ir.Var {
	at := l.slot(s)
	if at.block == l.frame.block {
		return at.outer
	}
	return at.v
}

// enter makes v the meaning of a name in the current block.
func (l *lowerer) enter(s ir.Str, v, outer ir.Var) {
	at := l.slot(s)
	to := *at
	to.v, to.block, to.outer, to.bound = v, l.frame.block, outer, true
	if at.block == to.block {
		*at = to
		return
	}
	l.set(s, to)
}

// top declares a variable at the top of the file.
func (l *lowerer) top(s ir.Str, pos int) ir.Var {
	if v := l.name(s).top; v != 0 {
		return v
	}
	v := l.variable(s, pos)
	l.VarInfo(v).Func = 0
	l.name(s).top = v
	f := l.Raw()
	f.Top = append(f.Top, ir.Member{Name: s, Kind: ir.VarMember, Ref: uint32(v), Exported: l.exported(s)})
	return v
}

// narrow makes a name mean its value as an instance of a type, from here to the
// end of the block.
func (l *lowerer) narrow(s ir.Str, typ ir.Expr, pos int) {
	if typ == 0 || l.frame.class != 0 {
		return
	}
	at := *l.slot(s)
	if (at.v == 0 || at.module) && l.frame.inFunc {
		return // it belongs to the module, where others may change it
	}
	was := l.use(s, pos)
	outer := l.outer(s)
	v := l.variable(s, pos)
	l.Bind(l.Local(v, pos), l.Binary(ir.Cast, was, typ, pos))
	if at.v == 0 && !at.module {
		at.module = true
	}
	at.v, at.outer, at.block, at.bound = v, outer, l.frame.block, true
	l.set(s, at)
}
