package index

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
)

// branches are the files of two branches: most differ.
func branches(name string) map[string]string {
	out := map[string]string{"go.mod": "module example.com/" + name + "\n"}
	for i := range 24 {
		out[fmt.Sprintf("p%d/f.go", i%5+i)] = fmt.Sprintf("package p\n\n// %s%d is of a branch.\nfunc %s%d() int { return %s%d() }\n", name, i, name, i, name, i+1)
	}
	out[name+"/only.py"] = "def " + name + "():\n    return 1\n"
	return out
}

func checkout(t testing.TB, root, from, to string) {
	t.Helper()
	for name := range branches(from) {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range branches(to) {
		write(t, root, name, text)
	}
}

// cached opens an index of a root that keeps packs in a folder.
func cached(t testing.TB, root, dir string) *Index {
	t.Helper()
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(root, Options{Embedder: m, CacheDir: dir})
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

func packsIn(t testing.TB, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPacks switches a root between two branches: each is embedded once. So does
// another root, which finds what the first one has kept; and one where the files lie
// elsewhere parses nothing.
func TestPacks(t *testing.T) {
	dir, root := filepath.Join(t.TempDir(), "cache"), t.TempDir()
	for name, text := range branches("one") {
		write(t, root, name, text)
	}
	x := cached(t, root, dir)
	for i, step := range []struct {
		from, to string
		known    bool
		packs    int
	}{{"one", "one", false, 0}, {"one", "two", false, 1}, {"two", "one", true, 2}, {"one", "two", true, 2}} {
		if i > 0 {
			checkout(t, root, step.from, step.to)
		}
		before := x.Work()
		report, err := x.Build(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		parsed := x.Work().Parsed - before.Parsed
		if step.known != (report.Embedded == 0) || step.known != (parsed == 0) {
			t.Errorf("step %d: %d files parsed, %+v", i, parsed, report)
		}
		if got := packsIn(t, dir); len(got) != step.packs {
			t.Errorf("step %d: packs %v, want %d", i, got, step.packs)
		}
		same(t, x)
	}

	other, moved := t.TempDir(), t.TempDir()
	for name, text := range branches("one") {
		write(t, other, name, text)
		write(t, moved, "sub/"+name, text)
	}
	for at, embedded := range map[string]bool{other: false, moved: true} {
		y := cached(t, at, dir)
		report, err := y.Build(t.Context(), nil)
		if w := y.Work(); err != nil || w.Parsed != 0 || w.Reused != uint64(report.Added) || embedded != (report.Embedded > 0) {
			t.Errorf("%+v, %+v (%v)", report, w, err)
		}
		same(t, y)
	}
}

func TestPacksDamaged(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	for name, text := range branches("one") {
		write(t, root, name, text)
	}
	x := cached(t, root, dir)
	for _, way := range [][2]string{{"one", "two"}, {"two", "one"}} {
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		checkout(t, root, way[0], way[1])
	}
	kept := packsIn(t, dir)
	if len(kept) != 1 {
		t.Fatalf("packs %v", kept)
	}
	whole, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	for what, b := range map[string][]byte{"cut": whole[:len(whole)/2], "none": {}, "objects": append(append([]byte{}, whole[:len(whole)-2000]...), make([]byte, 2000)...)} {
		if err := os.WriteFile(kept[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		y := cached(t, root, dir)
		if _, err := y.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if left := packsIn(t, dir); len(left) != 0 {
			t.Errorf("%s: %v is still there", what, left)
		}
		if y.Work().Parsed == 0 {
			t.Errorf("%s: nothing was parsed", what)
		}
		same(t, y)
	}
}

// TestManyLate changes as many files as a server does not lower one by one: the update
// does not wait for the graph, which is made again. So few that really differ are lowered
// after all.
func TestManyLate(t *testing.T) {
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	fill := func(changed int) {
		for i := range 300 {
			text := fmt.Sprintf("package p\n\nfunc F%d() { F%d() }\n", i, (i+1)%300)
			if i < changed {
				text = fmt.Sprintf("package p\n\nfunc F%d() { F%d() }\n", i, (i+changed)%300)
			}
			write(t, root, fmt.Sprintf("f%d.go", i), text)
		}
	}
	fill(0)
	x, err := Open(root, Options{Embedder: m, Background: true, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, changed := range []int{0, 300, 300, 290, 7, 0} {
		fill(changed)
		before := x.Work()
		if _, err := x.Update(t.Context(), []string{"."}); err != nil {
			t.Fatal(err)
		}
		if s := x.State(); s.State != answer.Ready {
			t.Errorf("%d changed: %+v", changed, s)
		}
		x.Graph.Wait()
		if s := x.State(); s.GraphOld {
			t.Errorf("%d changed: the graph is still behind", changed)
		}
		if w := x.Work(); changed == 0 && w.Parsed != before.Parsed && before.Parsed > 0 {
			t.Errorf("back again: %+v, %+v before", w, before)
		}
		if !bytes.Equal(portable(t, x), portable(t, build(t, root))) {
			t.Fatalf("%d changed: the graph is not that of a fresh index", changed)
		}
	}
	// While a graph is being made, as many come again.
	for changed := range 6 {
		fill(60 * changed)
		if _, err := x.Update(t.Context(), []string{"."}); err != nil {
			t.Fatal(err)
		}
	}
	x.Graph.Wait()
	if !bytes.Equal(portable(t, x), portable(t, build(t, root))) {
		t.Error("after many changes, the graph is not that of a fresh index")
	}
}
