package graph_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// put parses, lowers and enters a file.
func put(g *graph.Graph, p *syntax.Parser, path string, text []byte) {
	if graph.IsConfig(path) {
		g.Config(path, text)
		return
	}
	lang := source.Language(path, text)
	f, tree := p.ParseTree(lang, text)
	if low := lower.File(&f, tree); low != nil {
		g.Put(path, low)
	}
}

// label is a node as the cases write it.
func label(g *graph.Graph, id edge.ID) string {
	n := g.Node(id)
	if n.Name == "" {
		return n.Path
	}
	return n.Path + ":" + n.Name
}

// edges writes a graph in the form of the cases.
func edges(g *graph.Graph) []string {
	var out []string
	g.Each(func(e edge.Edge) bool {
		to := g.Node(e.To)
		switch {
		case to.Kind == edge.FuncNode && (to.Name == "" || strings.HasSuffix(to.Name, ".")):
			return true // a function literal
		case e.Kind != edge.Calls:
			out = append(out, fmt.Sprintf("%s : %s %s", label(g, e.From), label(g, e.To), e.Kind))
		case e.Confidence >= edge.Possible:
			out = append(out, fmt.Sprintf("%s ~> %s", label(g, e.From), label(g, e.To)))
		default:
			out = append(out, fmt.Sprintf("%s -> %s", label(g, e.From), label(g, e.To)))
		}
		if e.Kind == edge.Calls && g.Node(e.From).Flags&ir.TestFunc != 0 && to.Flags&ir.TestFunc == 0 {
			out = append(out, fmt.Sprintf("%s : %s tests", label(g, e.From), label(g, e.To)))
		}
		return true
	})
	g.EachSite(func(s edge.Site) bool {
		mark := "??"
		if s.Reason == edge.External {
			mark = "!!"
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", label(g, s.From), mark, s.Name)))
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// kindOf is what a line of a case is about.
func kindOf(line string) string {
	fields := strings.Fields(line)
	if len(fields) > 1 && fields[1] == ":" {
		return fields[len(fields)-1]
	}
	if len(fields) > 1 && fields[1] == "!!" {
		return "!!"
	}
	return "calls"
}

// TestCases compares the edges of small projects with those that their authors
// wrote by hand.
func TestCases(t *testing.T) {
	folders, err := filepath.Glob("testdata/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			files, err := filepath.Glob(folder + "/*.txtar")
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range files {
				t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
					text, err := os.ReadFile(name)
					if err != nil {
						t.Fatal(err)
					}
					testCase(t, txtar.Parse(text))
				})
			}
		})
	}
}

func testCase(t *testing.T, a *txtar.Archive) {
	p := languages.NewParser()
	defer p.Close()
	files := map[string][]byte{}
	var want []string
	for _, f := range a.Files {
		if f.Name != "want" {
			files[f.Name] = f.Data
			continue
		}
		for line := range bytes.Lines(f.Data) {
			if line := strings.Join(strings.Fields(string(line)), " "); line != "" && !strings.HasPrefix(line, "#") {
				want = append(want, line)
			}
		}
	}
	if len(want) == 0 {
		t.Fatal("the case wants nothing")
	}
	kinds := map[string]bool{"calls": true}
	for _, line := range want {
		kinds[kindOf(line)] = true
	}
	whole, large := graph.New(), graph.New()
	large.Reload(lowering(p, files), -1) // as in a project too large: no file is at hand but the one that is evaluated
	for _, g := range []*graph.Graph{whole, large} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			put(g, p, name, files[name])
		}
		g.Resolve()
	}
	compare(t, edges(whole), want, kinds)
	if got, want := described(large), described(whole); !slices.Equal(got, want) {
		difference(t, got, want)
		t.Error("as a large project it has another graph")
	}
}

// compare compares the lines of a graph whose kinds a case has with those it wants.
func compare(t *testing.T, lines, want []string, kinds map[string]bool) {
	t.Helper()
	var got []string
	for _, line := range lines {
		if kinds[kindOf(line)] {
			got = append(got, line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("missing: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("extra:   %s", line)
		}
	}
}
