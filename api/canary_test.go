package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
)

// A canary is a project with words around it that no answer may hold: in the folder next to
// it whose name begins with its own, in files that its links lead to, in files whose names
// stand for secrets, in the folder of git, and in a key that an indexed file has.
type canary struct {
	root  string            // of the project
	words map[string]string // by the word, in small letters: where it is
	codes map[string]bool   // that an error may have
	found []string          // answers that no client should have got
	tries int
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &canary{root: filepath.Join(dir, "root"), words: map[string]string{}, codes: map[string]bool{}}
	doc, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range doc.Components.Schemas["Problem"].Value.Properties["error"].Value.Enum {
		c.codes[fmt.Sprint(code)] = true
	}
	word := func(where string) string {
		b := make([]byte, 8)
		_, _ = rand.Read(b) // it never fails
		w := "canary" + hex.EncodeToString(b)
		c.words[w] = where
		return w
	}
	key := make([]byte, 18)
	_, _ = rand.Read(key)
	c.words[hex.EncodeToString(key)] = "the key in keys.go"
	for name, text := range map[string]string{
		"root/a.go":                 "package a\n\nimport \"fmt\"\n\n// Alpha calls Beta.\nfunc Alpha() { Beta() }\n\n// Beta prints.\nfunc Beta() { fmt.Println(\"beta\") }\n",
		"root/sub/b.go":             "package sub\n\n// Gamma is alone.\nfunc Gamma() int { return 1 }\n",
		"root/keys.go":              "package a\n\n// Deploy has a key that stands in its source.\nfunc Deploy() string { return \"ghp_" + hex.EncodeToString(key) + "\" }\n",
		"root/swap.go":              "package a\n\nfunc Swap() {}\n",
		"root/swapped/a.go":         "package swapped\n\nfunc Swapped() {}\n",
		"root/.env":                 "PASSWORD=" + word(".env") + "\n",
		"root/sub/.env.local":       "PASSWORD=" + word(".env.local") + "\n",
		"root/id_rsa":               word("id_rsa") + "\n",
		"root/.git/config":          "[user]\n\tname = " + word(".git/config") + "\n",
		"root/.git/HEAD":            "ref: refs/heads/" + word(".git/HEAD") + "\n",
		"root/.gitignore":           "ignored/\n",
		"root/ignored/x.go":         "package ignored // " + word("an ignored file") + "\n",
		"root-sibling/secret.go":    "package sibling\n\nfunc Secret() { " + word("the sibling") + "() }\n",
		"root-sibling/a.go":         "package sibling\n\nfunc Alpha() { " + word("the sibling's a.go") + "() }\n",
		"outside/secret.txt":        word("outside") + "\n",
		"outside/folder/further.go": "package further // " + word("outside, further down") + "\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"link.go": "../root-sibling/secret.go", "abs.txt": filepath.Join(dir, "outside", "secret.txt"), "linked": "../root-sibling",
		"sub/up": "../..", "env.txt": ".env", "git.txt": ".git/config", "proc.txt": "/proc/self/environ", "gitdir": ".git",
	} {
		if err := os.Symlink(to, filepath.Join(c.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if env, err := os.ReadFile("/proc/self/environ"); err == nil {
		first, _, _ := bytes.Cut(env, []byte{0})
		if len(first) > 12 {
			c.words[strings.ToLower(string(first))] = "/proc/self/environ"
		}
	}
	return c
}

// open returns a server of the project, whose index is built and follows what it is told.
func (c *canary) open(t *testing.T) *Server {
	t.Helper()
	x, err := index.Open(c.root, index.Options{Workers: 1})
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
	if err := x.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, x, Options{Limits: Limits{Queue: 1000}, Diff: func(context.Context, string, string) (string, error) {
		return diffOf("../root-sibling/secret.go") + diffOf(".env") + diffOf("link.go"), nil
	}})
	if r := newChecker(t).post(s.Handler(), "/invalidate", `{"all":true,"wait":true}`); r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}
	return s
}

// traps are paths to all places that hold a word, in every form that a gate may have
// forgotten. The first few are enough where a field takes no path.
func (c *canary) traps() []string {
	dir := filepath.Dir(c.root)
	sibling := c.root + "-sibling"
	all := []string{
		"../root-sibling/secret.go", sibling + "/secret.go", "link.go", ".env", ".git/config", "linked/a.go", "env.txt", "proc.txt",
		"../outside/secret.txt", "../outside", "..", "../root-sibling", "sub/../../outside/secret.txt", "./../root-sibling/secret.go",
		"a/../../x", "a/../../root-sibling/a.go", "a.go/../../outside/secret.txt", "../root/../root-sibling/a.go",
		dir, sibling, dir + "/outside/secret.txt", c.root + "/../outside/secret.txt", c.root + "/link.go", c.root + "/.env",
		"linked", "linked/", "linked/secret.go", "abs.txt", "sub/up", "sub/up/outside/secret.txt", "sub/up/root/.env", "git.txt",
		"gitdir/config", "gitdir/HEAD", "LINK.GO", "Linked/secret.go", strings.ToUpper(c.root) + "/a.go", c.root + "/sub/../.env",
		".ENV", "./.env", "sub/.env.local", "sub/../.env", "id_rsa", "ID_RSA", ".env/", ".env::$DATA", ".git", ".GIT/config", ".git/HEAD", "sub/../.git/config", c.root + "/.git/config",
		"ignored/x.go", "ignored", "a.go\x00", "\x00", ".env\x00.go", "x\x00/../../root-sibling/a.go", `..\root-sibling\secret.go`, `sub\..\..\outside\secret.txt`,
		"%2e%2e/root-sibling/secret.go", "..%2froot-sibling%2fsecret.go", "%2e%2e%2foutside%2fsecret.txt", "..%c0%afoutside", "..;/outside/secret.txt", "....//outside/secret.txt",
		"file://" + dir + "/outside/secret.txt", "file:///proc/self/environ", "/proc/self/environ", "/proc/self/cwd/../../etc/passwd", "/proc/self/root" + dir + "/outside/secret.txt",
		"//" + dir + "/outside/secret.txt", "~/.ssh/id_rsa", "$HOME/.netrc", strings.Repeat("a/", 1800) + "../" + "x", strings.Repeat("../", 1300) + "etc/passwd", strings.Repeat("n", 300),
		"**", "../**", "*", ".env*", ".git/**", "{.env,../outside/*}", "/**", "canary", "(?i)canary.*",
	}
	if testing.Short() {
		return all[:fewTraps]
	}
	return all
}

const fewTraps = 9

// clean notes what an answer holds that it should not.
func (c *canary) clean(what string, body []byte) {
	c.tries++
	low := bytes.ToLower(body)
	for w, where := range c.words {
		if bytes.Contains(low, []byte(w)) {
			c.found = append(c.found, fmt.Sprintf("%s: the answer holds the word of %s: %.300s", what, where, body))
		}
	}
}

// ask sends a request and judges the answer.
func (c *canary) ask(h http.Handler, what string, r *http.Request) *httptest.ResponseRecorder {
	if !strings.HasPrefix(r.URL.Path, "/events") {
		ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
		defer cancel()
		r = r.WithContext(ctx)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body := w.Body.Bytes()
	c.clean(what, body)
	var p wire.Problem
	var tool wire.ToolResult // whose error is the sentence
	switch {
	case w.Code < 500 && strings.HasPrefix(r.URL.Path, "/tools/") && json.Unmarshal(body, &tool) == nil && c.codes[tool.Code]:
	case w.Code >= 500 && !strings.HasPrefix(what, "GET /ready"):
		c.found = append(c.found, fmt.Sprintf("%s: %d %.300s", what, w.Code, body))
	case w.Code >= 400 && json.Unmarshal(body, &p) == nil && !c.codes[p.Code]:
		c.found = append(c.found, fmt.Sprintf("%s: the code %q of %d is none", what, p.Code, w.Code))
	}
	return w
}

// report fails the test with what was found.
func (c *canary) report(t *testing.T) {
	t.Helper()
	for i, f := range c.found {
		if i == 20 {
			t.Errorf("and %d more", len(c.found)-i)
			break
		}
		t.Error(f)
	}
	t.Logf("%d tries", c.tries)
}
