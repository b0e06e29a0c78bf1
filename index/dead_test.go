package index

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/dead"
)

// TestDead asks for the dead code of each archive in dead/testdata, by the queries of its file
// "ask", one in a line. A line of "want" is a finding: its confidence, kind, place and reason,
// what it is dead with, and what could still use it. Of the kinds within files it says what was not looked at.
func TestDead(t *testing.T) {
	asked(t, "dead/testdata/*.txtar", "\n> %s\n", func(t *testing.T, x *Index, line string, got *strings.Builder) error {
		var q dead.Query
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		found, err := x.Dead(t.Context(), q)
		if err != nil {
			return err
		}
		for _, f := range found.Dead {
			fmt.Fprintf(got, "%s %s %s:%d %s %s", f.Confidence, f.Kind, f.File, f.Line, f.Symbol, f.Reason)
			if f.Root != nil {
				fmt.Fprintf(got, " with %s", f.Root.Symbol)
			}
			if f.Why != "" {
				fmt.Fprintf(got, "; but %s", f.Why)
			}
			got.WriteByte('\n')
		}
		if slices.Contains([]string{dead.KindAssignment, dead.KindImport, dead.KindParameter}, q.Kind) {
			for _, what := range found.NotLooked {
				fmt.Fprintf(got, "not looked at: %s\n", what)
			}
			fmt.Fprintf(got, "%d of %v\n", found.Total, found.Looked)
		}
		return nil
	})
}

// TestDeadLinks: a file of Go is of the packages of all folders that have it by a symbolic link, too.
func TestDeadLinks(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module m\n\ngo 1.26\n")
	write(t, root, "main.go", "package main\n\nimport b \"m/internal/b\"\n\nfunc main() { b.Run(); b.Shared() }\n")
	write(t, root, "internal/a/shared.go", "package a\n\nfunc Shared() { ofB() }\n\nfunc ofA() {}\n\nfunc lost() {}\n")
	write(t, root, "internal/b/run.go", "package a\n\nfunc Run() { ofA() }\n\nfunc ofB() {}\n")
	if err := os.Symlink("../a/shared.go", filepath.Join(root, "internal/b/shared.go")); err != nil {
		t.Skip(err)
	}
	x, err := Open(root, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	snap := filepath.Join(t.TempDir(), "snap.quarry")
	if err := x.Save(t.Context(), snap, true); err != nil {
		t.Fatal(err)
	}
	y, err := Open("m", Options{Workers: 1, Sealed: true}) // without the links themselves
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.Close() })
	if err := y.Restore(snap); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Index{x, y} {
		found, err := x.Dead(t.Context(), dead.Query{Confidence: dead.Certain})
		if err != nil || len(found.Dead) != 1 || found.Dead[0].Symbol != "lost" {
			t.Errorf("found %v: %+v", err, found.Dead)
		}
	}
}

// TestDeadBehind: as long as not all changes are in the call graph, nothing is certain.
func TestDeadBehind(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module m\n")
	write(t, root, "main.go", "package main\n\nfunc main() {}\n\nfunc lost(n int) { println() }\n")
	x, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"", dead.KindParameter} {
		for _, behind := range []bool{true, false} {
			x.Graph.Broken.Store(behind) // it is as good as one that is behind, and stays so
			found, err := x.Dead(t.Context(), dead.Query{Confidence: dead.Possible, Kind: kind})
			if err != nil || len(found.Dead) == 0 {
				t.Fatalf("%d findings, %v", len(found.Dead), err)
			}
			for _, f := range found.Dead {
				if (f.Confidence == dead.Certain) == behind {
					t.Errorf("behind is %v: %+v", behind, f)
				}
			}
		}
	}
}
