package index

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/dead"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/verify"
)

// sealed opens a snapshot without the folder that it was made of.
func sealed(t testing.TB, path string) *Index {
	t.Helper()
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open("example.com/shop", Options{Embedder: m, Sealed: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := x.RestoreWith(path, RestoreOptions{Foreign: true}); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestSealed asks an index that has only a snapshot what the index says that it was made of,
// once the folder is gone.
func TestSealed(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	x, path := saved(t, root, true)
	write(t, root, "go.sum", strings.Repeat("example.com/generated v1.0.0\n", 3)) // not indexed, and found by Grep
	_, less := saved(t, root, true)
	questions, targets := []string{"where is a token checked", "retry", `func \w+`}, names(t, root)
	ask := func(x *Index) string {
		text := everything(t, x, questions, targets)
		for _, q := range []grep.GrepQuery{{Pattern: "func"}, {Pattern: "(?i)error"}} {
			a, err := x.Grep(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			lines, gone, err := x.Lines(t.Context(), a, 0, 50)
			if err != nil || gone > 0 {
				t.Errorf("%d lines are gone, %v", gone, err)
			}
			text += dumped(t, lines)
		}
		found, err := x.Find(t.Context(), grep.FindQuery{Name: []string{"*.go"}})
		if err != nil {
			t.Fatal(err)
		}
		d, err := x.Dead(t.Context(), dead.Query{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		found.State, d.State = answer.State{}, answer.State{}
		text += dumped(t, found) + dumped(t, d)
		for _, file := range targets {
			if f, err := x.Read(t.Context(), grep.ReadQuery{Path: strings.Split(file, ":")[0]}); err == nil {
				f.State = answer.State{}
				text += dumped(t, f)
			}
		}
		return text
	}
	if err := os.Remove(root + "/go.sum"); err != nil {
		t.Fatal(err)
	}
	want := ask(x)
	y := sealed(t, path)
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if s := y.State(); s.State != answer.Ready || s.Freshness != answer.Fresh || s.Root != "example.com/shop" || s.GraphOld {
		t.Errorf("the state is %+v", s)
	}
	if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(ask(y), "\n")); diff != "" {
		t.Errorf("answers (-of the folder +of the snapshot):\n%s", diff)
	}
	y.Judge(answer.Dated)
	if s := y.State(); s.State != answer.Ready || s.Freshness != answer.Dated {
		t.Errorf("the state is %+v", s)
	}

	// What a snapshot cannot answer is said.
	y = sealed(t, less)
	a, err := y.Grep(t.Context(), grep.GrepQuery{Pattern: "generated"})
	if err != nil || a.Unread != 1 {
		t.Errorf("a file that is not indexed was searched: %d unread, %v", a.Unread, err)
	}
	var refused *grep.FileError
	if _, err := y.Read(t.Context(), grep.ReadQuery{Path: "go.sum"}); !errors.As(err, &refused) || refused.Reason != grep.RefusedArchived {
		t.Errorf("a file that is not indexed: %v", err)
	}
	if _, err := y.Read(t.Context(), grep.ReadQuery{Path: "none.go"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for _, outside := range []string{"/etc/passwd", "../etc/passwd"} {
		if _, err := y.Read(t.Context(), grep.ReadQuery{Path: outside}); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v", outside, err)
		}
	}
	var bad *grep.ExpressionError
	if _, err := y.Find(t.Context(), grep.FindQuery{Expression: []string{"-size", "+1k"}}); !errors.As(err, &bad) {
		t.Errorf("sizes: %v", err)
	}
	if _, _, err := y.Invalidate(Invalidation{All: true}); !errors.Is(err, ErrNoFolder) {
		t.Errorf("invalidate: %v", err)
	}
	if _, err := y.Verify(t.Context(), verify.VerifyOptions{}); !errors.Is(err, ErrNoFolder) {
		t.Errorf("verify: %v", err)
	}
	if commits, why, err := architecture.Commits(t.Context(), y.View); len(commits) > 0 || why == "" || err != nil {
		t.Errorf("commits: %d, %q, %v", len(commits), why, err)
	}

	// An overlay is read, and nothing of it stays.
	v, err := y.With(t.Context(), []Overlay{{Path: "new/quux.go", Content: "package new\n\n// Quux is new here.\nfunc Quux() {}\n"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		x    *Index
		want int
	}{{v.Index, 1}, {y, 0}} {
		results, err := one.x.Search(t.Context(), search.Query{Text: "Quux", Mode: search.Symbol})
		if err != nil || len(results.Results) != one.want {
			t.Errorf("%d results, %v, want %d", len(results.Results), err, one.want)
		}
	}
	v.Release()
}

// dumped is something as JSON.
func dumped(t testing.TB, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// TestSealedVectors restores a snapshot with a text of no words, which needs no vector.
func TestSealedVectors(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	write(t, root, "reek.md", "---\n")
	x, path := saved(t, root, true)
	if x.Table.Vectors.Len() == int(x.Counters.Chunks.Load()) {
		t.Fatal("each chunk has a vector")
	}
	for _, one := range []*Index{x, sealed(t, path)} {
		if s := one.State(); s.Vectors != 1 {
			t.Errorf("vectors %v, want all", s.Vectors)
		}
	}
}

// TestSealedRegex: what is not indexed cannot be read, and may match.
func TestSealedRegex(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	_, whole := saved(t, root, true)
	write(t, root, "go.sum", strings.Repeat("example.com/generated v1.0.0\n", 3))
	_, less := saved(t, root, true)
	for path, want := range map[string][]answer.Cut{whole: nil, less: {answer.CutLeftOut}} {
		a, err := sealed(t, path).Search(t.Context(), search.Query{Text: "example.com/generated", Mode: search.Regex, Limit: 5})
		if diff := gocmp.Diff(want, a.Cuts); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
}

// TestSealedOrder: what is said of a class comes in one order, whether its graph was made or kept.
func TestSealedOrder(t *testing.T) {
	root := unpack(t, "testdata/sealed.txtar")
	x, path := saved(t, root, true)
	ask := func(x *Index) []string {
		a, err := x.Context(t.Context(), brief.ContextQuery{Target: "Shop"})
		if err != nil {
			t.Fatal(err)
		}
		return a.Because
	}
	want := ask(x)
	if len(want) < 3 {
		t.Errorf("nothing to be put in order: %q", want)
	}
	if diff := gocmp.Diff(want, ask(sealed(t, path))); diff != "" {
		t.Errorf("-of the folder +of the snapshot:\n%s", diff)
	}
}

// TestSealedLeftOut: code that is not indexed may use what is, and cannot be read without the folder.
func TestSealedLeftOut(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/shop\n\ngo 1.24\n")
	write(t, root, "main.go", "package main\n\nfunc main() {}\n\nfunc total() int { return 1 }\n")
	_, whole := saved(t, root, true)
	write(t, root, "made.go", "// Code generated by hand. DO NOT EDIT.\n\npackage main\n\nvar sum = total()\n")
	write(t, root, "wide.txt", "\xff\xfet\x00o\x00t\x00a\x00l\x00\n\x00") // not indexed, either, and in no search
	x, less := saved(t, root, true)
	for _, c := range []struct{ path, confidence, why string }{
		{whole, dead.Certain, ""},
		{less, dead.Likely, "made.go may use it, and could not be read"},
	} {
		x := sealed(t, c.path)
		d, err := x.Dead(t.Context(), dead.Query{})
		if err != nil || len(d.Dead) != 1 || d.Dead[0].Confidence != c.confidence || d.Dead[0].Why != c.why {
			t.Errorf("%+v, %v, want one that is %s: %s", d.Dead, err, c.confidence, c.why)
		}
		if r, err := x.References(t.Context(), references.Query{Target: "total"}); err != nil || r.Complete != (c.why == "") {
			t.Errorf("references: %+v, %v", r.Completeness, err)
		}
		for range 2 { // the words of files are known the second time
			a, err := x.Calls(t.Context(), calls.CallsQuery{Target: "total", Direction: calls.Callers})
			if err != nil || a.Complete != (c.why == "") {
				t.Errorf("callers: %+v, %v", a.Completeness, err)
			}
			calls.Prepare(t.Context(), x.View)
		}
	}

	// Where the snapshot holds their texts, all is as it is with the folder.
	with := filepath.Join(t.TempDir(), "with.quarry")
	if err := x.SaveWith(t.Context(), with, SaveOptions{Portable: true, LeftOut: true}); err != nil {
		t.Fatal(err)
	}
	ask := func(x *Index) string {
		d, err1 := x.Dead(t.Context(), dead.Query{})
		r, err2 := x.References(t.Context(), references.Query{Target: "total"})
		c, err3 := x.Calls(t.Context(), calls.CallsQuery{Target: "total", Direction: calls.Callers})
		g, err4 := x.Grep(t.Context(), grep.GrepQuery{Pattern: "total"})
		f, err5 := x.Read(t.Context(), grep.ReadQuery{Path: "made.go"})
		s, err6 := x.Search(t.Context(), search.Query{Text: "var sum", Mode: search.Regex, Limit: 5})
		if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
			t.Fatal(err)
		}
		l, _, err := x.Lines(t.Context(), g, 0, 50)
		if err != nil {
			t.Fatal(err)
		}
		f.State = answer.State{}
		return dumped(t, d) + dumped(t, r) + dumped(t, c) + dumped(t, l) + dumped(t, f) + dumped(t, s.Cuts) + dumped(t, g.Unread)
	}
	if diff := gocmp.Diff(ask(x), ask(sealed(t, with))); diff != "" {
		t.Errorf("-of the folder +of the snapshot:\n%s", diff)
	}
}
