package suite

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	many := file("many.json", `[{"name":"a","language":"go","root":".","queries":[{"query":"x","category":"c","targets":[{"path":"x.go"}]}]},
		{"name":"b","root":"src","queries":[]}]`)
	one := file("one.json", ` {"name":"a","root":"","queries":[{"query":"y","targets":[{"path":"y.go","start_line":3,"end_line":4}]}]}`)
	got, err := Read(many, one)
	if err != nil {
		t.Fatal(err)
	}
	want := Suite{
		{Name: "a", Language: "go", Root: ".", Queries: []Query{
			{Text: "x", Category: "c", Targets: []Target{{Path: "x.go"}}},
			{Text: "y", Targets: []Target{{"y.go", 3, 4}}},
		}},
		{Name: "b", Root: "src", Queries: []Query{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// What is written is read again as it was.
	var written bytes.Buffer
	if err := got.Write(&written); err != nil {
		t.Fatal(err)
	}
	again, err := Read(file("again.json", written.String()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Error(diff)
	}

	query := func(q string) string { return `{"name":"a","queries":[` + q + `]}` }
	for text, want := range map[string]string{
		"[]":                       "it is empty",
		"[":                        "unexpected end",
		`{"name":"../a"}`:          `"../a" is not the name of a folder`,
		`{"name":"a","root":"/b"}`: "is not below the repository",
		`[{"name":"a","root":"b"},{"name":"a","root":"c"}]`:    `a has the roots "b" and "c"`,
		query(`{"query":"x"}`):                                 "question 1 has no text or no target",
		query(`{"query":"","targets":[{"path":"x"}]}`):         "question 1 has no text or no target",
		query(`{"query":"x","targets":[{"path":"./x"}]}`):      `the target "./x" is not a path`,
		query(`{"query":"x","targets":[{"path":"../a/x.c"}]}`): `the target "../a/x.c" is not a path`,
	} {
		if _, err := Read(file("bad.json", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(filepath.Join(dir, "none.json")); err == nil {
		t.Error("a file that is not there is read")
	}
}

func TestHolds(t *testing.T) {
	for _, test := range []struct {
		target    Target
		file      string
		line, end int
		want      bool
	}{
		{Target{Path: "a"}, "a", 5, 9, true},
		{Target{Path: "a"}, "b", 5, 9, false},
		{Target{"a", 9, 20}, "a", 5, 9, true},
		{Target{"a", 1, 4}, "a", 5, 9, false},
		{Target{"a", 10, 20}, "a", 5, 9, false},
		{Target{"a", 6, 7}, "a", 5, 9, true},
		{Target{"a", 7, 0}, "a", 5, 9, true}, // one line
		{Target{"a", 4, 0}, "a", 5, 9, false},
	} {
		if got := test.target.Holds(test.file, test.line, test.end); got != test.want {
			t.Errorf("%+v, %s:%d-%d: %v", test.target, test.file, test.line, test.end, got)
		}
	}
}

func TestQuestion(t *testing.T) {
	for subject, want := range map[string]string{
		"fix(router): keep the trailing slash of routes (#123)": "keep the trailing slash of routes",
		"net/http: reject headers with a NUL byte":              "reject headers with a NUL byte",
		"[client] Retry idempotent requests once. Fixes #9":     "Retry idempotent requests once",
		"feat!: close idle connections after a minute":          "close idle connections after a minute",
		"Handle C# files with a byte order mark (GH-77)":        "Handle C# files with a byte order mark",
		"Note: two words":                                "",
		"fix typo in the message of the parser":          "",
		"docs: explain how the cache is filled":          "",
		"Bump golang.org/x/net from 0.1.0 to 0.2.0":      "",
		"Release 1.2.3 of all the packages":              "",
		strings.Repeat("word ", 15):                      "",
		strings.Repeat("word ", 14):                      strings.TrimSpace(strings.Repeat("word ", 14)),
		"keep the context of a request that is hijacked": "keep the context of a request that is hijacked",
	} {
		if got, ok := question(subject); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", subject, got, ok, want)
		}
	}
}

func TestSentence(t *testing.T) {
	for _, test := range []struct{ doc, name, want string }{
		{"Open reads the file and checks its magic. Then it stops.", "Open", "reads the file and checks its magic"},
		{"Reads the file, e.g. twice, and\nchecks it.\n\nMore.", "Open", "Reads the file, e.g. twice, and checks it"},
		{"Too short for this.", "Open", ""},
		{"See https://example.org for how this one is done.", "Open", ""},
		{"x = a[i] * b[j] + c[k] - d[l] / (2 * 4)", "Open", ""},
		{"", "Open", ""},
	} {
		if got, ok := sentence(test.doc, test.name); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%q: %q, %v, want %q", test.doc, got, ok, test.want)
		}
	}
}

// grow makes the repository of an archive, commit by commit.
func grow(t *testing.T, archive *txtar.Archive, dir string) {
	t.Helper()
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{
			"-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	all := fstest.MapFS{}
	for _, f := range archive.Files {
		all[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	git("init", "-q")
	for _, n := range []string{"1", "2", "3", "4"} {
		tree, err := fs.Sub(all, n)
		if err != nil {
			t.Fatal(err)
		}
		subject, err := fs.ReadFile(tree, "SUBJECT")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, tree); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, "SUBJECT")); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", strings.TrimSpace(string(subject)))
	}
}

func TestMake(t *testing.T) {
	golden := filepath.Join("testdata", "make.txtar")
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "pages")
	grow(t, archive, dir)
	made := func(opt Options) Repository {
		r, err := Make(t.Context(), dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all := made(Options{})
	if len(all.Revision) != 40 {
		t.Errorf("revision %q", all.Revision)
	}
	shown := all
	shown.Revision = "" // differs with the time of the commits
	var got bytes.Buffer
	if err := (Suite{shown}).Write(&got); err != nil {
		t.Fatal(err)
	}
	want := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	if *update {
		archive.Files[want].Data = got.Bytes()
		if err := os.WriteFile(golden, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(archive.Files[want].Data), got.String()); diff != "" {
		t.Error(diff)
	}

	// The same questions again, a bounded number of them, of all kinds.
	if diff := cmp.Diff(all, made(Options{})); diff != "" {
		t.Errorf("the second time: %s", diff)
	}
	few := made(Options{Questions: 3})
	kinds := map[string]bool{}
	for _, q := range few.Queries {
		kinds[q.Category] = true
		if !slices.ContainsFunc(all.Queries, func(a Query) bool { return cmp.Equal(a, q) }) {
			t.Errorf("%q is not among all questions", q.Text)
		}
	}
	if names := slices.Sorted(maps.Keys(kinds)); len(few.Queries) != 3 || len(names) != 3 {
		t.Errorf("3 questions: %d, of %v", len(few.Queries), names)
	}
	seeds := map[string]bool{}
	for seed := range uint64(8) {
		seeds[made(Options{Questions: 1, Seed: seed}).Queries[0].Text] = true
	}
	if len(seeds) < 2 {
		t.Errorf("eight seeds draw the same question: %v", seeds)
	}

	// Outside a work tree there are no commits, and that is no error.
	plain := t.TempDir()
	if err := os.CopyFS(plain, os.DirFS(filepath.Join(dir, "client"))); err != nil {
		t.Fatal(err)
	}
	r, err := Make(t.Context(), plain, Options{})
	if err != nil || slices.ContainsFunc(r.Queries, func(q Query) bool { return q.Category == FromCommit }) {
		t.Errorf("without git: %+v, %v", r, err)
	}
	if _, err := Make(t.Context(), t.TempDir(), Options{}); err == nil {
		t.Error("questions are made from nothing")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Make(ctx, dir, Options{}); err == nil {
		t.Error("the context is not heeded")
	}
}
