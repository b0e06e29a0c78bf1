package index

import (
	"fmt"
	"testing"
	"time"
)

// TestMoveLooksOnce holds a first build of many files to one look at their changes:
// nothing of it can move, and a pass for every few of them would never end.
func TestMoveLooksOnce(t *testing.T) {
	c := &callGraph{}
	for i := range 1000 {
		c.changes = append(c.changes, graphChange{path: fmt.Sprintf("%d.go", i)})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.moveSome(time.Now().Add(-time.Hour)) {
		t.Error("moveSome has left changes for another pass that cannot move")
	}
	if len(c.changes) != 1000 {
		t.Errorf("%d changes are left of 1000", len(c.changes))
	}
}
