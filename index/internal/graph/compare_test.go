package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/frozen"
	languages "github.com/quarry-search/quarry/index/internal/lang"
)

// TestCompare compares a graph with itself, with what is restored of it, and with those
// of other texts.
func TestCompare(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	files := map[string][]byte{
		"a/a.go": []byte("package a\n\ntype T struct{}\n\nfunc (T) M() { F(); unknown() }\n\nfunc F() {}\n"),
		"a/b.go": []byte("package a\n\nfunc G() { F() }\n"),
	}
	want := built(p, files)
	compare := func(got *graph.Graph) (found []string) {
		t.Helper()
		err := graph.Compare(t.Context(), got, want, func(d frozen.Difference) {
			sign := "+"
			if d.Lack {
				sign = "-"
			}
			found = append(found, fmt.Sprintf("%s %s %s: %s", sign, d.What, d.Path, d.Text))
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	same, err := restored(saved(want))
	if err != nil {
		t.Fatal(err)
	}
	edited := built(p, files)
	put(edited, p, "a/b.go", []byte("package a\n"))
	edited.Resolve()
	put(edited, p, "a/b.go", files["a/b.go"])
	edited.Resolve()
	for name, g := range map[string]*graph.Graph{"itself": want, "restored": same, "edited": edited} {
		if found := compare(g); len(found) > 0 {
			t.Errorf("%s: %q", name, found)
		}
	}
	for _, tc := range []struct {
		name, path, old, new string
		want                 []string
	}{
		{"edge", "a/b.go", "F()", "G()", []string{
			"- edge a/b.go: function G of a/b.go:3 at 3:12 calls function F of a/a.go:7, exact by scope",
			"+ edge a/b.go: function G of a/b.go:3 at 3:12 calls function G of a/b.go:3, exact by scope",
		}},
		{"site", "a/a.go", "unknown", "unheard", []string{
			"+ site a/a.go: function T.M of a/a.go:5 at 5:21 calls unheard: unknown member",
			"- site a/a.go: function T.M of a/a.go:5 at 5:21 calls unknown: unknown member",
		}},
		{"file", "a/b.go", "package", "", nil},
	} {
		other := maps.Clone(files)
		other[tc.path] = []byte(strings.Replace(string(files[tc.path]), tc.old, tc.new, 1))
		if tc.name == "file" {
			delete(other, tc.path)
		}
		found := compare(built(p, other))
		if tc.want == nil {
			if len(found) < 3 || !strings.HasPrefix(found[0], "- node "+tc.path) {
				t.Errorf("%s: %q", tc.name, found)
			}
			continue
		}
		slices.Sort(found)
		slices.Sort(tc.want)
		if diff := cmp.Diff(tc.want, found); diff != "" {
			t.Errorf("%s (-want +found):\n%s", tc.name, diff)
		}
	}
}
