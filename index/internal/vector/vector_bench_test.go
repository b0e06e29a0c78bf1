//go:build unix

package vector

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// go test -run '^$' -bench . -benchtime 200x ./index/internal/vector
//
// cpu-ms/query is processor time, which other work on the machine disturbs less.

var benchSizes = []int{1000, 10000, 130000}

// BenchmarkSearch is one search at a time, 256 dimensions, k=200.
func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range benchSizes {
		vs, _ := shapes[0].make(r, n, 256)
		s := build(b, Options{Dim: 256, FlatAbove: -1}, vs)
		qs, _ := shapes[0].make(r, 64, 256)
		for _, k := range kernels() {
			b.Run(fmt.Sprintf("%v/%d", k, n), func(b *testing.B) {
				s.arena.kernel = k
				i := 0
				start := cpuTime()
				for b.Loop() {
					s.Search(qs[i%64], 200, nil)
					i++
				}
				b.ReportMetric(float64(cpuTime()-start)/1e6/float64(b.N), "cpu-ms/query")
			})
		}
	}
}

// BenchmarkDots is the arithmetic alone: 131,072 slots, of a block in the cache.
func BenchmarkDots(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	vs, v := shapes[0].make(r, blockRows, 256)
	s := build(b, Options{Dim: 256}, vs)
	q := newQuery(v, plain.length(v), s.arena.width, s.arena.narrow)
	var dots [tileRows]int32
	codes := s.arena.blocks[0].codes
	for _, k := range kernels() {
		b.Run(k.String(), func(b *testing.B) {
			for b.Loop() {
				for range 131072 / tileRows {
					k.dots(&dots, codes, codes, q)
				}
			}
		})
	}
}

// BenchmarkScore is the scores of 1,000 of 100,000 vectors, picked at random, and what is near to
// them.
func BenchmarkScore(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	vs, q := shapes[0].make(r, 100_000, 256)
	for _, rounded := range []bool{false, true} {
		s := build(b, Options{Dim: 256, FlatAbove: -1, Rounded: rounded}, vs)
		for _, k := range kernels() {
			b.Run(fmt.Sprintf("rounded=%v/%v", rounded, k), func(b *testing.B) {
				s.arena.kernel = k
				ids := make([]uint32, 1000)
				for i := range ids {
					ids[i] = r.Uint32N(100_000)
				}
				b.Run("exact", func(b *testing.B) {
					for b.Loop() {
						g := s.Gauge(q)
						for _, id := range ids {
							g.Score(id)
						}
						g.Close()
					}
				})
				b.Run("near", func(b *testing.B) {
					var near []float32
					for b.Loop() {
						g := s.Gauge(q)
						near = g.Near(near[:0], ids)
						g.Close()
					}
				})
			})
		}
	}
}

// BenchmarkTogether is five goroutines that search at once.
func BenchmarkTogether(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	vs, _ := shapes[0].make(r, 130000, 256)
	s := build(b, Options{Dim: 256, FlatAbove: -1}, vs)
	qs, _ := shapes[0].make(r, 64, 256)
	start := cpuTime()
	for b.Loop() {
		var wg sync.WaitGroup
		for g := range 5 {
			wg.Go(func() {
				for i := range 4 {
					s.Search(qs[(g*13+i)%64], 200, nil)
				}
			})
		}
		wg.Wait()
	}
	b.ReportMetric(float64(cpuTime()-start)/1e6/float64(20*b.N), "cpu-ms/query")
}

// BenchmarkFlat is chromem alongside the scan, where the choice between them is made.
func BenchmarkFlat(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{250, 500, 1000, 1500, 2000, 4000} {
		vs, q := shapes[0].make(r, n, 256)
		for name, flat := range map[string]int{"scan": -1, "chromem": 1 << 30} {
			s := build(b, Options{Dim: 256, FlatAbove: flat}, vs)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					s.Search(q, 50, nil)
				}
			})
		}
	}
}
