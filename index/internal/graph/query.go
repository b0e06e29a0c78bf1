package graph

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// invert makes the index of edges by what they lead to, and of open sites by name.
func (g *Graph) invert() {
	g.into = newInverse(len(g.entities), func(yield func(to ID, unit uint32)) {
		for n, u := range g.units {
			if u == nil {
				continue
			}
			for i := range u.edges {
				yield(u.edges[i].To, uint32(n))
			}
		}
	})
	g.open_ = map[string][]uint32{}
	for n, u := range g.units {
		if u == nil {
			continue
		}
		for _, s := range u.sites {
			if s.Reason == External {
				continue
			}
			if list := g.open_[s.Name]; len(list) == 0 || list[len(list)-1] != uint32(n) {
				g.open_[s.Name] = append(list, uint32(n))
			}
		}
	}
}

// Node returns what is known of a node; the zero Node when it is gone.
func (g *Graph) Node(id ID) Node {
	if g.frozen != nil {
		return g.frozen.node(id)
	}
	if id == 0 || int(id) >= len(g.entities) {
		return Node{}
	}
	e := &g.entities[id]
	n := Node{ID: id, Kind: e.kind, Name: g.qualified(id), Outer: e.outer}
	if e.file == nil {
		return n
	}
	n.Path, n.Language = e.file.path, e.file.lang.name
	switch e.kind {
	case FileNode:
		n.Pos, n.End = ir.At(1, 1), e.file.ir.Funcs[1].End
	case FuncNode:
		f := &e.file.ir.Funcs[e.ref]
		n.Flags, n.Pos, n.Start, n.End = f.Flags, f.Pos, f.Start, f.End
	case ClassNode:
		c := &e.file.ir.Classes[e.ref]
		n.ClassKind, n.Pos, n.Start, n.End = c.Kind, c.Pos, c.Start, c.End
	case VarNode:
		n.Pos = e.file.ir.Vars[e.ref].Pos
	}
	return n
}

// Has reports whether a file is in the graph: its language has a lowering.
func (g *Graph) Has(path string) bool { return g.File(path) != 0 }

// File returns the node of a file, or 0.
func (g *Graph) File(path string) ID {
	if g.frozen == nil {
		return g.fileAt(path)
	}
	if f := g.frozen.file(path); f != nil {
		return f.first
	}
	return 0
}

// At returns the innermost named function or class whose name is at a line of a
// file, or that contains the line, or the file's node; 0 for an unknown file.
func (g *Graph) At(path string, line int) ID {
	if g.frozen != nil {
		return g.frozen.at(path, line)
	}
	f := g.files[path]
	if f == nil {
		return 0
	}
	for _, ids := range [][]ID{f.funcs, f.classes} {
		for _, id := range ids {
			if n := g.Node(id); n.Name != "" && n.Kind != FileNode && n.Pos.Line() == line {
				return id
			}
		}
	}
	return 0
}

// Named returns the functions and classes of a file with a name and a line of it.
func (g *Graph) Named(path, name string, line int) []ID {
	if g.frozen != nil {
		return g.frozen.named(path, name, line)
	}
	f := g.files[path]
	if f == nil {
		return nil
	}
	n, ok := g.names.lookup(name)
	if !ok {
		return nil
	}
	var out []ID
	for _, ids := range [][]ID{f.funcs, f.classes, f.vars} {
		for _, id := range ids {
			if id == 0 || g.entities[id].name != n {
				continue
			}
			if line == 0 || g.Node(id).Pos.Line() == line {
				out = append(out, id)
			}
		}
	}
	return out
}

// Out calls yield for the edges from a node, in the order of the text. Several of one
// place come in the order of path and place of what they lead to.
func (g *Graph) Out(id ID, yield func(Edge) bool) {
	if g.frozen != nil {
		g.frozen.out(id, yield)
		return
	}
	var edges []Edge
	if u := g.units[g.unitOf(id)]; u != nil {
		edges = u.edges
	}
	if more := g.elsewhere[id]; more != nil {
		edges = slices.Clone(edges)
		for _, n := range more {
			edges = append(edges, g.units[n].edges...)
		}
		slices.SortFunc(edges, g.compareEdges)
	}
	for _, e := range edges {
		if e.From == id && !g.expand(e, yield) {
			return
		}
	}
}

// unitOf returns the unit that holds the edges from a node, but for those elsewhere.
func (g *Graph) unitOf(id ID) uint32 {
	e := &g.entities[id]
	switch {
	case e.file == nil:
		return 0
	case e.kind == FuncNode:
		return e.file.unitOf[e.ref]
	case len(e.file.unitOf) > 1: // of a class or file: in its top-level code
		return e.file.unitOf[1]
	}
	return 0
}

