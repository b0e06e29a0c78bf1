package glr_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A comparison compares the trees of the parser by tables with the library's.
type comparison struct {
	p         *glr.Parser
	grammars  map[string]*glr.Grammar
	got, want []glr.Node
	texts     int
	declined  int
	broken    int
}

func newComparison(t testing.TB) *comparison {
	c := &comparison{p: glr.NewParser(), grammars: map[string]*glr.Grammar{}}
	t.Cleanup(c.p.Close)
	return c
}

// grammar loads the grammar of a language, nil if it has none.
func (c *comparison) grammar(t testing.TB, language string) *glr.Grammar {
	g, ok := c.grammars[language]
	if l, _ := lang.All().Language(language); !ok && l.Grammar != nil {
		var err error
		if g, err = glr.Load(language, l.Grammar()); err != nil {
			t.Fatal(err)
		}
		c.grammars[language] = g
	}
	return g
}

func (c *comparison) compare(t testing.TB, language, name string, src []byte) {
	if len(bytes.TrimSpace(src)) == 0 {
		return
	}
	g := c.grammar(t, language)
	c.texts++
	var got, wanted glr.Result
	if c.got, got = c.p.ByTables(c.got, g, src); got <= glr.Refused {
		c.declined++
		return
	}
	if c.want, wanted = c.p.ByLibrary(c.want, g, src); wanted <= glr.Refused {
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
	archives, err := filepath.Glob("../../lang/*/testdata/symbols/*/*.txtar")
	if err != nil || len(archives) < 20 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	c := newComparison(t)
	random := rand.New(rand.NewPCG(5, 8))
	languages := map[string]bool{}
	for _, name := range archives {
		language := filepath.Base(filepath.Dir(name))
		if c.grammar(t, language) == nil {
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
	c := newComparison(t)
	for language, unit := range map[string]string{"rust": "} x ", "java": "\n) x", "javascript": "\"", "ruby": "{ ) ", "c": "a ) "} {
		g := c.grammar(t, language)
		src := bytes.Repeat([]byte(unit), 1<<20/len(unit))
		c.p.Limit = time.Minute
		if _, got := c.p.ByTables(nil, g, src); got != glr.Declined {
			t.Errorf("%s, %q a megabyte long: %d, want %d", language, unit, got, glr.Declined)
		}
	}
}

// What is nested as deep as a text is long is parsed, or given up, with the stack of the
// machine that there is.
func TestNesting(t *testing.T) {
	c := newComparison(t)
	for _, language := range []string{"java", "javascript", "c"} {
		g := c.grammar(t, language)
		for _, unit := range []string{"{[(", "(", "a("} {
			src := []byte(strings.Repeat(unit, 360_000/len(unit)))
			c.p.Limit = time.Minute
			if _, got := c.p.ByTables(nil, g, src); got == glr.Late {
				t.Errorf("%s, %q: late", language, unit)
			}
		}
	}
}

// tree compares the files below a folder: those of the language QUARRY_BENCH_LANG, whose
// names end in QUARRY_BENCH_EXT.
func (c *comparison) tree(t *testing.T, random *rand.Rand, root string) {
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

// FuzzGLR compares the trees of the parser by tables with the library's.
func FuzzGLR(f *testing.F) {
	var languages []string
	for _, name := range lang.All().Names() {
		if l, _ := lang.All().Language(name); l.Grammar != nil {
			languages = append(languages, name)
		}
	}
	for i, language := range languages {
		names, err := filepath.Glob("../../lang/*/testdata/symbols/" + language + "/*.txtar")
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), archive.Files[0].Data)
		}
		f.Add(uint8(i), []byte("f(a, [b {c} \"d\n) <e> = 'g' /* h"))
	}
	c := newComparison(f)
	f.Fuzz(func(t *testing.T, n uint8, src []byte) { c.compare(t, languages[int(n)%len(languages)], "fuzz", src) })
}
