package walk

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// OpenFunc begins the function that n declares, as BeginFunc.
func (w *Walker) OpenFunc(n syntax.Node, name string, pos int, flags ir.FuncFlag) ir.Func {
	f := w.BeginFunc(name, pos)
	info := w.FuncInfo(f)
	info.Flags, info.Start = flags, uint32(w.Start(n))
	return f
}

// OpenClass begins the class that n declares, as BeginClass.
func (w *Walker) OpenClass(n syntax.Node, name string, kind ir.ClassKind, pos int) ir.Class {
	c := w.BeginClass(name, kind, pos)
	w.ClassInfo(c).Start = uint32(w.Start(n))
	return c
}

// DefineFunc binds the name of a function to it where it is written.
func (w *Walker) DefineFunc(f ir.Func, static, exported bool, pos int) {
	w.Define(ir.Member{Name: w.FuncInfo(f).Name, Kind: ir.FuncMember, Ref: uint32(f), Static: static, Exported: exported}, pos)
}

// DefineClass binds the name of a class to it where it is written.
func (w *Walker) DefineClass(c ir.Class, static, exported bool, pos int) {
	w.Define(ir.Member{Name: w.ClassInfo(c).Name, Kind: ir.ClassMember, Ref: uint32(c), Static: static, Exported: exported}, pos)
}

// SetTypeParams gives a function its type parameters.
func (w *Walker) SetTypeParams(f ir.Func, list []ir.TypeParam) { w.FuncInfo(f).SetTypeParams(list) }

// SetResult gives a function the type of its result, if it declares one.
func (w *Walker) SetResult(f ir.Func, typ ir.Expr) {
	if typ != 0 {
		w.FuncInfo(f).Results = []ir.Expr{typ}
	}
}

// SetRecv gives a function the type that it is a method of.
func (w *Walker) SetRecv(f ir.Func, typ ir.Expr) { w.FuncInfo(f).Recv = typ }

// AddBase gives a class a base, if it is one.
func (w *Walker) AddBase(c ir.Class, x ir.Expr, kind ir.BaseKind) {
	if x != 0 {
		info := w.ClassInfo(c)
		info.Bases = append(info.Bases, ir.Base{X: x, Kind: kind})
	}
}

// AddField declares a variable of the class that is being written, or of the file.
func (w *Walker) AddField(name string, pos int, typ, init ir.Expr, static, exported bool) ir.Var {
	v := w.Declare(name, pos)
	info := w.VarInfo(v)
	info.Type, info.Init = typ, init
	w.SetMember(v, static, exported)
	return v
}

// SetMember says how the variable that was declared last is a member of its class or
// of the file, if it is one.
func (w *Walker) SetMember(v ir.Var, static, exported bool) {
	list := w.Raw().Top
	if c := w.Class(); c != 0 {
		list = w.ClassInfo(c).Members
	}
	if n := len(list); n > 0 && list[n-1].Kind == ir.VarMember && list[n-1].Ref == uint32(v) {
		list[n-1].Static, list[n-1].Exported = static, exported
	}
}

// Bound is target = value where both are there; else what is there is evaluated.
// A value of which nothing is known is none.
func (w *Walker) Bound(target, value ir.Expr) {
	switch {
	case target == 0:
		w.Eval(value)
	case value != 0:
		w.Bind(target, value)
	}
}

// Scoped lowers a node with names of its own.
func (w *Walker) Scoped(n syntax.Node, lower func(syntax.Node)) {
	if n != 0 {
		w.PushScope()
		lower(n)
		w.PopScope()
	}
}

// When returns a flag where something holds, else none.
func When[F ~uint8 | ~uint32](holds bool, flag F) F {
	if holds {
		return flag
	}
	return 0
}
