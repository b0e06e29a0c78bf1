package graph_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	languages "github.com/quarry-search/quarry/index/internal/lang"
)

// TestOrder has the smallest changes known after which the graph depended on what there
// was before: testdata/order has files as they were, below old, and as they are, below new.
func TestOrder(t *testing.T) {
	archives, err := filepath.Glob("testdata/order/*.txt")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range archives {
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			old, now := map[string][]byte{}, map[string][]byte{}
			for _, f := range a.Files {
				if path, ok := strings.CutPrefix(f.Name, "old/"); ok {
					old[path] = f.Data
				} else {
					now[strings.TrimPrefix(f.Name, "new/")] = f.Data
				}
			}
			p := languages.NewParser()
			defer p.Close()
			g := built(p, old)
			for _, path := range slices.Sorted(maps.Keys(old)) {
				if now[path] == nil {
					g.Remove(path)
				}
			}
			for path, text := range now {
				put(g, p, path, text)
			}
			g.Resolve()
			err = graph.Compare(t.Context(), g, built(p, now), func(d frozen.Difference) {
				t.Errorf("%s %s: %s, which only one has (fresh: %v)", d.What, d.Path, d.Text, d.Lack)
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
