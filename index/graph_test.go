package index

import (
	"log/slog"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// TestBrokenGraph makes the resolver fail: the graph is lost, and says so.
func TestBrokenGraph(t *testing.T) {
	c := callGraph{log: slog.New(slog.DiscardHandler), graph: graph.New()}
	c.note(graphChange{path: "a.go", file: &ir.File{Language: "go"}}) // without its top-level code
	c.resolve()
	if !c.broken.Load() || c.graph.Has("a.go") {
		t.Errorf("broken is %v, and the graph has the file: %v", c.broken.Load(), c.graph.Has("a.go"))
	}
	c.note(graphChange{path: "b.go"})
	c.resolve()
	if c.behind() {
		t.Error("changes wait for a graph that does not take them")
	}
}
