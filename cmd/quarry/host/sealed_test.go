package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/search"
)

// TestSealed has projects of snapshots come, make room for each other, be replaced and go.
func TestSealed(t *testing.T) {
	dir := t.TempDir()
	snapshotOf := func(name string) string { return filepath.Join(dir, name) }
	save := func(name, word string) {
		t.Helper()
		x, err := index.Open(tree(t, word), index.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := x.Save(t.Context(), snapshotOf(name), true); err != nil {
			t.Fatal(err)
		}
	}
	save("lamp", "lamp")
	save("desk", "desk")
	var taken atomic.Int64
	h := New(Options{
		Budget: 1000 << 20, taken: taken.Load, Snapshot: snapshotOf,
		Open: func(_ context.Context, name string) (*index.Index, error) {
			x, err := index.Open(name, index.Options{Workers: 1, Sealed: true})
			if err == nil {
				err = x.RestoreWith(snapshotOf(name), index.RestoreOptions{Foreign: true})
			}
			return x, err
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"lamp", "desk"} {
		if err := h.Know(name, 1, 1, true); err != nil {
			t.Fatal(err)
		}
	}
	loaded := func(want ...string) {
		t.Helper()
		if got := h.Loaded(); !slices.Equal(got, want) {
			t.Errorf("in memory are %q, want %q", got, want)
		}
	}
	loaded()
	for _, name := range []string{"lamp", "desk"} {
		if n := finds(t, h, name, name+"Word"); n != 1 {
			t.Errorf("%s: %d found", name, n)
		}
	}
	loaded("lamp", "desk")

	// What is in use stays until it is not; then it ends.
	p, release, err := h.Acquire(t.Context(), "lamp")
	if err != nil {
		t.Fatal(err)
	}
	save("lamp", "lantern")
	replaced := make(chan error, 1)
	go func() { replaced <- h.Replace(t.Context(), "lamp") }()
	eventually(t, func() error {
		if finds(t, h, "lamp", "lanternWord") != 1 {
			return errors.New("it is not replaced")
		}
		return nil
	})
	if a, err := p.Index.Search(t.Context(), search.Query{Text: "lampWord"}); err != nil || len(a.Results) != 1 {
		t.Errorf("what is in use: %d found, %v", len(a.Results), err)
	}
	release()
	if err := <-replaced; err != nil {
		t.Error(err)
	}

	// Without room for two, what is replaced leaves the memory, and the next request brings the new one.
	taken.Store(2000 << 20)
	save("lamp", "torch")
	if err := h.Replace(t.Context(), "lamp"); err != nil {
		t.Error(err)
	}
	loaded()
	if n := finds(t, h, "lamp", "torchWord"); n != 1 {
		t.Errorf("%d found", n)
	}
	loaded("lamp")
	p, release, err = h.Acquire(t.Context(), "lamp")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Acquire(t.Context(), "desk"); !errors.As(err, new(*api.BusyError)) {
		t.Errorf("there is no room: %v", err)
	}
	release()
	_ = p
	taken.Store(0)

	// One that cannot be opened leaves what is there.
	if err := os.WriteFile(snapshotOf("lamp"), []byte("no snapshot"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.Replace(t.Context(), "lamp"); !errors.Is(err, index.ErrSnapshot) {
		t.Errorf("a broken snapshot: %v", err)
	}
	if n := finds(t, h, "lamp", "torchWord"); n != 1 {
		t.Errorf("%d found", n)
	}
	if err := errors.Join(h.Drop(t.Context(), "lamp"), h.Drop(t.Context(), "none")); err != nil {
		t.Error(err)
	}
	loaded()
	if _, _, err := h.Acquire(t.Context(), "lamp"); !errors.As(err, new(*api.ProjectError)) {
		t.Errorf("a project that is gone: %v", err)
	}
}
