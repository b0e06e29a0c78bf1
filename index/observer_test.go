package index

import (
	"sync"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/internal/callgraph"
)

// A tally counts what an Observer is told.
type tally struct {
	mu                                 sync.Mutex
	built, commits, solved             int
	batches, chunks                    int
	building, locked, embedding, solve time.Duration
}

func (c *tally) note(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

func (c *tally) Built(took time.Duration)     { c.note(func() { c.built++; c.building += took }) }
func (c *tally) Committed(took time.Duration) { c.note(func() { c.commits++; c.locked += took }) }
func (c *tally) Solved(took time.Duration)    { c.note(func() { c.solved++; c.solve += took }) }
func (c *tally) Embedded(chunks int, took time.Duration) {
	c.note(func() { c.batches++; c.chunks += chunks; c.embedding += took })
}

// TestObserver compares what an Observer is told with what the index says of itself.
func TestObserver(t *testing.T) {
	seen := new(tally)
	like := open(t, unpack(t, "testdata/calls.txtar"))
	x, err := Open(like.Root(), Options{Embedder: like.Opt.Embedder, Workers: 1, Observer: seen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	began := time.Now()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	st := x.State()
	if seen.built != 1 || seen.chunks != st.Chunks || seen.batches == 0 || uint64(seen.commits) != st.Generation || seen.solved == 0 {
		t.Errorf("%+v of a build that made %+v", seen, st)
	}
	for _, part := range []time.Duration{seen.building, seen.locked, seen.embedding, seen.solve} {
		if part <= 0 || part > took {
			t.Errorf("%v of a build that took %v: %+v", part, took, seen)
		}
	}
	if st.GraphLag != 0 || st.IndexedAt.Before(began) || x.Overlays() != 0 {
		t.Errorf("%+v", st)
	}

	// A graph that is behind says by how much.
	x.Graph.Note(callgraph.Change{Path: "gone.go"})
	x.Commit([]string{"gone.go"})
	x.Commit([]string{"gone.go"})
	if st := x.State(); !st.GraphOld || st.GraphLag != 2 {
		t.Errorf("two commits behind: %+v", st)
	}
	x.Graph.Resolve()
	if st := x.State(); st.GraphOld || st.GraphLag != 0 {
		t.Errorf("%+v", st)
	}

	// Overlays are work of requests, and are counted as that.
	commits, chunks := seen.commits, seen.chunks
	for range 3 {
		v, err := x.With(t.Context(), []Overlay{{Path: "cart/only.go", Content: "package cart\n\nfunc only() {}\n"}})
		if err != nil {
			t.Fatal(err)
		}
		v.Release()
	}
	if work := x.Work(); work.OverlaysMade != 1 || work.OverlaysFound != 2 || x.Overlays() != 1 {
		t.Errorf("%+v, %d kept", work, x.Overlays())
	}
	if seen.commits != commits || seen.chunks != chunks {
		t.Errorf("an overlay was observed: %+v, before %d commits of %d chunks", seen, commits, chunks)
	}
}
