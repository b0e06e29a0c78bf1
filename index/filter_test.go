package index

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
)

func TestGlobs(t *testing.T) {
	for _, test := range []struct {
		globs string // separated by spaces
		path  string
		want  bool
	}{
		{"*.go", "a.go", true},
		{"*.go", "deep/er/a.go", true},
		{"*.go", "a.gone", false},
		{"./*.go", "a.go", true},
		{"/*.go", "deep/a.go", false},
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src/x/a.go", false},
		{"src/**/*.go", "src/x/y/a.go", true},
		{"src/**/*.go", "src/a.go", true},
		{"src/", "src/a.go", true},
		{"src/", "lib/src/x/a.go", true},
		{"src/", "src.go", false},
		{"**/*.{ts,tsx}", "web/a.tsx", true},
		{"**/*.{ts,tsx}", "web/a.js", false},
		{"[ab].py", "b.py", true},
		{"[!ab].py", "b.py", false},
		{".github/**", ".github/x.yml", true},
		{".*", ".env.example", true},
		{"!vendor", "vendor/x/a.go", false},
		{"!vendor/", "lib/vendor/a.go", false},
		{"!vendor", "vendored/a.go", true},
		{"!src/gen", "src/gen/a.go", false},
		{"!src/gen", "lib/src/gen/a.go", true},
		{"*.go !*_test.go", "a.go", true},
		{"*.go !*_test.go", "a_test.go", false},
		{"!*_test.go *.go", "a_test.go", false},
		{"*.go *.py", "a.py", true},
		{"!*.md", "a.py", true},
		{`\!a.py`, "!a.py", true},
	} {
		globs := strings.Fields(test.globs)
		if err := store.CheckGlobs(globs); err != nil {
			t.Errorf("%s: %v", test.globs, err)
		}
		if got := store.NewGlobs(globs).Admit(test.path); got != test.want {
			t.Errorf("%s admits %s: %v", test.globs, test.path, got)
		}
	}
}

func TestBadGlobs(t *testing.T) {
	x := build(t, unpack(t, "testdata/modes.txtar"))
	for _, glob := range []string{"[a", "{a,b", "a\\", "", "!", "/", strings.Repeat("{a,b}", 9)} {
		for _, mode := range []search.Mode{search.Hybrid, search.Symbol, search.Regex} {
			_, err := x.Search(t.Context(), search.Query{Text: "a", Mode: mode, Glob: []string{"*.go", glob}})
			var bad *answer.PatternError
			if !errors.As(err, &bad) || bad.Pattern != glob || !errors.Is(err, answer.ErrPattern) {
				t.Errorf("%q by %s: %v", glob, mode, err)
			}
		}
		if _, err := x.Related(t.Context(), "http/client.go", 3, search.Query{Glob: []string{glob}}); !errors.Is(err, answer.ErrPattern) {
			t.Errorf("%q: %v", glob, err)
		}
	}
}

// Kinds are all that the syntax package knows.
func TestKindsAreAll(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "internal/syntax/syntax.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == "Kind" {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				declared = append(declared, text)
			}
		}
	}
	if !slices.Equal(declared, search.Kinds()) {
		t.Errorf("declared are %v", declared)
	}
}

// A result shows a symbol of a kind that was asked for, in every mode.
func TestKindShown(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	for _, kind := range []string{"method", "struct", "field", "constant", "function"} {
		for _, mode := range []search.Mode{search.Hybrid, search.Lexical, search.Semantic} {
			results := searchFor(t, x, search.Query{Text: "token store", Kind: []string{kind}, Mode: mode, Limit: 50, PerFile: 10})
			if len(results) == 0 && mode != search.Lexical {
				t.Errorf("no %s by %s", kind, mode)
			}
			for _, r := range results {
				if r.Kind != kind {
					t.Errorf("%s by %s: %s:%d %s %s", kind, mode, r.File, r.Line, r.Kind, r.Symbol)
				}
			}
		}
	}
}

