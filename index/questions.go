package index

import (
	"context"
	"crypto/ed25519"
	"io"

	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
	"github.com/quarry-search/quarry/index/diagnostics"
	"github.com/quarry-search/quarry/index/flow"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/highlight"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/links"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/scip"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/subgraph"
	"github.com/quarry-search/quarry/index/trace"
	"github.com/quarry-search/quarry/index/treemap"
)

// The questions that an index answers. Each is a function over its View, whose package says
// what it promises.

// Architecture is the question of that name.
func (x *Index) Architecture(ctx context.Context, q architecture.Query) (architecture.Answer, error) {
	return architecture.Architecture(ctx, x.View, q)
}

// Calls is the question of that name.
func (x *Index) Calls(ctx context.Context, q calls.CallsQuery) (calls.CallsAnswer, error) {
	if q.Direction == references.Direction {
		return references.Edges(ctx, x.View, q)
	}
	return calls.Calls(ctx, x.View, q)
}

// Context is the question of that name.
func (x *Index) Context(ctx context.Context, q brief.ContextQuery) (brief.ContextAnswer, error) {
	return brief.Context(ctx, x.View, q)
}

// Control is the question of that name.
func (x *Index) Control(ctx context.Context, q flow.ControlQuery) (flow.ControlAnswer, error) {
	return flow.Control(ctx, x.View, q)
}

// Data is the question of that name.
func (x *Index) Data(ctx context.Context, q flow.DataQuery) (flow.DataAnswer, error) {
	return flow.Data(ctx, x.View, q)
}

// Dead is the question of that name.
func (x *Index) Dead(ctx context.Context, q dead.Query) (dead.Answer, error) {
	return dead.Dead(ctx, x.View, q)
}

// Diagnostics is the question of that name.
func (x *Index) Diagnostics(ctx context.Context, q diagnostics.Query) (diagnostics.Answer, error) {
	return diagnostics.Diagnostics(ctx, x.View, q)
}

// ExportSCIP is scip.Write.
func (x *Index) ExportSCIP(ctx context.Context, w io.Writer, version string) (scip.Export, error) {
	return scip.Write(ctx, x.View, w, version)
}

// Extract is the question of that name.
func (x *Index) Extract(ctx context.Context, q outline.ExtractQuery) (outline.ExtractAnswer, error) {
	return outline.Extract(ctx, x.View, q)
}

// FileLines is the question of that name.
func (x *Index) FileLines(ctx context.Context) ([]brief.SymbolLine, error) {
	return brief.FileLines(ctx, x.View)
}

// Find is the question of that name.
func (x *Index) Find(ctx context.Context, q grep.FindQuery) (grep.Found, error) {
	return grep.Find(ctx, x.View, q)
}

// Grep is the question of that name.
func (x *Index) Grep(ctx context.Context, q grep.GrepQuery) (*grep.GrepAnswer, error) {
	return grep.Grep(ctx, x.View, q)
}

// GrepRaw is the question of that name.
func (x *Index) GrepRaw(ctx context.Context, q grep.GrepQuery, o grep.RawOptions, w io.Writer) (grep.Printed, error) {
	return grep.GrepRaw(ctx, x.View, q, o, w)
}

// Highlight is the question of that name.
func (x *Index) Highlight(ctx context.Context, q highlight.Query) (highlight.Answer, error) {
	return highlight.Highlight(ctx, x.View, q)
}

// Impact is the question of that name.
func (x *Index) Impact(ctx context.Context, q impact.Query) (impact.Answer, error) {
	return impact.Impact(ctx, x.View, q)
}

// Imports is the question of that name.
func (x *Index) Imports(ctx context.Context, q outline.ImportsQuery) (outline.ImportsAnswer, error) {
	return outline.Imports(ctx, x.View, q)
}

// Lines is the question of that name.
func (x *Index) Lines(ctx context.Context, g *grep.GrepAnswer, from, n int) (lines []grep.GrepLine, gone int, err error) {
	return grep.Lines(ctx, x.View, g, from, n)
}

