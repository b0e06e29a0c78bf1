package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/mcp"
	"github.com/quarry-search/quarry/embed/static"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// shop is a small repository with a few calls.
func shop() map[string]string {
	return map[string]string{
		"go.mod": "module shop\n",
		"auth/token.go": "// Package auth checks tokens.\npackage auth\n\n// ValidateToken checks the signature of a token.\nfunc ValidateToken(t string) error {\n\treturn decode(t)\n}\n\n" +
			"func decode(t string) error { return nil }\n",
		"auth/token_test.go": "package auth\n\nimport \"testing\"\n\nfunc TestValidateToken(t *testing.T) { _ = ValidateToken(\"x\") }\n",
		"cart/cart.go": "package cart\n\nimport \"shop/auth\"\n\n// A Cart holds what a customer buys.\ntype Cart struct{ token string }\n\n" +
			"// Pay takes the money.\nfunc (c *Cart) Pay() error { return auth.ValidateToken(c.token) }\n",
		"main.go": "package main\n\nimport \"shop/cart\"\n\nfunc main() { _ = new(cart.Cart).Pay() }\n",
		".env":    "SECRET=1\n",
	}
}

// shopRoot returns a folder with the shop in it.
func shopRoot(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range shop() {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// openShop returns a server of an index of the shop, which is ready.
func openShop(t testing.TB) *api.Server { return openRoot(t, shopRoot(t)) }

// openRoot returns a server of an index of a root, which is ready.
func openRoot(t testing.TB, dir string) *api.Server {
	t.Helper()
	model, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(dir, index.Options{Workers: 1, Embedder: model})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	for deadline := time.Now().Add(time.Minute); x.State().State != answer.Ready || x.State().Vectors < 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", x.State())
		}
	}
	s, err := api.New(api.Options{Index: x})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve returns the address of a server that listens until the test ends.
func serve(t testing.TB, s *api.Server) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ls, addr, err := api.Listen(ctx, "127.0.0.1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ls...) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + addr
}

// overHTTP returns a client of a server's /mcp.
func overHTTP(t testing.TB, url string) *sdk.ClientSession {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return open(t, &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: tr}})
}

// inProcess returns a client of a server of this process.
func inProcess(t testing.TB, s *api.Server) *sdk.ClientSession {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	here, there := sdk.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- mcp.New(mcp.Options{Asker: s.Socket()}).Run(ctx, there) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return open(t, here)
}

func open(t testing.TB, transport sdk.Transport) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// calls has for every tool a call, the endpoint's request that it stands for, and the
// fields of the endpoint's answer that the tool leaves out.
func calls() []toolCall {
	where := "generation"
	return []toolCall{
		{"search", `{"query":"ValidateToken","limit":2}`, "/search", `{"query":"ValidateToken","limit":2}`, []string{where, "cmd", "content", "lang", "v"}},
		{"search", `{"query":"ValidateToken","limit":2,"code":true}`, "/search", `{"query":"ValidateToken","limit":2,"max_tokens":2000}`, []string{where, "cmd", "lang", "receipt", "tokens", "v"}},
		{"context", `{"target":"ValidateToken"}`, "/context", `{"target":"ValidateToken","max_tokens":2000}`,
			[]string{where, "callers", "cmd", "content", "doc", "functions", "imports", "lang", "receipt", "target", "tests", "tokens", "tokens_raw", "types", "v"}},
		{"impact", `{"target":"ValidateToken"}`, "/impact", `{"target":"ValidateToken","limit":30}`, []string{where, "cmd", "doc", "lang", "target", "v", "via"}},
		{"arch", `{"section":"matrix"}`, "/arch", `{"section":"matrix"}`, []string{where, "cmd", "level", "totals", "v"}},
		{"calls", `{"target":"ValidateToken"}`, "/calls", `{"target":"ValidateToken","direction":"both","limit":30}`, []string{where, "cmd", "column", "direction", "doc", "external", "lang", "rule", "target", "v"}},
		{"references", `{"target":"ValidateToken"}`, "/references", `{"target":"ValidateToken","limit":30}`, []string{where, "cmd", "doc", "files", "lang", "target", "v"}},
		{"definition", `{"path":"auth/token.go","line":6,"name":"decode"}`, "/definition", `{"path":"auth/token.go","line":6,"name":"decode"}`, []string{where, "cmd", "column", "lang", "name_line", "v"}},
		{"dead", `{}`, "/dead", `{"limit":30}`, []string{where, "cmd", "complete", "looked_at", "v"}},
		{"trace", `{"symbol":"ValidateToken"}`, "/trace", `{"symbol":"ValidateToken"}`, []string{where, "cmd", "doc", "lang", "symbol", "text", "tokens", "v", "via"}},
		{"trace", `{"symbol":"main","to":"decode"}`, "/trace", `{"symbol":"main","to":"decode"}`, []string{where, "cmd", "column", "external", "lang", "rule", "symbol", "text", "tokens", "v"}},
		{"slice", `{"target":"auth/token.go:6"}`, "/slice", `{"target":"auth/token.go:6","limit":30}`, []string{where, "cmd", "direction", "end_line", "function", "functions", "target", "v"}},
		{"outline", `{"path":"auth"}`, "/skeleton", `{"path":"auth","max_tokens":2000,"lines":true}`, []string{where, "cmd", "files", "tokens", "tokens_raw", "v"}},
		{"read", `{"path":"cart/cart.go","start":3,"end":6}`, "/cat", `{"path":"cart/cart.go","start":3,"end":6}`, []string{where, "cmd", "v"}},
		{"summarize", `{"path":"cart"}`, "/summarize", `{"path":"cart"}`, []string{"chunks", where, "cmd", "engine", "tokenizer", "v"}},
		{"related", `{"file":"auth/token.go","line":5}`, "/related", `{"file":"auth/token.go","line":5,"limit":5}`, []string{where, "cmd", "content", "lang", "v"}},
		{"status", `{}`, "/status", ``, nil},
	}
}

