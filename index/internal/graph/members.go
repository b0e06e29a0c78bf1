package graph

import (
	"cmp"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// members returns the functions of a class.
func (g *family) members(id ID) []ID {
	if g.frozen != nil {
		return g.frozen.membersOf(id)
	}
	c := g.classes[g.canonicalID(id)]
	if c == nil {
		return nil
	}
	var out []ID
	for _, e := range c.bag.entries {
		if e.kind == ir.FuncMember {
			out = append(out, e.id)
		}
	}
	return out
}

// SameFamily reports whether files of two languages can see each other's definitions.
func SameFamily(a, b string) bool {
	return cmp.Or(familyOf(a), a) == cmp.Or(familyOf(b), b)
}
