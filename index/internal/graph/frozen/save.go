package frozen

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
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
	nodes [recent]edge.ID
	next  int
}

// add enters a node. It returns its place, and the node that had it.
func (r *recency) add(id edge.ID) (at int, was edge.ID) {
	at, was = r.next, r.nodes[r.next]
	r.nodes[at] = id
	r.next = (at + 1) % recent
	return at, was
}

// A saver encodes a frozen family.
type saver struct {
	*snapshot.Encoder
	f    *Family
	ways []uint32 // by way: its number

	recency
	at []uint8 // by node: its place there and 1 more
}

// A way is what edges have of kind, confidence, rule and whether they are by a dispatch.
type way uint32

// rules are those that are saved: edges of SCIP indexes are not.
const rules = way(edge.BySCIP)

// maxWay is the number of ways that there may be.
const maxWay = way(len(edge.EdgeKinds)*len(edge.Confidences)) * rules * 2

func wayOf(e *edge.Edge) way {
	w := (way(e.Kind)*way(len(edge.Confidences))+way(e.Confidence))*rules + way(e.Rule)
	if e.Via != 0 {
		return w*2 + 1
	}
	return w * 2
}

// edge returns an edge that is made in the way, and whether that is by a dispatch.
func (w way) edge() (e edge.Edge, dispatched bool) {
	dispatched = w%2 == 1
	w /= 2
	e.Rule, w = edge.Rule(w%rules), w/rules
	e.Confidence, e.Kind = edge.Confidence(w%way(len(edge.Confidences))), edge.EdgeKind(w/way(len(edge.Confidences)))
	return e, dispatched
}

// Save writes a frozen family, see the format above.
func (f *Family) Save(e *snapshot.Encoder) { (&saver{Encoder: e, f: f}).save() }

func (s *saver) save() {
	s.names()
	s.Len(len(s.f.Languages))
	for _, l := range s.f.Languages {
		s.String(l)
	}
	s.numberWays()
	s.Len(len(s.f.Nodes) - 1)
	s.Len(len(s.f.Edges))
	s.Len(len(s.f.Sites))
	others := s.others()
	s.Len(others)
	for id := 1; id <= others; id++ {
		n := &s.f.Nodes[id]
		s.Byte(byte(n.Kind))
		s.Uint(uint64(n.Name))
		s.Uint(uint64(n.Outer))
	}
	s.Len(len(s.f.Files))
	before := uint32(0)
	parts := s.f.Parts
	for i := range s.f.Files {
		parts = s.file(&s.f.Files[i], before, parts)
		before = s.f.Files[i].Name
	}
	s.Len(len(s.f.Overrides.Ends) - 1)
	for d := 1; d < len(s.f.Overrides.Ends); d++ {
		s.list(s.f.Overrides.Of(uint32(d)), 0)
	}
	s.at = make([]uint8, len(s.f.Nodes))
	for id := others + 1; id < len(s.f.Nodes); id++ {
		s.from(uint32(id))
	}
}

// others is the number of nodes of no file. They come first.
func (s *saver) others() int {
	if len(s.f.Files) == 0 {
		return len(s.f.Nodes) - 1
	}
	return int(s.f.Files[0].First) - 1
}

func (s *saver) names() {
	s.Len(len(s.f.Names) - 1)
	for i, text := range s.f.Names[1:] {
		last, shared := s.f.Names[i], 0
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
	for i := range s.f.Edges {
		counts[wayOf(&s.f.Edges[i])]++
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
func (s *saver) file(in *File, before uint32, parts []PartOf) []PartOf {
	s.Uint(uint64(in.Name - before))
	s.Uint(uint64(in.Language))
	last := &Node{Name: in.Name, Outer: in.First, Pos: ir.At(1, 1)}
	s.Uint(uint64(s.f.Nodes[in.First].End))
	s.Uint(uint64(in.Funcs))
	s.Uint(uint64(in.Classes))
	s.Uint(uint64(in.Vars))
	for id := in.First + 1; id < in.end(); id++ {
		n := &s.f.Nodes[id]
		s.difference(n.Name, last.Name)
		s.difference(uint32(n.Outer), uint32(last.Outer))
		s.Int(int64(n.Pos.Line()) - int64(last.Pos.Line()))
		s.Uint(uint64(n.Pos.Column()))
		if n.Kind != edge.VarNode {
			s.difference(n.Before, last.Before)
			s.Uint(uint64(n.Flags))
			s.difference(n.Start, last.End)
			s.difference(n.End, n.Start)
		}
		last = n
		switch {
		case n.Kind != edge.ClassNode:
		case len(parts) > 0 && parts[0].Part == id:
			s.difference(uint32(parts[0].Of), uint32(id))
			parts = parts[1:]
		default:
			s.Int(0)
			s.list(s.f.Members.Of(uint32(id)), uint32(id))
		}
	}
	return parts
}

// from writes the edges and sites of a node.
func (s *saver) from(id uint32) {
	lo, hi := s.f.EdgesOf.Bounds(id)
	first, end := s.f.SitesOf.Bounds(id)
	if first == end {
		s.Uint(uint64(hi-lo) << 1)
	} else {
		s.Uint(uint64(hi-lo)<<1 | 1)
		s.Uint(uint64(end - first))
	}
	at := s.f.Nodes[id].Pos
	for i := lo; i < hi; i++ {
		e := &s.f.Edges[i]
		if i == lo {
			at = s.firstLine(at, e.Pos)
		}
		s.place(s.ways[wayOf(e)], at, e.Pos)
		at = e.Pos
		if e.Via != 0 {
			s.Uint(uint64(e.Via))
		} else {
			s.to(e.To, id)
		}
	}
	at = s.f.Nodes[id].Pos
	for i := first; i < end; i++ {
		x := &s.f.Sites[i]
		if i == first {
			at = s.firstLine(at, x.Pos)
		}
		s.place(uint32(x.Reason), at, x.Pos)
		at = x.Pos
		s.Uint(uint64(x.Name))
	}
}

// to writes what an edge leads to.
func (s *saver) to(to edge.ID, from uint32) {
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
