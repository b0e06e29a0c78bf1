package solver

import "github.com/quarry-search/quarry/index/internal/graph/program"

// Expressions is how many there are, at hand or not, in the files and in what waits;
// about as many as in the files of a frozen family.
func Expressions(g *program.Family) (n int) {
	const each = 4 // expressions for each edge or site
	if g.Frozen != nil {
		n = each * (len(g.Frozen.Edges) + len(g.Frozen.Sites))
	}
	for _, f := range g.Files {
		if f.Slim {
			n += f.Exprs
		} else {
			n += len(f.IR.Exprs)
		}
	}
	for p, f := range g.Pending {
		if f != nil {
			n += len(f.Exprs) + g.Slimmed[p].Exprs
		}
	}
	return n
}
