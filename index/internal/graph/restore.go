package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// maxOuter is how deep nodes may lie in others.
const maxOuter = 1 << 12

// Restore reads what Save wrote. The graph answers as the saved one did, and needs no
// file. It cannot change (Put, Remove, Config and Resolve panic) until Reload says where
// to get its files from. Bytes that make no sense give an error.
func Restore(d *snapshot.Decoder) (*Graph, error) {
	g := &Graph{settings: &settings{}, fixed: true}
	if v := d.Uint(); v != saveVersion {
		d.Fail("version %d of the call graph", v)
	}
	last := ""
	for range min(d.Len(1), maxFamilies+1) {
		name := d.String()
		if name <= last || !knownFamily(name) {
			d.Fail("a family with the name %q", name)
		}
		last = name
		r := &restorer{Decoder: d, f: &frozen{}}
		r.restore()
		if err := d.Err(); err != nil {
			return nil, err
		}
		r.f.invert()
		g.families = append(g.families, frozenFamily(name, g.settings, r.f))
	}
	return g, d.Err()
}

// Frozen returns a copy that answers as the graph does and cannot change: what Restore
// makes of what Save writes.
func (g *Graph) Frozen() *Graph { return g.copied((*family).freeze) }

// Apart is Frozen with nothing in common that a Move of g changes.
func (g *Graph) Apart() *Graph {
	return g.copied(func(p *family) *frozen {
		f := p.freeze()
		if p.frozen != nil {
			own := *f
			own.nodes, own.edges, own.sites = slices.Clone(f.nodes), slices.Clone(f.edges), slices.Clone(f.sites)
			f = &own
		}
		return f
	})
}

func (g *Graph) copied(freeze func(p *family) *frozen) *Graph {
	c := &Graph{settings: &settings{}, fixed: true}
	for _, p := range g.families {
		c.families = append(c.families, frozenFamily(p.name, c.settings, freeze(p)))
	}
	return c
}

func (g *Graph) mustChange() {
	if g.fixed {
		panic("graph: a copy, or one that was restored without Reload, cannot change")
	}
}

// A restorer decodes a frozen family. Every number is checked before it is used as an
// index, and every count before memory is taken for it.
type restorer struct {
	*snapshot.Decoder
	f    *frozen
	ways []way
	recency
}

func (r *restorer) restore() {
	r.names()
	for range r.Len(1) {
		r.f.languages = append(r.f.languages, r.String())
	}
	for range r.Len(1) {
		w := way(r.Below(uint64(maxWay)))
		if e, _ := w.edge(); e.Confidence == ByName {
			r.Fail("a confidence that edges do not have")
		}
		r.ways = append(r.ways, w)
	}
	// What each takes at least.
	nodes, edges, sites := r.Len(3), r.Len(3), r.Len(3)
	if nodes >= maxNodes {
		r.Fail("%d nodes in a family", nodes)
		return
	}
	r.f.nodes = make([]frozenNode, 1, nodes+1)
	r.f.members.ends = make([]uint32, nodes+1)
	others := r.Len(3)
	for range others {
		kind := Kind(r.Below(uint64(objectNode) + 1))
		if kind == 0 {
			r.Fail("a node of no kind")
		}
		r.node(frozenNode{kind: kind, name: r.name(), outer: ID(r.Below(uint64(r.bound())))})
	}
	files := r.Len(7)
	r.f.files = make([]frozenFile, 0, files)
	for range files {
		r.file()
	}
	if len(r.f.nodes) != nodes+1 {
		r.Fail("%d nodes of %d", len(r.f.nodes)-1, nodes)
	}
	r.checkOuter()
	dispatches := r.Len(1)
	r.f.overrides.ends = make([]uint32, 1, dispatches+1)
	for range dispatches {
		r.f.overrides.data = r.list(r.f.overrides.data, 0)
		r.f.overrides.ends = append(r.f.overrides.ends, uint32(len(r.f.overrides.data)))
	}
	r.f.edges, r.f.sites = make([]Edge, 0, edges), make([]frozenSite, 0, sites)
	r.f.edgesOf.ends, r.f.sitesOf.ends = make([]uint32, nodes+1), make([]uint32, nodes+1)
	for id := others + 1; id < len(r.f.nodes) && r.Err() == nil; id++ {
		r.from(ID(id))
	}
	if r.Err() == nil && (len(r.f.edges) != edges || len(r.f.sites) != sites) {
		r.Fail("%d edges of %d, and %d sites of %d", len(r.f.edges), edges, len(r.f.sites), sites)
	}
}

func (r *restorer) names() {
	n := r.Len(2)
	r.f.names = make([]string, 1, n+1)
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
		r.f.names = append(r.f.names, whole[ends[i]:ends[i+1]])
	}
}

func (r *restorer) name() uint32 { return uint32(r.Below(uint64(len(r.f.names)))) }

