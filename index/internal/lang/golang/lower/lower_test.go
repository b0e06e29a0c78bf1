package lower

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
)

var update = flag.Bool("update", false, "rewrite the wanted dumps")

// TestLower compares the dumps of the archives' sources with those that follow
// them, NAME.go with NAME.ir.
func TestLower(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	p := lang.NewParser()
	defer p.Close()
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) != 2 {
				t.Fatalf("%d files, want a source and its dump", len(a.Files))
			}
			_, tree := p.ParseTree("go", a.Files[0].Data)
			got := []byte(ir.Dump(Lower("go", tree)))
			if *update {
				a.Files[1].Data = got
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, a.Files[1].Data) {
				t.Errorf("got\n%s\nwant\n%s", got, a.Files[1].Data)
			}
		})
	}
}
