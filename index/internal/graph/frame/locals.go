package frame

import (
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// ReadLocal reads a local variable of a unit, of this one or of one around it.
func (fr *Frame) ReadLocal(v ir.Var) pointsto.Set {
	info := &fr.File.IR.Vars[v]
	if info.Func == 0 {
		return fr.Family.OrDeclared(fr.Cell(pointsto.CellKey{Kind: pointsto.VarCell, ID: fr.File.Vars[v], Sub: 0}), fr.File.VarTypes[v])
	}
	if fr.File.UnitOf[info.Func] != fr.UnitNumber {
		return fr.Family.OrDeclared(fr.Cell(pointsto.CellKey{Kind: pointsto.LocalCell, ID: fr.File.ID, Sub: uint32(v)}), fr.File.VarTypes[v])
	}
	s := fr.locals[v]
	if fr.seenIn[v] != fr.part {
		fr.seenIn[v] = fr.part
		fr.look(uint32(v))
		fr.now.Reads = append(fr.now.Reads, program.Reading{At: uint32(v) | program.LocalRead, Value: s})
	}
	if fr.File.Shared[info.Func] {
		s = fr.Family.Union(s, fr.Cell(pointsto.CellKey{Kind: pointsto.LocalCell, ID: fr.File.ID, Sub: uint32(v)}))
	}
	return fr.Family.OrDeclared(s, fr.File.VarTypes[v])
}

// AddLocal adds to a local variable.
func (fr *Frame) AddLocal(v ir.Var, s pointsto.Set) {
	if s == 0 || !fr.Writes() {
		return
	}
	info := &fr.File.IR.Vars[v]
	if t := fr.File.VarTypes[v]; t != 0 {
		if !fr.Family.Open(t, fr.File.Lang) {
			return
		}
		s = fr.Family.Admit(t, s, fr.File.Lang)
	}
	if info.Func == 0 {
		fr.Write(pointsto.CellKey{Kind: pointsto.VarCell, ID: fr.File.Vars[v], Sub: 0}, s)
		return
	}
	if fr.File.UnitOf[info.Func] != fr.UnitNumber {
		fr.Write(pointsto.CellKey{Kind: pointsto.LocalCell, ID: fr.File.ID, Sub: uint32(v)}, s)
		return
	}
	if fr.File.Shared[info.Func] {
		fr.Write(pointsto.CellKey{Kind: pointsto.LocalCell, ID: fr.File.ID, Sub: uint32(v)}, s)
	}
	if n := fr.Family.Union(fr.locals[v], s); n != fr.locals[v] {
		if fr.locals[v] == 0 && !fr.seen[v] {
			fr.touched = append(fr.touched, uint32(v))
		}
		if fr.seen[v] {
			fr.again = true
		}
		fr.locals[v] = n
	}
}

// look notes that a part depends on a variable of the unit.
func (fr *Frame) look(v uint32) {
	if !fr.seen[v] {
		fr.seen[v] = true
		fr.touched = append(fr.touched, v)
	}
}
