//go:build unix

package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/search"
)

// BenchmarkOverlay measures what an overlay of one file costs over QUARRY_BENCH_ROOT: the
// first request with one, which copies the table; a keystroke later; the same once more;
// and the search without any. The file is that of QUARRY_BENCH_FILE.
func BenchmarkOverlay(b *testing.B) {
	m, err := model()
	if err != nil {
		b.Fatal(err)
	}
	x, err := Open(benchRoot(b), Options{Embedder: m})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	path := os.Getenv("QUARRY_BENCH_FILE")
	if path == "" {
		b.Skip("QUARRY_BENCH_FILE names no file of QUARRY_BENCH_ROOT")
	}
	text, err := os.ReadFile(filepath.Join(x.Root(), path))
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d files, %d chunks", x.State().Files, x.State().Chunks)
	keystroke := 0
	typed := func() []Overlay {
		keystroke++
		return []Overlay{{Path: path, Content: string(text) + fmt.Sprintf("\nfunc typed() int {\n\tn := %d\n\treturn n\n}\n", keystroke)}}
	}
	same := typed()
	target := path
	for _, s := range x.Table.Files[path].Symbols {
		if s.Kind() == "function" || s.Kind() == "method" {
			target = path + ":" + s.Name
			break
		}
	}
	ask := func(b *testing.B, x *Index, graph bool) {
		b.Helper()
		var err error
		if graph {
			_, err = x.Impact(b.Context(), impact.Query{Target: target})
		} else {
			_, err = x.Search(b.Context(), search.Query{Text: "close the connection"})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	with := func(b *testing.B, files []Overlay, graph bool) {
		b.Helper()
		v, err := x.With(b.Context(), files)
		if err != nil {
			b.Fatal(err)
		}
		ask(b, v.Index, graph)
		v.Release()
	}
	for _, graph := range []bool{false, true} {
		kind := strings.Fields("search impact")[map[bool]int{true: 1}[graph]]
		b.Run(kind+"/without", func(b *testing.B) {
			for b.Loop() {
				ask(b, x, graph)
			}
		})
		b.Run(kind+"/first", func(b *testing.B) {
			for b.Loop() {
				x.drafts.sweep(0)
				with(b, same, graph)
			}
		})
		if graph { // until it is there
			began := time.Now()
			for {
				v, err := x.With(b.Context(), same)
				if err != nil {
					b.Fatal(err)
				}
				ask(b, v.Index, true)
				old := v.GraphOld()
				v.Release()
				if !old {
					break
				}
			}
			b.Logf("the call graph is there after %v more, %d MB of all drafts", time.Since(began).Round(time.Millisecond), x.Memory().Drafts>>20)
		}
		b.Run(kind+"/keystroke", func(b *testing.B) {
			for b.Loop() {
				with(b, typed(), graph)
			}
		})
		b.Run(kind+"/same", func(b *testing.B) {
			with(b, same, graph)
			for b.Loop() {
				with(b, same, graph)
			}
		})
	}
}
