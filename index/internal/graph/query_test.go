package graph_test

import (
	"cmp"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// projects returns the cases of each folder in one project.
func projects(t testing.TB) map[string]map[string][]byte {
	t.Helper()
	folders, err := filepath.Glob("testdata/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	all := map[string]map[string][]byte{}
	for _, folder := range folders {
		archives, err := filepath.Glob(folder + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, name := range archives {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := strings.TrimSuffix(filepath.Base(name), ".txtar")
			for _, f := range txtar.Parse(text).Files {
				if f.Name != "want" && !graph.IsConfig(f.Name) {
					files[path.Join(dir, f.Name)] = f.Data
				}
			}
		}
		if len(files) > 0 {
			all[filepath.Base(folder)] = files
		}
	}
	return all
}

// built makes the graph of some files.
func built(p *syntax.Parser, files map[string][]byte) *graph.Graph {
	g := graph.New()
	for name, text := range files {
		put(g, p, name, text)
	}
	g.Resolve()
	return g
}

// TestOut checks that each node has all edges and sites that begin there, in the order
// of the text.
func TestOut(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	for name, files := range projects(t) {
		t.Run(name, func(t *testing.T) { testOut(t, built(p, files)) })
	}
}

func testOut(t *testing.T, g *graph.Graph) {
	edges := map[edge.ID]map[edge.Edge]int{}
	g.Each(func(e edge.Edge) bool {
		if edges[e.From] == nil {
			edges[e.From] = map[edge.Edge]int{}
		}
		edges[e.From][e]++
		return true
	})
	for from, want := range edges {
		got := map[edge.Edge]int{}
		var list []edge.Edge
		g.Out(from, func(e edge.Edge) bool {
			got[e]++
			list = append(list, e)
			return true
		})
		if !maps.Equal(got, want) {
			t.Errorf("%s has the edges %v, want %v", label(g, from), got, want)
		}
		if !slices.IsSortedFunc(list, func(a, b edge.Edge) int { return cmp.Compare(a.Pos, b.Pos) }) {
			t.Errorf("the edges from %s are not in the order of the text", label(g, from))
		}
	}
	sites := map[edge.ID]int{}
	g.EachSite(func(s edge.Site) bool {
		sites[s.From]++
		return true
	})
	for from, want := range sites {
		got := 0
		g.Sites(from, func(edge.Site) bool {
			got++
			return true
		})
		if got != want {
			t.Errorf("%s has %d sites, want %d", label(g, from), got, want)
		}
	}
}
