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

// attrSet is x.name read as a value: accessors run.
func (e *Evaluator) attrSet(recv pointsto.Set, n *ir.Node) pointsto.Set {
	return e.AttrAt(recv, e.File.Names[n.Name], n.Pos)
}

// AttrValues is attrSet without edges.
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
	if slices.Contains(e.open, at) || e.tooDeep() {
		return 0, false
	}
	e.open = append(e.open, at)
	defer func() { e.open = e.open[:len(e.open)-1]; e.up() }()
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
			return e.classAttr(i.Base, recv, afterInMRO(g.MRO(recv), c), n, pos)
		}
		return e.instanceAttr(i.Base, recv, afterInMRO(g.MRO(recv), c), n, pos)
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
		return e.rebind(s, v), s != 0
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

// rebind makes functions that lie in a literal its methods.
func (e *Evaluator) rebind(s pointsto.Set, recv pointsto.Value) pointsto.Set {
	out := pointsto.Set(0)
	for _, v := range e.Family.Elems(s) {
		if i := e.Family.Values.Info[v]; i.Kind == pointsto.Func {
			v = e.Family.Values.Intern(pointsto.Info{Kind: pointsto.Bound, ID: i.ID, Base: recv})
		}
		out = e.Family.Union(out, e.Family.Values.Single(v))
	}
	return out
}

func afterInMRO(mro []program.Ancestor, c *program.Class) int {
	for i, s := range mro {
		if s.Class == c {
			return i + 1
		}
	}
	return len(mro)
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
		if list := e.sideOf(g.Declared(s.Class, n), false); len(list) > 0 {
			if s.Via != nil {
				return e.AttrAt(e.held(s.Via, recv), n, pos), true
			}
			out = g.Union(out, e.Bound(list, recv, &s, pos))
			if c.File.Lang.Dynamic {
				out = g.Union(out, e.Undeclared(mro[from:], n))
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

// Undeclared are the values of a field that is assigned and never declared.
func (e *Evaluator) Undeclared(mro []program.Ancestor, n intern.Name) pointsto.Set {
	out := pointsto.Set(0)
	for _, s := range mro {
		if s.Class.File.Lang.Dynamic {
			out = e.Family.Union(out, e.Cell(pointsto.CellKey{Kind: pointsto.AttrCell, ID: s.Class.ID, Sub: uint32(n)}))
		}
	}
	return out
}

// ForeignBase is a member that a base outside the index may have.
func (e *Evaluator) ForeignBase(c *program.Class, n intern.Name) pointsto.Set {
	for _, b := range c.Bases {
		for _, v := range e.Family.Elems(b.Values) {
			if i := e.Family.Values.Info[v]; i.Kind == pointsto.External || i.Kind == pointsto.Generic {
				return e.External(e.Family.Names.Intern(e.Family.Names.Text[i.ID] + "." + e.Family.Names.Text[n]))
			}
		}
	}
	return 0
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
				e.access(m, recv, pos)
				e.PassSelf(m.ID, recv)
				out = g.Union(out, e.Instantiate(e.Returned(m.ID, recv, nil), recv, at))
			case fn.Flags&ir.Setter != 0:
			case len(fn.Decorators()) > 0 && f.Lang.Decorates && fn.Flags&(ir.Static|ir.ClassMethod) == 0:
				for _, w := range g.Elems(e.decoratedMember(m)) {
					if i := g.Values.Info[w]; i.Kind == pointsto.Func {
						w = g.Values.Intern(pointsto.Info{Kind: pointsto.Bound, ID: i.ID, Base: recv})
					}
					out = g.Union(out, g.Values.Single(w))
				}
			case fn.Flags&ir.Static != 0:
				out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)}))
			default:
				out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Bound, ID: uint32(m.ID), Base: recv}))
			}
		case ir.VarMember:
			if t := e.Instantiate(f.VarTypes[m.Ref], recv, at); f.Lang.Exact && t != f.VarTypes[m.Ref] && settled(g, t, f.Lang) {
				out = g.Union(out, t)
				continue
			}
			s := g.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}), f.VarTypes[m.Ref])
			out = g.Union(out, e.Instantiate(s, recv, at))
		default:
			out = g.Union(out, e.EntryValue(m, 0))
		}
	}
	return out
}

