package index

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// saveDelta writes a delta that must be possible, next to the base.
func saveDelta(t testing.TB, x *Index, base string, calls bool) string {
	t.Helper()
	path := base + ".delta"
	if ok, err := x.SaveDelta(t.Context(), path, base, calls); !ok || err != nil {
		t.Fatalf("no delta: %v, %v", ok, err)
	}
	return path
}

func restoreDelta(t testing.TB, root, base, delta string) *Index {
	t.Helper()
	x := open(t, root)
	if err := x.RestoreDelta(base, delta); err != nil {
		t.Fatal(err)
	}
	return x
}

// portable returns the bytes of a portable snapshot.
func portable(t testing.TB, x *Index) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "portable")
	if err := x.Save(t.Context(), path, true); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// edited returns an index of a tree that was saved and has changed since: one file is
// another, one is gone, one is new.
func edited(t testing.TB) (x *Index, base string) {
	t.Helper()
	root := unpack(t, "testdata/calls.txtar")
	x, base = saved(t, root, false)
	files := names(t, root)
	write(t, root, files[0], "package changed\n\nfunc Changed() {}\n")
	if err := os.Remove(filepath.Join(root, files[1])); err != nil {
		t.Fatal(err)
	}
	write(t, root, "new/new.go", "package new\n\nfunc New() { println(1) }\n")
	write(t, root, "image.dat", "a\x00b")
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x, base
}

func TestDelta(t *testing.T) {
	x, base := edited(t)
	want := portable(t, build(t, x.Root()))
	for _, calls := range []bool{false, true} {
		y := restoreDelta(t, x.Root(), base, saveDelta(t, x, base, calls))
		if diff := gocmp.Diff(dump(x), dump(y)); diff != "" {
			t.Fatalf("before a build (-saved +restored):\n%s", diff)
		}
		if s := y.State(); s.GraphOld == calls || s.Generation <= x.State().Generation {
			t.Errorf("with the graph %v: %+v", calls, s)
		}
		y.Tree.Refresh()
		files, _, err := y.Tree.Walk(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if r := y.Table.Files[f.Path]; r != nil && r.ModTime != f.ModTime {
				t.Errorf("%s has the time %d in the index, %d in the folder", f.Path, r.ModTime, f.ModTime)
			}
		}
		// What is restored from a delta is saved as another of the same base.
		again := saveDelta(t, y, base, false)
		for range 2 {
			report, err := y.Build(t.Context(), nil)
			if err != nil || report.Added+report.Changed+report.Removed+report.Embedded != 0 {
				t.Errorf("nothing has changed, but the build did %+v (%v)", report, err)
			}
			same(t, y)
			if !bytes.Equal(portable(t, y), want) {
				t.Error("the snapshot is not that of a fresh index")
			}
			y = restoreDelta(t, x.Root(), base, again)
		}
	}
}

