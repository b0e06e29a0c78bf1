package graph

import (
	"maps"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/graph/solver"
)

// Answers come from the family that has what is asked about, or from all. A family has
// numbers of its own for nodes; first is what they lack to be those of the graph.

// nothing answers where there is no family.
var nothing = &program.Family{Frozen: &frozen.Family{}}

// familyOf returns the family of a node, and the node's number in it.
func (g *Graph) familyOf(id edge.ID) (p *program.Family, own, first edge.ID) {
	own = id % edge.MaxNodes
	first = id - own
	if n := int(id / edge.MaxNodes); n < len(g.families) {
		return g.families[n], own, first
	}
	return nothing, own, first
}

// familyAt returns the family that has a file.
func (g *Graph) familyAt(path string) (p *program.Family, first edge.ID) {
	for n, p := range g.families {
		if solver.File(p, path) != 0 {
			return p, edge.ID(n) * edge.MaxNodes
		}
	}
	return nothing, 0
}

// lift makes an ID of a family's own number.
func lift(own, first edge.ID) edge.ID {
	if own == 0 {
		return 0
	}
	return own + first
}

func liftAll(ids []edge.ID, first edge.ID) []edge.ID {
	for i := range ids {
		ids[i] += first
	}
	return ids
}

func liftEdges(first edge.ID, yield func(edge.Edge) bool) func(edge.Edge) bool {
	return func(e edge.Edge) bool {
		e.From, e.To = lift(e.From, first), lift(e.To, first)
		return yield(e)
	}
}

func liftSites(first edge.ID, yield func(edge.Site) bool) func(edge.Site) bool {
	return func(s edge.Site) bool {
		s.From = lift(s.From, first)
		return yield(s)
	}
}

// Node returns what is known of a node; the zero Node when it is gone.
func (g *Graph) Node(id edge.ID) edge.Node {
	p, own, first := g.familyOf(id)
	n := solver.Node(p, own)
	n.ID, n.Outer = lift(n.ID, first), lift(n.Outer, first)
	return n
}

// Has reports whether a file is in the graph: its language has a lowering.
func (g *Graph) Has(path string) bool { return g.File(path) != 0 }

// File returns the node of a file, or 0.
func (g *Graph) File(path string) edge.ID {
	p, first := g.familyAt(path)
	return lift(solver.File(p, path), first)
}

// At returns the innermost named function or class whose name is at a line of a
// file, or that contains the line, or the file's node; 0 for an unknown file.
func (g *Graph) At(path string, line int) edge.ID {
	p, first := g.familyAt(path)
	return lift(solver.At(p, path, line), first)
}

// Named returns the functions and classes of a file with a name and a line of it.
func (g *Graph) Named(path, name string, line int) []edge.ID {
	p, first := g.familyAt(path)
	return liftAll(solver.Named(p, path, name, line), first)
}

// A Spot is where a function or class is named: the name without what it belongs to, and
// the 1-based line.
type Spot struct {
	Name string
	Line int
}

// NamedIn returns what Named does, for all names and lines of a file at once.
func (g *Graph) NamedIn(path string) map[Spot][]edge.ID {
	out := map[Spot][]edge.ID{}
	p, first := g.familyAt(path)
	solver.NamedIn(p, path, func(name string, id edge.ID) {
		at := Spot{name, solver.Node(p, id).Pos.Line()}
		out[at] = append(out[at], lift(id, first))
	})
	return out
}

// Members returns the functions of a class, those that are written outside of it
// included, in no order.
func (g *Graph) Members(id edge.ID) []edge.ID {
	p, own, first := g.familyOf(id)
	return liftAll(solver.Members(p, own), first)
}

// PathOf returns the path of the file that an edge or site is in.
func (g *Graph) PathOf(id edge.ID) string {
	p, own, _ := g.familyOf(id)
	return solver.PathOf(p, own)
}

