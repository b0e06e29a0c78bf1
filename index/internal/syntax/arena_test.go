package syntax

import (
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
