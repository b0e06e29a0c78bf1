package solver

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Move is Graph.Move.
func Move(g *program.Family, path string, old, now *ir.File) bool {
	s := ir.Moved(old, now)
	if s == nil {
		return false
	}
	if _, waits := g.Pending[path]; waits || g.Stale {
		return false
	}
	if l := g.Languages()[now.Language]; l != nil && l.LiteralsByPlace && !s.Still() { // literals are told apart by their places, and functions by their size
		return false
	}
	if g.Frozen != nil {
		return g.Frozen.Move(path, s)
	}
	f := g.Files[path]
	if f == nil || !g.Solved || len(f.IR.Funcs) != len(old.Funcs) || !movable(g, f) {
		return false
	}
	in := f.IR
	for i := range in.Funcs {
		fn, to := &in.Funcs[i], &now.Funcs[i]
		fn.Pos, fn.Start, fn.End = to.Pos, to.Start, to.End
	}
	for i := range in.Classes {
		c, to := &in.Classes[i], &now.Classes[i]
		c.Pos, c.Start, c.End = to.Pos, to.Start, to.End
	}
	for i := range in.Vars {
		in.Vars[i].Pos = now.Vars[i].Pos
	}
	for i := range in.Imports {
		in.Imports[i].Pos = now.Imports[i].Pos
	}
	for i := range in.Exports {
		in.Exports[i].Pos = now.Exports[i].Pos
	}
	if !f.Slim {
		for i := range in.Exprs {
			in.Exprs[i].Pos = now.Exprs[i].Pos
		}
	}
	for _, u := range f.Units {
		for i := range u.Edges {
			u.Edges[i].Pos = s.Pos(u.Edges[i].Pos)
		}
		for i := range u.Sites {
			u.Sites[i].Pos = s.Pos(u.Sites[i].Pos)
		}
	}
	return true
}

// movable reports whether all that has the places of a file are its own edges and sites.
func movable(g *program.Family, f *program.File) bool {
	foreign := false
	f.Own(func(id edge.ID) {
		for _, n := range g.Elsewhere[id] {
			foreign = foreign || g.Units[n] == nil || g.Units[n].File != f
		}
	})
	if foreign {
		return false
	}
	for _, u := range f.Units {
		for i := range u.Edges {
			if g.Entities[u.Edges[i].From].File != f {
				return false
			}
		}
		for i := range u.Sites {
			if g.Entities[u.Sites[i].From].File != f {
				return false
			}
		}
	}
	return true
}
