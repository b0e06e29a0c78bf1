package index

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/answer"
)

// saved builds an index of a root and saves it.
func saved(t testing.TB, root string, portable bool) (*Index, string) {
	t.Helper()
	x := build(t, root)
	path := filepath.Join(t.TempDir(), "snap.quarry")
	if err := x.Save(t.Context(), path, portable); err != nil {
		t.Fatal(err)
	}
	return x, path
}

// restore opens a root and takes a snapshot over.
func restore(t testing.TB, root, path string) *Index {
	t.Helper()
	x := open(t, root)
	if err := x.Restore(path); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestRestore(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	x, path := saved(t, root, false)
	y := restore(t, root, path)
	if diff := gocmp.Diff(dump(x), dump(y)); diff != "" {
		t.Fatalf("before a build (-saved +restored):\n%s", diff)
	}
	if s := y.State(); s.State != answer.Stale || s.Freshness != answer.Dated || s.Generation <= x.State().Generation {
		t.Errorf("restored, not compared yet: %+v", s)
	}
	if got, want := y.Status(9).Coverage, x.Status(9).Coverage; gocmp.Diff(want, got) != "" {
		t.Errorf("coverage (-saved +restored):\n%s", gocmp.Diff(want, got))
	}
	report, err := y.Build(t.Context(), nil)
	if err != nil || report.Added+report.Changed+report.Removed+report.Embedded != 0 {
		t.Errorf("nothing has changed, but the build did %+v (%v)", report, err)
	}
	if s := y.State(); s.State != answer.Ready {
		t.Errorf("after the build: %+v", s)
	}
	same(t, y)
}

// TestRestoreElsewhere takes a snapshot over in a copy of the tree where a file has
// changed, one is gone and one is new.
func TestRestoreElsewhere(t *testing.T) {
	_, path := saved(t, unpack(t, "testdata/calls.txtar"), true)
	root := unpack(t, "testdata/calls.txtar")
	files := names(t, root)
	if len(files) < 4 {
		t.Fatalf("%d files are too few", len(files))
	}
	write(t, root, files[0], "package changed\n\nfunc Changed() {}\n")
	if err := os.Remove(filepath.Join(root, files[1])); err != nil {
		t.Fatal(err)
	}
	write(t, root, "new/new.go", "package new\n\nfunc New() { println(1) }\n")
	x := restore(t, root, path)
	report, err := x.Build(t.Context(), nil)
	if all := x.State().Files; err != nil || report.Added != 1 || report.Changed != 1 || report.Removed != 1 || report.Unchanged != all-2 {
		t.Errorf("the build did %+v (%v), there are %d files", report, err, all)
	}
	same(t, x)
}

// names are the indexed files of a root, in order.
func names(t testing.TB, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".go" {
			rel, _ := filepath.Rel(root, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSaveSame checks that a tree gives one portable snapshot, whatever way led to it.
func TestSaveSame(t *testing.T) {
	root := unpack(t, "testdata/calls.txtar")
	_, path := saved(t, root, true)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, root)
	write(t, root, "zz/late.go", "package zz\n\nfunc Late() { Later() }\n\nfunc Later() {}\n")
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "zz")); err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t, root) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{string(text) + "\nfunc Extra() {}\n", string(text)} {
			write(t, root, name, s)
			if _, err := x.Update(t.Context(), []string{name, "zz"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, y := range []*Index{x, restore(t, root, path)} {
		if err := y.Save(t.Context(), path, true); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("another snapshot of the same tree: %d bytes, %d before", len(got), len(want))
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	x, path := saved(t, root, false)
	if err := x.Restore(path); err == nil || errors.Is(err, ErrSnapshot) {
		t.Errorf("into an index that is not empty: %v", err)
	}
	y := open(t, root)
	if err := y.Restore(path + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a snapshot that does not exist: %v", err)
	}
	if err := y.Save(t.Context(), path+".early", false); err == nil {
		t.Error("an index that was never built was saved")
	}
	for what, opt := range map[string]Options{"no model": {}, "limit": {MaxFileBytes: 1 << 19, Embedder: x.Opt.Embedder}} {
		z, err := Open(root, opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := z.Restore(path); !errors.Is(err, ErrSnapshot) {
			t.Errorf("%s: %v", what, err)
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	runs := 400
	if text := os.Getenv("QUARRY_DAMAGE"); text != "" {
		if runs, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	b := make([]byte, 0, len(whole))
	for n := range runs {
		b = append(b[:0], whole...)
		switch n % 4 {
		case 0: // cut at a block of the disk
			b = b[:r.IntN(len(b)/4096+1)*4096]
		case 1:
			b = b[:r.IntN(len(b))]
		default:
			for range 1 + n/4%3 {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		switch err := y.Restore(path); {
		case err == nil: // it filled a gap
			if diff := gocmp.Diff(dump(x), dump(y)); diff != "" {
				t.Fatalf("damaged and restored (-saved +restored):\n%s", diff)
			}
			if err := y.Close(); err != nil {
				t.Fatal(err)
			}
			if y, err = Open(root, x.Opt); err != nil {
				t.Fatal(err)
			}
		case !errors.Is(err, ErrSnapshot):
			t.Fatal(err)
		case len(y.Table.Files) != 0 || y.State().Files != 0:
			t.Fatal("a damaged snapshot left something in the index")
		}
	}
	if _, err := y.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	same(t, y)
	if err := y.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMatches(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	write(t, root, "image.dat", "a\x00b")
	x, path := saved(t, root, true)
	matches := func(what string, want bool) {
		t.Helper()
		if got, err := x.Matches(t.Context(), path); got != want || err != nil {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	matches("nothing changed", true)
	write(t, root, "more.go", "package more\n")
	matches("a file more", false)
	if err := os.Remove(filepath.Join(root, "more.go")); err != nil {
		t.Fatal(err)
	}
	matches("as before", true)
	write(t, root, "image.dat", "text now\n")
	matches("a skipped file became text", false)
	if _, err := x.Matches(t.Context(), path+".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no snapshot: %v", err)
	}
	if err := os.WriteFile(path, []byte("no snapshot"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Matches(t.Context(), path); !errors.Is(err, ErrSnapshot) {
		t.Errorf("no snapshot: %v", err)
	}
}

// TestRestoreBackground restores as a server does: a build does not wait for the graph
// that it makes again, which takes what comes meanwhile with it; and an index can be
// closed at any moment of that.
func TestRestoreBackground(t *testing.T) {
	root := unpack(t, "testdata/calls.txtar")
	_, path := saved(t, root, false)
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	background := func() *Index {
		x, err := Open(root, Options{Embedder: m, Background: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Restore(path); err != nil {
			t.Fatal(err)
		}
		return x
	}
	write(t, root, "zz/one.go", "package zz\n\nfunc One() { Two() }\n")
	x := background()
	for i, text := range []string{"package zz\n\nfunc Two() {}\n", "package zz\n\nfunc Two() { One() }\n"} {
		write(t, root, "zz/two.go", text)
		if _, err := x.Update(t.Context(), []string{"zz"}); err != nil {
			t.Fatal(i, err)
		}
	}
	if s := x.State(); s.Pending > 1 { // 1: restored, and not compared as a whole
		t.Errorf("the graph counts as pending: %+v", s)
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	x.Graph.Wait()
	x.Graph.Wait() // for what the first one left
	if x.State().GraphOld {
		t.Error("the graph is still behind")
	}
	same(t, x)
	portable := func(x *Index) []byte {
		to := filepath.Join(t.TempDir(), "a")
		if err := x.Save(t.Context(), to, true); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(portable(x), portable(build(t, root))) {
		t.Error("the graph is not that of a fresh index")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	for range 20 { // closed in the middle
		x := background()
		if _, err := x.Update(t.Context(), []string{"zz"}); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}