// What a filter admits is remembered, by all that it asks for and until a file changes.
func TestFilterRemembered(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a/one.go", "package a\n\nfunc parseToken() {}\n")
	write(t, root, "b/one.go", "package b\n\nfunc parseToken() {}\n")
	x := build(t, root)
	files := func(q search.Query) (all []string) {
		q.Text = "parse token"
		for range 2 { // the second is remembered
			all = all[:0]
			for _, r := range searchFor(t, x, q) {
				all = append(all, r.File)
			}
			slices.Sort(all)
		}
		return slices.Compact(all)
	}
	check := func(q search.Query, want ...string) {
		t.Helper()
		if got := files(q); !slices.Equal(got, want) {
			t.Errorf("%+v finds %v, want %v", q, got, want)
		}
	}
	check(search.Query{Path: "a"}, "a/one.go")
	check(search.Query{Path: "b"}, "b/one.go")
	check(search.Query{Glob: []string{"b/*"}}, "b/one.go")
	check(search.Query{Glob: []string{"!b/*"}}, "a/one.go")
	write(t, root, "a/two.go", "package a\n\nfunc parseTokens() {}\n")
	if _, err := x.Update(t.Context(), []string{"a/two.go"}); err != nil {
		t.Fatal(err)
	}
	check(search.Query{Path: "a"}, "a/one.go", "a/two.go")
	if err := os.Remove(filepath.Join(root, "a/one.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Update(t.Context(), []string{"a/one.go"}); err != nil {
		t.Fatal(err)
	}
	check(search.Query{Path: "a"}, "a/two.go")
	for i := range 3 * store.MaxFilters {
		check(search.Query{Path: "a", Limit: i + 1, Glob: []string{"!" + strconv.Itoa(i)}}, "a/two.go")
	}
	if n := len(x.Table.Filters.Kept); n != store.MaxFilters {
		t.Errorf("%d filters are kept", n)
	}
}

// TestTests has each mode leave test code out, and leave out everything else.
func TestTests(t *testing.T) {
	root := t.TempDir()
	write(t, root, "parse.go", "package a\n\nfunc parseToken() int { return 1 }\n")
	write(t, root, "parse_test.go", "package a\n\nfunc checkParseToken() int { return parseToken() }\n")
	write(t, root, "lib.rs", "pub fn parse_token(text: &str) -> usize {\n    let mut n = 0;\n"+strings.Repeat("    if text[n..].starts_with(' ') { n += 1; }\n", 60)+
		"    n\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn parse_token_ends_at_a_blank() {\n"+
		strings.Repeat("        assert_eq!(parse_token(\"one two\"), 3);\n", 40)+"    }\n}\n")
	x := build(t, root)
	production := []string{"lib.rs parse_token", "parse.go parseToken"}
	for _, test := range []struct {
		q             search.Query
		without, only []string
	}{
		{search.Query{Mode: search.Symbol, Text: "parse token", Kind: []string{"function"}}, production, []string{"lib.rs parse_token_ends_at_a_blank", "parse_test.go checkParseToken"}},
		{search.Query{Mode: search.Lexical, Text: "parse token"}, production, []string{"lib.rs parse_token_ends_at_a_blank", "parse_test.go checkParseToken"}},
		{search.Query{Mode: search.Semantic, Text: "parse token"}, production, []string{"lib.rs parse_token_ends_at_a_blank", "parse_test.go checkParseToken"}},
		{search.Query{Mode: search.Regex, Text: "(?i)parse_?token"}, production, []string{"lib.rs parse_token_ends_at_a_blank", "parse_test.go checkParseToken"}},
		{search.Query{Text: "related"}, []string{"lib.rs parse_token"}, []string{"lib.rs parse_token_ends_at_a_blank", "parse_test.go checkParseToken"}},
	} {
		for tests, want := range map[string][]string{answer.WithTests: slices.Concat(test.without, test.only), answer.WithoutTests: test.without, answer.OnlyTests: test.only} {
			q := test.q
			q.Tests, q.Limit, q.PerFile = tests, 50, 10
			a, err := x.Search(t.Context(), q)
			if q.Text == "related" {
				a, err = x.Related(t.Context(), "parse.go", 3, q)
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range a.Results {
				if r.Symbol != "" && r.Symbol != "tests" {
					got = append(got, r.File+" "+r.Symbol)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("%s %q, tests %s: %q, want %q", q.Mode, q.Text, tests, got, want)
			}
		}
	}
}

func TestMaxTokens(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	q := search.Query{Text: "open the token store", Limit: 50, PerFile: 5}
	whole := searchFor(t, x, q)
	for budget := whole[0].Tokens(); budget < 560; budget += 100 {
		q.MaxTokens = budget
		a, err := x.Search(t.Context(), q)
		sum := 0
		for i := range a.Results {
			sum += a.Results[i].Tokens()
		}
		if err != nil || sum > budget || len(a.Results) == 0 || a.Results[0].Content != whole[0].Content || !slices.Equal(a.Cuts, []answer.Cut{answer.CutTokens}) {
			t.Errorf("%d tokens: %d in %d results, cut by %v, %v", budget, sum, len(a.Results), a.Cuts, err)
		}
	}
	// What the reader has becomes a reference.
	q.MaxTokens = 1000
	q.Sent = new(answer.Sent)
	q.Sent.Add(whole[0].Lines())
	if a, err := x.Search(t.Context(), q); err != nil || !a.Results[0].Sent || a.Results[0].Lines() != whole[0].Lines() || a.Results[1].Sent {
		t.Errorf("sent: %+v, %v", a.Results, err)
	}
	q.Sent = nil
	// Not even the first fits: its first lines do.
	first := whole[0]
	q.MaxTokens = first.Tokens() - 1
	a, err := x.Search(t.Context(), q)
	if err != nil || len(a.Results) != 1 || !a.Truncated {
		t.Fatalf("%+v, %v", a, err)
	}
	r := a.Results[0]
	if r.Content == first.Content || !strings.HasPrefix(first.Content, r.Content) || r.Tokens() > q.MaxTokens || r.EndLine != r.Line+strings.Count(r.Content, "\n") {
		t.Errorf("%d tokens of %d: %d-%d %q", r.Tokens(), q.MaxTokens, r.Line, r.EndLine, r.Content)
	}
	q.MaxTokens = 1
	if a, err = x.Search(t.Context(), q); err != nil || len(a.Results) != 0 || a.Results == nil || !a.Truncated {
		t.Errorf("one token: %+v, %v", a, err)
	}
	q.MaxTokens = 1 << 20
	if a, err = x.Search(t.Context(), q); err != nil || len(a.Results) != len(whole) || a.Truncated {
		t.Errorf("many tokens: %d results, cut by %v, %v", len(a.Results), a.Cuts, err)
	}
}
