package generic_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower/generic"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// TestLower compares what each archive's source is lowered to with its "want".
// The archive's name is the language's.
func TestLower(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	p := lang.NewParser()
	defer p.Close()
	for _, name := range names {
		language := strings.TrimSuffix(filepath.Base(name), ".txtar")
		t.Run(language, func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(text)
			if len(a.Files) != 2 || a.Files[1].Name != "want" {
				t.Fatal("an archive holds a source and want")
			}
			f := p.Parse(language, a.Files[0].Data)
			got := ir.Dump(generic.Lower(&f, a.Files[0].Data))
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
			for i := 0; i < len(a.Files[0].Data); i += 101 { // no text is too broken
				f := p.Parse(language, a.Files[0].Data[:i])
				generic.Lower(&f, a.Files[0].Data[:i])
			}
		})
	}
}

// TestNoCalls wants nothing of languages in which nothing is known to be called.
func TestNoCalls(t *testing.T) {
	for _, language := range []string{"markdown", "css", "hcl", "toml", ""} {
		f := syntax.File{Language: language}
		if got := generic.Lower(&f, []byte("x")); got != nil {
			t.Errorf("%s: %v, want nil", language, got)
		}
	}
}
