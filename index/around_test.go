package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/trace"
)

// Questions about symbols are asked while files change and until after the end.
// None may wait for ever, fail otherwise than by what is gone, or be answered from
// half of a change.
func TestAroundWhileFilesChange(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module shop\n\ngo 1.24\n")
	version := func(n int) {
		write(t, root, "a.go", fmt.Sprintf("package shop\n\nfunc A() { B() }\n\nfunc version%d() {}\n", n))
		write(t, root, "b.go", "package shop\n\n// B does.\nfunc B() { C(nil) }\n\nfunc C(x interface{ Save() }) { x.Save() }\n")
	}
	version(0)
	x, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asks := []func() error{
		func() error {
			_, err := x.Calls(ctx, calls.CallsQuery{Target: "B", Direction: calls.Both, Depth: 3})
			return err
		},
		func() error { _, err := x.Calls(ctx, calls.CallsQuery{}); return err },
		func() error { _, err := x.Impact(ctx, impact.Query{Target: "C"}); return err },
		func() error {
			_, err := x.Impact(ctx, impact.Query{Diff: "--- a/b.go\n+++ b/b.go\n@@ -4 +4 @@\n-func B() {}\n+func B() { C(nil) }\n"})
			return err
		},
		func() error { _, err := x.Context(ctx, brief.ContextQuery{Target: "B"}); return err },
		func() error { _, err := x.Trace(ctx, trace.Query{Target: "A", To: "C"}); return err },
		func() error { _, err := x.References(ctx, references.Query{Target: "A"}); return err },
		func() error { _, err := x.Extract(ctx, outline.ExtractQuery{Target: "C"}); return err },
		func() error { _, err := x.Skeleton(ctx, outline.SkeletonQuery{Path: "."}); return err },
		func() error { _, err := x.Structure(ctx, outline.StructureQuery{}); return err },
	}
	var group sync.WaitGroup
	started := make(chan struct{}, len(asks))
	for _, ask := range asks {
		group.Go(func() {
			for i := 0; ; i++ {
				if i == 3 {
					started <- struct{}{}
				}
				var gone *answer.TargetError
				var moved *answer.UnsupportedError // the index was closed in between
				switch err := ask(); {
				case errors.Is(err, answer.ErrClosed), errors.As(err, &moved):
					return
				case err != nil && !errors.As(err, &gone):
					t.Error(err)
					return
				}
			}
		})
	}
	for range asks {
		<-started
	}
	for n := range 20 {
		version(n)
		if _, err := x.Update(t.Context(), []string{"a.go", "b.go"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
}

// An answer about a graph that does not have the latest files yet says so.
func TestBehind(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package shop\n\nfunc A() {}\n")
	x, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	ask := func() calls.CallsAnswer {
		a, err := x.Calls(t.Context(), calls.CallsQuery{Target: "A", Direction: calls.Callers})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(); !a.Complete || a.Because != nil {
		t.Errorf("%+v", a.Completeness)
	}
	x.Graph.Note(callgraph.Change{Path: "b.go"})
	if a := ask(); a.Complete || len(a.Because) != 1 || a.Because[0] != "the latest changes are not in the call graph yet" {
		t.Errorf("%+v", a.Completeness)
	}
	x.Graph.Resolve()
	if a := ask(); !a.Complete {
		t.Errorf("%+v", a.Completeness)
	}
}

// While the graph has another state of a file, a symbol that it does not have is not the
// one that was on its line.
func TestBehindOnTheLine(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package shop\n\nfunc Old() { B() }\n\nfunc B() {}\n")
	x, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	old, _ := x.Graph.Lower("a.go")
	write(t, root, "a.go", "package shop\n\nfunc New() {}\n\nfunc B() {}\n")
	if _, err := x.Update(t.Context(), []string{"a.go"}); err != nil {
		t.Fatal(err)
	}
	now, form := x.Graph.Lower("a.go")
	x.Graph.Graph.Put("a.go", old)
	x.Graph.Graph.Resolve()
	x.Graph.Note(callgraph.Change{Path: "a.go", File: now, Now: form})

	a, err := x.Calls(t.Context(), calls.CallsQuery{Target: "New"})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Edges) != 0 || a.Complete {
		t.Errorf("New does not call B: %+v", a)
	}
	x.Graph.Resolve()
	if a, err = x.Calls(t.Context(), calls.CallsQuery{Target: "New"}); err != nil || len(a.Edges) != 0 || !a.Complete {
		t.Errorf("%+v, %v", a, err)
	}

	// A file that has gone since the target was found has no unsupported language.
	gone := store.Target{Record: &store.Record{Path: "gone.go", Lang: "go"}, Symbol: -1}
	calls.ReadGraph(x.Writer.View, func(w *calls.Walk) {
		if err := calls.InGraph(x.Writer.View, w, &gone, answer.State{State: answer.Ready}); err != nil {
			t.Error(err)
		}
	})
}

// Questions after the end are answered by ErrClosed.
func TestAroundClosed(t *testing.T) {
	x, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	_, direct := x.Calls(ctx, calls.CallsQuery{Target: "A"})
	_, whole := x.Calls(ctx, calls.CallsQuery{})
	_, affected := x.Impact(ctx, impact.Query{Target: "A"})
	_, diff := x.Impact(ctx, impact.Query{})
	_, around := x.Context(ctx, brief.ContextQuery{Target: "A"})
	_, words := x.Context(ctx, brief.ContextQuery{Target: "a b"})
	_, trace := x.Trace(ctx, trace.Query{Target: "A"})
	_, extract := x.Extract(ctx, outline.ExtractQuery{Target: "A"})
	_, skeleton := x.Skeleton(ctx, outline.SkeletonQuery{Path: "A"})
	_, structure := x.Structure(ctx, outline.StructureQuery{})
	for i, err := range []error{direct, whole, affected, diff, around, words, trace, extract, skeleton, structure} {
		if !errors.Is(err, answer.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestDiamonds: of classes that inherit twice from what is above them, forty times over
// each other, each is looked at once: there are a million million ways up.
func TestDiamonds(t *testing.T) {
	var b strings.Builder
	b.WriteString("class A0:\n    def m(self):\n        pass\n\n")
	const levels = 40
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "class B%d(A%d):\n    pass\n\nclass C%d(A%d):\n    pass\n\nclass A%d(B%d, C%d):\n    pass\n\n", i, i-1, i, i-1, i, i, i)
	}
	fmt.Fprintf(&b, "def bottom():\n    A%d().m()\n", levels)
	root := t.TempDir()
	write(t, root, "diamonds.py", b.String())
	a, err := build(t, root).Calls(t.Context(), calls.CallsQuery{Target: "bottom"})
	if err != nil || !slices.ContainsFunc(a.Edges, func(e calls.CallEdge) bool { return e.To.Symbol == "A0.m" }) {
		t.Errorf("%+v, %v", a.Edges, err)
	}
}
