package solver

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// invert makes the index of edges by what they lead to, and of open sites by name.
func invert(g *program.Family) {
	g.Into = program.NewInverse(len(g.Entities), func(yield func(to edge.ID, unit uint32)) {
		for n, u := range g.Units {
			if u == nil {
				continue
			}
			for i := range u.Edges {
				yield(u.Edges[i].To, uint32(n))
			}
		}
	})
	g.OpenSites = map[intern.Name][]uint32{}
	for n, u := range g.Units {
		if u == nil {
			continue
		}
		for _, s := range u.Sites {
			if s.Reason == edge.External {
				continue
			}
			if list := g.OpenSites[s.Name]; len(list) == 0 || list[len(list)-1] != uint32(n) {
				g.OpenSites[s.Name] = append(list, uint32(n))
			}
		}
	}
}

// findElsewhere notes which units hold edges and sites of nodes whose own unit is
// another one: of a class inside a function, or of a function whose literals are units
// of their own. They are few.
func findElsewhere(g *program.Family) {
	g.Elsewhere = map[edge.ID][]uint32{}
	for n, u := range g.Units {
		if u == nil {
			continue
		}
		note := func(from edge.ID) {
			if unitOf(g, from) == uint32(n) {
				return
			}
			if list := g.Elsewhere[from]; len(list) == 0 || list[len(list)-1] != uint32(n) {
				g.Elsewhere[from] = append(list, uint32(n))
			}
		}
		for i := range u.Edges {
			note(u.Edges[i].From)
		}
		for i := range u.Sites {
			note(u.Sites[i].From)
		}
	}
}

// unitOf returns the unit that holds the edges from a node, but for those elsewhere.
func unitOf(g *program.Family, id edge.ID) uint32 {
	e := &g.Entities[id]
	switch {
	case e.File == nil:
		return 0
	case e.Kind == edge.FuncNode:
		return e.File.UnitOf[e.Ref]
	case len(e.File.UnitOf) > 1: // of a class or file: in its top-level code
		return e.File.UnitOf[1]
	}
	return 0
}

// post enters what a unit gave into the indexes of edges and sites, unpost takes
// it out.
func post(g *program.Family, n uint32, u *program.Unit) {
	for _, e := range u.Edges {
		g.Into.Insert(e.To, n)
	}
	for _, s := range u.Sites {
		if s.Reason != edge.External {
			g.OpenSites[s.Name] = program.Insert(g.OpenSites[s.Name], n)
		}
	}
}

func unpost(g *program.Family, n uint32, u *program.Unit) {
	for _, e := range u.Edges {
		g.Into.Remove(e.To, n)
	}
	for _, s := range u.Sites {
		if s.Reason != edge.External {
			g.OpenSites[s.Name] = program.Without(g.OpenSites[s.Name], n)
			if len(g.OpenSites[s.Name]) == 0 {
				delete(g.OpenSites, s.Name)
			}
		}
	}
}
