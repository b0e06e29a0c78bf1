package frozen

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// maxOuter is how deep nodes may lie in others.
const maxOuter = 1 << 12

// A restorer decodes a frozen family. Every number is checked before it is used as an
// index, and every count before memory is taken for it.
type restorer struct {
	*snapshot.Decoder
	f    *Family
	ways []way
	recency
}

// Restore reads what save wrote. Bytes that make no sense give an error of d.
func Restore(d *snapshot.Decoder) *Family {
	r := &restorer{Decoder: d, f: &Family{}}
	r.restore()
	if d.Err() == nil {
		r.f.Invert()
	}
	return r.f
}

func (r *restorer) restore() {
	r.names()
	for range r.Len(1) {
		r.f.Languages = append(r.f.Languages, r.String())
	}
	for range r.Len(1) {
		w := way(r.Below(uint64(maxWay)))
		if e, _ := w.edge(); e.Confidence == edge.ByName {
			r.Fail("a confidence that edges do not have")
		}
		r.ways = append(r.ways, w)
	}
	// What each takes at least.
	nodes, edges, sites := r.Len(3), r.Len(3), r.Len(3)
	if nodes >= edge.MaxNodes {
		r.Fail("%d nodes in a family", nodes)
		return
	}
	r.f.Nodes = make([]Node, 1, nodes+1)
	r.f.Members.Ends = make([]uint32, nodes+1)
	others := r.Len(3)
	for range others {
		kind := edge.Kind(r.Below(uint64(edge.ObjectNode) + 1))
		if kind == 0 {
			r.Fail("a node of no kind")
		}
		r.node(Node{Kind: kind, Name: r.name(), Outer: edge.ID(r.Below(uint64(r.bound())))})
	}
	files := r.Len(7)
	r.f.Files = make([]File, 0, files)
	for range files {
		r.file()
	}
	if len(r.f.Nodes) != nodes+1 {
		r.Fail("%d nodes of %d", len(r.f.Nodes)-1, nodes)
	}
	r.checkOuter()
	dispatches := r.Len(1)
	r.f.Overrides.Ends = make([]uint32, 1, dispatches+1)
	for range dispatches {
		r.f.Overrides.Data = r.list(r.f.Overrides.Data, 0)
		r.f.Overrides.Ends = append(r.f.Overrides.Ends, uint32(len(r.f.Overrides.Data)))
	}
	r.f.Edges, r.f.Sites = make([]edge.Edge, 0, edges), make([]Site, 0, sites)
	r.f.EdgesOf.Ends, r.f.SitesOf.Ends = make([]uint32, nodes+1), make([]uint32, nodes+1)
	for id := others + 1; id < len(r.f.Nodes) && r.Err() == nil; id++ {
		r.from(edge.ID(id))
	}
	if r.Err() == nil && (len(r.f.Edges) != edges || len(r.f.Sites) != sites) {
		r.Fail("%d edges of %d, and %d sites of %d", len(r.f.Edges), edges, len(r.f.Sites), sites)
	}
}

func (r *restorer) names() {
	n := r.Len(2)
	r.f.Names = make([]string, 1, n+1)
	var text []byte // of all
	ends := make([]int, 1, n+1)
	last := 0 // where the name before begins
	for range n {
		shared := int(r.Below(uint64(min(len(text)-last, maxShared)) + 1))
		rest := r.Raw(r.Len(1))
		at := len(text)
		if string(text[last+shared:]) >= string(rest) {
			r.Fail("names out of order")
		}
		text = append(append(text, text[last:last+shared]...), rest...)
		ends = append(ends, len(text))
		last = at
		if r.Err() != nil {
			return
		}
	}
	whole := string(text)
	for i := range n {
		r.f.Names = append(r.f.Names, whole[ends[i]:ends[i+1]])
	}
}

func (r *restorer) name() uint32 { return uint32(r.Below(uint64(len(r.f.Names)))) }

// bound is more than any node's number.
func (r *restorer) bound() int64 { return int64(cap(r.f.Nodes)) }

// int is Int, faster.
func (r *restorer) int() int64 { return zigzag(r.Uint()) }

func zigzag(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }

// difference reads a number from 0 to below a bound.
func (r *restorer) difference(before uint32, bound int64) uint32 {
	x := int64(before) + r.int()
	if x < 0 || x >= bound {
		r.Fail("%d is not below %d", x, bound)
		return 0
	}
	return uint32(x)
}

// list appends the numbers of a list of nodes.
func (r *restorer) list(list []uint32, before uint32) []uint32 {
	for range r.Len(1) {
		before = r.difference(before, r.bound())
		if before == 0 {
			r.Fail("no node in a list")
		}
		list = append(list, before)
	}
	return list
}

// node appends a node.
func (r *restorer) node(n Node) {
	if len(r.f.Nodes) == cap(r.f.Nodes) {
		r.Fail("more nodes than there are")
		return
	}
	r.f.Members.Ends[len(r.f.Nodes)] = uint32(len(r.f.Members.Data))
	r.f.Nodes = append(r.f.Nodes, n)
}

func (r *restorer) file() {
	before := uint32(0)
	if n := len(r.f.Files); n > 0 {
		before = r.f.Files[n-1].Name
	}
	in := File{Name: before + r.Uint32n(), First: edge.ID(len(r.f.Nodes))}
	if in.Name <= before || int(in.Name) >= len(r.f.Names) {
		r.Fail("files out of order")
	}
	in.Language = uint32(r.Below(uint64(len(r.f.Languages))))
	top := Node{Kind: edge.FileNode, File: uint32(len(r.f.Files)) + 1, Name: in.Name, Pos: ir.At(1, 1), End: r.Uint32n()}
	in.Funcs, in.Classes, in.Vars = uint32(r.Len(8)), uint32(r.Len(8)), uint32(r.Len(4))
	if r.Err() != nil {
		return
	}
	r.f.Files = append(r.f.Files, in)
	last := Node{Name: in.Name, Outer: in.First, Pos: ir.At(1, 1)}
	r.node(top)
	for _, part := range []struct {
		kind  edge.Kind
		count uint32
	}{{edge.FuncNode, in.Funcs}, {edge.ClassNode, in.Classes}, {edge.VarNode, in.Vars}} {
		for range part.count {
			r.inner(part.kind, &last)
			if r.Err() != nil {
				return
			}
		}
	}
}

