package reader_test

import (
	"bytes"
	"fmt"
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

	"github.com/quarry-search/quarry/index/internal/lang/golang"
	"github.com/quarry-search/quarry/index/internal/lang/golang/reader"
	"github.com/quarry-search/quarry/index/internal/lang/langtest"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A comparison reads texts by the reader and by the library.
type comparison struct {
	library    *glr.Parser
	grammar    *glr.Grammar
	reader     syntax.TreeReader
	mask       func([]byte) []byte
	own, want  []glr.Node
	taken      int
	declined   int // though the library finds no error
	unexpected int // taken, though the library finds an error
}

func newComparison(t testing.TB) *comparison {
	language := golang.Language()
	g, err := glr.Load("go", language.Grammar())
	if err != nil {
		t.Fatal(err)
	}
	readers, err := reader.New(g)
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{library: glr.NewParser(), grammar: g, reader: readers(), mask: language.Rules.Mask}
	t.Cleanup(c.library.Close)
	return c
}

// read has the reader make the tree of a text, and reports whether it did.
func (c *comparison) read(text []byte) (taken bool) {
	c.own, taken = c.reader.Read(c.own, text)
	return taken
}

// compare reports whether the reader took a text. Where the library finds no error in
// it, the trees must be equal.
func (c *comparison) compare(t testing.TB, name string, src []byte) (taken bool) {
	t.Helper()
	if len(bytes.TrimSpace(src)) == 0 {
		return false
	}
	text := c.mask(src)
	taken = c.read(text)
	var result glr.Result
	if c.want, result = c.library.ByLibrary(c.want, c.grammar, text); result == glr.Late {
		return taken
	}
	broken := result == glr.Broken
	switch {
	case broken && taken:
		c.unexpected++
	case taken:
		c.taken++
		c.same(t, name, text)
	case !broken:
		c.declined++
	}
	return taken
}

func (c *comparison) same(t testing.TB, name string, text []byte) {
	t.Helper()
	if slices.Equal(c.own, c.want) {
		return
	}
	show := func(n glr.Node) string {
		return fmt.Sprintf("%s %s %+v", c.grammar.Fields[n.Field], c.grammar.Kinds[n.Kind], n)
	}
	for n := 1; n < min(len(c.own), len(c.want)); n++ {
		a, b := c.own[n], c.want[n]
		a.Next, b.Next = 0, 0
		if a != b {
			t.Fatalf("%s: node %d is %s, want %s, in %q", name, n, show(a), show(b), text[b.Start:min(int(b.Start)+60, len(text))])
		}
	}
	t.Fatalf("%s: %d nodes, want %d", name, len(c.own), len(c.want))
}

// goSources are the sources of Go in testdata.
func goSources(t testing.TB) []txtar.File {
	names, err := filepath.Glob("../testdata/symbols/go/*.txtar")
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
	c := newComparison(t)
	for _, f := range goSources(t) {
		if !c.compare(t, f.Name, f.Data) {
			t.Errorf("%s: declined", f.Name)
		}
	}
	if c.unexpected > 0 {
		t.Errorf("the library finds errors in %d of the sources", c.unexpected)
	}
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
	c := newComparison(t)
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
	c := newComparison(t)
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
	c := newComparison(t)
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

// Texts on which a reader without limits would be slow, or go too deep: the time grows with
// the text at most.
func TestGoReaderLimits(t *testing.T) {
	c := newComparison(t)
	const head = "package a\n\nvar x = "
	for name, test := range map[string]struct {
		n    int
		text func(n int) string
	}{
		"parentheses": {1 << 20, func(n int) string { return strings.Repeat("(", n) }},
		"pointers":    {1 << 20, func(n int) string { return strings.Repeat("*", n) + "a" }},
		"brackets":    {1 << 18, func(n int) string { return strings.Repeat("a[", n) + "b" + strings.Repeat("]", n) }},
		"arrays":      {300, func(n int) string { return strings.Repeat("a[[", n) + "b" + strings.Repeat("]int]", n) }},
		"calls":       {300, func(n int) string { return strings.Repeat("(a[b])(", n) + "c" + strings.Repeat(")", n) }},
		"functions":   {300, func(n int) string { return strings.Repeat("func(a, func(", n) + strings.Repeat("))", n) }},
		"sums":        {1 << 18, func(n int) string { return strings.Repeat("a+", n) + "a" }},
		"deep":        {3000, func(n int) string { return "1" + strings.Repeat("+1", n) }},
	} {
		if taken, want := c.read([]byte(head+test.text(test.n)+"\n")), name == "deep" || name == "calls"; taken != want {
			t.Errorf("%s: taken %v", name, taken)
		}
		read := func(n int) { c.read([]byte(head + test.text(n) + "\n")) }
		if long, short, found := langtest.Superlinear(test.n, read); found {
			t.Errorf("%s: %v, and %v for an eighth", name, long, short)
		}
	}
	c.compare(t, "deep", []byte(head+"1"+strings.Repeat("+1", 3000)+"\n"))
}

// Once its buffers are large enough, the reader takes no memory.
func TestGoReaderMemory(t *testing.T) {
	c := newComparison(t)
	files := goSources(t)
	allocs := testing.AllocsPerRun(3, func() {
		for _, f := range files {
			c.read(f.Data)
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// BenchmarkGoReader compares the reader with the library, on the Go distribution, by
// processor time.
func BenchmarkGoReader(b *testing.B) {
	c := newComparison(b)
	var files [][]byte
	size := 0
	distribution(b, 20, func(_ string, src []byte) {
		if c.read(src) {
			files, size = append(files, src), size+len(src)
		}
	})
	var own, library time.Duration
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range files {
			begin := langtest.ProcessorTime()
			c.read(src)
			middle := langtest.ProcessorTime()
			c.want, _ = c.library.ByLibrary(c.want, c.grammar, src)
			own += middle - begin
			library += langtest.ProcessorTime() - middle
		}
	}
	megabytes := float64(size) * float64(b.N) / 1e6
	b.ReportMetric(megabytes/own.Seconds(), "reader-MB/s")
	b.ReportMetric(megabytes/library.Seconds(), "library-MB/s")
}

// FuzzGo: the reader of Go takes no text whose tree is another one to the library, and
// ends with any text.
func FuzzGo(f *testing.F) {
	for _, file := range goSources(f) {
		f.Add(file.Data)
	}
	f.Add([]byte("package a\nvar x = a[b[c]][d](*e.f[g])(nil)\n"))
	f.Add([]byte("package a\nfunc f(a, map[b]c) (d, func(e)) { if g.h {\n}\n{ i() } }\n"))
	c := newComparison(f)
	f.Fuzz(func(t *testing.T, src []byte) { c.compare(t, "fuzz", src) })
}
