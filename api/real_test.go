package api

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
)

var _ Index = (*index.Index)(nil)

// openReal returns the index of a small folder, next to which there is a file
// that no answer may hold. The index is empty until run is called, once.
func openReal(t *testing.T) (x *index.Index, run func()) { return openRealWith(t, nil) }

// openRealWith is openReal with somebody who measures it.
func openRealWith(t *testing.T, o index.Observer) (x *index.Index, run func()) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"shop/src/auth/token.go":  "// Copyright\n\npackage auth\n\n// ValidateToken checks the signature of a token.\nfunc ValidateToken(t string) error {\n\treturn nil\n}\n",
		"shop/src/authz/rules.go": "package authz\n\n// Allow tells whether a token may pass.\nfunc Allow(token string) bool { return token != \"\" }\n",
		"shop/.gitignore":         "build/\n",
		"shop/build/out.go":       "package build\n\nfunc ValidateTokenGenerated() {}\n",
		"shop/logo.png":           "\x89PNG\x00\x00",
		"shop-evil/canary.go":     "package evil\n\nfunc CanaryToken() {}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../shop-evil", filepath.Join(dir, "shop", "link")); err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(filepath.Join(dir, "shop"), index.Options{Workers: 1, Observer: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x, func() {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- x.Run(ctx, nil) }()
		t.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// The whole way, from the relay's client to files on disk and back.
func TestRealIndex(t *testing.T) {
	x, run := openReal(t)
	run()
	s := newServer(t, x, Options{})
	_, url := serve(t, s)
	client := newOsgrepClient(t, url)
	if !client.health() {
		t.Fatal("not available")
	}
	if _, err := client.search("anything", 10, ""); err != nil { // whatever the build has done so far
		t.Fatal(err)
	}
	c, h := newChecker(t), s.Handler()
	if r := c.post(h, "/invalidate", `{"all":true,"wait":true}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if r := c.get(h, "/ready"); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}

	results, err := client.search("where is a token validated", 10, "src/auth")
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 1 || *results[0].File != "src/auth/token.go" {
		t.Fatalf("%d results: %s", len(results), client.format(results))
	}
	// T5: what is shown begins with the definition, not with the licence.
	if got := strings.TrimSpace(*results[0].Content); !strings.HasPrefix(got, "func ValidateToken(t string) error {") {
		t.Errorf("content %q", got)
	}

	for _, tc := range []struct {
		path   string
		status int
		has    string
	}{
		{"src/auth/", 200, "token.go"},
		{x.Root() + "/src/auth/token.go", 200, "token.go"},
		{"build", 200, `"unindexed":true`},
		{"logo.png", 200, `"results":[]`},
		{"src/aut", 404, "not_found"},
		{"src/auth/token.go/x", 404, "not_found"},
		{"link", 400, "invalid_path"},
		{"link/canary.go", 400, "invalid_path"},
		{"../shop-evil", 400, "invalid_path"},
		{x.Root() + "-evil", 400, "invalid_path"},
		{"/etc", 400, "invalid_path"},
		{`src\u0000`, 400, "invalid_path"},
		{strings.Repeat("d/", 2000), 404, "not_found"},
		{strings.Repeat("n", 300), 404, "not_found"},
	} {
		r := c.post(h, "/search", `{"query":"token canary","mode":"lexical","path":"`+tc.path+`"}`)
		if r.status != tc.status || !strings.Contains(string(r.body), tc.has) || strings.Contains(string(r.body), "CanaryToken") {
			t.Errorf("path %.40q: %d %s", tc.path, r.status, r.body)
		}
	}
	for _, body := range []string{`{"path":"link"}`, `{"paths":["src","../x"]}`, `{"path":"\u0000"}`} {
		if r := c.post(h, "/invalidate", body); r.status != 400 || !strings.Contains(string(r.body), "invalid_path") {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}

	for _, tc := range []struct {
		target string
		body   string
		status int
		has    string
	}{
		{"/search", `{"query":"vT","mode":"symbol"}`, 200, `"symbol":"ValidateToken"`},
		{"/search", `{"query":"auth.validatetoken","mode":"symbol"}`, 200, `"score":0.85`},
		{"/search", `{"query":"func \\w+\\(","mode":"regex"}`, 200, `"matches":2,"truncated":false`},
		{"/search", `{"query":"token","mode":"regex","limit":1}`, 200, `"truncated":true,"truncated_by":["limit"]`},
		{"/search", `{"query":"Token\\(","mode":"regex","kind":"function","glob":["*.go","!authz"]}`, 200, `"matches":1,`},
		{"/search", `{"query":"func(","mode":"regex"}`, 400, "missing closing ): `func(`"},
		{"/search", `{"query":"a\\nb","mode":"regex"}`, 400, "line feed"},
		{"/search", `{"query":"a","glob":"{a,b"}`, 400, "invalid_pattern"},
		{"/search", `{"query":"a","without":"luck"}`, 400, "no signal"},
		{"/search", `{"query":"a","mode":"semantic"}`, 422, "no_vectors"},
		{"/search", `{"queries":["token","Allow"],"max_tokens":30}`, 200, `"truncated_by":["max_tokens"]`},
		{"/related", `{"file":"src/auth/token.go","line":6}`, 422, "no_vectors"},
		{"/related", `{"file":"src/auth/token.go","line":60}`, 404, "ends at line 8"},
		{"/related", `{"file":"logo.png","line":1}`, 404, "binary"},
	} {
		if r := c.post(h, tc.target, tc.body); r.status != tc.status || !strings.Contains(string(r.body), tc.has) {
			t.Errorf("%s %s: %d %s", tc.target, tc.body, r.status, r.body)
		}
	}

	// A new file is found when invalidate returns.
	if err := os.WriteFile(filepath.Join(x.Root(), "src", "refund.go"), []byte("package src\n\nfunc RefundCustomer() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := c.post(h, "/invalidate", `{"path":"src/refund.go","wait":true}`); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if results, err := client.search("refund customer", 5, ""); err != nil || len(results) == 0 || *results[0].File != "src/refund.go" {
		t.Errorf("%v %v", results, err)
	}
	var st wire.Status
	r := c.get(h, "/status")
	r.decode(t, &st)
	if st.Coverage.Indexed+st.Coverage.Skipped < 4 || st.Model != nil || st.Index.Files != st.Coverage.Indexed {
		t.Errorf("%s", r.body)
	}
}
