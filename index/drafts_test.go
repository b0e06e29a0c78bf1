package index

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/search"
)

// TestOverlaysAtOnce asks with five overlays at the same time, and saves meanwhile: each
// sees its own.
func TestOverlaysAtOnce(t *testing.T) {
	x := build(t, unpack(t, "testdata/calls.txtar"))
	var group errgroup.Group
	for n := range 5 {
		group.Go(func() error {
			for i := range 8 {
				name := fmt.Sprintf("Only%dOf%d", i, n)
				v, err := x.With(t.Context(), []Overlay{{Path: "cart/only.go", Content: "package cart\n\nfunc " + name + "() { unused() }\n"}})
				if err != nil {
					return err
				}
				a, err := v.Index.Search(t.Context(), search.Query{Text: "Only", Mode: search.Symbol, Limit: 50})
				if err == nil && (len(a.Results) != 1 || a.Results[0].Symbol != name) {
					err = fmt.Errorf("%s: %+v", name, a.Results)
				}
				if err == nil && i%3 == 0 {
					var c calls.CallsAnswer
					c, err = v.Index.Calls(t.Context(), calls.CallsQuery{Target: "unused", Direction: calls.Callers})
					switch {
					case err != nil:
					case v.GraphOld(): // on a busy machine
						if c.Complete {
							err = fmt.Errorf("%s: %+v is complete, and was asked of an old graph", name, c.Edges)
						}
					case len(c.Edges) != 1 || c.Edges[0].From.Symbol != name:
						err = fmt.Errorf("%s: %+v", name, c.Edges)
					}
				}
				v.Release()
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for i := range 20 {
			write(t, x.Root(), "saved.go", fmt.Sprintf("package shop\n\nfunc saved%d() {}\n", i))
			if _, err := x.Update(t.Context(), []string{"saved.go"}); err != nil {
				return err
			}
			if a, err := x.Search(t.Context(), search.Query{Text: "Only", Mode: search.Symbol}); err != nil || len(a.Results) > 0 {
				return fmt.Errorf("the base has %+v, %v", a.Results, err)
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := len(x.drafts.list); n > maxDrafts {
		t.Errorf("%d drafts are kept", n)
	}
}

// TestDraftsAreBounded holds views so that no draft is left: who comes next waits, and is
// told when their time is over. What is idle goes, and Close waits for nobody.
func TestDraftsAreBounded(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	with := func(ctx context.Context, n int) (*Overlaid, error) {
		return x.With(ctx, []Overlay{{Path: fmt.Sprintf("n%d.go", n), Content: fmt.Sprintf("package n\n\nfunc n%d() {}\n", n)}})
	}
	var views []*Overlaid
	for n := range maxDrafts {
		v, err := with(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, v)
	}
	again, err := with(t.Context(), 0)
	if err != nil || again.Index.View != views[0].Index.View {
		t.Errorf("the same overlay has another draft: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := with(short, maxDrafts); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with all drafts taken: %v", err)
	}
	if x.Memory().Drafts <= 0 {
		t.Error("the drafts weigh nothing")
	}
	got := make(chan error, 1)
	go func() {
		v, err := with(t.Context(), maxDrafts)
		if err == nil {
			v.Release()
		}
		got <- err
	}()
	again.Release()
	views[0].Release()
	if err := <-got; err != nil {
		t.Errorf("when one was given back: %v", err)
	}
	x.drafts.sweep(time.Hour)
	if n := len(x.drafts.list); n != maxDrafts {
		t.Errorf("%d drafts are left of those that are young", n)
	}
	x.drafts.sweep(0)
	if n := len(x.drafts.list); n != maxDrafts-1 {
		t.Errorf("%d drafts are left, the used ones are %d", n, maxDrafts-1)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := views[1].Index.Search(t.Context(), search.Query{Text: "n"}); err != nil && !errors.Is(err, answer.ErrClosed) {
		t.Errorf("a view of a closed index: %v", err)
	}
	views[1].Release()
	if _, err := with(t.Context(), 1); !errors.Is(err, answer.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if b := x.Memory().Drafts; b != 0 {
		t.Errorf("%d bytes are left", b)
	}
}

// TestOverlayRefused gives overlays that are none.
func TestOverlayRefused(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	many := make([]Overlay, MaxOverlays+1)
	for i := range many {
		many[i].Path = fmt.Sprint(i, ".go")
	}
	for name, files := range map[string][]Overlay{
		"none":     nil,
		"many":     many,
		"large":    {{Path: "a.go", Content: strings.Repeat("a", MaxOverlayBytes+1)}},
		"twice":    {{Path: "a.go"}, {Path: x.Root() + "/a.go"}},
		"the root": {{Path: "."}},
		"a folder": {{Path: "a/"}},
		"below":    {{Path: "a"}, {Path: "a/b/c.go"}},
	} {
		var wrong *OverlayError
		if _, err := x.With(t.Context(), files); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := x.With(t.Context(), []Overlay{{Path: "../a.go"}}); !errors.Is(err, ErrOutside) {
		t.Errorf("outside: %v", err)
	}
	v, err := x.With(t.Context(), []Overlay{{Path: "a.go", Content: "package a\n"}})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Release()
	if _, err := v.Index.With(t.Context(), []Overlay{{Path: "b.go"}}); err == nil {
		t.Error("an overlay of an overlay is none")
	}
}

// TestOverlayWithoutVectors has the model fail while an index is built, and while an overlay
// is: words are found, the state says how many vectors there are, and what comes after is
// whole.
func TestOverlayWithoutVectors(t *testing.T) {
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{Embedder: m, broken: true}
	x, err := Open(unpack(t, "testdata/search.txtar"), Options{Embedder: f})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err == nil {
		t.Fatal("the model has not failed")
	}
	with := func(n int) (vectors float64) {
		t.Helper()
		v, err := x.With(t.Context(), []Overlay{{Path: "app/typed.py", Content: fmt.Sprintf("def typed():\n    return %d\n", n)}})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Release()
		if results := searchFor(t, v.Index, search.Query{Text: "typed", Mode: search.Lexical}); len(results) == 0 || results[0].File != "app/typed.py" {
			t.Errorf("%d: %+v", n, results)
		}
		return v.Index.State().Vectors
	}
	if got := with(1); got != 0 {
		t.Errorf("without any vectors: %v", got)
	}
	f.broken = false
	if got := with(2); got != 0 { // those of the base are its own affair
		t.Errorf("a base without vectors: %v", got)
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := with(3); got != 1 {
		t.Errorf("the base has all, its draft %v", got)
	}
	f.broken = true
	if got := with(4); got >= 1 || got <= 0 {
		t.Errorf("without those of the overlay: %v", got)
	}
	if s := x.State(); s.State != answer.Ready || s.Vectors != 1 {
		t.Errorf("the base: %+v", s)
	}
	f.broken = false
	if got := with(5); got != 1 {
		t.Errorf("mended: %v", got)
	}
}

// TestSlowGraph has the call graph of a draft take longer than a request waits: that of the
// saved files answers, and says so, be it a live one or one of a snapshot.
func TestSlowGraph(t *testing.T) {
	root := unpack(t, "testdata/calls.txtar")
	live, path := saved(t, root, false)
	for name, x := range map[string]*Index{"live": live, "restored": restore(t, root, path)} {
		files := []Overlay{{Path: "cart/slow.go", Content: "package cart\n\nfunc slow() { unused() }\n"}}
		callers := func(v *Overlaid) (n int, complete bool) {
			t.Helper()
			c, err := v.Index.Calls(t.Context(), calls.CallsQuery{Target: "unused", Direction: calls.Callers})
			if err != nil {
				t.Fatal(err)
			}
			return len(c.Edges), c.Complete
		}
		v, err := x.With(t.Context(), files)
		if err != nil {
			t.Fatal(err)
		}
		made, goOn := v.Index.Graph.Remake, make(chan struct{})
		v.Index.Graph.Remake = func() func() *graph.Graph {
			whole := made()
			return func() *graph.Graph {
				<-goOn
				return whole()
			}
		}
		before, err := x.Calls(t.Context(), calls.CallsQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if n, complete := callers(v); n != 0 || complete || !v.GraphOld() {
			t.Errorf("%s: while it is made: %d callers, complete %v, old %v", name, n, complete, v.GraphOld())
		}
		began := time.Now()
		if all, err := v.Index.Calls(t.Context(), calls.CallsQuery{}); err != nil || all.Counts != before.Counts || time.Since(began) > graphWait/2 {
			t.Errorf("%s: %+v after %v, %v, the base has %+v", name, all.Counts, time.Since(began), err, before.Counts)
		}
		close(goOn)
		v.Index.Graph.Wait()
		if n, complete := callers(v); n != 1 || complete != (name == "live") || v.GraphOld() { // nobody has compared the snapshot with the root
			t.Errorf("%s: once it is there: %d callers, complete %v, old %v", name, n, complete, v.GraphOld())
		}
		v.Release()
		if now, err := x.Calls(t.Context(), calls.CallsQuery{}); err != nil || now.Counts != before.Counts {
			t.Errorf("%s: the base has %+v, %v, had %+v", name, now.Counts, err, before.Counts)
		}
	}
}

// TestGraphNobodyAsksFor searches with an overlay while one file is saved again and again:
// the versions do not wait for a call graph of the draft, and who asks for it has the last.
func TestGraphNobodyAsksFor(t *testing.T) {
	x := build(t, unpack(t, "testdata/calls.txtar"))
	saves := 0
	view := func() *Overlaid {
		t.Helper()
		saves++
		write(t, x.Root(), "cart/nearby.go", fmt.Sprintf("package cart\n\nfunc nearby%d() { unused() }\n", saves))
		if _, err := x.Update(t.Context(), []string{"cart/nearby.go"}); err != nil {
			t.Fatal(err)
		}
		v, err := x.With(t.Context(), []Overlay{{Path: "cart/over.go", Content: "package cart\n\nfunc over() { unused() }\n"}})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	check := func(when string) {
		t.Helper()
		v := view()
		defer v.Release()
		c := &v.Index.Graph
		for deadline := time.Now().Add(10 * time.Second); ; {
			a, err := v.Index.Calls(t.Context(), calls.CallsQuery{Target: "unused", Direction: calls.Callers})
			if err != nil {
				t.Fatal(err)
			}
			if a.Complete && len(a.Edges) == 2 && a.Edges[0].From.Symbol == fmt.Sprintf("nearby%d", saves) {
				return
			}
			if a.Complete || time.Now().After(deadline) { // it may be old on a busy machine, but not complete then
				t.Fatalf("%s: complete %v %v, %+v", when, a.Complete, a.Because, a.Edges)
			}
			c.Wait()
		}
	}
	unasked := func(when string, most int) {
		t.Helper()
		for range callgraph.AsideFiles + 10 {
			v := view()
			if n := len(v.Index.Graph.Changes); n > most {
				t.Fatalf("%s: %d changes wait", when, n)
			}
			v.Release()
		}
	}
	unasked("nobody has ever asked", 0)
	check("the first who asks")
	unasked("nobody asks any more", callgraph.AsideFiles-1)
	check("somebody asks again")
}
