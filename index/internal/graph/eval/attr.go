package eval

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// AttrValues is AttrAt without edges.
func (e *Evaluator) AttrValues(recv pointsto.Set, n intern.Name) pointsto.Set {
	e.Mute++
	defer func() { e.Mute-- }()
	return e.AttrAt(recv, n, 0)
}

// AttrAt is a member of a name of some values, read at a place; 0: without edges.
func (e *Evaluator) AttrAt(recv pointsto.Set, n intern.Name, pos ir.Pos) pointsto.Set {
	out := pointsto.Set(0)
	for _, v := range e.Family.Elems(recv) {
		s, found := e.Lang.Property(e, v, n, pos)
		if !found {
			s, found = e.Attr(v, n, pos)
		}
		if !found {
			s, _ = e.Lang.MissingProperty(e, v, n, pos)
		}
		out = e.Family.Union(out, s)
	}
	return out
}

// AttrFound also says whether any of the values has the name.
func (e *Evaluator) AttrFound(recv pointsto.Set, n intern.Name) (out pointsto.Set, found bool) {
	e.Mute++
	defer func() { e.Mute-- }()
	for _, v := range e.Family.Elems(recv) {
		s, ok := e.Attr(v, n, 0)
		out, found = e.Family.Union(out, s), found || ok
	}
	return out, found
}

// opened is a member that is being looked for: one that embeds what holds it in turn
// leads back to itself.
type opened struct {
	in   pointsto.Value
	name intern.Name
}

// Attr is the member of a value. found is false when the value is known to have no
// such member.
func (e *Evaluator) Attr(v pointsto.Value, n intern.Name, pos ir.Pos) (s pointsto.Set, found bool) {
	g := e.Family
	at := opened{v, n}
	if slices.Contains(e.open, at) || e.TooDeep() {
		return 0, false
	}
	e.open = append(e.open, at)
	defer func() { e.open = e.open[:len(e.open)-1]; e.Up() }()
	i := g.Values.Info[v]
	switch i.Kind {
	case pointsto.External:
		return e.externalAttr(i, n), true
	case pointsto.Generic:
		if s, found, ok := e.Lang.Member(e, v, n, pos); ok {
			return s, found
		}
		if list := e.Lang.Extensions(e, i, n); len(list) > 0 {
			return e.Bound(list, v, nil, pos), true
		}
		return e.External(g.Names.Intern(g.Names.Text[i.ID] + "." + g.Names.Text[n])), true
	case pointsto.Module:
		s, found := e.Within(edge.ID(i.ID), n, 0)
		if !found && e.File.Lang.Pack == program.ByName {
			// A package that lies partly outside.
			return e.External(g.Names.Intern(strings.TrimPrefix(g.Qualified(edge.ID(i.ID))+"."+g.Names.Text[n], "."))), true
		}
		return s, found
	case pointsto.Inst, pointsto.Decl:
		c := g.Classes[edge.ID(i.ID)]
		if c == nil {
			return 0, false
		}
		return e.instanceAttr(v, c, 0, n, pos)
	case pointsto.Super:
		c := g.Classes[edge.ID(i.ID)]
		recv := g.ClassOf(i.Base)
		if c == nil {
			return 0, false
		}
		if recv == nil || !program.InMRO(g.MRO(recv), c) {
			recv = c
		}
		if g.Values.Info[i.Base].Kind == pointsto.Class {
			return e.classAttr(i.Base, recv, program.AfterInMRO(g.MRO(recv), c), n, pos)
		}
		return e.instanceAttr(i.Base, recv, program.AfterInMRO(g.MRO(recv), c), n, pos)
	case pointsto.Class:
		c := g.Classes[edge.ID(i.ID)]
		if c == nil {
			return 0, false
		}
		if c.Info.Kind == ir.Alias {
			out := pointsto.Set(0)
			for _, w := range g.Elems(Aliased(g, c)) {
				if k := g.ClassOf(w); k != nil {
					r, ok := e.Attr(g.Values.Intern(pointsto.Info{Kind: pointsto.Class, ID: uint32(k.ID)}), n, pos)
					out, found = g.Union(out, r), found || ok
				} else if w := g.Values.Info[w]; w.Kind == pointsto.External {
					return e.externalAttr(w, n), true
				}
			}
			return out, found
		}
		return e.classAttr(v, c, 0, n, pos)
	case pointsto.Object:
		if s, found, ok := e.Lang.Member(e, v, n, pos); ok {
			return s, found
		}
		s := e.Item(g.Values.Single(v), g.Names.Text[n])
		if list := g.Find(g.Foreign[g.Entities[i.ID].Name], n); len(list) > 0 {
			s = g.Union(s, e.Bound(list, v, nil, pos))
		}
		return e.Rebind(s, v), s != 0
	case pointsto.Func:
		// A function with fields, or a constructor of the old kind.
		if g.Names.Text[n] == "prototype" {
			return e.Single(pointsto.Info{Kind: pointsto.Object, ID: i.ID}), true
		}
		return e.Cell(pointsto.CellKey{Kind: pointsto.ItemCell, ID: edge.ID(i.ID), Sub: uint32(n)}), false
	case pointsto.Param:
		out := pointsto.Set(0)
		for _, b := range g.Elems(e.BoundOf(i)) {
			r, ok := e.Attr(b, n, pos)
			out, found = g.Union(out, r), found || ok
		}
		return out, found
	}
	return 0, false
}

