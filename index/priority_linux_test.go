package index

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quarry-search/quarry/index/internal/callgraph"
)

// What a graph is solved with yields to everybody, but the locks for which questions
// wait are taken at their priority: with all processors busy, a thread that yields has
// them for as long as it waits for its turn.
func TestLocksAtNormalPriority(t *testing.T) {
	nice := func() int { // as the system call has it: 20 less the nice value
		n, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	normal := nice()
	if normal <= 20-15 {
		t.Skip("the test itself runs at the priority of background work")
	}
	root := t.TempDir()
	write(t, root, "a.go", "package shop\n\nfunc A() { B() }\n\nfunc B() {}\n")
	x, err := Open(root, Options{Background: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.Graph.Large = 1 // so that all changes are made aside
	swapped := make(chan int, 100)
	changed := x.Graph.Changed
	x.Graph.Changed = func() {
		swapped <- nice()
		changed()
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	x.Graph.Wait()
	write(t, root, "a.go", "package shop\n\nfunc A() { B(); B() }\n\nfunc B() {}\n\nfunc C() { A() }\n")
	if _, err := x.Update(t.Context(), []string{"a.go"}); err != nil {
		t.Fatal(err)
	}
	x.Graph.Wait()
	solved := 0
	callgraph.Quietly(func() { solved = nice() })
	if solved != 20-15 {
		t.Errorf("work that yields has the priority %d", solved)
	}
	close(swapped)
	n := 0
	for got := range swapped {
		if n++; got != normal {
			t.Errorf("the graph was put in its place at priority %d, not %d", got, normal)
		}
	}
	if n == 0 {
		t.Error("no graph was put in its place")
	}
}
