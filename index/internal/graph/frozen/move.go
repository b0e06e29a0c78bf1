package frozen

import (
	"slices"
	"sort"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Move is Graph.Move.
func (f *Family) Move(path string, s *ir.Shift) bool {
	n := sort.Search(len(f.Files), func(i int) bool { return f.Names[f.Files[i].Name] >= path })
	if n == len(f.Files) || f.Names[f.Files[n].Name] != path {
		return false
	}
	in := &f.Files[n]
	own := func(id edge.ID) bool { return id >= in.First && id < in.end() }
	for _, p := range f.Parts {
		if own(p.Part) != own(p.Of) { // edges from one of them have places in the other's file
			return false
		}
	}
	for id := in.First; id < in.end(); id++ {
		x := &f.Nodes[id]
		if id == in.First { // the file itself
			x.End = s.Last()
		} else {
			x.Pos, x.Start, x.End = s.Pos(x.Pos), s.Start(x.Start), s.End(x.End)
		}
		lo, hi := f.EdgesOf.Bounds(uint32(id))
		for i := lo; i < hi; i++ {
			f.Edges[i].Pos = s.Pos(f.Edges[i].Pos)
		}
		lo, hi = f.SitesOf.Bounds(uint32(id))
		for i := lo; i < hi; i++ {
			f.Sites[i].Pos = s.Pos(f.Sites[i].Pos)
		}
	}
	return true
}

// Apart returns a copy that has nothing in common with it that a move changes.
func (f *Family) Apart() *Family {
	own := *f
	own.Nodes, own.Edges, own.Sites = slices.Clone(f.Nodes), slices.Clone(f.Edges), slices.Clone(f.Sites)
	return &own
}
