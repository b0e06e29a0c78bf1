package host

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/quarry-search/quarry/index"
)

// TestKeptGraph has a process that answers once keep the call graph, where what it took over was
// saved before that was made: else every such process would make it.
func TestKeptGraph(t *testing.T) {
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	write(t, filepath.Join(root, "a.go"), "package a\n\nfunc F() { G() }\n\nfunc G() {}\n")
	kept := func() (*index.Index, *Kept) {
		t.Helper()
		x, err := index.Open(root, index.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
		return x, &Kept{Root: root, Dir: dir, Log: slog.New(slog.DiscardHandler), Lock: func() (func(), bool, error) { return func() {}, true, nil }}
	}
	build := func(x *index.Index) {
		t.Helper()
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	x, k := kept()
	build(x)
	if err := k.Save(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	// A server that ends soon after a change has its call graph in no file.
	write(t, filepath.Join(root, "b.go"), "package a\n\nfunc H() { F() }\n")
	build(x)
	if ok, err := x.SaveDelta(t.Context(), filepath.Join(dir, deltaName), SnapshotOf(dir), false); err != nil || !ok {
		t.Fatal(ok, err)
	}
	for n, lacks := range []bool{true, false} {
		x, k := kept()
		if b := k.Restore(x); !b.Kept || k.lacks != lacks {
			t.Fatalf("process %d: %+v, the graph is lacking: %v", n, b, k.lacks)
		}
		build(x)
		if err := k.Save(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
}
