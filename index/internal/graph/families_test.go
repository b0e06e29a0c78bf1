package graph_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/source"
)

// mixed returns the archives of a tree in all languages, n of each.
func mixed(t *testing.T, n int) (archives []string) {
	t.Helper()
	folders, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		all, err := filepath.Glob(folder + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, all[:min(n, len(all))]...)
	}
	if len(archives) == 0 {
		t.Fatal("no cases")
	}
	return archives
}

// unpacked returns the sources of archives, by language, case and path.
func unpacked(t *testing.T, archives []string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range archives {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Join(path.Base(path.Dir(name)), strings.TrimSuffix(path.Base(name), ".txtar"))
		for _, f := range txtar.Parse(text).Files {
			if f.Name != "want" && !graph.IsConfig(f.Name) {
				files[path.Join(dir, f.Name)] = f.Data
			}
		}
	}
	return files
}

// familyOf is the family of a file.
func familyOf(name string, text []byte) string { return graph.FamilyName(source.Language(name, text)) }

// TestFamilies checks that a tree in many languages has what the files of each family
// have alone, and that nothing leads from one to another.
func TestFamilies(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	files := unpacked(t, mixed(t, 12))
	families := map[string]map[string][]byte{}
	for name, text := range files {
		of := familyOf(name, text)
		if families[of] == nil {
			families[of] = map[string][]byte{}
		}
		families[of][name] = text
	}
	if len(families) < 12 {
		t.Fatalf("%d families", len(families))
	}
	whole := built(p, files)
	var apart []string
	for _, own := range families {
		apart = append(apart, described(built(p, own))...)
	}
	slices.Sort(apart)
	if got := described(whole); !slices.Equal(got, apart) {
		t.Error("what the families have alone is not what they have together")
		difference(t, got, apart)
	}
	whole.Each(func(e edge.Edge) bool {
		from, to := whole.Node(e.From), whole.Node(e.To)
		if e.From/graph.MaxNodes != e.To/graph.MaxNodes || to.Path != "" && graph.FamilyName(from.Language) != graph.FamilyName(to.Language) {
			t.Errorf("%s leads to %s", label(whole, e.From), label(whole, e.To))
		}
		if from.Outer != 0 && from.Outer/graph.MaxNodes != e.From/graph.MaxNodes {
			t.Errorf("%s is in a node of another family", label(whole, e.From))
		}
		return true
	})
}

// TestEach checks that the edges of all families come by path.
func TestEach(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	g := built(p, unpacked(t, mixed(t, 3)))
	for name, g := range map[string]*graph.Graph{"live": g, "frozen": g.Frozen()} {
		var edges, sites []string
		g.Each(func(e edge.Edge) bool {
			edges = append(edges, g.PathOf(e.From))
			return true
		})
		g.EachSite(func(s edge.Site) bool {
			sites = append(sites, g.PathOf(s.From))
			return true
		})
		if !slices.IsSorted(edges) || !slices.IsSorted(sites) || len(edges) != g.Stats().Edges && name == "frozen" {
			t.Errorf("%s: %d edges and %d sites, not by path", name, len(edges), len(sites))
		}
		count := 0
		g.Each(func(edge.Edge) bool { count++; return count < 5 })
		if count != 5 {
			t.Errorf("%s: %d edges of 5", name, count)
		}
	}
}

// TestEditOfOneFamily checks that a change asks for files of its own family alone, and
// that a file which comes to be of another language is in one family.
func TestEditOfOneFamily(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	files := unpacked(t, mixed(t, 6))
	g := graph.New()
	for name, text := range files {
		put(g, p, name, text)
	}
	load := lowering(p, files)
	var mu sync.Mutex
	asked := map[string]bool{}
	g.Reload(func(name string, spare *ir.Spare) *ir.File {
		mu.Lock()
		defer mu.Unlock()
		asked[familyOf(name, files[name])] = true
		return load(name, spare)
	}, 1)
	g.Resolve()
	clear(asked)
	changed := ""
	for name, text := range files {
		if strings.HasSuffix(name, ".go") && (changed == "" || name < changed) {
			changed = name
			files[name] = append(slices.Clone(text), "\nfunc one() { two() }\n\nfunc two() {}\n"...)
		}
	}
	put(g, p, changed, files[changed])
	g.Resolve()
	if len(asked) > 1 || len(asked) == 1 && !asked["go"] {
		t.Errorf("a change of a file of Go asked for files of %v", asked)
	}

	put(g, p, "script", []byte("#!/bin/bash\none() { two; }\n"))
	g.Resolve()
	bash := g.File("script")
	put(g, p, "script", []byte("#!/usr/bin/env python3\ndef three():\n    pass\n"))
	g.Resolve()
	if n := g.Node(g.File("script")); n.Language != "python" || g.Node(bash).Path != "" {
		t.Errorf("a script is of %s, and of %q before", n.Language, g.Node(bash).Language)
	}
	g.Remove("script")
	g.Resolve()
	if g.Has("script") {
		t.Error("a script that is gone is still there")
	}
}