// externalAttr is a member of something outside the index. Its path grows by the
// name, up to a length that no real path has.
func (e *Evaluator) externalAttr(i pointsto.Info, n intern.Name) pointsto.Set {
	g := e.Family
	if list := e.Lang.Extensions(e, i, n); len(list) > 0 {
		return e.Bound(list, g.Values.Intern(i), nil, e.At)
	}
	path := g.Names.Text[i.ID]
	if len(path) > 80 {
		return g.Values.Single(g.Values.Intern(i))
	}
	return e.External(g.Names.Intern(path + "." + g.Names.Text[n]))
}

// BoundOf is what a type parameter is known to be.
func (e *Evaluator) BoundOf(i pointsto.Info) pointsto.Set {
	g := e.Family
	at := &g.Entities[i.ID]
	if at.File == nil {
		return 0
	}
	if s, ok := g.Bounds[i]; ok {
		return s
	}
	switch at.Kind {
	case edge.FuncNode:
		if ps := at.File.IR.Funcs[at.Ref].TypeParams(); int(i.Base) < len(ps) {
			return TypeIn(g, at.File, ir.Func(at.Ref), 0, ps[i.Base].Bound)
		}
	case edge.ClassNode:
		if ps := at.File.IR.Classes[at.Ref].TypeParams; int(i.Base) < len(ps) {
			return TypeIn(g, at.File, 0, ir.Class(at.Ref), ps[i.Base].Bound)
		}
	}
	return 0
}

// instanceAttr is a member of an instance, looked up from a place in its class's
// MRO on.
func (e *Evaluator) instanceAttr(recv pointsto.Value, c *program.Class, from int, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	g := e.Family
	mro := g.MRO(c)
	out := pointsto.Set(0)
	for _, s := range mro[min(from, len(mro)):] {
		if list := g.SideOf(e.File.Lang, g.Declared(s.Class, n), false); len(list) > 0 {
			if s.Via != nil {
				return e.AttrAt(e.held(s.Via, recv), n, pos), true
			}
			out = g.Union(out, e.Bound(list, recv, &s, pos))
			if c.File.Lang.Dynamic {
				out = g.Values.UnionOf([]pointsto.Set{out, e.Undeclared(mro[from:], n), e.fieldsBelow(recv, c, list[0], n)})
			}
			return out, true
		}
	}
	if c.File.Lang.Dynamic || c.Info.Kind != ir.Interface {
		out = e.Undeclared(mro[min(from, len(mro)):], n)
	}
	if c.Target != 0 && c.File.Lang.DefinedTypes {
		if s, ok := e.underlying(c, n, pos); ok {
			return s, true
		}
	} else if c.Target != 0 && out == 0 && from == 0 {
		for _, v := range g.Elems(c.Target) {
			if v != recv {
				s, ok := e.Attr(v, n, pos)
				if ok {
					return s, true
				}
			}
		}
	}
	if out != 0 {
		return out, true
	}
	if s, ok := e.Lang.MissingMember(e, recv, c, from, n, pos); ok {
		return s, true
	}
	for _, s := range mro[min(from, len(mro)):] {
		if s.Class.Foreign {
			return e.ForeignBase(s.Class, n), true
		}
	}
	return 0, false
}

