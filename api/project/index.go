package project

import (
	"context"
	"io"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
	"github.com/quarry-search/quarry/index/diagnostics"
	"github.com/quarry-search/quarry/index/flow"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/highlight"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/links"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/subgraph"
	"github.com/quarry-search/quarry/index/trace"
	"github.com/quarry-search/quarry/index/treemap"
	"github.com/quarry-search/quarry/index/verify"
)

// An Index is what a server asks. *index.Index is one; its documentation says
// what the methods promise. State must not wait for anything.
type Index interface {
	Search(ctx context.Context, q search.Query) (search.Answer, error)
	Related(ctx context.Context, file string, line int, q search.Query) (search.Answer, error)
	Structure(ctx context.Context, q outline.StructureQuery) (outline.StructureAnswer, error)
	Skeleton(ctx context.Context, q outline.SkeletonQuery) (outline.Skeletons, error)
	Extract(ctx context.Context, q outline.ExtractQuery) (outline.ExtractAnswer, error)
	Imports(ctx context.Context, q outline.ImportsQuery) (outline.ImportsAnswer, error)
	Architecture(ctx context.Context, q architecture.Query) (architecture.Answer, error)
	Calls(ctx context.Context, q calls.CallsQuery) (calls.CallsAnswer, error)
	Impact(ctx context.Context, q impact.Query) (impact.Answer, error)
	Control(ctx context.Context, q flow.ControlQuery) (flow.ControlAnswer, error)
	Data(ctx context.Context, q flow.DataQuery) (flow.DataAnswer, error)
	Diagnostics(ctx context.Context, q diagnostics.Query) (diagnostics.Answer, error)
	Slice(ctx context.Context, q flow.SliceQuery) (flow.SliceAnswer, error)
	Flows(ctx context.Context, q flow.FlowsQuery) (flow.FlowsAnswer, error)
	Dead(ctx context.Context, q dead.Query) (dead.Answer, error)
	NamedAt(ctx context.Context, q references.PlaceQuery) (references.Meaning, error)
	References(ctx context.Context, q references.Query) (references.Answer, error)
	Context(ctx context.Context, q brief.ContextQuery) (brief.ContextAnswer, error)
	Subgraph(ctx context.Context, q subgraph.Query) (subgraph.Answer, error)
	Treemap(ctx context.Context, q treemap.Query) (treemap.Answer, error)
	Trace(ctx context.Context, q trace.Query) (trace.Answer, error)
	Grep(ctx context.Context, q grep.GrepQuery) (*grep.GrepAnswer, error)
	Lines(ctx context.Context, g *grep.GrepAnswer, from, n int) (lines []grep.GrepLine, gone int, err error)
	GrepRaw(ctx context.Context, q grep.GrepQuery, o grep.RawOptions, w io.Writer) (grep.Printed, error)
	Read(ctx context.Context, q grep.ReadQuery) (grep.FileText, error)
	Highlight(ctx context.Context, q highlight.Query) (highlight.Answer, error)
	Find(ctx context.Context, q grep.FindQuery) (grep.Found, error)
	brief.Summarizer
	Startup(ctx context.Context, q brief.StartupQuery) (brief.StartupAnswer, error)
	Verify(ctx context.Context, opt verify.VerifyOptions) (verify.Verification, error)
	Links(ctx context.Context, to links.Library) (links.LinksAnswer, error)
	links.Library
	State() answer.State
	Work() answer.Work
	Status(skipped int) index.Status
	Invalidate(inv index.Invalidation) (queued int, generation uint64, err error)
	Flush(ctx context.Context) error
	Changes(ctx context.Context, last answer.Event) (answer.Event, error)
	With(ctx context.Context, files []index.Overlay) (*index.Overlaid, error)
	Resolve(path string) (string, error)
	Knows(path string) bool
	Exists(path string) bool
	Root() string
}
