package graph

import (
	"maps"
	"slices"
	"strings"
)

// Answers come from the family that has what is asked about, or from all. A family has
// numbers of its own for nodes; first is what they lack to be those of the graph.

// nothing answers where there is no family.
var nothing = &family{frozen: &frozen{}}

// familyOf returns the family of a node, and the node's number in it.
func (g *Graph) familyOf(id ID) (p *family, own, first ID) {
	own = id % maxNodes
	first = id - own
	if n := int(id / maxNodes); n < len(g.families) {
		return g.families[n], own, first
	}
	return nothing, own, first
}

// familyAt returns the family that has a file.
func (g *Graph) familyAt(path string) (p *family, first ID) {
	for n, p := range g.families {
		if p.file(path) != 0 {
			return p, ID(n) * maxNodes
		}
	}
	return nothing, 0
}

// lift makes an ID of a family's own number.
func lift(own, first ID) ID {
	if own == 0 {
		return 0
	}
	return own + first
}

func liftAll(ids []ID, first ID) []ID {
	for i := range ids {
		ids[i] += first
	}
	return ids
}

func liftEdges(first ID, yield func(Edge) bool) func(Edge) bool {
	return func(e Edge) bool {
		e.From, e.To = lift(e.From, first), lift(e.To, first)
		return yield(e)
	}
}

func liftSites(first ID, yield func(Site) bool) func(Site) bool {
	return func(s Site) bool {
		s.From = lift(s.From, first)
		return yield(s)
	}
}

// Node returns what is known of a node; the zero Node when it is gone.
func (g *Graph) Node(id ID) Node {
	p, own, first := g.familyOf(id)
	n := p.node(own)
	n.ID, n.Outer = lift(n.ID, first), lift(n.Outer, first)
	return n
}

// Has reports whether a file is in the graph: its language has a lowering.
func (g *Graph) Has(path string) bool { return g.File(path) != 0 }

// File returns the node of a file, or 0.
func (g *Graph) File(path string) ID {
	p, first := g.familyAt(path)
	return lift(p.file(path), first)
}

// At returns the innermost named function or class whose name is at a line of a
// file, or that contains the line, or the file's node; 0 for an unknown file.
func (g *Graph) At(path string, line int) ID {
	p, first := g.familyAt(path)
	return lift(p.at(path, line), first)
}

// Named returns the functions and classes of a file with a name and a line of it.
func (g *Graph) Named(path, name string, line int) []ID {
	p, first := g.familyAt(path)
	return liftAll(p.named(path, name, line), first)
}

// A Spot is where a function or class is named: the name without what it belongs to, and
// the 1-based line.
type Spot struct {
	Name string
	Line int
}

// NamedIn returns what Named does, for all names and lines of a file at once.
func (g *Graph) NamedIn(path string) map[Spot][]ID {
	out := map[Spot][]ID{}
	p, first := g.familyAt(path)
	p.namedIn(path, func(name string, id ID) {
		at := Spot{name, p.node(id).Pos.Line()}
		out[at] = append(out[at], lift(id, first))
	})
	return out
}

// Members returns the functions of a class, those that are written outside of it
// included, in no order.
func (g *Graph) Members(id ID) []ID {
	p, own, first := g.familyOf(id)
	return liftAll(p.members(own), first)
}

// PathOf returns the path of the file that an edge or site is in.
func (g *Graph) PathOf(id ID) string {
	p, own, _ := g.familyOf(id)
	return p.pathOf(own)
}

// Out calls yield for the edges from a node, in the order of the text. Several of one
// place come in the order of path and place of what they lead to.
func (g *Graph) Out(id ID, yield func(Edge) bool) {
	p, own, first := g.familyOf(id)
	p.out(own, liftEdges(first, yield))
}

// In calls yield for the edges to a node, in no order.
func (g *Graph) In(id ID, yield func(Edge) bool) {
	p, own, first := g.familyOf(id)
	p.in(own, liftEdges(first, yield))
}

// Sites calls yield for the calls from a node that lead to no definition, in the order
// of the text.
func (g *Graph) Sites(id ID, yield func(Site) bool) {
	p, own, first := g.familyOf(id)
	p.sites(own, liftSites(first, yield))
}

// Open calls yield for the unresolved calls of a name anywhere, external ones
// left out.
func (g *Graph) Open(name string, yield func(Site) bool) {
	more := true
	for n, p := range g.families {
		if !more {
			return
		}
		p.openSites(name, liftSites(ID(n)*maxNodes, func(s Site) bool {
			more = yield(s)
			return more
		}))
	}
}

// Each calls yield for the edges of all files, by path.
func (g *Graph) Each(yield func(Edge) bool) {
	g.eachFile(func(w *walker) bool { return w.family.edgesAt(w.at, w.path(), liftEdges(w.first, yield)) })
}

// EachSite calls yield for the sites of all files, by path.
func (g *Graph) EachSite(yield func(Site) bool) {
	g.eachFile(func(w *walker) bool { return w.family.sitesAt(w.at, w.path(), liftSites(w.first, yield)) })
}

// A walker goes through the files of a family.
type walker struct {
	family *family
	first  ID
	paths  []string
	at     int
}

func (w *walker) path() string { return w.paths[w.at] }

// eachFile calls yield for each file of all families, by path.
func (g *Graph) eachFile(yield func(w *walker) bool) {
	var all []*walker
	for n, p := range g.families {
		if paths := p.sorted(); len(paths) > 0 {
			all = append(all, &walker{family: p, first: ID(n) * maxNodes, paths: paths})
		}
	}
	for len(all) > 0 {
		w := slices.MinFunc(all, func(a, b *walker) int { return strings.Compare(a.path(), b.path()) })
		if !yield(w) {
			return
		}
		if w.at++; w.at == len(w.paths) {
			all = slices.DeleteFunc(all, func(o *walker) bool { return o == w })
		}
	}
}

// Stats counts what the graph holds.
type Stats struct {
	Files, Nodes, Edges, Sites, External int

	Values map[string]int // sites where a function value is called that is not known, by language
}

// Stats returns the counts.
func (g *Graph) Stats() Stats {
	sum := Stats{Values: map[string]int{}}
	for _, p := range g.families {
		s := p.stats()
		sum.Files += s.Files
		sum.Nodes += s.Nodes
		sum.Edges += s.Edges
		sum.Sites += s.Sites
		sum.External += s.External
		maps.Copy(sum.Values, s.Values) // a language is in one part
	}
	return sum
}

// CallsIn calls the functions for the edges and the sites of one file.
func (g *Graph) CallsIn(path string, edge func(Edge) bool, site func(Site) bool) {
	p, first := g.familyAt(path)
	n := 0
	if p.frozen != nil {
		n, _ = slices.BinarySearch(p.sorted(), path)
	}
	if p.file(path) == 0 {
		return
	}
	p.edgesAt(n, path, liftEdges(first, edge))
	p.sitesAt(n, path, liftSites(first, site))
}
