package frame

import (
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Enclosing calls yield for each class around what is evaluated, innermost first.
func (fr *Frame) Enclosing(yield func(c ir.Class) bool) {
	f := fr.File.IR
	c := fr.Class
	if c == 0 && fr.Func != 0 {
		c = program.ClassAround(f, fr.Func)
	}
	for range program.MaxNesting {
		if c == 0 || !yield(c) {
			return
		}
		info := &f.Classes[c]
		if info.Outer != 0 {
			c = info.Outer
		} else if info.Func != 0 {
			c = program.ClassAround(f, info.Func)
		} else {
			return
		}
	}
}

// ImplicitClass is the class whose members are in scope without "this", or nil.
func (fr *Frame) ImplicitClass() *program.Class {
	if !fr.File.Lang.ImplicitThis {
		return nil
	}
	var found *program.Class
	fr.Enclosing(func(c ir.Class) bool {
		found = fr.Family.Classes[fr.Family.Canonical(fr.File, c)]
		return false
	})
	if found == nil {
		found = fr.RecvClass(fr.Func)
	}
	return found
}

// RecvClass is the class that a function written outside of it is a method of.
func (fr *Frame) RecvClass(fn ir.Func) *program.Class {
	for range program.MaxNesting {
		if fn == 0 {
			return nil
		}
		info := &fr.File.IR.Funcs[fn]
		if info.Recv != 0 {
			for _, v := range fr.Family.Elems(fr.File.Recv[fn]) {
				if c := fr.Family.ClassOf(v); c != nil {
					return c
				}
			}
			return nil
		}
		fn = info.Outer
	}
	return nil
}

// OwnReceiver is the receiver that a name without one has in the methods of a
// class, if it is a member there. Constructors go by other names.
func (fr *Frame) OwnReceiver(k *program.Class, n intern.Name) (pointsto.Set, bool) {
	list, at := fr.Family.Member(k, n)
	if at < 0 {
		return 0, false
	}
	if fn := fr.Family.Func(list[0].ID); fn != nil && fn.Flags&ir.Constructor != 0 && !fr.File.Lang.NamedConstructors {
		return 0, false
	}
	if this := fr.Self(fr.Func); this != 0 {
		for _, v := range fr.Family.Elems(this) {
			if c := fr.Family.ClassOf(v); c != nil && c == k {
				return this, true
			}
		}
	}
	return fr.Family.Values.Single(fr.Family.Self(k, pointsto.Decl)), true
}

// Self is the receiver as a function sees it: an instance of its class, or what is
// known to reach it.
func (fr *Frame) Self(fn ir.Func) pointsto.Set {
	g, f := fr.Family, fr.File.IR
	if fr.Fields {
		fn = 0
	}
	for range program.MaxNesting {
		if fn == 0 {
			break
		}
		info := &f.Funcs[fn]
		if info.Name == 0 && fr.rules.HasReceiver(fr.Family, fr.File, fn) {
			return fr.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: fr.File.Funcs[fn], Sub: 0})
		}
		c := (*program.Class)(nil)
		if info.Class != 0 && (info.Recv == 0 || info.Flags&ir.Extension == 0) {
			c = g.Classes[g.Canonical(fr.File, info.Class)]
		} else if info.Recv != 0 {
			if s := fr.File.Recv[fn]; s != 0 {
				return g.Union(s, fr.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: fr.File.Funcs[fn], Sub: 0}))
			}
		}
		if c != nil {
			flow := fr.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: fr.File.Funcs[fn], Sub: 0})
			if info.Flags&ir.ClassMethod != 0 || info.Flags&ir.Static != 0 {
				return g.Union(flow, fr.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(c.ID)}))
			}
			return g.OrDeclared(flow, g.Values.Single(program.SelfValue(g, c)))
		}
		if info.Outer == 0 {
			return fr.Cell(pointsto.CellKey{Kind: pointsto.SelfCell, ID: fr.File.Funcs[fn], Sub: 0})
		}
		fn = info.Outer
	}
	if fr.Class != 0 {
		if c := g.Classes[g.Canonical(fr.File, fr.Class)]; c != nil {
			if c.Info.Kind == ir.Extends && c.Target != 0 {
				return c.Target
			}
			return g.Values.Single(program.SelfValue(g, c))
		}
	}
	return 0
}