// decoratedMember is what the decorators of a method leave in its place. Without
// evaluation, in declarations, it is the method.
func (e *Evaluator) decoratedMember(m program.Entry) pointsto.Set {
	if e.UnitNumber == 0 {
		return e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)})
	}
	return e.Cell(pointsto.CellKey{Kind: pointsto.StaticCell, ID: e.Family.CanonicalID(e.Family.Entities[m.ID].Outer), Sub: uint32(m.Name)})
}

// Instantiate puts the receiver's type arguments into what a member of its class gives.
func (e *Evaluator) Instantiate(s pointsto.Set, recv pointsto.Value, at *program.Ancestor) pointsto.Set {
	g := e.Family
	if at == nil || !g.HasParam(s, pointsto.MaxDepth+1) {
		return s
	}
	c := g.ClassOf(recv)
	return g.Subst(s, func(p pointsto.Info) (pointsto.Set, bool) {
		if edge.ID(p.ID) == at.Class.ID {
			arg := g.Values.Arg(at.As, int(p.Base))
			if c == nil {
				return arg, arg != 0
			}
			arg = g.Subst(arg, func(q pointsto.Info) (pointsto.Set, bool) { return g.ArgOf(recv, c, q) })
			return arg, arg != 0
		}
		return 0, false
	})
}

// classAttr is a member of a class itself.
func (e *Evaluator) classAttr(v pointsto.Value, c *program.Class, from int, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	g := e.Family
	mro := g.MRO(c)
	if s, ok := e.Lang.ClassMember(e, v, c, n); ok {
		return s, true
	}
	out, found := pointsto.Set(0), false
	for _, s := range mro[min(from, len(mro)):] {
		list := e.sideOf(g.Declared(s.Class, n), true)
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
					out = g.Union(out, e.decoratedMember(m))
				case fn.Flags&ir.Static != 0:
					// The receiver counts where static methods have one (static::, this in static).
					if c.File.Lang.Dynamic {
						out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Bound, ID: uint32(m.ID), Base: v}))
						continue
					}
					out = g.Union(out, e.Single(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)}))
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
	case pointsto.Inst, pointsto.Decl:
		c := g.Classes[edge.ID(i.ID)]
		if c == nil {
			return
		}
		n = e.Lang.Field(c, n, g.Names.Text[n])
		if list, at := g.Member(c, n); at >= 0 && e.SetMember(list, v, s, pos) {
			return
		}
		if c.File.Lang.Dynamic {
			e.Write(pointsto.CellKey{Kind: pointsto.AttrCell, ID: c.ID, Sub: uint32(n)}, s)
		}
	case pointsto.Class:
		c := g.Classes[edge.ID(i.ID)]
		if c == nil {
			return
		}
		if list, at := g.Member(c, n); at >= 0 && e.SetMember(list, v, s, pos) {
			return
		}
		e.Write(pointsto.CellKey{Kind: pointsto.StaticCell, ID: c.ID, Sub: uint32(n)}, s)
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
	}
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
				e.become(f.VarTypes[m.Ref], s)
				e.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: m.ID, Sub: 0}, e.admit(f.VarTypes[m.Ref], s))
			}
		case ir.FuncMember:
			fn := &f.IR.Funcs[m.Ref]
			if fn.Flags&ir.Setter != 0 {
				done = true
				e.access(m, recv, pos)
				e.PassSelf(m.ID, recv)
				e.Pass(m.ID, len(fn.Params)-1, s)
			} else if fn.Flags&ir.Getter != 0 {
				done = true
			}
		}
	}
	return done
}

// sideOf leaves of the members of a class those of its instances, or its own.
func (e *Evaluator) sideOf(list []program.Entry, static bool) []program.Entry {
	if !e.File.Lang.SplitsStatic || len(list) == 0 {
		return list
	}
	same := true
	for _, m := range list {
		same = same && m.Static == static
	}
	if same {
		return list
	}
	var out []program.Entry
	for _, m := range list {
		if m.Static == static {
			out = append(out, m)
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
	if e.tooDeep() {
		return 0, false
	}
	defer e.up()
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
