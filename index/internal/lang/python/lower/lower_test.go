package lower

import (
	"bytes"
	"flag"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted dumps")

func archives(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	all := map[string]*txtar.Archive{}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Files) == 0 || len(a.Files) > 2 {
			t.Fatalf("%s: %d files, want a source and its dump", name, len(a.Files))
		}
		all[name] = a
	}
	return all
}

// TestLower compares the dump of the first file of each archive with the second.
func TestLower(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	for name, a := range archives(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			_, tree := p.ParseTree("python", a.Files[0].Data)
			got := []byte(ir.Dump(Lower("python", tree)))
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "want", Data: got})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) < 2 || !bytes.Equal(got, a.Files[1].Data) {
				t.Errorf("got\n%s\nwant\n%s", got, a.Files[len(a.Files)-1].Data)
			}
		})
	}
}

// TestBroken lowers text that is cut off, shuffled, or nested without end: the
// lowering may leave things out, but must not fail on them.
func TestBroken(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	lower := func(src string) {
		t.Helper()
		defer func() {
			if r := recover(); r != nil {
				t.Fatalf("%v on\n%s", r, src)
			}
		}()
		if _, tree := p.ParseTree("python", []byte(src)); tree != nil {
			lowertest.Sound(t, Lower("python", tree), []byte(src))
		}
	}
	random := rand.New(rand.NewSource(1))
	for _, a := range archives(t) {
		src := string(a.Files[0].Data)
		for i := 0; i < len(src); i += 7 {
			lower(src[:i])
			lower(src[i:])
		}
		words := strings.Fields(src)
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		lower(strings.Join(words, " "))
	}
	for _, part := range []string{"(", "[", "f(", "not ", "a.b", "lambda: ", "x if y else ", "{1: ", "x = ", "-"} {
		lower(strings.Repeat(part, 3000))
	}
	var nested strings.Builder
	for i := range 1500 {
		nested.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	lower(nested.String())
}

// TestDeep keeps the calls of a sum with more terms than the recursion is deep.
func TestDeep(t *testing.T) {
	const terms = 3000
	p := lang.NewParser()
	defer p.Close()
	_, tree := p.ParseTree("python", []byte("x = f()"+strings.Repeat(" + f()", terms-1)))
	f := Lower("python", tree)
	calls := 0
	for _, n := range f.Exprs {
		if n.Op == ir.Call {
			calls++
		}
	}
	if calls != terms {
		t.Errorf("%d calls, want %d", calls, terms)
	}
}
