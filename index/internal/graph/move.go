package graph

import (
	"sort"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// move is Graph.Move.
func (g *family) move(path string, old, now *ir.File) bool {
	s := ir.Moved(old, now)
	if s == nil {
		return false
	}
	if _, waits := g.pending[path]; waits || g.stale {
		return false
	}
	if traitsOf(now.Language).literalsByPlace && !s.Still() { // literals are told apart by their places, and functions by their size
		return false
	}
	if g.frozen != nil {
		return g.frozen.move(path, s)
	}
	f := g.files[path]
	if f == nil || !g.solved || len(f.ir.Funcs) != len(old.Funcs) || !g.movable(f) {
		return false
	}
	in := f.ir
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
	if !f.slim {
		for i := range in.Exprs {
			in.Exprs[i].Pos = now.Exprs[i].Pos
		}
	}
	for _, u := range f.units {
		for i := range u.edges {
			u.edges[i].Pos = s.Pos(u.edges[i].Pos)
		}
		for i := range u.sites {
			u.sites[i].pos = s.Pos(u.sites[i].pos)
		}
	}
	return true
}

// movable reports whether all that has the places of a file are its own edges and sites.
func (g *family) movable(f *file) bool {
	foreign := false
	f.own(func(id ID) {
		for _, n := range g.elsewhere[id] {
			foreign = foreign || g.units[n] == nil || g.units[n].file != f
		}
	})
	if foreign {
		return false
	}
	for _, u := range f.units {
		for i := range u.edges {
			if g.entities[u.edges[i].From].file != f {
				return false
			}
		}
		for i := range u.sites {
			if g.entities[u.sites[i].from].file != f {
				return false
			}
		}
	}
	return true
}

func (f *frozen) move(path string, s *ir.Shift) bool {
	n := sort.Search(len(f.files), func(i int) bool { return f.names[f.files[i].name] >= path })
	if n == len(f.files) || f.names[f.files[n].name] != path {
		return false
	}
	in := &f.files[n]
	own := func(id ID) bool { return id >= in.first && id < in.end() }
	for _, p := range f.parts {
		if own(p.part) != own(p.of) { // edges from one of them have places in the other's file
			return false
		}
	}
	for id := in.first; id < in.end(); id++ {
		x := &f.nodes[id]
		if id == in.first { // the file itself
			x.end = s.Last()
		} else {
			x.pos, x.start, x.end = s.Pos(x.pos), s.Start(x.start), s.End(x.end)
		}
		lo, hi := f.edgesOf.bounds(uint32(id))
		for i := lo; i < hi; i++ {
			f.edges[i].Pos = s.Pos(f.edges[i].Pos)
		}
		lo, hi = f.sitesOf.bounds(uint32(id))
		for i := lo; i < hi; i++ {
			f.sites[i].pos = s.Pos(f.sites[i].pos)
		}
	}
	return true
}
