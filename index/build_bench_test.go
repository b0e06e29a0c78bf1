//go:build unix

package index

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
)

// The benchmarks run over a folder of the machine's own:
//
//	QUARRY_BENCH_ROOT=$(go env GOROOT) go test -run '^$' -bench . -benchtime 1x ./index
//
// or `make bench`.

func benchRoot(b *testing.B) string {
	root := os.Getenv("QUARRY_BENCH_ROOT")
	if root == "" {
		b.Skip("QUARRY_BENCH_ROOT names no folder")
	}
	return root
}

// How the commands set up the garbage collector.
const (
	gcPercent = 40
	garbage   = 384 << 20
)

// BenchmarkColdBuild measures a whole first build against parsing and querying
// the same files with the same library alone, on as many processors, in the
// same run: first one, then the other.
func BenchmarkColdBuild(b *testing.B) {
	root := benchRoot(b)
	var parse, total, solved, parseCPU, totalCPU, solvedCPU time.Duration
	var peak, steady int64
	var state answer.State
	var bytes int64
	for b.Loop() {
		debug.FreeOSMemory()
		took, cpu, read := parseOnly(b, root)
		parse += took
		parseCPU += cpu
		bytes = read
		debug.FreeOSMemory()
		resetPeak()
		m, err := model()
		if err != nil {
			b.Fatal(err)
		}
		gc := collector.New(gcPercent, garbage)
		tighten := gc.Loosen(collector.All)
		began, cpu := time.Now(), processorTime()
		x, err := Open(root, Options{Embedder: m, Background: true})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := x.Build(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		total += time.Since(began)
		totalCPU += processorTime() - cpu
		x.Graph.Wait()
		solved += time.Since(began)
		solvedCPU += processorTime() - cpu
		tighten()
		peak = max(peak, memory("VmHWM"))
		debug.FreeOSMemory()
		steady = max(steady, memory("VmRSS"))
		gc.Close()
		state = x.State()
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
	n := float64(b.N)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(parse.Seconds()/n, "parse-s")
	b.ReportMetric(total.Seconds()/n, "build-s")
	b.ReportMetric(total.Seconds()/parse.Seconds(), "build/parse")
	// Wall time suffers when the machine does something else; this does not.
	b.ReportMetric(totalCPU.Seconds()/parseCPU.Seconds(), "build/parse-cpu")
	// The call graph is solved in the background, when the index is there.
	b.ReportMetric(solved.Seconds()/n, "graph-s")
	b.ReportMetric(solved.Seconds()/parse.Seconds(), "graph/parse")
	b.ReportMetric(solvedCPU.Seconds()/parseCPU.Seconds(), "graph/parse-cpu")
	b.ReportMetric(parseCPU.Seconds()/n, "parse-cpu-s")
	b.ReportMetric(totalCPU.Seconds()/n, "build-cpu-s")
	b.ReportMetric(float64(state.Files)*n/total.Seconds(), "files/s")
	b.ReportMetric(float64(bytes)*n/1e6/total.Seconds(), "MB/s")
	b.ReportMetric(float64(state.Files), "files")
	b.ReportMetric(float64(state.Chunks), "chunks")
	b.ReportMetric(float64(peak)/1024, "peak-MiB")
	b.ReportMetric(float64(steady)/1024, "steady-MiB")
}

// parseOnly reads all files first, then parses and queries those that have a
// grammar.
func parseOnly(b *testing.B, root string) (wall, cpu time.Duration, size int64) {
	tree, err := source.Open(root, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	files, _, err := tree.Walk(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	type text struct {
		language string
		src      []byte
	}
	var texts []text
	for _, f := range files {
		src, skip, err := tree.Read(f)
		if err != nil || skip != nil {
			continue
		}
		texts = append(texts, text{source.Language(f.Path, src), src})
		size += int64(len(src))
	}
	var next atomic.Int64
	var group sync.WaitGroup
	began := time.Now()
	cpu = processorTime()
	for range runtime.NumCPU() {
		group.Go(func() {
			p := lang.NewParser()
			defer p.Close()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(texts) {
					return
				}
				// A language without a grammar costs nothing here; an error of
				// the parser has cost what it has cost.
				_, _ = p.ParseOnly(texts[i].language, texts[i].src)
			}
		})
	}
	group.Wait()
	return time.Since(began), processorTime() - cpu, size
}

// BenchmarkRepositories builds each repository below a folder, with the model
// loaded, and tells the mean of their times:
//
//	QUARRY_BENCH_CORPUS=~/corpus go test -run '^$' -bench Repositories -benchtime 3x ./index
func BenchmarkRepositories(b *testing.B) {
	corpus := os.Getenv("QUARRY_BENCH_CORPUS")
	if corpus == "" {
		b.Skip("QUARRY_BENCH_CORPUS names no folder")
	}
	entries, err := os.ReadDir(corpus)
	if err != nil {
		b.Fatal(err)
	}
	m, err := model()
	if err != nil {
		b.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	gc := collector.New(gcPercent, garbage)
	defer gc.Close()
	defer gc.Loosen(collector.All)()
	var sum cost // of all repositories
	for _, e := range entries {
		root := filepath.Join(corpus, e.Name())
		b.Run(e.Name(), func(b *testing.B) {
			var c cost
			for b.Loop() {
				took, cpu, _ := parseOnly(b, root)
				c.parse += took
				c.parseCPU += cpu
				began, cpu := time.Now(), processorTime()
				x, err := Open(root, Options{Embedder: m, Background: true})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := x.Build(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				c.build += time.Since(began)
				c.buildCPU += processorTime() - cpu
				x.Graph.Wait()
				c.solved += time.Since(began)
				if err := x.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(0, "ns/op")
			c.report(b, float64(b.N))
			sum.add(c, b.N)
		})
	}
	b.Run("mean", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(0, "ns/op")
		sum.report(b, float64(len(entries)))
	})
}

// A cost is what building took, until the call graph was solved, too, which of more
// than a few files is done in the background, and parsing the same files alone.
type cost struct{ parse, build, solved, parseCPU, buildCPU time.Duration }

// add adds the mean of n builds.
func (c *cost) add(d cost, n int) {
	c.parse += d.parse / time.Duration(n)
	c.build += d.build / time.Duration(n)
	c.solved += d.solved / time.Duration(n)
	c.parseCPU += d.parseCPU / time.Duration(n)
	c.buildCPU += d.buildCPU / time.Duration(n)
}

func (c *cost) report(b *testing.B, n float64) {
	b.ReportMetric(c.parse.Seconds()*1000/n, "parse-ms")
	b.ReportMetric(c.build.Seconds()*1000/n, "build-ms")
	b.ReportMetric(c.solved.Seconds()*1000/n, "graph-ms")
	b.ReportMetric(c.parseCPU.Seconds()*1000/n, "parse-cpu-ms")
	b.ReportMetric(c.buildCPU.Seconds()*1000/n, "build-cpu-ms")
	b.ReportMetric(c.buildCPU.Seconds()/c.parseCPU.Seconds(), "build/parse-cpu")
}

// BenchmarkSearch asks questions made from the index's own symbols, one at a
// time and, for the throughput of a server, five at a time.
func BenchmarkSearch(b *testing.B) {
	x, questions := benchIndex(b)
	for _, clients := range []int{1, 5} {
		b.Run(strconv.Itoa(clients)+"-clients", func(b *testing.B) {
			b.ReportAllocs()
			took := make([]time.Duration, b.N)
			var next atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			cpu := processorTime()
			for range clients {
				group.Go(func() {
					for {
						i := int(next.Add(1)) - 1
						if i >= b.N {
							return
						}
						began := time.Now()
						if _, err := x.Search(context.Background(), search.Query{Text: questions[i%len(questions)]}); err != nil {
							b.Error(err)
							return
						}
						took[i] = time.Since(began)
					}
				})
			}
			group.Wait()
			b.StopTimer()
			b.ReportMetric(float64((processorTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
			b.ReportMetric(took[len(took)*95/100].Seconds()*1e3, "p95-ms")
		})
	}
}

func benchIndex(b *testing.B) (*Index, []string) {
	root := benchRoot(b)
	m, err := model()
	if err != nil {
		b.Fatal(err)
	}
	x, err := Open(root, Options{Embedder: m})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { x.Close() })
	if _, err := x.Build(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	var questions []string
	for i := 0; len(questions) < 500 && i < len(x.Table.Chunks); i += 1 + len(x.Table.Chunks)/700 {
		at := x.Table.Chunks[i]
		p := at.Record.Chunk(at.Chunk)
		text := store.FirstLine(string(at.Record.Text.Slice(int(p.Start), int(p.End))))
		words := strings.FieldsFunc(text, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') })
		if len(words) > 2 {
			questions = append(questions, strings.Join(words[:min(7, len(words))], " "))
		}
	}
	return x, questions
}

// BenchmarkStages times the parts of a search on the same questions.
func BenchmarkStages(b *testing.B) {
	x, questions := benchIndex(b)
	vectors := make([][]float32, len(questions))
	for i, q := range questions {
		var err error
		if vectors[i], err = x.Opt.Embedder.Query(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("embed", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := x.Opt.Embedder.Query(b.Context(), questions[i%len(questions)]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("lexical", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			r := x.Table.Words.Search(search.QueryTerms(questions[i%len(questions)]))
			r.Top(search.Candidates, nil, x.Table.Order)
			r.Release()
		}
	})
	b.Run("accumulate", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			x.Table.Words.Search(search.QueryTerms(questions[i%len(questions)])).Release()
		}
	})
	b.Run("vector", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			x.Table.Nearest(vectors[i%len(questions)], search.Candidates, nil)
		}
	})
}

// memory returns a figure of the process in KiB, from Linux's /proc; 0 elsewhere.
func memory(name string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return n
		}
	}
	return 0
}

// resetPeak makes VmHWM start over; where it cannot, the peak is that of the
// whole run.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
