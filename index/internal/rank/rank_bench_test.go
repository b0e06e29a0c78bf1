package rank

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkRank orders as many chunks as a question of a large tree puts forward: all of 300
// files.
func BenchmarkRank(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var files []File
	var chunks []Evidence
	for f := range 300 {
		files = append(files, File{Path: fmt.Sprintf("some/folder/file%03d.go", f), Meaning: random.Float64() / 2})
		for n := range 1 + random.IntN(64) {
			chunks = append(chunks, Evidence{
				ID: uint32(len(chunks)), File: f, Nth: n, Line: 1 + 40*n, Size: 400 + random.IntN(1000),
				Words: 8 * random.Float64(), Coverage: random.Float64(), Meaning: random.Float64() / 2, Proposed: random.IntN(32) == 0,
			})
		}
	}
	for _, text := range []string{"connection pool", "what happens when a peer no longer answers, so that it is given up"} {
		b.Run(fmt.Sprintf("%d-per-file", Parse(text).PerFile()), func(b *testing.B) {
			b.ReportAllocs()
			var r Ranker
			for b.Loop() {
				r.Rank(Parse(text), chunks, files, Options{Limit: 10})
			}
			b.ReportMetric(float64(len(chunks)), "chunks")
		})
	}
}
