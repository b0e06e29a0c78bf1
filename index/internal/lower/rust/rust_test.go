package rust_test

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
	"github.com/quarry-search/quarry/index/internal/lower/rust"
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
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(text)
			if len(a.Files) != 2 || a.Files[1].Name != "want" {
				t.Fatal("an archive holds a source and want")
			}
			_, tree := p.ParseTree("rust", a.Files[0].Data)
			got := ir.Dump(rust.Lower("rust", tree))
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

// TestBroken lowers every beginning of a source, and deep nesting: it must end,
// and soon.
func TestBroken(t *testing.T) {
	src, err := os.ReadFile("testdata/macros.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := syntax.NewParser()
	defer p.Close()
	lower := func(src []byte) *ir.File {
		_, tree := p.ParseTree("rust", src)
		if tree == nil {
			return nil
		}
		return rust.Lower("rust", tree)
	}
	for i := 0; i < len(src); i += 7 {
		lower(src[:i])
	}
	for _, deep := range []string{"f(", "{", "a.b(", "[", "|x| ", "m!(", "Some(", "mod m {", "fn f() {", "if a {", "match a { b => "} {
		f := lower([]byte("fn f() {" + strings.Repeat(deep, 5000)))
		_ = f
		f = lower(append([]byte("fn first() { g() }\nfn f() {"), bytes.Repeat([]byte(deep), 300)...))
		if f != nil && len(f.Funcs) < 2 {
			t.Errorf("%q: nothing was kept", deep)
		}
	}
}
