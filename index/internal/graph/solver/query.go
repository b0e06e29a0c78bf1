package solver

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Node is Graph.Node.
func Node(g *program.Family, id edge.ID) edge.Node {
	if g.Frozen != nil {
		return g.Frozen.Node(id)
	}
	if id == 0 || int(id) >= len(g.Entities) {
		return edge.Node{}
	}
	n := unnamed(g, id)
	n.Name = g.Qualified(id)
	return n
}

// unnamed is a node but for its name, which takes longer to make than all else.
func unnamed(g *program.Family, id edge.ID) edge.Node {
	e := &g.Entities[id]
	n := edge.Node{ID: id, Kind: e.Kind, Outer: e.Outer}
	if e.File == nil {
		return n
	}
	n.Path, n.Language = e.File.Path, e.File.Lang.Name
	switch e.Kind {
	case edge.FileNode:
		n.Pos, n.End = ir.At(1, 1), e.File.IR.Funcs[1].End
	case edge.FuncNode:
		f := &e.File.IR.Funcs[e.Ref]
		n.Flags, n.Pos, n.Start, n.End = f.Flags, f.Pos, f.Start, f.End
	case edge.ClassNode:
		c := &e.File.IR.Classes[e.Ref]
		n.ClassKind, n.Pos, n.Start, n.End = c.Kind, c.Pos, c.Start, c.End
	case edge.VarNode:
		n.Pos = e.File.IR.Vars[e.Ref].Pos
	}
	return n
}

// File returns the node of a file, or 0.
func File(g *program.Family, path string) edge.ID {
	if g.Frozen == nil {
		return g.FileAt(path)
	}
	if f := g.Frozen.File(path); f != nil {
		return f.First
	}
	return 0
}

// At is Graph.At.
func At(g *program.Family, path string, line int) edge.ID {
	if g.Frozen != nil {
		return g.Frozen.At(path, line)
	}
	f := g.Files[path]
	if f == nil {
		return 0
	}
	for _, ids := range [][]edge.ID{f.Funcs, f.Classes} {
		for _, id := range ids {
			if n := Node(g, id); n.Name != "" && n.Kind != edge.FileNode && n.Pos.Line() == line {
				return id
			}
		}
	}
	return 0
}

// NamedIn calls yield for the functions, classes and variables of a file that have a name.
func NamedIn(g *program.Family, path string, yield func(name string, id edge.ID)) {
	if g.Frozen != nil {
		g.Frozen.NamedIn(path, yield)
		return
	}
	f := g.Files[path]
	if f == nil {
		return
	}
	for _, ids := range [][]edge.ID{f.Funcs, f.Classes, f.Vars} {
		for _, id := range ids {
			if id != 0 && g.Entities[id].Name != 0 {
				yield(g.Names.Text[g.Entities[id].Name], id)
			}
		}
	}
}

// Named is Graph.Named.
func Named(g *program.Family, path, name string, line int) []edge.ID {
	if g.Frozen != nil {
		return g.Frozen.Named(path, name, line)
	}
	f := g.Files[path]
	if f == nil {
		return nil
	}
	n, ok := g.Names.Lookup(name)
	if !ok {
		return nil
	}
	var out []edge.ID
	for _, ids := range [][]edge.ID{f.Funcs, f.Classes, f.Vars} {
		for _, id := range ids {
			if id == 0 || g.Entities[id].Name != n {
				continue
			}
			if line == 0 || Node(g, id).Pos.Line() == line {
				out = append(out, id)
			}
		}
	}
	return out
}

// Out is Graph.Out.
func Out(g *program.Family, id edge.ID, yield func(edge.Edge) bool) {
	if g.Frozen != nil {
		g.Frozen.Out(id, yield)
		return
	}
	var edges []edge.Edge
	if u := g.Units[unitOf(g, id)]; u != nil {
		edges = u.Edges
	}
	if more := g.Elsewhere[id]; more != nil {
		edges = slices.Clone(edges)
		for _, n := range more {
			edges = append(edges, g.Units[n].Edges...)
		}
		slices.SortFunc(edges, func(a, b edge.Edge) int { return compareEdges(g, a, b) })
	}
	for _, e := range edges {
		if e.From == id && !g.Expand(e, yield) {
			return
		}
	}
}

// compareEdges orders edges of one file by their place in the text. What is left goes
// by what they lead to, never by numbers.
func compareEdges(g *program.Family, a, b edge.Edge) int {
	if c := cmp.Compare(a.Pos, b.Pos); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.Rule, b.Rule)); c != 0 {
		return c
	}
	if a.Via != b.Via {
		switch {
		case a.Via == 0:
			return -1
		case b.Via == 0:
			return 1
		}
		return g.CompareDispatches(g.Dispatches[a.Via], g.Dispatches[b.Via])
	}
	return g.Compare(a.To, b.To)
}

