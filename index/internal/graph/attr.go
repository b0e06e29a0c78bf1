package graph

import (
	"strings"

	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// attrSet is x.name read as a value: accessors run.
func (e *eval) attrSet(recv set, n *ir.Node) set {
	return e.attrAt(recv, e.f.names[n.Name], n.Pos)
}

// attrValues is attrSet without edges.
func (e *eval) attrValues(recv set, n name) set {
	e.mute++
	defer func() { e.mute-- }()
	return e.attrAt(recv, n, 0)
}

func (e *eval) attrAt(recv set, n name, pos ir.Pos) set {
	out := set(0)
	for _, v := range e.g.elems(recv) {
		s, found := e.f.lang.Property(e, v, n, pos)
		if !found {
			s, found = e.attr(v, n, pos)
		}
		if !found {
			s, _ = e.f.lang.MissingProperty(e, v, n, pos)
		}
		out = e.g.union(out, s)
	}
	return out
}

// attrFound also says whether any of the values has the name.
func (e *eval) attrFound(recv set, n name) (out set, found bool) {
	e.mute++
	defer func() { e.mute-- }()
	for _, v := range e.g.elems(recv) {
		s, ok := e.attr(v, n, 0)
		out, found = e.g.union(out, s), found || ok
	}
	return out, found
}

// opened is a member that is being looked for: one that embeds what holds it in turn
// leads back to itself.
type opened struct {
	in   value
	name name
}

// attr is the member of a value. found is false when the value is known to have no
// such member.
func (e *eval) attr(v value, n name, pos ir.Pos) (s set, found bool) {
	g := e.g
	at := opened{v, n}
	if slices.Contains(e.open, at) || e.deeper() {
		return 0, false
	}
	e.open = append(e.open, at)
	defer func() { e.open = e.open[:len(e.open)-1]; e.shallower() }()
	i := g.values.info[v]
	switch i.kind {
	case vExternal:
		return e.externalAttr(i, n), true
	case vGeneric:
		if s, found, ok := e.f.lang.Member(e, v, n, pos); ok {
			return s, found
		}
		if list := e.f.lang.Extensions(e, i, n); len(list) > 0 {
			return e.bound(list, v, nil, pos), true
		}
		return e.external(g.names.intern(g.names.text[i.id] + "." + g.names.text[n])), true
	case vModule:
		s, found := e.within(ID(i.id), n, 0)
		if !found && e.f.lang.pack == byName {
			// A package that lies partly outside.
			return e.external(g.names.intern(strings.TrimPrefix(g.qualified(ID(i.id))+"."+g.names.text[n], "."))), true
		}
		return s, found
	case vInst, vDecl:
		c := g.classes[ID(i.id)]
		if c == nil {
			return 0, false
		}
		return e.instanceAttr(v, c, 0, n, pos)
	case vSuper:
		c := g.classes[ID(i.id)]
		recv := g.classOf(i.base)
		if c == nil {
			return 0, false
		}
		if recv == nil || !hasStep(g.lineOf(recv), c) {
			recv = c
		}
		if g.values.info[i.base].kind == vClass {
			return e.classAttr(i.base, recv, stepAfter(g.lineOf(recv), c), n, pos)
		}
		return e.instanceAttr(i.base, recv, stepAfter(g.lineOf(recv), c), n, pos)
	case vClass:
		c := g.classes[ID(i.id)]
		if c == nil {
			return 0, false
		}
		if c.info.Kind == ir.Alias {
			out := set(0)
			for _, w := range g.elems(g.aliased(c)) {
				if k := g.classOf(w); k != nil {
					r, ok := e.attr(g.values.intern(valueInfo{kind: vClass, id: uint32(k.id)}), n, pos)
					out, found = g.union(out, r), found || ok
				} else if w := g.values.info[w]; w.kind == vExternal {
					return e.externalAttr(w, n), true
				}
			}
			return out, found
		}
		return e.classAttr(v, c, 0, n, pos)
	case vObject:
		if s, found, ok := e.f.lang.Member(e, v, n, pos); ok {
			return s, found
		}
		s := e.item(g.values.single(v), g.names.text[n])
		if list := g.find(g.foreign[g.entities[i.id].name], n); len(list) > 0 {
			s = g.union(s, e.bound(list, v, nil, pos))
		}
		return e.rebind(s, v), s != 0
	case vFunc:
		// A function with fields, or a constructor of the old kind.
		if g.names.text[n] == "prototype" {
			return e.single(valueInfo{kind: vObject, id: i.id}), true
		}
		return e.cell(cellKey{cItem, ID(i.id), uint32(n)}), false
	case vParam:
		out := set(0)
		for _, b := range g.elems(e.boundOf(i)) {
			r, ok := e.attr(b, n, pos)
			out, found = g.union(out, r), found || ok
		}
		return out, found
	}
	return 0, false
}

// rebind makes functions that lie in a literal its methods.
func (e *eval) rebind(s set, recv value) set {
	out := set(0)
	for _, v := range e.g.elems(s) {
		if i := e.g.values.info[v]; i.kind == vFunc {
			v = e.g.values.intern(valueInfo{kind: vBound, id: i.id, base: recv})
		}
		out = e.g.union(out, e.g.values.single(v))
	}
	return out
}

func stepAfter(line []step, c *class) int {
	for i, s := range line {
		if s.class == c {
			return i + 1
		}
	}
	return len(line)
}

// externalAttr is a member of something outside the index. Its path grows by the
// name, up to a length that no real path has.
func (e *eval) externalAttr(i valueInfo, n name) set {
	g := e.g
	if list := e.f.lang.Extensions(e, i, n); len(list) > 0 {
		return e.bound(list, g.values.intern(i), nil, e.at)
	}
	path := g.names.text[i.id]
	if len(path) > 80 {
		return g.values.single(g.values.intern(i))
	}
	return e.external(g.names.intern(path + "." + g.names.text[n]))
}

// boundOf is what a type parameter is known to be.
func (e *eval) boundOf(i valueInfo) set {
	g := e.g
	at := &g.entities[i.id]
	if at.file == nil {
		return 0
	}
	if s, ok := g.bounds[i]; ok {
		return s
	}
	switch at.kind {
	case FuncNode:
		if ps := at.file.ir.Funcs[at.ref].TypeParams(); int(i.base) < len(ps) {
			return g.typeIn(at.file, ir.Func(at.ref), 0, ps[i.base].Bound)
		}
	case ClassNode:
		if ps := at.file.ir.Classes[at.ref].TypeParams; int(i.base) < len(ps) {
			return g.typeIn(at.file, 0, ir.Class(at.ref), ps[i.base].Bound)
		}
	}
	return 0
}

// instanceAttr is a member of an instance, looked up from a step of its class's
// line on.
func (e *eval) instanceAttr(recv value, c *class, from int, n name, pos ir.Pos) (set, bool) {
	g := e.g
	line := g.lineOf(c)
	out := set(0)
	for _, s := range line[min(from, len(line)):] {
		if list := e.sideOf(g.declared(s.class, n), false); len(list) > 0 {
			if s.via != nil {
				return e.attrAt(e.held(s.via, recv), n, pos), true
			}
			out = g.union(out, e.bound(list, recv, &s, pos))
			if c.file.lang.dynamic {
				out = g.union(out, e.undeclared(line[from:], n))
			}
			return out, true
		}
	}
	if c.file.lang.dynamic || c.info.Kind != ir.Interface {
		out = e.undeclared(line[min(from, len(line)):], n)
	}
	if c.target != 0 && c.file.lang.definedTypes {
		if s, ok := e.underlying(c, n, pos); ok {
			return s, true
		}
	} else if c.target != 0 && out == 0 && from == 0 {
		for _, v := range g.elems(c.target) {
			if v != recv {
				s, ok := e.attr(v, n, pos)
				if ok {
					return s, true
				}
			}
		}
	}
	if out != 0 {
		return out, true
	}
	if s, ok := e.f.lang.MissingMember(e, recv, c, from, n, pos); ok {
		return s, true
	}
	for _, s := range line[min(from, len(line)):] {
		if s.class.foreign {
			return e.foreignBase(s.class, n), true
		}
	}
	return 0, false
}

// undeclared are the values of a field that is assigned and never declared.
func (e *eval) undeclared(line []step, n name) set {
	out := set(0)
	for _, s := range line {
		if s.class.file.lang.dynamic {
			out = e.g.union(out, e.cell(cellKey{cAttr, s.class.id, uint32(n)}))
		}
	}
	return out
}

// foreignBase is a member that a base outside the index may have.
func (e *eval) foreignBase(c *class, n name) set {
	for _, b := range c.bases {
		for _, v := range e.g.elems(b.values) {
			if i := e.g.values.info[v]; i.kind == vExternal || i.kind == vGeneric {
				return e.external(e.g.names.intern(e.g.names.text[i.id] + "." + e.g.names.text[n]))
			}
		}
	}
	return 0
}

// bound are members as seen on a receiver.
func (e *eval) bound(list []entry, recv value, at *step, pos ir.Pos) set {
	g := e.g
	out := set(0)
	list = e.f.lang.InSight(e, list)
	for _, m := range list {
		f := g.entities[m.id].file
		if f == nil {
			continue
		}
		switch m.kind {
		case ir.FuncMember:
			fn := &f.ir.Funcs[m.ref]
			switch {
			case fn.Flags&ir.Getter != 0:
				e.access(m, recv, pos)
				e.passSelf(m.id, recv)
				out = g.union(out, e.seen1(e.returned(m.id, recv, nil), recv, at))
			case fn.Flags&ir.Setter != 0:
			case len(fn.Decorators()) > 0 && f.lang.decorates && fn.Flags&(ir.Static|ir.ClassMethod) == 0:
				for _, w := range g.elems(e.decoratedMember(m)) {
					if i := g.values.info[w]; i.kind == vFunc {
						w = g.values.intern(valueInfo{kind: vBound, id: i.id, base: recv})
					}
					out = g.union(out, g.values.single(w))
				}
			case fn.Flags&ir.Static != 0:
				out = g.union(out, e.single(valueInfo{kind: vFunc, id: uint32(m.id)}))
			default:
				out = g.union(out, e.single(valueInfo{kind: vBound, id: uint32(m.id), base: recv}))
			}
		case ir.VarMember:
			if t := e.seen1(f.varTypes[m.ref], recv, at); f.lang.exact && t != f.varTypes[m.ref] && g.settled(t, f.lang) {
				out = g.union(out, t)
				continue
			}
			s := g.orDeclared(e.cell(cellKey{cVar, m.id, 0}), f.varTypes[m.ref])
			out = g.union(out, e.seen1(s, recv, at))
		default:
			out = g.union(out, e.entryValue(m, 0))
		}
	}
	return out
}

// decoratedMember is what the decorators of a method leave in its place. Without
// evaluation, in declarations, it is the method.
func (e *eval) decoratedMember(m entry) set {
	if e.n == 0 {
		return e.single(valueInfo{kind: vFunc, id: uint32(m.id)})
	}
	return e.cell(cellKey{cStatic, e.g.canonicalID(e.g.entities[m.id].outer), uint32(m.name)})
}

// seen1 puts the receiver's type arguments into what a member of its class gives.
func (e *eval) seen1(s set, recv value, at *step) set {
	g := e.g
	if at == nil || !g.hasParam(s, maxDepth+1) {
		return s
	}
	c := g.classOf(recv)
	return g.subst(s, func(p valueInfo) (set, bool) {
		if ID(p.id) == at.class.id {
			arg := g.values.arg(at.as, int(p.base))
			if c == nil {
				return arg, arg != 0
			}
			arg = g.subst(arg, func(q valueInfo) (set, bool) { return g.argOf(recv, c, q) })
			return arg, arg != 0
		}
		return 0, false
	})
}

// classAttr is a member of a class itself.
func (e *eval) classAttr(v value, c *class, from int, n name, pos ir.Pos) (set, bool) {
	g := e.g
	line := g.lineOf(c)
	if s, ok := e.f.lang.ClassMember(e, v, c, n); ok {
		return s, true
	}
	out, found := set(0), false
	for _, s := range line[min(from, len(line)):] {
		list := e.sideOf(g.declared(s.class, n), true)
		if len(list) == 0 {
			continue
		}
		found = true
		at := s
		for _, m := range list {
			f := g.entities[m.id].file
			if f == nil {
				continue
			}
			if m.kind == ir.FuncMember {
				fn := &f.ir.Funcs[m.ref]
				switch {
				case fn.Flags&ir.ClassMethod != 0:
					out = g.union(out, e.single(valueInfo{kind: vBound, id: uint32(m.id), base: v}))
				case fn.Flags&ir.Getter != 0:
					if pos != 0 {
						e.property(m.id, pos)
					}
					out = g.union(out, e.returned(m.id, v, nil))
				case c.file.lang.classMethodsApart && m.static:
					out = g.union(out, e.single(valueInfo{kind: vBound, id: uint32(m.id), base: v}))
				case c.file.lang.classMethodsApart && fn.Flags&ir.Static == 0:
					continue // an instance's method is none of the class
				case c.file.lang.decorates && len(fn.Decorators()) > 0 && fn.Flags&ir.Static == 0:
					out = g.union(out, e.decoratedMember(m))
				case fn.Flags&ir.Static != 0:
					// The receiver counts where static methods have one (static::, this in static).
					if c.file.lang.dynamic {
						out = g.union(out, e.single(valueInfo{kind: vBound, id: uint32(m.id), base: v}))
						continue
					}
					out = g.union(out, e.single(valueInfo{kind: vFunc, id: uint32(m.id)}))
				default:
					out = g.union(out, e.single(valueInfo{kind: vFunc, id: uint32(m.id)}))
				}
				continue
			}
			if m.kind == ir.VarMember {
				s := e.bound([]entry{m}, v, &at, pos)
				if info := &f.ir.Vars[m.ref]; s == 0 && c.info.Kind == ir.Enum && info.Type == 0 {
					s = g.values.single(g.self(c, vInst)) // a variant is an instance
				}
				out = g.union(out, s)
				continue
			}
			out = g.union(out, e.entryValue(m, 0))
		}
		if out != 0 || !c.file.lang.classMethodsApart {
			break
		}
	}
	for _, s := range line[min(from, len(line)):] {
		if s.class.file.lang.dynamic {
			out = g.union(out, e.cell(cellKey{cStatic, s.class.id, uint32(n)}))
		}
		if r, ok := s.class.file.lang.ClassMethodsOf(e, s.class, v, n, pos); ok {
			out, found = g.union(out, r), true
		}
		for _, b := range s.class.bases { // methods of extended modules are the class's own
			if b.kind != ir.Meta {
				continue
			}
			for _, w := range g.elems(b.values) {
				if k := g.classOf(w); k != nil {
					r, ok := e.instanceAttr(v, k, 0, n, pos)
					out, found = g.union(out, r), found || ok
				}
			}
		}
	}
	if out != 0 {
		return out, true
	}
	if field := c.file.lang.classField; field != "" && g.names.text[n] == field {
		return 0, true
	}
	if !found {
		for _, s := range line {
			if s.class.foreign {
				return e.foreignBase(s.class, n), true
			}
		}
	}
	return 0, found
}

// setAttr assigns to a member of a value.
func (e *eval) setAttr(v value, n name, s set, pos ir.Pos) {
	g := e.g
	i := g.values.info[v]
	switch i.kind {
	case vInst, vDecl:
		c := g.classes[ID(i.id)]
		if c == nil {
			return
		}
		n = c.file.lang.Field(c, n, g.names.text[n])
		if list, at := g.member(c, n); at >= 0 && e.setMember(list, v, s, pos) {
			return
		}
		if c.file.lang.dynamic {
			e.write(cellKey{cAttr, c.id, uint32(n)}, s)
		}
	case vClass:
		c := g.classes[ID(i.id)]
		if c == nil {
			return
		}
		if list, at := g.member(c, n); at >= 0 && e.setMember(list, v, s, pos) {
			return
		}
		e.write(cellKey{cStatic, c.id, uint32(n)}, s)
	case vModule:
		for _, m := range g.find(g.bag(ID(i.id)), n) {
			if m.kind == ir.VarMember {
				e.setMember([]entry{m}, v, s, pos)
				return
			}
		}
		if g.entities[i.id].kind == FileNode {
			e.write(cellKey{cName, ID(i.id), uint32(n)}, s)
		}
	case vObject:
		e.putItem(ID(i.id), g.names.text[n], s)
	case vFunc:
		e.write(cellKey{cItem, ID(i.id), uint32(n)}, s)
	}
}

// setMember assigns to declared members; it reports whether one takes the value.
func (e *eval) setMember(list []entry, recv value, s set, pos ir.Pos) bool {
	g := e.g
	done := false
	for _, m := range list {
		f := g.entities[m.id].file
		if f == nil {
			continue
		}
		switch m.kind {
		case ir.VarMember:
			done = true
			if t := f.varTypes[m.ref]; t != 0 && e.hasFunc(s) {
				e.contextual(s, t, nil)
			}
			if !f.closed(g, ir.Var(m.ref)) {
				e.become(f.varTypes[m.ref], s)
				e.write(cellKey{cVar, m.id, 0}, e.admit(f.varTypes[m.ref], s))
			}
		case ir.FuncMember:
			fn := &f.ir.Funcs[m.ref]
			if fn.Flags&ir.Setter != 0 {
				done = true
				e.access(m, recv, pos)
				e.passSelf(m.id, recv)
				e.pass(m.id, len(fn.Params)-1, s)
			} else if fn.Flags&ir.Getter != 0 {
				done = true
			}
		}
	}
	return done
}

// sideOf leaves of the members of a class those of its instances, or its own.
func (e *eval) sideOf(list []entry, static bool) []entry {
	if !e.f.lang.splitsStatic || len(list) == 0 {
		return list
	}
	same := true
	for _, m := range list {
		same = same && m.static == static
	}
	if same {
		return list
	}
	var out []entry
	for _, m := range list {
		if m.static == static {
			out = append(out, m)
		}
	}
	return out
}
