//go:build unix

package index

import (
	"io"
	"testing"

	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/search"
)

// BenchmarkModes measures the modes that look through everything, over
// QUARRY_BENCH_ROOT.
func BenchmarkModes(b *testing.B) {
	x, err := Open(benchRoot(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d files, %d symbols", x.State().Files, x.Status(0).Symbols)
	for _, q := range []search.Query{
		{Mode: search.Symbol, Text: "getHttpResponse"},
		{Mode: search.Symbol, Text: "gHR"},
		{Mode: search.Symbol, Text: "new"},
		{Mode: search.Symbol, Text: "read all"},
		{Mode: search.Symbol, Text: "responseWriterGet"},
		{Mode: search.Symbol, Text: "resetTimout"},
		{Mode: search.Regex, Text: `func \(s \*\w+\) Close\(`},
		{Mode: search.Regex, Text: `(?i)todo\(\w+\)`},
		{Mode: search.Regex, Text: `[a-z]+_[0-9]{4}x`},
		{Mode: search.Lexical, Text: "close the connection", Glob: []string{"**/net/**/*.go", "!*_test.go"}},
		{Mode: search.Lexical, Text: "close the connection", Kind: []string{"method"}},
	} {
		b.Run(string(q.Mode)+"/"+q.Text, func(b *testing.B) {
			b.ReportAllocs()
			matches, cpu := 0, processorTime()
			for b.Loop() {
				a, err := x.Search(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				matches = a.Matches
			}
			b.ReportMetric(float64(matches), "matches")
			b.ReportMetric(float64((processorTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

// BenchmarkGrep measures Grep and GrepRaw with ten kinds of patterns, over
// QUARRY_BENCH_ROOT.
func BenchmarkGrep(b *testing.B) {
	x, err := Open(benchRoot(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	for _, q := range []grep.GrepQuery{
		{Pattern: "bytes.Buffer", Literal: true}, {Pattern: "Close", Word: true}, {Pattern: "ErrClosed|ErrTimeout|errNotFound"},
		{Pattern: "mapassign_faststr"}, {Pattern: "err"}, {Pattern: `^func \(`}, {Pattern: "connection reset", IgnoreCase: true},
		{Pattern: "[α-ω]"}, {Pattern: "zzqqxx"}, {Pattern: "."}, {Pattern: "error", IgnoreCase: true}, {Pattern: "err", Word: true},
	} {
		b.Run(q.Pattern, func(b *testing.B) {
			matches := 0
			for b.Loop() {
				g, err := x.Grep(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				matches = g.Matches
			}
			b.ReportMetric(float64(matches), "matches")
		})
		b.Run(q.Pattern+"/raw", func(b *testing.B) {
			for b.Loop() {
				if _, err := x.GrepRaw(b.Context(), q, grep.RawOptions{}, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
