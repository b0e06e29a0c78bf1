package syntax

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// BenchmarkArena compares the binding's way to a copied tree with the arena's: on the
// files of BenchmarkParseOnly, or on one of ours where no folder is given.
func BenchmarkArena(b *testing.B) {
	language, files := "go", [][]byte{[]byte(strings.Repeat(benchSource, 40))}
	if os.Getenv("QUARRY_BENCH_TREE") != "" {
		language, files, _ = corpus(b)
	}
	g := grammars[language]
	c, err := g.load()
	if err != nil {
		b.Fatal(err)
	}
	p := NewParser()
	defer p.Close()
	var binding, arena time.Duration
	for b.Loop() {
		for _, src := range files {
			begin := processorTime()
			if _, err := p.ParseOnly(language, src); err != nil {
				continue
			}
			middle := processorTime()
			if _, err := p.arena.parse(&p.flat, c, language, src, g.rules.masked(src), p.limit); err != nil {
				b.Error(err)
			}
			binding += middle - begin
			arena += processorTime() - middle
		}
	}
	b.ReportMetric(float64(binding.Microseconds())/1000/float64(b.N), "binding-ms")
	b.ReportMetric(float64(arena.Microseconds())/1000/float64(b.N), "arena-ms")
}

// processorTime is what the process has used: other work on the machine counts less.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestFlatten compares the copy of a tree with a walk of the library's cursor: on the
// sources of all languages, whole and damaged, and on the files below QUARRY_BENCH_TREE.
func TestFlatten(t *testing.T) {
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) < 20 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	p := NewParser()
	defer p.Close()
	var fast, slow Tree
	nodes := 0
	same := func(language, name string, src []byte) {
		c, err := grammars[language].load()
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(src)) == 0 || p.arena.both(&fast, &slow, c, language, src, p.limit) != nil {
			return
		}
		nodes += slow.Len()
		if !slices.Equal(fast.nodes, slow.nodes) {
			for i := range min(len(fast.nodes), len(slow.nodes)) {
				if fast.nodes[i] != slow.nodes[i] {
					t.Fatalf("%s: node %d is %+v, want %+v", name, i, fast.nodes[i], slow.nodes[i])
				}
			}
			t.Fatalf("%s: %d nodes, want %d", name, fast.Len(), slow.Len())
		}
	}
	random := rand.New(rand.NewPCG(2, 3))
	for _, name := range archives {
		language := filepath.Base(filepath.Dir(name))
		if g, ok := grammars[language]; !ok || g.load == nil {
			continue
		}
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			same(language, name, f.Data)
			for range 8 {
				if len(f.Data) < 4 {
					break
				}
				i, j := random.IntN(len(f.Data)), random.IntN(len(f.Data))
				same(language, name, slices.Concat(f.Data[:max(i, j)], f.Data[min(i, j):]))
				same(language, name, slices.Concat(f.Data[:min(i, j)], f.Data[max(i, j):]))
			}
		}
	}
	for _, depth := range []int{100, 4094, 4095, 4096, 5000} {
		same("go", "deep", []byte("package a\nvar x = "+strings.Repeat("(", depth)+"1"+strings.Repeat(")", depth)))
		same("javascript", "deep", []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)))
	}
	if nodes < 1e5 {
		t.Errorf("%d nodes compared", nodes)
	}
	if root := os.Getenv("QUARRY_BENCH_TREE"); root != "" {
		ext, language := os.Getenv("QUARRY_BENCH_EXT"), os.Getenv("QUARRY_BENCH_LANG")
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ext) {
				return err
			}
			src, err := os.ReadFile(path)
			same(language, path, src)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Log(nodes, "nodes")
}

// Parsers of several goroutines, and the binding's beside them, do not disturb each
// other, whatever thread they run on.
func TestArenas(t *testing.T) {
	src := []byte(strings.Repeat(benchSource, 20))
	p := NewParser()
	defer p.Close()
	want, tree := p.ParseTree("go", src)
	nodes := tree.Len()
	if len(want.Symbols) == 0 || nodes == 0 {
		t.Fatal("nothing parsed")
	}
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			p := NewParser()
			defer p.Close()
			for i := range 30 {
				text := src[:len(src)/(1+(i+n)%5)]
				if i%3 == n%3 {
					if _, err := p.ParseOnly("go", text); err != nil {
						t.Error(err)
					}
				}
				p.ParseTree("python", text)
				if _, tree := p.ParseTree("go", src); tree.Len() != nodes {
					t.Errorf("%d nodes, want %d", tree.Len(), nodes)
				}
			}
		})
	}
	group.Wait()
}
