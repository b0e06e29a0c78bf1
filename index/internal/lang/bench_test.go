package lang

import (
	"os"
	"strings"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/quarry-search/quarry/index/internal/lang/langtest"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

// BenchmarkMatcher compares the matcher, and the copying of the tree that it
// needs, with the library's cursor: on the files of BenchmarkParseOnly, or on one
// of ours where no folder is given. Each figure is the time for all files once.
func BenchmarkMatcher(b *testing.B) {
	language, files := "go", [][]byte{[]byte(strings.Repeat(benchSource, 40))}
	if os.Getenv("QUARRY_BENCH_TREE") != "" {
		language, files, _ = corpus(b)
	}
	l, g := grammar(b, language)
	own, err := query.Compile(l.Query, g)
	if err != nil {
		b.Fatal(err)
	}
	whole, err := g.Language()
	if err != nil {
		b.Fatal(err)
	}
	library, err := sitter.NewQuery([]byte(l.Query), whole)
	if err != nil {
		b.Fatal(err)
	}
	p, cursor := glr.NewParser(), sitter.NewQueryCursor()
	var flat []glr.Node
	var matcher query.Matcher
	defer p.Close()
	defer cursor.Close()
	var spent [3]time.Duration
	matches := [3]int{}
	for b.Loop() {
		for _, src := range files {
			tree, err := p.Tree(g, masked(l, src))
			if err != nil {
				continue
			}
			begin := time.Now()
			cursor.Exec(library, tree.RootNode())
			for {
				if _, ok := cursor.NextMatch(); !ok {
					break
				}
				matches[0]++
			}
			spent[0] += time.Since(begin)
			begin = time.Now()
			flat = glr.Copy(flat, tree.RootNode())
			spent[1] += time.Since(begin)
			begin = time.Now()
			matcher.Match(flat, own, func(uint16, []query.Captured) { matches[2]++ })
			spent[2] += time.Since(begin)
			tree.Close()
		}
	}
	if matches[2] == 0 || matches[0] != matches[2] {
		b.Logf("the cursor has %d matches, the matcher %d", matches[0], matches[2])
	}
	for i, unit := range []string{"cursor-ms", "copy-ms", "matcher-ms"} {
		b.ReportMetric(float64(spent[i].Microseconds())/1000/float64(b.N), unit)
	}
}

const benchSource = `
func (s *Store) Get(ctx context.Context, key string) (*Value, error) {
	if v, ok := s.cache[key]; ok && !v.expired(time.Now()) {
		return v, nil
	}
	rows, err := s.db.QueryContext(ctx, "SELECT v FROM t WHERE k = ?", key)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	return decode(rows)
}
`

// BenchmarkGLR compares the parser by tables with the library: on the files of
// BenchmarkParseOnly, or on one of ours where no folder is given.
func BenchmarkGLR(b *testing.B) {
	language, files := "go", [][]byte{[]byte(strings.Repeat(benchSource, 40))}
	if os.Getenv("QUARRY_BENCH_TREE") != "" {
		language, files, _ = corpus(b)
	}
	l, g := grammar(b, language)
	p := glr.NewParser()
	defer p.Close()
	var library, tables time.Duration
	var tree []glr.Node
	for b.Loop() {
		for _, src := range files {
			begin := langtest.ProcessorTime()
			var result glr.Result
			if tree, result = p.ByLibrary(tree, g, masked(l, src)); result == glr.Late {
				continue
			}
			middle := langtest.ProcessorTime()
			tree, _ = p.ByTables(tree, g, masked(l, src))
			library += middle - begin
			tables += langtest.ProcessorTime() - middle
		}
	}
	b.ReportMetric(library.Seconds()*1000/float64(b.N), "library-ms")
	b.ReportMetric(tables.Seconds()*1000/float64(b.N), "tables-ms")
	b.ReportMetric(tables.Seconds()/library.Seconds(), "tables/library")
}
