package lang

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// The corpus is given by QUARRY_BENCH_TREE, a folder, and QUARRY_BENCH_EXT, an
// extension with its dot, for which QUARRY_BENCH_LANG is the language:
//
//	QUARRY_BENCH_TREE=$(go env GOROOT)/src/net QUARRY_BENCH_EXT=.go \
//	QUARRY_BENCH_LANG=go go test -run - -bench . -benchtime 1x
func corpus(b *testing.B) (language string, files [][]byte, size int64) {
	root := os.Getenv("QUARRY_BENCH_TREE")
	if root == "" {
		b.Skip("QUARRY_BENCH_TREE is not set")
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, os.Getenv("QUARRY_BENCH_EXT")) {
			return err
		}
		src, err := os.ReadFile(path)
		files, size = append(files, src), size+int64(len(src))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return os.Getenv("QUARRY_BENCH_LANG"), files, size
}

// BenchmarkParseOnly is what parsing and copying the tree cost with nothing of ours.
func BenchmarkParseOnly(b *testing.B) {
	language, files, size := corpus(b)
	l, g := grammar(b, language)
	p := glr.NewParser()
	defer p.Close()
	var tree []glr.Node
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range files {
			var result glr.Result
			if tree, result = p.ByLibrary(tree, g, masked(l, src)); result == glr.Late {
				b.Log("late")
			}
		}
	}
}

// BenchmarkParse is the whole work on the same files.
func BenchmarkParse(b *testing.B) {
	language, files, size := corpus(b)
	p := NewParser()
	defer p.Close()
	p.Parse(language, []byte("x"))
	symbols, refs := 0, 0
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range files {
			f := p.Parse(language, src)
			symbols, refs = symbols+len(f.Symbols), refs+len(f.Refs)
		}
	}
	b.ReportMetric(float64(symbols)/float64(b.N), "symbols")
	b.ReportMetric(float64(refs)/float64(b.N), "refs")
}
