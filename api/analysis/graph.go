package analysis

import (
	"context"
	"errors"

	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/subgraph"
	"github.com/quarry-search/quarry/index/treemap"
)

// graphAnswer is an answer to /graph.
type graphAnswer struct {
	subgraph.Answer
	draw string
}

// Paging returns the page of the nodes, which has no next one.
func (a *graphAnswer) Paging() (*answer.Page, int) { return &a.Page, 0 }

// Wire returns the response.
func (a *graphAnswer) Wire(meta wire.Meta, index wire.Index) any {
	r := &wire.GraphResponse{
		Target: a.Target, Direction: wire.Direction(a.Direction), Backward: a.Backward,
		Nodes: service.Each(a.Nodes, func(n *subgraph.Node) wire.GraphNode { return wire.GraphNode(*n) }),
		Edges: service.Each(a.Edges, graphEdge), TotalEdges: a.TotalEdges,
		Complete: a.Complete, OpenCalls: a.Open, Incomplete: a.Because, Alternatives: service.Each(a.Others, place),
		Total: a.Total, Truncated: a.Truncated, Index: index, Meta: meta,
	}
	if a.Definition != nil {
		d := wire.Definition(*a.Definition)
		r.Definition = &d
	}
	if a.To != nil {
		d := wire.Definition(*a.To)
		r.To = &d
	}
	if a.draw != "" {
		r.Drawing, _ = a.Draw(a.draw) // it has no more nodes and edges than may be drawn
	}
	return r
}

func graphEdge(e *subgraph.Edge) wire.GraphEdge {
	return wire.GraphEdge{
		From: e.From, To: e.To, Kind: e.Kind, Confidence: wire.Confidence(e.Confidence), Ambiguous: e.Ambiguous, Count: e.Count, Path: e.Path,
		Sites: service.Each(e.Sites, func(s *subgraph.Site) wire.GraphSite { return wire.GraphSite(*s) }),
	}
}

// graph answers with the part of the call graph around a symbol, or between two.
func (s *analyses) graph(ctx context.Context, c *service.Call, q *wire.GraphRequest) (*wire.GraphResponse, error) {
	path := q.Path
	return as[wire.GraphResponse](s.Ask(ctx, c, q, func() service.Question {
		return service.Question{Command: "graph", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Path: &path, Heavy: q.Depth > 1}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Subgraph(ctx, subgraph.Query{
			Target: q.Target, To: q.To, Direction: string(q.Direction), Depth: q.Depth, Collapse: q.Collapse, Expand: q.Expand, Snippets: q.Snippets,
			Limit: q.Limit, Scope: calls.Scope{Path: path, Glob: q.Glob, Tests: string(q.Tests)},
		})
		var query *subgraph.QueryError
		if errors.As(err, &query) {
			err = &wire.Problem{Code: wire.CodeInvalidRequest, Message: err.Error()}
		}
		return &graphAnswer{a, q.Draw}, a.State, err
	}))
}

// mapAnswer is an answer to /map.
type mapAnswer struct{ treemap.Answer }

// Paging returns the page of the nodes, which has no next one.
func (a *mapAnswer) Paging() (*answer.Page, int) { return &a.Page, 0 }

// Wire returns the response.
func (a *mapAnswer) Wire(meta wire.Meta, index wire.Index) any {
	return &wire.MapResponse{
		Nodes: service.Each(a.Nodes, func(n *treemap.Node) wire.MapNode { return wire.MapNode(*n) }), Languages: a.Languages, NotLookedAt: a.NotLookedAt,
		Complete: a.Complete, Incomplete: a.Because, Total: a.Total, Truncated: a.Truncated, Index: index, Meta: meta,
	}
}

// tree answers with the folders and files and their sizes.
func (s *analyses) tree(ctx context.Context, c *service.Call, q *wire.MapRequest) (*wire.MapResponse, error) {
	path := q.Path
	return as[wire.MapResponse](s.Ask(ctx, c, q, func() service.Question {
		return service.Question{Command: "map", Scope: q.Scope, Timeout: q.TimeoutMS, Overlay: q.Overlay, Path: &path, Heavy: true}
	}, func(ctx context.Context, x service.Index) (service.Answer, answer.State, error) {
		a, err := x.Treemap(ctx, treemap.Query{Path: path, Glob: q.Glob, Lang: q.Lang, Tests: string(q.Tests), Depth: q.Depth, Limit: q.Limit})
		return &mapAnswer{a}, a.State, err
	}))
}
