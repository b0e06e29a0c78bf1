package syntax

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A goComparison reads texts by the reader of Go and by the library.
type goComparison struct {
	parser     *Parser
	compiled   *compiled
	own        Tree
	taken      int
	declined   int // though the library finds no error
	unexpected int // taken, though the library finds an error
}

func newGoComparison(t testing.TB) *goComparison {
	compiled, err := grammars["go"].load()
	if err != nil {
		t.Fatal(err)
	}
	c := &goComparison{parser: NewParser(), compiled: compiled}
	t.Cleanup(c.parser.Close)
	return c
}

// compare reports whether the reader took a text. Where the library finds no error in
// it, the trees must be equal.
func (c *goComparison) compare(t testing.TB, name string, src []byte) (taken bool) {
	t.Helper()
	if len(bytes.TrimSpace(src)) == 0 {
		return false
	}
	masked := grammars["go"].rules.masked(src)
	taken = c.parser.golang.read(&c.own, c.compiled, src, masked)
	want := &c.parser.flat
	nodes, result := c.parser.glr.ByLibrary(want.nodes, c.compiled.grammar, masked)
	if result == glr.Late {
		return taken
	}
	broken := result == glr.Broken
	*want = Tree{src, nodes, c.compiled.grammar}
	switch {
	case broken && taken:
		c.unexpected++
	case taken:
		c.taken++
		c.same(t, name, want)
	case !broken:
		c.declined++
	}
	return taken
}

func (c *goComparison) same(t testing.TB, name string, want *Tree) {
	t.Helper()
	if slices.Equal(c.own.nodes, want.nodes) {
		return
	}
	for n := Node(1); int(n) < min(len(c.own.nodes), len(want.nodes)); n++ {
		a, b := c.own.nodes[n], want.nodes[n]
		a.Next, b.Next = 0, 0
		if a != b {
			t.Fatalf("%s: node %d is %s %s %+v, want %s %s %+v, in %q", name, n, c.own.Field(n), c.own.Kind(n), a,
				want.Field(n), want.Kind(n), b, want.src[b.Start:min(int(b.Start)+60, len(want.src))])
		}
	}
	t.Fatalf("%s: %d nodes, want %d", name, c.own.Len(), want.Len())
}

// goSources are the sources of Go in testdata.
func goSources(t testing.TB) []txtar.File {
	names, err := filepath.Glob("testdata/go/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no sources of Go: %v", err)
	}
	var files []txtar.File
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".go") {
				files = append(files, txtar.File{Name: name + ":" + f.Name, Data: f.Data})
			}
		}
	}
	return files
}

// The reader takes all that is in testdata.
func TestGoReader(t *testing.T) {
	c := newGoComparison(t)
	for _, f := range goSources(t) {
		if !c.compare(t, f.Name, f.Data) {
			t.Errorf("%s: declined at %q", f.Name, rest(&c.parser.golang))
		}
	}
	if c.unexpected > 0 {
		t.Errorf("the library finds errors in %d of the sources", c.unexpected)
	}
}

func rest(r *goReader) []byte {
	return r.src[min(int(r.start), len(r.src)):min(int(r.start)+60, len(r.src))]
}

// distribution calls yield with each n-th file of the Go distribution, or with all of
// them where QUARRY_GO_ALL is set.
func distribution(t testing.TB, n int, yield func(path string, src []byte)) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no Go distribution: %v", err)
	}
	if os.Getenv("QUARRY_GO_ALL") != "" {
		n = 1
	}
	root, count := strings.TrimSpace(string(out)), 0
	for _, folder := range []string{"src", "test"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			if count++; count%n != 0 {
				return nil
			}
			src, err := os.ReadFile(path)
			if err == nil {
				yield(path, src)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Of the Go distribution the reader takes nearly all files that the library reads
// without an error, and no other.
func TestGoReaderDistribution(t *testing.T) {
	c := newGoComparison(t)
	distribution(t, 12, func(path string, src []byte) { c.compare(t, path, src) })
	t.Logf("%d taken, %d declined", c.taken, c.declined)
	if c.declined*100 > c.taken+c.declined {
		t.Errorf("%d files of %d were declined", c.declined, c.taken+c.declined)
	}
	if c.unexpected > 0 {
		t.Errorf("%d files were taken in which the library finds errors", c.unexpected)
	}
}

// Comments may stand anywhere; each must go to the right node.
func TestGoReaderComments(t *testing.T) {
	c := newGoComparison(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range goSources(t) {
		for range 4 {
			c.compare(t, f.Name, withComments(f.Data, random))
		}
	}
	distribution(t, 200, func(path string, src []byte) { c.compare(t, path, withComments(src, random)) })
	t.Logf("%d taken, %d declined", c.taken, c.declined)
	if c.declined > c.taken/8 {
		t.Errorf("%d taken, %d declined", c.taken, c.declined)
	}
}

// withComments puts comments before one in ten tokens, with line breaks where these end
// no statement.
func withComments(src []byte, random *rand.Rand) []byte {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, nil, 0)
	var out []byte
	last, before := 0, token.ILLEGAL
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return append(out, src[last:]...)
		}
		if at := file.Offset(pos); (tok != token.SEMICOLON || text != "\n") && random.IntN(10) == 0 {
			choice := 5
			switch before {
			case token.BREAK, token.CONTINUE, token.FALLTHROUGH, token.RETURN, token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE:
				choice = 2
			default:
				if before.IsLiteral() {
					choice = 2
				}
			}
			out = append(out, src[last:at]...)
			out = append(out, [...]string{"/* c */", " /* c */ /**/ ", "/* c */\n", "// c\n", "\n\n"}[random.IntN(choice)]...)
			last = at
		}
		before = tok
	}
}

