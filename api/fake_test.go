package api

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
	"github.com/quarry-search/quarry/index/diagnostics"
	"github.com/quarry-search/quarry/index/flow"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/links"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/subgraph"
	"github.com/quarry-search/quarry/index/summary"
	"github.com/quarry-search/quarry/index/trace"
	"github.com/quarry-search/quarry/index/treemap"
	"github.com/quarry-search/quarry/index/verify"
)

func TestMain(m *testing.M) {
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.PlainBodyDecoder)
	goleak.VerifyTestMain(m)
}

// A fake is an Index whose answers a test chooses. Its root is a real folder,
// and Resolve follows the same rules as the real one.
type fake struct {
	root       string
	search     func(context.Context, search.Query) (search.Answer, error) // nil: results
	results    []search.Result
	invalidate func(index.Invalidation) (int, uint64, error)                            // nil: counts the paths
	flush      func(context.Context) error                                              // nil: returns nil
	verify     func(context.Context, verify.VerifyOptions) (verify.Verification, error) // nil: proves it
	changes    chan answer.Event                                                        // what Changes returns after the first
	full       index.Status
	outlined   string                                      // the file whose outline /extract gives
	rawFails   error                                       // of a raw grep, after all lines
	matches    []grep.GrepLine                             // what /grep finds, in order; their sections tell which there are
	gone       map[int]bool                                // of them, those of files that have changed
	read       func(grep.ReadQuery) (grep.FileText, error) // nil: the file on disk
	paths      []grep.FoundPath                            // what /find finds

	mu      sync.Mutex
	state   answer.State
	queries []search.Query
	greps   []grep.GrepQuery
	invs    []index.Invalidation

	summaries []brief.SummaryQuery

	skipped int
}

