// Package eval evaluates units: what expressions give, what names mean, and what calls lead
// to. It asks a Language where languages differ, and knows none.
package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/defuse"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Evaluator evaluates one unit. Its buffers serve all units in turn.
type Evaluator struct {
	Family     *program.Family
	File       *program.File
	Lang       Language // of f
	UnitNumber uint32   // the unit's number; 0: only declarations are evaluated, see static

	Func   ir.Func  // the function that is being evaluated
	class  ir.Class // the class, where there is no function: bases, types of fields
	readAt ir.Pos   // of the name that is being read: accessors run
	// Fields: the initial values of the fields of class are being evaluated.
	Fields bool

	locals  []pointsto.Set
	seen    []bool   // variables that were read in this pass
	seenIn  []uint32 // the part that read a variable last
	touched []uint32 // variables
	again   bool     // a variable grew after it had been read

	was, now  *program.Record // of the last pass, and of this one
	none      program.Record
	buffers   [2]program.Record
	next      int    // the number of the part after this one
	part      uint32 // counts parts, for marks
	reran     bool   // a part was evaluated in this pass
	firstRead int    // of the part, in now
	firstEdge int

	Reads   []uint32            // cells
	Marks   intern.Blocks[Mark] // by cell
	round   uint32              // the number of this evaluation of a unit
	Written []uint32

	Mute    int         // >0: no edges are made
	At      ir.Pos      // of the call that is being resolved
	last    []returning // what the last call may have run
	several severalResults
	open    []opened
	inner   []pointsto.Value // types that are being looked into, see inside
	idle    []*Call
	Types   bool // a type is meant, not a value
	dry     int  // >0: nothing is written

	summarizing bool // a result is evaluated for its summary
	symbols     bool // the operands of the call are, too

	defUse   *defuse.Chains // of chainsOf
	chainsOf *program.File

	forEffect bool // the next call is a statement: nobody uses what it returns
	unused    bool // what the call that is being resolved returns is not used
}

// Unit evaluates a unit until its own variables no longer change.
func (e *Evaluator) Unit(n uint32, u *program.Unit) {
	e.Family.Load(u.File)
	e.Family.Steps = 0
	e.File, e.Lang, e.UnitNumber, e.class = u.File, rulesOf(u.File.Lang), n, 0
	f := u.File.IR
	if len(e.locals) < len(f.Vars) {
		e.locals = make([]pointsto.Set, len(f.Vars)*2)
		e.seen = make([]bool, len(f.Vars)*2)
		e.seenIn = make([]uint32, len(f.Vars)*2)
	}
	e.Reads = e.Reads[:0]
	e.round++
	e.Written = e.Written[:0]
	e.recall(u.Memo)
	for i := 0; ; i++ {
		e.again, e.reran, e.next = false, false, 0
		e.now = &e.buffers[i&1]
		e.now.Reset()
		e.several.x = 0
		for fn := u.First; fn != 0; fn = u.File.Next[fn] {
			e.function(fn)
		}
		if e.reran {
			e.was = e.now
		}
		if !e.again {
			break
		}
		for _, v := range e.touched {
			e.seen[v] = false
		}
	}
	e.remember(u)
}

// A Mark is what an evaluation has done to a cell: a slice by cell, in which an older
// number means nothing, where a map would have to be cleared for each unit.
type Mark struct {
	read, wrote uint32 // the evaluation that did it last
	part        uint32 // the part that read it last
	Added       pointsto.Set
}

func (e *Evaluator) mark(at uint32) *Mark {
	e.Marks.Extend(int(at) + 1)
	return e.Marks.At(at)
}

// Cell reads a cell.
func (e *Evaluator) Cell(key pointsto.CellKey) pointsto.Set {
	if e.UnitNumber == 0 {
		return 0
	}
	at := e.Family.Cell(key)
	if e.Family.Entering != nil {
		e.Family.Entering(at)
	}
	m := e.mark(at)
	if m.read != e.round {
		m.read = e.round
		e.Reads = append(e.Reads, at)
	}
	s := e.Family.Cells.At(at).Value
	if m.part != e.part {
		m.part = e.part
		e.now.Reads = append(e.now.Reads, program.Reading{At: at, Value: s})
	}
	return s
}

// Write adds to the cell of a key.
func (e *Evaluator) Write(key pointsto.CellKey, s pointsto.Set) {
	if s == 0 || e.UnitNumber == 0 || e.dry > 0 {
		return
	}
	at := e.Family.Cell(key)
	m := e.mark(at)
	if m.wrote != e.round {
		m.wrote, m.Added = e.round, 0
		e.Written = append(e.Written, at)
	}
	m.Added = e.Family.Values.Union(m.Added, s)
}

// local reads a local variable, of this unit or of one around it.
func (e *Evaluator) local(v ir.Var) pointsto.Set {
	if e.UnitNumber == 0 {
		return e.static(e.File, v)
	}
	info := &e.File.IR.Vars[v]
	if info.Func == 0 {
		return e.Family.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.VarCell, ID: e.File.Vars[v], Sub: 0}), e.File.VarTypes[v])
	}
	if e.File.UnitOf[info.Func] != e.UnitNumber {
		return e.Family.OrDeclared(e.Cell(pointsto.CellKey{Kind: pointsto.LocalCell, ID: e.File.ID, Sub: uint32(v)}), e.File.VarTypes[v])
	}
	s := e.locals[v]
	if e.seenIn[v] != e.part {
		e.seenIn[v] = e.part
		e.look(uint32(v))
		e.now.Reads = append(e.now.Reads, program.Reading{At: uint32(v) | program.LocalRead, Value: s})
	}
	if e.File.Shared[info.Func] {
		s = e.Family.Union(s, e.Cell(pointsto.CellKey{Kind: pointsto.LocalCell, ID: e.File.ID, Sub: uint32(v)}))
	}
	return e.Family.OrDeclared(s, e.File.VarTypes[v])
}

// setLocal adds to a local variable.
func (e *Evaluator) setLocal(v ir.Var, s pointsto.Set) {
	info := &e.File.IR.Vars[v]
	if s == 0 || e.UnitNumber == 0 || e.dry > 0 {
		return
	}
	if t := e.File.VarTypes[v]; t != 0 {
		if e.HasFunc(s) {
			e.Contextual(s, t, nil)
		}
		if !e.Family.Open(t, e.File.Lang) {
			return
		}
		s = e.admit(t, s)
	}
	if info.Func == 0 {
		e.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: e.File.Vars[v], Sub: 0}, s)
		return
	}
	if e.File.UnitOf[info.Func] != e.UnitNumber {
		e.Write(pointsto.CellKey{Kind: pointsto.LocalCell, ID: e.File.ID, Sub: uint32(v)}, s)
		return
	}
	if e.File.Shared[info.Func] {
		e.Write(pointsto.CellKey{Kind: pointsto.LocalCell, ID: e.File.ID, Sub: uint32(v)}, s)
	}
	if n := e.Family.Union(e.locals[v], s); n != e.locals[v] {
		if e.locals[v] == 0 && !e.seen[v] {
			e.touched = append(e.touched, uint32(v))
		}
		if e.seen[v] {
			e.again = true
		}
		e.locals[v] = n
	}
}
