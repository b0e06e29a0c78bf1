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

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A glrComparison compares the trees of glr.c with the library's.
type glrComparison struct {
	p         *Parser
	got, want []glr.Node
	texts     int
	declined  int
	broken    int
}

func newGLRComparison(t testing.TB) *glrComparison {
	c := &glrComparison{p: NewParser()}
	t.Cleanup(c.p.Close)
	return c
}

func (c *glrComparison) compare(t testing.TB, language, name string, src []byte) {
	if len(bytes.TrimSpace(src)) == 0 {
		return
	}
	g, err := grammars[language].load()
	if err != nil {
		t.Fatal(err)
	}
	c.texts++
	var got, wanted glr.Result
	if c.got, got = c.p.glr.ByTables(c.got, g.grammar, src); got <= glr.Refused {
		c.declined++
		return
	}
	if c.want, wanted = c.p.glr.ByLibrary(c.want, g.grammar, src); wanted <= glr.Refused {
		return
	}
	if got == glr.Broken {
		c.broken++
	}
	nodes, want := c.got, c.want
	if got != wanted || !slices.Equal(nodes, want) {
		for i := range min(len(nodes), len(want)) {
			if nodes[i] != want[i] {
				t.Fatalf("%s (%s): node %d is %+v, want %+v", name, language, i, nodes[i], want[i])
			}
		}
		t.Fatalf("%s (%s): %d nodes, want %d; result %v, want %v", name, language, len(nodes), len(want), got, wanted)
	}
}

// damaged calls yield with texts that are src with something wrong.
func damaged(random *rand.Rand, src []byte, n int, yield func([]byte)) {
	if len(src) < 4 {
		return
	}
	marks := []string{"(", ")", "{", "}", "[", "]", "\"", "'", "`", "/*", "*/", "\n", ";", ",", "<", ">", "#", "=", "\x00", "\xff", "é", "if ", "end", "\n\t"}
	for range n {
		i, j := random.IntN(len(src)), random.IntN(len(src))
		mark := marks[random.IntN(len(marks))]
		yield(slices.Concat(src[:max(i, j)], src[min(i, j):])) // a piece twice
		yield(slices.Concat(src[:min(i, j)], src[max(i, j):])) // a piece less
		yield(src[:i])
		yield(src[i:])
		yield(slices.Concat(src[:i], []byte(mark), src[i:]))
		k := min(len(src), i+1+random.IntN(8))
		yield(slices.Concat(src[:i], src[k:]))
		yield(slices.Concat(src[:i], src[j:min(len(src), j+random.IntN(40))], src[k:]))
	}
}

// TestGLR compares the trees of the parser by tables with the library's, node for node:
// on the sources of all languages, whole and damaged, and on the files below
// QUARRY_BENCH_TREE, whole and damaged QUARRY_BENCH_DAMAGE times.
func TestGLR(t *testing.T) {
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) < 20 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	c := newGLRComparison(t)
	random := rand.New(rand.NewPCG(5, 8))
	languages := map[string]bool{}
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
			languages[language] = true
			c.compare(t, language, name, f.Data)
			damaged(random, f.Data, 8, func(src []byte) { c.compare(t, language, name, src) })
		}
	}
	for _, depth := range []int{100, 4094, 4095, 4096, 5000} {
		c.compare(t, "go", "deep", []byte("package a\nvar x = "+strings.Repeat("(", depth)+"1"+strings.Repeat(")", depth)))
		c.compare(t, "javascript", "deep", []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)))
	}
	c.compare(t, "javascript", "long", []byte("x = ["+strings.Repeat("a,\n", 30000)+"]"))
	if len(languages) < 20 || c.broken < 1000 || c.declined > c.texts/20 {
		t.Errorf("%d languages, %d texts, %d declined, %d with errors", len(languages), c.texts, c.declined, c.broken)
	}
	if root := os.Getenv("QUARRY_BENCH_TREE"); root != "" {
		c.tree(t, random, root)
	}
	t.Logf("%d texts, %d declined, %d with errors", c.texts, c.declined, c.broken)
}

// A text that is nothing but errors has the library parse it, long before it has taken all
// memory: without a bound each of these takes a gigabyte and more.
func TestGLRMemory(t *testing.T) {
	p := NewParser()
	defer p.Close()
	for language, unit := range map[string]string{"rust": "} x ", "java": "\n) x", "javascript": "\"", "ruby": "{ ) ", "c": "a ) "} {
		g, err := grammars[language].load()
		if err != nil {
			t.Fatal(err)
		}
		src := bytes.Repeat([]byte(unit), 1<<20/len(unit))
		p.glr.Limit = time.Minute
		if _, got := p.glr.ByTables(nil, g.grammar, src); got != glr.Declined {
			t.Errorf("%s, %q a megabyte long: %d, want %d", language, unit, got, glr.Declined)
		}
	}
}

// What is nested as deep as a text is long is parsed, or given up, with the stack of the
// machine that there is.
func TestNesting(t *testing.T) {
	p := newParser(t)
	for _, language := range []string{"java", "javascript", "c"} {
		g, err := grammars[language].load()
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"{[(", "(", "a("} {
			src := []byte(strings.Repeat(unit, 360_000/len(unit)))
			p.glr.Limit = time.Minute
			if _, got := p.glr.ByTables(nil, g.grammar, src); got == glr.Late {
				t.Errorf("%s, %q: late", language, unit)
			}
		}
	}
}

// tree compares the files below a folder: those of the language QUARRY_BENCH_LANG, whose
// names end in QUARRY_BENCH_EXT.
func (c *glrComparison) tree(t *testing.T, random *rand.Rand, root string) {
	ext, language := os.Getenv("QUARRY_BENCH_EXT"), os.Getenv("QUARRY_BENCH_LANG")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ext) {
			return err
		}
		src, err := os.ReadFile(path)
		if len(src) > 100<<10 {
			return err
		}
		c.compare(t, language, path, src)
		damaged(random, src, len(os.Getenv("QUARRY_BENCH_DAMAGE")), func(src []byte) { c.compare(t, language, path, src) })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Parsers of several goroutines, and the binding's alongside them, do not disturb each
// other, whatever thread they run on.
func TestParsersApart(t *testing.T) {
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

// BenchmarkGLR compares the parser by tables with the library: on the files of
// BenchmarkParseOnly, or on one of ours where no folder is given.
func BenchmarkGLR(b *testing.B) {
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
	var library, tables time.Duration
	for b.Loop() {
		for _, src := range files {
			begin := processorTime()
			if _, err := p.ParseOnly(language, src); err != nil {
				continue
			}
			middle := processorTime()
			p.flat.nodes, _ = p.glr.ByTables(p.flat.nodes, c.grammar, g.rules.masked(src))
			library += middle - begin
			tables += processorTime() - middle
		}
	}
	b.ReportMetric(library.Seconds()*1000/float64(b.N), "library-ms")
	b.ReportMetric(tables.Seconds()*1000/float64(b.N), "tables-ms")
	b.ReportMetric(tables.Seconds()/library.Seconds(), "tables/library")
}

// processorTime is what the process has used: other work on the machine counts less.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
