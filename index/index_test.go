package index

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/embed/static"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "parse-worker" { // of a ParserPool of the tests
		if err := ServeParser(ending{os.Stdin}, os.Stdout, 512<<20, slices.Contains(os.Args, "library")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

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

func searchFor(t testing.TB, x *Index, q search.Query) []search.Result {
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
		results := searchFor(t, x, search.Query{Text: question})
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
func valid(t testing.TB, results []search.Result) {
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
		for _, r := range searchFor(t, x, search.Query{Text: question, PerFile: 10, Limit: 100}) {
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
			if r.Role == answer.RoleDefinition && !strings.Contains(first, r.Symbol) {
				t.Errorf("%s:%d begins with %q, not with %s", r.File, r.Line, first, r.Symbol)
			}
		}
	}
}

func TestFilters(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	for _, test := range []struct {
		name string
		q    search.Query
		all  func(search.Result) bool
		any  bool
	}{
		{"folder", search.Query{Text: "token", Path: "web"}, func(r search.Result) bool { return strings.HasPrefix(r.File, "web/") }, true},
		{"folder with slash", search.Query{Text: "token", Path: "web/"}, func(r search.Result) bool { return strings.HasPrefix(r.File, "web/") }, true},
		{"prefix of a folder's name", search.Query{Text: "token", Path: "we"}, nil, false},
		{"file", search.Query{Text: "token", Path: "web/auth.ts"}, func(r search.Result) bool { return r.File == "web/auth.ts" }, true},
		{"language", search.Query{Text: "token", Lang: []string{"Python"}}, func(r search.Result) bool { return r.Lang == "python" }, true},
		{"role", search.Query{Text: "token", Role: answer.RoleTest}, func(r search.Result) bool { return r.Role == answer.RoleTest }, true},
		{"symbol", search.Query{Text: "anything at all", Symbol: "VALIDATETOKEN"}, func(r search.Result) bool { return r.Symbol == "validateToken" }, true},
		{"lexical", search.Query{Text: "token", Mode: search.Lexical}, func(search.Result) bool { return true }, true},
		{"semantic", search.Query{Text: "check a credential", Mode: search.Semantic}, func(search.Result) bool { return true }, true},
		{"score", search.Query{Text: "token", MinScore: 0.999}, nil, false},
		{"unknown language", search.Query{Text: "token", Lang: []string{"cobol"}}, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.q.PerFile, test.q.Limit = 5, 50
			results := searchFor(t, x, test.q)
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
	a, err := x.Search(t.Context(), search.Query{Text: "token", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Results) != 1 || !a.Truncated || a.Matches < 2 {
		t.Errorf("%d results, truncated %v, matches %d", len(a.Results), a.Truncated, a.Matches)
	}
	seen, again := map[string]bool{}, false
	for _, r := range searchFor(t, x, search.Query{Text: "token", Limit: 50}) {
		if again && !seen[r.File] {
			t.Errorf("%s comes after a second place of another file", r.File)
		}
		again = again || seen[r.File]
		seen[r.File] = true
	}
	one := searchFor(t, x, search.Query{Text: "token", Limit: 50, PerFile: 1})
	if len(one) != len(seen) {
		t.Errorf("%d results of %d files, one of each", len(one), len(seen))
	}
}

func TestNothingFoundIsNotNil(t *testing.T) {
	x := open(t, t.TempDir())
	a, err := x.Search(t.Context(), search.Query{Text: "anything"})
	if err != nil || a.Results == nil || len(a.Results) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if a.State.State != answer.Indexing || a.State.Freshness != answer.Unknown {
		t.Errorf("before the first build: %+v", a.State)
	}
}

func TestPackSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var texts []store.Text
	var sources [][]byte
	room := &store.Room{}
	for i := range 600 { // enough for a second array
		size := []int{0, 1, store.BlockSize - 1, store.BlockSize, store.BlockSize + 1, 5 * store.BlockSize}[i%6]
		src := make([]byte, size)
		for i := range src {
			src[i] = byte('a' + r.IntN(4))
		}
		texts, sources = append(texts, store.Pack(src, []*store.Room{nil, room}[i/6%2])), append(sources, src)
	}
	for i, packed := range texts {
		src, size := sources[i], len(sources[i])
		if string(packed.All()) != string(src) {
			t.Fatalf("%d bytes come back different", size)
		}
		for range 50 {
			from, to := r.IntN(size+1), r.IntN(size+1)
			from, to = min(from, to), max(from, to)
			if string(packed.Slice(from, to)) != string(src[from:to]) {
				t.Fatalf("%d to %d of %d bytes come back different", from, to, size)
			}
		}
	}
}

func TestDeterministicAnswers(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	want := searchFor(t, build(t, root), search.Query{Text: "open a token store", Limit: 50})
	for range 5 {
		if diff := gocmp.Diff(want, searchFor(t, build(t, root), search.Query{Text: "open a token store", Limit: 50})); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	}
	if !slices.IsSortedFunc(want, func(a, b search.Result) int { return cmp.Compare(b.Score, a.Score) }) || math.IsNaN(want[0].Score) {
		t.Error("not sorted")
	}
}