// In is Graph.In.
func In(g *program.Family, id edge.ID, yield func(edge.Edge) bool) {
	if g.Frozen != nil {
		g.Frozen.In(id, yield)
		return
	}
	for _, n := range g.Into.Of(id) {
		edges := g.Units[n].Edges
		for i := range edges {
			if e := &edges[i]; e.To == id && e.Via == 0 && !yield(*e) {
				return
			}
		}
	}
	for _, d := range g.Overridden[id] {
		via := g.DispatchAt[d]
		for _, n := range g.Into.Of(d.Method) {
			edges := g.Units[n].Edges
			for i := range edges {
				if edges[i].Via != via {
					continue
				}
				e := edges[i]
				e.To, e.Via = id, 0
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Sites is Graph.Sites.
func Sites(g *program.Family, id edge.ID, yield func(edge.Site) bool) {
	if g.Frozen != nil {
		lo, hi := g.Frozen.SitesOf.Bounds(uint32(id))
		g.Frozen.EachSite(lo, hi, yield)
		return
	}
	var sites []program.Site
	if u := g.Units[unitOf(g, id)]; u != nil {
		sites = u.Sites
	}
	if more := g.Elsewhere[id]; more != nil {
		sites = slices.Clone(sites)
		for _, n := range more {
			sites = append(sites, g.Units[n].Sites...)
		}
		slices.SortStableFunc(sites, compareSites)
	}
	for _, s := range sites {
		if s.From == id && !yield(site(g, s)) {
			return
		}
	}
}

// compareSites orders sites of one file by their place in the text.
func compareSites(a, b program.Site) int { return cmp.Compare(a.Pos, b.Pos) }

// site returns a site as others see it.
func site(g *program.Family, s program.Site) edge.Site {
	return edge.Site{From: s.From, Name: g.Names.Text[s.Name], Reason: s.Reason, Pos: s.Pos}
}

// OpenSites is Graph.Open.
func OpenSites(g *program.Family, name string, yield func(edge.Site) bool) {
	if g.Frozen != nil {
		g.Frozen.OpenSites(name, yield)
		return
	}
	id, ok := g.Names.Lookup(name)
	if !ok {
		return
	}
	for _, n := range g.OpenSites[id] {
		for _, s := range g.Units[n].Sites {
			if s.Name == id && s.Reason != edge.External && !yield(site(g, s)) {
				return
			}
		}
	}
}

// MayBeOpen is Graph.MayBeOpen.
func MayBeOpen(g *program.Family, id edge.ID) bool { return g.Frozen == nil || g.Frozen.MayBeOpen(id) }

// Size is the number of files.
func Size(g *program.Family) int {
	if g.Frozen != nil {
		return len(g.Frozen.Files)
	}
	return len(g.Files)
}

// Sorted returns the paths of the files, sorted.
func Sorted(g *program.Family) []string {
	if g.Frozen != nil {
		return g.Frozen.Paths()
	}
	return g.Paths()
}

// EdgesAt calls yield for the edges of a file, which is the nth by path.
func EdgesAt(g *program.Family, n int, path string, yield func(edge.Edge) bool) bool {
	if g.Frozen != nil {
		return g.Frozen.EdgesAt(n, yield)
	}
	for _, u := range g.Files[path].Units {
		for _, e := range u.Edges {
			if !g.Expand(e, yield) {
				return false
			}
		}
	}
	return true
}

// SitesAt calls yield for the sites of a file, which is the nth by path.
func SitesAt(g *program.Family, n int, path string, yield func(edge.Site) bool) bool {
	if g.Frozen != nil {
		return g.Frozen.SitesAt(n, yield)
	}
	for _, u := range g.Files[path].Units {
		for _, s := range u.Sites {
			if !yield(site(g, s)) {
				return false
			}
		}
	}
	return true
}

// PathOf is Graph.PathOf.
func PathOf(g *program.Family, id edge.ID) string {
	if g.Frozen != nil {
		return g.Frozen.PathOf(id)
	}
	if f := g.Entities[id].File; f != nil {
		return f.Path
	}
	return ""
}

// Stats returns the counts.
func Stats(g *program.Family) edge.Stats {
	if g.Frozen != nil {
		return g.Frozen.Stats()
	}
	s := edge.Stats{Files: len(g.Files), Values: map[string]int{}}
	for _, f := range g.Files {
		for _, ids := range [][]edge.ID{f.Funcs, f.Classes} {
			s.Nodes += len(ids) - 1
		}
		for _, u := range f.Units {
			s.Edges += len(u.Edges)
			for _, x := range u.Sites {
				if x.Reason == edge.External {
					s.External++
				} else {
					s.Sites++
				}
				if x.Reason.OfValue() {
					s.Values[f.Lang.Name]++
				}
			}
		}
	}
	return s
}
