package ir

import (
	"slices"
)

// A Shift says where the places of one version of a file are in another one that is the
// same but for its places: what is between them has become longer or shorter.
type Shift struct {
	pos        map[Pos]Pos
	start, end map[uint32]uint32 // of functions and classes
	last       uint32            // where the file ends
}

// Moved compares two versions of a file. It returns nil unless they differ in places
// alone, and those of both come in the same order.
func Moved(old, now *File) *Shift {
	if old.Language != now.Language || old.Package != now.Package || !slices.Equal(old.Strings, now.Strings) || !slices.Equal(old.Args, now.Args) ||
		!slices.Equal(old.Top, now.Top) || len(old.Exprs) != len(now.Exprs) || len(old.Vars) != len(now.Vars) || len(old.Funcs) != len(now.Funcs) ||
		len(old.Classes) != len(now.Classes) || len(old.Imports) != len(now.Imports) || len(old.Exports) != len(now.Exports) {
		return nil
	}
	s := &Shift{pos: map[Pos]Pos{}, start: map[uint32]uint32{}, end: map[uint32]uint32{}}
	same := allMove(s, old.Exprs, now.Exprs, func(n *Node) *Pos { return &n.Pos }) &&
		allMove(s, old.Vars, now.Vars, func(v *VarInfo) *Pos { return &v.Pos }) &&
		allMove(s, old.Imports, now.Imports, func(i *ImportInfo) *Pos { return &i.Pos }) &&
		allMove(s, old.Exports, now.Exports, func(x *Export) *Pos { return &x.Pos })
	for i := range old.Funcs {
		a, b := old.Funcs[i], now.Funcs[i]
		if i == 1 { // the last function may end where the file did, and does not when lines come after it
			s.last, a.End, b.End = b.End, 0, 0
		}
		same = same && s.fn(&a, &b) && slices.Equal(old.Body(Func(i)), now.Body(Func(i)))
	}
	for i := range old.Classes {
		same = same && s.class(&old.Classes[i], &now.Classes[i])
	}
	if !same || !inOrder(s.pos) || !inOrder(s.start) || !inOrder(s.end) {
		return nil
	}
	return s
}

// allMove reports whether the things of two lists of one length are the same but for
// their places.
func allMove[T comparable](s *Shift, old, now []T, pos func(*T) *Pos) bool {
	for i, a := range old {
		b := now[i]
		if !moves(s.pos, *pos(&a), *pos(&b)) {
			return false
		}
		*pos(&a) = *pos(&b)
		if a != b {
			return false
		}
	}
	return true
}

func (s *Shift) fn(a, b *FuncInfo) bool {
	return a.Name == b.Name && a.Class == b.Class && a.Outer == b.Outer && a.Recv == b.Recv && a.Self == b.Self && a.Flags == b.Flags &&
		slices.Equal(a.Params, b.Params) && slices.Equal(a.Results, b.Results) && slices.Equal(a.TypeParams(), b.TypeParams()) &&
		slices.Equal(a.Decorators(), b.Decorators()) &&
		moves(s.pos, a.Pos, b.Pos) && moves(s.start, a.Start, b.Start) && moves(s.end, a.End, b.End)
}

func (s *Shift) class(a, b *ClassInfo) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.Outer == b.Outer && a.Func == b.Func && a.Target == b.Target && a.Private == b.Private &&
		slices.Equal(a.Bases, b.Bases) && slices.Equal(a.Members, b.Members) && slices.Equal(a.TypeParams, b.TypeParams) && slices.Equal(a.Decorators, b.Decorators) &&
		moves(s.pos, a.Pos, b.Pos) && moves(s.start, a.Start, b.Start) && moves(s.end, a.End, b.End)
}

// moves notes where a place has gone, and reports whether all that was there has.
func moves[T ~uint32](to map[T]T, from, at T) bool {
	before, known := to[from]
	to[from] = at
	return !known || before == at
}

// inOrder reports whether all places are apart and in the order that they were in.
func inOrder[T ~uint32](to map[T]T) bool {
	from := make([]T, 0, len(to))
	for p := range to {
		from = append(from, p)
	}
	slices.Sort(from)
	for i := 1; i < len(from); i++ {
		if to[from[i-1]] >= to[from[i]] {
			return false
		}
	}
	return true
}

// Still reports whether nothing has moved but the end of the file.
func (s *Shift) Still() bool { return still(s.pos) && still(s.start) && still(s.end) }

func still[T comparable](to map[T]T) bool {
	for from, at := range to {
		if from != at {
			return false
		}
	}
	return true
}

// Pos returns where a place is now. One that is none of the file's stays.
func (s *Shift) Pos(p Pos) Pos { return at(s.pos, p) }

// Start returns where a function or class begins now.
func (s *Shift) Start(offset uint32) uint32 { return at(s.start, offset) }

// End returns where one ends now.
func (s *Shift) End(offset uint32) uint32 { return at(s.end, offset) }

// Last returns where the file ends now.
func (s *Shift) Last() uint32 { return s.last }

func at[T ~uint32](to map[T]T, from T) T {
	if p, ok := to[from]; ok {
		return p
	}
	return from
}
