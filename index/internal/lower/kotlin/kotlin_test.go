package kotlin_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/kotlin"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the wanted dumps")

// TestLower compares the dumps of the sources in testdata with the wanted ones.
func TestLower(t *testing.T) {
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
			_, tree := p.ParseTree("kotlin", a.Files[0].Data)
			got := ir.Dump(kotlin.Lower("kotlin", tree))
			if *update {
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

// TestHalfWritten lowers text that breaks off at every place, or lacks a piece: it
// must not panic, whatever the tree looks like, and every index must be in range,
// which Dump checks by following them.
func TestHalfWritten(t *testing.T) {
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
				if _, tree := p.ParseTree("kotlin", cut); tree != nil {
					ir.Dump(kotlin.Lower("kotlin", tree))
				}
			}
		}
	}
}

// TestDeep lowers text that is nested or chained thousands of levels deep.
func TestDeep(t *testing.T) {
	deep := map[string]string{
		"parentheses": "val x = " + strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000),
		"classes":     strings.Repeat("class A { ", 3000) + strings.Repeat("}", 3000),
		"calls":       "val x = a" + strings.Repeat(".b()", 5000),
		"sum":         "val x = a" + strings.Repeat(" + f()", 5000),
		"and":         "val x = a is B" + strings.Repeat(" && a is C", 5000),
		"lambdas":     "val x = " + strings.Repeat("{ ", 3000) + strings.Repeat("}", 3000),
		"types":       "val x: " + strings.Repeat("L<", 3000) + "A" + strings.Repeat(">", 3000) + " = 1",
		"elvis":       "val x = a" + strings.Repeat(" ?: a", 5000),
		"branches":    "fun f() { " + strings.Repeat("if (a) b else ", 3000) + "c }",
		"errors":      strings.Repeat("class A { fun f( { ", 2000),
	}
	p := syntax.NewParser()
	defer p.Close()
	for name, src := range deep {
		_, tree := p.ParseTree("kotlin", []byte(src))
		if tree == nil {
			continue
		}
		begin := time.Now()
		if f := kotlin.Lower("kotlin", tree); f == nil {
			t.Errorf("%s: nothing", name)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(src))
		}
	}
}
