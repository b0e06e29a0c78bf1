package index

import (
	"context"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/dead"
)

// BenchmarkDead measures the first question for dead code over QUARRY_BENCH_ROOT, by the wall clock
// and in processor time.
func BenchmarkDead(b *testing.B) {
	x, err := Open(benchRoot(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	var cpu, wall time.Duration
	n := 0
	for b.Loop() {
		x.Graph.Version.Add(1) // what was found before is of another state
		began, used := time.Now(), processorTime()
		if _, err = x.Dead(context.Background(), dead.Query{Confidence: dead.Possible, Limit: 1 << 30}); err != nil {
			b.Fatal(err)
		}
		n++
		wall += time.Since(began)
		cpu += processorTime() - used

	}
	b.ReportMetric(float64(cpu.Milliseconds())/float64(n), "cpu-ms")
	b.ReportMetric(float64(wall.Milliseconds())/float64(n), "wall-ms")
}
