package graph

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// # The saved graph
//
// It begins with the version and the number of families that have files. Of each, in the
// order of their names, there is the name, as a string, and what follows here.
//
// The numbers of nodes are those of frozen: in order, so that they need not be written
// and neighbours differ by little. A list has its length before it; "difference" is a
// number that may be negative. All is written as snapshot.Encoder does:
//
//	names       in order, from 1 on: how many bytes each shares with the one before,
//	            at most maxShared, and the rest as a string
//	languages   strings, in order
//	ways        what edges have of kind, confidence, rule and whether they are by a
//	            dispatch, packed into a number (see way), the most frequent first
//	nodes, edges, sites: how many there are
//	others      nodes of no file: kind, name, outer node
//	files       in order of path:
//	    name, as difference to that of the file before; language; last byte; how many
//	    functions, classes and variables. Then these, each:
//	    name, outer node and line as differences to those of the node before, the first
//	    to the file's name, the file and 1; column. Functions and classes after that:
//	    what is before the name, as above; flags or kind; first byte, as difference to
//	    the last one of the node before; last byte, as difference to the first. Classes
//	    after that: the class that they are part of, as difference to it, or 0 and the
//	    list of members, as differences, the first one to the class
//	dispatches  the list of overrides of each, as differences
//	edges and sites of each node of a file:
//	    twice the number of edges, and 1 more if there are sites; the number of sites.
//	    Then the edges: of the first the line as difference to the node's. Each:
//	    four times its way, and how many lines below the one before, at most 3; how
//	    many more than 3; the column, as difference to the one before where that is in
//	    the same line; the dispatch, or what it leads to: where among the last recent
//	    other ones that is (see recency), or recent more than the difference to the
//	    node, as zigzag. Sites as above, with the reason for the way, and the name at
//	    the end
//
// Everything else is found out from that. The Go distribution with its 395,000 nodes and
// 995,000 edges takes 8.5 MB.

// saveVersion is the version of the encoding.
const saveVersion = 2

// maxShared is how many bytes of a name are taken from the one before, at most: it
// bounds how much longer the names are than their encoding.
const maxShared = 31

// recent is how many nodes that edges lead to have numbers of one byte. On the Go
// distribution that saves a third of what edges lead to; twice as many would need a
// second byte for all others.
const recent = 96

// recency are the last nodes that edges led to, in turn: the next one takes the place
// of the one that came first.
type recency struct {
	nodes [recent]ID
	next  int
}

// add enters a node. It returns its place, and the node that had it.
func (r *recency) add(id ID) (at int, was ID) {
	at, was = r.next, r.nodes[r.next]
	r.nodes[at] = id
	r.next = (at + 1) % recent
	return at, was
}

// Save writes all that the graph answers from, as of the last Resolve, but nothing that
// only updates need. Graphs that answer the same are the same bytes, whatever edits led
// to them. It may run alongside queries.
func (g *Graph) Save(e *snapshot.Encoder) {
	all := g.byName()
	e.Uint(saveVersion)
	e.Len(len(all))
	for _, p := range all {
		e.String(p.name)
		(&saver{Encoder: e, f: p.freeze()}).save()
	}
}

// A saver encodes a frozen family.
type saver struct {
	*snapshot.Encoder
	f    *frozen
	ways []uint32 // by way: its number

	recency
	at []uint8 // by node: its place there and 1 more
}

// A way is what edges have of kind, confidence, rule and whether they are by a dispatch.
type way uint32

// maxWay is the number of ways that there may be.
const maxWay = way(len(edgeKinds)*len(confidences)*len(rules)) * 2

func wayOf(e *Edge) way {
	w := (way(e.Kind)*way(len(confidences))+way(e.Confidence))*way(len(rules)) + way(e.Rule)
	if e.via != 0 {
		return w*2 + 1
	}
	return w * 2
}

// edge returns an edge that is made in the way, and whether that is by a dispatch.
func (w way) edge() (e Edge, dispatched bool) {
	dispatched = w%2 == 1
	w /= 2
	e.Rule, w = Rule(w%way(len(rules))), w/way(len(rules))
	e.Confidence, e.Kind = Confidence(w%way(len(confidences))), EdgeKind(w/way(len(confidences)))
	return e, dispatched
}

func (s *saver) save() {
	s.names()
	s.Len(len(s.f.languages))
	for _, l := range s.f.languages {
		s.String(l)
	}
	s.numberWays()
	s.Len(len(s.f.nodes) - 1)
	s.Len(len(s.f.edges))
	s.Len(len(s.f.sites))
	others := s.others()
	s.Len(others)
	for id := 1; id <= others; id++ {
		n := &s.f.nodes[id]
		s.Byte(byte(n.kind))
		s.Uint(uint64(n.name))
		s.Uint(uint64(n.outer))
	}
	s.Len(len(s.f.files))
	before := uint32(0)
	parts := s.f.parts
	for i := range s.f.files {
		parts = s.file(&s.f.files[i], before, parts)
		before = s.f.files[i].name
	}
	s.Len(len(s.f.overrides.ends) - 1)
	for d := 1; d < len(s.f.overrides.ends); d++ {
		s.list(s.f.overrides.of(uint32(d)), 0)
	}
	s.at = make([]uint8, len(s.f.nodes))
	for id := others + 1; id < len(s.f.nodes); id++ {
		s.from(uint32(id))
	}
}

