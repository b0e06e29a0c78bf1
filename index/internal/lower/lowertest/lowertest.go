// Package lowertest holds the tests that lowerings share.
package lowertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A Lower is the entry of a lowering.
type Lower func(language string, t *syntax.Tree) *ir.File

// A Language tells that of a source by its name.
type Language func(file string) string

// Only is the Language of sources that are all of one.
func Only(language string) Language { return func(string) string { return language } }

// archives are the names of what lies in testdata.
func archives(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	return names
}

// Golden compares the dumps of the sources in testdata, which must parse, with the
// wanted ones, or rewrites those.
func Golden(t *testing.T, language Language, lower Lower, update bool) {
	p := syntax.NewParser()
	defer p.Close()
	for _, name := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) != 2 || a.Files[1].Name != "want" {
				t.Fatal("an archive holds a source and what is wanted of it")
			}
			lang := language(a.Files[0].Name)
			f, tree := p.ParseTree(lang, a.Files[0].Data)
			if f.Errors && lang != "kotlin" { // whose grammar does not know all of it
				t.Error("the source does not parse")
			}
			got := ir.Dump(lower(lang, tree))
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
	p := syntax.NewParser()
	defer p.Close()
	for _, name := range archives(t) {
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

// Cut lowers beginnings and ends of every source in testdata: it must end.
func Cut(t *testing.T, language Language, lower Lower) {
	p := syntax.NewParser()
	defer p.Close()
	for _, name := range archives(t) {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src, lang := a.Files[0].Data, language(a.Files[0].Name)
		for i := 0; i < len(src); i += 13 {
			for _, cut := range [][]byte{src[:i], src[i:]} {
				if _, tree := p.ParseTree(lang, cut); tree != nil {
					lower(lang, tree)
				}
			}
		}
	}
}

// Deep lowers pieces that are nested within each other, 300 times and most times: it
// must end, and keep the function that the text begins with.
func Deep(t *testing.T, language string, lower Lower, begin string, most int, pieces ...string) {
	p := syntax.NewParser()
	defer p.Close()
	for _, piece := range pieces {
		for _, times := range []int{300, most} {
			_, tree := p.ParseTree(language, append([]byte(begin), bytes.Repeat([]byte(piece), times)...))
			if tree == nil {
				continue // the parser gave up
			}
			if f := lower(language, tree); f != nil && len(f.Funcs) < 3 {
				t.Errorf("%s: %q: nothing was kept", language, piece)
			}
		}
	}
}
