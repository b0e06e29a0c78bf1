package ir

import "github.com/quarry-search/quarry/index/internal/snapshot"

// # The saved file
//
// What Builder puts at 0 of each list is not written. All is written as
// snapshot.Encoder does, in two streams that are read side by side: nodes and
// statements repeat themselves more often than where they are. A "difference" is a
// number that may be negative, "how" the way in which a place is written. The first
// stream:
//
//	version, language
//	strings     how many; each with a zero at the end, and a zero or one within it as a
//	            one and the number that is 1 more
//	how many expressions, arguments, variables, functions, classes and imports there are
//	package
//	the length of the second stream, and the second stream
//	variables   a byte with how and the bits of a variable; name; place; what the bits
//	            say: function and type as differences to the last one, value as
//	            difference to the type
//	places      of the expressions, as far as guess does not know them
//	functions   a byte with the bits of a function; what these say; flags; how; place;
//	            first byte, as difference to the last one of the function before; last
//	            byte, as difference to the first; the statements that are not simple
//	imports     flags, how, place
//	classes     a byte with the kind and the bits of a class; what these say, and lists;
//	            how; place; first and last byte as those of functions
//	members     of each class, and of the top: see members
//	exports     expression, how, place
//
// The second one:
//
//	expressions a byte with the operation, how the place is written, and whether a byte
//	            of what is unlike others of the operation comes next; flags, where that
//	            says so; of name, number and arguments what it has; codes of operands.
//	            Arguments are a number: four times how many, 2 more where operands have
//	            codes and 1 more where a byte of kind and a name of each follow
//	names       of all but variables and expressions
//	statements  of each function, after its name: how many, and a byte of each (see stmt)
//
// Operands come before what they are of. Most often they are those expressions that
// are in no other one yet, the last operand last: then they need no codes.
//
// The 7,226 files of src of the Go distribution have 3.4 million expressions and take
// 21.3 MB, or 10.3 MB packed in chunks of 1 MB. One core restores them in 0.55 to
// 0.75 s.

// saveVersion is the version of the encoding.
const saveVersion = 1

// The parts of the first byte of an expression.
const (
	opMask     = 1<<5 - 1
	unlike     = 1 << 5
	placeShift = 6
	noOp       = opMask // an expression that cannot be written
)

// The bits of what is unlike other nodes of an operation: those from hasName to
// hasArgs, where it has that and they do not or the other way around, and two more. A
// Local has a name where that is not the variable's.
const (
	withFlags    uint8 = 1 << (iota + 5)
	withOperands       // of a node without arguments
	toggled      = hasName | hasA | hasB | hasRef | hasArgs
)

// How a place is written.
const (
	placeGuessed uint8 = iota
	placeColumn        // difference of the column
	placeLine          // difference of the line, and of the column to the last one that was written so
	placeNone
)

// The bits of a variable, above how its place is written.
const (
	varFunc uint8 = 1 << (iota + 2)
	varType
	varSameType
	varInit
	varLater // its place is that of the first node that has it
)

// The bits of a function.
const (
	funcClass uint8 = 1 << iota // not that of the one before
	funcOuter
	funcRecv
	funcSelf
	funcParams
	funcResults
	funcTypeParams
	funcDecorators
)

// The bits of a class, above its kind.
const (
	classOuter uint8 = 1 << (iota + 4)
	classFunc
	classTarget
	classPrivate
)

// The bits of a parameter, above its kind.
const (
	paramDefault uint8 = 1 << (iota + 3)
	paramOther         // not what its variable says
	paramValued
)

// The bits of a member, above its kind.
const (
	memberStatic uint8 = 1 << (iota + 2)
	memberExported
	memberName // not that of what it is
	memberRef  // not the one after the last one of the kind
)

// The forms of a statement, above its operation. Those of four say how many
// expressions are left out before the first one, up to 3.
const (
	stmtA    = 0  // of one expression
	stmtAB   = 4  // of one and the next
	stmtBA   = 8  // the other way around
	stmtALit = 12 // the second one is a literal
	stmtLit  = 16 // of one literal
	stmtOver = 20 // the second one, and the number before
	stmtAny  = 31
)

// maxSkip is how many expressions may be passed over.
const maxSkip = 8

// A saver encodes a file.
type saver struct {
	*snapshot.Encoder                  // the first stream
	nodes             snapshot.Encoder // the second one
	guess
	litAt map[Expr]int // where in lits
	roots forest
	last  Expr // the expression that was written last, of those of statements and declarations
	codes []uint64
}

