package callgraph

import (
	"context"
	"fmt"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/calls"
)

// quarryCalls indexes a folder and returns the calls that lead to definitions in
// it. Those that only a name speaks for are no claim, and left out.
func quarryCalls(ctx context.Context, dir string) (edges []calls.CallEdge, err error) {
	x, err := index.Open(dir, index.Options{})
	if err != nil {
		return nil, fmt.Errorf("callgraph: open %s: %w", dir, err)
	}
	defer x.Close()
	if _, err := x.Build(ctx, nil); err != nil {
		return nil, fmt.Errorf("callgraph: index %s: %w", dir, err)
	}
	all, err := x.Calls(ctx, calls.CallsQuery{Limit: 1 << 30})
	if err != nil {
		return nil, fmt.Errorf("callgraph: list the calls of %s: %w", dir, err)
	}
	for _, list := range [][]calls.CallEdge{all.Edges, all.Ambiguous} {
		for _, e := range list {
			if e.To.File == nil || e.To.Line == nil || e.Kind != "calls" || e.Confidence == "name" {
				continue
			}
			edges = append(edges, e)
		}
	}
	return edges, nil
}

// quarryEdges are the calls of quarryCalls by their places.
func quarryEdges(ctx context.Context, dir string) (edges []found, err error) {
	calls, err := quarryCalls(ctx, dir)
	for _, e := range calls {
		edges = append(edges, found{
			edge: edge{place{e.From.File, e.Line, e.Column}, place{*e.To.File, *e.To.Line, 0}},
			own:  e.From.File == *e.To.File && e.From.Line == *e.To.Line,
		})
	}
	return edges, err
}
