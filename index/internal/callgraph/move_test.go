package callgraph

import (
	"fmt"
	"testing"
	"time"
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
