package ruby_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/ruby"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// TestLower compares what each archive's source is lowered to with its "want".
func TestLower(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	p := syntax.NewParser()
	defer p.Close()
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) != 2 || a.Files[1].Name != "want" {
				t.Fatal("an archive holds a source and want")
			}
			f, tree := p.ParseTree("ruby", a.Files[0].Data)
			if f.Errors {
				t.Error("the source does not parse")
			}
			got := ir.Dump(ruby.Lower("ruby", tree))
			if *update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestBroken lowers beginnings of every source, and deep nesting: it must end, and
// keep what came before.
func TestBroken(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := syntax.NewParser()
	defer p.Close()
	lower := func(src []byte) *ir.File {
		_, tree := p.ParseTree("ruby", src)
		if tree == nil {
			return nil
		}
		return ruby.Lower("ruby", tree)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src := a.Files[0].Data
		for i := 0; i < len(src); i += 13 {
			lower(src[:i])
			lower(src[i:])
		}
	}
	for _, deep := range []string{"f(", "{ ", "a.b(", "[", "->(x) { ", "(", "if a\n", "not ", "a ? b : ", "def f\n", "class X\n", "module M\n", "x = ", "f do |a|\n",
		"case a\nwhen b\n", "begin\n", "!", "\"#{", "a && "} {
		for _, times := range []int{300, 5000} {
			f := lower(append([]byte("def first\n g()\nend\n"), bytes.Repeat([]byte(deep), times)...))
			// Where the parser gives up there is no tree.
			if f != nil && len(f.Funcs) < 3 {
				t.Errorf("%q: nothing was kept", deep)
			}
		}
	}
}
