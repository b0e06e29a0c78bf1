package graph

import (
	"cmp"
	"slices"
)

// A memo is what the last evaluation of a unit found, part by part: a statement, the
// parameters of a function, the initial value of a field. While the solver runs, a
// part is evaluated again only if a value that it read is another one now; most of
// what a grown cell reaches is one statement of a long function.
type memo struct {
	record
	locals []localValue
}

// A record is what the parts of a unit read and made, in the order of evaluation.
type record struct {
	parts []part
	reads []reading
	edges []Edge
	sites []site
}

// A part is where the reads, edges and sites of one end; they begin where those of
// the part before it end.
type part struct{ reads, edges, sites uint32 }

// A reading is a cell, or with the highest bit a variable of the unit, and what was
// in it.
type reading struct {
	at    uint32
	value set
}

// mostMemos is how many numbers of memos are kept while a family is solved, 64 MB: those of
// a tree of 15,000 files. The others are made again, of all parts. That shows in the
// result, which is why it is not a matter of what else is being solved.
func (g *family) mostMemos() int { return cmp.Or(g.memos, solveNodes) }

// size is about how many numbers of 8 bytes a memo holds; nil: none.
func (m *memo) size() int {
	if m == nil {
		return 0
	}
	const edge, site = 4, 2
	return len(m.parts) + len(m.reads) + len(m.locals) + edge*len(m.edges) + site*len(m.sites)
}

const localRead = 1 << 31

// A localValue is a variable of a unit and what is in it.
type localValue struct {
	v     uint32
	value set
}

func (r *record) reset() {
	r.parts, r.reads, r.edges, r.sites = r.parts[:0], r.reads[:0], r.edges[:0], r.sites[:0]
}

// begin reports whether the next part has to be evaluated; end must follow then. If
// not, what it found before stands.
func (e *eval) begin() bool {
	e.part++
	e.at, e.readAt = 0, 0
	e.next++
	if was := e.was; e.next <= len(was.parts) {
		to := was.parts[e.next-1]
		from := part{}
		if e.next > 1 {
			from = was.parts[e.next-2]
		}
		if reads := was.reads[from.reads:to.reads]; e.stands(reads) {
			e.now.reads = append(e.now.reads, reads...)
			e.now.edges = append(e.now.edges, was.edges[from.edges:to.edges]...)
			e.now.sites = append(e.now.sites, was.sites[from.sites:to.sites]...)
			e.several.x = 0
			e.end()
			return false
		}
	}
	e.firstRead, e.firstEdge = len(e.now.reads), len(e.now.edges)
	e.reran = true
	return true
}

func (e *eval) end() {
	e.now.parts = append(e.now.parts, part{uint32(len(e.now.reads)), uint32(len(e.now.edges)), uint32(len(e.now.sites))})
}

// stands reports whether everything is still as it was read.
func (e *eval) stands(reads []reading) bool {
	for _, r := range reads {
		if r.at&localRead != 0 {
			v := r.at &^ localRead
			e.look(v)
			if e.locals[v] != r.value {
				return false
			}
		} else if e.g.cells.at(r.at).value != r.value {
			return false
		}
	}
	return true
}

// look notes that a part depends on a variable of the unit.
func (e *eval) look(v uint32) {
	if !e.seen[v] {
		e.seen[v] = true
		e.touched = append(e.touched, v)
	}
}

// recall sets the variables of a unit to what the last evaluation left.
func (e *eval) recall(m *memo) {
	e.was = &e.none
	if m == nil {
		return
	}
	e.was = &m.record
	for _, l := range m.locals {
		e.locals[l.v] = l.value
		e.touched = append(e.touched, l.v)
	}
}

// remember keeps what an evaluation found, and empties the variables.
func (e *eval) remember(u *unit) {
	if u.memo == nil {
		u.memo = &memo{}
	}
	m := u.memo
	m.locals = m.locals[:0]
	for _, v := range e.touched {
		if e.locals[v] != 0 {
			m.locals = append(m.locals, localValue{v, e.locals[v]})
		}
		e.locals[v], e.seen[v] = 0, false
	}
	e.touched = e.touched[:0]
	if e.was != &m.record {
		m.parts = append(m.parts[:0], e.was.parts...)
		m.reads = append(m.reads[:0], e.was.reads...)
		m.edges = append(m.edges[:0], e.was.edges...)
		m.sites = append(m.sites[:0], e.was.sites...)
	}
}

// recently is how far back an edge is looked for in its part before it is made: what
// is found later is taken out by publish.
const recently = 16

func (e *eval) madeRecently(x Edge) bool {
	made := e.now.edges[max(e.firstEdge, len(e.now.edges)-recently):]
	for i := range made {
		if made[i].key() == x.key() {
			return true
		}
	}
	return false
}

// publish makes what a unit's parts found the edges and sites of the unit: an
// expression may stand in several places of a lowered file, and a node is referred to
// once. They are put in the order of the text: values, and so what a call leads to,
// come in none.
func (g *family) publish(n uint32, u *unit, made map[edgeKey]struct{}) {
	if g.into != nil {
		g.unpost(n, u)
	}
	clear(made)
	u.edges, u.sites = u.edges[:0:0], u.sites[:0:0]
	edges := u.memo.edges[:0]
	for _, x := range u.memo.edges {
		if _, ok := made[x.key()]; !ok {
			made[x.key()] = struct{}{}
			edges = append(edges, x)
		}
	}
	sites := u.memo.sites[:0]
	for _, s := range u.memo.sites {
		key := edgeKey{from: s.from, kind: Calls, pos: s.pos}
		if _, ok := made[key]; !ok {
			made[key] = struct{}{}
			sites = append(sites, s)
		}
	}
	slices.SortFunc(edges, g.compareEdges)
	slices.SortStableFunc(sites, compareSites)
	u.edges, u.sites = append(u.edges, edges...), append(u.sites, sites...)
	u.memo = nil
	if g.into != nil {
		g.post(n, u)
	}
}