// TestDeltaSmall checks that a delta of nothing says nothing, that a file that is again
// what it was is not in it, and that one that is too large is not written.
func TestDeltaSmall(t *testing.T) {
	root := t.TempDir()
	for i := range 40 {
		write(t, root, fmt.Sprintf("f%d.go", i), fmt.Sprintf("package f\n\n// F%d returns a number.\nfunc F%d() int { return %d }\n", i, i, i))
	}
	x, base := saved(t, root, false)
	files := func() int {
		t.Helper()
		f, err := snapshot.Open(saveDelta(t, x, base, true))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Has(persist.SecGraph) {
			t.Error("there is a graph")
		}
		b, err := f.Section(persist.SecFiles)
		if err != nil {
			t.Fatal(err)
		}
		return snapshot.NewDecoder(b).Len(1)
	}
	if n := files(); n != 0 {
		t.Errorf("%d files differ, nothing has changed", n)
	}
	text, err := os.ReadFile(filepath.Join(root, "f7.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"package f\n", string(text)} {
		write(t, root, "f7.go", s)
		if _, err := x.Update(t.Context(), []string{"f7.go"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := files(); n != 0 {
		t.Errorf("%d files differ, one was changed and changed back", n)
	}
	for i := range persist.DeltaFiles + 1 {
		write(t, root, fmt.Sprintf("f%d.go", i), "package f\n")
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if ok, err := x.SaveDelta(t.Context(), base+".delta", base, true); ok || err != nil {
		t.Errorf("a delta of nearly half: %v, %v", ok, err)
	}
	if err := x.Save(t.Context(), base, false); err != nil {
		t.Fatal(err)
	}
	if n := files(); n != 0 {
		t.Errorf("%d files differ from what was just saved", n)
	}
}

// TestDeltaElsewhere follows random edits in copies of a root: each begins with the
// base and the delta of another one.
func TestDeltaElsewhere(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	texts := map[string]string{}
	some := func() {
		for range 1 + r.IntN(8) {
			name := fmt.Sprintf("%s/f%d%s", []string{"a", "b"}[r.IntN(2)], r.IntN(20), []string{".go", ".py"}[r.IntN(2)])
			if r.IntN(4) == 0 {
				delete(texts, name)
				continue
			}
			var b strings.Builder
			for range r.IntN(6) {
				f, g := fmt.Sprintf("thing%d", r.IntN(9)), fmt.Sprintf("thing%d", r.IntN(9))
				if strings.HasSuffix(name, ".go") {
					fmt.Fprintf(&b, "func %s() int { return %s() }\n\n", f, g)
				} else {
					fmt.Fprintf(&b, "def %s(x):\n    return %s(x)\n\n", f, g)
				}
			}
			if r.IntN(20) == 0 {
				b.WriteString("\x00")
			}
			texts[name] = b.String()
		}
	}
	copied := func() string {
		root := t.TempDir()
		for name, text := range texts {
			write(t, root, name, text)
		}
		return root
	}
	for range 12 {
		some()
	}
	_, base := saved(t, copied(), false)
	delta := ""
	for round := range 12 {
		x := restoreDelta(t, copied(), base, delta)
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		some()
		for name := range x.Table.Files {
			if _, ok := texts[name]; !ok {
				if err := os.Remove(filepath.Join(x.Root(), name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for name, text := range texts {
			write(t, x.Root(), name, text)
		}
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if ok, err := x.SaveDelta(t.Context(), base+".delta", base, round%2 == 0); err != nil {
			t.Fatal(err)
		} else if !ok {
			if err := x.Save(t.Context(), base, false); err != nil {
				t.Fatal(err)
			}
			delta = ""
		} else {
			delta = base + ".delta"
		}
		if !bytes.Equal(portable(t, x), portable(t, build(t, x.Root()))) {
			t.Fatalf("round %d: the snapshot is not that of a fresh index", round)
		}
	}
}

func TestDeltaRefuses(t *testing.T) {
	x, base := edited(t)
	path := saveDelta(t, x, base, true)
	other, elsewhere := saved(t, unpack(t, "testdata/search.txtar"), false)
	if ok, err := other.SaveDelta(t.Context(), path+".other", base, false); ok || err != nil {
		t.Errorf("a delta of the snapshot of another index: %v, %v", ok, err)
	}
	if ok, err := x.SaveDelta(t.Context(), path+".other", base+".none", false); ok || err != nil {
		t.Errorf("a delta of nothing: %v, %v", ok, err)
	}
	y := open(t, x.Root())
	refuses := func(what, base, delta string, want error) {
		t.Helper()
		if err := y.RestoreDelta(base, delta); !errors.Is(err, want) {
			t.Fatalf("%s: %v", what, err)
		}
		if len(y.Table.Files) != 0 || y.State().Files != 0 || y.base != nil {
			t.Fatalf("%s left something in the index", what)
		}
	}
	refuses("no base", base+".none", path, fs.ErrNotExist)
	refuses("no delta", base, path+".none", fs.ErrNotExist)
	refuses("the delta of another base", elsewhere, path, ErrSnapshot)
	refuses("a base as a delta", base, base, ErrSnapshot)
	refuses("a delta as a base", path, path, ErrSnapshot)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		b := bytes.Clone(whole)
		if n%2 == 0 {
			b = b[:r.IntN(len(b))]
		} else {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := y.RestoreDelta(base, path); err == nil { // it filled a gap
			if diff := gocmp.Diff(dump(x), dump(y)); diff != "" {
				t.Fatalf("damaged and restored (-saved +restored):\n%s", diff)
			}
			y = open(t, x.Root())
			continue
		}
		refuses("damage", base, path, ErrSnapshot)
	}
	if err := y.Restore(base); err != nil {
		t.Fatal(err)
	}
	if _, err := y.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	same(t, y)
}

// FuzzDelta puts any bytes into the sections of a delta: with right checksums, it is
// taken over as a whole or not at all.
func FuzzDelta(f *testing.F) {
	x, base := edited(f)
	d, err := snapshot.Open(saveDelta(f, x, base, false))
	if err != nil {
		f.Fatal(err)
	}
	var sections [5][]byte
	from := [...]string{persist.SecGone, persist.SecFiles, persist.SecText, persist.SecVectors, persist.SecStat}
	for i, name := range from {
		if sections[i], err = d.Section(name); err != nil {
			f.Fatal(err)
		}
	}
	meta, err := d.Section(persist.SecMeta)
	if err := errors.Join(err, d.Close()); err != nil {
		f.Fatal(err)
	}
	f.Add(sections[0], sections[1], sections[2], sections[3], sections[4])
	f.Add([]byte{0}, []byte{0, 0}, []byte{}, []byte{}, sections[4])
	f.Add([]byte{2, 1, 0}, sections[1], []byte{0, 0, 0}, sections[3], []byte{})
	f.Fuzz(func(t *testing.T, gone, files, text, vectors, stat []byte) {
		path := filepath.Join(t.TempDir(), "delta")
		w, err := snapshot.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w.Add(persist.SecMeta, meta)
		for i, b := range [][]byte{gone, files, text, vectors, stat} {
			w.Add(from[i], b)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		y := open(t, x.Root())
		if err := y.RestoreDelta(base, path); err != nil {
			if !errors.Is(err, ErrSnapshot) || len(y.Table.Files) > 0 {
				t.Fatal(err)
			}
			return
		}
		if _, err := y.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSimilar(t *testing.T) {
	x, base := edited(t)
	share := func(x *Index) float64 {
		t.Helper()
		share, err := x.Similar(base)
		if err != nil {
			t.Fatal(err)
		}
		return share
	}
	if got := share(open(t, unpack(t, "testdata/calls.txtar"))); got != 1 {
		t.Errorf("a copy: %v, want 1", got)
	}
	if got := share(x); got >= 1 || got < 0.5 {
		t.Errorf("with changes: %v", got)
	}
	if got := share(open(t, unpack(t, "testdata/search.txtar"))); got > 0.1 {
		t.Errorf("another tree: %v", got)
	}
	if _, err := x.Similar(base + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no snapshot: %v", err)
	}
	y, err := Open(x.Root(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if _, err := y.Similar(base); !errors.Is(err, ErrSnapshot) {
		t.Errorf("without the model: %v", err)
	}
}