// Save writes a file: equal files are the same bytes. One that is not in the order in
// which Builder makes it, operands first, does not come back: Restore refuses it.
func (f *File) Save(e *snapshot.Encoder) {
	later := make([]bool, len(f.Vars))
	seen := uint32(0)
	for i := range f.Exprs {
		if n := &f.Exprs[i]; n.Op == Local && n.Ref > seen {
			seen = n.Ref
			later[seen] = n.Pos == f.Vars[seen].Pos
		}
	}
	s := &saver{Encoder: e, guess: newGuess(f, make([]Expr, len(f.Exprs)), later), litAt: map[Expr]int{}}
	s.save()
}

func (s *saver) save() {
	f := s.f
	s.Uint(saveVersion)
	s.String(f.Language)
	s.strings()
	for _, n := range []int{len(f.Exprs), len(f.Args), len(f.Vars), len(f.Funcs), len(f.Classes), len(f.Imports)} {
		s.Len(n)
	}
	s.Uint(uint64(f.Package))

	// The first stream goes on behind the second one.
	first := s.Encoder
	s.Encoder = &snapshot.Encoder{}
	s.vars()
	s.at, s.indent, s.known = At(1, 1), 0, 0
	for x := 1; x < len(f.Exprs); x++ {
		s.node(Expr(x))
	}
	s.roots = newForest(make([]Expr, len(s.first)+1), s.first)
	s.at = At(1, 1)
	s.funcs()
	for i := 1; i < len(f.Imports); i++ {
		m := &f.Imports[i]
		s.name(m.Module)
		s.name(m.Name)
		s.name(m.Alias)
		s.Byte(byte(m.Flags))
		s.placed(m.Pos)
	}
	s.classes()
	for i := 1; i < len(f.Classes); i++ {
		s.members(f.Classes[i].Members)
	}
	s.members(f.Top)
	s.Len(len(f.Exports))
	for _, x := range f.Exports {
		s.name(x.Name)
		s.expr(x.X)
		s.placed(x.Pos)
	}
	first.Len(len(s.nodes.Bytes()))
	first.Raw(s.nodes.Bytes())
	first.Raw(s.Bytes())
}

func (s *saver) strings() {
	s.Len(len(s.f.Strings))
	var raw []byte
	for _, text := range s.f.Strings[1:] {
		raw = raw[:0]
		for i := range len(text) {
			if c := text[i]; c <= 1 {
				raw = append(raw, 1, c+1)
			} else {
				raw = append(raw, c)
			}
		}
		s.Raw(raw)
		s.Byte(0)
	}
}

// nameTo writes a string to a stream: how many lie between it and the highest one
// before, known, at most 3, or 4 more than its number.
func nameTo(e *snapshot.Encoder, known *Str, n Str) {
	gap := uint64(n) - uint64(*known) - 1
	if n > *known {
		*known = n
		if gap < 4 {
			e.Uint(gap)
			return
		}
	}
	e.Uint(uint64(n) + 4)
}

func (s *saver) name(n Str) { nameTo(&s.nodes, &s.known, n) }

func (s *saver) difference(a, b uint32) { s.Int(int64(a) - int64(b)) }

// place writes a place and returns how.
func (s *saver) place(e *snapshot.Encoder, guessed, pos Pos) uint8 {
	switch {
	case pos == 0:
		return placeNone
	case pos == guessed:
		return placeGuessed
	case pos.Line() == guessed.Line():
		e.Int(int64(pos.Column()) - int64(guessed.Column()))
		return placeColumn
	}
	e.Int(int64(pos.Line()) - int64(guessed.Line()))
	e.Int(int64(pos.Column()) - int64(s.indent))
	s.indent = pos.Column()
	return placeLine
}

// placed writes a place after how that is done, as seen from the one before.
func (s *saver) placed(pos Pos) {
	var e snapshot.Encoder
	s.Byte(s.place(&e, s.at, pos))
	s.Raw(e.Bytes())
	s.at = pos
}

func (s *saver) vars() {
	var last VarInfo // with the last type that there was
	for i := 1; i < len(s.f.Vars); i++ {
		v := &s.f.Vars[i]
		var e snapshot.Encoder
		head := varLater
		if !s.later[i] {
			head = s.place(&e, s.at, v.Pos)
			if v.Pos != 0 {
				s.at = v.Pos
			}
		}
		if v.Func != last.Func {
			head |= varFunc
		}
		if v.Type != 0 && v.Type == last.Type {
			head |= varSameType
		} else if v.Type != 0 {
			head |= varType
		}
		if v.Init != 0 {
			head |= varInit
		}
		s.Byte(head)
		nameTo(s.Encoder, &s.known, v.Name)
		s.Raw(e.Bytes())
		if head&varFunc != 0 {
			s.difference(uint32(v.Func), uint32(last.Func))
		}
		if head&varType != 0 {
			s.difference(uint32(v.Type), uint32(last.Type))
		}
		if v.Init != 0 {
			s.difference(uint32(v.Init), uint32(v.Type))
		}
		last.Func = v.Func
		if v.Type != 0 {
			last.Type = v.Type
		}
	}
}
