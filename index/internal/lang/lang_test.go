package lang

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	sitter "github.com/smacker/go-tree-sitter"

	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// TestFiles runs every testdata/LANGUAGE/*.txtar: each holds source files and,
// last, a file named "want" that lists what is found in them and, where there is
// a grammar, one named "skeleton" with what Skeleton leaves of them.
func TestFiles(t *testing.T) {
	paths, err := filepath.Glob("*/testdata/symbols/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	p := NewParser()
	defer p.Close()
	for _, path := range paths {
		language := filepath.Base(filepath.Dir(path))
		name := language + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got, bones strings.Builder
			want, wantBones := "", ""
			files := a.Files[:0]
			for _, f := range a.Files {
				switch f.Name {
				case "want":
					want = string(f.Data)
					continue
				case "skeleton":
					wantBones = string(f.Data)
					continue
				}
				files = append(files, f)
				if got.Len() > 0 {
					got.WriteByte('\n')
				}
				describe(&got, p.Parse(language, f.Data), f.Data)
				if s, ok := p.Skeleton(language, f.Data, true); ok {
					for _, l := range s.Lines {
						fmt.Fprintf(&bones, "%3d|%s\n", l.Line, l.Text)
					}
				}
			}
			if *update {
				a.Files = append(files, txtar.File{Name: "want", Data: []byte(got.String())})
				if bones.Len() > 0 {
					a.Files = append(a.Files, txtar.File{Name: "skeleton", Data: []byte(bones.String())})
				}
				if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got.String()); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			if d := cmp.Diff(wantBones, bones.String()); d != "" {
				t.Errorf("skeleton (-want +got):\n%s", d)
			}
		})
	}
}

// describe writes one line for each symbol, reference and import. It also
// checks what must hold for every file.
func describe(w *strings.Builder, f syntax.File, src []byte) {
	if f.Errors {
		fmt.Fprintln(w, "errors")
	}
	if !f.Grammar {
		fmt.Fprintln(w, "patterns")
	}
	for _, s := range f.Symbols {
		name := s.Name
		if s.Parent != "" {
			name = s.Parent + "." + s.Name
		}
		mark := " "
		if s.Exported {
			mark = "+"
		}
		lines := fmt.Sprint(s.Line)
		if s.EndLine != s.Line {
			lines += fmt.Sprintf("-%d", s.EndLine)
		}
		if s.NameLine != s.Line {
			lines += fmt.Sprintf(" @%d", s.NameLine)
		}
		fmt.Fprintf(w, "%s%s %s %s | %s\n", mark, s.Kind, name, lines, s.Signature)
		if s.Doc != "" {
			fmt.Fprintf(w, "    doc %d %q\n", 1+strings.Count(string(src[:s.DocStart]), "\n"), s.Doc)
			if f.Grammar {
				if prose := All().Prose(f.Language, src[s.DocAt:s.DocTo]); prose != s.Doc {
					fmt.Fprintf(w, "    WRONG prose %q\n", prose)
				}
			}
		}
		if s.Start < 0 || s.End > len(src) || s.Start >= s.End || s.DocStart > s.Start || s.DocAt > s.DocTo || s.Signature == "" {
			fmt.Fprintf(w, "    WRONG %+v\n", s)
		}
	}
	for _, r := range f.Refs {
		name := r.Name
		if r.Receiver != "" {
			name = r.Receiver + " . " + r.Name
		}
		fmt.Fprintf(w, "ref %s %d %s\n", r.Kind, r.Line, name)
		if !strings.HasPrefix(string(src[r.Offset:]), r.Name) {
			fmt.Fprintf(w, "    WRONG %+v\n", r)
		}
	}
	for _, i := range f.Imports {
		fmt.Fprintf(w, "import %d %q", i.Line, i.Path)
		if i.Name != "" {
			fmt.Fprintf(w, " name %s", i.Name)
		}
		if i.Alias != "" {
			fmt.Fprintf(w, " as %s", i.Alias)
		}
		fmt.Fprintln(w)
	}
	if f.HeadEnd > 0 {
		fmt.Fprintf(w, "head ends in line %d\n", 1+strings.Count(string(src[:f.HeadEnd]), "\n"))
	}
}

// TestQueries compiles every query: by our compiler, for there is nothing to fall
// back on, and by the library's, which also finds patterns that nothing can match.
func TestQueries(t *testing.T) {
	for _, name := range All().Names() {
		l, g := grammar(t, name)
		if g == nil {
			continue
		}
		if _, err := query.Compile(l.Query, g); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		whole, err := g.Language()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		q, err := sitter.NewQuery([]byte(l.Query), whole)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		q.Close()
	}
}

// grammar loads the grammar of a language, nil if it has none.
func grammar(t testing.TB, name string) (syntax.Language, *glr.Grammar) {
	t.Helper()
	l, ok := All().Language(name)
	if !ok || l.Grammar == nil {
		return l, nil
	}
	g, err := glr.Load(name, l.Grammar())
	if err != nil {
		t.Fatal(err)
	}
	return l, g
}

// masked is what the parser sees of a text.
func masked(l syntax.Language, src []byte) []byte {
	if l.Rules.Mask == nil {
		return src
	}
	return l.Rules.Mask(src)
}
