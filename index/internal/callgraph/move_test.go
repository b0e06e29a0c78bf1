package callgraph

import (
	"fmt"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/internal/graph"
)

// TestMoveLooksOnce holds a first build of many files to one look at their changes:
// nothing of it can move, and a pass for every few of them would never end.
func TestMoveLooksOnce(t *testing.T) {
	c := &Graph{}
	for i := range 1000 {
		c.Changes = append(c.Changes, Change{Path: fmt.Sprintf("%d.go", i)})
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.moveSome(time.Now().Add(-time.Hour)) {
		t.Error("moveSome has left changes for another pass that cannot move")
	}
	if len(c.Changes) != 1000 {
		t.Errorf("%d changes are left of 1000", len(c.Changes))
	}
}

// While the graph is copied nobody waits for its lock who would change it: a lock that is waited for stops
// questions. The changes stay for the one who copies.
func TestCopied(t *testing.T) {
	c := &Graph{Graph: graph.New(), copying: true, Changes: []Change{{Path: "a.go"}}}
	c.Mu.RLock() // as the copy has it, and as questions do
	c.Resolve()
	if c.Shrink() {
		t.Error("a graph that is behind was shrunk")
	}
	c.Mu.RUnlock()
	if len(c.Changes) != 1 || !c.Behind() {
		t.Errorf("%d changes are left", len(c.Changes))
	}
}