type toolCall struct {
	tool, arguments   string
	endpoint, request string
	leftOut           []string
}

// TestEveryTool lists and calls every tool over HTTP and in the process, validates what
// comes by the listed schemas, and compares it with what the endpoint says.
func TestEveryTool(t *testing.T) {
	s := openShop(t)
	url := serve(t, s)
	for name, c := range map[string]*sdk.ClientSession{"http": overHTTP(t, url+"/mcp"), "process": inProcess(t, s)} {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		schemas := map[string]*jsonschema.Resolved{}
		for _, tool := range list.Tools {
			schemas[tool.Name] = resolve(t, tool.OutputSchema)
			resolve(t, tool.InputSchema)
			if a := tool.Annotations; !a.ReadOnlyHint || *a.OpenWorldHint {
				t.Errorf("%s: %+v", tool.Name, a)
			}
		}
		called := map[string]bool{}
		for _, tc := range calls() {
			called[tc.tool] = true
			res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tc.tool, Arguments: json.RawMessage(tc.arguments)})
			if err != nil || res.IsError {
				t.Fatalf("%s: %s: %+v, %v", name, tc.tool, res, err)
			}
			if err := schemas[tc.tool].Validate(res.StructuredContent); err != nil {
				t.Errorf("%s: %s: %v", name, tc.tool, err)
			}
			if text := res.Content[0].(*sdk.TextContent).Text; len(res.Content) != 1 || text == "" {
				t.Errorf("%s: %s: %d contents", name, tc.tool, len(res.Content))
			}
			compare(t, s, tc, res.StructuredContent)
		}
		if got, want := slices.Sorted(maps.Keys(called)), slices.Sorted(maps.Keys(schemas)); !cmp.Equal(got, want) {
			t.Errorf("called %v of %v", got, want)
		}
	}
}

