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
	"github.com/quarry-search/quarry/index/summary"
)

func TestMain(m *testing.M) {
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.PlainBodyDecoder)
	goleak.VerifyTestMain(m)
}

// A fake is an Index whose answers a test chooses. Its root is a real folder,
// and Resolve follows the same rules as the real one.
type fake struct {
	root       string
	search     func(context.Context, index.Query) (index.Answer, error) // nil: results
	results    []index.Result
	invalidate func(index.Invalidation) (int, uint64, error)                          // nil: counts the paths
	flush      func(context.Context) error                                            // nil: returns nil
	verify     func(context.Context, index.VerifyOptions) (index.Verification, error) // nil: proves it
	changes    chan index.Event                                                       // what Changes returns after the first
	full       index.Status
	outlined   string                                        // the file whose outline /extract gives
	rawFails   error                                         // of a raw grep, after all lines
	matches    []index.GrepLine                              // what /grep finds, in order; their sections tell which there are
	gone       map[int]bool                                  // of them, those of files that have changed
	read       func(index.ReadQuery) (index.FileText, error) // nil: the file on disk
	paths      []index.FoundPath                             // what /find finds

	mu      sync.Mutex
	state   index.State
	queries []index.Query
	greps   []index.GrepQuery
	invs    []index.Invalidation

	summaries []index.SummaryQuery

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
		state: index.State{State: index.Ready, Generation: 7, Progress: 1, Vectors: 1, Freshness: index.Fresh, Root: root, Files: 1, Chunks: 2},
		results: []index.Result{{
			File: "src/auth/jwt.ts", Line: 1, EndLine: 1, Content: "export function validateToken() {}", Score: 0.83,
			Role: index.RoleDefinition, Signature: "validateToken()", Symbol: "validateToken", Kind: "function", Lang: "typescript",
		}},
		full: index.Status{Coverage: index.Coverage{Source: "git"}},
	}
}

// With is tested with a real index.
func (f *fake) With(context.Context, []index.Overlay) (*index.Overlaid, error) {
	return nil, &index.OverlayError{Reason: "is not for a fake"}
}

func (f *fake) Search(ctx context.Context, q index.Query) (index.Answer, error) {
	f.mu.Lock()
	f.queries = append(f.queries, q)
	f.mu.Unlock()
	if f.search != nil {
		return f.search(ctx, q)
	}
	a := index.Answer{State: f.State()}
	switch {
	case slices.Contains(q.Glob, "[a"), q.Mode == index.Regex && q.Text == "a(b":
		return a, &index.PatternError{Pattern: cmp.Or(strings.Join(q.Glob, ""), q.Text), Reason: "something is not closed"}
	case slices.Contains(q.Without, "luck"):
		return a, &index.SignalError{Name: "luck"}
	case q.Mode == index.Semantic && q.Lang != nil:
		return a, index.ErrNoVectors
	}
	for _, r := range f.results {
		if q.Path == "" || r.File == q.Path || strings.HasPrefix(r.File, q.Path+"/") {
			a.Results = append(a.Results, r)
		}
	}
	a.Matches = len(a.Results)
	return a, ctx.Err()
}

// Related says what the real one says of lines that it does not have: the fake's
// file has one line, and below src/plain there is no model.
func (f *fake) Related(ctx context.Context, file string, line int, q index.Query) (index.Answer, error) {
	q.Text = fmt.Sprintf("%s:%d", file, line)
	switch {
	case strings.HasPrefix(file, "src/plain"):
		return index.Answer{}, index.ErrNoVectors
	case file != "src/auth/jwt.ts":
		return index.Answer{}, &index.PlaceError{File: file, Line: line}
	case line > 1:
		return index.Answer{}, &index.PlaceError{File: file, Line: line, Lines: 1}
	}
	return f.Search(ctx, q)
}

func (f *fake) Changes(ctx context.Context, last index.Event) (index.Event, error) {
	if last.ID == "" {
		st := f.State()
		return index.Event{ID: fmt.Sprint("a-", st.Generation), Generation: st.Generation, State: st.State, Changed: []string{}}, nil
	}
	select {
	case e := <-f.changes:
		return e, nil
	case <-ctx.Done():
		return index.Event{}, ctx.Err()
	}
}

// What follows is tested with a real index, in exchange_test.go.

func (f *fake) Structure(context.Context, index.StructureQuery) (index.Structure, error) {
	return index.Structure{Files: []index.FileStructure{}, State: f.State()}, nil
}

func (f *fake) Imports(context.Context, index.ImportsQuery) (index.Imports, error) {
	return index.Imports{Files: []index.FileImports{}, State: f.State()}, nil
}

func (f *fake) Skeleton(context.Context, index.SkeletonQuery) (index.Skeletons, error) {
	return index.Skeletons{Files: []index.FileSkeleton{}, State: f.State()}, nil
}

