package program

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Unit is what is evaluated at once: a function with the functions inside it.
type Unit struct {
	N           uint32 // its number
	Order       uint32 // its place in a round
	File        *File
	Root        ir.Func
	First       ir.Func // in the order of the text; file.next has the others
	Constraints []pointsto.Constraint
	Edges       []edge.Edge
	Sites       []Site
	Memo        *Memo // while the solver runs
}

// A Memo is what the last evaluation of a unit found, part by part: a statement, the
// parameters of a function, the initial value of a field. While the solver runs, a
// part is evaluated again only if a value that it read is another one now; most of
// what a grown cell reaches is one statement of a long function.
type Memo struct {
	Record
	Locals []LocalValue
}

// A Record is what the parts of a unit read and made, in the order of evaluation.
type Record struct {
	Parts []Part
	Reads []Reading
	Edges []edge.Edge
	Sites []Site
}

// A Part is where the reads, edges and sites of one end; they begin where those of
// the part before it end.
type Part struct{ Reads, Edges, Sites uint32 }

// A Reading is a cell, or with the highest bit a variable of the unit, and what was
// in it.
type Reading struct {
	At    uint32
	Value pointsto.Set
}

// A LocalValue is a variable of a unit and what is in it.
type LocalValue struct {
	V     uint32
	Value pointsto.Set
}

// Size is about how many numbers of 8 bytes a memo holds; nil: none.
func (m *Memo) Size() int {
	if m == nil {
		return 0
	}
	const perEdge, perSite = 4, 2
	return len(m.Parts) + len(m.Reads) + len(m.Locals) + perEdge*len(m.Edges) + perSite*len(m.Sites)
}

// LocalRead marks a reading of a variable of the unit.
const LocalRead = 1 << 31

// Reset empties the record.
func (r *Record) Reset() {
	r.Parts, r.Reads, r.Edges, r.Sites = r.Parts[:0], r.Reads[:0], r.Edges[:0], r.Sites[:0]
}

// Owns reports whether a cell is a variable of a function in the unit.
func (u *Unit) Owns(n uint32, key pointsto.CellKey) bool {
	f := u.File
	return key.ID == f.ID && f.UnitOf[f.IR.Vars[key.Sub].Func] == n
}