func resolve(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compare holds a tool's answer to the endpoint's: what it has is the same, and what it
// has not is what the test knows.
func compare(t *testing.T, s *api.Server, tc toolCall, got any) {
	t.Helper()
	var fields map[string]any
	if tc.request != "" {
		if err := json.Unmarshal([]byte(tc.request), &fields); err != nil {
			t.Fatal(err)
		}
	}
	answer, _, err := s.Socket().Ask(t.Context(), tc.endpoint, fields)
	if err != nil {
		t.Fatalf("%s: %v", tc.endpoint, err)
	}
	body, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	within(t, tc.tool, got, want, left)
	slices.Sort(tc.leftOut)
	if out := slices.Sorted(maps.Keys(left)); tc.leftOut != nil && !cmp.Equal(out, tc.leftOut) {
		t.Errorf("%s leaves out %q\nwant %q", tc.tool, out, tc.leftOut)
	}
}

// within fails where got is not want, or has less than it in other ways than by fields.
func within(t *testing.T, at string, got, want any, left map[string]bool) {
	t.Helper()
	switch got := got.(type) {
	case map[string]any:
		want, ok := want.(map[string]any)
		if !ok {
			t.Errorf("%s: %v, want %v", at, got, want)
			return
		}
		for name, v := range got {
			within(t, at+"."+name, v, want[name], left)
		}
		for name := range want {
			if _, ok := got[name]; !ok {
				left[name] = true
			}
		}
	case []any:
		want, ok := want.([]any)
		if !ok || len(got) != len(want) {
			t.Errorf("%s: %v, want %v", at, got, want)
			return
		}
		for i := range got {
			within(t, fmt.Sprint(at, "[", i, "]"), got[i], want[i], left)
		}
	default:
		if got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}

// TestResources reads what is listed and what the templates name, and nothing that the
// index would not show.
func TestResources(t *testing.T) {
	s := openShop(t)
	c := overHTTP(t, serve(t, s)+"/mcp")
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 4 {
		t.Fatalf("%+v, %v", templates, err)
	}
	for uri, want := range map[string]string{
		list.Resources[0].URI:                        "## Codebase Structure",
		"quarry://file/cart/cart.go":                 shop()["cart/cart.go"],
		"quarry://file/auth%2Ftoken.go":              shop()["auth/token.go"],
		"quarry://symbol/ValidateToken":              "auth/token.go:5-7 ValidateToken\nfunc ValidateToken(t string) error {\n\treturn decode(t)\n}",
		"quarry://symbol/Cart.Pay":                   "cart/cart.go:9-9 Cart.Pay\nfunc (c *Cart) Pay() error",
		"quarry://graph/ValidateToken":               "auth/token.go:5 ValidateToken  (target)\n  -> auth/token.go:9 decode  (calls)\n",
		"quarry://graph/Nothing":                     "error",
		"quarry://map/auth":                          "auth  (14 lines, 2 files, go, used by 1)\n  auth/token.go  (9 lines, go, used by 2)\n",
		"quarry://map/../shop-evil":                  "error invalid_path",
		"quarry://map/nothing":                       "nothing  (0 lines, 0 files)\n\n[not looked at: churn: there is no git repository; the index knows no file at or below the path]",
		"quarry://file/.env":                         "error permission_denied",
		"quarry://file/../shop-evil/canary.go":       "error invalid_path",
		"quarry://file/%2Fetc%2Fpasswd":              "error invalid_path",
		"quarry://file/nothing.go":                   "error",
		"quarry://symbol/Nothing":                    "error",
		"quarry://file/":                             "error",
		"quarry://elsewhere/x":                       "error",
		"file:///etc/passwd":                         "error",
		"quarry://file/" + strings.Repeat("x", 5000): "error",
	} {
		res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		code, refused := strings.CutPrefix(want, "error")
		switch {
		case refused:
			if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(code)) {
				t.Errorf("%s: %v", uri, err)
			}
		case err != nil || len(res.Contents) != 1 || !strings.HasPrefix(res.Contents[0].Text, want):
			t.Errorf("%s: %q, %v", uri, res.Contents[0].Text, err)
		}
	}
	for _, tc := range []struct {
		uri, typed string
		want       []string
	}{
		{"quarry://file/{+path}", "tok", []string{"auth/token.go", "auth/token_test.go"}},
		{"quarry://file/{+path}", "cart/c", []string{"cart/cart.go"}},
		{"quarry://file/{+path}", "[*", []string{}},
		{"quarry://file/{+path}", "", []string{}},
		{"quarry://map/{+path}", "au", []string{"auth"}},
		{"quarry://graph/{+target}", "Validate", []string{"ValidateToken", "TestValidateToken"}},
		{"quarry://symbol/{+name}", "Validate", []string{"ValidateToken", "TestValidateToken"}},
		{"quarry://other/{x}", "a", []string{}},
	} {
		res, err := c.Complete(t.Context(), &sdk.CompleteParams{
			Ref:      &sdk.CompleteReference{Type: "ref/resource", URI: tc.uri},
			Argument: sdk.CompleteParamsArgument{Name: "path", Value: tc.typed},
		})
		if err != nil || !cmp.Equal(res.Completion.Values, tc.want) {
			t.Errorf("%s %q: %+v, %v", tc.uri, tc.typed, res, err)
		}
	}
}