// maxBelow bounds how many classes below one are asked for a field.
const maxBelow = 64

// fieldsBelow are the values that classes below have in a field of a class, where instances
// have what their class has and self may be one of these.
func (e *Evaluator) fieldsBelow(recv pointsto.Value, c *program.Class, field program.Entry, n intern.Name) pointsto.Set {
	g, l := e.Family, c.File.Lang
	if field.Kind != ir.VarMember || l.SplitsStatic || l.ClassMethodsApart || g.Values.Info[recv].Kind != pointsto.Decl {
		return 0
	}
	out := pointsto.Set(0)
	below := g.BelowOf(c)
	for _, id := range below[:min(len(below), maxBelow)] {
		if sub := g.Classes[id]; sub != nil {
			if list := g.Declared(sub, n); len(list) > 0 {
				at := g.MRO(sub)[0]
				out = g.Union(out, e.Bound(list, g.Self(sub, pointsto.Decl), &at, 0))
			}
		}
	}
	return out
}

// Bound are members as seen on a receiver.
func (e *Evaluator) Bound(list []program.Entry, recv pointsto.Value, at *program.Ancestor, pos ir.Pos) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	list = e.Lang.InSight(e, list)
	for _, m := range list {
		f := g.Entities[m.ID].File
		if f == nil {
			continue
		}
		switch m.Kind {
		case ir.FuncMember:
			fn := &f.IR.Funcs[m.Ref]
			switch {
			case fn.Flags&ir.Getter != 0:
				e.Access(m, recv, pos)
				e.PassSelf(m.ID, recv)
				out = g.Union(out, e.Family.Instantiate(e.Returned(m.ID, recv, nil), recv, at))
			case fn.Flags&ir.Setter != 0:
			case len(fn.Decorators()) > 0 && f.Lang.Decorates && fn.Flags&(ir.Static|ir.ClassMethod) == 0:
				for _, w := range g.Elems(e.DecoratedMember(m)) {
					if i := g.Values.Info[w]; i.Kind == pointsto.Func {
						w = g.Values.Intern(pointsto.Info{Kind: pointsto.Bound, ID: i.ID, Base: recv, Args: i.Args})
					}
					out = g.Union(out, g.Values.Single(w))
				}
			case fn.Flags&ir.Static != 0:
				out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)}))
			default:
				out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Bound, ID: uint32(m.ID), Base: recv}))
			}
		case ir.VarMember:
			if t := e.Family.Instantiate(f.VarTypes[m.Ref], recv, at); f.Lang.Exact && t != f.VarTypes[m.Ref] && g.Settled(t, f.Lang) {
				out = g.Union(out, t)
				continue
			}
			s := g.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}), f.VarTypes[m.Ref])
			out = g.Union(out, e.Family.Instantiate(s, recv, at))
		default:
			out = g.Union(out, e.EntryValue(m, 0))
		}
	}
	return out
}

// held is what lies in the embedded field that an ancestor is reached through.
func (e *Evaluator) held(v *program.Via, recv pointsto.Value) pointsto.Set {
	return e.Bound([]program.Entry{v.Field}, recv, &v.Owner, 0)
}

// underlying is a member that a named type takes over from the type it is made
// of: fields, and what they promote, but no methods, unless that is an interface.
func (e *Evaluator) underlying(c *program.Class, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	g := e.Family
	if e.TooDeep() {
		return 0, false
	}
	defer e.Up()
	for _, v := range g.Values.Elems(c.Target) {
		k := g.ClassOf(v)
		if k == c {
			continue
		}
		if k == nil {
			if i := g.Values.Info[v]; i.Kind == pointsto.External && !c.File.Lang.Predeclared[g.Names.Text[i.ID]] {
				return e.Attr(v, n, pos)
			}
			continue
		}
		if k.Abstract() {
			return e.Attr(v, n, pos)
		}
		for i, s := range g.MRO(k) {
			list := g.Declared(s.Class, n)
			if len(list) == 0 || i == 0 && list[0].Kind == ir.FuncMember {
				continue
			}
			if s.Via != nil {
				return e.AttrFound(e.held(s.Via, v), n)
			}
			return e.Bound(list, v, &s, pos), true
		}
		if s, ok := e.underlying(k, n, pos); ok {
			return s, true
		}
	}
	return 0, false
}
