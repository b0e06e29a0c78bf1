package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/links"
)

// crossed returns the built indexes of an archive, by the first folder of its files.
func crossed(t testing.TB, ar *txtar.Archive) map[string]*Index {
	base := t.TempDir()
	roots := map[string]*Index{}
	for _, f := range ar.Files {
		root, _, ok := strings.Cut(f.Name, "/")
		if !ok {
			continue
		}
		file := filepath.Join(base, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		roots[root] = nil
	}
	for root := range roots {
		x, err := Open(filepath.Join(base, root), Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		roots[root] = x
	}
	return roots
}

// TestLinks compares the calls between the roots of testdata/cross/*.txtar, which are
// the first folders of the files, with those in the file "want". A call that is not
// there must not be linked. Graphs as they are restored from a snapshot say the same.
func TestLinks(t *testing.T) {
	names, err := filepath.Glob("testdata/cross/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			roots := crossed(t, ar)
			all := func() string {
				var lines []string
				for a, from := range roots {
					for b, to := range roots {
						if a == b {
							continue
						}
						links, err := from.Links(t.Context(), to)
						if err != nil || !links.Current {
							t.Fatalf("%s to %s: %v, current %v", a, b, err, links.Current)
						}
						for _, l := range links.Calls {
							line := fmt.Sprintf("%s/%s:%02d:%d %s -> %s/%s:%d %s (%s)", a, l.From.File, l.Line, l.Column,
								cmp.Or(l.From.Symbol, "(top level)"), b, l.To.File, l.To.Line, l.To.Symbol, l.Confidence)
							if l.Test {
								line += " test"
							}
							lines = append(lines, line)
						}
					}
				}
				slices.Sort(lines)
				return strings.Join(lines, "\n") + "\n"
			}
			got := all()
			want := &txtar.File{Name: "want"}
			for i := range ar.Files {
				if ar.Files[i].Name == "want" {
					want = &ar.Files[i]
				}
			}
			if updating() {
				ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
				ar.Files = append(ar.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := gocmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, x := range roots {
				x.Graph.Shrink()
			}
			if diff := gocmp.Diff(got, all()); diff != "" {
				t.Errorf("restored graphs differ (-built +restored)\n%s", diff)
			}
		})
	}
}

func TestLinksWithoutGraph(t *testing.T) {
	x, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Links(t.Context(), x); !errors.Is(err, links.ErrNoGraph) {
		t.Errorf("before the first build: %v", err)
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if l, err := x.Links(t.Context(), x); err != nil || l.Calls == nil || len(l.Calls) > 0 || !l.Current {
		t.Errorf("an empty root: %+v, %v", l, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Links(ctx, x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
