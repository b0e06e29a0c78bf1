package solver

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Members returns the functions of a class.
func Members(g *program.Family, id edge.ID) []edge.ID {
	if g.Frozen != nil {
		return g.Frozen.MembersOf(id)
	}
	c := g.Classes[g.CanonicalID(id)]
	if c == nil {
		return nil
	}
	var out []edge.ID
	for _, e := range c.Bag.Entries {
		if e.Kind == ir.FuncMember {
			out = append(out, e.ID)
		}
	}
	return out
}

// Knows reports whether a file is in the family, or waits for it.
func Knows(g *program.Family, path string) bool {
	_, waits := g.Pending[path]
	return waits || File(g, path) != 0
}
