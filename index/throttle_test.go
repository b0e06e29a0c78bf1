package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/throttle"
)

// paced is a root with many files and an index of it that pauses while held says so.
func paced(t *testing.T, files int) (x *Index, root string, held *atomic.Bool) {
	t.Helper()
	root = t.TempDir()
	for n := range files {
		writeNumbered(t, root, n, "first")
	}
	held = new(atomic.Bool)
	x, err := Open(root, Options{Background: true, Throttle: throttle.New(func(time.Time) string {
		if held.Load() {
			return "the test holds it"
		}
		return ""
	})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x, root, held
}

func writeNumbered(t *testing.T, root string, n int, word string) {
	t.Helper()
	text := fmt.Sprintf("package many\n\nfunc Number%d() { Number%d() } // %s\n", n, n+1, word)
	if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("f%d.go", n)), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// running has x work off its queue until the test ends.
func running(t *testing.T, x *Index) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestPaused: while work is paused, the state says why and that there is something to do,
// a small change goes through, and who waits for the rest gets it.
func TestPaused(t *testing.T) {
	x, root, held := paced(t, 3*callgraph.SmallWork)
	held.Store(true)
	running(t, x)
	soon(t, "the first build is paused", func() bool { return x.State().Paused != "" })
	if s := x.State(); s.State != answer.Indexing || s.Pending == 0 || s.Paused != "the test holds it" {
		t.Errorf("paused: %+v", s)
	}
	held.Store(false)
	soon(t, "the build ends", func() bool { return x.State().State == answer.Ready })
	if s := x.State(); s.Paused != "" || s.Files != 3*callgraph.SmallWork {
		t.Errorf("built: %+v", s)
	}

	held.Store(true)
	time.Sleep(1100 * time.Millisecond) // the policy is asked again after a second
	writeNumbered(t, root, 0, "second")
	if r, err := x.Update(t.Context(), []string{"f0.go"}); err != nil || r.Changed != 1 {
		t.Fatalf("a small change: %+v, %v", r, err)
	}

	for n := range 3 * callgraph.SmallWork {
		writeNumbered(t, root, n, "third and longer")
	}
	if _, _, err := x.Invalidate(Invalidation{All: true}); err != nil {
		t.Fatal(err)
	}
	soon(t, "the update is paused", func() bool { return x.State().Paused != "" })
	if s := x.State(); s.State != answer.Stale || s.Pending == 0 || s.Freshness != answer.Dated {
		t.Errorf("paused: %+v", s)
	}
	if _, _, err := x.Invalidate(Invalidation{Paths: []string{"f1.go"}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := x.State(); s.State != answer.Ready || s.Paused != "" {
		t.Errorf("somebody has waited for it: %+v", s)
	}
}

// TestBulk: what is more than an editor saves at once is told, and when it is over.
func TestBulk(t *testing.T) {
	var begun, open atomic.Int64
	x, root, _ := paced(t, 3*callgraph.SmallWork)
	bulk := Bulk(func() func() {
		begun.Add(1)
		open.Add(1)
		return func() { open.Add(-1) }
	})
	x.Opt.Bulk, x.Graph.Bulk = bulk, bulk
	told := func(what string, want bool) {
		t.Helper()
		x.Graph.Wait()
		if n := begun.Swap(0); n > 0 != want || open.Load() != 0 {
			t.Errorf("%s: told %d times, and of %d not that it is over", what, n, open.Load())
		}
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	told("a first build", true)
	x.Graph.Large = 1 // every graph is large
	update := func(n int) {
		t.Helper()
		var paths []string
		for i := range n {
			writeNumbered(t, root, i, fmt.Sprintf("a word for %d\n\nfunc More%d() {}\n", n, i))
			paths = append(paths, fmt.Sprintf("f%d.go", i))
		}
		if r, err := x.Update(t.Context(), paths); err != nil || r.Changed != n {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	update(callgraph.SmallWork)
	told("a few files", false)
	update(callgraph.SmallWork + 1)
	told("some more", true)
	x.Graph.Missing.Store(true) // as after a snapshot without a graph
	update(1)
	told("the call graph of all files", true)
}

// TestPausedEnds: a paused index can be closed.
func TestPausedEnds(t *testing.T) {
	x, _, held := paced(t, 3*callgraph.SmallWork)
	held.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx, nil) }()
	soon(t, "the first build is paused", func() bool { return x.State().Paused != "" })
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

// TestAnswersGoFirst: an answer without end slows indexing down, and does not stop it.
func TestAnswersGoFirst(t *testing.T) {
	x, root, _ := paced(t, 3*callgraph.SmallWork)
	defer x.Opt.Throttle.Answer()()
	if r, err := x.Build(t.Context(), nil); err != nil || r.Added != 3*callgraph.SmallWork {
		t.Fatalf("%+v, %v", r, err)
	}
	x.Graph.Wait()
	writeNumbered(t, root, 3*callgraph.SmallWork, "one more")
	if r, err := x.Update(t.Context(), []string{"."}); err != nil || r.Added != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestPausedGraph: a large call graph takes small changes in while work is paused, and
// large ones afterwards.
func TestPausedGraph(t *testing.T) {
	x, root, held := paced(t, 3*callgraph.SmallWork)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	x.Graph.Wait()
	x.Graph.Large = 1 // every graph is large
	held.Store(true)
	time.Sleep(1100 * time.Millisecond) // the policy is asked again after a second
	change := func(n int) {
		t.Helper()
		text := fmt.Sprintf("package many\n\nfunc Number%d() { Number%d() }\n\nfunc More%d() { Number%d() }\n", n, n+2, n, n)
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("f%d.go", n)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change(0)
	if _, err := x.Update(t.Context(), []string{"f0.go"}); err != nil {
		t.Fatal(err)
	}
	soon(t, "the graph has a small change", func() bool { return !x.State().GraphOld })

	running(t, x)
	for n := 1; n <= 2*callgraph.SmallWork; n++ {
		change(n)
	}
	if _, _, err := x.Invalidate(Invalidation{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := x.Flush(t.Context()); err != nil { // expedites the files; the graph may be paused after that
		t.Fatal(err)
	}
	if s := x.State(); s.State != answer.Ready || s.Paused != "" && !s.GraphOld {
		t.Errorf("the files are in: %+v", s)
	}
	held.Store(false)
	soon(t, "the graph has the large change", func() bool { return !x.State().GraphOld })
}
