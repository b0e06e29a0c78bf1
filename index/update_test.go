package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

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
		results := searchFor(t, x, search.Query{Text: name, Symbol: name})
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
	if s := x.State(); s.State != answer.Ready || s.Pending != 0 || s.Freshness != answer.Fresh || s.Vectors != 1 {
		t.Errorf("%+v", s)
	}
}

// TestFileBecomesSkip lets an indexed file grow past the limit, which its size
// alone tells, and shrink again: it is counted once, as one or as the other.
func TestFileBecomesSkip(t *testing.T) {
	root := t.TempDir()
	write(t, root, "b.go", "package b\n\nfunc Beta() {}\n")
	write(t, root, "a.txt", "thing1 and more\n")
	x := build(t, root)
	for _, text := range []string{strings.Repeat("thing1 \n", 1<<19), "thing3 and less\n"} {
		for _, bring := range []func() (Report, error){
			func() (Report, error) { return x.Update(t.Context(), []string{"a.txt"}) },
			func() (Report, error) { return x.BuildAll(t.Context(), nil, true) },
		} {
			write(t, root, "a.txt", text)
			if _, err := bring(); err != nil {
				t.Fatal(err)
			}
			same(t, x)
		}
	}
	write(t, root, "a.txt", strings.Repeat("thing1 \n", 1<<19))
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	same(t, x)
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
	if s := x.State(); s.State != answer.Failed || s.Files != 1 || s.Freshness != answer.Unknown {
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
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	out := map[string]string{}
	for path, r := range x.Table.Files {
		var b strings.Builder
		fmt.Fprintf(&b, "%d bytes %x %s %d refs\n", r.Size, r.Hash, r.Lang, r.Refs)
		for _, s := range r.Symbols {
			fmt.Fprintf(&b, "%+v\n", s)
		}
		for i := range r.Chunks {
			p := r.Chunks[i]
			fmt.Fprintf(&b, "%v %v", x.Table.Vectors.Vector(p.ID), x.Table.Vectors.Tokens(p.ID))
			if at := x.Table.Chunks[p.ID]; at.Record != r || int(at.Chunk) != i {
				b.WriteString(" astray")
			}
			p.ID = 0
			fmt.Fprintf(&b, " %+v\n", p)
		}
		out[path] = b.String()
	}
	for path, s := range x.Table.Skips {
		out["skipped "+path] = string(s.Reason)
	}
	out["totals"] = fmt.Sprint(x.Table.Symbols, x.Table.Refs, x.Table.Bytes, x.State().Chunks, x.Table.Words.Len(), x.Table.Vectors.Len())
	var names []uint64
	for h, d := range x.Table.Names {
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
		want, got := searchFor(t, fresh, search.Query{Text: question, Limit: 30}), searchFor(t, x, search.Query{Text: question, Limit: 30})
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
	if r := searchFor(t, x, search.Query{Text: "afterwards999", Symbol: "afterwards999"}); len(r) != 1 || r[0].File != name(999) {
		t.Errorf("%+v", r)
	}
	if r := searchFor(t, x, search.Query{Text: "before999", Symbol: "before999"}); len(r) != 0 {
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
				a, err := x.Search(t.Context(), search.Query{Text: "marker", PerFile: 5, Mode: search.Lexical})
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
	if n := len(x.Table.Chunks); n > 150*12-1 {
		t.Errorf("%d ids for 150 chunks: none was used again", n)
	}
	same(t, x)
}
