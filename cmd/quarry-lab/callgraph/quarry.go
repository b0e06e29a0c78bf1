package callgraph

import (
	"context"
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/calls"
)

// quarryIndex indexes a folder.
func quarryIndex(ctx context.Context, dir string) (*index.Index, error) {
	x, err := index.Open(dir, index.Options{})
	if err != nil {
		return nil, fmt.Errorf("callgraph: open %s: %w", dir, err)
	}
	if _, err := x.Build(ctx, nil); err != nil {
		x.Close()
		return nil, fmt.Errorf("callgraph: index %s: %w", dir, err)
	}
	return x, nil
}

// quarryCalls returns the calls that lead to definitions in the index. Those that only a
// name speaks for are no claim, and left out.
func quarryCalls(ctx context.Context, x *index.Index) ([]calls.CallEdge, error) {
	all, err := allCalls(ctx, x)
	return claimed(all), err
}

func allCalls(ctx context.Context, x *index.Index) (calls.CallsAnswer, error) {
	all, err := x.Calls(ctx, calls.CallsQuery{Limit: everything})
	if err != nil {
		return all, fmt.Errorf("callgraph: list the calls: %w", err)
	}
	return all, nil
}

// everything is a limit that no answer meets.
const everything = 1 << 30

// claimed are the calls of an answer that it says lead somewhere.
func claimed(a calls.CallsAnswer) []calls.CallEdge {
	return slices.DeleteFunc(all(a), func(e calls.CallEdge) bool { return e.Kind != "calls" || e.Confidence == "name" })
}

// quarryEdges are the calls of quarryCalls by their places.
func quarryEdges(ctx context.Context, x *index.Index) (edges []found, err error) {
	all, err := allCalls(ctx, x)
	several := all
	several.Edges = nil
	all.Ambiguous = nil
	for _, e := range claimed(all) {
		edges = append(edges, foundOf(e))
	}
	for _, e := range claimed(several) {
		f := foundOf(e)
		f.several = true
		edges = append(edges, f)
	}
	return edges, err
}

func foundOf(e calls.CallEdge) found {
	from := place{e.From.File, e.From.Line, 0}
	to := place{*e.To.File, *e.To.Line, 0}
	return found{edge: edge{place{e.From.File, e.Line, e.Column}, to}, from: from, own: from == to}
}
