package index

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/summary"
)

// TestManyOfOneThing: a file may say one thing very often, as generated code does. What
// grew with the square of that took minutes, while the index was built and for an answer.
func TestManyOfOneThing(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	const many = 50_000
	root := t.TempDir()
	write(t, root, "same.py", strings.Repeat("def f():\n    f()\n\n", many))
	write(t, root, "same.rb", strings.Repeat("def f; f; end\n", many/2))
	write(t, root, "docs.rs", strings.Repeat("/// a\n", 2*many)+"fn f() {}\n")
	write(t, root, "Same.java", "class Same {\n"+strings.Repeat("void f() { f(); }\n", many/2)+"}\n")
	var chain strings.Builder
	for i := range many / 5 {
		fmt.Fprintf(&chain, "class A%d(A%d):\n    def m(self): self.m()\n", i+1, i)
	}
	write(t, root, "chain.py", chain.String())
	x := build(t, root)
	for _, file := range []string{"same.py", "same.rb", "docs.rs", "Same.java", "chain.py"} {
		s, err := x.Summarize(t.Context(), brief.SummaryQuery{Paths: []string{file}, Level: summary.L2})
		if err != nil || !strings.Contains(s.Text, file) {
			t.Errorf("%s: %q, %v", file, s.Text, err)
		}
	}
	for _, target := range []string{"same.py:1", "same.rb:1", "Same.java:2"} {
		c, err := x.Calls(t.Context(), calls.CallsQuery{Target: target})
		if err != nil || c.Completeness.Complete {
			t.Errorf("%s: %+v, %v", target, c.Completeness, err)
		}
	}
	budget := 2 * many
	if a, err := x.Skeleton(t.Context(), outline.SkeletonQuery{Path: "same.py", MaxTokens: budget}); err != nil || a.Tokens > budget || a.Tokens < budget-100 {
		t.Errorf("a skeleton of %d tokens, %v", a.Tokens, err)
	}
	c, err := x.Calls(t.Context(), calls.CallsQuery{Target: "chain.py:2", Limit: 200})
	if err != nil || c.Total != 129 { // its own, and 128 levels of them
		t.Errorf("a call of a method that thousands of classes override: %d callees, %v", c.Total, err)
	}
}

