package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// shop serves a copy of the example of the README, without vectors, until the test
// ends, and returns its address and its root.
func shop(t *testing.T, token string) (address, root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "shop")
	if err := os.CopyFS(root, os.DirFS("../docs/example")); err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(root, index.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx, nil) }()
	s, err := api.New(api.Options{Index: x, Version: "1.2.3", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		srv.Close()
		cancel()
		if err := errors.Join(<-ended, x.Close()); err != nil {
			t.Error(err)
		}
	})
	for x.State().State != answer.Ready {
		time.Sleep(10 * time.Millisecond)
	}
	return srv.URL, x.Root()
}

func open(t *testing.T, address string, opt client.Options) *client.Client {
	t.Helper()
	c, err := client.New(address, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// must returns the answer of a call that may not fail.
func must[A any](answer A, err error) func(*testing.T) A {
	return func(t *testing.T) A {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

// TestRealServer asks a server for everything there is, and looks at what an answer
// says of the example.
func TestRealServer(t *testing.T) {
	address, root := shop(t, "")
	c := open(t, address, client.Options{})
	ctx := t.Context()
	check := func(what string, ok bool, answer any) {
		t.Helper()
		if !ok {
			t.Errorf("%s: %+v", what, answer)
		}
	}
	if r := must(c.Search(ctx, client.SearchRequest{Query: "Verify", Limit: 1, Mode: client.ModeSymbol, Lang: []string{"go"}, MaxTokens: 500}))(t); true {
		check("Search", len(r.Results) == 1 && r.Results[0].File == "auth/token.go" && r.Results[0].Role == client.RoleDefinition && r.Index.Root == root && r.Receipt.TokensSent > 0 && r.Meta.Matches == 2, r)
	}
	if r := must(c.SearchAll(ctx, client.SearchRequest{Queries: []string{"token", "retry"}, Limit: 1}))(t); true {
		check("SearchAll", len(r.Answers) == 2 && r.Answers[1].Query == "retry" && len(r.Answers[0].Results) == 1 && r.Answers[0].Meta.Truncated, r)
	}
	if r := must(c.Structure(ctx, client.StructureRequest{Path: "auth"}))(t); true {
		check("Structure", r.Totals.Files == 2 && r.Files[0].File == "auth/token.go" && len(r.Files[0].Symbols) > 3, r)
	}
	keep := false
	if r := must(c.Skeleton(ctx, client.SkeletonRequest{Target: "auth/token.go", Docs: &keep}))(t); true {
		check("Skeleton", len(r.Files) == 1 && strings.Contains(r.Text, "func (s Signer) Verify") && !strings.Contains(r.Text, "// Verify checks") && r.Tokens < r.TokensRaw, r)
	}
	if r := must(c.Extract(ctx, client.ExtractRequest{Target: "Signer.Verify"}))(t); true {
		check("Extract", r.File == "auth/token.go" && strings.HasPrefix(r.Content, "func (s Signer) Verify") && len(r.Calls) > 0, r)
	}
	if r := must(c.Outline(ctx, client.ExtractRequest{File: "auth/token.go"}))(t); true {
		check("Outline", r.Lang == "go" && len(r.Imports) == 7 && len(r.Symbols) > 3, r)
	}
	if r := must(c.Calls(ctx, client.CallsRequest{Target: "Signer.sign", Direction: client.Callers}))(t); true {
		check("Calls", len(r.Edges) == 2 && r.Edges[0].To.Symbol == "Signer.sign" && r.Edges[0].Confidence == client.ConfidenceExact && r.Direction == client.Callers, r)
	}
	if r := must(c.Impact(ctx, client.ImpactRequest{Target: "Signer.sign"}))(t); true {
		check("Impact", len(r.Callers) >= 2 && len(r.Tests) == 1 && r.Definition.Symbol == "Signer.sign", r)
	}
	if r := must(c.Context(ctx, client.ContextRequest{Target: "Signer.Verify"}))(t); true {
		check("Context", r.Definition.Symbol == "Signer.Verify" && len(r.Functions) > 0 && r.Tokens > 0 && r.Receipt.Files > 0, r)
	}
	if r := must(c.Imports(ctx, client.ImportsRequest{Path: "auth/token.go"}))(t); true {
		check("Imports", len(r.Files) == 1 && r.Files[0].Lang == "go" && len(r.Files[0].Imports) == 7, r)
	}
	if r := must(c.References(ctx, client.ReferencesRequest{Target: "Signer.sign", Kind: client.ReferenceCall}))(t); true {
		check("References", len(r.References) > 0 && r.Counts.References == len(r.References) && r.References[0].Kind == client.ReferenceCall, r)
	}
	if r := must(c.Trace(ctx, client.TraceRequest{Target: "Signer.Verify", To: "encode"}))(t); true {
		check("Trace", len(r.Paths) > 0 && len(r.Paths[0].Hops) > 0 && r.To.Symbol == "encode", r)
	}
	if r := must(c.Startup(ctx, client.StartupRequest{Task: "let tokens expire", EntryPoint: "auth/token.go"}))(t); true {
		check("Startup", strings.Contains(r.Text, "## Codebase Structure") && r.Structure.Files == 7 && r.Entry.File == "auth/token.go", r)
	}
	if r := must(c.Summarize(ctx, client.SummarizeRequest{Path: "."}))(t); true {
		check("Summarize", r.Summary != "" && r.Kind == "code" && r.TokensIn > r.TokensOut, r)
	}
	if r := must(c.Grep(ctx, client.GrepRequest{Pattern: "token", IgnoreCase: true, Scope: client.Scope{SessionID: "s"}}))(t); true {
		check("Grep", len(r.Matches) > 3 && r.Meta.Matches >= len(r.Matches) && r.Searched == 7, r)
	}
	if r := must(c.Cat(ctx, client.CatRequest{Path: "auth/token.go", Start: 2, End: 3}))(t); true {
		check("Cat", r.Content == "package auth\n\n" && r.Start == 2 && r.Meta.ContentType == "code/go", r)
	}
	if r := must(c.Find(ctx, client.FindRequest{Name: []string{"*.py"}, Type: "f"}))(t); true {
		check("Find", len(r.Paths) == 1 && r.Paths[0].Path == "orders/cart.py", r)
	}
	if r := must(c.Tools(ctx))(t); true {
		check("Tools", len(r) > 10 && r[0].Type == "function" && r[0].Function.Name == "search" && r[0].Function.Parameters != nil, r)
	}
	if r := must(c.CallTool(ctx, "calls", json.RawMessage(`{"target":"Signer.sign"}`)))(t); true {
		data, _ := r.Data.(map[string]any)
		check("CallTool", r.OK && data["complete"] == true && data["total"] == 2.0, r)
	}
	if r := must(c.CallTool(ctx, "dead", nil))(t); true {
		check("CallTool", r.OK && r.Data != nil, r)
	}
	refused(t, client.CodeNotFound, 404)(c.CallTool(ctx, "dea", nil))
	refused(t, client.CodeInvalidRequest, 400)(c.CallTool(ctx, "dead", json.RawMessage(`{"foo":1}`)))
	if r := must(c.Health(ctx))(t); true {
		check("Health", r.Status == "ok" && r.Version == "1.2.3" && r.Files == 7 && r.Root == root, r)
	}
	if r := must(c.Ready(ctx))(t); true {
		check("Ready", r.Ready && r.Index.State == client.StateReady && r.Index.Freshness == client.FreshnessFresh, r)
	}
	none := 0
	if r := must(c.Status(ctx, client.StatusRequest{Skipped: &none}))(t); true {
		check("Status", r.PID == os.Getpid() && r.Coverage.Languages["go"] == 2 && r.Model == nil && r.NoModel != "" && !r.Index.LastIndexedAt.IsZero(), r)
	}
	if r := must(c.Version(ctx))(t); true {
		check("Version", r.Name == "quarry" && r.Version == "1.2.3", r)
	}
	if r := must(c.CoachReport(ctx))(t); true {
		check("CoachReport", !r.Enabled && r.Message != "" && len(r.Commands.Grep) == 0, r)
	}
	if r := must(c.Projects(ctx))(t); true {
		check("Projects", len(r) == 1 && r[0].Name == "shop" && r[0].Root == root && r[0].Loaded, r)
	}
	if r := must(c.Verify(ctx, client.VerifyRequest{}))(t); true {
		check("Verify", r.Proved && r.Files == 7 && r.Total == 0, r)
	}
	if r := must(c.Reindex(ctx, client.ReindexRequest{Reset: true}))(t); true {
		check("Reindex", r.Generation > 0, r)
	}
	refused(t, client.CodeNoVectors, 422)(c.Related(ctx, client.RelatedRequest{File: "auth/token.go", Line: 34}))
	refused(t, client.CodeNotFound, 404)(c.Search(ctx, client.SearchRequest{Query: "x", Path: "gone"}))
	refused(t, client.CodeWrongProject, 409)(c.Search(ctx, client.SearchRequest{Query: "x", Scope: client.Scope{Project: "depot"}}))
	refused(t, client.CodeInvalidPattern, 400)(c.Search(ctx, client.SearchRequest{Query: "a(b", Mode: client.ModeRegex}))
	refused(t, client.CodeHandleExpired, 404)(c.Handle(ctx, client.HandleRequest{Handle: "res_0123456789ab"}))
	refused(t, client.CodeForbiddenRoot, 403)(c.AddProject(ctx, client.AddProjectRequest{Root: "/etc"}))
	refused(t, client.CodeForbiddenRoot, 403)(nil, c.RemoveProject(ctx, "shop"))
}

// refused returns a check that an error is the server's, with a code.
func refused(t *testing.T, code string, status int) func(any, error) {
	return func(answer any, err error) {
		t.Helper()
		e := (*client.Error)(nil)
		if !errors.As(err, &e) || e.Code != code || e.Status != status || e.Message == "" || e.RequestID == "" {
			t.Errorf("%+v, %v; want %s (%d)", answer, err, code, status)
		}
	}
}

// TestHandles follows what an answer left out to its end.
func TestHandles(t *testing.T) {
	address, root := shop(t, "")
	if err := os.WriteFile(filepath.Join(root, "many.txt"), []byte(strings.Repeat("a needle\n", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	c := open(t, address, client.Options{SessionID: "s1"})
	if r := must(c.Invalidate(t.Context(), client.InvalidateRequest{Path: "many.txt", Wait: true}))(t); r.Queued != 1 {
		t.Errorf("%+v", r)
	}
	r := must(c.Grep(t.Context(), client.GrepRequest{Pattern: "needle", Literal: true}))(t)
	if r.Meta.Handle == "" || r.Meta.Matches != 500 || len(r.Breadcrumbs) == 0 {
		t.Fatalf("%+v", r.Meta)
	}
	all := must(c.Handles(t.Context(), client.Scope{}))(t)
	if len(all) != 1 || all[0].Handle != r.Meta.Handle || all[0].Command != "grep" {
		t.Errorf("%+v", all)
	}
	lines := len(r.Matches)
	for n, last := 1, 1; n <= last; n++ {
		h := must(c.Handle(t.Context(), client.HandleRequest{Handle: r.Meta.Handle, Chunk: n}))(t)
		lines, last = lines+len(h.Matches), h.Chunks
	}
	if lines != 500 {
		t.Errorf("%d lines in all chunks, want 500", lines)
	}
}

func TestToken(t *testing.T) {
	address, _ := shop(t, "the secret of the shop")
	ctx := t.Context()
	for _, token := range []string{"", "another"} {
		c := open(t, address, client.Options{Token: token})
		refused(t, client.CodeUnauthorized, 401)(c.Search(ctx, client.SearchRequest{Query: "token"}))
		if _, err := c.Health(ctx); err != nil {
			t.Errorf("Health needs a token: %v", err)
		}
	}
	c := open(t, address, client.Options{Token: "the secret of the shop"})
	if r := must(c.Search(ctx, client.SearchRequest{Query: "token"}))(t); len(r.Results) == 0 {
		t.Error("nothing is found")
	}
}

// TestRealEvents is told of a change.
func TestRealEvents(t *testing.T) {
	address, root := shop(t, "")
	c := open(t, address, client.Options{})
	told := false
	for e, err := range c.Events(t.Context(), client.EventsRequest{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !told {
			told = true
			if err := os.WriteFile(filepath.Join(root, "gift.py"), []byte("def wrap(): pass\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			must(c.Invalidate(t.Context(), client.InvalidateRequest{Paths: []string{"gift.py"}}))(t)
		}
		if len(e.Changed) > 0 {
			if e.Changed[0] != "gift.py" || e.ID == "" {
				t.Errorf("%+v", e)
			}
			break
		}
	}
}
