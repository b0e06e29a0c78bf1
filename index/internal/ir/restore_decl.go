package ir

// expr reads what expr of saver wrote.
func (r *restorer) expr() Expr {
	code := r.Uint()
	if code == 0 {
		return 0
	}
	x, k := r.last, (code-1)/4
	switch (code - 1) % 4 {
	case 0:
		return r.skip(k)
	case 1:
		return r.literal(k)
	case 2:
		if k > uint64(x) {
			r.Fail("an expression before the first one")
			return 0
		}
		x -= Expr(k)
	case 3:
		if k >= uint64(len(r.f.Exprs))-uint64(x) {
			r.Fail("an expression after the last one")
			return 0
		}
		x += Expr(k)
	}
	r.last = x
	return x
}

// skip returns the expression that so many lie between and the last one.
func (r *restorer) skip(k uint64) Expr {
	if k >= maxSkip {
		r.Fail("%d expressions are passed over", k)
		return 0
	}
	for ; ; k-- {
		if r.last = r.roots.after(r.last); r.last == 0 {
			r.Fail("no expression is left")
			return 0
		}
		if k == 0 {
			return r.last
		}
	}
}

func (r *restorer) literal(k uint64) Expr {
	if k >= uint64(len(r.lits)) {
		r.Fail("literal %d of %d", k, len(r.lits))
		return 0
	}
	return r.lits[k]
}

func (r *restorer) exprs() []Expr {
	n := r.Len(1)
	if n == 0 {
		return nil
	}
	list := make([]Expr, n)
	for i := range list {
		list[i] = r.expr()
	}
	return list
}

func (r *restorer) typeParams() []TypeParam {
	n := r.Len(1)
	if n == 0 {
		return nil
	}
	list := make([]TypeParam, n)
	for i := range list {
		list[i] = TypeParam{Name: r.name(), Bound: r.expr()}
	}
	return list
}

func (r *restorer) funcs() {
	f := r.f
	var last FuncInfo
	self := Var(0)
	for i := 1; i < len(f.Funcs) && r.ok(); i++ {
		fn := &f.Funcs[i]
		head := r.Byte()
		fn.Name = r.name()
		fn.Class = last.Class
		if head&funcClass != 0 {
			fn.Class = Class(r.Below(uint64(len(f.Classes))))
		}
		if head&funcOuter != 0 {
			fn.Outer = Func(r.outer(i))
		}
		if head&funcRecv != 0 {
			fn.Recv = r.expr()
		}
		if head&funcSelf != 0 {
			fn.Self = Var(r.difference(uint32(self), uint64(len(f.Vars))))
			self = fn.Self
		}
		if head&funcParams != 0 {
			fn.Params, self = r.params(self)
		}
		if head&funcResults != 0 {
			fn.Results = r.exprs()
		}
		if head&funcTypeParams != 0 {
			fn.SetTypeParams(r.typeParams())
		}
		if head&funcDecorators != 0 {
			fn.SetDecorators(r.exprs())
		}
		fn.Flags = FuncFlag(r.Uint32n())
		fn.Pos = r.placed()
		fn.Start = r.difference(last.End, 1<<32)
		fn.End = r.difference(fn.Start, 1<<32)
		f.Bodies[i] = r.body()
		last = FuncInfo{Class: fn.Class, End: fn.End}
	}
}

// outer reads what something lies in: something with a lower number.
func (r *restorer) outer(of int) uint32 {
	d := r.Int()
	if d <= 0 || d >= int64(of) {
		r.Fail("%d lies in what is %d before", of, d)
		return 0
	}
	return uint32(int64(of) - d)
}

func (r *restorer) params(last Var) ([]Param, Var) {
	n := r.Len(1)
	if n == 0 {
		return nil, last
	}
	list := make([]Param, n)
	for i := range list {
		head := r.Byte()
		p := &list[i]
		p.Kind = ParamKind(head & (paramDefault - 1))
		p.Valued = head&paramValued != 0
		p.Var = last + 1
		if head&paramOther != 0 {
			p.Var = Var(r.difference(uint32(last), uint64(len(r.f.Vars))))
			p.Name = r.name()
			p.Type = r.expr()
		}
		if p.Kind > BlockParam || int(p.Var) >= len(r.f.Vars) {
			r.Fail("parameter %d of kind %d", p.Var, p.Kind)
			return nil, 0
		}
		if head&paramOther == 0 {
			p.Name, p.Type = r.f.Vars[p.Var].Name, r.f.Vars[p.Var].Type
		}
		if head&paramDefault != 0 {
			p.Default = r.expr()
		}
		last = p.Var
	}
	return list, last
}

func (r *restorer) body() []Stmt {
	n := r.nodes.Len(1)
	if n == 0 {
		return nil
	}
	list := make([]Stmt, n)
	for i := range list {
		list[i] = r.stmt()
		if r.Err() != nil {
			return nil
		}
	}
	return list
}

