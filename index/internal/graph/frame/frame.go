// Package frame has where evaluation is, in which function of which file, and what it reads,
// adds and finds there. It evaluates nothing itself.
package frame

import (
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Frame is the place of an evaluation and its effects. Its buffers serve all units in turn.
type Frame struct {
	Family     *program.Family
	File       *program.File
	UnitNumber uint32 // the unit's number; 0: only declarations are evaluated, and nothing is read, added or found

	Func  ir.Func  // the function that is being evaluated
	Class ir.Class // the class, where there is no function: bases, types of fields
	// Fields: the initial values of the fields of Class are being evaluated.
	Fields bool

	At   ir.Pos // of the call that is being resolved
	Mute int    // >0: no edges are made
	dry  int    // >0: nothing is written

	Reads   []uint32            // cells
	Marks   intern.Blocks[Mark] // by cell
	Written []uint32            // cells
	round   uint32              // the number of this evaluation of a unit

	locals  []pointsto.Set
	seen    []bool   // variables that were read in this pass
	seenIn  []uint32 // the part that read a variable last
	touched []uint32 // variables
	again   bool     // a variable grew after it had been read
	pass    int

	was, now  *program.Record // of the last pass, and of this one
	none      program.Record
	buffers   [2]program.Record
	next      int    // the number of the part after this one
	part      uint32 // counts parts, for marks
	reran     bool   // a part was evaluated in this pass
	firstRead int    // of the part, in now
	firstEdge int

	inner []pointsto.Value // types that are being looked into, see Inside
	rules Rules
}

// Rules are what a language says of the place of an evaluation.
type Rules interface {
	// HasReceiver reports whether a function literal has a receiver.
	HasReceiver(g *program.Family, f *program.File, fn ir.Func) bool
}

// Declarations returns the frame of what is declared in a function or class of a file.
func Declarations(g *program.Family, f *program.File, fn ir.Func, c ir.Class, rules Rules) Frame {
	return Frame{Family: g, File: f, Func: fn, Class: c, Mute: 1, rules: rules}
}

// Enter makes the frame that of a unit, whose variables are what the last evaluation left.
func (fr *Frame) Enter(n uint32, u *program.Unit, rules Rules) {
	fr.File, fr.UnitNumber, fr.Class, fr.rules = u.File, n, 0, rules
	if n := len(u.File.IR.Vars); len(fr.locals) < n {
		fr.locals = make([]pointsto.Set, n*2)
		fr.seen = make([]bool, n*2)
		fr.seenIn = make([]uint32, n*2)
	}
	fr.Reads, fr.Written = fr.Reads[:0], fr.Written[:0]
	fr.round++
	fr.pass = 0
	fr.recall(u.Memo)
}

// Again begins a pass over the unit: the first, or another one where a variable grew after it
// had been read. It reports false where there is none to make; Leave must follow then.
func (fr *Frame) Again() bool {
	if fr.pass > 0 {
		if fr.reran {
			fr.was = fr.now
		}
		if !fr.again {
			return false
		}
		for _, v := range fr.touched {
			fr.seen[v] = false
		}
	}
	fr.again, fr.reran, fr.next = false, false, 0
	fr.now = &fr.buffers[fr.pass&1]
	fr.now.Reset()
	fr.pass++
	return true
}

// Quiet leaves the edges out of what is evaluated until Loud is called, and what is written.
func (fr *Frame) Quiet() { fr.Mute++; fr.dry++ }

// Loud ends what Quiet began.
func (fr *Frame) Loud() { fr.Mute--; fr.dry-- }

// Writes reports whether cells and variables grow.
func (fr *Frame) Writes() bool { return fr.dry == 0 && fr.UnitNumber != 0 }

// Records reports whether edges are made.
func (fr *Frame) Records() bool { return fr.Mute == 0 && fr.UnitNumber != 0 }