// inner reads a node of a file, which becomes the last one.
func (r *restorer) inner(kind edge.Kind, last *Node) {
	names := int64(len(r.f.Names))
	n := Node{Kind: kind, File: uint32(len(r.f.Files)), Name: r.difference(last.Name, names)}
	n.Outer = edge.ID(r.difference(uint32(last.Outer), r.bound()))
	n.Pos = r.pos(int64(last.Pos.Line())+r.int(), r.Uint())
	if kind != edge.VarNode {
		n.Before = r.difference(last.Before, names)
		n.Flags = r.Uint32n()
		n.Start = r.difference(last.End, 1<<32)
		n.End = r.difference(n.Start, 1<<32)
	}
	id := uint32(len(r.f.Nodes))
	if kind == edge.ClassNode {
		if n.Flags > uint32(ir.Named) {
			r.Fail("a class of kind %d", n.Flags)
		}
		if of := r.difference(id, r.bound()); of != id {
			r.f.Parts = append(r.f.Parts, PartOf{edge.ID(id), edge.ID(of)})
		} else {
			r.f.Members.Data = r.list(r.f.Members.Data, id)
		}
	}
	r.node(n)
	*last = n
}

// pos makes a place.
func (r *restorer) pos(line int64, column uint64) ir.Pos {
	if uint64(line) >= 1<<20 || column >= 1<<12 {
		r.Fail("line %d, column %d", line, column)
		return 0
	}
	return ir.At(int(line), int(column))
}

// checkOuter refuses nodes that lie in themselves, or too deep in others.
func (r *restorer) checkOuter() {
	depth := make([]int16, len(r.f.Nodes)) // -1: on the way
	for id := 1; id < len(depth) && r.Err() == nil; id++ {
		up, n := edge.ID(id), int16(0)
		for ; up != 0 && depth[up] == 0 && n <= maxOuter; up = r.f.Nodes[up].Outer {
			depth[up] = -1
			n++
		}
		if n > maxOuter || up != 0 && (depth[up] < 0 || depth[up]+n > maxOuter) {
			r.Fail("node %d lies in itself, or too deep in others", id)
			return
		}
		n += depth[up]
		for up := edge.ID(id); up != 0 && depth[up] < 0; up = r.f.Nodes[up].Outer {
			depth[up] = n
			n--
		}
	}
}

// from reads the edges and sites of a node.
func (r *restorer) from(id edge.ID) {
	count := r.Uint()
	edges, sites := count>>1, uint64(0)
	if count&1 != 0 {
		sites = r.Uint()
	}
	if edges > uint64(cap(r.f.Edges)-len(r.f.Edges)) || sites > uint64(cap(r.f.Sites)-len(r.f.Sites)) {
		r.Fail("more edges or sites than there are")
		return
	}
	node := r.f.Nodes[id].Pos
	at := node
	for i := range edges {
		if i == 0 {
			at = r.pos(int64(at.Line())+r.int(), 0)
		}
		var what uint64
		what, at = r.place(at, uint64(len(r.ways)))
		if r.Err() != nil {
			return
		}
		e, dispatched := r.ways[what].edge()
		e.From, e.Pos = id, at
		if dispatched {
			e.Via = uint32(r.Below(uint64(len(r.f.Overrides.Ends))))
		} else {
			e.To = r.to(id)
		}
		if e.Via == 0 && e.To == 0 {
			r.Fail("an edge to nothing")
		}
		r.f.Edges = append(r.f.Edges, e)
	}
	at = node
	for i := range sites {
		if i == 0 {
			at = r.pos(int64(at.Line())+r.int(), 0)
		}
		var reason uint64
		reason, at = r.place(at, uint64(len(edge.Reasons)))
		if r.Err() != nil {
			return
		}
		r.f.Sites = append(r.f.Sites, Site{id, r.name(), at, edge.Reason(reason)})
	}
	r.f.EdgesOf.Ends[id], r.f.SitesOf.Ends[id] = uint32(len(r.f.Edges)), uint32(len(r.f.Sites))
}

// to reads what an edge leads to.
func (r *restorer) to(from edge.ID) edge.ID {
	x := r.Uint()
	if x < recent {
		return r.recency.nodes[x]
	}
	to := int64(from) + zigzag(x-recent)
	if to < 0 || to >= r.bound() {
		r.Fail("an edge to node %d", to)
		return 0
	}
	r.add(edge.ID(to))
	return edge.ID(to)
}

// place reads a number below a bound with a place that follows another.
func (r *restorer) place(before ir.Pos, bound uint64) (what uint64, pos ir.Pos) {
	what = r.Uint()
	lines := what & 3
	what >>= 2
	if what >= bound {
		r.Fail("%d is not below %d", what, bound)
		return 0, 0
	}
	if lines == 3 {
		lines += r.Uint()
	}
	column := r.Uint()
	if lines == 0 {
		column += uint64(before.Column())
	}
	if lines >= 1<<20 || column >= 1<<12 {
		r.Fail("a place out of bounds")
		return 0, 0
	}
	return what, r.pos(int64(before.Line())+int64(lines), column)
}
