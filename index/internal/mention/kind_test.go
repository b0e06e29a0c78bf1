package mention

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/source"
)

var update = flag.Bool("update", false, "rewrite the expected results")

// TestKindAt asks for each place that names something in the files of an archive. Under a
// file's name with .want is what is expected: the place, the name and the kind, by line.
func TestKindAt(t *testing.T) {
	files, err := filepath.Glob("testdata/kinds/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no cases", err)
	}
	p := lang.NewParser()
	defer p.Close()
	names := Of([]string{"limit", "T", "U", "V", "run"})
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]byte{}
		var now []txtar.File
		for _, f := range a.Files {
			if filepath.Ext(f.Name) == ".want" {
				want[f.Name] = f.Data
				continue
			}
			_, tree := p.ParseTree(source.Language(f.Name, f.Data), f.Data)
			if tree == nil {
				t.Fatalf("%s: %s has no syntax", file, f.Name)
			}
			var got bytes.Buffer
			line, places := 0, PlacesIn(tree)
			names.Each(f.Data, func(m Mention) bool {
				if m.Line != line {
					if line > 0 {
						got.WriteByte('\n')
					}
					line = m.Line
					text := bytes.Split(f.Data, newline)[line-1]
					fmt.Fprintf(&got, "%s\n\t", bytes.TrimSpace(text))
				} else {
					got.WriteString(", ")
				}
				kind := places.KindAt(m.Offset)
				if alone := KindAt(tree, m.Offset); alone != kind {
					t.Errorf("%s: %s in line %d is %s after others, and %s by itself", file, m.Name, m.Line, kind, alone)
				}
				fmt.Fprintf(&got, "%s %s", m.Name, kind)
				return true
			})
			got.WriteByte('\n')
			now = append(now, f, txtar.File{Name: f.Name + ".want", Data: got.Bytes()})
		}
		for _, f := range now {
			if filepath.Ext(f.Name) == ".want" && !*update {
				if diff := cmp.Diff(string(want[f.Name]), string(f.Data)); diff != "" {
					t.Errorf("%s: %s (-want +got):\n%s", file, f.Name, diff)
				}
			}
		}
		if a.Files = now; *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
