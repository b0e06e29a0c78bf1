package ir

// expr writes an expression of a declaration or statement, as seen from the last one
// that was written: 0 for none, or four times
//
//	how many expressions lie between them, less than maxSkip, and 1 more
//	which literal it is, and 2 more; that does not become the last one
//	how far it is before the last one, and 3 more
//	how far it is after the last one, and 4 more
func (s *saver) expr(x Expr) {
	if x == 0 {
		s.Uint(0)
		return
	}
	if k := s.skip(x); k < maxSkip {
		s.Uint(1 + 4*uint64(k))
	} else if l, ok := s.litAt[x]; ok {
		s.Uint(2 + 4*uint64(l))
		return
	} else if x < s.last {
		s.Uint(3 + 4*uint64(s.last-x))
	} else {
		s.Uint(4 + 4*uint64(x-s.last))
	}
	s.last = x
}

// skip returns how many expressions lie between the last one and another, maxSkip if
// those are too many.
func (s *saver) skip(x Expr) int {
	at := s.last
	for k := range maxSkip {
		at = s.roots.after(at)
		if at == x && x != 0 {
			return k
		}
		if at == 0 || at > x {
			break
		}
	}
	return maxSkip
}

func (s *saver) exprs(list []Expr) {
	s.Len(len(list))
	for _, x := range list {
		s.expr(x)
	}
}

func (s *saver) typeParams(list []TypeParam) {
	s.Len(len(list))
	for _, p := range list {
		s.name(p.Name)
		s.expr(p.Bound)
	}
}

func (s *saver) funcs() {
	var last FuncInfo
	self := Var(0) // the last parameter
	for i := 1; i < len(s.f.Funcs); i++ {
		fn := &s.f.Funcs[i]
		var head uint8
		for bit, yes := range []bool{
			fn.Class != last.Class, fn.Outer != 0, fn.Recv != 0, fn.Self != 0, len(fn.Params) > 0, len(fn.Results) > 0,
			len(fn.TypeParams()) > 0, len(fn.Decorators()) > 0,
		} {
			if yes {
				head |= 1 << bit
			}
		}
		s.Byte(head)
		s.name(fn.Name)
		if head&funcClass != 0 {
			s.Uint(uint64(fn.Class))
		}
		if head&funcOuter != 0 {
			s.difference(uint32(i), uint32(fn.Outer))
		}
		if head&funcRecv != 0 {
			s.expr(fn.Recv)
		}
		if head&funcSelf != 0 {
			s.difference(uint32(fn.Self), uint32(self))
			self = fn.Self
		}
		if head&funcParams != 0 {
			self = s.params(fn.Params, self)
		}
		if head&funcResults != 0 {
			s.exprs(fn.Results)
		}
		if head&funcTypeParams != 0 {
			s.typeParams(fn.TypeParams())
		}
		if head&funcDecorators != 0 {
			s.exprs(fn.Decorators())
		}
		s.Uint(uint64(fn.Flags))
		s.placed(fn.Pos)
		s.difference(fn.Start, last.End)
		s.difference(fn.End, fn.Start)
		s.body(s.f.Body(Func(i)))
		last = *fn
	}
}

// params writes parameters; last is the variable of the one before, which is returned
// of the last one.
func (s *saver) params(list []Param, last Var) Var {
	s.Len(len(list))
	for _, p := range list {
		head := uint8(p.Kind)
		v := &s.f.Vars[p.Var]
		if p.Default != 0 {
			head |= paramDefault
		}
		if p.Valued {
			head |= paramValued
		}
		if p.Var != last+1 || p.Name != v.Name || p.Type != v.Type {
			head |= paramOther
		}
		s.Byte(head)
		if head&paramOther != 0 {
			s.difference(uint32(p.Var), uint32(last))
			s.name(p.Name)
			s.expr(p.Type)
		}
		if head&paramDefault != 0 {
			s.expr(p.Default)
		}
		last = p.Var
	}
	return last
}

func (s *saver) body(list []Stmt) {
	s.nodes.Len(len(list))
	for _, x := range list {
		s.stmt(x)
	}
}

// stmt writes a statement: its operation, and 8 times its form.
func (s *saver) stmt(x Stmt) {
	a, b := s.skip(x.A), s.skip(x.B)
	litA, isLitA := s.litAt[x.A]
	litB, isLitB := s.litAt[x.B]
	form := func(form, skip int) { s.nodes.Byte(byte(x.Op) | byte(form+skip)<<3) }
	switch {
	case x.B == 0 && a < 4:
		form(stmtA, a)
		s.last = x.A
	case a < 4 && x.B == s.roots.after(x.A):
		form(stmtAB, a)
		s.last = x.B
	case b < 4 && x.A != 0 && x.A == s.roots.after(x.B):
		form(stmtBA, b)
		s.last = x.A
	case a < 4 && isLitB:
		form(stmtALit, a)
		s.nodes.Len(litB)
		s.last = x.A
	case x.B == 0 && isLitA:
		form(stmtLit, 0)
		s.nodes.Len(litA)
	case b < 4 && x.A == x.B-1:
		form(stmtOver, b)
		s.last = x.B
	default:
		form(stmtAny, 0)
		s.expr(x.A)
		s.expr(x.B)
	}
}

func (s *saver) classes() {
	var last ClassInfo
	for i := 1; i < len(s.f.Classes); i++ {
		c := &s.f.Classes[i]
		head := uint8(c.Kind)
		for bit, yes := range []bool{c.Outer != 0, c.Func != 0, c.Target != 0, c.Private} {
			if yes {
				head |= classOuter << bit
			}
		}
		s.Byte(head)
		s.name(c.Name)
		if c.Outer != 0 {
			s.difference(uint32(i), uint32(c.Outer))
		}
		if c.Func != 0 {
			s.Uint(uint64(c.Func))
		}
		s.Len(len(c.Bases))
		for _, b := range c.Bases {
			s.Byte(byte(b.Kind))
			s.expr(b.X)
		}
		s.typeParams(c.TypeParams)
		if c.Target != 0 {
			s.expr(c.Target)
		}
		s.exprs(c.Decorators)
		s.placed(c.Pos)
		s.difference(c.Start, last.End)
		s.difference(c.End, c.Start)
		last = *c
	}
}

// members writes members: a byte with the kind and the bits of a member, and what
// these say.
func (s *saver) members(list []Member) {
	s.Len(len(list))
	var last [ImportMember + 1]uint32 // by kind
	for _, m := range list {
		head := uint8(m.Kind)
		if m.Static {
			head |= memberStatic
		}
		if m.Exported {
			head |= memberExported
		}
		if m.Name != s.f.nameOf(m.Kind, m.Ref) {
			head |= memberName
		}
		if m.Ref != last[m.Kind]+1 {
			head |= memberRef
		}
		s.Byte(head)
		if head&memberRef != 0 {
			s.difference(m.Ref, last[m.Kind])
		}
		if head&memberName != 0 {
			s.name(m.Name)
		}
		last[m.Kind] = m.Ref
	}
}

// nameOf returns the name of what a member is.
func (f *File) nameOf(kind MemberKind, ref uint32) Str {
	switch kind {
	case FuncMember:
		return f.Funcs[ref].Name
	case ClassMember:
		return f.Classes[ref].Name
	case VarMember:
		return f.Vars[ref].Name
	}
	return f.Imports[ref].Alias
}
