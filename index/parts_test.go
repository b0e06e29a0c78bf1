package index_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/outline"
)

var updateParts = flag.Bool("update-parts", false, "rewrite testdata/parts")

func TestOutline(t *testing.T) {
	files, err := filepath.Glob("testdata/parts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	o := outline.NewOutliner()
	defer o.Close()
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src, want := a.Files[0], &a.Files[len(a.Files)-1]
		got := describeOutline(o.Outline(src.Name, src.Data))
		if *updateParts {
			want.Data = []byte(got)
			if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(want.Data), got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func describeOutline(out outline.Outline) string {
	var b strings.Builder
	indent := func(text string) {
		for line := range strings.Lines(text) {
			b.WriteString("\t" + line)
		}
	}
	fmt.Fprintf(&b, "language: %s\ndoc: %q\n", out.Language, out.Doc)
	for _, p := range out.Parts {
		name := strings.TrimPrefix(p.Parent+"."+p.Name, ".")
		fmt.Fprintf(&b, "%s %s %q\n", p.Kind, name, p.Doc)
		indent(p.Text)
	}
	for _, r := range out.Remarks {
		in := "file"
		if r.Part >= 0 {
			in = out.Parts[r.Part].Name
		}
		fmt.Fprintf(&b, "remark in %s %q\n", in, r.Doc)
		indent(r.Text)
	}
	return b.String()
}

// An Outliner is used for file after file; nothing of one is left in the next.
func TestOutlineForgets(t *testing.T) {
	o := outline.NewOutliner()
	defer o.Close()
	o.Outline("a.go", []byte("// Doc of a.\npackage a\n\n// F does it all at once.\nfunc F() {}\n"))
	for name, src := range map[string]string{"b.go": " \n", "b.unknown": "x", "b.zig": "// only a remark\n"} {
		out := o.Outline(name, []byte(src))
		if len(out.Parts) > 0 || len(out.Remarks) > 0 || strings.Contains(out.Doc, "Doc of a") {
			t.Errorf("%s: %+v", name, out)
		}
	}
}