// TestSummaries says of each archive in testdata/summaries what is said of its symbols,
// with and without their docs, and of its files at each level.
func TestSummaries(t *testing.T) {
	archives, err := filepath.Glob("testdata/summaries/*.txtar")
	if err != nil || len(archives) < 3 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(path.Base(name), func(t *testing.T) {
			x, a := plain(t, name)
			var b strings.Builder
			with, err := x.SymbolLines(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			without, err := x.SymbolLines(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			for i := range with {
				fmt.Fprintln(&b, with[i].Text())
				if without[i].Line != with[i].Line {
					fmt.Fprintln(&b, "    without its doc:", without[i].Line)
				}
				for _, l := range []string{with[i].Line, without[i].Line} {
					if n := utf8.RuneCountInString(l); n == 0 || n > 120 || strings.Contains(l, "\n") {
						t.Errorf("%s: a line of %d characters: %q", with[i].Symbol, n, l)
					}
				}
			}
			for _, level := range summary.Levels()[:3] {
				s := summarize(t, x, brief.SummaryQuery{Level: level, MaxTokens: 2000})
				fmt.Fprintf(&b, "\n%s of all, %d tokens of %d\n%s\n", level, s.TokensOut, s.TokensIn, s.Text)
			}
			golden(t, name, a, strings.ReplaceAll(b.String(), path.Base(x.Root())+"/", "ROOT/"))
		})
	}
}

func summarize(t testing.TB, x *Index, q brief.SummaryQuery) brief.Summary {
	t.Helper()
	s, err := x.Summarize(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	if q.Count == nil && s.TokensOut != answer.Tokens(utf8.RuneCountInString(s.Text)) {
		t.Errorf("%+v: %d tokens, not those of %q", q, s.TokensOut, s.Text)
	}
	return s
}

// The levels cost no more than they are meant to.
func TestSummaryLevels(t *testing.T) {
	x, _ := plain(t, "testdata/summaries/auth.txtar")
	all := []string{"src/auth.py", "tests/test_auth.py", "src/middleware.py"}
	for level, budget := range map[summary.Level]int{summary.L0: 50, summary.L1: 200, summary.L2: 500} {
		for n := range all {
			s := summarize(t, x, brief.SummaryQuery{Paths: all[:n+1], Level: level})
			if s.TokensOut > budget || s.Level != level || s.Truncated || len(s.Files) != n+1 {
				t.Errorf("%s of %d files: %d tokens, level %s, truncated %t, files %q", level, n+1, s.TokensOut, s.Level, s.Truncated, s.Files)
			}
		}
	}
	if s := summarize(t, x, brief.SummaryQuery{Paths: all, Level: summary.L0}); s.Text != "Files: src/auth.py, src/middleware.py, tests/test_auth.py" {
		t.Errorf("%q", s.Text)
	}
	// What is small is taken as it is.
	s := summarize(t, x, brief.SummaryQuery{Paths: all[1:2]})
	if s.Level != summary.L3 || !strings.HasPrefix(s.Text, "from auth import") || s.TokensIn != s.TokensOut {
		t.Errorf("%s: %q", s.Level, s.Text)
	}
	if s := summarize(t, x, brief.SummaryQuery{}); s.Level != summary.L1 || !strings.Contains(s.Text, "- src/: ") {
		t.Errorf("%s: %q", s.Level, s.Text)
	}
}

// A budget holds for every level and way to count, and what is left out is counted.
func TestSummaryBudget(t *testing.T) {
	x, _ := plain(t, "testdata/summaries/languages.txtar")
	twice := func(text string) int { return utf8.RuneCountInString(text) / 2 }
	for _, level := range summary.Levels() {
		for _, most := range []int{20, 60, 150, 400} {
			for _, count := range []func(string) int{nil, twice} {
				s := summarize(t, x, brief.SummaryQuery{Level: level, MaxTokens: most, Count: count})
				if s.TokensOut > most {
					t.Errorf("%s: %d tokens instead of %d:\n%s", level, s.TokensOut, most, s.Text)
				}
				if left := strings.Contains(s.Text, "more files)") || strings.Contains(s.Text, "more lines)"); s.Truncated != left {
					t.Errorf("%s, %d tokens: truncated is %t:\n%s", level, most, s.Truncated, s.Text)
				}
			}
		}
	}
	s := summarize(t, x, brief.SummaryQuery{Level: summary.L1, MaxTokens: 60})
	lines := strings.Split(s.Text, "\n")
	if want := fmt.Sprintf("(+%d more files)", 11-len(lines)+2); lines[len(lines)-1] != want {
		t.Errorf("%q, want %s", s.Text, want)
	}
}

func TestSummarizeSymbol(t *testing.T) {
	x, _ := plain(t, "testdata/summaries/auth.txtar")
	for level, want := range map[summary.Level]string{
		summary.L0:   "Files: src/auth.py:27",
		summary.L1:   "- src/auth.py:27 validate_token: validates token; calls split_token, ",
		summary.L2:   "Called by: AuthMiddleware.handle (middleware.py), ",
		summary.L3:   "def validate_token(token):\n    # the signature",
		summary.Auto: "def validate_token(token):\n    # the signature",
	} {
		s := summarize(t, x, brief.SummaryQuery{Symbol: "validate_token", Level: level})
		if !strings.Contains(s.Text, want) || s.Files[0] != "src/auth.py" || s.TokensIn < 100 {
			t.Errorf("%s: %+v, want %q", level, s, want)
		}
	}
	if s := summarize(t, x, brief.SummaryQuery{Symbol: "validate_token", Level: summary.L2}); !strings.Contains(s.Text, "Notes: the signature must be checked") {
		t.Errorf("%q", s.Text)
	}
	y, _ := plain(t, "testdata/summaries/pool.txtar")
	if s := summarize(t, y, brief.SummaryQuery{Symbol: "Pool", Level: summary.L1}); s.Text != "- pool.go:19 Pool: pool: holds mu, idle, limit, closed; does Acquire, evictStale, takeIdle" {
		t.Errorf("%q", s.Text)
	}
	z, _ := plain(t, "testdata/summaries/languages.txtar")
	if s := summarize(t, z, brief.SummaryQuery{Symbol: "SendAsync", Level: summary.L1}); len(s.Others) != 1 {
		t.Errorf("others %v", s.Others)
	}
}

func TestSummarizeQuery(t *testing.T) {
	x, _ := plain(t, "testdata/summaries/auth.txtar")
	for level, want := range map[summary.Level]string{
		summary.L0: "Files: src/",
		summary.L1: ": validates token; calls ",
		summary.L2: "- src/auth.py: JWT auth using HS256\n  Key functions: ",
		summary.L3: "def validate_token(token):\n",
	} {
		s := summarize(t, x, brief.SummaryQuery{Query: "validate token signature", Level: level})
		if !strings.Contains(s.Text, want) {
			t.Errorf("%s: %q, want %q", level, s.Text, want)
		}
	}
	if s := summarize(t, x, brief.SummaryQuery{Query: "zzzzqqq"}); s.Text != "" || s.TokensIn != 0 {
		t.Errorf("nothing is %+v", s)
	}
}

// TestMainSymbols has the core of a file stand before what is called often or is small, and a folder
// described by its code where its README says below a second heading only how to use it.
func TestMainSymbols(t *testing.T) {
	root := t.TempDir()
	var text, calls strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "int small%d(void) {\n\treturn %d;\n}\n\n", i, i)
		fmt.Fprintf(&calls, "\tlog%d(small%d());\n", i, i)
	}
	fmt.Fprintf(&text, "int process(int n) {\n%s\treturn n;\n}\n", strings.Repeat("\tn += step(n, 1, 2, 3, 4);\n", 150))
	write(t, root, "core/server.c", text.String())
	write(t, root, "core/README.md", "# @shop/core\n\n```sh\nrun\n```\n\n## Usage\n\nIf the shop has tills, they are to be given by their names.\n")
	write(t, root, "about/README.md", "# @shop/about\n\n## Overview\n\nAll that a customer may want to know.\n")
	write(t, root, "use.c", "int process(int n);\n\nint use(void) {\n"+calls.String()+"\treturn process(1);\n}\n")
	x := build(t, root)
	s := summarize(t, x, brief.SummaryQuery{Paths: []string{"core/server.c"}, Level: summary.L1})
	if !strings.HasPrefix(s.Text, "- core/server.c: process") {
		t.Errorf("%s", s.Text)
	}
	s = summarize(t, x, brief.SummaryQuery{Level: summary.L1})
	if !strings.Contains(s.Text, "core/: process") || !strings.Contains(s.Text, "all that a customer may want to know") {
		t.Errorf("%s", s.Text)
	}
}