// findElsewhere notes which units hold edges and sites of nodes whose own unit is
// another one: of a class inside a function, or of a function whose literals are units
// of their own. They are few.
func (g *Graph) findElsewhere() {
	g.elsewhere = map[ID][]uint32{}
	for n, u := range g.units {
		if u == nil {
			continue
		}
		note := func(from ID) {
			if g.unitOf(from) == uint32(n) {
				return
			}
			if list := g.elsewhere[from]; len(list) == 0 || list[len(list)-1] != uint32(n) {
				g.elsewhere[from] = append(list, uint32(n))
			}
		}
		for i := range u.edges {
			note(u.edges[i].From)
		}
		for i := range u.sites {
			note(u.sites[i].From)
		}
	}
}

// compareEdges orders edges of one file by their place in the text. What is left goes
// by what they lead to, never by numbers.
func (g *Graph) compareEdges(a, b Edge) int {
	if c := cmp.Compare(a.Pos, b.Pos); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.Rule, b.Rule)); c != 0 {
		return c
	}
	if a.via != b.via {
		switch {
		case a.via == 0:
			return -1
		case b.via == 0:
			return 1
		}
		return g.compareDispatches(g.dispatches[a.via], g.dispatches[b.via])
	}
	return g.compare(a.To, b.To)
}

// In calls yield for the edges to a node, in no order.
func (g *Graph) In(id ID, yield func(Edge) bool) {
	if g.frozen != nil {
		g.frozen.in(id, yield)
		return
	}
	for _, n := range g.into.of(id) {
		edges := g.units[n].edges
		for i := range edges {
			if e := &edges[i]; e.To == id && e.via == 0 && !yield(*e) {
				return
			}
		}
	}
	for _, d := range g.overridden[id] {
		via := g.dispatchAt[d]
		for _, n := range g.into.of(d.method) {
			edges := g.units[n].edges
			for i := range edges {
				if edges[i].via != via {
					continue
				}
				e := edges[i]
				e.To, e.via = id, 0
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Sites calls yield for the calls from a node that lead to no definition, in the order
// of the text.
func (g *Graph) Sites(id ID, yield func(Site) bool) {
	if g.frozen != nil {
		lo, hi := g.frozen.sitesOf.bounds(uint32(id))
		g.frozen.eachSite(lo, hi, yield)
		return
	}
	var sites []Site
	if u := g.units[g.unitOf(id)]; u != nil {
		sites = u.sites
	}
	if more := g.elsewhere[id]; more != nil {
		sites = slices.Clone(sites)
		for _, n := range more {
			sites = append(sites, g.units[n].sites...)
		}
		slices.SortStableFunc(sites, compareSites)
	}
	for _, s := range sites {
		if s.From == id && !yield(s) {
			return
		}
	}
}

// compareSites orders sites of one file by their place in the text.
func compareSites(a, b Site) int { return cmp.Compare(a.Pos, b.Pos) }

// Open calls yield for the unresolved calls of a name anywhere, external ones
// left out.
func (g *Graph) Open(name string, yield func(Site) bool) {
	if g.frozen != nil {
		g.frozen.openSites(name, yield)
		return
	}
	for _, n := range g.open_[name] {
		for _, s := range g.units[n].sites {
			if s.Name == name && s.Reason != External && !yield(s) {
				return
			}
		}
	}
}

// Each calls yield for the edges of all files, by path.
func (g *Graph) Each(yield func(Edge) bool) {
	if g.frozen != nil {
		g.frozen.each(yield)
		return
	}
	for _, p := range g.paths() {
		for _, u := range g.files[p].units {
			for _, e := range u.edges {
				if !g.expand(e, yield) {
					return
				}
			}
		}
	}
}

// EachSite calls yield for the sites of all files, by path.
func (g *Graph) EachSite(yield func(Site) bool) {
	if g.frozen != nil {
		g.frozen.eachSite(0, uint32(len(g.frozen.sites)), yield)
		return
	}
	for _, p := range g.paths() {
		for _, u := range g.files[p].units {
			for _, s := range u.sites {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// PathOf returns the path of the file that an edge or site is in.
func (g *Graph) PathOf(id ID) string {
	if g.frozen != nil {
		return g.frozen.pathOf(id)
	}
	if f := g.entities[id].file; f != nil {
		return f.path
	}
	return ""
}

// Stats counts what the graph holds.
type Stats struct {
	Files, Nodes, Edges, Sites, External int

	Values map[string]int // sites where a function value is called that is not known, by language
}

// Stats returns the counts.
func (g *Graph) Stats() Stats {
	if g.frozen != nil {
		return g.frozen.stats()
	}
	s := Stats{Files: len(g.files), Values: map[string]int{}}
	for _, f := range g.files {
		for _, ids := range [][]ID{f.funcs, f.classes} {
			s.Nodes += len(ids) - 1
		}
		for _, u := range f.units {
			s.Edges += len(u.edges)
			for _, x := range u.sites {
				if x.Reason == External {
					s.External++
				} else {
					s.Sites++
				}
				if x.Reason.ofValue() {
					s.Values[f.lang.name]++
				}
			}
		}
	}
	return s
}
