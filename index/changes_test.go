package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/store"
)

// after returns the next event, which must be there or come soon.
func after(t testing.TB, x *Index, last answer.Event) answer.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	e, err := x.Changes(ctx, last)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// quiet fails when there is an event after last.
func quiet(t *testing.T, x *Index, last answer.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if e, err := x.Changes(ctx, last); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v; want nothing", e, err)
	}
}

func TestChanges(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc Alpha() { Beta() }\n")
	write(t, root, "b.go", "package a\n\nfunc Beta() {}\n")
	x := open(t, root)
	first := after(t, x, answer.Event{})
	if first.State != answer.Indexing || first.Changed == nil || len(first.Changed) > 0 || first.All {
		t.Errorf("at the start: %+v", first)
	}
	quiet(t, x, first)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	built := after(t, x, first)
	if diff := gocmp.Diff([]string{"a.go", "b.go"}, built.Changed); diff != "" || built.State != answer.Ready || built.All {
		t.Errorf("after the build: %+v %s", built, diff)
	}
	if now := x.State().Generation; built.Generation != now {
		t.Errorf("generation %d, want %d", built.Generation, now)
	}
	quiet(t, x, built)

	// Several commits are one event, and whoever has seen one of them gets the rest.
	update := func(paths ...string) {
		t.Helper()
		if _, err := x.Update(t.Context(), paths); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, "a.go", "package a\n\nfunc Gamma() {}\n")
	update("a.go")
	middle := after(t, x, built)
	if diff := gocmp.Diff([]string{"a.go"}, middle.Changed); diff != "" || middle.Generation <= built.Generation {
		t.Errorf("changed: %+v %s", middle, diff)
	}
	if err := os.Rename(filepath.Join(root, "b.go"), filepath.Join(root, "c.go")); err != nil {
		t.Fatal(err)
	}
	update("b.go", "c.go")
	write(t, root, "d.bin", "\x00")
	update("d.bin")
	if diff := gocmp.Diff([]string{"b.go", "c.go", "d.bin"}, after(t, x, middle).Changed); diff != "" {
		t.Errorf("removed, added and skipped: %s", diff)
	}
	if diff := gocmp.Diff([]string{"a.go", "b.go", "c.go", "d.bin"}, after(t, x, built).Changed); diff != "" {
		t.Errorf("from the build on: %s", diff)
	}
	last := after(t, x, answer.Event{})
	update("a.go") // the same content
	quiet(t, x, last)

	// The graph has caught up: a generation without paths.
	x.Graph.Changed()
	graph := after(t, x, last)
	if graph.Generation != last.Generation+1 || len(graph.Changed) > 0 || graph.All {
		t.Errorf("graph: %+v after %+v", graph, last)
	}

	// Another state is an event, too.
	x.Counters.Queued.Add(1)
	x.Settled()
	if e := after(t, x, graph); e.State != answer.Stale || e.Generation != graph.Generation || e.ID != graph.ID {
		t.Errorf("state: %+v", e)
	}
	x.Counters.Queued.Add(-1)

	// What cannot be known is everything.
	for _, id := range []string{"x", "-", "x-1", strings.Replace(last.ID, "-", "-9", 1), "1" + last.ID, last.ID + "x"} {
		if e := after(t, x, answer.Event{ID: id}); !e.All || len(e.Changed) > 0 || e.Generation != graph.Generation {
			t.Errorf("after %q: %+v", id, e)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Changes(t.Context(), graph); !errors.Is(err, answer.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestChangesAreBounded makes more commits than are remembered: who was away is
// told that everything may have changed, and memory stays as it is.
func TestChangesAreBounded(t *testing.T) {
	x := open(t, t.TempDir())
	first := after(t, x, answer.Event{})
	commits := func(n, paths int) (last answer.Event) {
		for i := range n {
			var changed []string
			for j := range paths {
				changed = append(changed, fmt.Sprintf("%d/%d.go", i, j))
			}
			x.Commit(changed)
		}
		return after(t, x, answer.Event{})
	}
	some := commits(store.MaxChanged, 1)
	if e := after(t, x, first); e.All || len(e.Changed) != store.MaxChanged {
		t.Errorf("%d paths, all %v", len(e.Changed), e.All)
	}
	commits(1, 2)
	if e := after(t, x, first); !e.All || len(e.Changed) > 0 {
		t.Errorf("%d paths, all %v", len(e.Changed), e.All)
	}
	if e := after(t, x, some); e.All || len(e.Changed) != 2 {
		t.Errorf("%d paths, all %v", len(e.Changed), e.All)
	}
	for _, paths := range []int{1, 32} {
		last := commits(2*store.RecentCommits, paths)
		if e := after(t, x, some); !e.All {
			t.Errorf("commits of %d paths: forgotten ones are not missed", paths)
		}
		x.Commit([]string{"x"})
		if e := after(t, x, last); e.All || !slices.Equal(e.Changed, []string{"x"}) {
			t.Errorf("commits of %d paths: %+v", paths, e)
		}
		if l := &x.Events; len(l.Recent) > store.RecentCommits || l.Paths > store.RecentChanges {
			t.Errorf("%d commits with %d paths are remembered", len(l.Recent), l.Paths)
		}
	}
	// A snapshot in place of the index: nothing that was is known.
	x.StartOver()
	x.Commit(nil)
	if e := after(t, x, some); !e.All {
		t.Errorf("started over: %+v", e)
	}
}

// TestChangesMissNothing has readers follow while paths are committed.
func TestChangesMissNothing(t *testing.T) {
	x := open(t, t.TempDir())
	first := after(t, x, answer.Event{})
	const commits, readers = 500, 4
	var group sync.WaitGroup
	for range readers {
		group.Go(func() {
			seen := map[string]bool{}
			for e := first; !seen["last"]; {
				next := after(t, x, e)
				if next.Generation <= e.Generation || next.All {
					t.Errorf("%+v after %+v", next, e)
					return
				}
				e = next
				for _, p := range e.Changed {
					if seen[p] {
						t.Errorf("%s comes twice", p)
					}
					seen[p] = true
				}
			}
			if len(seen) != commits+1 {
				t.Errorf("%d paths, want %d", len(seen), commits+1)
			}
		})
	}
	for i := range commits {
		x.Commit([]string{fmt.Sprint(i)})
	}
	x.Commit([]string{"last"})
	group.Wait()
}

// TestEdited: what was edited is what was committed after the first build, also seen from below
// an overlay, and an impact of it is one of these files.
func TestEdited(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc Alpha() { Beta() }\n")
	write(t, root, "b.go", "package a\n\nfunc Beta() {}\n")
	write(t, root, "c.go", "package a\n")
	x := open(t, root)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	none, err := x.Impact(t.Context(), impact.Query{Edited: true})
	if err != nil || len(none.Changed)+len(none.LeftOut)+none.Total > 0 || !none.Complete {
		t.Errorf("before an edit: %+v, %v", none, err)
	}
	write(t, root, "b.go", "package a\n\nfunc Beta() { println() }\n")
	if err := os.Remove(filepath.Join(root, "c.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Update(t.Context(), []string{"b.go", "c.go"}); err != nil {
		t.Fatal(err)
	}
	some, err := x.Impact(t.Context(), impact.Query{Edited: true})
	if err != nil || len(some.Changed) != 1 || some.Changed[0].Symbol != "Beta" || len(some.Callers) != 1 || some.Callers[0].Symbol != "Alpha" {
		t.Errorf("%+v, %v", some, err)
	}
	if len(some.LeftOut) != 1 || some.LeftOut[0].File != "c.go" || len(some.Unfollowed) != 1 {
		t.Errorf("what is deleted: %+v, %+v", some.LeftOut, some.Unfollowed)
	}
	files, err := x.Impact(t.Context(), impact.Query{Files: []string{"b.go"}})
	if diff := gocmp.Diff(some.Callers, files.Callers); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for i := range 20_000 {
		x.Commit([]string{fmt.Sprint(i)})
	}
	if many, more := x.Edited(); len(many) != 10_000 || !more {
		t.Errorf("%d files, more %v", len(many), more)
	}
}
