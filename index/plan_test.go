package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/search"
)

// A shortContext context is over once it has been asked so many times whether it is.
type shortContext struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newBrief(ctx context.Context, asked int64) *shortContext {
	b := &shortContext{}
	b.Context, b.cancel = context.WithCancel(ctx)
	b.left.Store(asked)
	return b
}

func (b *shortContext) Err() error {
	if b.left.Add(-1) < 0 {
		b.cancel()
	}
	return b.Context.Err()
}

// hub writes a root in which one function is called by many.
func hub(t *testing.T, files int) *Index {
	root := t.TempDir()
	for i := range files {
		text := fmt.Sprintf("package p\n\n// Leaf%d is one.\nfunc Leaf%d() { Hub(); Leaf%d() }\n", i, i, (i+1)%files)
		if i == 0 {
			text += "\n// Hub is called by all.\nfunc Hub() {}\n"
		}
		write(t, root, fmt.Sprintf("f%03d.go", i), text)
	}
	return build(t, root)
}

// What is cancelled in the middle stops there: it has used a part of what it else uses.
func TestCancelledInTheMiddle(t *testing.T) {
	x := hub(t, 200)
	for _, tc := range []struct {
		name string
		ask  func(ctx context.Context) error
		used func(p answer.Plan) int
	}{
		{"regex", func(ctx context.Context) error {
			_, err := x.Search(ctx, search.Query{Text: "L..f", Mode: search.Regex})
			return err
		}, func(p answer.Plan) int { return p.Read }},
		{"grep", func(ctx context.Context) error {
			_, err := x.Grep(ctx, grep.GrepQuery{Pattern: "L..f"})
			return err
		}, func(p answer.Plan) int { return p.Read }},
		{"raw grep", func(ctx context.Context) error {
			// It looks at a context of its own, which ends with this one.
			name := func(path string) string { _ = ctx.Err(); return path }
			_, err := x.GrepRaw(ctx, grep.GrepQuery{Pattern: "L..f"}, grep.RawOptions{Name: name}, io.Discard)
			return err
		}, func(p answer.Plan) int { return p.Read }},
		{"impact", func(ctx context.Context) error {
			_, err := x.Impact(ctx, impact.Query{Target: "f007.go:Leaf7", Depth: 10, Limit: 1000})
			return err
		}, func(p answer.Plan) int { return p.Nodes }},
		{"callers", func(ctx context.Context) error {
			_, err := x.Calls(ctx, calls.CallsQuery{Target: "f007.go:Leaf7", Direction: calls.Callers, Depth: 10})
			return err
		}, func(p answer.Plan) int { return p.Nodes }},
		{"search", func(ctx context.Context) error {
			for range 20 {
				if _, err := x.Search(ctx, search.Query{Text: "called by all"}); err != nil {
					return err
				}
			}
			return nil
		}, func(p answer.Plan) int { return p.Searches }},
	} {
		ctx, plan := answer.WithPlan(t.Context())
		if err := tc.ask(ctx); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		whole := tc.used(plan())
		ctx, plan = answer.WithPlan(t.Context())
		if err := tc.ask(newBrief(ctx, 3)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", tc.name, err)
		}
		if part := tc.used(plan()); whole == 0 || 2*part > whole {
			t.Errorf("%s: %d when cancelled, else %d", tc.name, part, whole)
		}
	}
}

// The making of an overlay's copy ends with the last one who wants it; one who has gone
// does not take it from another.
func TestOverlayAbandoned(t *testing.T) {
	x := hub(t, 100)
	over := []Overlay{{Path: "f001.go", Content: "package p\n\nfunc Added() { Hub() }\n"}}
	if _, err := x.With(newBrief(t.Context(), 2), over); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	m := &making{left: true, awaited: 1}
	stopped := false
	m.stop = func() { stopped = true }
	if m.abandon(); stopped {
		t.Error("one who waits is left without")
	}
	m.awaited = 0
	if m.abandon(); !stopped {
		t.Error("nobody waits, and the work goes on")
	}
	m.left, stopped = false, false
	if m.abandon(); stopped {
		t.Error("who does the work is left without")
	}
	// A copy whose making ended early is made again.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := &draft{base: x.Writer}
	o, err := x.overlay(over)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.prepare(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if d.index != nil {
		if err := d.index.Close(); err != nil {
			t.Error(err)
		}
	}
	v, err := x.With(t.Context(), over)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Release()
	if got := searchFor(t, v.Index, search.Query{Text: "Added", Mode: search.Symbol}); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

// A plan has figures and our own words, and nothing else.
func TestPlanTellsNoSecret(t *testing.T) {
	x := hub(t, 10)
	ctx, plan := answer.WithPlan(t.Context())
	for _, q := range []search.Query{{Text: "Leaf canaryword"}, {Text: "canaryword|Leaf", Mode: search.Regex, Path: "f001.go"}, {Text: "Leaf3", Mode: search.Symbol}} {
		if _, err := x.Search(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	p := plan()
	if p.Searches != 3 || p.Mode != string(search.Symbol) || p.Bytes != len("Leaf canaryword")+len("canaryword|Leaf")+len("Leaf3") || p.Candidates == 0 || p.Files != 1 || p.Read != 1 {
		t.Errorf("%+v", p)
	}
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Warn("slow", "plan", p)
	if text := b.String(); strings.Contains(text, "canary") || strings.Contains(text, "f001") || !strings.Contains(text, "plan.searches=3") {
		t.Error(text)
	}
	if text := fmt.Sprint(answer.Plan{}.LogValue().Group()); text != "[]" {
		t.Errorf("nothing was used: %s", text)
	}
}
