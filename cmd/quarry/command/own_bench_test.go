package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/search"
)

// The benchmarks run over a folder of the machine's own:
//
//	QUARRY_BENCH_ROOT=$(go env GOROOT) go test -run '^$' -bench . -benchtime 1x ./cmd/quarry/command
//
// or `make bench`.

func benchRoot(b *testing.B) string {
	root := os.Getenv("QUARRY_BENCH_ROOT")
	if root == "" {
		b.Skip("QUARRY_BENCH_ROOT names no folder")
	}
	return root
}

// BenchmarkHTTP asks the same questions in process and over HTTP by turns: one client,
// one connection that is kept open, ten results each.
func BenchmarkHTTP(b *testing.B) {
	root := benchRoot(b)
	x, _, stop, err := engine.Open(config.Default(), root, true, index.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := stop(); err != nil {
			b.Error(err)
		}
	})
	if _, err := x.Build(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	server, end, err := serveLoopback(x)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := end(); err != nil {
			b.Error(err)
		}
	})
	questions := benchQuestions(b, root)
	var within, over []time.Duration
	for b.Loop() {
		for _, text := range questions {
			q := search.Query{Text: text, Limit: 10}
			for _, way := range []struct {
				asker
				took *[]time.Duration
			}{{inProcess{x}, &within}, {server, &over}} {
				began := time.Now()
				if _, err := way.ask(b.Context(), q); err != nil {
					b.Fatal(err)
				}
				*way.took = append(*way.took, time.Since(began))
			}
		}
	}
	slices.Sort(within)
	slices.Sort(over)
	us := func(all []time.Duration, percent int) float64 {
		return float64(all[len(all)*percent/100].Nanoseconds()) / 1e3
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(us(within, 50), "call-p50-µs")
	b.ReportMetric(us(within, 95), "call-p95-µs")
	b.ReportMetric(us(over, 50), "http-p50-µs")
	b.ReportMetric(us(over, 95), "http-p95-µs")
	b.ReportMetric(us(over, 50)-us(within, 50), "http-call-µs")
	b.ReportMetric(us(over, 50)/us(within, 50), "http/call")
}

// benchQuestions are lines of comments below a folder, at most 500, the same each time.
func benchQuestions(b *testing.B, root string) []string {
	comment := regexp.MustCompile(`(?m)^\s*(?://|#) ([A-Za-z]+(?: [A-Za-z]+){3,7})`)
	var all []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case len(all) >= 500:
			return fs.SkipAll
		case !d.Type().IsRegular() || filepath.Ext(path) == "" || strings.Contains(path, "/.git/"):
			return nil
		}
		text, err := os.ReadFile(path)
		if m := comment.FindSubmatch(text); m != nil {
			all = append(all, string(m[1]))
		}
		return err
	})
	if err != nil || len(all) == 0 {
		b.Fatalf("no questions: %d, %v", len(all), err)
	}
	return all
}

// BenchmarkEdit writes files one after the other below a served copy of the folder and
// polls /search until each is found: the time from before the write to the answer, the
// debounce in it.
func BenchmarkEdit(b *testing.B) {
	const edits = 50
	root := b.TempDir()
	if err := os.CopyFS(root, os.DirFS(benchRoot(b))); err != nil {
		b.Fatal(err)
	}
	s := startServer(b, root)
	var took []time.Duration
	for b.Loop() {
		for i := range edits {
			word := fmt.Sprintf("zqlantern%dx%d", i, len(took))
			began := time.Now()
			write(b, filepath.Join(root, word+".go"), "package p\n\nfunc "+word+"() {}\n")
			for {
				if file, err := s.where(b.Context(), word); err != nil {
					b.Fatal(err)
				} else if file != "" {
					break
				}
				if time.Now().After(began.Add(15 * time.Second)) {
					b.Fatalf("%s is not found", word)
				}
				time.Sleep(2 * time.Millisecond)
			}
			took = append(took, time.Since(began))
			time.Sleep(20 * time.Millisecond)
		}
	}
	slices.Sort(took)
	debounce := config.Default().Watch.Debounce
	ms := func(percent int) float64 { return took[len(took)*percent/100].Seconds() * 1e3 }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(50), "edit-p50-ms")
	b.ReportMetric(ms(95), "edit-p95-ms")
	b.ReportMetric(time.Duration(debounce).Seconds()*1e3, "debounce-ms")
	b.ReportMetric(ms(50)/(time.Duration(debounce).Seconds()*1e3), "edit/debounce")
}