// Links is the question of that name.
func (x *Index) Links(ctx context.Context, to links.Library) (links.LinksAnswer, error) {
	return links.Links(ctx, x.View, to)
}

// Matches is the question of that name.
func (x *Index) Matches(ctx context.Context, path string, keys ...ed25519.PublicKey) (bool, error) {
	return persist.Matches(ctx, x.View, path, keys...)
}

// Offers is the question of that name.
func (x *Index) Offers(ctx context.Context, names []links.Name) (links.OffersAnswer, error) {
	return links.Offers(ctx, x.View, names)
}

// Read is the question of that name.
func (x *Index) Read(ctx context.Context, q grep.ReadQuery) (grep.FileText, error) {
	return grep.Read(ctx, x.View, q)
}

// NamedAt is the question of that name.
func (x *Index) NamedAt(ctx context.Context, q references.PlaceQuery) (references.Meaning, error) {
	return references.NamedAt(ctx, x.View, q)
}

// References is the question of that name.
func (x *Index) References(ctx context.Context, q references.Query) (references.Answer, error) {
	return references.References(ctx, x.View, q)
}

// Related is the question of that name.
func (x *Index) Related(ctx context.Context, file string, line int, q search.Query) (search.Answer, error) {
	return search.Related(ctx, x.View, file, line, q)
}

// Search is the question of that name.
func (x *Index) Search(ctx context.Context, q search.Query) (search.Answer, error) {
	return search.Search(ctx, x.View, q)
}

// Flows is the question of that name.
func (x *Index) Flows(ctx context.Context, q flow.FlowsQuery) (flow.FlowsAnswer, error) {
	return flow.Flows(ctx, x.View, q)
}

// Slice is the question of that name.
func (x *Index) Slice(ctx context.Context, q flow.SliceQuery) (flow.SliceAnswer, error) {
	return flow.Slice(ctx, x.View, q)
}

// SearchLines is the question of that name.
func (x *Index) SearchLines(ctx context.Context, lines []brief.SymbolLine) (*brief.LineSearch, error) {
	return brief.SearchLines(ctx, x.View, lines)
}

// Similar is the question of that name.
func (x *Index) Similar(path string) (share float64, err error) {
	return persist.Similar(x.View, path)
}

// Skeleton is the question of that name.
func (x *Index) Skeleton(ctx context.Context, q outline.SkeletonQuery) (outline.Skeletons, error) {
	return outline.Skeleton(ctx, x.View, q)
}

// Startup is the question of that name.
func (x *Index) Startup(ctx context.Context, q brief.StartupQuery) (brief.StartupAnswer, error) {
	return brief.Startup(ctx, x.View, q)
}

// Structure is the question of that name.
func (x *Index) Structure(ctx context.Context, q outline.StructureQuery) (outline.StructureAnswer, error) {
	return outline.Structure(ctx, x.View, q)
}

// Subgraph is the question of that name.
func (x *Index) Subgraph(ctx context.Context, q subgraph.Query) (subgraph.Answer, error) {
	return subgraph.Subgraph(ctx, x.View, q)
}

// Summarize is the question of that name.
func (x *Index) Summarize(ctx context.Context, q brief.SummaryQuery) (brief.Summary, error) {
	return brief.Summarize(ctx, x.View, q)
}

// SummarizeText is the question of that name.
func (x *Index) SummarizeText(ctx context.Context, q brief.TextQuery) (brief.Summary, error) {
	return brief.SummarizeText(ctx, x.View, q)
}

// SymbolLines is the question of that name.
func (x *Index) SymbolLines(ctx context.Context, withoutDocs bool) ([]brief.SymbolLine, error) {
	return brief.SymbolLines(ctx, x.View, withoutDocs)
}

// Trace is the question of that name.
func (x *Index) Trace(ctx context.Context, q trace.Query) (trace.Answer, error) {
	return trace.Trace(ctx, x.View, q)
}

// Treemap is the question of that name.
func (x *Index) Treemap(ctx context.Context, q treemap.Query) (treemap.Answer, error) {
	return treemap.Treemap(ctx, x.View, q)
}
