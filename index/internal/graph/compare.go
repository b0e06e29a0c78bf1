package graph

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	"github.com/quarry-search/quarry/index/internal/graph/solver"
)

// Compare calls yield for all that two graphs differ in, by family and path; nothing where
// they answer the same, whatever edits led to them. They must be resolved, and may be
// asked meanwhile.
func Compare(ctx context.Context, got, want *Graph, yield func(frozen.Difference)) error {
	all := map[string][2]*frozen.Family{}
	for i, g := range [2]*Graph{got, want} {
		for _, p := range g.byName() {
			pair := all[p.Name]
			pair[i] = solver.Freeze(p)
			all[p.Name] = pair
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	none := &frozen.Family{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := frozen.Compare(ctx, cmp.Or(all[name][0], none), cmp.Or(all[name][1], none), yield); err != nil {
			return err
		}
	}
	return nil
}
