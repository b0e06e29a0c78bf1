//go:build unix

package index

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
)

// BenchmarkQuery measures a whole search of each mode against what no search of that
// mode can do without, done bare, over QUARRY_BENCH_ROOT. Both are asked by turns, one
// at a time:
//
//	semantic  the products of the question with the codes of every vector
//	lexical   the postings of the question's words, read once
//	hybrid    both
//	symbol    each symbol's name compared once, without regard to case
//	regex     all texts unpacked and looked through for the literal of the pattern, on
//	          all processors; a filter lets a search leave most out, so that it can win
func BenchmarkQuery(b *testing.B) {
	x, questions := benchIndex(b)
	ctx := b.Context()
	vectors := map[string][]float32{}
	for _, q := range questions {
		v, err := x.Opt.Embedder.Query(ctx, q)
		if err != nil {
			b.Fatal(err)
		}
		vectors[q] = v
	}
	products := func(q string) int { return int(x.Table.Vectors.Sweep(vectors[q])) }
	postings := func(q string) int { return x.Table.Words.Sum(search.QueryTerms(q)) }
	names := make([]string, 0, len(questions))
	for _, q := range questions {
		names = append(names, slices.MaxFunc(strings.Fields(q), func(a, b string) int { return len(a) - len(b) }))
	}
	for _, m := range []struct {
		mode search.Mode
		text []string
		bare func(q string) int
	}{
		{search.Semantic, questions, products},
		{search.Lexical, questions, postings},
		{search.Hybrid, questions, func(q string) int { return products(q) + postings(q) }},
		{search.Symbol, names[:min(len(names), 50)], x.foldNames},
		{search.Regex, names[:min(len(names), 30)], x.findLiteral},
	} {
		b.Run(string(m.mode), func(b *testing.B) {
			var bare, whole []time.Duration
			sum := 0
			for b.Loop() {
				for _, q := range m.text {
					began := time.Now()
					sum += m.bare(q)
					bare = append(bare, time.Since(began))
					began = time.Now()
					// An expression: one that is a mere literal has a way of its own.
					text := q
					if m.mode == search.Regex {
						text = `\b` + q + `\w*\b`
					}
					if _, err := x.Search(context.Background(), search.Query{Text: text, Mode: m.mode}); err != nil {
						b.Fatal(err)
					}
					whole = append(whole, time.Since(began))
				}
			}
			if sum == 0 {
				b.Error("nothing was found, or the bare work was not done")
			}
			slices.Sort(bare)
			slices.Sort(whole)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(bare[len(bare)/2].Nanoseconds())/1e3, "bare-µs")
			b.ReportMetric(float64(whole[len(whole)/2].Nanoseconds())/1e3, "query-µs")
			b.ReportMetric(float64(whole[len(whole)*95/100].Nanoseconds())/1e3, "query-p95-µs")
			b.ReportMetric(float64(whole[len(whole)/2])/float64(bare[len(bare)/2]), "query/bare")
		})
	}
}

// BenchmarkStartup measures what is said before a task over QUARRY_BENCH_ROOT, for a hundred
// different tasks one after the other: alone, and with the first result of a search for the
// task as its entry point.
func BenchmarkStartup(b *testing.B) {
	x, questions := benchIndex(b)
	var tasks []brief.StartupQuery
	for i := 0; i < len(questions) && len(tasks) < 100; i++ {
		a, err := x.Search(b.Context(), search.Query{Text: questions[i], Mode: search.Hybrid, Limit: 1})
		if err != nil {
			b.Fatal(err)
		}
		if len(a.Results) == 1 && a.Results[0].Symbol != "" {
			tasks = append(tasks, brief.StartupQuery{Task: questions[i], Entry: fmt.Sprintf("%s:%d", a.Results[0].File, a.Results[0].Line)})
		}
	}
	for _, entry := range []bool{false, true} {
		b.Run(fmt.Sprintf("entry=%t", entry), func(b *testing.B) {
			var took []time.Duration
			var tokens, found int
			for b.Loop() {
				for _, q := range tasks {
					if !entry {
						q.Entry = ""
					}
					began := time.Now()
					a, err := x.Startup(b.Context(), q)
					took = append(took, time.Since(began))
					if err != nil {
						b.Fatal(err)
					}
					tokens += a.Tokens
					if a.Entry != nil {
						found++
					}
				}
			}
			slices.Sort(took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(tokens)/float64(len(took)), "tokens")
			b.ReportMetric(float64(found)/float64(len(took)), "entries")
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e6, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds())/1e6, "p95-ms")
		})
	}
}

// foldNames counts the symbols that have a name.
func (x *Index) foldNames(name string) int {
	n := 1
	for _, r := range x.Table.Files {
		for i := range r.Symbols {
			if strings.EqualFold(r.Symbols[i].Name, name) {
				n++
			}
		}
	}
	return n
}

// findLiteral counts the texts that hold a literal.
func (x *Index) findLiteral(literal string) int {
	files := make([]*store.Record, 0, len(x.Table.Files))
	for _, r := range x.Table.Files {
		files = append(files, r)
	}
	var found, next atomic.Int64
	var group sync.WaitGroup
	for range runtime.NumCPU() {
		group.Go(func() {
			var text []byte
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				text = files[i].Text.AppendAll(text[:0])
				if bytes.Contains(text, []byte(literal)) {
					found.Add(1)
				}
			}
		})
	}
	group.Wait()
	return int(found.Load())
}