// bound is more than any node's number.
func (r *restorer) bound() int64 { return int64(cap(r.f.nodes)) }

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
func (r *restorer) node(n frozenNode) {
	if len(r.f.nodes) == cap(r.f.nodes) {
		r.Fail("more nodes than there are")
		return
	}
	r.f.members.ends[len(r.f.nodes)] = uint32(len(r.f.members.data))
	r.f.nodes = append(r.f.nodes, n)
}

func (r *restorer) file() {
	before := uint32(0)
	if n := len(r.f.files); n > 0 {
		before = r.f.files[n-1].name
	}
	in := frozenFile{name: before + r.Uint32n(), first: ID(len(r.f.nodes))}
	if in.name <= before || int(in.name) >= len(r.f.names) {
		r.Fail("files out of order")
	}
	in.language = uint32(r.Below(uint64(len(r.f.languages))))
	top := frozenNode{kind: FileNode, file: uint32(len(r.f.files)) + 1, name: in.name, pos: ir.At(1, 1), end: r.Uint32n()}
	in.funcs, in.classes, in.vars = uint32(r.Len(8)), uint32(r.Len(8)), uint32(r.Len(4))
	if r.Err() != nil {
		return
	}
	r.f.files = append(r.f.files, in)
	last := frozenNode{name: in.name, outer: in.first, pos: ir.At(1, 1)}
	r.node(top)
	for _, part := range []struct {
		kind  Kind
		count uint32
	}{{FuncNode, in.funcs}, {ClassNode, in.classes}, {VarNode, in.vars}} {
		for range part.count {
			r.inner(part.kind, &last)
			if r.Err() != nil {
				return
			}
		}
	}
}

// inner reads a node of a file, which becomes the last one.
func (r *restorer) inner(kind Kind, last *frozenNode) {
	names := int64(len(r.f.names))
	n := frozenNode{kind: kind, file: uint32(len(r.f.files)), name: r.difference(last.name, names)}
	n.outer = ID(r.difference(uint32(last.outer), r.bound()))
	n.pos = r.pos(int64(last.pos.Line())+r.int(), r.Uint())
	if kind != VarNode {
		n.before = r.difference(last.before, names)
		n.flags = r.Uint32n()
		n.start = r.difference(last.end, 1<<32)
		n.end = r.difference(n.start, 1<<32)
	}
	id := uint32(len(r.f.nodes))
	if kind == ClassNode {
		if n.flags > uint32(ir.Named) {
			r.Fail("a class of kind %d", n.flags)
		}
		if of := r.difference(id, r.bound()); of != id {
			r.f.parts = append(r.f.parts, partOf{ID(id), ID(of)})
		} else {
			r.f.members.data = r.list(r.f.members.data, id)
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
	depth := make([]int16, len(r.f.nodes)) // -1: on the way
	for id := 1; id < len(depth) && r.Err() == nil; id++ {
		up, n := ID(id), int16(0)
		for ; up != 0 && depth[up] == 0 && n <= maxOuter; up = r.f.nodes[up].outer {
			depth[up] = -1
			n++
		}
		if n > maxOuter || up != 0 && (depth[up] < 0 || depth[up]+n > maxOuter) {
			r.Fail("node %d lies in itself, or too deep in others", id)
			return
		}
		n += depth[up]
		for up := ID(id); up != 0 && depth[up] < 0; up = r.f.nodes[up].outer {
			depth[up] = n
			n--
		}
	}
}

// from reads the edges and sites of a node.
func (r *restorer) from(id ID) {
	count := r.Uint()
	edges, sites := count>>1, uint64(0)
	if count&1 != 0 {
		sites = r.Uint()
	}
	if edges > uint64(cap(r.f.edges)-len(r.f.edges)) || sites > uint64(cap(r.f.sites)-len(r.f.sites)) {
		r.Fail("more edges or sites than there are")
		return
	}
	node := r.f.nodes[id].pos
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
			e.via = uint32(r.Below(uint64(len(r.f.overrides.ends))))
		} else {
			e.To = r.to(id)
		}
		if e.via == 0 && e.To == 0 {
			r.Fail("an edge to nothing")
		}
		r.f.edges = append(r.f.edges, e)
	}
	at = node
	for i := range sites {
		if i == 0 {
			at = r.pos(int64(at.Line())+r.int(), 0)
		}
		var reason uint64
		reason, at = r.place(at, uint64(len(reasons)))
		if r.Err() != nil {
			return
		}
		r.f.sites = append(r.f.sites, frozenSite{id, r.name(), at, Reason(reason)})
	}
	r.f.edgesOf.ends[id], r.f.sitesOf.ends[id] = uint32(len(r.f.edges)), uint32(len(r.f.sites))
}

// to reads what an edge leads to.
func (r *restorer) to(from ID) ID {
	x := r.Uint()
	if x < recent {
		return r.recency.nodes[x]
	}
	to := int64(from) + zigzag(x-recent)
	if to < 0 || to >= r.bound() {
		r.Fail("an edge to node %d", to)
		return 0
	}
	r.add(ID(to))
	return ID(to)
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
