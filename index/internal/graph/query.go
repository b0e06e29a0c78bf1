package graph

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// invert makes the index of edges by what they lead to, and of open sites by name.
func (g *family) invert() {
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
	g.open_ = map[name][]uint32{}
	for n, u := range g.units {
		if u == nil {
			continue
		}
		for _, s := range u.sites {
			if s.reason == External {
				continue
			}
			if list := g.open_[s.name]; len(list) == 0 || list[len(list)-1] != uint32(n) {
				g.open_[s.name] = append(list, uint32(n))
			}
		}
	}
}

// node is Graph.Node.
func (g *family) node(id ID) Node {
	if g.frozen != nil {
		return g.frozen.node(id)
	}
	if id == 0 || int(id) >= len(g.entities) {
		return Node{}
	}
	n := g.unnamed(id)
	n.Name = g.qualified(id)
	return n
}

// unnamed is a node but for its name, which takes longer to make than all else.
func (g *family) unnamed(id ID) Node {
	e := &g.entities[id]
	n := Node{ID: id, Kind: e.kind, Outer: e.outer}
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

// file returns the node of a file, or 0.
func (g *family) file(path string) ID {
	if g.frozen == nil {
		return g.fileAt(path)
	}
	if f := g.frozen.file(path); f != nil {
		return f.first
	}
	return 0
}

// at is Graph.At.
func (g *family) at(path string, line int) ID {
	if g.frozen != nil {
		return g.frozen.at(path, line)
	}
	f := g.files[path]
	if f == nil {
		return 0
	}
	for _, ids := range [][]ID{f.funcs, f.classes} {
		for _, id := range ids {
			if n := g.node(id); n.Name != "" && n.Kind != FileNode && n.Pos.Line() == line {
				return id
			}
		}
	}
	return 0
}

// namedIn calls yield for the functions, classes and variables of a file that have a name.
func (g *family) namedIn(path string, yield func(name string, id ID)) {
	if g.frozen != nil {
		g.frozen.namedIn(path, yield)
		return
	}
	f := g.files[path]
	if f == nil {
		return
	}
	for _, ids := range [][]ID{f.funcs, f.classes, f.vars} {
		for _, id := range ids {
			if id != 0 && g.entities[id].name != 0 {
				yield(g.names.text[g.entities[id].name], id)
			}
		}
	}
}

// named is Graph.Named.
func (g *family) named(path, name string, line int) []ID {
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
			if line == 0 || g.node(id).Pos.Line() == line {
				out = append(out, id)
			}
		}
	}
	return out
}

// out is Graph.Out.
func (g *family) out(id ID, yield func(Edge) bool) {
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
func (g *family) unitOf(id ID) uint32 {
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
func (g *family) findElsewhere() {
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
			note(u.sites[i].from)
		}
	}
}

// compareEdges orders edges of one file by their place in the text. What is left goes
// by what they lead to, never by numbers.
func (g *family) compareEdges(a, b Edge) int {
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

// in is Graph.In.
func (g *family) in(id ID, yield func(Edge) bool) {
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

// sites is Graph.Sites.
func (g *family) sites(id ID, yield func(Site) bool) {
	if g.frozen != nil {
		lo, hi := g.frozen.sitesOf.bounds(uint32(id))
		g.frozen.eachSite(lo, hi, yield)
		return
	}
	var sites []site
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
		if s.from == id && !yield(g.site(s)) {
			return
		}
	}
}

// compareSites orders sites of one file by their place in the text.
func compareSites(a, b site) int { return cmp.Compare(a.pos, b.pos) }

// site returns a site as others see it.
func (g *family) site(s site) Site { return Site{s.from, g.names.text[s.name], s.reason, s.pos} }

// openSites is Graph.Open.
func (g *family) openSites(name string, yield func(Site) bool) {
	if g.frozen != nil {
		g.frozen.openSites(name, yield)
		return
	}
	id, ok := g.names.lookup(name)
	if !ok {
		return
	}
	for _, n := range g.open_[id] {
		for _, s := range g.units[n].sites {
			if s.name == id && s.reason != External && !yield(g.site(s)) {
				return
			}
		}
	}
}

// size is the number of files.
func (g *family) size() int {
	if g.frozen != nil {
		return len(g.frozen.files)
	}
	return len(g.files)
}

// sorted returns the paths of the files, sorted.
func (g *family) sorted() []string {
	if g.frozen != nil {
		return g.frozen.paths()
	}
	return g.paths()
}

// edgesAt calls yield for the edges of a file, which is the nth by path.
func (g *family) edgesAt(n int, path string, yield func(Edge) bool) bool {
	if g.frozen != nil {
		return g.frozen.edgesAt(n, yield)
	}
	for _, u := range g.files[path].units {
		for _, e := range u.edges {
			if !g.expand(e, yield) {
				return false
			}
		}
	}
	return true
}

// sitesAt calls yield for the sites of a file, which is the nth by path.
func (g *family) sitesAt(n int, path string, yield func(Site) bool) bool {
	if g.frozen != nil {
		return g.frozen.sitesAt(n, yield)
	}
	for _, u := range g.files[path].units {
		for _, s := range u.sites {
			if !yield(g.site(s)) {
				return false
			}
		}
	}
	return true
}

// pathOf is Graph.PathOf.
func (g *family) pathOf(id ID) string {
	if g.frozen != nil {
		return g.frozen.pathOf(id)
	}
	if f := g.entities[id].file; f != nil {
		return f.path
	}
	return ""
}

// stats returns the counts.
func (g *family) stats() Stats {
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
				if x.reason == External {
					s.External++
				} else {
					s.Sites++
				}
				if x.reason.ofValue() {
					s.Values[f.lang.name]++
				}
			}
		}
	}
	return s
}
