// Package lowertest holds the tests that lowerings share.
package lowertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A Lower is the entry of a lowering.
type Lower func(language string, t *syntax.Tree) *ir.File

// Golden compares the dumps of the sources in testdata with the wanted ones, or
// rewrites those.
func Golden(t *testing.T, language string, lower Lower, update bool) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives, %v", err)
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
				t.Fatal("an archive holds a source and what is wanted of it")
			}
			_, tree := p.ParseTree(language, a.Files[0].Data)
			got := ir.Dump(lower(language, tree))
			if update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// HalfWritten lowers text that breaks off at every place, or lacks a piece: it
// must not panic, whatever the tree looks like, and every index must be in range,
// which Dump checks by following them.
func HalfWritten(t *testing.T, language string, lower Lower) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := syntax.NewParser()
	defer p.Close()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src := txtar.Parse(text).Files[0].Data
		step := max(1, len(src)/40)
		for i := 0; i < len(src); i += step {
			for _, cut := range [][]byte{src[:i], src[i:], bytes.Join([][]byte{src[:i], src[min(len(src), i+3*step):]}, nil)} {
				if _, tree := p.ParseTree(language, cut); tree != nil {
					ir.Dump(lower(language, tree))
				}
			}
		}
	}
}
