package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// begin reports whether the next part has to be evaluated; end must follow then. If
// not, what it found before stands.
func (e *Evaluator) begin() bool {
	e.part++
	e.At, e.readAt = 0, 0
	e.next++
	if was := e.was; e.next <= len(was.Parts) {
		to := was.Parts[e.next-1]
		from := program.Part{}
		if e.next > 1 {
			from = was.Parts[e.next-2]
		}
		if reads := was.Reads[from.Reads:to.Reads]; e.stands(reads) {
			e.now.Reads = append(e.now.Reads, reads...)
			e.now.Edges = append(e.now.Edges, was.Edges[from.Edges:to.Edges]...)
			e.now.Sites = append(e.now.Sites, was.Sites[from.Sites:to.Sites]...)
			e.several.x = 0
			e.end()
			return false
		}
	}
	e.firstRead, e.firstEdge = len(e.now.Reads), len(e.now.Edges)
	e.reran = true
	return true
}

func (e *Evaluator) end() {
	e.now.Parts = append(e.now.Parts, program.Part{Reads: uint32(len(e.now.Reads)), Edges: uint32(len(e.now.Edges)), Sites: uint32(len(e.now.Sites))})
}

// stands reports whether everything is still as it was read.
func (e *Evaluator) stands(reads []program.Reading) bool {
	for _, r := range reads {
		if r.At&program.LocalRead != 0 {
			v := r.At &^ program.LocalRead
			e.look(v)
			if e.locals[v] != r.Value {
				return false
			}
		} else if e.Family.Cells.At(r.At).Value != r.Value {
			return false
		}
	}
	return true
}

// look notes that a part depends on a variable of the unit.
func (e *Evaluator) look(v uint32) {
	if !e.seen[v] {
		e.seen[v] = true
		e.touched = append(e.touched, v)
	}
}

// recall sets the variables of a unit to what the last evaluation left.
func (e *Evaluator) recall(m *program.Memo) {
	e.was = &e.none
	if m == nil {
		return
	}
	e.was = &m.Record
	for _, l := range m.Locals {
		e.locals[l.V] = l.Value
		e.touched = append(e.touched, l.V)
	}
}

// remember keeps what an evaluation found, and empties the variables.
func (e *Evaluator) remember(u *program.Unit) {
	if u.Memo == nil {
		u.Memo = &program.Memo{}
	}
	m := u.Memo
	m.Locals = m.Locals[:0]
	for _, v := range e.touched {
		if e.locals[v] != 0 {
			m.Locals = append(m.Locals, program.LocalValue{V: v, Value: e.locals[v]})
		}
		e.locals[v], e.seen[v] = 0, false
	}
	e.touched = e.touched[:0]
	if e.was != &m.Record {
		m.Parts = append(m.Parts[:0], e.was.Parts...)
		m.Reads = append(m.Reads[:0], e.was.Reads...)
		m.Edges = append(m.Edges[:0], e.was.Edges...)
		m.Sites = append(m.Sites[:0], e.was.Sites...)
	}
}