// Out calls yield for the edges from a node, in the order of the text. Several of one
// place come in the order of path and place of what they lead to.
func (g *Graph) Out(id edge.ID, yield func(edge.Edge) bool) {
	if from := g.facts.from(id); from != nil {
		all(from.edges, yield)
		return
	}
	p, own, first := g.familyOf(id)
	solver.Out(p, own, liftEdges(first, yield))
}

// In calls yield for the edges to a node, in no order.
func (g *Graph) In(id edge.ID, yield func(edge.Edge) bool) {
	p, own, first := g.familyOf(id)
	if g.facts == nil {
		solver.In(p, own, liftEdges(first, yield))
		return
	}
	more := true
	solver.In(p, own, liftEdges(first, func(e edge.Edge) bool {
		if g.facts.from(e.From) == nil {
			more = yield(e)
		}
		return more
	}))
	if more {
		all(g.facts.in[id], yield)
	}
}

// Sites calls yield for the calls from a node that lead to no definition, in the order
// of the text.
func (g *Graph) Sites(id edge.ID, yield func(edge.Site) bool) {
	if from := g.facts.from(id); from != nil {
		all(from.sites, yield)
		return
	}
	p, own, first := g.familyOf(id)
	solver.Sites(p, own, liftSites(first, yield))
}

// Open calls yield for the unresolved calls of a name anywhere, external ones
// left out.
func (g *Graph) Open(name string, yield func(edge.Site) bool) {
	more := true
	for n, p := range g.families {
		if !more {
			return
		}
		solver.OpenSites(p, name, liftSites(edge.ID(n)*edge.MaxNodes, func(s edge.Site) bool {
			if from := g.facts.from(s.From); from == nil || slices.Contains(from.sites, s) {
				more = yield(s)
			}
			return more
		}))
	}
}

// MayBeOpen reports whether Open may have calls of a function's name in the languages of its family.
// It is for questions about many functions: it need not look for the name, of which most have none.
func (g *Graph) MayBeOpen(id edge.ID) bool {
	p, own, _ := g.familyOf(id)
	return solver.MayBeOpen(p, own)
}

// Each calls yield for the edges of all files, by path.
func (g *Graph) Each(yield func(edge.Edge) bool) {
	g.eachFile(func(w *walker) bool {
		if at := g.facts.at(w.path()); at != nil {
			return all(at.edges, yield)
		}
		return solver.EdgesAt(w.family, w.at, w.path(), liftEdges(w.first, yield))
	})
}

// EachSite calls yield for the sites of all files, by path.
func (g *Graph) EachSite(yield func(edge.Site) bool) {
	g.eachFile(func(w *walker) bool {
		if at := g.facts.at(w.path()); at != nil {
			return all(at.sites, yield)
		}
		return solver.SitesAt(w.family, w.at, w.path(), liftSites(w.first, yield))
	})
}

// A walker goes through the files of a family.
type walker struct {
	family *program.Family
	first  edge.ID
	paths  []string
	at     int
}

func (w *walker) path() string { return w.paths[w.at] }

// eachFile calls yield for each file of all families, by path.
func (g *Graph) eachFile(yield func(w *walker) bool) {
	var all []*walker
	for n, p := range g.families {
		if paths := solver.Sorted(p); len(paths) > 0 {
			all = append(all, &walker{family: p, first: edge.ID(n) * edge.MaxNodes, paths: paths})
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

// Stats returns the counts.
func (g *Graph) Stats() edge.Stats {
	sum := edge.Stats{Values: map[string]int{}}
	for _, p := range g.families {
		s := solver.Stats(p)
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
func (g *Graph) CallsIn(path string, yieldEdge func(edge.Edge) bool, yieldSite func(edge.Site) bool) {
	if at := g.facts.at(path); at != nil {
		all(at.edges, yieldEdge)
		all(at.sites, yieldSite)
		return
	}
	p, first := g.familyAt(path)
	n := 0
	if p.Frozen != nil {
		n, _ = p.Frozen.Number(path)
	}
	if solver.File(p, path) == 0 {
		return
	}
	solver.EdgesAt(p, n, path, liftEdges(first, yieldEdge))
	solver.SitesAt(p, n, path, liftSites(first, yieldSite))
}
