package index

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/verify"
)

// lowered is a text as the call graph takes it.
func lowered(t *testing.T, language, text string) *ir.File {
	t.Helper()
	p := lang.NewParser()
	defer p.Close()
	f, tree := p.ParseTree(language, []byte(text))
	return lower.File(&f, tree)
}

// TestBrokenGraph makes the resolver fail in one language: its graph is lost, and says so. The others go on.
func TestBrokenGraph(t *testing.T) {
	c := callgraph.Graph{Log: slog.New(slog.DiscardHandler), Graph: graph.New(), Generation: func() uint64 { return 0 }, Observer: store.Unobserved{}}
	c.Note(callgraph.Change{Path: "a.go", File: &ir.File{Language: "go"}}) // without its top-level code
	c.Resolve()
	if !c.Broken.Load() || c.Graph.Has("a.go") {
		t.Errorf("broken is %v, and the graph has the file: %v", c.Broken.Load(), c.Graph.Has("a.go"))
	}
	c.Note(callgraph.Change{Path: "b.go"})
	c.Note(callgraph.Change{Path: "b.py", File: lowered(t, "python", "def b():\n    return b()\n")})
	c.Resolve()
	if !c.Broken.Load() || !c.Graph.Has("b.py") {
		t.Errorf("broken is %v, and the graph has a file of another language: %v", c.Broken.Load(), c.Graph.Has("b.py"))
	}
	if c.Behind() {
		t.Error("changes wait for a graph that does not take them")
	}
}

// TestAside brings a graph up to date as a server does with a large one: answers come
// from the old one meanwhile and say so, changes go on, and in the end the graph is that
// of an index built afresh.
func TestAside(t *testing.T) {
	root := unpack(t, "testdata/calls.txtar")
	x, err := Open(root, Options{Background: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	x.Graph.Large = 1
	for n := range 20 {
		for i := range 2 {
			name := fmt.Sprintf("more%d.go", (n+i)%3)
			write(t, root, name, fmt.Sprintf("package main\n\nfunc added%d() { added%d() }\n\n// %s\nfunc more%d() { added%d() }\n", n, i, strings.Repeat("x", n), i, n))
			if _, err := x.Update(t.Context(), []string{name}); err != nil {
				t.Fatal(err)
			}
			if _, err := x.Calls(t.Context(), calls.CallsQuery{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for x.Graph.Behind() {
		x.Graph.Wait()
		x.Graph.Resolve()
	}
	v, err := x.Verify(t.Context(), verify.VerifyOptions{})
	if err != nil || !v.Proved {
		t.Errorf("%v: %+v", err, v)
	}
}
