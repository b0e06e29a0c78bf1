package frame

import (
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// Begin reports whether the next part has to be evaluated; End must follow then. If
// not, what it found before stands.
func (fr *Frame) Begin() bool {
	fr.part++
	fr.At = 0
	fr.next++
	if was := fr.was; fr.next <= len(was.Parts) {
		to := was.Parts[fr.next-1]
		from := program.Part{}
		if fr.next > 1 {
			from = was.Parts[fr.next-2]
		}
		if reads := was.Reads[from.Reads:to.Reads]; fr.stands(reads) {
			fr.now.Reads = append(fr.now.Reads, reads...)
			fr.now.Edges = append(fr.now.Edges, was.Edges[from.Edges:to.Edges]...)
			fr.now.Sites = append(fr.now.Sites, was.Sites[from.Sites:to.Sites]...)
			fr.End()
			return false
		}
	}
	fr.firstRead, fr.firstEdge = len(fr.now.Reads), len(fr.now.Edges)
	fr.reran = true
	return true
}

// End ends the part that Begin began.
func (fr *Frame) End() {
	fr.now.Parts = append(fr.now.Parts, program.Part{Reads: uint32(len(fr.now.Reads)), Edges: uint32(len(fr.now.Edges)), Sites: uint32(len(fr.now.Sites))})
}

// An Extent is what a part has read up to somewhere.
type Extent struct {
	part     uint32
	from, to int // in now
}

// SoFar is what this part has read.
func (fr *Frame) SoFar() Extent { return Extent{fr.part, fr.firstRead, len(fr.now.Reads)} }

// ReadAgain notes that this part depends on what another one of this pass has read.
func (fr *Frame) ReadAgain(x Extent) {
	if x.part != fr.part {
		fr.now.Reads = append(fr.now.Reads, fr.now.Reads[x.from:x.to]...)
	}
}

// stands reports whether everything is still as it was read.
func (fr *Frame) stands(reads []program.Reading) bool {
	for _, r := range reads {
		if r.At&program.LocalRead != 0 {
			v := r.At &^ program.LocalRead
			fr.look(v)
			if fr.locals[v] != r.Value {
				return false
			}
		} else if fr.Family.Cells.At(r.At).Value != r.Value {
			return false
		}
	}
	return true
}

// recall sets the variables of a unit to what the last evaluation left.
func (fr *Frame) recall(m *program.Memo) {
	fr.was = &fr.none
	if m == nil {
		return
	}
	fr.was = &m.Record
	for _, l := range m.Locals {
		fr.locals[l.V] = l.Value
		fr.touched = append(fr.touched, l.V)
	}
}

// Leave keeps what an evaluation found, and empties the variables.
func (fr *Frame) Leave(u *program.Unit) {
	if u.Memo == nil {
		u.Memo = &program.Memo{}
	}
	m := u.Memo
	m.Locals = m.Locals[:0]
	for _, v := range fr.touched {
		if fr.locals[v] != 0 {
			m.Locals = append(m.Locals, program.LocalValue{V: v, Value: fr.locals[v]})
		}
		fr.locals[v], fr.seen[v] = 0, false
	}
	fr.touched = fr.touched[:0]
	if fr.was != &m.Record {
		m.Parts = append(m.Parts[:0], fr.was.Parts...)
		m.Reads = append(m.Reads[:0], fr.was.Reads...)
		m.Edges = append(m.Edges[:0], fr.was.Edges...)
		m.Sites = append(m.Sites[:0], fr.was.Sites...)
	}
}
