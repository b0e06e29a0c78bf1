// Package lowertest holds the tests that lowerings share.
package lowertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
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
	p := lang.NewParser()
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

// HalfWritten lowers text that breaks off at every place, or lacks a piece: whatever the
// tree looks like, there is a file, and it is sound.
func HalfWritten(t *testing.T, language string, lower Lower) {
	p := lang.NewParser()
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
					Sound(t, lower(language, tree), cut)
				}
			}
		}
	}
}

// Cut lowers beginnings and ends of every source in testdata: each becomes a file that
// is sound.
func Cut(t *testing.T, language Language, lower Lower) {
	p := lang.NewParser()
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
					Sound(t, lower(lang, tree), cut)
				}
			}
		}
	}
}

// Sound fails on a file that breaks what package ir promises of all: operands and
// arguments come before what they are of, and functions and classes lie in the text.
// Dump follows every index, and panics on one that leads nowhere.
func Sound(t *testing.T, f *ir.File, src []byte) {
	t.Helper()
	if f == nil {
		t.Fatalf("nothing of %.40q", src)
	}
	ir.Dump(f)
	for i, n := range f.Exprs {
		x := ir.Expr(i)
		if n.A >= x && n.A != 0 || n.B >= x && n.B != 0 || n.Lo > n.Hi || int(n.Hi) > len(f.Args) {
			t.Errorf("%.40q: expression %d comes before its operands", src, x)
		}
		for _, a := range f.Args[n.Lo:n.Hi] {
			if a.X >= x {
				t.Errorf("%.40q: expression %d comes before its argument %d", src, x, a.X)
			}
		}
	}
	for i, fn := range f.Funcs[1:] {
		if fn.Start > fn.End || int(fn.End) > len(src) {
			t.Errorf("%.40q: function %d is from %d to %d, of %d bytes", src, i+1, fn.Start, fn.End, len(src))
		}
	}
	for i, c := range f.Classes[1:] {
		if c.Start > c.End || int(c.End) > len(src) {
			t.Errorf("%.40q: class %d is from %d to %d, of %d bytes", src, i+1, c.Start, c.End, len(src))
		}
	}
}

// Linear lowers texts that are nested or chained most times: there is a file, it is
// sound, and to make it does not take both half a second and three times its part by
// what an eighth of the text takes. Once is not enough: the machine may be busy.
func Linear(t *testing.T, language string, lower Lower, most int, texts map[string]func(n int) string) {
	p := lang.NewParser()
	defer p.Close()
	for name, text := range texts {
		take := func(n int) time.Duration {
			src := []byte(text(n))
			_, tree := p.ParseTree(language, src)
			if tree == nil {
				return 0 // the parser gave up
			}
			begin := time.Now()
			f := lower(language, tree)
			took := time.Since(begin)
			Sound(t, f, src)
			return took
		}
		for try := 1; ; try++ {
			long := take(most)
			if long < time.Second/2 {
				break
			}
			short := take(most / 8)
			if long < 3*8*short {
				break
			}
			if try == 3 {
				t.Errorf("%s: %v, and %v for an eighth", name, long, short)
				break
			}
		}
	}
}

// Repeat is a text for Linear: open and shut as many times as each other, around middle.
func Repeat(before, open, middle, shut, after string) func(n int) string {
	return func(n int) string {
		return before + strings.Repeat(open, n) + middle + strings.Repeat(shut, n) + after
	}
}

// Deep lowers pieces that are nested within each other, 300 times and most times: it
// must end, and keep the function that the text begins with.
func Deep(t *testing.T, language string, lower Lower, begin string, most int, pieces ...string) {
	p := lang.NewParser()
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