func TestSummarizeErrors(t *testing.T) {
	x, _ := plain(t, "testdata/summaries/auth.txtar")
	var target *answer.TargetError
	for _, q := range []brief.SummaryQuery{{Paths: []string{"src/none.py"}}, {Paths: []string{"src/auth"}}, {Symbol: "no_such"}, {Paths: []string{"src"}, Level: "L9"}} {
		if _, err := x.Summarize(t.Context(), q); !errors.As(err, &target) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for _, p := range []string{"../secret", "/etc/passwd"} {
		if _, err := x.Summarize(t.Context(), brief.SummaryQuery{Paths: []string{p}}); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v", p, err)
		}
	}
	write(t, x.Root(), "blob.bin", "\x00\x01\x02\x00")
	if _, err := x.Update(t.Context(), []string{"blob.bin"}); err != nil {
		t.Fatal(err)
	}
	var place *answer.PlaceError
	if _, err := x.Summarize(t.Context(), brief.SummaryQuery{Paths: []string{"blob.bin"}}); !errors.As(err, &place) || place.Reason == "" {
		t.Errorf("of a file that is left out: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Summarize(ctx, brief.SummaryQuery{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A file is said once, also where its folder is asked for, too; nothing is nothing.
func TestSummaryOnce(t *testing.T) {
	x, _ := plain(t, "testdata/summaries/auth.txtar")
	s := summarize(t, x, brief.SummaryQuery{Paths: []string{"src", "src/auth.py", "src/"}, Level: summary.L1})
	if n := strings.Count(s.Text, "src/auth.py: "); n != 1 || len(s.Files) != 2 || strings.Count(s.Text, "- src/: ") != 1 {
		t.Errorf("%d times, files %q:\n%s", n, s.Files, s.Text)
	}
	if s := summarize(t, open(t, t.TempDir()), brief.SummaryQuery{Level: summary.L1}); s.Text != "" || s.TokensIn != 0 {
		t.Errorf("nothing is %+v", s)
	}
}

// A second summary makes no new line, and an edit those of one branch.
func TestSummaryCache(t *testing.T) {
	x, _ := plain(t, "testdata/summaries/pool.txtar")
	q := brief.SummaryQuery{Level: summary.L1, MaxTokens: 2000}
	first := summarize(t, x, q)
	made := x.Counters.LinesMade.Load()
	if again := summarize(t, x, q); again.Text != first.Text || x.Counters.LinesMade.Load() != made {
		t.Errorf("%d lines were made again", x.Counters.LinesMade.Load()-made)
	}
	write(t, x.Root(), "cmd/poolctl/main.go", "// Command poolctl counts what a pool holds.\npackage main\n\nfunc main() {}\n")
	if _, err := x.Update(t.Context(), []string{"cmd/poolctl/main.go"}); err != nil {
		t.Fatal(err)
	}
	s := summarize(t, x, q)
	if !strings.Contains(s.Text, "counts what a pool holds") {
		t.Errorf("the edit is not in %q", s.Text)
	}
	// The file, and the three folders around it: all others keep their lines.
	if n := x.Counters.LinesMade.Load() - made; n > 4 || n == 0 {
		t.Errorf("%d lines were made for an edit", n)
	}
}

func TestLineCacheForgets(t *testing.T) {
	c := brief.Lines{LineCache: new(brief.LineCache), State: new(store.Counters)}
	for _, test := range []struct{ files, want int }{{1, brief.MinLines}, {1000, 2000}, {brief.MaxLines, brief.MaxLines}} {
		c.State.Files.Store(int64(test.files))
		for i := range 3 * test.want {
			c.Get(uint64(i), func() string { return "x" })
		}
		if n := len(c.Young) + len(c.Old); n > 2*test.want || n < test.want {
			t.Errorf("%d files: %d lines are kept", test.files, n)
		}
	}
}

func TestSearchLines(t *testing.T) {
	x := build(t, unpack(t, "testdata/summaries/languages.txtar"))
	lines, err := x.SymbolLines(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.SearchLines(t.Context(), lines)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"parse an arithmetic expression": "parser.rs", "try again with a backoff delay": "retry.ts", "upload the release": "deploy.sh"} {
		files, err := s.Files(t.Context(), text, 2)
		if err != nil || len(files) != 2 || files[0] != want {
			t.Errorf("%q: %q, %v, want %s", text, files, err, want)
		}
	}
}

// Lines that are made without docs are those of the same code where it has none.
func TestSymbolLinesWithoutDocs(t *testing.T) {
	archives, err := filepath.Glob("testdata/summaries/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		x, _ := plain(t, name)
		want, err := x.SymbolLines(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		root, erased := t.TempDir(), 0
		for file, r := range x.Table.Files {
			src := r.Text.All()
			for i := range r.Symbols {
				s := &r.Symbols[i]
				if s.DocTo <= s.DocAt {
					continue
				}
				erased++
				for at := s.DocAt; at < s.DocTo; at++ {
					if src[at] != '\n' {
						src[at] = ' '
					}
				}
				if inside := s.DocAt >= s.Start; inside { // a docstring may be all of a body
					copy(src[s.DocAt:], `""`)
				}
			}
			write(t, root, file, string(src))
		}
		y := build(t, root)
		got, err := y.SymbolLines(t.Context(), false)
		if err != nil || len(got) != len(want) || erased == 0 {
			t.Fatalf("%s: %d lines instead of %d, %d docs, %v", name, len(got), len(want), erased, err)
		}
		for i := range got {
			if got[i].Line != want[i].Line {
				t.Errorf("%s: %s\n got %q\nwant %q", name, want[i].Symbol, want[i].Line, got[i].Line)
			}
		}
	}
}