func (f *fake) Extract(_ context.Context, q index.ExtractQuery) (index.Extract, error) {
	if q.Target == f.outlined && q.Target != "" {
		return index.Extract{File: &index.ExtractedFile{
			FileStructure: index.FileStructure{File: q.Target, Lang: "typescript", Symbols: []index.StructureSymbol{}}, Imports: []index.ImportedName{},
		}, State: f.State()}, nil
	}
	return index.Extract{}, &index.TargetError{Target: "nothing"}
}

func (f *fake) Calls(context.Context, index.CallsQuery) (index.Calls, error) {
	return index.Calls{
		Direction: index.Callees, Edges: []index.CallEdge{}, Ambiguous: []index.CallEdge{}, Unresolved: []index.CallSite{}, State: f.State(),
	}, nil
}

func (f *fake) Impact(context.Context, index.ImpactQuery) (index.Impact, error) {
	return index.Impact{}, &index.TargetError{Target: "nothing"}
}

func (f *fake) Context(context.Context, index.ContextQuery) (index.Context, error) {
	return index.Context{}, &index.TargetError{Target: "nothing"}
}

func (f *fake) Trace(context.Context, index.TraceQuery) (index.Trace, error) {
	return index.Trace{}, &index.TargetError{Target: "nothing"}
}

// Summarize says what it was asked. Its symbol is "twice", which could also mean another.
func (f *fake) Summarize(ctx context.Context, q index.SummaryQuery) (index.Summary, error) {
	f.mu.Lock()
	f.summaries = append(f.summaries, q)
	f.mu.Unlock()
	s := index.Summary{Text: "- src/auth/jwt.ts: tokens", Level: cmp.Or(q.Level, summary.L1), TokensIn: 9, Chunks: 1, Files: []string{"src/auth/jwt.ts"}, State: f.State()}
	if s.Level == summary.Auto {
		s.Level = summary.L2
	}
	s.TokensOut = q.Count(s.Text)
	switch q.Symbol {
	case "twice":
		s.Others = []index.Place{{Symbol: "twice", File: "src/b.ts", Line: 3}}
	case "nothing":
		return s, &index.TargetError{Target: "nothing"}
	}
	s.Truncated = q.MaxTokens == 1
	return s, ctx.Err()
}

// SummarizeText is the real one's, without a model.
func (f *fake) SummarizeText(ctx context.Context, q index.TextQuery) (index.Summary, error) {
	r := summary.Text(q.Text, summary.Options{Level: q.Level, MaxTokens: q.MaxTokens, Count: q.Count})
	return index.Summary{
		Text: r.Text, Level: r.Level, TokensIn: r.TokensIn, TokensOut: r.TokensOut, Truncated: r.Truncated, Chunks: r.Chunks, Files: r.Files, State: f.State(),
	}, ctx.Err()
}

func (f *fake) Startup(context.Context, index.StartupQuery) (index.Startup, error) {
	return index.Startup{Results: []index.Result{}, State: f.State()}, nil
}

func (f *fake) Verify(ctx context.Context, opt index.VerifyOptions) (index.Verification, error) {
	if f.verify != nil {
		return f.verify(ctx, opt)
	}
	return index.Verification{
		Proved: true, Files: 1, Differences: []index.Difference{}, Changed: []string{}, Unchecked: []string{}, State: f.State(),
	}, nil
}

func (f *fake) Links(context.Context, index.Library) (index.Links, error) {
	return index.Links{Calls: []index.Link{}, Current: true}, nil
}

func (f *fake) Offers(_ context.Context, names []index.Name) (index.Offers, error) {
	return index.Offers{Of: make([][]index.Offer, len(names)), Current: true}, nil
}

func (f *fake) lastQuery() index.Query {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queries[len(f.queries)-1]
}

func (f *fake) State() index.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

func (f *fake) Work() index.Work { return index.Work{Parsed: 1, Embedded: 2} }

func (f *fake) setState(change func(*index.State)) {
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
		return 0, 0, index.ErrPattern
	}
	return len(inv.Paths), f.State().Generation, nil
}

func (f *fake) Flush(ctx context.Context) error {
	if f.flush != nil {
		return f.flush(ctx)
	}
	f.setState(func(s *index.State) { s.Generation++ })
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
		return Project{}, nil, &ProjectError{selector, f.infos()}
	}
	if p := f.list[i]; p.Name == f.full {
		return Project{}, nil, &BusyError{"there is no room for " + p.Name, 5 * time.Second}
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

func (f *fakes) List() []ProjectInfo {
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
		return ProjectInfo{}, false, &RootError{root + " is not allowed", true}
	}
	if _, err := os.Stat(root); err != nil {
		return ProjectInfo{}, false, &RootError{root + " does not exist", false}
	}
	f.list = append(f.list, Project{Name: cmp.Or(name, filepath.Base(root)), Index: &fake{root: root, state: index.State{State: index.Indexing, Freshness: index.Unknown, Root: root}}})
	return f.infos()[len(f.list)-1], true, nil
}

func (f *fakes) Remove(_ context.Context, selector string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := f.find(selector)
	if i < 0 {
		return &ProjectError{selector, f.infos()}
	}
	f.list = slices.Delete(f.list, i, i+1)
	return nil
}