func newFake(t testing.TB) *fake {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "shop")
	for _, dir := range []string{root + "/src/auth", root + "/ignored", root + "-evil"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{root + "/src/auth/jwt.ts", root + "-evil/jwt.ts"} {
		if err := os.WriteFile(f, []byte("export function validateToken() {}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(root+"-evil", root+"/link"); err != nil {
		t.Fatal(err)
	}
	return &fake{
		root:  root,
		state: answer.State{State: answer.Ready, Generation: 7, Progress: 1, Vectors: 1, Freshness: answer.Fresh, Root: root, Files: 1, Chunks: 2},
		results: []search.Result{{
			File: "src/auth/jwt.ts", Line: 1, EndLine: 1, Content: "export function validateToken() {}", Score: 0.83,
			Role: answer.RoleDefinition, Signature: "validateToken()", Symbol: "validateToken", Kind: "function", Lang: "typescript",
		}},
		full: index.Status{Coverage: index.Coverage{Source: "git"}},
	}
}

// With is tested with a real index.
func (f *fake) With(context.Context, []index.Overlay) (*index.Overlaid, error) {
	return nil, &index.OverlayError{Reason: "is not for a fake"}
}

func (f *fake) Search(ctx context.Context, q search.Query) (search.Answer, error) {
	f.mu.Lock()
	f.queries = append(f.queries, q)
	f.mu.Unlock()
	if f.search != nil {
		return f.search(ctx, q)
	}
	a := search.Answer{State: f.State()}
	switch {
	case slices.Contains(q.Glob, "[a"), q.Mode == search.Regex && q.Text == "a(b":
		return a, &answer.PatternError{Pattern: cmp.Or(strings.Join(q.Glob, ""), q.Text), Reason: "something is not closed"}
	case slices.Contains(q.Without, "luck"):
		return a, &search.SignalError{Name: "luck"}
	case q.Mode == search.Semantic && q.Lang != nil:
		return a, search.ErrNoVectors
	}
	if q.Rerank {
		return a, search.ErrNoReranker
	}
	for _, r := range f.results {
		if q.Why {
			cosine := 0.41
			r.Why = &search.Why{Words: []string{"token"}, Symbol: r.Symbol, Meaning: &cosine}
		}
		if q.Path == "" || r.File == q.Path || strings.HasPrefix(r.File, q.Path+"/") {
			a.Results = append(a.Results, r)
		}
	}
	a.Matches = len(a.Results)
	return a, ctx.Err()
}

// Related says what the real one says of lines that it does not have: the fake's
// file has one line, and below src/plain there is no model.
func (f *fake) Related(ctx context.Context, file string, line int, q search.Query) (search.Answer, error) {
	q.Text = fmt.Sprintf("%s:%d", file, line)
	switch {
	case strings.HasPrefix(file, "src/plain"):
		return search.Answer{}, search.ErrNoVectors
	case file != "src/auth/jwt.ts":
		return search.Answer{}, &answer.PlaceError{File: file, Line: line}
	case line > 1:
		return search.Answer{}, &answer.PlaceError{File: file, Line: line, Lines: 1}
	}
	return f.Search(ctx, q)
}

func (f *fake) Changes(ctx context.Context, last answer.Event) (answer.Event, error) {
	if last.ID == "" {
		st := f.State()
		return answer.Event{ID: fmt.Sprint("a-", st.Generation), Generation: st.Generation, State: st.State, Changed: []string{}}, nil
	}
	select {
	case e := <-f.changes:
		return e, nil
	case <-ctx.Done():
		return answer.Event{}, ctx.Err()
	}
}

// What follows is tested with a real index, in exchange_test.go.

func (f *fake) Structure(context.Context, outline.StructureQuery) (outline.StructureAnswer, error) {
	return outline.StructureAnswer{Files: []outline.FileStructure{}, State: f.State()}, nil
}

func (f *fake) Architecture(context.Context, architecture.Query) (architecture.Answer, error) {
	return architecture.Answer{State: f.State()}, nil
}

func (f *fake) Imports(context.Context, outline.ImportsQuery) (outline.ImportsAnswer, error) {
	return outline.ImportsAnswer{Files: []outline.FileImports{}, State: f.State()}, nil
}

func (f *fake) Skeleton(context.Context, outline.SkeletonQuery) (outline.Skeletons, error) {
	return outline.Skeletons{Files: []outline.FileSkeleton{}, State: f.State()}, nil
}

func (f *fake) Extract(_ context.Context, q outline.ExtractQuery) (outline.ExtractAnswer, error) {
	if q.Target == f.outlined && q.Target != "" {
		return outline.ExtractAnswer{File: &outline.ExtractedFile{
			FileStructure: outline.FileStructure{File: q.Target, Lang: "typescript", Symbols: []outline.StructureSymbol{}}, Imports: []answer.ImportedName{},
		}, State: f.State()}, nil
	}
	return outline.ExtractAnswer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Calls(context.Context, calls.CallsQuery) (calls.CallsAnswer, error) {
	return calls.CallsAnswer{
		Direction: calls.Callees, Edges: []calls.CallEdge{}, Ambiguous: []calls.CallEdge{}, Unresolved: []calls.CallSite{}, State: f.State(),
	}, nil
}

func (f *fake) Impact(context.Context, impact.Query) (impact.Answer, error) {
	return impact.Answer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Context(context.Context, brief.ContextQuery) (brief.ContextAnswer, error) {
	return brief.ContextAnswer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Control(context.Context, flow.ControlQuery) (flow.ControlAnswer, error) {
	return flow.ControlAnswer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Data(context.Context, flow.DataQuery) (flow.DataAnswer, error) {
	return flow.DataAnswer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Diagnostics(context.Context, diagnostics.Query) (diagnostics.Answer, error) {
	return diagnostics.Answer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Slice(context.Context, flow.SliceQuery) (flow.SliceAnswer, error) {
	return flow.SliceAnswer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Flows(context.Context, flow.FlowsQuery) (flow.FlowsAnswer, error) {
	return flow.FlowsAnswer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Subgraph(context.Context, subgraph.Query) (subgraph.Answer, error) {
	return subgraph.Answer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Treemap(context.Context, treemap.Query) (treemap.Answer, error) {
	return treemap.Answer{Nodes: []treemap.Node{}, Languages: map[string]int{}, State: f.State()}, nil
}

func (f *fake) Dead(context.Context, dead.Query) (dead.Answer, error) {
	return dead.Answer{Dead: []dead.Finding{}, Counts: []dead.Count{}, Looked: []dead.Count{}, NotLooked: []string{}, State: f.State()}, nil
}

func (f *fake) NamedAt(context.Context, references.PlaceQuery) (references.Meaning, error) {
	return references.Meaning{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) References(context.Context, references.Query) (references.Answer, error) {
	return references.Answer{}, &answer.TargetError{Target: "nothing"}
}

func (f *fake) Trace(context.Context, trace.Query) (trace.Answer, error) {
	return trace.Answer{}, &answer.TargetError{Target: "nothing"}
}

// Summarize says what it was asked. Its symbol is "twice", which could also mean another.
func (f *fake) Summarize(ctx context.Context, q brief.SummaryQuery) (brief.Summary, error) {
	f.mu.Lock()
	f.summaries = append(f.summaries, q)
	f.mu.Unlock()
	s := brief.Summary{Text: "- src/auth/jwt.ts: tokens", Level: cmp.Or(q.Level, summary.L1), TokensIn: 9, Chunks: 1, Files: []string{"src/auth/jwt.ts"}, State: f.State()}
	if s.Level == summary.Auto {
		s.Level = summary.L2
	}
	s.TokensOut = q.Count(s.Text)
	switch q.Symbol {
	case "twice":
		s.Others = []answer.Place{{Symbol: "twice", File: "src/b.ts", Line: 3}}
	case "nothing":
		return s, &answer.TargetError{Target: "nothing"}
	}
	s.Truncated = q.MaxTokens == 1
	return s, ctx.Err()
}

// SummarizeText is the real one's, without a model.
func (f *fake) SummarizeText(ctx context.Context, q brief.TextQuery) (brief.Summary, error) {
	r := summary.Text(q.Text, summary.Options{Level: q.Level, MaxTokens: q.MaxTokens, Count: q.Count})
	return brief.Summary{
		Text: r.Text, Level: r.Level, TokensIn: r.TokensIn, TokensOut: r.TokensOut, Truncated: r.Truncated, Chunks: r.Chunks, Files: r.Files, State: f.State(),
	}, ctx.Err()
}

func (f *fake) Startup(context.Context, brief.StartupQuery) (brief.StartupAnswer, error) {
	return brief.StartupAnswer{Results: []search.Result{}, State: f.State()}, nil
}

func (f *fake) Verify(ctx context.Context, opt verify.VerifyOptions) (verify.Verification, error) {
	if f.verify != nil {
		return f.verify(ctx, opt)
	}
	return verify.Verification{
		Proved: true, Files: 1, Differences: []verify.Difference{}, Changed: []string{}, Unchecked: []string{}, State: f.State(),
	}, nil
}

func (f *fake) Links(context.Context, links.Library) (links.LinksAnswer, error) {
	return links.LinksAnswer{Calls: []links.Link{}, Current: true}, nil
}

func (f *fake) Offers(_ context.Context, names []links.Name) (links.OffersAnswer, error) {
	return links.OffersAnswer{Of: make([][]links.Offer, len(names)), Current: true}, nil
}

func (f *fake) lastQuery() search.Query {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queries[len(f.queries)-1]
}

func (f *fake) State() answer.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

func (f *fake) Work() answer.Work { return answer.Work{Parsed: 1, Embedded: 2} }

func (f *fake) setState(change func(*answer.State)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.state)
}

func (f *fake) Status(skipped int) index.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skipped = skipped
	st := f.full
	st.State = f.state
	return st
}

func (f *fake) Invalidate(inv index.Invalidation) (int, uint64, error) {
	f.mu.Lock()
	f.invs = append(f.invs, inv)
	f.mu.Unlock()
	if f.invalidate != nil {
		return f.invalidate(inv)
	}
	for _, p := range inv.Paths {
		if _, err := f.Resolve(p); err != nil {
			return 0, 0, err
		}
	}
	if strings.Contains(inv.Pattern, "[") {
		return 0, 0, answer.ErrPattern
	}
	return len(inv.Paths), f.State().Generation, nil
}

func (f *fake) Flush(ctx context.Context) error {
	if f.flush != nil {
		return f.flush(ctx)
	}
	f.setState(func(s *answer.State) { s.Generation++ })
	return nil
}

func (f *fake) Exists(path string) bool {
	_, err := os.Lstat(filepath.Join(f.root, filepath.FromSlash(path)))
	return err == nil
}

func (f *fake) Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.root, path)
	}
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	rel, err := filepath.Rel(f.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", index.ErrOutside
	}
	return filepath.ToSlash(rel), nil
}

func (f *fake) Knows(path string) bool {
	for _, r := range f.results {
		if r.File == path || strings.HasPrefix(r.File, path+"/") {
			return true
		}
	}
	return false
}

func (f *fake) Root() string { return f.root }

// A journal is a log that a test reads.
type journal struct {
	mu  sync.Mutex
	buf strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

func (j *journal) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: level}))
}

// newServer returns a Server for x, which defaults to opt.Index.
func newServer(t testing.TB, x Index, opt Options) *Server {
	t.Helper()
	if opt.Projects == nil {
		opt.Index = cmp.Or(opt.Index, x)
	}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fakes are Projects of a test. One whose root is in full has no room.
type fakes struct {
	allowed string // roots below this folder can be added
	full    string

	mu   sync.Mutex
	list []Project
	held int // projects that are acquired and not released
}

func (f *fakes) find(selector string) int {
	return FindProject(len(f.list), func(i int) (name, root string) { return f.list[i].Name, f.list[i].Index.Root() }, selector)
}

func (f *fakes) Acquire(ctx context.Context, selector string) (Project, func(), error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := f.find(selector)
	if i < 0 {
		return Project{}, nil, &ProjectError{Selector: selector, Have: f.infos()}
	}
	if p := f.list[i]; p.Name == f.full {
		return Project{}, nil, &BusyError{Reason: "there is no room for " + p.Name, After: 5 * time.Second}
	}
	f.held++
	return f.list[i], func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.held--
	}, ctx.Err()
}

func (f *fakes) infos() (list []ProjectInfo) {
	for _, p := range f.list {
		list = append(list, ProjectInfo{Name: p.Name, Root: p.Index.Root(), Loaded: p.Name != f.full, State: p.Index.State(), Work: p.Index.Work()})
	}
	return list
}

func (f *fakes) List(context.Context) []ProjectInfo {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.infos()
}

func (f *fakes) Add(_ context.Context, root, name string) (ProjectInfo, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := f.find(root); i >= 0 {
		return f.infos()[i], false, nil
	}
	if f.allowed == "" || !strings.HasPrefix(root, f.allowed+"/") {
		return ProjectInfo{}, false, &RootError{Reason: root + " is not allowed", NotAllowed: true}
	}
	if _, err := os.Stat(root); err != nil {
		return ProjectInfo{}, false, &RootError{Reason: root + " does not exist"}
	}
	f.list = append(f.list, Project{Name: cmp.Or(name, filepath.Base(root)), Index: &fake{root: root, state: answer.State{State: answer.Indexing, Freshness: answer.Unknown, Root: root}}})
	return f.infos()[len(f.list)-1], true, nil
}

func (f *fakes) Remove(_ context.Context, selector string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := f.find(selector)
	if i < 0 {
		return &ProjectError{Selector: selector, Have: f.infos()}
	}
	f.list = slices.Delete(f.list, i, i+1)
	return nil
}
