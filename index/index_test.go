package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/static"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model is the built-in one; loading it takes long enough to do it once.
var model = sync.OnceValues(static.New)

func open(t testing.TB, root string) *Index {
	t.Helper()
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(root, Options{Embedder: m})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func build(t testing.TB, root string) *Index {
	t.Helper()
	x := open(t, root)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x
}

func write(t testing.TB, root, name, text string) {
	t.Helper()
	p := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func search(t testing.TB, x *Index, q Query) []Result {
	t.Helper()
	a, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a.Results
}

// unpack writes the files of an archive to a new folder.
func unpack(t testing.TB, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, f := range a.Files {
		write(t, root, f.Name, string(f.Data))
	}
	return root
}

// TestSearch asks the questions in the comment of testdata/search.txtar of the
// files in it. A line is: question -> file:line symbol.
func TestSearch(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	a, err := txtar.ParseFile("testdata/search.txtar")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range strings.Lines(string(a.Comment)) {
		question, want, ok := strings.Cut(strings.TrimSpace(line), " -> ")
		if !ok {
			continue
		}
		asked++
		results := search(t, x, Query{Text: question})
		got := "nothing"
		if len(results) > 0 {
			r := results[0]
			got = strings.TrimSpace(fmt.Sprintf("%s:%d %s", r.File, r.Line, r.Symbol))
		}
		if got != want {
			t.Errorf("%q gives %s, want %s", question, got, want)
		}
		valid(t, results)
	}
	if asked < 10 {
		t.Fatalf("only %d questions", asked)
	}
}

// valid holds what every list of results promises.
func valid(t testing.TB, results []Result) {
	t.Helper()
	last := 1.0
	for _, r := range results {
		if r.File == "" || r.Content == "" || r.Signature == "" || r.Line < 1 || r.EndLine < r.Line {
			t.Errorf("incomplete result %+v", r)
		}
		if len(r.Content) > 2000 {
			t.Errorf("%s: content of %d bytes", r.File, len(r.Content))
		}
		if r.Score <= 0 || r.Score > last {
			t.Errorf("%s: score %v after %v", r.File, r.Score, last)
		}
		if strings.ContainsAny(r.Signature, "\n\r") {
			t.Errorf("%s: signature of several lines %q", r.File, r.Signature)
		}
		last = r.Score
	}
}

// TestContentIsWhereItSays compares the content of every result with the lines
// of the file (trap T5: it begins with the line of the definition).
func TestContentIsWhereItSays(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	x := build(t, root)
	for _, question := range []string{"token", "open the store", "Push", "retry", "settings", "validateToken", "queue item"} {
		for _, r := range search(t, x, Query{Text: question, PerFile: 10, Limit: 100}) {
			text, err := os.ReadFile(filepath.Join(root, r.File))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(text), "\n")
			want := strings.TrimRight(strings.Join(lines[r.Line-1:r.EndLine], "\n"), " \t\n")
			if r.Content != want {
				t.Errorf("%s:%d-%d (-file +content):\n%s", r.File, r.Line, r.EndLine, gocmp.Diff(want, r.Content))
			}
			first, _, _ := strings.Cut(strings.TrimSpace(r.Content), "\n")
			if r.Role == RoleDefinition && !strings.Contains(first, r.Symbol) {
				t.Errorf("%s:%d begins with %q, not with %s", r.File, r.Line, first, r.Symbol)
			}
		}
	}
}

func TestFilters(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	for _, test := range []struct {
		name string
		q    Query
		all  func(Result) bool
		any  bool
	}{
		{"folder", Query{Text: "token", Path: "web"}, func(r Result) bool { return strings.HasPrefix(r.File, "web/") }, true},
		{"folder with slash", Query{Text: "token", Path: "web/"}, func(r Result) bool { return strings.HasPrefix(r.File, "web/") }, true},
		{"prefix of a folder's name", Query{Text: "token", Path: "we"}, nil, false},
		{"file", Query{Text: "token", Path: "web/auth.ts"}, func(r Result) bool { return r.File == "web/auth.ts" }, true},
		{"language", Query{Text: "token", Lang: "python"}, func(r Result) bool { return r.Lang == "python" }, true},
		{"role", Query{Text: "token", Role: RoleTest}, func(r Result) bool { return r.Role == RoleTest }, true},
		{"symbol", Query{Text: "anything at all", Symbol: "VALIDATETOKEN"}, func(r Result) bool { return r.Symbol == "validateToken" }, true},
		{"lexical", Query{Text: "token", Mode: Lexical}, func(Result) bool { return true }, true},
		{"semantic", Query{Text: "check a credential", Mode: Semantic}, func(Result) bool { return true }, true},
		{"score", Query{Text: "token", MinScore: 0.999}, nil, false},
		{"unknown language", Query{Text: "token", Lang: "cobol"}, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.q.PerFile, test.q.Limit = 5, 50
			results := search(t, x, test.q)
			valid(t, results)
			if len(results) > 0 != test.any {
				t.Fatalf("%d results", len(results))
			}
			for _, r := range results {
				if !test.all(r) {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func TestLimitAndPerFile(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	a, err := x.Search(t.Context(), Query{Text: "token", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Results) != 1 || !a.Truncated || a.Matches < 2 {
		t.Errorf("%d results, truncated %v, matches %d", len(a.Results), a.Truncated, a.Matches)
	}
	seen := map[string]bool{}
	for _, r := range search(t, x, Query{Text: "token", Limit: 50}) {
		if seen[r.File] {
			t.Errorf("%s comes twice", r.File)
		}
		seen[r.File] = true
	}
}

func TestNothingFoundIsNotNil(t *testing.T) {
	x := open(t, t.TempDir())
	a, err := x.Search(t.Context(), Query{Text: "anything"})
	if err != nil || a.Results == nil || len(a.Results) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if a.State.State != Indexing || a.State.Freshness != Unknown {
		t.Errorf("before the first build: %+v", a.State)
	}
}

func TestOpenRefuses(t *testing.T) {
	root := t.TempDir()
	write(t, root, "file", "x")
	if _, err := Open(filepath.Join(root, "none"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a root that does not exist: %v", err)
	}
	if _, err := Open(filepath.Join(root, "file"), Options{}); err == nil {
		t.Error("a root that is a file was taken")
	}
}

// TestCoverage counts every file exactly once and gives each reason.
func TestCoverage(t *testing.T) {
	root := t.TempDir()
	write(t, root, "main.go", "package main\n\nfunc main() {}\n")
	write(t, root, "notes.unknown", "plain words\n")
	write(t, root, "broken.go", "package main\n\nfunc {{{ \n")
	write(t, root, "image.dat", "a\x00b")
	write(t, root, "latin.txt", "caf\xe9\n")
	write(t, root, "line.js", strings.Repeat("x", 1<<20))
	write(t, root, "large.txt", strings.Repeat("word \n", 1<<19))
	write(t, root, ".env", "PASSWORD=1\n")
	write(t, root, "pb.go", "// Code generated by hand. DO NOT EDIT.\npackage main\n")
	write(t, root, ".quarryignore", "ignored.txt\n")
	write(t, root, "ignored.txt", "x\n")
	if err := os.Symlink("/etc/hostname", filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	x := build(t, root)
	s := x.Status(100)
	got := map[string]string{}
	for _, f := range s.Coverage.Files {
		got[f.Path] = f.Reason
	}
	want := map[string]string{
		"image.dat": "binary", "latin.txt": "not_utf8", "line.js": "long_line", "large.txt": "oversized", ".env": "secret",
		"pb.go": "generated", "out": "symlink", "loop": "symlink",
	}
	if got["line.js"] == "minified" {
		want["line.js"] = "minified"
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	total := 0
	for _, n := range s.Coverage.Reasons {
		total += n
	}
	if total != len(want) || s.Coverage.Skipped != len(want) || s.Coverage.Truncated {
		t.Errorf("coverage %+v", s.Coverage)
	}
	// main.go, notes.unknown, broken.go and .quarryignore itself.
	if s.Coverage.Indexed != 4 || s.Coverage.Errors != 1 || s.Coverage.Languages["go"] != 2 {
		t.Errorf("coverage %+v", s.Coverage)
	}
	if short := x.Status(2).Coverage; len(short.Files) != 2 || !short.Truncated {
		t.Errorf("two of them: %+v", short)
	}
	for _, r := range search(t, x, Query{Text: "PASSWORD"}) {
		if r.File == ".env" {
			t.Error("a secret was found")
		}
	}
}

func TestUpdate(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc Alpha() {}\n")
	write(t, root, "dir/b.go", "package b\n\nfunc Beta() {}\n")
	x := build(t, root)
	update := func(want Report, paths ...string) {
		t.Helper()
		got, err := x.Update(t.Context(), paths)
		if err != nil {
			t.Fatal(err)
		}
		got.Generation, got.Chunks, got.Embedded = 0, 0, 0
		if got != want {
			t.Errorf("updating %v: %+v, want %+v", paths, got, want)
		}
	}
	found := func(name, file string) {
		t.Helper()
		results := search(t, x, Query{Text: name, Symbol: name})
		got := ""
		if len(results) > 0 {
			got = results[0].File
		}
		if got != file {
			t.Errorf("%s is found in %q, want %q", name, got, file)
		}
	}
	found("Alpha", "a.go")

	write(t, root, "a.go", "package a\n\nfunc Gamma() {}\n")
	update(Report{Changed: 1}, "a.go")
	found("Alpha", "")
	found("Gamma", "a.go")
	update(Report{Unchanged: 1}, filepath.Join(root, "a.go"))

	if err := os.Rename(filepath.Join(root, "dir"), filepath.Join(root, "moved")); err != nil {
		t.Fatal(err)
	}
	update(Report{Added: 1, Removed: 1}, "dir", "moved")
	found("Beta", "moved/b.go")

	if err := os.Remove(filepath.Join(root, "a.go")); err != nil {
		t.Fatal(err)
	}
	update(Report{Removed: 1}, "a.go")
	found("Gamma", "")
	update(Report{}, "never/was/there.go")

	write(t, root, "moved/b.go", "package b\x00")
	update(Report{Removed: 1, Skipped: 1}, "moved/b.go")
	found("Beta", "")
	write(t, root, "moved/b.go", "package b\n\nfunc Beta() {}\n")
	update(Report{Added: 1}, "moved/b.go")
	found("Beta", "moved/b.go")

	write(t, root, ".quarryignore", "moved\n")
	update(Report{Added: 1, Removed: 1}, ".quarryignore")
	found("Beta", "")

	if _, err := x.Update(t.Context(), []string{"../elsewhere"}); !errors.Is(err, ErrOutside) {
		t.Errorf("outside: %v", err)
	}
	if s := x.State(); s.State != Ready || s.Pending != 0 || s.Freshness != Fresh || s.Vectors != 1 {
		t.Errorf("%+v", s)
	}
}

// TestFolderBecomesLink replaces a folder by a link to another one.
func TestFolderBecomesLink(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a/x.go", "package a\n\nfunc Alpha() {}\n")
	write(t, root, "b/x.go", "package b\n\nfunc Beta() {}\n")
	x := build(t, root)
	if err := os.RemoveAll(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b", filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Update(t.Context(), []string{"a", "a/x.go"}); err != nil {
		t.Fatal(err)
	}
	same(t, x)
}

// TestRootIsLostAndFound deletes the root: what was indexed stays and the state
// says that something is wrong; when the root is back, so is everything.
func TestRootIsLostAndFound(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	write(t, root, "a.go", "package a\n\nfunc Alpha() {}\n")
	x := build(t, root)
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Build(t.Context(), nil); err == nil {
		t.Error("building without a root succeeded")
	}
	if s := x.State(); s.State != Failed || s.Files != 1 || s.Freshness != Unknown {
		t.Errorf("%+v", s)
	}
	write(t, root, "b.go", "package b\n\nfunc Beta() {}\n")
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	same(t, x)
}

// TestVectorsAreTakenOver edits one function of many: only its chunk is
// computed again.
func TestVectorsAreTakenOver(t *testing.T) {
	root := t.TempDir()
	text := func(word string) string {
		var b strings.Builder
		b.WriteString("package a\n\n")
		for i := range 20 {
			fmt.Fprintf(&b, "func F%d() {\n", i)
			for j := range 20 {
				fmt.Fprintf(&b, "\tstep(%d, %d, %q)\n", i, j, "some words to fill it")
			}
			if i == 7 {
				b.WriteString("\t" + word + "()\n")
			}
			b.WriteString("}\n\n")
		}
		return b.String()
	}
	write(t, root, "a.go", text("before"))
	x := build(t, root)
	chunks := x.State().Chunks
	write(t, root, "a.go", text("afterwards"))
	report, err := x.Update(t.Context(), []string{"a.go"})
	if err != nil {
		t.Fatal(err)
	}
	if chunks < 20 || report.Chunks != chunks || report.Embedded != 1 {
		t.Errorf("of %d chunks %d were made and %d computed", chunks, report.Chunks, report.Embedded)
	}
	same(t, x)
}

// dump describes the whole index without what may differ between two that are
// equal: ids and times.
func dump(x *Index) map[string]string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := map[string]string{}
	for path, r := range x.table.files {
		var b strings.Builder
		fmt.Fprintf(&b, "%d bytes %x %s %d refs\n", r.size, r.hash, r.lang, r.refs)
		for _, s := range r.symbols {
			fmt.Fprintf(&b, "%+v\n", s)
		}
		for i := range r.pieces {
			p := r.pieces[i]
			fmt.Fprintf(&b, "%v", x.table.vectors.Vector(p.id))
			if at := x.table.chunks[p.id]; at.record != r || int(at.piece) != i {
				b.WriteString(" astray")
			}
			p.id = 0
			fmt.Fprintf(&b, " %+v\n", p)
		}
		out[path] = b.String()
	}
	for path, s := range x.table.skips {
		out["skipped "+path] = string(s.Reason)
	}
	out["totals"] = fmt.Sprint(x.table.symbols, x.table.refs, x.table.bytes, x.table.count, x.table.words.Len(), x.table.vectors.Len())
	var names []uint64
	for h, d := range x.table.names {
		names = append(names, h, uint64(len(d)))
	}
	slices.Sort(names)
	out["names"] = fmt.Sprint(names)
	return out
}

// same compares an index with one built afresh, chunk for chunk, and by the
// answers, scores included.
func same(t *testing.T, x *Index) {
	t.Helper()
	fresh := build(t, x.Root())
	if diff := gocmp.Diff(dump(fresh), dump(x)); diff != "" {
		t.Fatalf("the index differs from a fresh one (-fresh +index):\n%.3000s", diff)
	}
	for _, question := range []string{"thing3 thing5", "thing1", "return the value", "x"} {
		want, got := search(t, fresh, Query{Text: question, Limit: 30}), search(t, x, Query{Text: question, Limit: 30})
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-fresh +index):\n%s", question, diff)
		}
	}
	if s := x.State(); s.Vectors != 1 || s.Pending != 0 || s.Chunks != fresh.State().Chunks {
		t.Fatalf("state %+v, of a fresh one %+v", s, fresh.State())
	}
}

// TestRandomEdits writes, deletes, moves and ignores files at random; after
// each round the index must equal a fresh one.
func TestRandomEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	root := t.TempDir()
	text := func(ext string) string {
		var b strings.Builder
		for range r.IntN(30) {
			name := fmt.Sprintf("thing%d", r.IntN(12))
			switch ext {
			case ".go":
				fmt.Fprintf(&b, "// %s returns the value.\nfunc %s() int { return %s(%d) }\n\n", name, name, name, r.IntN(100))
			case ".py":
				fmt.Fprintf(&b, "def %s(x):\n    return x.%s()\n\n", name, name)
			default:
				fmt.Fprintf(&b, "%s and more words\n\n", name)
			}
		}
		if r.IntN(12) == 0 {
			b.WriteString("\x00")
		}
		return b.String()
	}
	name := func() string {
		ext := []string{".go", ".py", ".txt", ".md"}[r.IntN(4)]
		return fmt.Sprintf("%s/f%d%s", []string{"a", "b", "a/c"}[r.IntN(3)], r.IntN(8), ext)
	}
	for range 30 {
		n := name()
		write(t, root, n, text(filepath.Ext(n)))
	}
	x := build(t, root)
	for round := range 25 {
		var touched []string
		for range 1 + r.IntN(12) {
			n := name()
			p := filepath.Join(root, n)
			touched = append(touched, n)
			switch r.IntN(6) {
			case 0:
				if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
			case 1:
				m := name()
				touched = append(touched, m)
				if err := os.MkdirAll(filepath.Join(root, filepath.Dir(m)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(p, filepath.Join(root, m)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
			case 2:
				if r.IntN(4) == 0 {
					touched = append(touched, ".quarryignore")
					write(t, root, ".quarryignore", fmt.Sprintf("f%d.*\n", r.IntN(8)))
				}
			default:
				write(t, root, n, text(filepath.Ext(n)))
			}
		}
		var err error
		if round%5 == 4 {
			_, err = x.Build(t.Context(), nil)
		} else {
			_, err = x.Update(t.Context(), touched)
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, x)
	}
}

// TestThousandFiles changes a thousand files of fifteen hundred at once.
func TestThousandFiles(t *testing.T) {
	root := t.TempDir()
	name := func(i int) string { return fmt.Sprintf("d%d/f%d.go", i%40, i) }
	text := func(i int, word string) string {
		return fmt.Sprintf("package d\n\n// %s is thing%d.\nfunc %s%d() int {\n\treturn thing%d()\n}\n", word, i%12, word, i, i%7)
	}
	for i := range 1500 {
		write(t, root, name(i), text(i, "before"))
	}
	x := build(t, root)
	var touched []string
	for i := range 1000 {
		write(t, root, name(i), text(i, "afterwards"))
		touched = append(touched, name(i))
	}
	report, err := x.Update(t.Context(), touched)
	if err != nil {
		t.Fatal(err)
	}
	if report.Changed != 1000 || report.Removed != 0 || report.Added != 0 {
		t.Errorf("%+v", report)
	}
	same(t, x)
	if r := search(t, x, Query{Text: "afterwards999", Symbol: "afterwards999"}); len(r) != 1 || r[0].File != name(999) {
		t.Errorf("%+v", r)
	}
	if r := search(t, x, Query{Text: "before999", Symbol: "before999"}); len(r) != 0 {
		t.Errorf("what is gone is found: %+v", r)
	}
}

// TestBuildSeesAWriteWithinOneTick writes twice with the same size and the same
// time stamp: size and time alone would not tell.
func TestBuildSeesAWriteWithinOneTick(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.txt", "alpha\n")
	now := time.Now()
	if err := os.Chtimes(filepath.Join(root, "a.txt"), now, now); err != nil {
		t.Fatal(err)
	}
	x := build(t, root)
	write(t, root, "a.txt", "omega\n")
	if err := os.Chtimes(filepath.Join(root, "a.txt"), now, now); err != nil {
		t.Fatal(err)
	}
	report, err := x.Build(t.Context(), nil)
	if err != nil || report.Changed != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestOldAndNewAreNeverSeenTogether rewrites a file of two chunks, each with
// the version in it, while others search.
func TestOldAndNewAreNeverSeenTogether(t *testing.T) {
	root := t.TempDir()
	text := func(version int) string {
		filler := strings.Repeat("\tfill(\"with words enough for a chunk of its own\")\n", 20)
		return fmt.Sprintf("package a\n\nfunc First() {\n\tmarker(v%d)\n%s}\n\nfunc Second() {\n\tmarker(v%d)\n%s}\n", version, filler, version, filler)
	}
	write(t, root, "a.go", text(1))
	x := build(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for ctx.Err() == nil {
				a, err := x.Search(t.Context(), Query{Text: "marker", PerFile: 5, Mode: Lexical})
				if err != nil {
					t.Error(err)
					return
				}
				versions := map[string]bool{}
				for _, r := range a.Results {
					_, v, _ := strings.Cut(r.Content, "marker(")
					v, _, _ = strings.Cut(v, ")")
					versions[v] = true
				}
				if len(a.Results) != 2 || len(versions) != 1 {
					t.Errorf("%d results of versions %v", len(a.Results), slices.Collect(maps.Keys(versions)))
					return
				}
			}
		})
	}
	for version := range 60 {
		write(t, root, "a.go", text(version+2))
		if _, err := x.Update(t.Context(), []string{"a.go"}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	group.Wait()
}

func TestRunInvalidateFlush(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc Alpha() {}\n")
	write(t, root, "sub/b.go", "package b\n\nfunc Beta() {}\n")
	x := open(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	var phases []string
	go func() {
		done <- x.Run(ctx, func(p Progress) { phases = append(phases, p.Phase) })
	}()
	flush := func(inv Invalidation, queued int) {
		t.Helper()
		n, _, err := x.Invalidate(inv)
		if err != nil || n != queued {
			t.Fatalf("%+v queued %d, %v", inv, n, err)
		}
		if err := x.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	flush(Invalidation{Paths: []string{"a.go"}}, 1)
	if s := x.State(); s.State != Ready || s.Files != 2 || s.Progress != 1 {
		t.Errorf("%+v", s)
	}
	write(t, root, "sub/b.go", "package b\n\nfunc Gamma() {}\n")
	flush(Invalidation{Pattern: "sub/**/*.go"}, 1)
	if len(search(t, x, Query{Text: "Gamma", Symbol: "Gamma"})) != 1 {
		t.Error("the pattern's file was not read again")
	}
	write(t, root, "c.go", "package c\n\nfunc Delta() {}\n")
	flush(Invalidation{All: true}, 2)
	before := x.State().Generation
	flush(Invalidation{All: true, Reset: true}, 3)
	if s := x.State(); s.Files != 3 {
		t.Errorf("%+v after generation %d", s, before)
	}
	for _, bad := range []Invalidation{{Paths: []string{"/etc/passwd"}}, {Paths: []string{"a.go", "../x"}}} {
		if _, _, err := x.Invalidate(bad); !errors.Is(err, ErrOutside) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, _, err := x.Invalidate(Invalidation{Pattern: "[a"}); !errors.Is(err, ErrPattern) {
		t.Errorf("a malformed pattern: %v", err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(phases) == 0 || phases[0] != "walk" {
		t.Errorf("phases %v", phases)
	}
	waiting, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, _, err := x.Invalidate(Invalidation{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := x.Flush(waiting); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Flush without Run: %v", err)
	}
	if s := x.State(); s.State != Stale || s.Pending == 0 || s.Freshness != Dated {
		t.Errorf("with work queued: %+v", s)
	}
}

// faulty fails to embed documents until it is mended.
type faulty struct {
	embed.Embedder
	broken bool
}

func (f *faulty) Documents(ctx context.Context, docs []embed.Document, dst []float32) error {
	if f.broken {
		return errors.New("the model is broken")
	}
	return f.Embedder.Documents(ctx, docs, dst)
}

// TestWordsGoOnWithoutVectors holds that a failing model costs only the vectors,
// that the state says so, and that the next build makes up for it.
func TestWordsGoOnWithoutVectors(t *testing.T) {
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	root := unpack(t, "testdata/search.txtar")
	f := &faulty{Embedder: m, broken: true}
	x, err := Open(root, Options{Embedder: f})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err == nil {
		t.Error("no error")
	}
	s := x.State()
	if s.State != Failed || s.Vectors != 0 || s.Files == 0 || !strings.Contains(x.Status(0).LastError, "broken") {
		t.Errorf("%+v, %s", s, x.Status(0).LastError)
	}
	if len(search(t, x, Query{Text: "validateToken"})) == 0 {
		t.Error("nothing is found")
	}
	f.broken = false
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if s := x.State(); s.State != Ready || s.Vectors != 1 {
		t.Errorf("mended: %+v", s)
	}
	same(t, x)
}

func TestNoEmbedder(t *testing.T) {
	x, err := Open(unpack(t, "testdata/search.txtar"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if len(search(t, x, Query{Text: "validateToken"})) == 0 {
		t.Error("nothing is found")
	}
	if s := x.Status(0); s.Model != nil || s.Vectors != 0 || s.State.State != Ready {
		t.Errorf("%+v", s)
	}
}

func TestCancelledBuildGoesOn(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	x := open(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Build(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if s := x.State(); s.State != Indexing {
		t.Errorf("%+v", s)
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	same(t, x)
}

func TestClosed(t *testing.T) {
	x, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Error(err)
	}
	if _, err := x.Search(t.Context(), Query{Text: "x"}); !errors.Is(err, ErrClosed) {
		t.Errorf("Search: %v", err)
	}
	if _, err := x.Build(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Build: %v", err)
	}
}

func TestKnows(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	for path, want := range map[string]bool{".": true, "web": true, "web/auth.ts": true, "we": false, "web/auth": false, "none": false} {
		if got := x.Knows(path); got != want {
			t.Errorf("Knows(%q) = %v", path, got)
		}
	}
}

func TestPackSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, size := range []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 5 * blockSize} {
		src := make([]byte, size)
		for i := range src {
			src[i] = byte('a' + r.IntN(4))
		}
		packed := pack(src)
		if string(packed.all()) != string(src) {
			t.Fatalf("%d bytes come back different", size)
		}
		for range 50 {
			from, to := r.IntN(size+1), r.IntN(size+1)
			from, to = min(from, to), max(from, to)
			if string(packed.slice(from, to)) != string(src[from:to]) {
				t.Fatalf("%d to %d of %d bytes come back different", from, to, size)
			}
		}
	}
}

// TestPurgeReusesIDs replaces files until ids come back, and compares.
func TestPurgeReusesIDs(t *testing.T) {
	root := t.TempDir()
	x := build(t, root)
	for round := range 12 {
		for i := range 150 {
			write(t, root, fmt.Sprintf("f%d.txt", i), fmt.Sprintf("thing%d round%d words\n", i%12, round))
		}
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(x.table.chunks); n > 150*12-1 {
		t.Errorf("%d ids for 150 chunks: none was used again", n)
	}
	same(t, x)
}

func TestDeterministicAnswers(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	want := search(t, build(t, root), Query{Text: "open a token store", Limit: 50})
	for range 5 {
		if diff := gocmp.Diff(want, search(t, build(t, root), Query{Text: "open a token store", Limit: 50})); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	}
	if !slices.IsSortedFunc(want, func(a, b Result) int { return cmp.Compare(b.Score, a.Score) }) || math.IsNaN(want[0].Score) {
		t.Error("not sorted")
	}
}
