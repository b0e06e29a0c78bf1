//go:build unix

package index

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/links"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/trace"
)

// BenchmarkAround measures what is asked about one symbol, over functions drawn
// from all of QUARRY_BENCH_ROOT, each question once: the wall clock's median and
// 95th percentile.
func BenchmarkAround(b *testing.B) {
	x, err := Open(benchRoot(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	stats := x.Graph.Graph.Stats()
	b.Logf("%d files, %d edges, %d open and %d external calls", stats.Files, stats.Edges, stats.Sites, stats.External)
	targets := drawTargets(x, 500)
	ctx := b.Context()
	x.Graph.Shrink() // as a server does at rest, and once it was asked
	calls.Prepare(ctx, x.View)
	for _, q := range []struct {
		name string
		ask  func(target string) error
	}{
		{"target", func(t string) error { _, _, err := x.FindTarget(t); return err }},
		{"callees", func(t string) error { _, err := x.Calls(ctx, calls.CallsQuery{Target: t}); return err }},
		{"callers", func(t string) error {
			_, err := x.Calls(ctx, calls.CallsQuery{Target: t, Direction: calls.Callers})
			return err
		}},
		{"impact", func(t string) error { _, err := x.Impact(ctx, impact.Query{Target: t}); return err }},
		{"context", func(t string) error { _, err := x.Context(ctx, brief.ContextQuery{Target: t}); return err }},
		{"trace", func(t string) error { _, err := x.Trace(ctx, trace.Query{Target: t}); return err }},
		{"extract", func(t string) error { _, err := x.Extract(ctx, outline.ExtractQuery{Target: t}); return err }},
		{"skeleton", func(t string) error {
			file, _, _ := strings.Cut(t, ":")
			_, err := x.Skeleton(ctx, outline.SkeletonQuery{Path: file})
			return err
		}},
	} {
		b.Run(q.name, func(b *testing.B) {
			took := make([]time.Duration, 0, len(targets))
			for b.Loop() {
				took = took[:0]
				for _, t := range targets {
					began := time.Now()
					if err := q.ask(t); err != nil {
						b.Fatalf("%s: %v", t, err)
					}
					took = append(took, time.Since(began))
				}
			}
			slices.Sort(took)
			for _, p := range []struct {
				unit string
				at   int
			}{{"p50-µs", len(took) / 2}, {"p95-µs", len(took) * 95 / 100}, {"max-µs", len(took) - 1}} {
				b.ReportMetric(float64(took[p.at].Microseconds()), p.unit)
			}
		})
	}
}

// drawTargets returns places of functions, the same ones each time.
func drawTargets(x *Index, n int) []string {
	var all []string
	for path, r := range x.Table.Files {
		if !x.Graph.Graph.Has(path) {
			continue
		}
		for i := range r.Symbols {
			if s := &r.Symbols[i]; store.Runs(s.Kind()) {
				all = append(all, path+":"+s.Qualified())
			}
		}
	}
	slices.Sort(all)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// BenchmarkLinks measures the calls from one real root into another:
//
//	QUARRY_LINKS=/src/pebble:/src/client_golang go test ./index -run - -bench Links
func BenchmarkLinks(b *testing.B) {
	from, to, ok := strings.Cut(os.Getenv("QUARRY_LINKS"), ":")
	if !ok {
		b.Skip("QUARRY_LINKS is not set")
	}
	var roots []*Index
	for _, root := range []string{from, to} {
		x, err := Open(root, Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer x.Close()
		if _, err := x.Build(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		roots = append(roots, x)
	}
	for _, form := range []string{"built", "restored"} {
		b.Run(form, func(b *testing.B) {
			var links links.LinksAnswer
			for b.Loop() {
				var err error
				if links, err = roots[0].Links(b.Context(), roots[1]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(roots[0].Graph.Graph.Stats().External), "sites")
			b.ReportMetric(float64(len(links.Calls)), "links")
			for i, l := range links.Calls {
				if n := len(links.Calls); n < 20 || i%(n/20) == 0 {
					b.Logf("%s:%d %s %s -> %s:%d %s (%s)", l.From.File, l.Line, l.From.Symbol, l.Name, l.To.File, l.To.Line, l.To.Symbol, l.Confidence)
				}
			}
		})
		for _, x := range roots {
			x.Graph.Shrink()
		}
	}
}
