package index

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
)

// updating reports whether the wanted parts of testdata are to be rewritten; the
// flag is that of rank_stats_test.go.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// plain returns the built index of an archive's files, without vectors, and without
// those that say what is asked and wanted.
func plain(t testing.TB, archive string) (*Index, *txtar.Archive) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	root := unpack(t, archive)
	for _, f := range a.Files {
		if f.Name == "ask" || f.Name == "want" || strings.HasSuffix(f.Name, ".diff") {
			if err := os.Remove(filepath.Join(root, f.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	x, err := Open(root, Options{Workers: 1})
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
	return x, a
}

// part returns a file of an archive.
func part(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// asked has each line of "ask" answered, in each archive that a pattern finds, and compares what
// that writes with "want". head is written before an answer, with the line for its %s.
func asked(t *testing.T, pattern, head string, answer func(t *testing.T, x *Index, line string, got *strings.Builder) error) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal("there are no cases", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			x, a := plain(t, name)
			var got strings.Builder
			for line := range strings.Lines(part(a, "ask")) {
				line = strings.TrimSpace(line)
				fmt.Fprintf(&got, head, line)
				if err := answer(t, x, line, &got); err != nil {
					fmt.Fprintf(&got, "%T: %v\n", err, err)
				}
			}
			golden(t, name, a, got.String())
		})
	}
}

// golden compares what was got with the archive's file "want", or writes it.
func golden(t testing.TB, name string, a *txtar.Archive, got string) {
	t.Helper()
	if !updating() {
		if d := gocmp.Diff(part(a, "want"), got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		return
	}
	for i := range a.Files {
		if a.Files[i].Name == "want" {
			a.Files = a.Files[:i]
			break
		}
	}
	a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTarget(t *testing.T) {
	const name = "testdata/target.txtar"
	x, a := plain(t, name)
	var got strings.Builder
	for _, text := range strings.Split(strings.TrimSpace(part(a, "targets")), "\n") {
		fmt.Fprintf(&got, "%s -> ", text)
		at, _, err := x.FindTarget(text)
		switch {
		case err != nil:
			fmt.Fprintln(&got, "error:", strings.ReplaceAll(err.Error(), x.Root(), "$ROOT"))
			continue
		case at.Symbol < 0:
			fmt.Fprint(&got, at.Record.Path)
		default:
			p := at.Record.Place(at.Symbol)
			fmt.Fprintf(&got, "%s %s:%d", p.Symbol, p.File, p.Line)
		}
		for i, p := range at.Alternatives() {
			fmt.Fprintf(&got, "%s %s %s:%d", map[bool]string{true: " |", false: ","}[i == 0], p.Symbol, p.File, p.Line)
		}
		fmt.Fprintln(&got)
	}
	golden(t, name, a, got.String())

	if at, _, err := x.FindTarget(x.Root() + "/shop/cart/cart.go:4"); err != nil || at.Sym().Name != "Limit" {
		t.Errorf("an absolute path: %+v, %v", at, err)
	}
	// With the mark of a variable, as in PHP's Order::$total.
	for text, want := range map[string]string{"Order::$total": "Order.total", "$list_add": "list_add"} {
		if at, _, err := x.FindTarget(text); err != nil || at.Sym().Qualified() != want {
			t.Errorf("%s: %+v, %v", text, at, err)
		}
	}
	if _, _, err := x.FindTarget("/etc/passwd"); !errors.Is(err, ErrOutside) {
		t.Errorf("a path outside: %v", err)
	}
}

func TestTargetIsBounded(t *testing.T) {
	root := t.TempDir()
	for i := range 30 {
		write(t, root, fmt.Sprintf("p%02d/a.go", i), "package p\n\nfunc Same() {}\n")
	}
	x, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	at, _, err := x.FindTarget("Same")
	if err != nil || at.Record.Path != "p00/a.go" || len(at.Others) != store.MaxOthers || at.Others[9].Record.Path != "p10/a.go" {
		t.Errorf("%d others, %v", len(at.Others), err)
	}
}

// TestTargetWhileBuilding has what is not there yet not pass for what there is not.
func TestTargetWhileBuilding(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc Parse() {}\n")
	x := open(t, root)
	const building = "the index is still being built"
	if _, err := x.Calls(t.Context(), calls.CallsQuery{Target: "Parse"}); err == nil || !strings.Contains(err.Error(), building) {
		t.Errorf("before the build: %v", err)
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Calls(t.Context(), calls.CallsQuery{Target: "Pars"}); err == nil || strings.Contains(err.Error(), building) {
		t.Errorf("after it: %v", err)
	}
}