// others is the number of nodes of no file. They come first.
func (s *saver) others() int {
	if len(s.f.files) == 0 {
		return len(s.f.nodes) - 1
	}
	return int(s.f.files[0].first) - 1
}

func (s *saver) names() {
	s.Len(len(s.f.names) - 1)
	for i, text := range s.f.names[1:] {
		last, shared := s.f.names[i], 0
		for shared < min(len(last), len(text), maxShared) && last[shared] == text[shared] {
			shared++
		}
		s.Uint(uint64(shared))
		s.String(text[shared:])
	}
}

// numberWays gives the most frequent ways the numbers that need one byte.
func (s *saver) numberWays() {
	counts := make([]int, maxWay)
	for i := range s.f.edges {
		counts[wayOf(&s.f.edges[i])]++
	}
	var used []way
	for w, n := range counts {
		if n > 0 {
			used = append(used, way(w))
		}
	}
	slices.SortFunc(used, func(a, b way) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	s.ways = make([]uint32, maxWay)
	s.Len(len(used))
	for n, w := range used {
		s.ways[w] = uint32(n)
		s.Uint(uint64(w))
	}
}

// list writes a list of numbers as differences.
func (s *saver) list(list []uint32, before uint32) {
	s.Len(len(list))
	for _, n := range list {
		s.difference(n, before)
		before = n
	}
}

func (s *saver) difference(n, before uint32) { s.Int(int64(n) - int64(before)) }

// file writes a file and its nodes. parts are what is left of those of the graph.
func (s *saver) file(in *frozenFile, before uint32, parts []partOf) []partOf {
	s.Uint(uint64(in.name - before))
	s.Uint(uint64(in.language))
	last := &frozenNode{name: in.name, outer: in.first, pos: ir.At(1, 1)}
	s.Uint(uint64(s.f.nodes[in.first].end))
	s.Uint(uint64(in.funcs))
	s.Uint(uint64(in.classes))
	s.Uint(uint64(in.vars))
	for id := in.first + 1; id < in.end(); id++ {
		n := &s.f.nodes[id]
		s.difference(n.name, last.name)
		s.difference(uint32(n.outer), uint32(last.outer))
		s.Int(int64(n.pos.Line()) - int64(last.pos.Line()))
		s.Uint(uint64(n.pos.Column()))
		if n.kind != VarNode {
			s.difference(n.before, last.before)
			s.Uint(uint64(n.flags))
			s.difference(n.start, last.end)
			s.difference(n.end, n.start)
		}
		last = n
		switch {
		case n.kind != ClassNode:
		case len(parts) > 0 && parts[0].part == id:
			s.difference(uint32(parts[0].of), uint32(id))
			parts = parts[1:]
		default:
			s.Int(0)
			s.list(s.f.members.of(uint32(id)), uint32(id))
		}
	}
	return parts
}

// from writes the edges and sites of a node.
func (s *saver) from(id uint32) {
	lo, hi := s.f.edgesOf.bounds(id)
	first, end := s.f.sitesOf.bounds(id)
	if first == end {
		s.Uint(uint64(hi-lo) << 1)
	} else {
		s.Uint(uint64(hi-lo)<<1 | 1)
		s.Uint(uint64(end - first))
	}
	at := s.f.nodes[id].pos
	for i := lo; i < hi; i++ {
		e := &s.f.edges[i]
		if i == lo {
			at = s.firstLine(at, e.Pos)
		}
		s.place(s.ways[wayOf(e)], at, e.Pos)
		at = e.Pos
		if e.via != 0 {
			s.Uint(uint64(e.via))
		} else {
			s.to(e.To, id)
		}
	}
	at = s.f.nodes[id].pos
	for i := first; i < end; i++ {
		x := &s.f.sites[i]
		if i == first {
			at = s.firstLine(at, x.pos)
		}
		s.place(uint32(x.reason), at, x.pos)
		at = x.pos
		s.Uint(uint64(x.name))
	}
}

// to writes what an edge leads to.
func (s *saver) to(to ID, from uint32) {
	if at := s.at[to]; at != 0 {
		s.Uint(uint64(at - 1))
		return
	}
	d := int64(to) - int64(from)
	s.Uint(recent + (uint64(d)<<1 ^ uint64(d>>63)))
	at, was := s.add(to)
	s.at[was] = 0
	s.at[to] = uint8(at) + 1
}

// firstLine writes in which line the first of some places is, as seen from a node. It
// returns the beginning of the line.
func (s *saver) firstLine(node, first ir.Pos) ir.Pos {
	s.Int(int64(first.Line()) - int64(node.Line()))
	return ir.At(first.Line(), 0)
}

// place writes a number with a place that is not above the one before.
func (s *saver) place(what uint32, before, pos ir.Pos) {
	lines := pos.Line() - before.Line()
	s.Uint(uint64(what)<<2 | uint64(min(lines, 3)))
	if lines >= 3 {
		s.Uint(uint64(lines - 3))
	}
	if lines == 0 {
		s.Uint(uint64(pos.Column() - before.Column()))
	} else {
		s.Uint(uint64(pos.Column()))
	}
}
