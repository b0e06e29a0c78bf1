package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// TestBelow holds the list by path to the files themselves, while these come and go.
func TestBelow(t *testing.T) {
	tab, err := store.NewTable(vector.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "a-b", "a.go", "a/b", "a/b.go", "a/b/c", "a0", "b", "b/a", "ab/c", "a/", "z/z/z"}
	paths := func() string { return fmt.Sprintf("%s/%d", names[r.IntN(len(names))], r.IntN(40)) }
	for range 3000 {
		switch path := paths(); {
		case r.IntN(3) == 0:
			if old := tab.Files[path]; old != nil {
				tab.Remove(old, nil)
			}
		case tab.Files[path] == nil:
			tab.Enter(&store.Record{Path: path})
		}
		if r.IntN(4) > 0 {
			continue
		}
		folder := append(names, "", ".", "a/b/c/1", "none")[r.IntN(len(names)+4)]
		var want []*store.Record
		for _, one := range slices.SortedFunc(maps.Values(tab.Files), store.ComparePaths) {
			if source.Within(one.Path, folder) {
				want = append(want, one)
			}
		}
		if got := tab.Below(folder); !slices.Equal(got, want) {
			t.Fatalf("below %q: %d records, want %d", folder, len(got), len(want))
		}
	}
}

// TestManyChanges has more change than is worth merging.
func TestManyChanges(t *testing.T) {
	tab, err := store.NewTable(vector.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		tab.Enter(&store.Record{Path: fmt.Sprintf("%03d", i)})
		if i == 10 {
			tab.Below("")
		}
	}
	if tab.Ordered.List != nil {
		t.Error("all changes are kept, to be merged")
	}
	if n := len(tab.Below("")); n != 1000 {
		t.Errorf("%d files", n)
	}
}