// Damaged texts are mostly declined, and never end otherwise.
func TestGoReaderDamaged(t *testing.T) {
	c := newGoComparison(t)
	random := rand.New(rand.NewPCG(3, 4))
	damage := func(name string, src []byte, rounds int) {
		for range rounds {
			i, j := random.IntN(len(src)), random.IntN(len(src))
			c.compare(t, name, src[:i])
			c.compare(t, name, slices.Concat(src[:min(i, j)], src[max(i, j):]))
			small := slices.Concat(src[:i], src[min(i+1+random.IntN(6), len(src)):])
			c.compare(t, name, small)
			flipped := bytes.Clone(src)
			flipped[i] = "\x00\n;(){}[].,*:=<-a1\"'`/|\xff"[random.IntN(24)]
			c.compare(t, name, flipped)
		}
	}
	for _, f := range goSources(t) {
		damage(f.Name, f.Data, 40)
	}
	distribution(t, 400, func(path string, src []byte) {
		if len(src) > 0 && len(src) < 20_000 {
			damage(path, src, 4)
		}
	})
	t.Logf("%d taken, %d declined, %d taken with errors", c.taken, c.declined, c.unexpected)
	if c.taken < 100 || c.unexpected > c.taken/100 {
		t.Errorf("%d taken, %d taken with errors", c.taken, c.unexpected)
	}
}

// Texts on which a reader without limits would be slow, or go too deep.
func TestGoReaderLimits(t *testing.T) {
	c := newGoComparison(t)
	const head = "package a\n\nvar x = "
	for name, text := range map[string]string{
		"parentheses": strings.Repeat("(", 1<<20),
		"pointers":    strings.Repeat("*", 1<<20) + "a",
		"brackets":    strings.Repeat("a[", 1<<18) + "b" + strings.Repeat("]", 1<<18),
		"arrays":      strings.Repeat("a[[", 300) + "b" + strings.Repeat("]int]", 300),
		"calls":       strings.Repeat("(a[b])(", 300) + "c" + strings.Repeat(")", 300),
		"functions":   strings.Repeat("func(a, func(", 300) + strings.Repeat("))", 300),
		"sums":        strings.Repeat("a+", 1<<18) + "a",
		"deep":        "1" + strings.Repeat("+1", 3000),
	} {
		begin := time.Now()
		taken := c.parser.golang.read(&c.own, c.compiled, []byte(head+text), []byte(head+text+"\n"))
		if d := time.Since(begin); d > 2*time.Second {
			t.Errorf("%s took %v", name, d)
		}
		if want := name == "deep" || name == "calls"; taken != want {
			t.Errorf("%s: taken %v", name, taken)
		}
	}
	c.compare(t, "deep", []byte(head+"1"+strings.Repeat("+1", 3000)+"\n"))
}

// Once its buffers are large enough, the reader takes no memory.
func TestGoReaderMemory(t *testing.T) {
	c := newGoComparison(t)
	files := goSources(t)
	allocs := testing.AllocsPerRun(3, func() {
		for _, f := range files {
			c.parser.golang.read(&c.own, c.compiled, f.Data, f.Data)
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// BenchmarkGoReader compares the reader with the library, on the Go distribution, by
// processor time.
func BenchmarkGoReader(b *testing.B) {
	c := newGoComparison(b)
	var files [][]byte
	size := 0
	distribution(b, 20, func(_ string, src []byte) {
		if c.parser.golang.read(&c.own, c.compiled, src, src) {
			files, size = append(files, src), size+len(src)
		}
	})
	var own, library time.Duration
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range files {
			begin := processorTime()
			c.parser.golang.read(&c.own, c.compiled, src, src)
			middle := processorTime()
			if _, err := c.parser.ParseOnly("go", src); err != nil {
				b.Fatal(err)
			}
			own += middle - begin
			library += processorTime() - middle
		}
	}
	megabytes := float64(size) * float64(b.N) / 1e6
	b.ReportMetric(megabytes/own.Seconds(), "reader-MB/s")
	b.ReportMetric(megabytes/library.Seconds(), "library-MB/s")
}
