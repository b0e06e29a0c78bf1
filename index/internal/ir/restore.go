package ir

import (
	"math"

	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// A restorer decodes a file.
type restorer struct {
	*snapshot.Decoder                   // the first stream
	nodes             *snapshot.Decoder // the second one
	guess
	roots forest
	last  Expr // the expression that was read last, of those of statements and declarations
	spare *Spare
}

// Restore returns the file that was saved. It takes any bytes; what is wrong with them
// the Decoder says. Where it finds nothing wrong, all numbers in the file are those of
// something, operands come before what they are of, and nothing lies in itself. It is
// equal to what was saved, but that an empty list is nil.
//
// spare may be nil. With one, the next Restore takes back all but the expressions, the
// arguments and the bodies of functions.
func Restore(d *snapshot.Decoder, spare *Spare) *File {
	if spare == nil {
		spare = &Spare{}
	}
	f := &File{}
	r := &restorer{Decoder: d, spare: spare}
	r.restore(f)
	if d.Err() != nil {
		return &File{}
	}
	return f
}

func (r *restorer) restore(f *File) {
	if v := r.Uint(); v != saveVersion {
		r.Fail("a file of version %d", v)
		return
	}
	f.Language = r.Decoder.String()
	r.strings(f)
	// An argument takes a byte, or its expression, which is in no other, does.
	exprs, args, vars, funcs, classes, imports := r.Len(1), r.Len(1), r.Len(2), r.Len(5), r.Len(5), r.Len(5)
	if r.Err() != nil || exprs == 0 || vars == 0 || funcs < 2 || classes == 0 || imports == 0 {
		r.Fail("a file without the first of its lists")
		return
	}
	s := r.spare
	f.Exprs = picked(&s.exprs, exprs)
	if args > 0 {
		f.Args = picked(&s.args, args)
	}
	f.Vars = renewed(&s.vars, vars)
	f.Funcs = renewed(&s.funcs, funcs)
	f.Bodies = make([][]Stmt, funcs)
	f.Classes = renewed(&s.classes, classes)
	f.Imports = renewed(&s.imports, imports)
	r.guess = newGuess(f, renewed(&s.first, exprs), renewed(&s.later, vars))
	f.Package = Str(r.Below(uint64(len(f.Strings))))
	r.nodes = snapshot.NewDecoder(r.Raw(r.Len(1)))
	r.vars()
	r.at, r.indent, r.known = At(1, 1), 0, 0
	for x := 1; x < exprs && r.ok(); x++ {
		r.node(Expr(x))
	}
	if r.ok() && int(r.args) != args {
		r.Fail("%d arguments of %d", r.args, args)
	}
	if !r.ok() {
		return
	}
	r.declarations()
	if r.ok() && r.nodes.Left() > 0 {
		r.Fail("%d bytes of nodes too many", r.nodes.Left())
	}
	if r.ok() {
		r.checkContainers()
	}
}

// ok reports whether all that has been read made sense.
func (r *restorer) ok() bool {
	if err := r.nodes.Err(); err != nil {
		r.Fail("nodes: %v", err)
	}
	return r.Err() == nil
}

func (r *restorer) declarations() {
	f := r.f
	r.roots = newForest(renewed(&r.spare.roots, len(r.first)+1), r.first)
	r.at = At(1, 1)
	r.funcs()
	for i := 1; i < len(f.Imports) && r.ok(); i++ {
		f.Imports[i] = ImportInfo{Module: r.name(), Name: r.name(), Alias: r.name(), Flags: ImportFlag(r.Byte()), Pos: r.placed()}
	}
	r.classes()
	for i := 1; i < len(f.Classes) && r.ok(); i++ {
		f.Classes[i].Members = r.members()
	}
	f.Top = r.members()
	if n := r.Len(1); n > 0 {
		f.Exports = make([]Export, n)
	}
	for i := range f.Exports {
		f.Exports[i] = Export{Name: r.name(), X: r.expr(), Pos: r.placed()}
	}
}

func (r *restorer) strings(f *File) {
	n := r.Len(1)
	if n == 0 {
		r.Fail("a file without strings")
		return
	}
	// All are parts of one: most files have a hundred.
	raw, ends := r.spare.raw[:0], renewed(&r.spare.ends, n)
	for i := 1; i < n && r.Err() == nil; i++ {
		raw = r.untilZero(raw)
		ends[i] = uint32(len(raw))
	}
	r.spare.raw = raw
	all := string(raw)
	f.Strings = renewed(&r.spare.strings, n)
	for i := 1; i < n && r.Err() == nil; i++ {
		f.Strings[i] = all[ends[i-1]:ends[i]]
	}
}

// untilZero appends the bytes of a string.
func (r *restorer) untilZero(raw []byte) []byte {
	for r.Err() == nil {
		c := r.Byte()
		if c == 0 {
			break
		}
		if c == 1 {
			if c = r.Byte() - 1; c > 1 {
				r.Fail("a string with %d after a one", c)
			}
		}
		raw = append(raw, c)
	}
	return raw
}

// nameFrom reads what nameTo wrote.
func (r *restorer) nameFrom(d *snapshot.Decoder) Str {
	n := d.Uint()
	if n < 4 {
		n += uint64(r.known) + 1
	} else {
		n -= 4
	}
	if n >= uint64(len(r.f.Strings)) {
		r.Fail("string %d of %d", n, len(r.f.Strings))
		return 0
	}
	r.known = max(r.known, Str(n))
	return Str(n)
}

func (r *restorer) name() Str { return r.nameFrom(r.nodes) }

// difference reads a number as difference to another. It is less than bound.
func (r *restorer) difference(to uint32, bound uint64) uint32 {
	n := r.Int() + int64(to)
	if n < 0 || uint64(n) >= bound {
		r.Fail("%d is not below %d", n, bound)
		return 0
	}
	return uint32(n)
}

// place reads a place that was written in a way.
func (r *restorer) place(how uint8, guessed Pos) Pos {
	line, column := int64(guessed.Line()), int64(guessed.Column())
	switch how {
	case placeNone:
		return 0
	case placeGuessed:
		return guessed
	case placeColumn:
		column += r.Int()
	case placeLine:
		line += r.Int()
		column = int64(r.indent) + r.Int()
		r.indent = int(column)
	}
	if line < 0 || line >= 1<<20 || column < 0 || column >= 1<<12 {
		r.Fail("line %d, column %d", line, column)
		return 0
	}
	return At(int(line), int(column))
}

// placed reads what placed of saver wrote.
func (r *restorer) placed() Pos {
	how := r.Byte()
	if how > placeNone {
		r.Fail("%d for a way to write places", how)
	}
	r.at = r.place(how, r.at)
	return r.at
}

func (r *restorer) vars() {
	f := r.f
	var last VarInfo
	for i := 1; i < len(f.Vars) && r.Err() == nil; i++ {
		v := &f.Vars[i]
		head := r.Byte()
		v.Name = r.nameFrom(r.Decoder)
		if head&varLater != 0 {
			r.later[i] = true
		} else if v.Pos = r.place(head&3, r.at); v.Pos != 0 {
			r.at = v.Pos
		}
		v.Func = last.Func
		if head&varFunc != 0 {
			v.Func = Func(r.difference(uint32(last.Func), uint64(len(f.Funcs))))
		}
		if head&varType != 0 {
			v.Type = Expr(r.difference(uint32(last.Type), uint64(len(f.Exprs))))
		} else if head&varSameType != 0 {
			v.Type = last.Type
		}
		if head&varInit != 0 {
			v.Init = Expr(r.difference(uint32(v.Type), uint64(len(f.Exprs))))
		}
		last.Func = v.Func
		if v.Type != 0 {
			last.Type = v.Type
		}
	}
}

func (r *restorer) node(x Expr) {
	n := &r.f.Exprs[x]
	head := r.nodes.Byte()
	n.Op = Op(head & opMask)
	if int(n.Op) >= len(usual) || n.Op == None {
		r.Fail("an expression of operation %d", n.Op)
		return
	}
	has := usual[n.Op]
	var extra uint8
	if head&unlike != 0 {
		extra = r.nodes.Byte()
		has ^= extra & toggled
	}
	if extra&withFlags != 0 {
		n.Flags = r.nodes.Byte()
	}
	if has&hasName != 0 {
		n.Name = r.name()
	}
	r.number(n, has)
	first := x
	if has&hasArgs != 0 {
		k := r.nodes.Uint()
		r.arguments(n, k)
		first = r.operands(x, n, has, k&2 != 0)
	} else if has&(hasA|hasB) != 0 {
		first = r.operands(x, n, has, extra&withOperands != 0)
	}
	if !r.ok() {
		return
	}
	n.Pos = r.place(head>>placeShift, r.guess.place(n))
	if n.Op == Local && n.Ref > r.seen && r.later[n.Ref] {
		r.f.Vars[n.Ref].Pos = n.Pos
	}
	r.done(x, first, n)
}

// number reads what number a node has.
func (r *restorer) number(n *Node, has uint8) {
	f := r.f
	if n.Op == Local {
		ref := r.nodes.Int() + int64(r.base)
		if ref <= 0 || ref >= int64(len(f.Vars)) {
			r.Fail("variable %d of %d", ref, len(f.Vars))
			return
		}
		n.Ref = uint32(ref)
		if has&hasName == 0 {
			n.Name = f.Vars[ref].Name
		}
		return
	}
	if has&hasRef != 0 {
		n.Ref = r.nodes.Uint32n()
	}
	least, bound := uint32(0), math.MaxInt
	switch n.Op {
	case Lambda:
		least, bound = 2, len(f.Funcs)
	case ClassX:
		least, bound = 1, len(f.Classes)
	case Name:
		bound = len(f.Classes)
	case Imported:
		least, bound = 1, len(f.Imports)
	case Lit:
		bound = len(f.Strings)
	}
	if n.Ref < least || uint64(n.Ref) >= uint64(bound) {
		r.Fail("number %d of %d in an expression of operation %d", n.Ref, bound, n.Op)
	}
}

// arguments reads the arguments of a node but for what they are, after their head.
func (r *restorer) arguments(n *Node, head uint64) {
	if head>>2 > uint64(len(r.f.Args))-uint64(r.args) {
		r.Fail("%d arguments of %d", head>>2, len(r.f.Args))
		return
	}
	n.Lo = r.args
	n.Hi = n.Lo + uint32(head>>2)
	r.args = n.Hi
	if head&1 == 0 {
		return
	}
	args := r.f.Args[n.Lo:n.Hi]
	for i := range args {
		args[i] = Arg{Kind: ArgKind(r.nodes.Byte()), Name: r.name()}
		if args[i].Kind > Block {
			r.Fail("an argument of kind %d", args[i].Kind)
			return
		}
	}
}

// operands finds the operands of a node and returns where it begins.
func (r *restorer) operands(x Expr, n *Node, has uint8, written bool) (first Expr) {
	if r.repeats(x, n.Op) && !written && has&hasB == 0 && n.Lo == n.Hi {
		n.A = r.f.Exprs[x-1].A
		return r.first[x-1]
	}
	first = x
	for k := n.Hi; k > n.Lo; k-- {
		r.f.Args[k-1].X, first = r.operand(x, first, written)
	}
	if n.Op == Cast {
		n.A, first = r.operand(x, first, written)
		n.B, first = r.operand(x, first, written)
		return first
	}
	if has&hasB != 0 {
		n.B, first = r.operand(x, first, written)
	}
	if has&hasA != 0 {
		n.A, first = r.operand(x, first, written)
	}
	return first
}

// operand finds an operand: see operand of saver.
func (r *restorer) operand(x, first Expr, written bool) (y, from Expr) {
	code := uint64(0)
	if written {
		code = r.nodes.Uint()
	}
	k := code / 3
	switch code % 3 {
	case 0:
		for ; k > 0 && first > 1; k-- {
			first = r.first[first-1]
		}
		if first <= 1 {
			r.Fail("expression %d has an operand too many", x)
			return 0, 0
		}
		return first - 1, r.first[first-1]
	case 1:
		if k < uint64(len(r.lits)) {
			return r.lits[k], first
		}
	case 2:
		if k > 0 && k <= uint64(x) {
			return x - Expr(k), first
		}
	}
	r.Fail("expression %d has operand %d", x, code)
	return 0, first
}
