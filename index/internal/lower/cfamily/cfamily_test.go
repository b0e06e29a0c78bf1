package cfamily_test

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
	"github.com/quarry-search/quarry/index/internal/lower/cfamily"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// language is that of a file's name.
func language(name string) string {
	if strings.HasSuffix(name, ".c") {
		return "c"
	}
	return "cpp"
}

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
			lang := language(a.Files[0].Name)
			f, tree := p.ParseTree(lang, a.Files[0].Data)
			if f.Errors {
				t.Error("the source does not parse")
			}
			got := ir.Dump(cfamily.Lower(lang, tree))
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
	lower := func(lang string, src []byte) *ir.File {
		_, tree := p.ParseTree(lang, src)
		if tree == nil {
			return nil
		}
		return cfamily.Lower(lang, tree)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src, lang := a.Files[0].Data, language(a.Files[0].Name)
		for i := 0; i < len(src); i += 13 {
			lower(lang, src[:i])
			lower(lang, src[i:])
		}
	}
	for _, lang := range []string{"c", "cpp"} {
		for _, deep := range []string{"f(", "{", "a->b(", "a[", "(", "if (a) {", "*", "!", "a ? b : ", "A<", "{ .a = ", "[] { ", "struct { ", "int (*", "a = "} {
			for _, times := range []int{300, 2000} {
				f := lower(lang, append([]byte("int g(void); void first(void) { g(); } void f(void) { x = "), bytes.Repeat([]byte(deep), times)...))
				// Where the parser gives up there is no tree.
				if f != nil && len(f.Funcs) < 3 {
					t.Errorf("%s: %q: nothing was kept", lang, deep)
				}
			}
		}
	}
}
