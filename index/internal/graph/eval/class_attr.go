package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// classAttr is a member of a class itself.
func (e *Evaluator) classAttr(v pointsto.Value, c *program.Class, from int, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	g := e.Family
	mro := g.MRO(c)
	if s, ok := e.Lang.ClassMember(e, v, c, n); ok {
		return s, true
	}
	out, found := pointsto.Set(0), false
	for _, s := range mro[min(from, len(mro)):] {
		list := g.SideOf(e.File.Lang, g.Declared(s.Class, n), true)
		if len(list) == 0 {
			continue
		}
		found = true
		at := s
		for _, m := range list {
			f := g.Entities[m.ID].File
			if f == nil {
				continue
			}
			if m.Kind == ir.FuncMember {
				fn := &f.IR.Funcs[m.Ref]
				switch {
				case fn.Flags&ir.ClassMethod != 0:
					out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Bound, ID: uint32(m.ID), Base: v}))
				case fn.Flags&ir.Getter != 0:
					if pos != 0 {
						e.Property(m.ID, pos)
					}
					out = g.Union(out, e.Returned(m.ID, v, nil))
				case c.File.Lang.ClassMethodsApart && m.Static:
					out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Bound, ID: uint32(m.ID), Base: v}))
				case c.File.Lang.ClassMethodsApart && fn.Flags&ir.Static == 0:
					continue // an instance's method is none of the class
				case c.File.Lang.Decorates && len(fn.Decorators()) > 0 && fn.Flags&ir.Static == 0:
					out = g.Union(out, e.DecoratedMember(m))
				case fn.Flags&ir.Static != 0 && c.File.Lang.Dynamic:
					// The receiver counts where static methods have one (static::, this in static).
					out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Bound, ID: uint32(m.ID), Base: v}))
				default:
					out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)}))
				}
				continue
			}
			if m.Kind == ir.VarMember {
				s := e.Bound([]program.Entry{m}, v, &at, pos)
				if info := &f.IR.Vars[m.Ref]; s == 0 && c.Info.Kind == ir.Enum && info.Type == 0 {
					s = g.Values.Single(g.Self(c, pointsto.Inst)) // a variant is an instance
				}
				out = g.Union(out, s)
				continue
			}
			out = g.Union(out, e.EntryValue(m, 0))
		}
		if out != 0 || !c.File.Lang.ClassMethodsApart {
			break
		}
	}
	for _, s := range mro[min(from, len(mro)):] {
		if s.Class.File.Lang.Dynamic {
			out = g.Union(out, e.Cell(pointsto.CellKey{Kind: pointsto.StaticCell, ID: s.Class.ID, Sub: uint32(n)}))
		}
		if r, ok := e.Lang.ClassMethodsOf(e, s.Class, v, n, pos); ok {
			out, found = g.Union(out, r), true
		}
		for _, b := range s.Class.Bases { // methods of extended modules are the class's own
			if b.Kind != ir.Meta {
				continue
			}
			for _, w := range g.Elems(b.Values) {
				if k := g.ClassOf(w); k != nil {
					r, ok := e.instanceAttr(v, k, 0, n, pos)
					out, found = g.Union(out, r), found || ok
				}
			}
		}
	}
	if out != 0 {
		return out, true
	}
	if field := c.File.Lang.ClassField; field != "" && g.Names.Text[n] == field {
		return 0, true
	}
	if !found {
		for _, s := range mro {
			if s.Class.Foreign {
				return e.ForeignBase(s.Class, n), true
			}
		}
	}
	return 0, found
}

// setAttr assigns to a member of a value.
func (e *Evaluator) setAttr(v pointsto.Value, n intern.Name, s pointsto.Set, pos ir.Pos) {
	g := e.Family
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.Inst, pointsto.Decl, pointsto.Class:
		c := g.Classes[edge.ID(i.ID)]
		if c == nil {
			return
		}
		if i.Kind != pointsto.Class {
			n = e.Lang.Field(c, n, g.Names.Text[n])
		}
		if list, at := g.Member(c, n); at >= 0 && e.SetMember(list, v, s, pos) {
			return
		}
		if i.Kind == pointsto.Class {
			e.Write(pointsto.CellKey{Kind: pointsto.StaticCell, ID: c.ID, Sub: uint32(n)}, s)
		} else if c.File.Lang.Dynamic {
			e.Write(pointsto.CellKey{Kind: pointsto.AttrCell, ID: c.ID, Sub: uint32(n)}, s)
		}
	case pointsto.Module:
		for _, m := range g.Find(g.Bag(edge.ID(i.ID)), n) {
			if m.Kind == ir.VarMember {
				e.SetMember([]program.Entry{m}, v, s, pos)
				return
			}
		}
		if g.Entities[i.ID].Kind == edge.FileNode {
			e.Write(pointsto.CellKey{Kind: pointsto.NameCell, ID: edge.ID(i.ID), Sub: uint32(n)}, s)
		}
	case pointsto.Object:
		e.PutItem(edge.ID(i.ID), g.Names.Text[n], s)
	case pointsto.Func:
		e.Write(pointsto.CellKey{Kind: pointsto.ItemCell, ID: edge.ID(i.ID), Sub: uint32(n)}, s)
	case pointsto.External:
		e.setOutside(i, s)
	}
}

// setOutside is an assignment to a member of something outside of the index, which may do with
// the value what a call may that is handed it.
func (e *Evaluator) setOutside(i pointsto.Info, s pointsto.Set) {
	e.Lang.Unresolved(e, &Call{External: intern.Name(i.ID), Args: []Argument{{Value: s}}})
}

// SetMember assigns to declared members; it reports whether one takes the value.
func (e *Evaluator) SetMember(list []program.Entry, recv pointsto.Value, s pointsto.Set, pos ir.Pos) bool {
	g := e.Family
	done := false
	for _, m := range list {
		f := g.Entities[m.ID].File
		if f == nil {
			continue
		}
		switch m.Kind {
		case ir.VarMember:
			done = true
			if t := f.VarTypes[m.Ref]; t != 0 && e.HasFunc(s) {
				e.Contextual(s, t, nil)
			}
			if !f.Closed(g, ir.Var(m.Ref)) {
				e.Become(f.VarTypes[m.Ref], s)
				e.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}, e.Family.Admit(f.VarTypes[m.Ref], s, e.File.Lang))
			}
		case ir.FuncMember:
			fn := &f.IR.Funcs[m.Ref]
			if fn.Flags&ir.Setter != 0 {
				done = true
				e.Access(m, recv, pos)
				e.PassSelf(m.ID, recv)
				e.Pass(m.ID, len(fn.Params)-1, s)
			} else if fn.Flags&ir.Getter != 0 {
				done = true
			}
		}
	}
	return done
}