// stmt reads a statement: see stmt of saver.
func (r *restorer) stmt() Stmt {
	head := r.nodes.Byte()
	x := Stmt{Op: StmtOp(head & 7)}
	if x.Op > Raise {
		r.Fail("a statement of operation %d", x.Op)
	}
	form, k := int(head>>3), uint64(head>>3&3)
	switch {
	case form == stmtAny:
		x.A = r.expr()
		x.B = r.expr()
	case form == stmtLit:
		x.A = r.literal(r.nodes.Uint())
	case form < stmtAB:
		x.A = r.skip(k)
	case form < stmtBA:
		x.A = r.skip(k)
		x.B = r.skip(0)
	case form < stmtALit:
		x.B = r.skip(k)
		x.A = r.skip(0)
	case form < stmtLit:
		x.A = r.skip(k)
		x.B = r.literal(r.nodes.Uint())
	case form >= stmtOver && form < stmtOver+4:
		if x.B = r.skip(k); x.B > 0 {
			x.A = x.B - 1
		}
	default:
		r.Fail("a statement of form %d", form)
	}
	return x
}

func (r *restorer) classes() {
	f := r.f
	var last ClassInfo
	for i := 1; i < len(f.Classes) && r.ok(); i++ {
		c := &f.Classes[i]
		head := r.Byte()
		if c.Kind = ClassKind(head & (classOuter - 1)); c.Kind > Named {
			r.Fail("a class of kind %d", c.Kind)
		}
		c.Name = r.name()
		if head&classOuter != 0 {
			c.Outer = Class(r.outer(i))
		}
		if head&classFunc != 0 {
			c.Func = Func(r.Below(uint64(len(f.Funcs))))
		}
		c.Bases = r.bases()
		c.TypeParams = r.typeParams()
		if head&classTarget != 0 {
			c.Target = r.expr()
		}
		c.Decorators = r.exprs()
		c.Private = head&classPrivate != 0
		c.Pos = r.placed()
		c.Start = r.difference(last.End, 1<<32)
		c.End = r.difference(c.Start, 1<<32)
		last.End = c.End
	}
}

func (r *restorer) bases() []Base {
	n := r.Len(2)
	if n == 0 {
		return nil
	}
	list := make([]Base, n)
	for i := range list {
		list[i] = Base{Kind: BaseKind(r.Byte()), X: r.expr()}
		if list[i].Kind > Meta {
			r.Fail("a base of kind %d", list[i].Kind)
			return nil
		}
	}
	return list
}

func (r *restorer) members() []Member {
	f := r.f
	n := r.Len(1)
	if n == 0 {
		return nil
	}
	list := make([]Member, n)
	bounds := [ImportMember + 1]int{len(f.Funcs), len(f.Classes), len(f.Vars), len(f.Imports)}
	var last [ImportMember + 1]uint32
	for i := range list {
		m := &list[i]
		head := r.Byte()
		m.Kind = MemberKind(head & (memberStatic - 1))
		m.Static = head&memberStatic != 0
		m.Exported = head&memberExported != 0
		m.Ref = last[m.Kind] + 1
		if head&memberRef != 0 {
			m.Ref = r.difference(last[m.Kind], 1<<32)
		}
		// The top-level code is nobody's member.
		if m.Ref == 0 || uint64(m.Ref) >= uint64(bounds[m.Kind]) || m.Kind == FuncMember && m.Ref == 1 {
			r.Fail("member %d of kind %d", m.Ref, m.Kind)
			return nil
		}
		if m.Name = f.nameOf(m.Kind, m.Ref); head&memberName != 0 {
			m.Name = r.name()
		}
		last[m.Kind] = m.Ref
	}
	return list
}

// checkContainers refuses functions and classes that lie in themselves by way of each
// other.
func (r *restorer) checkContainers() {
	f := r.f
	const (
		open = iota + 1
		done
	)
	funcs, classes := make([]uint8, len(f.Funcs)), make([]uint8, len(f.Classes))
	funcs[0], classes[0] = done, done
	var class func(c Class)
	var fn func(i Func)
	fn = func(i Func) {
		switch funcs[i] {
		case open:
			r.Fail("function %d lies in itself", i)
		case 0:
			funcs[i] = open
			class(f.Funcs[i].Class)
			fn(f.Funcs[i].Outer)
			funcs[i] = done
		}
	}
	class = func(c Class) {
		switch classes[c] {
		case open:
			r.Fail("class %d lies in itself", c)
		case 0:
			classes[c] = open
			class(f.Classes[c].Outer)
			fn(f.Classes[c].Func)
			classes[c] = done
		}
	}
	for i := range f.Funcs {
		fn(Func(i))
	}
	for c := range f.Classes {
		class(Class(c))
	}
}
