package ir

func (s *saver) node(x Expr) {
	n := &s.f.Exprs[x]
	has := s.has(n)
	if has&hasArgs != 0 && n.Lo != s.args {
		s.nodes.Byte(noOp)
		return
	}
	extra := (has ^ usual[n.Op]) & toggled
	if n.Flags != 0 {
		extra |= withFlags
	}
	first, written := s.operands(x, n, has)
	if written && has&hasArgs == 0 {
		extra |= withOperands
	}
	head := byte(n.Op) | s.place(s.Encoder, s.guess.place(n), n.Pos)<<placeShift
	if extra != 0 {
		head |= unlike
	}
	s.nodes.Byte(head)
	if extra != 0 {
		s.nodes.Byte(extra)
	}
	if n.Flags != 0 {
		s.nodes.Byte(n.Flags)
	}
	if has&hasName != 0 {
		s.name(n.Name)
	}
	switch {
	case n.Op == Local:
		s.nodes.Int(int64(n.Ref) - int64(s.base))
	case has&hasRef != 0:
		s.nodes.Uint(uint64(n.Ref))
	}
	if has&hasArgs != 0 {
		s.arguments(s.f.Args[n.Lo:n.Hi], written)
		s.args = n.Hi
	}
	if written {
		for _, c := range s.codes {
			s.nodes.Uint(c)
		}
	}
	s.done(x, first, n)
	if n.Op == Lit {
		s.litAt[x] = len(s.lits) - 1
	}
}

// has returns what must be written of a node.
func (s *saver) has(n *Node) uint8 {
	has := usual[n.Op] & toggled
	if n.Op == Local {
		if n.Name != s.f.Vars[n.Ref].Name {
			has |= hasName
		}
	} else if n.Name != 0 {
		has |= hasName
	}
	if n.A != 0 {
		has |= hasA
	}
	if n.B != 0 {
		has |= hasB
	}
	if n.Ref != 0 {
		has |= hasRef
	}
	if n.Hi != 0 {
		has |= hasArgs
	} else if s.args > 0 {
		has &^= hasArgs
	}
	return has
}

func (s *saver) arguments(args []Arg, written bool) {
	head := uint64(len(args)) << 2
	if written {
		head |= 2
	}
	for _, a := range args {
		if a.Name != 0 || a.Kind != 0 {
			head |= 1
			break
		}
	}
	s.nodes.Uint(head)
	if head&1 == 0 {
		return
	}
	for _, a := range args {
		s.nodes.Byte(byte(a.Kind))
		s.name(a.Name)
	}
}

// operands finds the codes of the operands of a node, where it begins, and whether the
// codes must be written.
func (s *saver) operands(x Expr, n *Node, has uint8) (first Expr, written bool) {
	s.codes = s.codes[:0]
	if s.repeats(x, n.Op) && n.A == s.f.Exprs[x-1].A && has&hasB == 0 && n.Lo == n.Hi {
		return s.first[x-1], false
	}
	first = x
	for k := n.Hi; k > n.Lo; k-- {
		first = s.operand(x, first, s.f.Args[k-1].X)
	}
	if n.Op == Cast {
		first = s.operand(x, first, n.A)
		first = s.operand(x, first, n.B)
	} else {
		if has&hasB != 0 {
			first = s.operand(x, first, n.B)
		}
		if has&hasA != 0 {
			first = s.operand(x, first, n.A)
		}
	}
	for _, c := range s.codes {
		written = written || c != 0
	}
	return first, written || s.repeats(x, n.Op)
}

// operand finds the code of an operand of the node x, whose other ones and all between
// them begin at first, and returns where they begin with it. The code is three times
// how many expressions lie between, less than maxSkip; or three times which literal it
// is, and 1 more; or three times how far it is, and 2 more: as far as the beginning
// where there is no operand.
func (s *saver) operand(x, first, y Expr) Expr {
	at := first - 1
	for k := range uint64(maxSkip) {
		if at < y || at == 0 {
			break
		}
		if at == y {
			s.codes = append(s.codes, 3*k)
			return s.first[y]
		}
		at = s.first[at] - 1
	}
	if l, ok := s.litAt[y]; ok {
		s.codes = append(s.codes, 3*uint64(l)+1)
	} else {
		s.codes = append(s.codes, 3*(uint64(x)-uint64(y))+2)
	}
	return first
}
