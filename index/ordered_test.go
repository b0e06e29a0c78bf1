package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBelow holds the list by path to the files themselves, while these come and go.
func TestBelow(t *testing.T) {
	tab, err := newTable(0)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "a-b", "a.go", "a/b", "a/b.go", "a/b/c", "a0", "b", "b/a", "ab/c", "a/", "z/z/z"}
	paths := func() string { return fmt.Sprintf("%s/%d", names[r.IntN(len(names))], r.IntN(40)) }
	for range 3000 {
		switch path := paths(); {
		case r.IntN(3) == 0:
			if old := tab.files[path]; old != nil {
				tab.remove(old, nil)
			}
		case tab.files[path] == nil:
			tab.enter(&record{path: path})
		}
		if r.IntN(4) > 0 {
			continue
		}
		folder := append(names, "", ".", "a/b/c/1", "none")[r.IntN(len(names)+4)]
		var want []*record
		for _, one := range slices.SortedFunc(maps.Values(tab.files), comparePaths) {
			if within(one.path, folder) {
				want = append(want, one)
			}
		}
		if got := tab.below(folder); !slices.Equal(got, want) {
			t.Fatalf("below %q: %d records, want %d", folder, len(got), len(want))
		}
	}
}

// TestManyChanges has more change than is worth merging.
func TestManyChanges(t *testing.T) {
	tab, err := newTable(0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		tab.enter(&record{path: fmt.Sprintf("%03d", i)})
		if i == 10 {
			tab.below("")
		}
	}
	if tab.ordered.list != nil {
		t.Error("all changes are kept, to be merged")
	}
	if n := len(tab.below("")); n != 1000 {
		t.Errorf("%d files", n)
	}
}
